import * as z from 'zod/mini'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { trainingLetters, trainingStates } from '#contract/matrix/standing.ts'
import type { exportTraining } from '#contract/matrix/training.ts'
import { trainingLabels } from '#contract/matrix/training-labels.ts'
import { rows, type Database, type Scope, type Tx } from '../platform/db/client.ts'
import { idsOf } from '../platform/db/rows.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { isoText } from '../platform/db/search.ts'
import { csvPieces } from '../platform/http/lists/csv.ts'
import type { Stretch } from '../documents/collect.ts'
import { encodeCursor } from '../platform/http/lists/paging.ts'
import { dayOnly } from '../platform/db/search.ts'
import type { Cell, Column } from '../documents/paper.ts'
import { stands } from '../duty/obligations.ts'
import { dayOrInstant } from '../directory/organizations/days.ts'
import { obliged } from '../duty/obliged.ts'
import { failing } from './failing.ts'
import { boardOf, type MatrixScope } from './grid.ts'
import { findRows } from './rows.ts'
import { asksToWatch, hasArrived } from '../deliveries.ts'

type Query = ParsedQuery<typeof exportTraining>
export type Order = { db: Database; scope: Scope; matrixScope: MatrixScope; query: Query }
type Row = Awaited<ReturnType<typeof findRows>>[number]
type Video = { id: string; title: string }

/** One statement reads this number of people, and each piece of the file holds as many. */
const stretch = 250

const byLetter = new Map<string, string>(
  trainingStates.map((state) => [trainingLetters[state], trainingLabels[state].word]),
)

/** These colours are pale enough for dark words. */
const fills = {
  [trainingLabels.passed.word]: '#bfe3d2',
  [trainingLabels.completed.word]: '#ddf0e7',
  [trainingLabels.expired.word]: '#fbecd2',
  [trainingLabels.waived.word]: '#e9ecf1',
  [trainingLabels.overdue.word]: '#f9d2ce',
  [trainingLabels.out_of_attempts.word]: '#f3c6e0',
  [trainingLabels.failed.word]: '#fae0ee',
  [trainingLabels.started.word]: '#d6e8f5',
  [trainingLabels.delivered.word]: '#fbecd2',
}

const ofPeople: readonly Column[] = [
  { name: 'Name', as: 'text', wide: 2 },
  { name: 'Email', as: 'text', wide: 2 },
]
const sums: readonly Column[] = ['Required', 'Completed', 'Late'].map((name) => ({ name, as: 'count' }))
const ofCells: readonly Column[] = [
  ...ofPeople,
  { name: 'Video', as: 'text', wide: 2 },
  { name: 'State', as: 'text', fills },
  ...['Assigned', 'Delivered', 'Due', 'Started', 'Completed', 'Passed', 'Failed'].map((name) => ({
    name,
    as: name === 'Due' ? ('text' as const) : ('instant' as const),
  })),
  { name: 'Attempt left', as: 'text' },
  { name: 'Waived by', as: 'text' },
  { name: 'Waived', as: 'instant' },
  { name: 'Waived until', as: 'text' },
  { name: 'Reason', as: 'text', wide: 2 },
]

/** Returns the columns of a form, and a function that reads its rows from a position on. Every stretch is a transaction of its own. */
export async function trainingTable(order: Order) {
  const { db, scope, matrixScope, query } = order
  const { sort, state, notDone } = query
  const { columns: videos } = await db.asReport(scope, (tx) => boardOf(tx, matrixScope))
  const isMatrix = query.form === 'matrix'
  const titles = videos.map(({ title }): Column => ({ name: title, as: 'text', fills }))
  const read = (after: string | undefined): Promise<Stretch> =>
    db.asReport(scope, async (tx) => {
      const board = { ...(await boardOf(tx, matrixScope)), columns: videos }
      const slice = sql`limit ${stretch}`
      const found = await findRows(tx, board, { sort, state, notDone, after, slice })
      const last = found.length === stretch ? found.at(-1) : undefined
      return {
        rows: isMatrix ? found.map(matrixRow) : await cellRows(tx, order, { people: found, videos }),
        after: last && encodeCursor([last.key, last.id]),
      }
    })
  return { columns: isMatrix ? [...ofPeople, ...sums, ...titles] : ofCells, read }
}

/** Yields the file as text, in pieces, so that a slow reader holds no connection. */
export async function* exportedTraining(order: Order): AsyncGenerator<string> {
  const { columns, read } = await trainingTable(order)
  yield* csvPieces(
    columns.map(({ name }) => name),
    read,
  )
}

function matrixRow({ name, email, required, done, overdue, cells }: Row): Cell[] {
  const states = Array.from(cells, (letter) => byLetter.get(letter) ?? null)
  return [name, email, required, done, overdue, ...states]
}

const Details = z.object({ userId: z.string(), videoId: z.string(), facts: z.array(z.nullable(z.string())) })
type Details = z.infer<typeof Details>

