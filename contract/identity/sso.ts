import * as z from 'zod/mini'
import {
  asItComes,
  endpoint,
  Id,
  Instant,
  Nothing,
  only,
  page,
  PageQuery,
  requiredText,
} from '../endpoint.ts'
import { OrgParams } from '../directory/organizations.ts'
import { adminRoles, superadminOnly } from '../roles.ts'
import { signInFaults, trialFaults, trialSteps } from './sso-faults.ts'

/** Another protocol is another kind. */
export const connectionKinds = ['oidc'] as const

/** The roles that a connection may grant; none of them makes or keeps a superadmin. */
export const grantedRoles = ['groupadmin', 'admin'] as const
export const GrantedRole = z.enum(grantedRoles)
export type GrantedRole = z.infer<typeof GrantedRole>

/**
 * Whether signing in by the connection is a second factor. `ours`: no, the policy of second steps holds as after a password. `told`: where
 * the provider says so (`amr`). `theirs`: always.
 */
export const secondSteps = ['ours', 'told', 'theirs'] as const

export const mostRules = 100

/** "When the claim has this value": a list has it among its entries, `*` stands for any value. */
const ruleFields = {
  claim: requiredText(200),
  value: requiredText(500),
  /** Null: the rule says nothing of the role. */
  role: z.nullable(GrantedRole),
  /** Null: the rule says nothing of groups. With the role of a group administrator it is the group that they administer. */
  groupId: z.nullable(Id),
}
export const ClaimRule = z.object(ruleFields)
export type ClaimRule = z.infer<typeof ClaimRule>

const Rules = z.array(ClaimRule).check(z.maxLength(mostRules, 'too_long'))

