import type { FastifyRequest } from 'fastify'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { defaultPolicies, type listOrganizations, type Organization } from '#contract/organizations.ts'
import type { OrganizationInput } from '#contract/organizations.ts'
import { row, rows, together, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { all, hasWords, countOf, isoText } from '../db/search.ts'
import { refuse } from '../errors.ts'
import type { Caller } from '../http/bearer.ts'
import { behind, orderBy, pageOf, slice, type Order } from '../http/keyset.ts'

const columns = sql`o.id, o.name, o.slug, o.domain, o.time_zone as "timeZone", o.state, o.policies,
  o.user_count::int as "userCount", o.group_count::int as "groupCount", o.video_count::int as "videoCount",
  ${isoText(sql`o.created_at`)} as "createdAt", ${isoText(sql`o.updated_at`)} as "updatedAt"`

type ListQuery = ParsedQuery<typeof listOrganizations>
type Found = Organization & { key: string }

const alive = sql`o.deleted_at is null`

/** Condition on `organizations o`: those that a search finds, whoever may see them. */
export function matchingOrganizations({ q }: Pick<ListQuery, 'q'>): SQL {
  return all([alive, q && hasWords(sql`fold_text(o.name)`, q)])
}

export async function findOrganizations(
  tx: Tx,
  { caller, query, request }: { caller: Caller; query: ListQuery; request: FastifyRequest },
) {
  const order: Order = query.sort.endsWith('createdAt')
    ? { by: sql`o.created_at`, id: sql`o.id`, type: 'timestamptz', descending: query.sort.startsWith('-') }
    : { by: sql`lower(o.name)`, id: sql`o.id`, type: 'text', descending: query.sort.startsWith('-') }
  const key = order.type === 'text' ? order.by : isoText(order.by)
  const matching = all([
    matchingOrganizations(query),
    caller.organizationId !== null && sql`o.id = ${caller.organizationId}`,
  ])
  const [counted, found] = await together(
    row<{ n: number }>(tx, sql`select ${countOf(sql`organizations o where ${matching}`)} as n`),
    rows<Found>(
      tx,
      sql`select ${columns}, ${key} as key from organizations o
        where ${all([matching, query.after !== undefined && behind(order, query.after)])}
        order by ${orderBy(order)} ${slice(query)}`,
    ),
  )
  const total = { n: counted?.n ?? 0, counted: true }
  return pageOf({ request, query, total, found, toItem: (organization) => organization })
}

export async function findOrganization(tx: Tx, id: string): Promise<Organization> {
  const found = await row<Organization>(
    tx,
    sql`select ${columns} from organizations o where o.id = ${id} and ${alive}`,
  )
  if (!found) throw refuse('not_found')
  return found
}

/** The organization as it is now, locked until the transaction ends. */
export async function lockOrganization(tx: Tx, id: string): Promise<Organization> {
  const found = await row<Organization>(
    tx,
    sql`select ${columns} from organizations o where o.id = ${id} and ${alive} for update`,
  )
  if (!found) throw refuse('not_found')
  return found
}

export async function insertOrganization(tx: Tx, input: OrganizationInput): Promise<Organization> {
  const base = slugOf(input.name)
  const policies = { ...defaultPolicies, ...input.policies }
  for (const suffix of ['', '-2', '-3', '-4', `-${crypto.randomUUID().slice(0, 8)}`]) {
    const inserted = await row<Organization>(
      tx,
      sql`insert into organizations as o (name, slug, domain, time_zone, state, policies)
        values (${input.name}, ${base + suffix}, ${input.domain ?? null}, ${input.timeZone ?? 'UTC'},
          ${input.state ?? 'active'}, ${JSON.stringify(policies)}::jsonb)
        on conflict (slug) where deleted_at is null do nothing returning ${columns}`,
    )
    if (inserted) return inserted
  }
  throw refuse('already_exists', { fields: { name: ['taken'] } })
}

/** The slug stays what it was: links that people have saved keep working. */
export async function changeOrganization(
  tx: Tx,
  before: Organization,
  input: OrganizationInput,
): Promise<Organization> {
  const after = { ...before, ...input, policies: { ...before.policies, ...input.policies } }
  const changed = await row<Organization>(
    tx,
    sql`update organizations o set name = ${after.name}, domain = ${after.domain ?? null}, time_zone = ${after.timeZone},
        state = ${after.state}, policies = ${JSON.stringify(after.policies)}::jsonb, updated_at = now()
      where o.id = ${before.id} and ${alive} returning ${columns}`,
  )
  if (!changed) throw refuse('not_found')
  return changed
}

/** Lower-case letters, digits and dashes: `Älmhult & Söner` becomes `almhult-soner`. */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const slug = plain
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replaceAll(/^-+|-+$/g, '')
  return slug || 'organization'
}
