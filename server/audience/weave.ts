import * as z from 'zod/mini'
import type { ParsedQuery } from '#contract/endpoint.ts'
import {
  Lacking,
  mostThreads,
  type readWeave,
  type Tenths,
  Thread,
  type Weave,
} from '#contract/audience/weave.ts'
import { parseRanges } from '#server/platform/db/multirange.ts'
import { requireRow, rows, type Tx } from '#server/platform/db/client.ts'
import { readCount } from '#server/platform/db/rows.ts'
import { sql, type SQL } from '#server/platform/db/sql.ts'
import { refuse } from '#server/platform/errors.ts'
import { hasCompleted } from '../tracking/completion.ts'
import { secondsOf } from '../tracking/curves.ts'
import { isExcused, stands } from '../duty/obligations.ts'
import { lengthIn } from '../duty/replaced.ts'
import { isAskedBy, lacksPart, secondsIn, seenFor, type Part } from '../duty/seconds.ts'
import { scopeOf, type AudienceScope } from './scope.ts'
import { asksToWatch } from '../deliveries.ts'

type WeaveQuery = ParsedQuery<typeof readWeave>
type Version = NonNullable<AudienceScope['version']>
type Cloth = { video: AudienceScope['video']; version: Version; transmissionId: string | undefined }

/** As many steps as a screen has room for. */
const mostSteps = 600

/** Refuses a video out of reach, and a message that is not about it, with `not_found`. */
export async function weaveOf(tx: Tx, videoId: string, asked: WeaveQuery): Promise<Weave | null> {
  const { transmissionId, from, to } = asked
  const { video, version } = await scopeOf(tx, videoId, { versionId: undefined, period: 'all' })
  if (transmissionId !== undefined) await requireMessage(tx, video, transmissionId)
  if (!version?.isCurrent || video.isDiscreet) return null
  const cloth = { video, version, transmissionId }
  const part = from === undefined || to === undefined ? null : await lackingIn(tx, cloth, { from, to })
  const people = await readCount(tx, sql`with ${peopleOf(cloth)} select count(*)::int as n from people`)
  const { durationMs } = version
  const whole = { durationMs, seconds: secondsOf(durationMs), people, part }
  return people > mostThreads
    ? { ...whole, threads: [], tenths: await tenthsOf(tx, cloth) }
    : { ...whole, threads: await threadsOf(tx, cloth), tenths: null }
}

async function requireMessage(tx: Tx, video: Cloth['video'], transmissionId: string): Promise<void> {
  const found = await readCount(
    tx,
    sql`select count(*)::int as n from transmissions t
      where t.id = ${transmissionId} and t.organization_id = ${video.organizationId} and t.video_id = ${video.id}`,
  )
  if (found === 0) throw refuse('not_found')
}

/** CTE `people` (id, name, called): recipients of one message; else all whom the video was sent to, who owe it, or who watched it by name. */
function peopleOf({ video: { id, organizationId }, transmissionId }: Cloth): SQL {
  const sent = sql`select d.user_id from transmissions t join deliveries d on d.transmission_id = t.id and d.organization_id = t.organization_id
    where t.organization_id = ${organizationId} and t.video_id = ${id} and ${asksToWatch('d')}`
  const asked = transmissionId
    ? sql`${sent} and t.id = ${transmissionId}`
    : sql`${sent} and t.state <> 'draft'
        union select o.user_id from assignments a join obligations o on o.assignment_id = a.id and o.organization_id = a.organization_id
          where a.organization_id = ${organizationId} and a.video_id = ${id} and o.state <> 'ended'
        union select w.user_id from viewer_videos w join video_versions n on n.id = w.version_id and n.organization_id = w.organization_id
          where n.video_id = ${id} and w.organization_id = ${organizationId}`
  return sql`asked as (${asked}),
    people as materialized (select u.id, coalesce(nullif(u.name, ''), u.email) as name, u.called from users u
      where u.id in (select user_id from asked) and u.organization_id = ${organizationId} and u.deleted_at is null)`
}

const isOpen = sql`((o.state = 'open' or o.state = 'waived' and o.waived_until <= now()) and a.state in ('active', 'paused') and not ${isExcused})`
/** As whoever reminds finds them. */
const isOwed = sql`(o.state = 'open' and a.state = 'active' and not ${isExcused})`

