import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { ParsedQuery } from '#contract/endpoint.ts'
import type { TrainingState } from '#contract/matrix/standing.ts'
import { type listTraining, TrainingRow } from '#contract/matrix/training.ts'
import { row, rows, together, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { called, all } from '../platform/db/search.ts'
import { behind, orderBy, pageOf, slice, type Order } from '../platform/http/lists/keyset.ts'
import { bitsAt } from './cells.ts'
import { combinations, letters } from './state.ts'
import { boardOf, cellsOf, columnsOf, means, peopleOf, type Board, type MatrixScope } from './grid.ts'
import { Count } from '../platform/db/rows.ts'

type Query = ParsedQuery<typeof listTraining>
type Sort = Query['sort']
type StateFilter = { state: TrainingState | undefined; notDone: string | undefined }
type Cut = StateFilter & { sort: Sort; after: string | undefined; slice: SQL }
const SortedRow = z.extend(TrainingRow, { key: z.string() })
type SortedRow = z.infer<typeof SortedRow>
/** `known` is a list such as `{1,2}`. Each number stands for a column and for what is known in it. */
const PersonLine = z.extend(z.omit(SortedRow, { cells: true }), { known: z.string() })
type PersonLine = z.infer<typeof PersonLine>

const keys = {
  name: { by: called(sql`r.name`), type: 'text' },
  done: { by: sql`(case when r.required = 0 then 1 else r.done::float8 / r.required end)`, type: 'float8' },
  overdue: { by: sql`r.overdue::float8`, type: 'float8' },
} as const

function orderOf(sort: Sort): Order {
  const descending = sort.startsWith('-')
  // Without its sign, the rest of a sort is a key of the table.
  const { by, type } = keys[(descending ? sort.slice(1) : sort) as keyof typeof keys]
  return { by, type, id: sql`r.id`, descending }
}

const isByName = ({ sort, state }: Cut) => (sort === 'name' || sort === '-name') && state === undefined

/** Returns the condition on `users u` for the rows. If a video is named, only people who have yet to do it remain. */
function inRows({ matrixScope, matrix }: Board, { notDone }: StateFilter): SQL {
  const open = sql`select c.user_id from (select s.user_id, ${bitsAt(matrixScope.at, 's', matrixScope.shows)} as bits from ${matrix.cells} s
    where s.video_id = ${notDone ?? null}::uuid) c where ${isOpen}`
  return all([peopleOf(matrixScope), notDone && sql`u.id in (${open})`])
}

/** Returns the CTE `who` (id, n, name, email) with the people of the filter. Sorted by name, those of the page are enough. */
function whoOf(board: Board, cut: Cut): SQL {
  const order = orderOf(cut.sort)
  const page = sql`where ${cut.after === undefined ? sql`true` : behind(order, cut.after)} order by ${orderBy(order)} ${cut.slice}`
  return sql`who as materialized (select r.*, row_number() over () as n from (
    select r.* from (select u.id, u.name, u.email from users u where ${inRows(board, cut)}) r ${isByName(cut) ? page : sql``}) r)`
}

/** Returns the CTE `people` (id, n, name, email, required, done, overdue) with the people of the filter and their sums. */
function summed(board: Board, cut: Cut): SQL {
  const { state } = cut
  const sum = (condition: SQL) => sql`coalesce(sum(c.n) filter (where ${condition}), 0)::int`
  return sql`people as (
    select w.id, w.n, w.name, w.email, ${sum(isRequired)} as required, ${sum(isDone)} as done, ${sum(isOverdue)} as overdue
    from who w left join (select p, bits, count(*) as n from ${cellsOf(board, 'who')} group by p, bits) c on c.p = w.n
    group by w.id, w.n, w.name, w.email ${state === undefined ? sql`` : sql`having sum(c.n) filter (where ${isIn(state)}) > 0`})`
}

const isOpen = means(({ required, done }) => required && !done)
const isRequired = means(({ required }) => required)
const isDone = means(({ done }) => done)
const isOverdue = isIn('overdue')
function isIn(wanted: TrainingState): SQL {
  return means(({ state }) => state === wanted)
}

/** Finds the rows of a page, and one more when there are others behind it. */
export async function findRows(tx: Tx, board: Board, cut: Cut): Promise<SortedRow[]> {
  const { columns } = board
  const order = orderOf(cut.sort)
  const isCut = isByName(cut)
  const where = all([!isCut && cut.after !== undefined && behind(order, cut.after)])
  const found = await rows(
    tx,
    PersonLine,
    sql`with ${whoOf(board, cut)}, ${columnsOf(columns)}, ${summed(board, cut)},
        page as materialized (select r.*, ${order.by}::text as key from people r where ${where} order by ${orderBy(order)}
          ${isCut ? sql`` : cut.slice}),
        lines as (select c.p, array_agg(c.v * ${sql.raw(String(combinations.length))} + c.bits)::text as known from ${cellsOf(board, 'page')} group by c.p)
      select r.id, r.name, r.email, r.required, r.done, r.overdue, r.key, coalesce(l.known, '{}') as known
      from page r left join lines l on l.p = r.n order by ${orderBy(order)}`,
  )
  return found.map(({ known, ...line }) => Object.assign(line, { cells: lettersOf(known, columns.length) }))
}

function lettersOf(known: string, columns: number): string {
  const cells = Array.from({ length: columns }, () => '-')
  for (const [one] of known.matchAll(/\d+/g))
    cells[Math.floor(Number(one) / combinations.length) - 1] =
      letters[Number(one) % combinations.length] ?? '-'
  return cells.join('')
}

function countPeople(tx: Tx, board: Board, who: StateFilter): Promise<{ n: number } | undefined> {
  const { columns } = board
  const { state } = who
  const theirs = sql`users u where ${inRows(board, who)}`
  if (state === undefined) return row(tx, Count, sql`select count(*)::int as n from ${theirs}`)
  return row(
    tx,
    Count,
    sql`with who as materialized (select u.id, row_number() over () as n from ${theirs}),
        ${columnsOf(columns)}
      select count(*)::int as n from (select p from ${cellsOf(board, 'who')} where ${isIn(state)} group by p) found`,
  )
}

export async function trainingPage(
  tx: Tx,
  matrixScope: MatrixScope,
  { query, request }: { query: Query; request: FastifyRequest },
) {
  const { sort, state, notDone, after } = query
  const board = await boardOf(tx, matrixScope)
  const [found, total] = await together(
    findRows(tx, board, { sort, state, notDone, after, slice: slice(query) }),
    countPeople(tx, board, { state, notDone }),
  )
  const list = pageOf({ request, query, total: { n: total?.n ?? 0, counted: false }, found })
  return { ...list, videoIds: board.columns.map(({ id }) => id) }
}
