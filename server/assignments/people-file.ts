import * as z from 'zod/mini'
import { obligationLabels, standingWords, unsentWords } from '#contract/duty/obligation-labels.ts'
import type { Obligation } from '#contract/assignments/assignments.ts'
import type { ParsedBody } from '#contract/endpoint.ts'
import { exportObligations } from '#contract/duty/obligations.ts'
import { fileTypes, paperFile } from '../documents/files.ts'
import { listPaper } from '../documents/list-paper.ts'
import { storedLogo } from '../documents/logo.ts'
import type { Column, Fact, Paper } from '../documents/paper.ts'
import { requireRow, type Scope, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { audit } from '../platform/http/audit.ts'
import type { Caller } from '../platform/http/bearer.ts'
import type { Stretch } from '../platform/http/lists/list.ts'
import { exportedList, exportName, rowsOf, type ColumnOf } from '../platform/http/lists/list-export.ts'
import type { Mount } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import { type Place } from './queries.ts'
import { findPeople } from '../duty/owed.ts'

/** Days are written as days of the organization, which an instant of another zone does not tell. */
const columnsIn = (dayOf: (iso: string) => string): (Column & ColumnOf<Obligation>)[] => [
  { name: 'Name', as: 'text', wide: 2, cell: (one) => one.user.name },
  { name: 'Email', as: 'text', wide: 2, cell: (one) => one.user.email },
  { name: 'State', as: 'text', cell: standingWords },
  { name: 'Reason', as: 'text', cell: (one) => one.reason },
  { name: 'Since', as: 'instant', cell: (one) => one.since },
  { name: 'Due', as: 'text', cell: (one) => one.dueAt && dayOf(one.dueAt) },
  { name: 'Completed', as: 'instant', cell: (one) => one.doneAt },
  { name: 'Confirmed', as: 'instant', cell: (one) => one.confirmedAt },
  { name: 'Valid until', as: 'text', cell: (one) => one.validUntil && dayOf(one.validUntil) },
  { name: 'Missing', as: 'time', cell: (one) => one.missingMs },
  { name: 'Last message', as: 'instant', cell: (one) => one.lastMessageAt },
  { name: 'Not left yet', as: 'text', cell: (one) => one.unsent && unsentWords[one.unsent] },
  { name: 'Next message', as: 'text', cell: (one) => one.nextMessageOn },
]

type PeopleExport = Pick<Services, 'db' | 'log'> & {
  scope: Scope
  place: Place
  body: ParsedBody<typeof exportObligations>
  columns: ReturnType<typeof columnsIn>
}

const listed = ({ db, scope, place, body, columns }: PeopleExport) => ({
  db,
  scope,
  columns,
  find: (tx: Tx, stretch: Stretch) => findPeople(tx, { ...place, ...body, ...stretch }),
})

const About = z.object({
  name: z.string(),
  video: z.string(),
  owner: z.string(),
  slug: z.string(),
  timeZone: z.string(),
})
type About = z.infer<typeof About>

function readAbout(tx: Tx, { orgId, assignmentId }: Place): Promise<About> {
  return requireRow(
    tx,
    About,
    sql`select a.name, v.title as video, z.name as owner, z.slug, z.time_zone as "timeZone" from assignments a
        join organizations z on z.id = a.organization_id join videos v on v.id = a.video_id
      where a.id = ${assignmentId} and a.organization_id = ${orgId}`,
  )
}

/** The file names these filters, so that nobody takes a part for the whole. */
function filtersOf({ filter, ids, exceptIds }: PeopleExport['body']): Fact[] {
  return [
    ...(filter.state ? [{ label: 'State', value: obligationLabels[filter.state].word }] : []),
    ...(filter.q ? [{ label: 'Search', value: filter.q }] : []),
    ...(ids ? [{ label: 'Selected', value: String(ids.length) }] : []),
    ...(exceptIds.length > 0 ? [{ label: 'Left out', value: String(exceptIds.length) }] : []),
  ]
}

type Page = PeopleExport & { about: About; format: 'xlsx' | 'pdf'; by: Pick<Caller, 'name' | 'viewer'> }

async function asPaper({ about, format, by, ...asked }: Page): Promise<Paper> {
  const { orgId } = asked.place
  return listPaper({
    format,
    title: about.name,
    lead: `Who has to see “${about.video}”, and where they stand.`,
    owner: about.owner,
    picture: format === 'pdf' ? await asked.db.as(asked.scope, (tx) => storedLogo(tx, orgId)) : null,
    log: asked.log,
    filters: filtersOf(asked.body),
    by,
    labels: obligationLabels,
    name: 'People',
    columns: asked.columns,
    rows: rowsOf(listed(asked)),
  })
}

export function peopleFileRoutes(mount: Mount, { db, log }: Services): void {
  mount(exportObligations, async ({ caller, scope, params: place, body, request }) => {
    const { format } = body
    const about = await db.as(scope, async (tx) => {
      const found = await readAbout(tx, place)
      await audit(
        tx,
        { caller, request },
        {
          organizationId: place.orgId,
          action: 'obligations.exported',
          entity: 'assignment',
          entityId: place.assignmentId,
          after: { name: found.name, ...body },
        },
      )
      return found
    })
    const days = new Intl.DateTimeFormat('en-CA', { timeZone: about.timeZone, dateStyle: 'short' })
    const columns = columnsIn((iso) => days.format(new Date(iso)))
    const asked = { db, log, scope, place, body, columns }
    const content =
      format === 'csv'
        ? exportedList(listed(asked))
        : paperFile(format, () => asPaper({ ...asked, about, format, by: caller }))
    return { name: `${exportName(about.slug, 'assignment')}.${format}`, type: fileTypes[format], content }
  })
}
