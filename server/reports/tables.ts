import type { ReportFileQuery, ReportName } from '#contract/report-files.ts'
import type { Tx } from '../db/client.ts'
import type { Sorted } from '../http/keyset.ts'
import { encodeCursor } from '../http/paging.ts'
import type { Cell, Column as PaperColumn } from '../print/paper.ts'
import { findEntries, type FoundEntry } from './account-activity.ts'
import { findVideos, type FoundVideo } from './engagement.ts'
import type { Ground } from './ground.ts'
import { findTransmissions, type FoundMessages } from './messages.ts'
import type { Cut } from './order.ts'
import { findQuizzes, type FoundQuiz } from './quiz-metrics.ts'
import { findPeople, type FoundPerson } from './user-activity.ts'

type Column<Row> = PaperColumn & {
  /** The heading in CSV, where cells are bare numbers and their unit has to stand there. */
  csv?: string
  of: (row: Row) => Cell
}

/** A stretch of rows as the report orders them, and the position behind it; undefined: these were the last. */
type Stretch = { rows: Cell[][]; after: string | undefined }

/** The table of a report, as a file has it. */
export type Table<Query> = {
  /** What a row is, in the plural: "People". */
  rows: string
  columns: readonly (PaperColumn & { csv?: string })[]
  read: (tx: Tx, ground: Ground, query: Query & Cut) => Promise<Stretch>
}

type Described<Row, Query> = {
  rows: string
  columns: readonly Column<Row>[]
  find: (tx: Tx, ground: Ground, query: Query & Cut) => Promise<Row[]>
}

function table<Row extends Sorted, Query>({ rows, columns, find }: Described<Row, Query>): Table<Query> {
  return {
    rows,
    columns,
    read: async (tx, ground, query) => {
      const found = await find(tx, ground, query)
      const shown = found.slice(0, query.limit)
      const last = found.length > shown.length ? shown.at(-1) : undefined
      return {
        rows: shown.map((row) => columns.map(({ of }) => of(row))),
        after: last && encodeCursor([last.key, last.id]),
      }
    },
  }
}

const notShown = 'Not shown'
const owner = {
  name: 'Organization',
  as: 'text',
  of: (row: { organizationName: string | null }) => row.organizationName,
} as const
const watched = {
  name: 'Watched',
  csv: 'Watched (s)',
  as: 'time',
  none: notShown,
  of: (row: { watchedMs: number | null }) => row.watchedMs,
} as const

export const tables: { [Name in ReportName]: Table<ReportFileQuery<Name>> } = {
  'account-user-activity': table({
    rows: 'People',
    columns: [
      { name: 'Name', as: 'text', of: (row: FoundPerson) => row.name },
      { name: 'Email', as: 'text', of: (row) => row.email },
      owner,
      { name: 'Last seen', as: 'instant', of: (row) => row.lastSeenAt },
      { name: 'Received', as: 'count', of: (row) => row.received },
      { name: 'Opened', as: 'count', of: (row) => row.opened },
      { name: 'Completed', as: 'count', of: (row) => row.completed },
      watched,
    ],
    find: findPeople,
  }),
  'user-engagement': table({
    rows: 'Videos',
    columns: [
      { name: 'Video', as: 'text', of: (row: FoundVideo) => row.title },
      owner,
      { name: 'Length', csv: 'Length (s)', as: 'clock', of: (row) => row.durationMs },
      { name: 'Viewers', as: 'count', of: (row) => row.viewers },
      { name: 'Covered', csv: 'Covered (0 to 1)', as: 'share', of: (row) => row.covered },
      { name: 'Completed', as: 'count', of: (row) => row.completed },
      { name: 'Rewatched', csv: 'Rewatched (0 to 1)', as: 'share', of: (row) => row.rewatched },
      watched,
    ],
    find: findVideos,
  }),
  'account-activity': table({
    rows: 'Actions',
    columns: [
      { name: 'When', as: 'instant', of: (row: FoundEntry) => row.at },
      { name: 'Action', as: 'text', of: (row) => row.action },
      { name: 'Done by', as: 'text', of: (row) => row.actor?.name ?? null },
      { name: 'Kind', as: 'text', of: (row) => row.entity },
      { name: 'To what', as: 'text', of: (row) => row.entityName },
      owner,
    ],
    find: findEntries,
  }),
  'message-analytics': table({
    rows: 'Transmissions',
    columns: [
      { name: 'Transmission', as: 'text', of: (row: FoundMessages) => row.subject },
      owner,
      { name: 'When', as: 'instant', of: (row) => row.createdAt },
      { name: 'State', as: 'text', of: (row) => row.state },
      { name: 'Recipients', as: 'count', of: (row) => row.recipients },
      { name: 'Sent', as: 'count', of: (row) => row.accepted },
      { name: 'Failed', as: 'count', of: (row) => row.failed },
      { name: 'Uncertain', as: 'count', of: (row) => row.unknown },
      { name: 'Opened', as: 'count', of: (row) => row.opened },
      { name: 'Started', as: 'count', of: (row) => row.started },
      { name: 'Completed', as: 'count', of: (row) => row.completed },
    ],
    find: findTransmissions,
  }),
  'quiz-metrics': table({
    rows: 'Questions',
    columns: [
      { name: 'Video', as: 'text', of: (row: FoundQuiz) => row.title },
      owner,
      { name: 'Version', as: 'count', of: (row) => row.number },
      { name: 'Attempts', as: 'count', of: (row) => row.attempts },
      { name: 'People', as: 'count', of: (row) => row.people },
      { name: 'Passed', as: 'count', none: 'Too few people', of: (row) => row.passed },
      { name: 'Hardest question', as: 'text', of: (row) => row.hardest?.prompt ?? null },
      {
        name: 'Mean score of it',
        csv: 'Mean score of it (0 to 1)',
        as: 'share',
        of: (row) => row.hardest?.facility ?? null,
      },
      { name: 'Reliability', csv: 'Reliability (%)', as: 'percent', of: (row) => row.reliability },
      { name: 'Last attempt', as: 'instant', of: (row) => row.lastAt },
    ],
    find: findQuizzes,
  }),
}
