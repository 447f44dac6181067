import type { Reply } from '#contract/endpoint.ts'
import { trainingLetters, trainingStates, type readTraining, type TrainingVideo } from '#contract/training.ts'
import { row, rows, together, type Tx } from '../db/client.ts'
import { sql } from '../db/drizzle.ts'
import { isoText } from '../db/search.ts'
import { refuse } from '../errors.ts'
import { seesGroup } from '../http/sight.ts'
import { cellsOf, columnsOf, isDone, isOverdue, peopleOf, type Ground } from './matrix.ts'

type Counts = TrainingVideo['counts']
type Column = Omit<TrainingVideo, 'counts'> & { letters: Record<string, number>; total: number }
type Head = Pick<Reply<typeof readTraining>, 'organization' | 'people' | 'projects' | 'groups'>

/** The columns with their sums over all rows of the filter. */
export async function trainingTotals(tx: Tx, ground: Ground): Promise<Reply<typeof readTraining>> {
  const [head, columns] = await together(readHead(tx, ground), readColumns(tx, ground))
  const sum = (pick: (column: Column) => number) => columns.reduce((total, column) => total + pick(column), 0)
  const videos = columns.map(({ letters, total: _total, ...video }) => ({
    ...video,
    counts: countsOf((l) => letters[l] ?? 0),
  }))
  return {
    ...head,
    videos,
    videoTotal: columns[0]?.total ?? 0,
    required: sum(({ required }) => required),
    done: sum(({ done }) => done),
    overdue: sum(({ overdue }) => overdue),
    counts: countsOf((letter) => sum(({ letters }) => letters[letter] ?? 0)),
    isDiscreet: !ground.shows,
  }
}

function countsOf(read: (letter: string) => number): Counts {
  return Object.fromEntries(
    trainingStates.flatMap((state) => {
      const n = read(trainingLetters[state])
      return n === 0 ? [] : [[state, n]]
    }),
  )
}

function readColumns(tx: Tx, ground: Ground): Promise<Column[]> {
  return rows<Column>(
    tx,
    sql`with who as materialized (select u.id from users u where ${peopleOf(ground)}), ${columnsOf(ground)}, ${cellsOf(ground)},
        counted as (
          select video_id, sum(n)::int as n, sum(required)::int as required, sum(done)::int as done, sum(overdue)::int as overdue,
            json_object_agg(letter, n) as letters
          from (select c.video_id, c.letter, count(*)::int as n, count(*) filter (where c.required) as required,
              count(*) filter (where ${isDone}) as done, count(*) filter (where ${isOverdue}) as overdue
            from cells c group by c.video_id, c.letter) by_letter group by video_id)
      select k.id, k.title, ${isoText(sql`k.created_at`)} as "createdAt", k.total, coalesce(s.required, 0) as required,
        coalesce(s.done, 0) as done, coalesce(s.overdue, 0) as overdue, coalesce(s.letters, '{}') as letters
      from columns k left join counted s on s.video_id = k.id order by k.n`,
  )
}

/** The organization, and what its matrix can be narrowed to; projects are for who may open content. */
async function readHead(tx: Tx, ground: Ground): Promise<Head> {
  const { organizationId, groupIds } = ground.sight
  const own = sql`organization_id = ${organizationId} and deleted_at is null`
  const projects = groupIds
    ? sql`'[]'::json`
    : sql`(select coalesce(json_agg(json_build_object('id', p.id, 'name', p.name) order by lower(p.name), p.id), '[]')
        from projects p where p.${own})`
  const found = await row<Head>(
    tx,
    sql`select json_build_object('id', o.id, 'name', o.name) as organization,
        (select count(*)::int from users u where ${peopleOf(ground)}) as people, ${projects} as projects,
        (select coalesce(json_agg(json_build_object('id', g.id, 'name', g.name) order by lower(g.name), g.id), '[]')
          from groups g where g.${own} and ${seesGroup(ground.sight, sql`g.id`) ?? sql`true`}) as groups
      from organizations o where o.id = ${organizationId} and o.deleted_at is null`,
  )
  if (!found) throw refuse('not_found')
  return found
}