/** As the provider writes it, without `/.well-known/…`, a query, or a name. */
const issuer = /^https:\/\/[^\s/?#@\\]+(\/[^\s?#]*)?$/i
const Issuer = z
  .string()
  .check(z.trim(), z.minLength(1, 'required'), z.maxLength(500, 'too_long'), z.regex(issuer, 'invalid_https'))
const ClientSecret = z.string().check(z.minLength(1, 'required'), z.maxLength(2_000, 'too_long'), asItComes)

const Provider = {
  kind: z.enum(connectionKinds),
  /** Stands on the button of the sign-in page. */
  name: requiredText(100),
  issuer: Issuer,
  clientId: requiredText(500),
}

/** What else is chosen; a connection of the installation has nothing of `creates`, `grants` and `rules` but what is given here. */
const choices = {
  isOn: z.boolean(),
  /** Somebody whose address is of a proven domain, and whom nobody has created yet, is created with their first sign-in. */
  creates: z.boolean(),
  /** Nobody above this role signs in by it, and no rule grants more. */
  grants: GrantedRole,
  secondStep: z.enum(secondSteps),
  rules: Rules,
}

export const ConnectionInput = z.object({
  ...Provider,
  clientSecret: ClientSecret,
  isOn: z._default(choices.isOn, true),
  creates: z._default(choices.creates, false),
  grants: z._default(choices.grants, 'admin'),
  secondStep: z._default(choices.secondStep, 'ours'),
  rules: z._default(choices.rules, []),
})
export type ConnectionInput = z.infer<typeof ConnectionInput>

/** A secret that is left out stays, unless the issuer or the client is another: then it has to be typed again. */
export const ConnectionChange = z.object({ ...Provider, clientSecret: z.optional(ClientSecret), ...choices })
export type ConnectionChange = z.infer<typeof ConnectionChange>

/** A claim as it is shown: the entries of a list one by one, anything deeper as JSON. */
export const Claim = z.object({ name: z.string(), values: z.array(z.string()) })
export type Claim = z.infer<typeof Claim>

export const Finding = z.object({
  step: z.enum(trialSteps),
  /** `open`: could not be looked at, because of what is wrong before it, or because only somebody who signs in can tell. */
  result: z.enum(['good', 'wrong', 'open']),
  fault: z.nullable(z.enum([...trialFaults, ...signInFaults])),
  /** What the provider said, or the value that differs, shortened; of strangers. */
  told: z.nullable(z.string()),
})
export type Finding = z.infer<typeof Finding>

/** The last sign-in for trial, which let nobody in. */
const Trial = z.object({
  at: Instant,
  by: z.nullable(z.string()),
  findings: z.array(Finding),
  claims: z.array(Claim),
})

export const Connection = z.object({
  id: Id,
  ...Provider,
  ...choices,
  /** What is entered at the provider, to be copied. */
  redirectUrl: z.string(),
  logoutUrl: z.string(),
  /** The installation has another secret than when the client's was typed: it has to be typed again. */
  isSecretLost: z.boolean(),
  people: z.number(),
  lastSignInAt: z.nullable(Instant),
  /** The last refused sign-in after the last that worked. */
  lastFault: z.nullable(z.object({ at: Instant, fault: z.enum(signInFaults) })),
  trial: z.nullable(Trial),
  createdAt: Instant,
  updatedAt: Instant,
})
export type Connection = z.infer<typeof Connection>

/** What is left out is tried as it is saved. */
export const TrialInput = z.partial(z.object({ ...Provider, clientSecret: ClientSecret }))

const TrialAnswer = z.object({
  findings: z.array(Finding),
  /**
   * A relative address, good once and for ten minutes, for another window of the same browser: there somebody signs in at the provider for
   * trial. It comes back to `/auth-1/sso`, and `trial` of the connection then has what came. Null: something above is wrong.
   */
  trialUrl: z.nullable(z.string()),
})

/** Rules that are not saved yet, as they would have judged the last claims of those who signed in. */
export const PreviewInput = z.object({ grants: choices.grants, rules: Rules })

const Previewed = z.object({
  /** Null: of the last trial. */
  person: z.nullable(z.object({ id: Id, name: z.string() })),
  email: z.nullable(z.string()),
  at: Instant,
  role: z.nullable(GrantedRole),
  groups: z.array(z.object({ id: Id, name: z.string() })),
  /** Their sign-in would be refused. */
  fault: z.nullable(z.enum(signInFaults)),
  claims: z.array(Claim),
})

/** Whom a connection knows by their subject. */
export const LinkedPerson = z.object({
  id: Id,
  name: z.string(),
  email: z.string(),
  subject: z.string(),
  firstAt: Instant,
  lastAt: Instant,
})
export type LinkedPerson = z.infer<typeof LinkedPerson>

const OneOfOrganization = z.object({ orgId: Id, connectionId: Id })
const OneOfSystem = z.object({ connectionId: Id })

const lists = { method: 'GET', query: PageQuery, reply: page(Connection), cacheSeconds: 2 } as const
const creates = {
  method: 'POST',
  fresh: true,
  body: ConnectionInput,
  reply: Connection,
  status: 201,
  idempotent: true,
} as const
const reads = { method: 'GET', reply: Connection, cacheSeconds: 2 } as const
const changes = {
  method: 'PUT',
  fresh: true,
  body: ConnectionChange,
  reply: Connection,
  ifMatch: true,
} as const
const removes = { method: 'DELETE', fresh: true, reply: Nothing } as const
const tries = {
  method: 'POST',
  fresh: true,
  ownTransactions: true,
  body: TrialInput,
  reply: TrialAnswer,
} as const
const people = { method: 'GET', query: PageQuery, reply: page(LinkedPerson), cacheSeconds: 2 } as const

export const listConnections = endpoint({
  name: 'listConnections',
  path: '/organizations/:orgId/connections',
  summary: 'Providers by which people of the organization sign in',
  access: only(adminRoles, 'person'),
  params: OrgParams,
  ...lists,
})

export const createConnection = endpoint({
  name: 'createConnection',
  path: '/organizations/:orgId/connections',
  summary: 'Connect a provider of OpenID Connect',
  access: only(adminRoles, 'person'),
  params: OrgParams,
  ...creates,
})

export const readConnection = endpoint({
  name: 'readConnection',
  path: '/organizations/:orgId/connections/:connectionId',
  summary: 'One connection, never with its secret',
  access: only(adminRoles, 'person'),
  params: OneOfOrganization,
  ...reads,
})

export const updateConnection = endpoint({
  name: 'updateConnection',
  path: '/organizations/:orgId/connections/:connectionId',
  summary: 'Change a connection; a secret that is left out stays',
  access: only(adminRoles, 'person'),
  params: OneOfOrganization,
  ...changes,
})

export const deleteConnection = endpoint({
  name: 'deleteConnection',
  path: '/organizations/:orgId/connections/:connectionId',
  summary: 'Remove a connection, and end the sessions that began by it',
  access: only(adminRoles, 'person'),
  params: OneOfOrganization,
  ...removes,
})

export const tryConnection = endpoint({
  name: 'tryConnection',
  path: '/organizations/:orgId/connections/:connectionId/try',
  summary: 'Say what is wrong with a connection, and begin a sign-in for trial that lets nobody in',
  access: only(adminRoles, 'person'),
  params: OneOfOrganization,
  ...tries,
})

export const previewRules = endpoint({
  name: 'previewRules',
  method: 'POST',
  path: '/organizations/:orgId/connections/:connectionId/preview',
  summary: 'What rules would give to those who signed in last',
  access: only(adminRoles, 'person'),
  params: OneOfOrganization,
  body: PreviewInput,
  reply: z.object({ items: z.array(Previewed) }),
})

export const listConnectionPeople = endpoint({
  name: 'listConnectionPeople',
  path: '/organizations/:orgId/connections/:connectionId/people',
  summary: 'Whom the connection knows, the last to sign in first',
  access: only(adminRoles, 'person'),
  params: OneOfOrganization,
  ...people,
})

export const unlinkConnectionPerson = endpoint({
  name: 'unlinkConnectionPerson',
  path: '/organizations/:orgId/connections/:connectionId/people/:userId',
  summary: 'Forget by which account of the provider somebody signs in: the next time their address decides',
  access: only(adminRoles, 'person'),
  params: z.extend(OneOfOrganization, { userId: Id }),
  ...removes,
})

export const listSystemConnections = endpoint({
  name: 'listSystemConnections',
  path: '/system/connections',
  summary: 'Providers by which superadmins sign in',
  access: only(superadminOnly, 'person'),
  ...lists,
})

export const createSystemConnection = endpoint({
  name: 'createSystemConnection',
  path: '/system/connections',
  summary: 'Connect a provider by which superadmins sign in',
  access: only(superadminOnly, 'person'),
  ...creates,
})

export const readSystemConnection = endpoint({
  name: 'readSystemConnection',
  path: '/system/connections/:connectionId',
  summary: 'One connection of the installation, never with its secret',
  access: only(superadminOnly, 'person'),
  params: OneOfSystem,
  ...reads,
})

export const updateSystemConnection = endpoint({
  name: 'updateSystemConnection',
  path: '/system/connections/:connectionId',
  summary: 'Change a connection of the installation; a secret that is left out stays',
  access: only(superadminOnly, 'person'),
  params: OneOfSystem,
  ...changes,
})

export const deleteSystemConnection = endpoint({
  name: 'deleteSystemConnection',
  path: '/system/connections/:connectionId',
  summary: 'Remove a connection of the installation, and end the sessions that began by it',
  access: only(superadminOnly, 'person'),
  params: OneOfSystem,
  ...removes,
})

export const trySystemConnection = endpoint({
  name: 'trySystemConnection',
  path: '/system/connections/:connectionId/try',
  summary: 'Say what is wrong with a connection of the installation, and begin a sign-in for trial',
  access: only(superadminOnly, 'person'),
  params: OneOfSystem,
  ...tries,
})

export const listSystemConnectionPeople = endpoint({
  name: 'listSystemConnectionPeople',
  path: '/system/connections/:connectionId/people',
  summary: 'Which superadmins the connection knows, the last to sign in first',
  access: only(superadminOnly, 'person'),
  params: OneOfSystem,
  ...people,
})

export const unlinkSystemConnectionPerson = endpoint({
  name: 'unlinkSystemConnectionPerson',
  path: '/system/connections/:connectionId/people/:userId',
  summary: 'Forget by which account of the provider a superadmin signs in',
  access: only(superadminOnly, 'person'),
  params: z.extend(OneOfSystem, { userId: Id }),
  ...removes,
})
