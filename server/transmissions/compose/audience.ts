import * as z from 'zod/mini'
import type { FieldProblem } from '#contract/problems.ts'
import {
  type Audience,
  AudienceCount,
  type DeliveryState,
  type FollowUpPart,
  skipReasons,
} from '#contract/transmissions/transmissions.ts'
import { isLetOff, stands } from '../../duty/obligations.ts'
import { arrayOf, row, type Tx } from '../../platform/db/client.ts'
import { readCount } from '../../platform/db/rows.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { applyAllRules } from '../../directory/people/rule-members.ts'
import { hasCompleted } from '../../tracking/completion.ts'
import { bars } from '../barred/barred.ts'
import { viewingProblems, watchedSo } from './viewing.ts'
import { called } from '../../platform/db/search.ts'
import { wasSent } from '../../deliveries.ts'
import { isSwitchedOff } from '../../people.ts'

/** `isDuty` is true when there is a day by which it is to be watched. */
export type ChosenAudience = { organizationId: string; audience: Audience; isDuty?: boolean }
export const AudienceMember = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  address: z.string(),
  reason: z.nullable(z.enum(skipReasons)),
})
export type AudienceMember = z.infer<typeof AudienceMember>
/**
 * A chunk is a part of the audience of a transmission whose other people are in the ledger already. `which` goes on with a condition on
 * `users u`.
 */
export type Chunk = { transmissionId: string; which: SQL }

const inStates = (...states: DeliveryState[]) => sql`d.state = any(${arrayOf(states, 'text')})`

/** These conditions on `deliveries d` of the transmission `p` choose each part. */
const isPart: Record<Exclude<FollowUpPart, 'joined_since'>, SQL> = {
  // One of them to whom it was sent anew, at another address, does not get it a second time.
  failed: sql`${inStates('rejected', 'bounced', 'expired')} and not exists (select from transmissions f
    where f.follows_id = p.id and f.organization_id = p.organization_id and f.audience->'userIds' ? d.user_id::text)`,
  unknown: inStates('unknown'),
  cancelled: inStates('cancelled'),
  not_watched: sql`${inStates('accepted', 'delivered')} and not exists (select from delivery_viewing w
    where w.transmission_id = d.transmission_id and w.delivery_id = d.id and w.completed_at is not null)
    and not exists (select from assignments y join obligations o on o.assignment_id = y.id and o.user_id = d.user_id
      where y.message_id = p.id and y.organization_id = p.organization_id and ${isLetOff})
    and not exists (select from training_waivers x where x.organization_id = p.organization_id and x.user_id = d.user_id
      and x.video_id = p.video_id and ${stands})`,
}

/** This condition on `users u` holds for people whom the audience of `p` has by now, and of whom its list of recipients knows nothing. */
const joinedSince = sql`((p.audience->>'everyone')::boolean or ${isNamed('userIds')} or ${isMember('groupIds')})
  and not (${isNamed('exceptUserIds')} or ${isMember('exceptGroupIds')})
  and not exists (select from deliveries d where d.transmission_id = p.id and d.user_id = u.id)`

function isNamed(list: 'userIds' | 'exceptUserIds'): SQL {
  return sql`coalesce(p.audience->${list}, '[]') ? u.id::text`
}

function isMember(list: 'groupIds' | 'exceptGroupIds'): SQL {
  // Removing a group lets nobody in again whom it had left out.
  const isThere = list === 'groupIds' ? sql`g.deleted_at is null` : sql`true`
  return sql`exists (select from group_members m join groups g on g.id = m.group_id and ${isThere}
    where m.organization_id = p.organization_id and m.user_id = u.id and coalesce(p.audience->${list}, '[]') ? m.group_id::text)`
}

/** Selects the people of an earlier transmission of whom this is true now, as (user_id). */
function followed(organizationId: string, { transmissionId, part }: NonNullable<Audience['of']>): SQL {
  const earlier = sql`p.id = ${transmissionId} and p.organization_id = ${organizationId} and ${wasSent('p')}`
  return part === 'joined_since'
    ? sql`select u.id as user_id from transmissions p join users u on u.organization_id = p.organization_id and u.deleted_at is null
        where ${earlier} and ${joinedSince}`
    : sql`select d.user_id from transmissions p join deliveries d on d.transmission_id = p.id where ${earlier} and ${isPart[part]}`
}

