import * as z from 'zod/mini'
import { LatePerson, LateTraining, mostLate, readDashboardLate } from '#contract/dashboard.ts'
import type { Reply } from '#contract/endpoint.ts'
import { requireRow, type Tx } from '../platform/db/client.ts'
import { parseRanges } from '../platform/db/multirange.ts'
import { called, isoText, planForValues } from '../platform/db/search.ts'
import { sql } from '../platform/db/sql.ts'
import type { Caller } from '../platform/http/bearer.ts'
import { visibilityOf } from '../platform/http/visibility.ts'
import { showsPersons } from '../directory/organizations/privacy.ts'
import { countsEver } from '../duty/obligations.ts'
import { lacks } from '../duty/owed.ts'
import { matrixNow } from '../matrix/current.ts'
import { overdueCells, overdueCellsOfAll } from '../matrix/overdue.ts'

type Late = Reply<typeof readDashboardLate>

/** As it comes from the tables: what was watched is a range of the database. */
const LateRow = z.extend(readDashboardLate.reply, {
  items: z.array(
    z.extend(LateTraining, { people: z.array(z.extend(LatePerson, { coverage: z.nullable(z.string()) })) }),
  ),
})

/** `organizationId` null: of all organizations that are active. */
export async function lateOf(tx: Tx, caller: Caller, organizationId: string | null): Promise<Late> {
  await planForValues(tx)
  const cells =
    organizationId === null
      ? overdueCellsOfAll
      : overdueCells(visibilityOf(caller, organizationId), await matrixNow(tx, organizationId))
  const found = await requireRow(
    tx,
    LateRow,
    sql`with late as materialized (${cells}),
        trainings as (select organization_id, video_id, title, count(*)::int as n, min(due_at) as due_at from late group by 1, 2, 3),
        named as materialized (select * from trainings order by n desc, due_at, video_id limit ${mostLate.trainings}),
        people as (select l.*, row_number() over (partition by l.video_id order by l.due_at, ${called(sql`l.name`)}, l.user_id) as nth
          from late l join named using (video_id)),
        shown as (select p.*, coalesce(e.coverage, w.coverage) as coverage,
            case when e.coverage is null then w.duration_ms else e.duration_ms end as duration_ms,
            ${showsPersons(sql`p.organization_id`)} as shows, e.lacks
          from people p
          left join lateral (select x.duration_ms, ${lacks} as lacks,
              case when not ${countsEver('o')} then case when o.version_id = x.id then o.coverage else '{}' end end as coverage
            from obligations o join assignments a on a.id = o.assignment_id and a.state in ('active', 'paused')
              join videos v on v.id = o.video_id left join video_versions x on x.id = v.current_version_id
            where o.user_id = p.user_id and o.video_id = p.video_id and o.organization_id = p.organization_id and o.state = 'open'
            order by o.due_at, o.id limit 1) e on true
          left join lateral (select w.coverage, x.duration_ms from viewer_videos w join video_versions x on x.id = w.version_id
            where w.user_id = p.user_id and w.video_id = p.video_id order by w.last_at desc limit 1) w on true
          where p.nth <= ${mostLate.people})
      select (select count(distinct user_id)::int from late) as people, (select count(*)::int from trainings) as trainings,
        coalesce(json_agg(json_build_object('id', n.video_id, 'title', n.title, 'organizationId', n.organization_id,
          'organizationName', o.name, 'late', n.n, 'dueAt', ${isoText(sql`n.due_at`)},
          'replacedAt', ${isoText(sql`case when x.change ->> 'matters' <> 'nothing' then coalesce(x.ready_at, x.created_at) end`)},
          'people', (
            select json_agg(json_build_object('id', s.user_id, 'name', s.name, 'dueAt', ${isoText(sql`s.due_at`)},
              'coverage', case when s.shows then coalesce(s.coverage::text, '{}') end,
              'durationMs', case when s.shows then s.duration_ms end, 'lacks', case when s.shows then s.lacks end) order by s.nth)
            from shown s where s.video_id = n.video_id)) order by n.n desc, n.due_at, n.video_id), '[]') as items
      from named n join organizations o on o.id = n.organization_id
        join videos v on v.id = n.video_id left join video_versions x on x.id = v.current_version_id`,
  )
  return { ...found, items: found.items.map(asTraining) }
}

function asTraining({ people, ...training }: z.infer<typeof LateRow>['items'][number]): LateTraining {
  const shown = people.map(({ coverage, ...one }) => ({
    ...one,
    coverage: coverage === null ? null : parseRanges(coverage),
  }))
  return { ...training, people: shown }
}
