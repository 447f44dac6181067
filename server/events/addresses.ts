import type { FastifyRequest } from 'fastify'
import type { AuditAction } from '#contract/platform/audit-actions.ts'
import type { ParsedBody, ParsedQuery, Reply } from '#contract/endpoint.ts'
import {
  EventAddress,
  mostEventAddresses,
  type createEventAddress,
  type listEventAddresses,
  type rotateEventSecret,
} from '#contract/events/event-addresses.ts'
import { testType } from '#contract/events/event-types.ts'
import type { Answered } from '#contract/transmissions/webhooks.ts'
import { plural } from '#contract/platform/text/format.ts'
import { arrayOf, requireRow, row, type Scope, type Tx } from '../platform/db/client.ts'
import { insertedId, readCount } from '../platform/db/rows.ts'
import { isoText } from '../platform/db/search.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { fromRows, type Ending } from '../platform/endings.ts'
import { refuse } from '../platform/errors.ts'
import { audit, type Actor } from '../platform/http/audit.ts'
import { orderFrom } from '../platform/http/lists/keyset.ts'
import { readList } from '../platform/http/lists/list.ts'
import { requireUnchanged } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import type { Target } from '../webhooks/post.ts'
import {
  addressIn,
  hasPrevious,
  hostOf,
  openTarget,
  sealedSecretsOf,
  sealedTarget,
  SealedTarget,
  webhookPurpose,
} from '../webhooks/settings.ts'
import { newSecret } from '../webhooks/signature.ts'
import { newTestId, tryTarget } from '../webhooks/trial.ts'
import { eventBody } from './body.ts'

const mostCounted = 1_001

const postsOf = (which: SQL) =>
  sql`(select count(*)::int from (select from event_posts p where p.address_id = a.id and ${which} limit ${mostCounted}) n)`

/** What was set aside and replayed since is none that was missed any more: it waits again, was taken, or stands aside anew. */
const isMissed = sql`p.state = 'aside' and not exists (select from event_posts q
  where q.event_id = p.event_id and q.address_id = p.address_id and q.place > p.place)`

const columns = sql`a.id, a.url, a.types, ${isoText(sql`a.failing_since`)} as "failingSince", a.fault,
  ${isoText(sql`case when ${hasPrevious} then a.previous_until end`)} as "previousUntil", ${postsOf(sql`p.state = 'waiting'`)} as waiting,
  ${postsOf(isMissed)} as aside, ${isoText(sql`a.created_at`)} as "createdAt", ${isoText(sql`a.updated_at`)} as "updatedAt"`

export type AddressKey = { orgId: string; eventAddressId: string }
type Asking = { orgId: string; query: ParsedQuery<typeof listEventAddresses>; request: FastifyRequest }

export function findAddresses(tx: Tx, { orgId, query, request }: Asking) {
  return readList(tx, {
    query,
    request,
    Row: EventAddress,
    columns,
    from: sql`event_addresses a`,
    where: sql`a.organization_id = ${orgId}`,
    order: orderFrom('createdAt', { createdAt: { by: sql`a.created_at`, type: 'timestamptz' } }, sql`a.id`),
  })
}

const isAddress = ({ orgId, eventAddressId }: AddressKey): SQL =>
  sql`a.organization_id = ${orgId} and a.id = ${eventAddressId}`

/** With `lock` nobody else changes it until the transaction ends. */
export function readAddress(tx: Tx, key: AddressKey, lock = false): Promise<EventAddress> {
  return requireRow(
    tx,
    EventAddress,
    sql`select ${columns} from event_addresses a where ${isAddress(key)} ${lock ? sql`for no key update of a` : sql``}`,
  )
}

type By = Exclude<Actor, 'system'> & { request: FastifyRequest }
type Change = { services: Services; by: By }
export type AddressChange = Change & AddressKey
type Input = ParsedBody<typeof createEventAddress>

const note = (
  tx: Tx,
  { orgId, eventAddressId, by }: AddressKey & { by: By },
  { action, ...sides }: { action: AuditAction; before?: object; after?: object },
) =>
  audit(tx, by, {
    organizationId: orgId,
    entity: 'event_address',
    entityId: eventAddressId,
    action,
    ...sides,
  })

const typesOf = (types: readonly string[]) => arrayOf([...new Set(types)].toSorted(), 'text')

/** What is said of an address in the audit. */
const noted = ({ url, types }: Pick<EventAddress, 'url' | 'types'>) => ({ host: hostOf(url), types })

type WithSecret = Reply<typeof rotateEventSecret>

