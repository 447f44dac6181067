import * as z from 'zod/mini'
import { CustomFields } from '#contract/directory/fields.ts'
import { languages } from '#contract/platform/text/languages.ts'
import { isFree, togetherApart } from '../../platform/aside.ts'
import { arrayOf, rows, type Database } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { showsPersons } from '../../directory/organizations/privacy.ts'
import { isNamed } from '../../duty/of-messages.ts'
import { hasDone } from '../../duty/completions.ts'
import { countsEver, isExcused } from '../../duty/obligations.ts'
import { isUnconfirmed } from '../../duty/unconfirmed.ts'
import { bars, isDuty } from '../barred/barred.ts'
import { nothingHeld } from './guard.ts'
import { livingKeys, lockKey } from '../../platform/db/heartbeat.ts'
import { isWithinHours, openZones } from './window.ts'
import { completeIfDone, type Key } from './states.ts'
import { Id, idsOf } from '../../platform/db/rows.ts'
import { isOut } from '../../people.ts'

export const Claimed = z.object({
  id: z.string(),
  address: z.string(),
  name: z.string(),
  attempt: z.number(),
  linkHash: z.string(),
  /** They are written to in this language; null means the one of the organization. */
  language: z.nullable(z.enum(languages)),
  /** These are the fields that their organization has defined, and a message may name them. */
  fields: CustomFields,
  /** These parts of the video they still owe to an assignment of which they have seen something; null where that is told to nobody. */
  missing: z.nullable(z.string()),
  /** This is the sentence of that assignment, where nothing is left but to confirm it. */
  toConfirm: z.nullable(z.string()),
})
export type Claimed = z.infer<typeof Claimed>

/** Selects the video whose completion spares people this message, as (video_id). There is no row where the transmission is no reminder. */
const reminds = ({ id, organizationId }: Key) => sql`select case
      when t.audience->'of'->>'part' = 'not_watched' then p.video_id
      when t.audience->'viewing'->>'kind' in ('not_completed', 'late') then (t.audience->'viewing'->>'videoId')::uuid end as video_id
  from transmissions t left join transmissions p on p.id = t.follows_id and p.organization_id = t.organization_id
  where t.id = ${id} and t.organization_id = ${organizationId}`

/**
 * Selects the assignments whose days this transmission names, as (id, video_id, version_id, state). There is no row where people send it.
 */
const obliges = ({
  id,
  organizationId,
}: Key) => sql`select a.id, a.video_id, t.version_id, a.state from transmissions t
  join assignments a on ${isNamed(sql`a.id`)} and a.organization_id = t.organization_id
  where t.id = ${id} and t.organization_id = ${organizationId}`

/** These CTEs hold both of them, and the conditions below ask them about `deliveries d`. */
const askingFor = (key: Key) =>
  sql`reminds as materialized (${reminds(key)}), obliges as materialized (${obliges(key)})`

/** This condition holds while reports of its person wait to be counted, so that nobody can say yet whether they have done it. */
const isUncounted = sql`exists (select 1 from (select video_id from reminds union all select video_id from obliges) r
  join track_batches b on b.video_id = r.video_id and not b.folded and b.claims->>'viewerKey' in ('recipient:' || d.user_id, 'user:' || d.user_id))`

/** This condition on `obliges a` holds when nothing is owed any more, or for now. */
const owesNothing = sql`(a.state <> 'active' or not exists (select from obligations o
  where o.assignment_id = a.id and o.user_id = d.user_id and o.state = 'open' and not ${isExcused}))`

/** This expression says why the message must not leave to its person `users u` (from a left join); null means that it may. */
function objection({ id, organizationId }: Key): SQL {
  const owed = sql`(select ${isDuty} from transmissions t where t.id = ${id})`
  const ofThem = { organizationId: sql`${organizationId}`, userId: sql`d.user_id`, videoId: sql`r.video_id` }
  return sql`case
    when u.id is null or ${isOut('u')} then 'inactive'
    when ${bars({ organizationId: sql`${organizationId}`, userId: sql`d.user_id`, address: sql`d.address`, isDuty: owed })} then 'suppressed'
    when exists (select from reminds r where ${hasDone(ofThem)}) or (exists (select from obliges) and not exists (select from obliges a where not ${owesNothing})) then 'already_done' end`
}

/** This expression gives what the person in `taken` has not seen of the version that is sent, once they have seen some of it. */
const owed = sql`select (int4multirange(int4range(0, n.duration_ms)) - coalesce(w.coverage, o.coverage))::text
  from obliges a join obligations o on o.assignment_id = a.id and o.user_id = taken.user_id and o.state = 'open'
    left join viewer_videos w on ${countsEver('o')} and w.version_id = a.version_id and w.viewer_key = 'recipient:' || o.user_id
    join video_versions n on n.id = coalesce(w.version_id, o.version_id) and n.id = a.version_id
  where coalesce(w.coverage, o.coverage) <> '{}' and ${showsPersons(sql`o.organization_id`)} order by coalesce(w.covered_ms, o.covered_ms) limit 1`

