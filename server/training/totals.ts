import type { Reply } from '#contract/endpoint.ts'
import type { readTraining, TrainingVideo } from '#contract/training.ts'
import { row, rows, together, type Tx } from '../db/client.ts'
import { sql } from '../db/drizzle.ts'
import { isoText } from '../db/search.ts'
import { refuse } from '../errors.ts'
import { seesGroup } from '../http/sight.ts'
import { cellsOf, columnsOf, makeRoom, peopleOf, type Ground } from './matrix.ts'
import { combinations } from './state.ts'

type Counts = TrainingVideo['counts']
type Sums = Pick<TrainingVideo, 'required' | 'done' | 'overdue' | 'counts'>
type Column = Pick<TrainingVideo, 'id' | 'title' | 'createdAt'> & {
  total: number
  known: [bits: number, n: number][]
}
type Head = Pick<Reply<typeof readTraining>, 'organization' | 'people' | 'projects' | 'groups'>

/** The columns with their sums over all rows of the filter. */
export async function trainingTotals(tx: Tx, ground: Ground): Promise<Reply<typeof readTraining>> {
  await makeRoom(tx)
  const [head, columns] = await together(readHead(tx, ground), readColumns(tx, ground))
  return {
    ...head,
    videos: columns.map(({ id, title, createdAt, known }) => ({ id, title, createdAt, ...sumsOf(known) })),
    videoTotal: columns[0]?.total ?? 0,
    ...sumsOf(columns.flatMap(({ known }) => known)),
    isDiscreet: !ground.shows,
  }
}

function sumsOf(known: Column['known']): Sums {
  const counts: Counts = {}
  const sums = { required: 0, done: 0, overdue: 0, counts }
  for (const [bits, n] of known) {
    const { state, required, done } = combinations[bits] ?? { state: null, required: false, done: false }
    if (state !== null) counts[state] = (counts[state] ?? 0) + n
    if (required) sums.required += n
    if (done) sums.done += n
    if (state === 'overdue') sums.overdue += n
  }
  return sums
}

function readColumns(tx: Tx, ground: Ground): Promise<Column[]> {
  return rows<Column>(
    tx,
    sql`with who as materialized (select u.id, row_number() over () as n from users u where ${peopleOf(ground)}),
        ${columnsOf(ground)}, ${cellsOf(ground)},
        counted as (select v, json_agg(json_build_array(bits, n)) as known
          from (select v, bits, count(*)::int as n from cells group by v, bits) by_bits group by v)
      select k.id, k.title, ${isoText(sql`k.created_at`)} as "createdAt", k.total, coalesce(s.known, '[]') as known
      from columns k left join counted s on s.v = k.n order by k.n`,
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
