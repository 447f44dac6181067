import * as z from 'zod/mini'
import type { readBackups } from '#contract/backup.ts'
import type { Reply } from '#contract/endpoint.ts'
import { requireRow, type Tx } from '../platform/db/client.ts'
import { addressesOf } from '../platform/db/roles.ts'
import { sql } from '../platform/db/sql.ts'
import type { Env } from '../platform/env.ts'
import { readHolding } from '../platform/storage/storage.ts'
import { findAll, type Found, type Own } from './found.ts'
import { placeBy } from './place.ts'
import type { Checks } from './plan.ts'

const Named = z.object({ installation: z.string() })

/** What there is of this installation. */
export async function findBackups(tx: Tx, env: Env): Promise<Found> {
  const { installation } = await requireRow(
    tx,
    Named,
    sql`select installation::text as installation from backup_plan`,
  )
  const { kind } = await readHolding(tx)
  return findAll({ env, place: placeBy(env, kind), installation })
}

type Listed = Pick<Reply<typeof readBackups>, 'folder' | 'recipient' | 'canMake' | 'items' | 'unreadable'>

export async function listBackups(tx: Tx, env: Env): Promise<Listed> {
  const { backupRecipient, databaseUrl } = env
  const { at, own, unreadable } = await findBackups(tx, env)
  return {
    folder: at,
    recipient: backupRecipient ?? null,
    canMake: databaseUrl === undefined || addressesOf(env).owner !== undefined,
    items: own.map(itemOf),
    unreadable,
  }
}

function itemOf({ name, manifest, checked, origin }: Own): Listed['items'][number] {
  const { kind, snapshotAt, startedAt, endedAt, stored, files, recipient } = manifest
  return {
    name,
    kind,
    at: snapshotAt,
    tookMs: Date.parse(endedAt) - Date.parse(startedAt),
    bytes: stored + files.bytes,
    newBytes: stored + files.newBytes,
    isEncrypted: recipient !== null,
    origin,
    checked: checked && { at: checked.at, fault: checked.fault },
  }
}

/** What checks have found of them. */
export function checksIn({ own }: Found): Checks {
  const whole = own.flatMap(({ checked }) => (checked !== null && checked.fault === null ? [checked.at] : []))
  const newest = own.find(({ checked }) => checked !== null)?.checked
  return { wholeAt: whole.toSorted().at(-1) ?? null, newest: newest ?? null }
}

/** The newest whole backup, where a server without a key can check it and nobody has yet. */
export function uncheckedIn({ own }: Found): string | undefined {
  const newest = own.find(({ manifest }) => manifest.kind === 'whole' && manifest.recipient === null)
  return newest?.checked === null ? newest.name : undefined
}
