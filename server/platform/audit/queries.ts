import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { AuditEntry, type AuditFilters, type listAudit } from '#contract/platform/audit.ts'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { row, rows, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/sql.ts'
import { all, contains, hasWords, isoText } from '../db/search.ts'
import { refuse } from '../errors.ts'
import { deviceOf } from '../http/agent.ts'
import type { Caller } from '../http/bearer.ts'
import { readList } from '../http/lists/list.ts'
import { Id, idsOf } from '../db/rows.ts'

/** Whose entries: of one organization, or (null) of all. Refuses another one than one's own. */
export function organizationOf(caller: Caller, { organizationId }: AuditFilters): string | null {
  if (caller.role === 'superadmin') return organizationId ?? null
  if (organizationId !== undefined && organizationId !== caller.organizationId) throw refuse('not_found')
  return caller.organizationId
}

export type AuditQuery = Omit<AuditFilters, 'organizationId'> & { organizationId: string | null }

/** People whose name or address holds these letters: their entries count, even those that spell it out nowhere. */
const mostPeople = 50

export async function matching(tx: Tx, asked: AuditQuery): Promise<SQL> {
  const { organizationId, action, actorId, keyId, entity, entityId, from, to, q } = asked
  return all([
    organizationId !== null && sql`a.organization_id = ${organizationId}`,
    action && beginsWith(action),
    actorId && sql`a.actor_id = ${actorId}`,
    keyId && sql`a.key_id = ${keyId}`,
    entityId && sql`a.entity_id = ${entityId}`,
    entityId && entity && sql`a.entity = ${entity}`,
    from && sql`a.at >= ${from}::timestamptz`,
    to && sql`a.at < ${to}::timestamptz`,
    q && (await saying(tx, q, organizationId)),
  ])
}

/** As a range, which every index on the action serves; `z` and beyond end no action. */
function beginsWith(action: string): SQL {
  return sql`a.action >= ${action} and a.action < ${`${action}~`}`
}

async function saying(tx: Tx, q: string, organizationId: string | null): Promise<SQL> {
  const home = organizationId !== null && sql`u.organization_id = ${organizationId}`
  const people = await rows(
    tx,
    Id,
    sql`select u.id from users u where ${all([home, hasWords(sql`u.search`, q)])} limit ${mostPeople}`,
  )
  const ids = idsOf(people)
  // Fewer letters than the index needs are looked for among people alone, or the whole log would be read.
  const words = q.length < 3 ? sql`false` : contains(sql`a.search`, q)
  return sql`(${words} or a.actor_id = any(${ids}) or a.entity_id = any(${ids}))`
}

/** The tables in which an entry's object is found by its id, and the column with its name. */
const objects = [
  ['user', 'users', 'name'],
  ['group', 'groups', 'name'],
  ['field', 'custom_fields', 'label'],
  ['organization', 'organizations', 'name'],
  ['project', 'projects', 'name'],
  ['video', 'videos', 'title'],
  ['transmission', 'transmissions', 'message_name'],
  ['service_account', 'service_accounts', 'name'],
] as const

const nameNow = sql.raw(
  `case a.entity ${objects
    .map(
      ([entity, table, name]) =>
        `when '${entity}' then (select x.${name} from ${table} x where x.id = a.entity_id limit 1)`,
    )
    .join(' ')} end`,
)
const nameThen = ['after', 'before'].flatMap((side) =>
  [
    ...['name', 'title'].map((field) => `a.${side} ->> '${field}'`),
    `told_to_all(a.${side} ->> 'subject', null, null)`,
  ].map((name) => sql.raw(name)),
)

const person = (id: SQL, name: SQL) =>
  sql`case when ${id} is not null then jsonb_build_object('id', ${id}, 'name', ${name}) end`

/** For `a` cut to a page. */
export const shown = sql`${isoText(sql`a.at`)} as at, a.id, a.organization_id as "organizationId",
  (select o.name from organizations o where o.id = a.organization_id) as "organizationName",
  ${person(sql`a.actor_id`, sql`coalesce(a.actor_name, (select u.name from users u where u.id = a.actor_id and a.salt is not null))`)} as actor,
  ${person(sql`a.viewing_as`, sql`(select u.name from users u where u.id = a.viewing_as)`)} as "viewingAs",
  ${person(sql`a.key_id`, sql`(select k.name from service_accounts k where k.id = a.key_id)`)} as "byKey",
  a.action, a.entity, a.entity_id as "entityId", coalesce(${nameNow}, ${sql.join(nameThen, sql`, `)}) as "entityName",
  a.before, a.after, a.ip_prefix::text as network, a.user_agent as "userAgent", a.request_id as "requestId", a.salt is null as "isErased"`

const AuditRow = z.extend(z.omit(AuditEntry, { browser: true, seal: true, key: true }), {
  // A list calls the place of a row its key.
  byKey: AuditEntry.shape.key,
  userAgent: z.nullable(z.string()),
  seq: z.nullable(z.string()),
  hash: z.nullable(z.string()),
})
type AuditRow = z.infer<typeof AuditRow>

type List = { asked: AuditQuery; query: ParsedQuery<typeof listAudit>; request: FastifyRequest }

/** The page is cut first; names and links are looked up for its rows alone. */
export async function findEntries(tx: Tx, { asked, query, request }: List) {
  const page = await readList(tx, {
    query,
    request,
    Row: AuditRow,
    columns: sql`${shown}, c.seq, left(encode(c.hash, 'hex'), 32) as hash`,
    from: sql`audit a`,
    where: await matching(tx, asked),
    order: { by: sql`a.at`, id: sql`a.id`, type: 'timestamptz', descending: true },
    joined: sql`a left join audit_chain c on c.audit_id = a.id`,
  })
  return { ...page, items: page.items.map(toItem) }
}

function toItem({ seq, hash, userAgent, byKey: key, ...entry }: AuditRow): AuditEntry {
  const seal = seq === null || hash === null ? null : { seq: Number(seq), hash }
  return { ...entry, key, browser: userAgent === null ? null : deviceOf(userAgent), seal }
}

const HeadRow = z.object({
  seq: z.nullable(z.string()),
  hash: z.nullable(z.string()),
  sealedAt: z.nullable(z.string()),
  unsealed: z.number(),
})

export async function readHead(tx: Tx) {
  const found = await row(
    tx,
    HeadRow,
    sql`select h.*, (select count(*)::int from audit_unsealed) as unsealed from (select 1) one
      left join (select seq, encode(hash, 'hex') as hash, ${isoText(sql`sealed_at`)} as "sealedAt"
        from audit_chain order by seq desc limit 1) h on true`,
  )
  const { seq = null, hash = null, sealedAt = null, unsealed = 0 } = found ?? {}
  return { seq: Number(seq ?? 0), hash, sealedAt, unsealed }
}
