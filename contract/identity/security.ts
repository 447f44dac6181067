import * as z from 'zod/mini'
import { endpoint, Instant, only } from '../endpoint.ts'
import { superadminOnly } from '../roles.ts'

/** Whether a second factor is a wish or a condition. In the order of strictness: an organization may only go further. */
export const mfaPolicies = ['optional', 'required-for-admins', 'required'] as const
export const MfaPolicy = z.enum(mfaPolicies)
export type MfaPolicy = z.infer<typeof MfaPolicy>

export function stricterMfa(a: MfaPolicy, b: MfaPolicy): MfaPolicy {
  return mfaPolicies.indexOf(a) >= mfaPolicies.indexOf(b) ? a : b
}

export const SystemSecurity = z.object({
  mfa: MfaPolicy,
  /** Signing in with a mailed code in place of the password; a second factor is then asked for in any case. */
  signInCode: z.boolean(),
  /** New passwords are also looked for among leaked ones, by the first five characters of their hash. */
  breachLookup: z.boolean(),
})
export type SystemSecurity = z.infer<typeof SystemSecurity>

export const defaultSecurity: SystemSecurity = { mfa: 'optional', signInCode: false, breachLookup: false }

const Settings = z.extend(SystemSecurity, {
  /** People with a role who have no second factor yet: superadmins and admins, and everybody. */
  withoutFactor: z.object({ admins: z.number(), everyone: z.number() }),
  updatedAt: Instant,
})

export const readSecurity = endpoint({
  name: 'readSecurity',
  method: 'GET',
  path: '/system/security',
  summary: 'What signing in asks for in the whole installation',
  access: only(superadminOnly, 'settings'),
  reply: Settings,
})

export const updateSecurity = endpoint({
  name: 'updateSecurity',
  method: 'PUT',
  path: '/system/security',
  summary: 'Change what signing in asks for',
  access: only(superadminOnly, 'person'),
  fresh: true,
  body: SystemSecurity,
  reply: Settings,
  ifMatch: true,
})
