import { findings, type CheckName, type Finding, type FindingCode } from '#contract/doctor/doctor.ts'
import type { Database } from '../platform/db/client.ts'
import type { Env } from '../platform/env.ts'
import { causeOf } from '../platform/failures.ts'
import type { Keys } from '../platform/keys.ts'
import { cut } from '#contract/platform/text/text.ts'

/** What the checks look with. A check that needs the database is not asked without one. */
export type Patient = {
  env: Env
  db: Database | undefined
  /** Why there is no database to ask. */
  withoutDatabase: Found | undefined
  /** Of the owner of the tables, where this process may know it. */
  ownerUrl: string | undefined
  /** Undefined: there is no secret yet. */
  keys: Keys | undefined
  /** The port that the server listens on. */
  port: number
  dns: { resolveTxt(name: string): Promise<string[][]> }
}

/** What a check has found, before it is known whose finding it is. */
export type Found = Pick<Finding, 'code' | 'values'>

export type Check = {
  name: CheckName
  look: (patient: Patient) => Promise<Found[]>
}

export const found = (code: FindingCode, values: Finding['values'] = {}): Found => ({ code, values })

export const findingOf = (check: CheckName, { code, values }: Found): Finding => ({
  check,
  state: findings[code],
  code,
  values,
})

/** In one line and without its end: sentences are made of it. */
export function reasonOf(error: unknown): string {
  return cut(causeOf(error).replace(/[.!]+$/, ''), 200)
}
