import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import { readTraining, type TrainingVideo } from '#contract/matrix/training.ts'
import { requireRow, rows, together, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { seesGroup } from '../platform/http/visibility.ts'
import { bitsAt } from './cells.ts'
import { combinations } from './state.ts'
import { pastDays } from './past.ts'
import { boardOf, cellsOf, columnsOf, isNarrowed, peopleOf, type Board, type MatrixScope } from './grid.ts'
import { called } from '../platform/db/search.ts'

type Counts = TrainingVideo['counts']
type VideoSums = Pick<TrainingVideo, 'required' | 'done' | 'overdue' | 'counts'>
/** These pairs say how many cells have which bits. */
type CellsByBits = [bits: number, n: number][]
const Head = z.pick(readTraining.reply, {
  organization: true,
  people: true,
  projects: true,
  groups: true,
  pastDays: true,
})
type Head = z.infer<typeof Head>

/** Reads the columns with their sums over all rows of the filter. */
export async function trainingTotals(tx: Tx, matrixScope: MatrixScope): Promise<Reply<typeof readTraining>> {
  const [head, board] = await together(readHead(tx, matrixScope), boardOf(tx, matrixScope))
  const known = await readSums(tx, board)
  return {
    ...head,
    videos: board.columns.map(({ id, title, createdAt }) => ({
      id,
      title,
      createdAt,
      ...sumsOf(known.get(id) ?? []),
    })),
    videoTotal: board.columns[0]?.total ?? 0,
    ...sumsOf([...known.values()].flat()),
    isDiscreet: !matrixScope.shows,
    asOf: board.matrix.asOf,
  }
}

const KnownRow = z.object({ id: z.string(), known: z.array(z.tuple([z.number(), z.number()])) })

/** Reads the sums of each video, by its id. */
async function readSums(tx: Tx, board: Board): Promise<ReadonlyMap<string, CellsByBits>> {
  const { matrixScope, matrix, columns } = board
  const kinds = isNarrowed(matrixScope)
    ? sql`(select v, bits, 1 as n from ${cellsOf(board, 'who')}) c`
    : sql`(select k.n as v, ${bitsAt(matrixScope.at, 's', matrixScope.shows)} as bits, 1 as n from columns k join ${matrix.cells} s on s.video_id = k.id) c`
  const found = await rows(
    tx,
    KnownRow,
    sql`with who as materialized (select u.id, row_number() over () as n from users u where ${peopleOf(matrixScope)}),
        ${columnsOf(columns)}
      select k.id, json_agg(json_build_array(c.bits, c.n)) as known
      from (select v, bits, sum(n)::int as n from ${kinds} group by v, bits having sum(n) <> 0) c join columns k on k.n = c.v group by k.id`,
  )
  return new Map(found.map(({ id, known }) => [id, known]))
}

function sumsOf(known: CellsByBits): VideoSums {
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

/** Reads the organization, and what its matrix can be narrowed to. Only somebody who may open content gets projects. */
async function readHead(tx: Tx, matrixScope: MatrixScope): Promise<Head> {
  const { organizationId, groupIds } = matrixScope.visibility
  const own = sql`organization_id = ${organizationId} and deleted_at is null`
  const projects = groupIds
    ? sql`'[]'::json`
    : sql`(select coalesce(json_agg(json_build_object('id', p.id, 'name', p.name) order by ${called(sql`p.name`)}, p.id), '[]')
        from projects p where p.${own})`
  return requireRow(
    tx,
    Head,
    sql`select json_build_object('id', o.id, 'name', o.name) as organization,
        (select count(*)::int from users u where ${peopleOf(matrixScope)}) as people, ${projects} as projects,
        (select coalesce(json_agg(json_build_object('id', g.id, 'name', g.name) order by ${called(sql`g.name`)}, g.id), '[]')
          from groups g where g.${own} and ${seesGroup(matrixScope.visibility, sql`g.id`) ?? sql`true`}) as groups,
        case when d.first <= d.last then json_build_object('first', d.first, 'last', d.last) end as "pastDays"
      from organizations o cross join lateral ${pastDays} d where o.id = ${organizationId} and o.deleted_at is null`,
  )
}
