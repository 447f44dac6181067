import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { plural } from '#contract/platform/text/format.ts'
import type { ParsedQuery } from '#contract/endpoint.ts'
import {
  ClaimRule,
  Connection,
  connectionKinds,
  GrantedRole,
  secondSteps,
  type ConnectionChange,
  type ConnectionInput,
  type listConnections,
} from '#contract/identity/sso.ts'
import { signInFaults } from '#contract/identity/sso-faults.ts'
import type { FieldProblem } from '#contract/problems.ts'
import { arrayOf, hasRow, requireRow, row, rows, type Tx } from '../../platform/db/client.ts'
import { insertedId } from '../../platform/db/rows.ts'
import { isoText } from '../../platform/db/search.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { fromRows, type Ending } from '../../platform/endings.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Requester } from '../../platform/http/bearer.ts'
import { readList } from '../../platform/http/lists/list.ts'
import { requireUnchanged } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import type { Keys } from '../../platform/keys.ts'
import type { SealedColumn } from '../../platform/sealed.ts'
import { isAbove } from './claims.ts'
import { endSessionsOf } from './endings.ts'
import { isRequired } from './policy.ts'

/** Whose connections: an organization's, or the installation's. */
export type Home = { organizationId: string | null }
export const isOf = ({ organizationId }: Home): SQL =>
  sql`c.organization_id is not distinct from ${organizationId}::uuid`

const purpose = 'sign-in connection'

const ConnectionRow = z.object({
  id: z.string(),
  kind: z.enum(connectionKinds),
  name: z.string(),
  issuer: z.string(),
  clientId: z.string(),
  isOn: z.boolean(),
  creates: z.boolean(),
  grants: GrantedRole,
  secondStep: z.enum(secondSteps),
  rules: z.array(ClaimRule),
  isSecretLost: z.boolean(),
  people: z.number(),
  lastSignInAt: z.nullable(z.string()),
  faultAt: z.nullable(z.string()),
  fault: z.nullable(z.enum(signInFaults)),
  trial: Connection.shape.trial,
  createdAt: z.string(),
  updatedAt: z.string(),
})
type ConnectionRow = z.infer<typeof ConnectionRow>

const columns = sql`c.id, c.kind, c.name, c.issuer, c.client_id as "clientId", c.is_on as "isOn", c.creates, c.grants,
  c.second_step as "secondStep", c.rules, c.secret_sealed is null as "isSecretLost",
  (select count(*)::int from connection_people p where p.connection_id = c.id) as people,
  ${isoText(sql`c.last_sign_in_at`)} as "lastSignInAt", ${isoText(sql`c.last_fault_at`)} as "faultAt", c.last_fault as fault, c.trial,
  ${isoText(sql`c.created_at`)} as "createdAt", ${isoText(sql`c.updated_at`)} as "updatedAt"`

export const callbackOf = (services: Pick<Services, 'publicUrl'>, id: string): string =>
  `${services.publicUrl()}/api/auth/sso/${id}/callback`

function shown(
  services: Pick<Services, 'publicUrl'>,
  { faultAt, fault, ...found }: ConnectionRow,
): Connection {
  return {
    ...found,
    redirectUrl: callbackOf(services, found.id),
    logoutUrl: `${services.publicUrl()}/api/auth/sso/${found.id}/logout`,
    lastFault: faultAt !== null && fault !== null ? { at: faultAt, fault } : null,
  }
}

type Listing = { services: Services; query: ParsedQuery<typeof listConnections>; request: FastifyRequest }

export async function connectionsOf(tx: Tx, home: Home, { services, query, request }: Listing) {
  const found = await readList(tx, {
    query,
    request,
    Row: ConnectionRow,
    columns,
    from: sql`sign_in_connections c`,
    where: isOf(home),
    order: { by: sql`c.id`, id: sql`c.id`, type: 'uuid', descending: false },
  })
  return { ...found, items: found.items.map((one) => shown(services, one)) }
}

export async function findConnection(
  tx: Tx,
  home: Home,
  { services, id }: { services: Pick<Services, 'publicUrl'>; id: string },
): Promise<Connection> {
  const found = await requireRow(
    tx,
    ConnectionRow,
    sql`select ${columns} from sign_in_connections c where c.id = ${id} and ${isOf(home)}`,
  )
  return shown(services, found)
}

type Choices = Pick<ConnectionChange, 'creates' | 'grants' | 'rules'>
const RuleGroup = z.object({ id: z.string(), kind: z.string() })