/** This expression gives the sentence that the person in `taken` has still to confirm, where nothing else is left of whatever is named. */
const unconfirmed = sql`select a.statement from obliges e join assignments a on a.id = e.id
    join obligations o on o.assignment_id = a.id and o.user_id = taken.user_id and o.state = 'open'
  where ${isUnconfirmed('o')} and ${showsPersons(sql`o.organization_id`)} and not exists (select from obliges e join obligations p
    on p.assignment_id = e.id and p.user_id = taken.user_id and p.state = 'open' and p.covered_at is null) limit 1`

/** One worker holds these deliveries of one transmission. */
export type Lease = {
  key: Key
  token: string
  channel: 'email' | 'webhook'
}

export const bucket = 'default'
/** This condition fails for an organization that is suspended, archived or removed, so that nothing leaves for it. */
export const isOpen = sql`o.id = t.organization_id and o.state = 'active' and o.deleted_at is null`
/** No pause is longer than this. An instant beyond it was written before the clock was set back. */
export const longestRest = sql`interval '1 minute'`
export const isBucketPaused = sql`(coalesce(backoff_until, '-infinity') > now() and backoff_until < now() + ${longestRest})`
const leased = sql`now() + interval '2 minutes'`

/**
 * Takes at most `limit` deliveries that are due, as far as the rates of the installation and the organization have tokens. People who were
 * disabled, removed or suppressed since the preparation are skipped here, and so are those who have done meanwhile what they would be
 * reminded of. While reports of theirs wait to be counted, they are not taken. A paused transmission yields nothing, and neither does one
 * that waits for the hours of its organization.
 */
export async function claim(db: Database, { key, token, channel }: Lease, limit: number): Promise<Claimed[]> {
  // Throttled mails hold up nothing that is posted to an organization.
  const lane = channel === 'webhook' ? key.organizationId : bucket
  const lanes = sql`send_lanes where id in (${lane}, ${key.organizationId})`
  return db.as({ organizationId: key.organizationId }, async (tx) => {
    // This is a statement of its own, so that the next one sees what was reported or decided while another worker had its turn.
    await tx.execute(sql`select from ${lanes} order by id for update`)
    return rows(
      tx,
      Claimed,
      sql`with lanes as materialized (select id, least(burst, tokens + rate * greatest(0, extract(epoch from now() - refilled_at))) as available,
            state = 'open' and not ${isBucketPaused} as open, failures > 0 as tries
          from ${lanes}),
        room as (select case when bool_and(open) then least(floor(min(available)), case when bool_or(tries) then 1 end)::int when count(*) = 0 then ${limit}::int else 0 end as n
          from lanes),
        ${askingFor(key)},
        pick as materialized (select d.id, d.user_id, d.address from deliveries d
          where d.transmission_id = ${key.id} and d.state in ('queued', 'deferred') and d.due_at <= now()
            and coalesce(d.time_zone, '') = any((select ${openZones} from transmissions t join organizations o on ${isOpen} where t.id = ${key.id})::text[])
            and exists (select 1 from transmissions t join organizations o on ${isOpen} where t.id = ${key.id}
              and t.organization_id = ${key.organizationId} and t.state = 'sending' and ${isWithinHours})
            and not ${isUncounted}
          order by d.due_at, d.id limit greatest(0, least(${limit}, (select n from room)))
          for update of d skip locked),
        spent as (update send_lanes l set tokens = lanes.available - (select count(*) from pick), refilled_at = now()
          from lanes where l.id = lanes.id and lanes.open),
        judged as materialized (select d.id, u.name, u.language, u.custom_fields, ${objection(key)} as reason
          from pick d left join users u on u.id = d.user_id),
        taken as (update deliveries d set
            state = case when judged.reason is null then 'sending' else 'skipped' end, reason = judged.reason,
            attempt = d.attempt + case when judged.reason is null then 1 else 0 end,
            lease_token = case when judged.reason is null then ${token}::uuid end,
            lease_until = case when judged.reason is null then ${leased} end, handed_at = null, updated_at = now()
          from judged where d.transmission_id = ${key.id} and d.id = judged.id
          returning d.id, d.address, judged.name, judged.language, judged.custom_fields, d.user_id, d.attempt, d.state, encode(d.link_hash, 'hex') as "linkHash")
        select id, address, name, language, coalesce(custom_fields, '{}') as fields, attempt, "linkHash", (${owed}) as missing, (${unconfirmed}) as "toConfirm" from taken where state = 'sending' order by id`,
    )
  })
}

