import { notShown } from '#contract/platform/text/format.ts'
import { actionWord } from '#contract/platform/audit-actions.ts'
import { transmissionStateWord } from '#contract/transmissions/delivery-labels.ts'
import type { ReportFileQuery } from '#contract/reports/report-files.ts'
import type { ReportName } from '#contract/reports/report-heads.ts'
import type { Tx } from '../platform/db/client.ts'
import type { ListQuery, Sorted } from '../platform/http/lists/keyset.ts'
import { encodeCursor } from '../platform/http/lists/paging.ts'
import type { Stretch } from '../documents/collect.ts'
import type { Cell, Column as PaperColumn } from '../documents/paper.ts'
import { findEntries, type FoundEntry } from './account-activity.ts'
import { findVideos, type FoundVideo } from './engagement.ts'
import type { ReportScope } from './scope.ts'
import { findTransmissions, type FoundMessages } from './messages.ts'
import { findQuizzes, type FoundQuiz } from './quiz-metrics.ts'
import { findPeople, type FoundPerson } from './user-activity.ts'
import { capitalized } from '#contract/platform/text/text.ts'

/** What a column is in a table of any format. */
type Head = PaperColumn & {
  /** The heading in CSV, where cells are bare numbers and their unit has to stand there. */
  csv?: string
  /** The key of the order by which the table can be sorted by it. */
  sort?: string
  /** Only where several organizations are told of. */
  ofAll?: boolean
}
type Column<Row> = Head & {
  of: (row: Row) => Cell
  /** In the words of the screen, where CSV has a code. */
  inWords?: (row: Row) => string
}

/** The table of a report, as a file has it. */
export type Table<Query> = {
  /** What a row is, in the plural: "People". */
  rows: string
  columns: readonly Head[]
  /** `form`: cells for a program, or in words for people. */
  read: (
    tx: Tx,
    scope: ReportScope,
    query: Query & ListQuery & { form: 'bare' | 'words' },
  ) => Promise<Stretch>
}

type Described<Row, Query> = {
  rows: string
  columns: readonly Column<Row>[]
  find: (tx: Tx, scope: ReportScope, query: Query & ListQuery) => Promise<Row[]>
}

function table<Row extends Sorted, Query>({ rows, columns, find }: Described<Row, Query>): Table<Query> {
  return {
    rows,
    columns,
    read: async (tx, scope, query) => {
      const found = await find(tx, scope, query)
      const shown = found.slice(0, query.limit)
      const last = found.length > shown.length ? shown.at(-1) : undefined
      return {
        rows: shown.map((row) =>
          columns.map(({ of, inWords }) => (query.form === 'words' && inWords ? inWords(row) : of(row))),
        ),
        after: last && encodeCursor([last.key, last.id]),
      }
    },
  }
}

/** `treat_as_failed` becomes "Treat as failed". */
const plain = (code: string) => capitalized(code).replaceAll('_', ' ')

/** Who is not named has either not signed in, or is not a person at all. */
function actorText({ actor, action }: FoundEntry): string {
  if (actor) return actor.name ?? 'A superadmin'
  return action.endsWith('_failed') ? 'Somebody not signed in' : 'The product itself'
}

const owner = {
  name: 'Organization',
  as: 'text',
  ofAll: true,
  of: (row: { organizationName: string | null }) => row.organizationName,
} as const
const watched = {
  name: 'Watched',
  csv: 'Watched (s)',
  as: 'time',
  sort: 'watchedMs',
  none: notShown,
  of: (row: { watchedMs: number | null }) => row.watchedMs,
} as const

