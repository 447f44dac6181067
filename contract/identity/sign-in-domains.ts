import * as z from 'zod/mini'
import { domainForm } from './addresses.ts'
import { endpoint, Id, Instant, Nothing, only, page, PageQuery } from '../endpoint.ts'
import { OrgParams } from '../directory/organizations.ts'
import { adminRoles, superadminOnly } from '../roles.ts'

/**
 * What the last look into the DNS found. `missing`: no record of that name. `other`: records, but none with this value. `no_answer`: the
 * DNS did not answer, and what held before goes on.
 */
export const domainFindings = ['proved', 'missing', 'other', 'no_answer'] as const
export type DomainFinding = (typeof domainFindings)[number]

export const SignInDomain = z.object({
  id: Id,
  domain: z.string(),
  /** The TXT record that proves it, to be copied. */
  record: z.object({ name: z.string(), value: z.string() }),
  /** Null: not proved, or not any more. Only then are addresses of it led to the connections. */
  provedAt: z.nullable(Instant),
  /** Null: nobody has looked yet. */
  checkedAt: z.nullable(Instant),
  finding: z.nullable(z.enum(domainFindings)),
  createdAt: Instant,
})
export type SignInDomain = z.infer<typeof SignInDomain>

export const DomainInput = z.object({
  domain: z.string().check(
    z.overwrite((given: string) => domainForm(given.trim().replace(/^@/, ''))),
    z.minLength(1, 'required'),
    z.maxLength(230, 'too_long'),
    z.regex(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/, 'invalid'),
  ),
})

export const mostDomains = 100

const OneOfOrganization = z.object({ orgId: Id, domainId: Id })
const OneOfSystem = z.object({ domainId: Id })
const lists = { method: 'GET', query: PageQuery, reply: page(SignInDomain), cacheSeconds: 2 } as const
const creates = {
  method: 'POST',
  body: DomainInput,
  reply: SignInDomain,
  status: 201,
  idempotent: true,
} as const
const checks = {
  method: 'POST',
  fresh: true,
  ownTransactions: true,
  body: Nothing,
  reply: SignInDomain,
} as const
const removes = { method: 'DELETE', fresh: true, reply: Nothing } as const

export const listDomains = endpoint({
  name: 'listDomains',
  path: '/organizations/:orgId/domains',
  summary: 'Domains whose addresses belong to the organization',
  access: only(adminRoles, 'person'),
  params: OrgParams,
  ...lists,
})

export const createDomain = endpoint({
  name: 'createDomain',
  path: '/organizations/:orgId/domains',
  summary: 'Name a domain, and learn by which record of the DNS it is proved',
  access: only(adminRoles, 'person'),
  params: OrgParams,
  ...creates,
})

export const checkDomain = endpoint({
  name: 'checkDomain',
  path: '/organizations/:orgId/domains/:domainId/check',
  summary: 'Ask the DNS whether the domain is proved',
  access: only(adminRoles, 'person'),
  params: OneOfOrganization,
  ...checks,
})

export const deleteDomain = endpoint({
  name: 'deleteDomain',
  path: '/organizations/:orgId/domains/:domainId',
  summary: 'Remove a domain: its addresses are led to no connection any more',
  access: only(adminRoles, 'person'),
  params: OneOfOrganization,
  ...removes,
})

export const listSystemDomains = endpoint({
  name: 'listSystemDomains',
  path: '/system/domains',
  summary: 'Domains whose addresses belong to superadmins',
  access: only(superadminOnly, 'person'),
  ...lists,
})

export const createSystemDomain = endpoint({
  name: 'createSystemDomain',
  path: '/system/domains',
  summary: 'Name a domain of superadmins, and learn by which record of the DNS it is proved',
  access: only(superadminOnly, 'person'),
  ...creates,
})

export const checkSystemDomain = endpoint({
  name: 'checkSystemDomain',
  path: '/system/domains/:domainId/check',
  summary: 'Ask the DNS whether the domain is proved',
  access: only(superadminOnly, 'person'),
  params: OneOfSystem,
  ...checks,
})

export const deleteSystemDomain = endpoint({
  name: 'deleteSystemDomain',
  path: '/system/domains/:domainId',
  summary: 'Remove a domain of superadmins',
  access: only(superadminOnly, 'person'),
  params: OneOfSystem,
  ...removes,
})

/** `offered`: beside password and passkey. `required`: people of the organization sign in by its connections alone. */
export const signInPolicies = ['offered', 'required'] as const

export const SignInPolicyInput = z.object({
  signIn: z.enum(signInPolicies),
  /** The administrator who still enters with a password or a passkey when a provider fails. `required` needs one. */
  breakGlassId: z.nullable(Id),
})

export const OrganizationSignIn = z.object({
  signIn: z.enum(signInPolicies),
  breakGlassId: z.nullable(Id),
  breakGlass: z.nullable(z.object({ id: Id, name: z.string(), email: z.string() })),
  /** Who may be named: active administrators with a password or a passkey, at most 100, by name. */
  candidates: z.array(z.object({ id: Id, name: z.string(), email: z.string() })),
  /** Sessions that `required` ends, or would end. */
  sessionsToEnd: z.number(),
  updatedAt: Instant,
})
export type OrganizationSignIn = z.infer<typeof OrganizationSignIn>

export const readOrganizationSignIn = endpoint({
  name: 'readOrganizationSignIn',
  method: 'GET',
  path: '/organizations/:orgId/sign-in',
  summary: 'Whether people of the organization have to sign in by its connections',
  access: only(adminRoles, 'person'),
  params: OrgParams,
  reply: OrganizationSignIn,
  cacheSeconds: 2,
})

export const updateOrganizationSignIn = endpoint({
  name: 'updateOrganizationSignIn',
  method: 'PUT',
  path: '/organizations/:orgId/sign-in',
  summary: 'Offer the connections or require them, with one administrator who may still enter otherwise',
  access: only(adminRoles, 'person'),
  fresh: true,
  params: OrgParams,
  body: SignInPolicyInput,
  reply: OrganizationSignIn,
  ifMatch: true,
})