/** A rule gives something, no more than the connection may, and no group that a rule of its own fills. */
export async function requireFit(
  tx: Tx,
  { organizationId }: Home,
  { creates, rules, grants }: Choices,
): Promise<void> {
  const fields: Record<string, FieldProblem[]> = {}
  if (organizationId === null && creates) fields['creates'] = ['not_allowed']
  if (organizationId === null && rules.length > 0) fields['rules'] = ['not_allowed']
  const named = rules.flatMap(({ groupId }) => groupId ?? [])
  const found = await rows(
    tx,
    RuleGroup,
    sql`select id, kind from groups where organization_id = ${organizationId}::uuid and deleted_at is null
      and id = any(${arrayOf(named, 'uuid')})`,
  )
  const kinds = new Map(found.map(({ id, kind }) => [id, kind]))
  for (const [at, { role, groupId }] of rules.entries()) {
    if (role === null && groupId === null) fields[`rules.${at}.role`] = ['required']
    if (role !== null && isAbove(role, grants)) fields[`rules.${at}.role`] = ['not_allowed']
    if (groupId !== null && !kinds.has(groupId)) fields[`rules.${at}.groupId`] = ['not_found']
    if (groupId !== null && kinds.get(groupId) === 'rule' && role !== 'groupadmin')
      fields[`rules.${at}.groupId`] = ['rule_group']
  }
  if (Object.keys(fields).length > 0) throw refuse('validation_failed', { fields })
}

type Changing = { services: Services; by: Requester }

export async function addConnection(
  tx: Tx,
  home: Home,
  { services, by, body }: Changing & { body: ConnectionInput },
): Promise<Connection> {
  await requireFit(tx, home, body)
  const { kind, name, issuer, clientId, clientSecret, isOn, creates, grants, secondStep, rules } = body
  const id = await insertedId(
    tx,
    sql`insert into sign_in_connections (organization_id, kind, name, issuer, client_id, is_on, creates, grants, second_step, rules)
      values (${home.organizationId}, ${kind}, ${name}, ${issuer}, ${clientId}, ${isOn}, ${creates}, ${grants}, ${secondStep},
        ${JSON.stringify(rules)}::jsonb) returning id`,
  )
  await keepSecret(tx, services.keys, { id, clientSecret })
  const after = { name, issuer, clientId, isOn, creates, grants, secondStep, rules: rules.length }
  await audit(tx, by, { ...home, entity: 'connection', entityId: id, action: 'connection.created', after })
  return findConnection(tx, home, { services, id })
}

async function keepSecret(
  tx: Tx,
  keys: Keys,
  { id, clientSecret }: { id: string; clientSecret: string },
): Promise<void> {
  await tx.execute(
    sql`update sign_in_connections set secret_sealed = ${keys.seal(purpose, clientSecret, id)} where id = ${id}`,
  )
}

async function lockConnection(tx: Tx, home: Home, id: string): Promise<ConnectionRow> {
  await tx.execute(
    sql`select from sign_in_connections c where c.id = ${id} and ${isOf(home)} for no key update`,
  )
  return requireRow(
    tx,
    ConnectionRow,
    sql`select ${columns} from sign_in_connections c where c.id = ${id} and ${isOf(home)}`,
  )
}

/** The last way in of people who have no other is not closed. */
async function requireAnother(tx: Tx, { organizationId }: Home, id: string): Promise<void> {
  if (organizationId === null || !(await isRequired(tx, organizationId))) return
  const another = await hasRow(
    tx,
    sql`select from sign_in_connections where organization_id = ${organizationId} and is_on and id <> ${id}`,
  )
  if (!another) throw refuse('conflict', { reason: { code: 'last_connection' } })
}

/**
 * Another issuer calls nobody by the same name: whom the connection knew is forgotten, and an address decides anew. A secret never leaves
 * for another issuer or client than the one that it was typed for.
 */