/**
 * Commits that these deliveries are about to leave, and tells for each whether it may. It may not when the lease is lost, the transmission
 * was paused or cancelled, or something speaks against it since it was taken. From here on only the receiver knows what became of them.
 */
export async function markHanded(db: Database, { key, token }: Lease, ids: string[]): Promise<boolean[]> {
  const marked = await db.as({ organizationId: key.organizationId }, (tx) =>
    rows(
      tx,
      Id,
      sql`with ${askingFor(key)},
        free as (select d.id from deliveries d left join users u on u.id = d.user_id
          where d.transmission_id = ${key.id} and d.id = any(${arrayOf(ids, 'uuid')}) and ${objection(key)} is null and not ${isUncounted})
        update deliveries d set handed_at = clock_timestamp(), lease_until = ${leased}
        from free where d.transmission_id = ${key.id} and d.id = free.id
          and d.state = 'sending' and d.lease_token = ${token} and ${nothingHeld}
          and exists (select 1 from transmissions t join organizations o on ${isOpen}
            where t.id = d.transmission_id and t.state = 'sending')
        returning d.id`,
    ),
  )
  const mayLeave = new Set(marked.map((one) => one.id))
  return ids.map((id) => mayLeave.has(id))
}

export async function renew(db: Database, { key, token }: Lease): Promise<void> {
  await db.as({ organizationId: key.organizationId }, (tx) =>
    tx.execute(
      sql`update deliveries set lease_until = ${leased}
        where transmission_id = ${key.id} and state = 'sending' and lease_token = ${token}`,
    ),
  )
}

/** A delivery that was claimed but has not left goes back like this, and its attempt does not count. */
const unleave = sql`state = case when t.state = 'cancelled' then 'cancelled' else 'queued' end,
  attempt = d.attempt - 1, lease_token = null, lease_until = null, updated_at = now()`

/** Hands back what has not left yet. */
export async function release(db: Database, { key, token }: Lease): Promise<void> {
  await db.as({ organizationId: key.organizationId }, async (tx) => {
    await tx.execute(
      sql`update deliveries d set ${unleave} from transmissions t
        where d.transmission_id = ${key.id} and t.id = d.transmission_id and d.state = 'sending'
          and d.lease_token = ${token} and d.handed_at is null`,
    )
    await completeIfDone(tx, key)
  })
}

const Lost = z.object({ id: z.string(), transmissionId: z.string(), organizationId: z.string() })
const nameOf = ({ id, transmissionId, organizationId }: z.infer<typeof Lost>) => ({
  item: `${transmissionId} ${id}`,
  organizationId,
})
/** This condition on `deliveries d` holds when its worker is gone. It needs the keys of the living workers as `living` beside it. */
const isLost = sql`d.state = 'sending' and (d.lease_until < now() or ${lockKey(sql`d.lease_token`)} not in (select objid from living))`

/** Settles deliveries whose worker is gone: what had not left is queued again, and what may have left becomes unknown. */
export async function reap(db: Database): Promise<void> {
  const lost = await rows(
    db.single,
    Lost,
    sql`with living as materialized (${livingKeys('sendingWorker')})
      select d.id, d.transmission_id as "transmissionId", d.organization_id as "organizationId" from deliveries d
      where ${isLost} and ${isFree('sending', sql`d.transmission_id || ' ' || d.id`)} order by d.transmission_id, d.id limit 5000`,
  )
  await togetherApart({ db, loop: 'sending', nameOf }, lost, (some) => reapSome(db, idsOf(some)))
}

async function reapSome(db: Database, ids: SQL): Promise<void> {
  await db.as('system', async (tx) => {
    const lost = sql`with living as materialized (${livingKeys('sendingWorker')})
      select d.transmission_id, d.id, d.handed_at from deliveries d where ${isLost} and d.id = any(${ids})
      order by d.transmission_id, d.id for update of d skip locked`
    await tx.execute(
      sql`with lost as materialized (${lost})
        update deliveries d set ${unleave} from lost, transmissions t
          where d.transmission_id = lost.transmission_id and d.id = lost.id and t.id = d.transmission_id
            and lost.handed_at is null`,
    )
    await tx.execute(
      sql`with lost as materialized (${lost}),
        unknown as (update deliveries d set state = 'unknown', reason = 'connection_lost', lease_token = null,
            lease_until = null, updated_at = now() from lost
          where d.transmission_id = lost.transmission_id and d.id = lost.id and lost.handed_at is not null returning d.*)
        insert into delivery_attempts (delivery_id, n, organization_id, transmission_id, started_at, handed_at, ended_at, outcome)
          select id, attempt, organization_id, transmission_id, handed_at, handed_at, now(), 'unknown' from unknown
          on conflict do nothing`,
    )
  })
}