export async function createAddress(
  tx: Tx,
  { services, orgId, by, url, types }: Change & { orgId: string } & Input,
): Promise<WithSecret> {
  const to = addressIn(services, url)
  await tx.execute(sql`select from organizations where id = ${orgId} for no key update`)
  const there = await readCount(
    tx,
    sql`select count(*)::int as n from event_addresses where organization_id = ${orgId}`,
  )
  if (there >= mostEventAddresses)
    throw refuse('conflict', {
      reason: { code: 'too_many_event_addresses', params: { most: mostEventAddresses } },
    })
  const [secret, id] = [newSecret(), crypto.randomUUID()]
  const eventAddressId = await insertedId(
    tx,
    sql`insert into event_addresses (id, organization_id, url, types, secret_sealed)
      values (${id}, ${orgId}, ${to.href}, ${typesOf(types)}, ${services.keys.seal(webhookPurpose, secret, id)}) returning id`,
  )
  const key = { orgId, eventAddressId }
  const after = await readAddress(tx, key)
  await note(tx, { ...key, by }, { action: 'event_address.created', after: noted(after) })
  return { ...after, secret }
}

export async function changeAddress(
  tx: Tx,
  { services, by, url, types, ...key }: AddressChange & Input,
): Promise<EventAddress> {
  const to = addressIn(services, url)
  const before = await readAddress(tx, key, true)
  requireUnchanged(by.request, new Date(before.updatedAt))
  await tx.execute(
    sql`update event_addresses a set url = ${to.href}, types = ${typesOf(types)}, failures = 0, failing_since = null, fault = null,
      rests_until = null, updated_at = now() where ${isAddress(key)}`,
  )
  const after = await readAddress(tx, key)
  await note(
    tx,
    { ...key, by },
    { action: 'event_address.changed', before: noted(before), after: noted(after) },
  )
  return after
}

export async function removeAddress(
  tx: Tx,
  { by, orgId, eventAddressId }: AddressChange,
): Promise<Record<string, never>> {
  const key = { orgId, eventAddressId }
  const before = await readAddress(tx, key, true)
  requireUnchanged(by.request, new Date(before.updatedAt))
  await tx.execute(
    sql`delete from event_addresses where organization_id = ${orgId} and id = ${eventAddressId}`,
  )
  await note(tx, { ...key, by }, { action: 'event_address.removed', before: noted(before) })
  return {}
}

export async function rotateSecret(tx: Tx, { services, by, ...key }: AddressChange): Promise<WithSecret> {
  const secret = newSecret()
  await readAddress(tx, key, true)
  await tx.execute(
    sql`update event_addresses a set previous_sealed = secret_sealed, previous_until = now() + interval '1 day',
        secret_sealed = ${services.keys.seal(webhookPurpose, secret, key.eventAddressId)}, rests_until = null, updated_at = now()
      where ${isAddress(key)}`,
  )
  const after = await readAddress(tx, key)
  await note(
    tx,
    { ...key, by },
    { action: 'event_address.secret_rotated', after: { host: hostOf(after.url) } },
  )
  return { ...after, secret }
}

/** Where to post and with what to sign; undefined: it was removed. */
export async function targetOf(
  tx: Tx,
  { keys }: Pick<Services, 'keys'>,
  key: AddressKey,
): Promise<Target | undefined> {
  const found = await row(
    tx,
    SealedTarget,
    sql`select ${sealedTarget}, id as owner from event_addresses a where ${isAddress(key)}`,
  )
  return found && openTarget(keys, found)
}

/** Posts an event of which nothing follows, past the queue. */
export async function tryAddress({ services, by, ...key }: AddressChange, scope: Scope): Promise<Answered> {
  const { orgId, eventAddressId } = key
  const target = await services.db.as(scope, (tx) => targetOf(tx, services, key))
  const body = eventBody({
    type: testType,
    at: new Date().toISOString(),
    data: { text: 'This is a test. Nothing has happened.' },
  })
  const entry = { entity: 'event_address', entityId: eventAddressId, action: 'event_address.tested' } as const
  return tryTarget({ services, orgId, by, scope }, { target, id: newTestId(), body, entry })
}

/** Events are signed with a secret that is sealed. */
export const endingsOfEvents: readonly Ending[] = [
  {
    name: 'event_addresses',
    count: fromRows(sql`event_addresses`),
    says: (n) =>
      `${plural(n, 'address', 'addresses')} of other systems get no events until another secret is made for each in the settings of its organization.`,
    ends: [
      sql`update event_addresses set previous_until = null, previous_sealed = null, fault = 'secret_lost', failing_since = now(), updated_at = now()`,
    ],
  },
]

export const sealedEventSecrets = sealedSecretsOf('event_addresses', sql`id::text`)
