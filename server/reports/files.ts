import type { FastifyRequest } from 'fastify'
import type { Database, Scope, Tx } from '../db/client.ts'
import { audit } from '../http/audit.ts'
import type { Caller } from '../http/bearer.ts'
import { csvLine, utf8Mark } from '../http/csv.ts'
import type { Sorted } from '../http/keyset.ts'
import { encodeCursor } from '../http/paging.ts'
import { findEntries, type FoundEntry } from './account-activity.ts'
import { findVideos, type FoundVideo } from './engagement.ts'
import { giveRoom, groundOf, type Ground } from './ground.ts'
import { findTransmissions, type FoundMessages } from './messages.ts'
import type { Cut } from './order.ts'
import { findQuizzes, type FoundQuiz } from './quiz-metrics.ts'
import { findPeople, type FoundPerson } from './user-activity.ts'

type Cell = string | number | null
/** What a report's file says: its name, the heading of each column with what stands in it, and how its rows are found. */
type File<Row extends Sorted, Query> = {
  name: string
  columns: Record<string, (row: Row) => Cell>
  find: (tx: Tx, ground: Ground, query: Query & Cut) => Promise<Row[]>
}

/** Rows of one statement and of one piece of the file. */
const stretch = 1_000

const seconds = (ms: number | null) => (ms === null ? null : Math.round(ms) / 1_000)
/** 0 to 1, to a thousandth of a percent. */
const share = (value: number | null) => (value === null ? null : Math.round(value * 1e5) / 1e5)
const owner = { Organization: (row: { organizationName: string | null }) => row.organizationName }

export const files = {
  userActivity: {
    name: 'account-user-activity',
    columns: {
      Name: (row: FoundPerson) => row.name,
      Email: (row) => row.email,
      ...owner,
      'Last seen': (row) => row.lastSeenAt,
      Received: (row) => row.received,
      Opened: (row) => row.opened,
      Completed: (row) => row.completed,
      'Watched (s)': (row) => seconds(row.watchedMs),
    },
    find: findPeople,
  } satisfies File<FoundPerson, Parameters<typeof findPeople>[2]>,
  videoEngagement: {
    name: 'user-engagement',
    columns: {
      Video: (row: FoundVideo) => row.title,
      ...owner,
      'Length (s)': (row) => seconds(row.durationMs),
      Viewers: (row) => row.viewers,
      'Covered (0 to 1)': (row) => share(row.covered),
      Completed: (row) => row.completed,
      'Rewatched (0 to 1)': (row) => share(row.rewatched),
      'Watched (s)': (row) => seconds(row.watchedMs),
    },
    find: findVideos,
  } satisfies File<FoundVideo, Parameters<typeof findVideos>[2]>,
  accountActivity: {
    name: 'account-activity',
    columns: {
      When: (row: FoundEntry) => row.at,
      Action: (row) => row.action,
      'Done by': (row) => row.actor?.name ?? null,
      Kind: (row) => row.entity,
      'To what': (row) => row.entityName,
      ...owner,
    },
    find: findEntries,
  } satisfies File<FoundEntry, Parameters<typeof findEntries>[2]>,
  messageReports: {
    name: 'message-analytics',
    columns: {
      Transmission: (row: FoundMessages) => row.subject,
      ...owner,
      When: (row) => row.createdAt,
      State: (row) => row.state,
      Recipients: (row) => row.recipients,
      Sent: (row) => row.accepted,
      Failed: (row) => row.failed,
      Uncertain: (row) => row.unknown,
      Opened: (row) => row.opened,
      Started: (row) => row.started,
      Completed: (row) => row.completed,
    },
    find: findTransmissions,
  } satisfies File<FoundMessages, Parameters<typeof findTransmissions>[2]>,
  quizMetrics: {
    name: 'quiz-metrics',
    columns: {
      Video: (row: FoundQuiz) => row.title,
      ...owner,
      Version: (row) => row.number,
      Attempts: (row) => row.attempts,
      People: (row) => row.people,
      Passed: (row) => row.passed,
      'Hardest question': (row) => row.hardest?.prompt ?? null,
      'Mean score of it (0 to 1)': (row) => share(row.hardest?.facility ?? null),
      'Reliability (%)': (row) => share(row.reliability),
      'Last attempt': (row) => row.lastAt,
    },
    find: findQuizzes,
  } satisfies File<FoundQuiz, Parameters<typeof findQuizzes>[2]>,
}

type Reader = { db: Database; scope: Scope; caller: Caller; request: FastifyRequest }
type Asked = Parameters<typeof groundOf>[2]

/** Refuses before the first byte what the report itself would refuse. */
export async function fileOf<Row extends Sorted, Query extends Asked>(
  { db, scope, caller, request }: Reader,
  file: File<Row, Query>,
  query: Query,
) {
  const ground = await db.asReport(scope, async (tx) => {
    const found = await groundOf(tx, caller, query)
    const organizationId = found.organization?.id ?? null
    const about = { organizationId, entity: 'organization', entityId: organizationId }
    await audit(
      tx,
      { caller, request },
      { ...about, action: 'report.exported', after: { report: file.name, ...query } },
    )
    return found
  })
  const { from, to } = ground.spans.span
  const read = (after: string | undefined) =>
    db.asReport(scope, async (tx) => {
      await giveRoom(tx)
      return file.find(tx, ground, { ...query, offset: 0, limit: stretch, after })
    })
  return {
    name: `${file.name}-${from}-to-${to}.csv`,
    type: 'text/csv; charset=utf-8',
    content: linesOf(file, read),
  }
}

/** Every stretch is a transaction of its own: a slow reader holds no connection. */
async function* linesOf<Row extends Sorted>(
  { columns }: Pick<File<Row, never>, 'columns'>,
  read: (after: string | undefined) => Promise<Row[]>,
): AsyncGenerator<string> {
  yield utf8Mark + csvLine(Object.keys(columns))
  const cells = Object.values(columns)
  let after: string | undefined
  do {
    const found = await read(after)
    const shown = found.slice(0, stretch)
    yield shown.map((one) => csvLine(cells.map((cell) => cell(one)))).join('')
    const last = shown.at(-1)
    after = last && found.length > stretch ? encodeCursor([last.key, last.id]) : undefined
  } while (after !== undefined)
}
