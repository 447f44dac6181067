import * as z from 'zod/mini'
import { defaultSecurity, stricterMfa, type MfaPolicy, SystemSecurity } from '#contract/identity/security.ts'
import type { Role } from '#contract/roles.ts'
import { row, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'

const SecurityRow = z.object({ security: SystemSecurity })

/** What signing in asks for in the whole installation; the defaults until somebody has changed it. */
export async function systemSecurity(tx: Tx): Promise<SystemSecurity> {
  const found = await row(tx, SecurityRow, sql`select security from system_settings`)
  return { ...defaultSecurity, ...found?.security }
}

type Governed = { role: Role; mfa: MfaPolicy }

/** Whether the installation's policy, tightened by the organization's, asks this person for a second factor. */
export function requiresFactor(system: SystemSecurity, { role, mfa }: Governed): boolean {
  const policy = stricterMfa(system.mfa, mfa)
  return policy === 'required' || (policy === 'required-for-admins' && role !== 'groupadmin')
}
