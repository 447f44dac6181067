import { counterOf } from './counts.ts'
import type { FastifyRequest } from 'fastify'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { defaultPolicies, type listOrganizations, Organization } from '#contract/directory/organizations.ts'
import type { OrganizationFilter, OrganizationInput } from '#contract/directory/organizations.ts'
import { plainName } from '#contract/platform/text/text.ts'
import { hasRow, requireRow, row, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { called, all, constant, foundBy, isoText } from '../../platform/db/search.ts'
import { refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import { orderFrom, type Sorts } from '../../platform/http/lists/keyset.ts'
import { readList } from '../../platform/http/lists/list.ts'
import { needsOrganization } from '../../alerts/lists.ts'
import { endAccessOf } from '../../identity/session.ts'

const columns = sql`o.id, o.name, o.slug, o.domain, o.logo, o.accent_color as "accentColor", o.time_zone as "timeZone", o.language, o.state, o.policies,
  ${counterOf('o', 'user_count')} as "userCount", ${counterOf('o', 'group_count')} as "groupCount",
  ${counterOf('o', 'video_count')} as "videoCount",
  ${isoText(sql`o.created_at`)} as "createdAt", ${isoText(sql`o.updated_at`)} as "updatedAt"`

type ListQuery = ParsedQuery<typeof listOrganizations>

const alive = sql`o.deleted_at is null`

const searched = { id: sql`o.id`, column: sql`fold_text(o.name)` }

/** This condition on `organizations o` holds for those that a filter finds, whoever may see them. */
export function matchingOrganizations({ q, state, attention }: OrganizationFilter): SQL {
  return all([
    alive,
    q && foundBy(q, searched),
    state && sql`o.state = ${constant(state)}`,
    attention && needsOrganization(attention),
  ])
}

function isShownTo({ organizationId }: Caller): SQL {
  return organizationId === null ? sql`true` : sql`o.id = ${organizationId}`
}

const sorts: Sorts<ListQuery['sort']> = {
  name: { by: called(sql`o.name`), type: 'text' },
  users: { by: sql`${counterOf('o', 'user_count')}::float8`, type: 'float8' },
  createdAt: { by: sql`o.created_at`, type: 'timestamptz' },
}

type ListRequest = { caller: Caller; query: ListQuery; request: FastifyRequest }

export function findOrganizations(tx: Tx, { caller, query, request }: ListRequest) {
  const shown = (filter: OrganizationFilter) => all([isShownTo(caller), matchingOrganizations(filter)])
  return readList(tx, {
    query,
    request,
    Row: Organization,
    columns,
    from: sql`organizations o`,
    where: shown(query),
    order: orderFrom(query.sort, sorts, sql`o.id`),
    similar: { ...searched, text: query.q, where: shown({ ...query, q: undefined }) },
  })
}

const isThere = (tx: Tx, id: string) =>
  hasRow(tx, sql`select 1 from organizations where id = ${id} and deleted_at is null`)

/** Refuses an organization that is not there, or not any more. */
export async function requireOrganization(tx: Tx, id: string): Promise<void> {
  if (!(await isThere(tx, id))) throw refuse('not_found')
}

/** Returns the organization in which something is created. A superadmin names one; everybody else is in one. */
export async function organizationToCreateIn(
  tx: Tx,
  caller: Caller,
  named: string | undefined,
): Promise<string> {
  if (caller.organizationId !== null) {
    if (named !== undefined && named !== caller.organizationId)
      throw refuse('validation_failed', { fields: { organizationId: ['not_found'] } })
    return caller.organizationId
  }
  if (named === undefined) throw refuse('validation_failed', { fields: { organizationId: ['required'] } })
  if (!(await isThere(tx, named)))
    throw refuse('validation_failed', { fields: { organizationId: ['not_found'] } })
  return named
}

const oneOrganization = (id: string) =>
  sql`select ${columns} from organizations o where o.id = ${id} and ${alive}`

export function findOrganization(tx: Tx, id: string): Promise<Organization> {
  return requireRow(tx, Organization, oneOrganization(id))
}

/** Finds the organization as it is now, and locks it until the transaction ends. */
export function lockOrganization(tx: Tx, id: string): Promise<Organization> {
  return requireRow(tx, Organization, sql`${oneOrganization(id)} for update`)
}

export async function insertOrganization(tx: Tx, input: OrganizationInput): Promise<Organization> {
  const base = plainName(input.name) || 'organization'
  const policies = { ...defaultPolicies, ...input.policies }
  for (const suffix of ['', '-2', '-3', '-4', `-${crypto.randomUUID().slice(0, 8)}`]) {
    const inserted = await row(
      tx,
      Organization,
      sql`insert into organizations as o (name, slug, domain, accent_color, time_zone, language, state, policies)
        values (${input.name}, ${base + suffix}, ${input.domain ?? null}, ${input.accentColor ?? null},
          ${input.timeZone ?? 'UTC'}, ${input.language ?? 'en'}, ${input.state ?? 'active'}, ${JSON.stringify(policies)}::jsonb)
        on conflict (slug) where deleted_at is null do nothing returning ${columns}`,
    )
    if (inserted) return inserted
  }
  throw refuse('already_exists', { fields: { name: ['taken'] } })
}

/** Changes an organization. The slug stays what it was, so that links that people have saved keep working. */
export function changeOrganization(
  tx: Tx,
  before: Organization,
  input: OrganizationInput,
): Promise<Organization> {
  const after = { ...before, ...input, policies: { ...before.policies, ...input.policies } }
  return requireRow(
    tx,
    Organization,
    sql`update organizations o set name = ${after.name}, domain = ${after.domain ?? null},
        accent_color = ${after.accentColor ?? null}, time_zone = ${after.timeZone ?? before.timeZone},
        language = ${after.language ?? before.language},
        state = ${after.state ?? before.state}, policies = ${JSON.stringify(after.policies)}::jsonb, updated_at = now()
      where o.id = ${before.id} and ${alive} returning ${columns}`,
  )
}

/** Does what follows from the policies of an organization (`before` is null where it is new). Other rooms hand in theirs. */
export type FollowPolicies = (tx: Tx, before: Organization | null, after: Organization) => Promise<void>

export const followOwnPolicies: FollowPolicies = async (tx, before, after) => {
  await followTracking(tx, before, after)
  await followConsent(tx, after)
}

/**
 * Keeps the times in which only completions are recorded, as rows of their own. What was watched in such a time stays hidden after its end,
 * until it has been deleted.
 */
async function followTracking(tx: Tx, before: Organization | null, after: Organization): Promise<void> {
  const was = before?.policies.trackingMode === 'completed_only'
  const is = after.policies.trackingMode === 'completed_only'
  if (is && !was) await tx.execute(sql`insert into private_periods (organization_id) values (${after.id})`)
  if (was && !is)
    await tx.execute(
      sql`update private_periods set ended_at = now() where organization_id = ${after.id} and ended_at is null`,
    )
}

/** Keeps every text that viewers may have been shown, for good. */
async function followConsent(tx: Tx, after: Organization): Promise<void> {
  const { consentText } = after.policies
  if (consentText)
    await tx.execute(sql`insert into consent_texts (organization_id, hash, text)
      values (${after.id}, encode(sha256(convert_to(${consentText}, 'UTF8')), 'hex'), ${consentText}) on conflict do nothing`)
}

/** Signs everybody of an organization out that is switched off. Switching it on again brings no session back. */
export async function signOut(tx: Tx, id: string, by: string): Promise<void> {
  await endAccessOf(tx, sql`u.organization_id = ${id}`, { reason: 'disabled', by })
}