/** CTEs up to `threads` (id, name, called, state, is_late, seen, place): where each person stands, and what they have seen (a multirange). */
function threads(cloth: Cloth): SQL {
  const { video, version, transmissionId } = cloth
  const { id: videoId, organizationId } = video
  const versionId = sql`${version.id}::uuid`
  const ofWhat = transmissionId ? isAskedBy(sql`${transmissionId}::uuid`) : sql`true`
  const person = {
    organizationId: sql`${organizationId}::uuid`,
    userId: sql`p.id`,
    videoId: sql`${videoId}::uuid`,
  }
  const isWaived = sql`exists (select from training_waivers x where x.organization_id = ${organizationId} and x.user_id = p.id
    and x.video_id = ${videoId} and ${stands})`
  return sql`${peopleOf(cloth)},
    stood as (select p.*, coalesce(b.is_late, false) as is_late,
        case when b.owes then 'owes' when not coalesce(b.is_open, false) and (coalesce(b.is_done, false) or ${hasCompleted(person)}) then 'done'
          when ${isWaived} or b.n > 0 and not b.is_open then 'excused' else 'open' end as state,
        coalesce(b.seen, (select range_agg(w.coverage) from viewer_videos w where w.organization_id = ${organizationId} and w.user_id = p.id
          and w.version_id = ${versionId}), '{}') as seen
      from people p cross join lateral (select count(*) as n, bool_or(${isOpen}) as is_open, bool_or(${isOwed}) as owes,
          bool_or(o.state = 'done') as is_done, bool_or(${isOwed} and o.due_at < now()) as is_late,
          range_intersect_agg(${seenFor(versionId)}) filter (where ${isOwed}) as seen
        from obligations o join assignments a on a.id = o.assignment_id and a.organization_id = o.organization_id
        where o.organization_id = ${organizationId} and o.user_id = p.id and o.video_id = ${videoId} and ${ofWhat}) b),
    threads as (select s.*, case s.state when 'done' then 1 when 'excused' then 2 else 0 end as place from stood s)`
}

const inOrder = sql`t.place, ${lengthIn(sql`t.seen`)}, t.called, t.id`

const ThreadRow = z.extend(Thread, { seen: z.string() })

async function threadsOf(tx: Tx, cloth: Cloth): Promise<Thread[]> {
  const found = await rows(
    tx,
    ThreadRow,
    sql`with ${threads(cloth)} select t.id as "userId", t.name, t.state, t.is_late as "isLate", t.seen::text as seen
      from threads t order by ${inOrder}`,
  )
  return found.map(({ seen, ...thread }) =>
    Object.assign(thread, { seen: secondsIn(parseRanges(seen)).flat() }),
  )
}

const lacks = sql`t.state in ('owes', 'open')`

function lackingIn(tx: Tx, cloth: Cloth, part: Part): Promise<Lacking> {
  return requireRow(
    tx,
    Lacking,
    sql`with ${threads(cloth)} select count(*)::int as lacking, count(*) filter (where t.state = 'owes')::int as owing
      from threads t where ${lacks} and ${lacksPart(part, sql`t.seen`, sql`${cloth.version.durationMs}::int`)}`,
  )
}

const Edge = z.object({
  band: z.number(),
  lacks: z.boolean(),
  owes: z.boolean(),
  step: z.number(),
  delta: z.number(),
})

/** At step -1 stands how many there are. */
async function tenthsOf(tx: Tx, cloth: Cloth): Promise<Tenths> {
  const seconds = secondsOf(cloth.version.durationMs)
  const stepSeconds = Math.ceil(seconds / mostSteps)
  const half = Math.floor(stepSeconds / 2)
  const steps = Math.ceil((seconds - half) / stepSeconds)
  const stepAt = (ms: SQL) =>
    sql`greatest(0, least(${steps}::int, ceil((${ms} - ${half * 1_000 + 500}::int) / ${stepSeconds * 1_000}::float8)::int))`
  const edges = await rows(
    tx,
    Edge,
    sql`with ${threads(cloth)}, banded as (select t.*, ntile(10) over (order by ${inOrder}) as band from threads t)
      select t.band::int, ${lacks} as lacks, t.state = 'owes' as owes, e.step, sum(e.delta)::int as delta
      from banded t cross join lateral (select -1 as step, 1 as delta
        union all select ${stepAt(sql`lower(x)`)}, 1 from unnest(t.seen) x union all select ${stepAt(sql`upper(x)`)}, -1 from unnest(t.seen) x) e
      group by 1, 2, 3, 4`,
  )
  const sums = (some: readonly z.infer<typeof Edge>[]) => {
    const changes = Array.from({ length: steps + 2 }, () => 0)
    for (const { step, delta } of some) changes[step + 1] = (changes[step + 1] ?? 0) + delta
    const [people = 0, ...rest] = changes
    let covered = 0
    return { people, seen: rest.slice(0, steps).map((change) => (covered += change)) }
  }
  const [lacking, owing] = [sums(edges.filter((one) => one.lacks)), sums(edges.filter((one) => one.owes))]
  return {
    stepSeconds,
    bands: Array.from({ length: 10 }, (_, at) => sums(edges.filter(({ band }) => band === at + 1))),
    steps: lacking.seen.map((seen, step) => ({
      lacking: lacking.people - seen,
      owing: owing.people - (owing.seen[step] ?? 0),
    })),
  }
}