export async function changeConnection(
  tx: Tx,
  home: Home,
  { services, by, id, body }: Changing & { id: string; body: ConnectionChange },
): Promise<Connection> {
  const before = await lockConnection(tx, home, id)
  requireUnchanged(by.request, new Date(before.updatedAt))
  await requireFit(tx, home, body)
  const { kind, name, issuer, clientId, clientSecret, isOn, creates, grants, secondStep, rules } = body
  const isMoved = issuer !== before.issuer || clientId !== before.clientId
  if (clientSecret === undefined && (isMoved || before.isSecretLost))
    throw refuse('validation_failed', { fields: { clientSecret: ['required'] } })
  if (!isOn && before.isOn) await requireAnother(tx, home, id)
  await tx.execute(
    sql`update sign_in_connections set kind = ${kind}, name = ${name}, issuer = ${issuer}, client_id = ${clientId}, is_on = ${isOn},
        creates = ${creates}, grants = ${grants}, second_step = ${secondStep}, rules = ${JSON.stringify(rules)}::jsonb,
        trial = case when ${isMoved} then null else trial end, updated_at = now() where id = ${id}`,
  )
  if (clientSecret !== undefined) await keepSecret(tx, services.keys, { id, clientSecret })
  if (isMoved || (before.isOn && !isOn))
    await endSessionsOf(tx, sql`p.connection_id = ${id}`, {
      reason: 'connection_changed',
      by: by.caller.userId,
    })
  if (issuer !== before.issuer)
    await tx.execute(sql`delete from connection_people where connection_id = ${id}`)
  const said = (of: ConnectionChange | ConnectionRow) => ({
    name: of.name,
    issuer: of.issuer,
    clientId: of.clientId,
    isOn: of.isOn,
    creates: of.creates,
    grants: of.grants,
    secondStep: of.secondStep,
    rules: JSON.stringify(of.rules),
  })
  await audit(tx, by, {
    ...home,
    entity: 'connection',
    entityId: id,
    action: 'connection.changed',
    before: said(before),
    after: { ...said(body), ...(clientSecret === undefined ? {} : { isTypedAnew: true }) },
  })
  return findConnection(tx, home, { services, id })
}

export async function removeConnection(
  tx: Tx,
  home: Home,
  { by, id }: { by: Requester; id: string },
): Promise<Record<string, never>> {
  const { name, issuer } = await lockConnection(tx, home, id)
  await requireAnother(tx, home, id)
  await endSessionsOf(tx, sql`p.connection_id = ${id}`, {
    reason: 'connection_changed',
    by: by.caller.userId,
  })
  await tx.execute(sql`delete from sign_in_connections where id = ${id}`)
  const entry = { ...home, entity: 'connection', entityId: id, before: { name, issuer } }
  await audit(tx, by, { ...entry, action: 'connection.removed' })
  return {}
}

/** A connection as a sign-in needs it. `secret` is null where it cannot be opened any more. */
const KnownConnection = z.object({
  id: z.string(),
  organizationId: z.nullable(z.string()),
  name: z.string(),
  issuer: z.string(),
  clientId: z.string(),
  sealed: z.nullable(z.instanceof(Buffer)),
  isOn: z.boolean(),
  /** Nobody enters an organization that is suspended or archived. */
  isOpen: z.boolean(),
  creates: z.boolean(),
  grants: GrantedRole,
  secondStep: z.enum(secondSteps),
  rules: z.array(ClaimRule),
})
export type KnownConnection = Omit<z.infer<typeof KnownConnection>, 'sealed'> & { secret: string | null }

/** Asked by the system: whoever begins belongs to nobody yet. */
export async function knownConnection(tx: Tx, keys: Keys, id: string): Promise<KnownConnection | undefined> {
  const found = await row(
    tx,
    KnownConnection,
    sql`select c.id, c.organization_id as "organizationId", c.name, c.issuer, c.client_id as "clientId", c.secret_sealed as sealed,
        c.is_on as "isOn", o.id is null or o.state = 'active' as "isOpen", c.creates, c.grants, c.second_step as "secondStep", c.rules
      from sign_in_connections c left join organizations o on o.id = c.organization_id
      where c.id = ${id} and o.deleted_at is null`,
  )
  if (!found) return undefined
  const { sealed, ...connection } = found
  return { ...connection, secret: sealed === null ? null : opened(keys, sealed, id) }
}

function opened(keys: Keys, sealed: Buffer, id: string): string | null {
  try {
    return keys.open(purpose, sealed, id)
  } catch {
    return null
  }
}

export const endingsOfConnections: readonly Ending[] = [
  {
    name: 'connections',
    count: fromRows(sql`sign_in_connections where secret_sealed is not null`),
    says: (n) =>
      `${plural(n, 'connection to a company’s own sign-in lets', 'connections to a company’s own sign-in let')} nobody in until the secret of the client is typed again in the settings.`,
    ends: [sql`update sign_in_connections set secret_sealed = null, updated_at = now()`],
  },
]

export const sealedConnections: SealedColumn = {
  table: 'sign_in_connections',
  column: 'secret_sealed',
  purpose,
  owner: sql`id::text`,
}