/**
 * Returns one row for each cell of which something is known. A state narrows them to the cells in it, and `notDone` to those of that video.
 */
async function cellRows(
  tx: Tx,
  { matrixScope, query }: Order,
  { people, videos }: { people: readonly Row[]; videos: readonly Video[] },
): Promise<Cell[][]> {
  const details = await readDetails(tx, matrixScope, people)
  const wanted = query.state && trainingLetters[query.state]
  return people.flatMap(({ id, name, email, cells }) =>
    videos.flatMap((video, at) => {
      const letter = cells[at] ?? '-'
      const isAside = (wanted && letter !== wanted) || (query.notDone && video.id !== query.notDone)
      if (letter === '-' || isAside) return []
      const facts = details.get(`${id} ${video.id}`) ?? []
      return [[name, email, video.title, byLetter.get(letter) ?? null, ...facts]]
    }),
  )
}

/** Reads the dates and reasons of these people by person and video, in the order of the columns. */
async function readDetails(
  tx: Tx,
  { visibility: { organizationId }, shows }: MatrixScope,
  people: readonly Row[],
): Promise<ReadonlyMap<string, (string | null)[]>> {
  const whose = idsOf(people)
  const mine = sql`organization_id = ${organizationId} and user_id = any(${whose})`
  const [organization, ofOne] = [sql`${organizationId}::uuid`, sql`w.id`]
  const theirs = obliged({ organizationId: organization, userId: ofOne })
  const passed = sql`union all select user_id, video_id, null, null, null, null, null, min(completed_at), null, null, null, null, null, null, null
      from quiz_attempts where ${mine} and passed group by 1, 2
    union all select f.user_id, f.video_id, null, null, null, null, null, null, failed_at, case when is_final then 'No' else 'Yes' end, null, null, null, null, null
      from unnest(${whose}) w(id) cross join lateral ${failing({ organizationId: organization, userId: ofOne })} f`
  const instants = ['assigned', 'delivered', 'due', 'started', 'completed', 'passed', 'failed'] as const
  const isOwed = sql`bool_or(owed is not null)`
  // Where an assignment asks for it, the day and the completion are those of the assignment.
  const as: Partial<Record<(typeof instants)[number], SQL>> = {
    due: sql`case when ${isOwed} then min(due) filter (where owed) else max(due) end`,
    completed: sql`case when ${isOwed} then case when not bool_or(owed) then max(completed) filter (where owed is not null) end else max(completed) end`,
    failed: sql`case when max(completed) is null or bool_or(owed) then max(failed) end`,
  }
  const zone = sql`(select time_zone from organizations where id = ${organization})`
  const columns = instants.map((name) => {
    const at = sql`(${as[name] ?? sql`max(${sql.raw(name)})`})`
    return name === 'due' ? dayOrInstant(at, zone) : isoText(at)
  })
  const found = await rows(
    tx,
    Details,
    sql`select user_id as "userId", video_id as "videoId", json_build_array(${sql.join(columns, sql`, `)},
          case when max(completed) is null or bool_or(owed) then max(more) end, max(by), ${isoText(sql`max(waived)`)}, ${dayOrInstant(sql`max(until)`, zone)}, max(reason)) as facts
      from (select d.user_id, t.video_id, min(t.dated_at) as assigned, min(d.accepted_at) filter (where ${hasArrived('d')}) as delivered, max(t.due_at) as due,
          null::timestamptz as started, null::timestamptz as completed, null::timestamptz as passed, null::timestamptz as failed, null::text as more,
          null::text as by, null::timestamptz as waived, null::timestamptz as until, null::text as reason, null::boolean as owed
        from deliveries d join transmissions t on t.id = d.transmission_id and t.state <> 'draft'
        where d.organization_id = ${organizationId} and d.user_id = any(${whose}) and ${asksToWatch('d')} group by 1, 2
      union all select user_id, video_id, null, null, null,
          ${shows ? sql`min(first_at) filter (where plays > 0 or covered_ms > 0)` : sql`null`},
          ${shows ? sql`min(completed_at)` : dayOnly(sql`min(completed_at)`)}, null, null, null, null, null, null, null, null
        from viewer_videos where ${mine} group by 1, 2
      ${shows ? passed : sql``}
      union all select o.user_id, o.video_id, o.since, null, o.due_at, null, o.done_at, null, null, null, null, null,
          case when o.state = 'waived' then o.waived_until end, case when o.state = 'waived' then o.reason end, o.state <> 'done'
        from unnest(${whose}) w(id) cross join lateral (select o.* from ${theirs}) o
      union all select x.user_id, x.video_id, null, null, null, null, null, null, null, null, x.given_by_name, x.given_at, x.until, x.reason, null
        from training_waivers x where x.organization_id = ${organizationId} and x.user_id = any(${whose}) and ${stands}) signs
      group by user_id, video_id`,
  )
  return new Map(found.map(({ userId, videoId, facts }) => [`${userId} ${videoId}`, facts]))
}