/** This condition on `base` holds when somebody has done already what they would be reminded of. */
function isDone({ organizationId, audience: { of } }: ChosenAudience): SQL {
  if (of?.part !== 'not_watched') return sql`false`
  const videoId = sql`(select video_id from transmissions where id = ${of.transmissionId} and organization_id = ${organizationId})`
  return hasCompleted({ organizationId: sql`${organizationId}`, userId: sql`base.id`, videoId })
}

/** Selects a row for every way by which somebody came into the audience, so that somebody who was chosen twice appears twice. */
function ways({ organizationId, audience }: ChosenAudience): SQL {
  if (audience.of) return followed(organizationId, audience.of)
  const everyone = audience.everyone
    ? sql`union all select id as user_id from users where organization_id = ${organizationId} and deleted_at is null`
    : sql``
  return sql`select distinct unnest(${arrayOf(audience.userIds, 'uuid')}) as user_id
    union all select m.user_id from group_members m join groups g on g.id = m.group_id and g.deleted_at is null
      where m.organization_id = ${organizationId} and m.group_id = any(${arrayOf(audience.groupIds, 'uuid')})
    ${everyone}`
}

/** This condition holds for people whom the exceptions leave out. Removing a group after the choice lets nobody in again. */
function isExcepted({ organizationId, audience }: ChosenAudience, userId: SQL): SQL {
  return sql`(${userId} = any(${arrayOf(audience.exceptUserIds, 'uuid')}) or exists (select 1 from group_members x
    where x.organization_id = ${organizationId} and x.user_id = ${userId}
      and x.group_id = any(${arrayOf(audience.exceptGroupIds, 'uuid')})))`
}

const hasExceptions = ({ audience }: ChosenAudience) =>
  audience.exceptUserIds.length > 0 || audience.exceptGroupIds.length > 0

/** This condition holds when somebody has watched a video in the way that was asked for. */
function isWatchedSo({ organizationId, audience: { viewing } }: ChosenAudience, userId: SQL): SQL {
  return viewing ? watchedSo({ organizationId, viewing }, userId) : sql`true`
}

const mailAddress = '^[^@[:space:]]+@[^@[:space:]]+$'
const phoneNumber = '^[+]?[0-9]{5,20}$'

/**
 * This expression gives the address by which `users u` stand in the ledger. Whoever has no mail is called by their phone, where the channel
 * allows that.
 */
function addressOf({ channel }: Audience): SQL {
  const mail = sql`lower(btrim(u.email))`
  if (channel !== 'webhook') return mail
  return sql`case when ${mail} !~ ${mailAddress} and u.phone is not null then regexp_replace(u.phone, '[^0-9+]', '', 'g') else ${mail} end`
}

/**
 * Selects everybody in the audience once, with the reason why somebody gets nothing. Preview and preparation both read this, so that what
 * was announced and what happens cannot differ.
 */
export function reached(chosen: ChosenAudience, chunk?: Chunk): SQL {
  const { organizationId, audience, isDuty = false } = chosen
  const members = audience.everyone ? sql`` : sql`and u.id in (select user_id from (${ways(chosen)}) w)`
  const others = hasExceptions(chosen) ? sql`and not ${isExcepted(chosen, sql`u.id`)}` : sql``
  const watchers = isWatchedSo(chosen, sql`u.id`)
  const phones = audience.channel === 'webhook' ? sql`and address !~ ${phoneNumber}` : sql``
  const earlier = chunk
    ? sql`or exists (select 1 from deliveries d where d.transmission_id = ${chunk.transmissionId}
        and d.address = judged.address and d.state <> 'skipped')`
    : sql``
  return sql`select id, name, email, address, coalesce(barred, case when
      row_number() over (partition by address, barred is null order by id) > 1 ${earlier} then 'duplicate_address' end) as reason
    from (select base.*, case
        when is_off then 'inactive'
        when address !~ ${mailAddress} ${phones} then 'no_address'
        when ${bars({ organizationId: sql`${organizationId}`, userId: sql`base.id`, address: sql`base.address`, isDuty: sql`${isDuty}::boolean` })} then 'suppressed'
        when ${isDone(chosen)} then 'already_done' end as barred
      from (select u.id, u.name, u.email, ${isSwitchedOff('u')} as is_off, ${addressOf(audience)} as address from users u
        where u.organization_id = ${organizationId} and u.deleted_at is null and ${watchers} ${members} ${others} ${chunk?.which ?? sql``}) base) judged`
}

