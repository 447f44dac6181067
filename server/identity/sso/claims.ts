import { mailForm, isAddress } from '#contract/identity/addresses.ts'
import type { Claim, ClaimRule, GrantedRole } from '#contract/identity/sso.ts'
import { cut, storable } from '#contract/platform/text/text.ts'

export type Claims = Readonly<Record<string, unknown>>

/** Of the token itself, and of nobody. */
const ofToken = new Set([
  'iss',
  'aud',
  'azp',
  'exp',
  'iat',
  'nbf',
  'jti',
  'nonce',
  'at_hash',
  'c_hash',
  's_hash',
  'sid',
  'rh',
  'uti',
  'aio',
  'ver',
])

const most = { claims: 60, values: 300, name: 200, value: 500 } as const

/** What a claim says, one by one, as rules are compared with it. */
export function valuesOf(claim: unknown): string[] {
  const all: unknown[] = Array.isArray(claim) ? claim : claim === undefined || claim === null ? [] : [claim]
  return all
    .slice(0, most.values)
    .map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
    .map((one) => cut(storable(one), most.value))
}

/** `realm_access.roles` is a claim within a claim, unless there is one of the whole name. */
export function claimNamed(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  return name
    .split('.')
    .reduce<unknown>(
      (within, part) =>
        typeof within === 'object' && within !== null && Object.hasOwn(within, part)
          ? (within as Claims)[part]
          : undefined,
      claims,
    )
}

/** What the provider says about the person, as it is kept and shown; what is too much is left out. */
export function shownClaims(claims: Claims): Claim[] {
  return Object.entries(flat(claims))
    .filter(([name]) => !ofToken.has(name))
    .slice(0, most.claims)
    .map(([name, value]) => ({ name: cut(storable(name), most.name), values: valuesOf(value) }))
}

/** Without what is of the token itself, for rules that are tried later. */
export const keptClaims = (claims: Claims): Record<string, string[]> =>
  Object.fromEntries(shownClaims(claims).map(({ name, values }) => [name, values]))

/** One level of claims within claims stands beside the others, under both names. */
function flat(claims: Claims): Claims {
  const inner = Object.entries(claims).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([part, one]): [string, unknown] => [`${name}.${part}`, one])
      : [],
  )
  const outer = Object.entries(claims).filter(
    ([, value]) => typeof value !== 'object' || value === null || Array.isArray(value),
  )
  return Object.fromEntries([...outer, ...inner])
}

const rank: Record<GrantedRole, number> = { groupadmin: 1, admin: 2 }
export const isAbove = (role: GrantedRole, grants: GrantedRole): boolean => rank[role] > rank[grants]

export const higherRole = (a: GrantedRole | null, b: GrantedRole | null): GrantedRole | null =>
  a === null || (b !== null && rank[b] > rank[a]) ? b : a

export type Granted = { role: GrantedRole | null; groups: ReadonlyMap<string, boolean> }

/** What the rules give for these claims: the highest role, and groups, with whether they are administered. */
export function grantedBy(
  rules: readonly ClaimRule[],
  kept: Readonly<Record<string, readonly string[]>>,
): Granted {
  const groups = new Map<string, boolean>()
  let role: GrantedRole | null = null
  for (const rule of rules) {
    const values = kept[rule.claim] ?? []
    if (values.length === 0 || !(rule.value === '*' || values.includes(rule.value))) continue
    role = higherRole(role, rule.role)
    if (rule.groupId !== null)
      groups.set(rule.groupId, groups.get(rule.groupId) === true || rule.role === 'groupadmin')
  }
  return { role, groups }
}

export type Address = { email: string } | { fault: 'email_missing' | 'email_unverified' }

const yes = new Set<unknown>([true, 'true', 1, '1'])

/** The address that the provider has verified. Entra ID says so by `xms_edov` in place of `email_verified`. */
export function addressIn(claims: Claims): Address {
  const { email, email_verified: verified, xms_edov: owned } = claims
  if (typeof email !== 'string' || email.length > 254 || !isAddress(email)) return { fault: 'email_missing' }
  if (!yes.has(verified) && !(verified === undefined && yes.has(owned))) return { fault: 'email_unverified' }
  return { email: mailForm(email) }
}

/** By its parts where there is no whole name, and by the address where there is none. */
export function nameIn(claims: Claims, email: string): string {
  const { name, given_name: given, family_name: family } = claims
  const parts = [given, family].filter((one) => typeof one === 'string').join(' ')
  const words = typeof name === 'string' && name.trim() !== '' ? name : parts
  return cut(storable(words).replaceAll(/\s+/g, ' ').trim(), 200) || email
}

/** Words of RFC 8176 that stand for more than a password. */
const second = new Set([
  'mfa',
  'otp',
  'hwk',
  'swk',
  'fpt',
  'face',
  'iris',
  'retina',
  'vbm',
  'sms',
  'tel',
  'sc',
  'pop',
  'ngcmfa',
  'fido',
])

export const saysSecondStep = ({ amr }: Claims): boolean =>
  Array.isArray(amr) && amr.some((one) => typeof one === 'string' && second.has(one))