export const tables: { [Name in ReportName]: Table<ReportFileQuery<Name>> } = {
  'account-user-activity': table({
    rows: 'People',
    columns: [
      { name: 'Name', as: 'text', sort: 'name', wide: 2, of: (row: FoundPerson) => row.name },
      { name: 'Email', as: 'text', wide: 2.4, of: (row) => row.email },
      owner,
      { name: 'Last active', as: 'instant', sort: 'lastActiveAt', of: (row) => row.lastActiveAt },
      { name: 'Received', as: 'count', sort: 'received', of: (row) => row.received },
      { name: 'Opened', as: 'count', sort: 'opened', of: (row) => row.opened },
      { name: 'Completed', as: 'count', sort: 'completed', of: (row) => row.completed },
      watched,
    ],
    find: findPeople,
  }),
  'user-engagement': table({
    rows: 'Videos',
    columns: [
      { name: 'Video', as: 'text', sort: 'title', wide: 3, of: (row: FoundVideo) => row.title },
      owner,
      { name: 'Length', csv: 'Length (s)', as: 'clock', of: (row) => row.durationMs },
      { name: 'Viewers', as: 'count', sort: 'viewers', of: (row) => row.viewers },
      { name: 'Seen', csv: 'Seen (0 to 1)', as: 'share', sort: 'covered', of: (row) => row.covered },
      { name: 'Completed', as: 'count', sort: 'completed', of: (row) => row.completed },
      {
        name: 'Rewatched',
        csv: 'Rewatched (0 to 1)',
        as: 'share',
        sort: 'rewatched',
        of: (row) => row.rewatched,
      },
      watched,
    ],
    find: findVideos,
  }),
  'account-activity': table({
    rows: 'Actions',
    columns: [
      { name: 'When', as: 'instant', sort: 'at', of: (row: FoundEntry) => row.at },
      {
        name: 'Action',
        as: 'text',
        sort: 'action',
        wide: 2,
        of: (row) => row.action,
        inWords: ({ action }) => actionWord(action),
      },
      { name: 'Done by', as: 'text', wide: 1.6, of: (row) => row.actor?.name ?? null, inWords: actorText },
      { name: 'Kind', as: 'text', of: (row) => row.entity, inWords: ({ entity }) => plain(entity) },
      { name: 'To what', as: 'text', wide: 2.4, of: (row) => row.entityName },
      owner,
    ],
    find: findEntries,
  }),
  'message-analytics': table({
    rows: 'Transmissions',
    columns: [
      { name: 'Transmission', as: 'text', sort: 'subject', wide: 3, of: (row: FoundMessages) => row.subject },
      owner,
      { name: 'When', as: 'instant', sort: 'createdAt', of: (row) => row.createdAt },
      { name: 'State', as: 'text', of: transmissionStateWord },
      { name: 'Recipients', as: 'count', sort: 'recipients', of: (row) => row.recipients },
      { name: 'Sent', as: 'count', of: (row) => row.accepted },
      { name: 'In the outbox', as: 'count', of: (row) => row.resting },
      { name: 'Failed', as: 'count', of: (row) => row.failed },
      { name: 'Uncertain', as: 'count', of: (row) => row.unknown },
      { name: 'Opened', as: 'count', sort: 'opened', of: (row) => row.opened },
      { name: 'Started', as: 'count', of: (row) => row.started },
      { name: 'Completed', as: 'count', sort: 'completed', of: (row) => row.completed },
    ],
    find: findTransmissions,
  }),
  'quiz-metrics': table({
    rows: 'Questions',
    columns: [
      { name: 'Video', as: 'text', sort: 'title', wide: 2.4, of: (row: FoundQuiz) => row.title },
      owner,
      { name: 'Version', as: 'count', of: (row) => row.number },
      { name: 'Attempts', as: 'count', sort: 'attempts', of: (row) => row.attempts },
      { name: 'People', as: 'count', sort: 'people', of: (row) => row.people },
      { name: 'Passed', as: 'count', sort: 'passRate', none: 'Too few people', of: (row) => row.passed },
      { name: 'Hardest question', as: 'text', wide: 3, of: (row) => row.hardest?.prompt ?? null },
      {
        name: 'Right',
        csv: 'Right (0 to 1)',
        as: 'share',
        of: (row) => row.hardest?.right ?? null,
      },
      { name: 'Last attempt', as: 'instant', sort: 'lastAt', of: (row) => row.lastAt },
    ],
    find: findQuizzes,
  }),
}

/** From the least and from the most, by what a column holds. */
const directions = {
  text: ['A to Z', 'Z to A'],
  instant: ['earliest first', 'latest first'],
} as const

/** "Watched, most first". */
export function orderText(report: ReportName, sort: string): string {
  const key = sort.replace(/^-/, '')
  const column = tables[report].columns.find((one) => one.sort === key)
  if (!column) throw new Error(`no column of ${report} is sorted by ${key}`)
  const words = column.as === 'text' || column.as === 'instant' ? directions[column.as] : undefined
  const [least, most] = words ?? ['least first', 'most first']
  return `${key === 'passRate' ? 'Share of people who passed' : column.name}, ${sort === key ? least : most}`
}