/** Selects whoever belongs to the audience and is not disabled, as (user_id), even where no mail reaches them. */
export function belonging(chosen: ChosenAudience): SQL {
  const { organizationId, audience } = chosen
  const members = audience.everyone ? sql`` : sql`and u.id in (select user_id from (${ways(chosen)}) w)`
  const others = hasExceptions(chosen) ? sql`and not ${isExcepted(chosen, sql`u.id`)}` : sql``
  return sql`select u.id as user_id from users u
    where u.organization_id = ${organizationId} and u.deleted_at is null and not ${isSwitchedOff('u')} ${members} ${others}`
}

export const noCount: AudienceCount = { recipients: 0, skipped: {}, overlaps: 0, excepted: 0, sample: [] }

/**
 * This expression gives what `transmissions t` follows once it is changed. If it was made for people who missed an earlier one, it goes on
 * following that.
 */
export const followedBy = (transmissionId: string | null | undefined): SQL =>
  sql`coalesce(${transmissionId ?? null}::uuid, case when not t.audience ? 'of' then t.follows_id end)`

/** Counts the audience. It works out the rules of groups first, so call it before anything is changed. */
export async function countAudience(tx: Tx, chosen: ChosenAudience): Promise<AudienceCount> {
  await applyAllRules(tx, chosen.organizationId)
  const counted = await row(
    tx,
    AudienceCount,
    sql`with reached as materialized (${reached(chosen)}),
      chosen as materialized (select w.user_id, count(*) as ways, ${isExcepted(chosen, sql`w.user_id`)} as excepted
        from (${ways(chosen)}) w join users u on u.id = w.user_id and u.deleted_at is null
          and u.organization_id = ${chosen.organizationId} and ${isWatchedSo(chosen, sql`u.id`)} group by w.user_id)
      select (select count(*) from reached where reason is null)::int as recipients,
        coalesce((select jsonb_object_agg(reason, n) from
          (select reason, count(*) as n from reached where reason is not null group by 1) r), '{}') as skipped,
        (select count(*) from chosen where ways > 1 and not excepted)::int as overlaps,
        (select count(*) from chosen where excepted)::int as excepted,
        coalesce((select jsonb_agg(to_jsonb(s)) from (select id, name, email from reached where reason is null
          order by ${called(sql`name`)}, id limit 5) s), '[]') as sample`,
  )
  return counted ?? noCount
}

/** Counts those of the recipients who have completed a video already. For a video that is not there, it counts nobody. */
export function countCompleted(tx: Tx, chosen: ChosenAudience, videoId: string): Promise<number> {
  return readCount(
    tx,
    sql`select count(*)::int as n from (${reached(chosen)}) w where w.reason is null and w.id in (select v.user_id from viewer_videos v
      where v.organization_id = ${chosen.organizationId} and v.video_id = ${videoId} and v.completed_at is not null)`,
  )
}

const UnknownMembers = z.object({
  of: z.boolean(),
  groupIds: z.boolean(),
  userIds: z.boolean(),
  exceptGroupIds: z.boolean(),
  exceptUserIds: z.boolean(),
})

/** Refuses an audience that names people or groups of nobody, or of another organization. */
export async function requireKnown(tx: Tx, { organizationId, audience }: ChosenAudience): Promise<void> {
  const stranger = (table: 'users' | 'groups', ids: readonly string[]) =>
    sql`exists (select 1 from unnest(${arrayOf(ids, 'uuid')}) given(id) where not exists (select 1 from ${sql.raw(table)} k
      where k.id = given.id and k.organization_id = ${organizationId} and k.deleted_at is null))`
  const isUnknown = audience.of
    ? sql`not exists (select from transmissions p where p.id = ${audience.of.transmissionId} and p.organization_id = ${organizationId} and ${wasSent('p')})`
    : sql`false`
  const unknown = await row(
    tx,
    UnknownMembers,
    sql`select ${isUnknown} as "of", ${stranger('users', audience.userIds)} as "userIds", ${stranger('groups', audience.groupIds)} as "groupIds",
      ${stranger('users', audience.exceptUserIds)} as "exceptUserIds",
      ${stranger('groups', audience.exceptGroupIds)} as "exceptGroupIds"`,
  )
  const strangers = Object.entries(unknown ?? {}).flatMap(([field, is]) => (is ? [`audience.${field}`] : []))
  const { viewing } = audience
  const fields: Record<string, FieldProblem[]> = {
    ...Object.fromEntries(strangers.map((field) => [field, ['not_found'] as const])),
    ...(viewing && (await viewingProblems(tx, { organizationId, viewing }))),
  }
  if (Object.keys(fields).length > 0) throw refuse('validation_failed', { fields })
}
