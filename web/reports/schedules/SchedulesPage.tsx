import { Button } from '@mantine/core'
import {
  IconMail,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconSend,
  IconTrash,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import * as z from 'zod/mini'
import { reportHeads } from '#contract/reports/report-heads.ts'
import {
  createReportSchedule,
  deleteReportSchedule,
  listReportSchedules,
  pauseReportSchedule,
  readReportSchedule,
  resumeReportSchedule,
  sendReportSchedule,
  type ReportSchedule,
} from '#contract/reports/report-schedules.ts'
import { spanText } from '#contract/reports/report-labels.ts'
import { attempt } from '#web/api/attempt.ts'
import { fetchFresh, prefetch, soon, useChange, useList } from '#web/api/query.ts'
import { session } from '#web/api/session.ts'
import { paths } from '#web/paths.ts'
import { readSearch, usePageSearch, type LoadInput } from '#web/layout/page.ts'
import { useMailRests } from '#web/layout/OutboxNote.tsx'
import { useUser } from '#web/session/useSession.ts'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { dialogOnDemand } from '#web/ui/browser/onDemand.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import { Pager } from '#web/ui/table/Pager.tsx'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { RowMenu, type RowAct } from '#web/ui/table/RowMenu.tsx'
import {
  aboutText,
  comingText,
  periodLabels,
  clockText,
  readersText,
  rhythmText,
  shortMoment,
  stateLabels,
  troubleOf,
} from './labels.ts'
import classes from './schedules.module.css'
import { tip, tipStop } from '#web/ui/overlays/tips.ts'
import shapes from '#web/ui/look/shapes.module.css'
import two from '#web/ui/look/twoLines.module.css'

const ScheduleDialog = dialogOnDemand(async () => (await import('./ScheduleDialog.tsx')).ScheduleDialog)

const empty = (
  <EmptyState
    title="No report comes by mail yet"
    icon={<IconMail size={24} />}
    action={
      <Button component={Link} to={paths.reportUserActivity()}>
        Open a report
      </Button>
    }
  >
    Open a report, narrow it as you need it, and choose Send by mail. It then comes every day, week or month.
  </EmptyState>
)

const search = z.object({
  offset: z.catch(z.coerce.number().check(z.gte(0), z.lte(10_000)), 0),
})

const own = { of: 'me', limit: 100 } as const
const others = (offset: number) => ({ of: 'others', limit: 25, offset }) as const
const seesOthers = (role: string | undefined) => role === 'admin' || role === 'superadmin'

export function load({ search: given }: LoadInput) {
  const { offset } = readSearch(search, given)
  const queries = seesOthers(session.read().user?.role) ? [own, others(offset)] : [own]
  return soon(queries.map((query) => prefetch(listReportSchedules, { query })))
}

const titleOf = ({ report }: ReportSchedule) => reportHeads[report].title
/** For buttons, where several schedules may be of the same report. */
const nameOf = (schedule: ReportSchedule) => `${titleOf(schedule)}, ${rhythmText(schedule)}`

function addressOf({ report, view }: ReportSchedule, range?: { from: string; to: string }) {
  const { organizationId, groupId, projectId, videoId, transmissionId, ...rest } = view
  const fields = {
    organization: organizationId,
    group: groupId,
    project: projectId,
    video: videoId,
    transmission: transmissionId,
    ...rest,
    ...range,
  }
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value))
  return { to: `/reports/${report}`, search: given }
}

/** Its name, and below it to how many others it goes. */
function Report(schedule: ReportSchedule) {
  const readers = readersText(schedule)
  return (
    <span className={two.lines}>
      <Link {...addressOf(schedule)} {...tip(`${titleOf(schedule)}: ${aboutText(schedule)}`)}>
        {titleOf(schedule)}
      </Link>
      {readers && <span>{readers}</span>}
    </span>
  )
}

const columns: readonly Column<ReportSchedule>[] = [
  {
    key: 'report',
    header: 'Report',
    isName: true,
    cell: Report,
  },
  { key: 'about', header: 'Of', width: '96px', from: 'lg', dimmed: true, cell: aboutText },
  {
    key: 'when',
    header: 'When',
    width: '252px',
    cell: (schedule) => `${rhythmText(schedule)}, ${periodLabels[schedule.period]}`,
  },
  {
    key: 'next',
    header: 'Next',
    width: '160px',
    cell: ({ next, timeZone, organizationName }) =>
      next && (
        <time
          dateTime={next.at}
          {...tipStop(`${comingText(next, timeZone)} ${clockText({ organizationName, timeZone })}`)}
        >
          {shortMoment(next.at, timeZone)}
        </time>
      ),
  },
  {
    key: 'sent',
    header: 'Last sent',
    width: '104px',
    dimmed: true,
    from: 'md',
    cell: ({ lastSentAt }) => lastSentAt && <RelativeTime iso={lastSentAt} />,
  },
  { key: 'state', header: 'State', width: '124px', cell: State },
]

const owner: Column<ReportSchedule> = {
  key: 'owner',
  header: 'To',
  isName: true,
  cell: ({ ownerName }) => ownerName,
}
const ofOthers = [owner, ...columns.map((column) => ({ ...column, isName: false }))]

function State(schedule: ReportSchedule) {
  const { pauseReason } = schedule
  const trouble = troubleOf(schedule)
  if (pauseReason === null)
    return <StatusBadge tone={trouble ? 'danger' : 'success'}>{trouble ? 'Not sent' : 'Active'}</StatusBadge>
  return <StatusBadge tone="warning">{stateLabels[pauseReason]}</StatusBadge>
}

const othersActions = (schedule: ReportSchedule) => <OthersActions schedule={schedule} />

function ownActions(onChange: (schedule: ReportSchedule) => void) {
  return (schedule: ReportSchedule) => <OwnActions schedule={schedule} onChange={() => onChange(schedule)} />
}

/** One's own reports by mail, and below them, for administrators, those of others, which they may stop. */
export function SchedulesPage() {
  const { role } = useUser()
  const { page, isStale, error, retry } = useList(listReportSchedules, { query: own })
  const [changed, setChanged] = useState<ReportSchedule | null>(null)
  const open = ({ id }: ReportSchedule) =>
    attempt(async () => {
      setChanged(await fetchFresh(readReportSchedule, { params: { scheduleId: id } }))
    })
  return (
    <>
      <PageHead
        title="Reports by mail"
        crumbs={<Link to={paths.settings()}>Settings</Link>}
        lead="With what you may see at that moment, by the clock of the organization."
      />
      {error && <NotRead error={error} retry={retry} />}
      {(page || !error) && (
        <>
          <Troubles schedules={page?.items ?? []} />
          <DataTable
            name="Reports that come by mail"
            columns={columns}
            rows={page?.items}
            rowKey={({ id }) => id}
            isStale={isStale}
            actions={ownActions((schedule) => void open(schedule))}
            skeletonRows={3}
            empty={empty}
          />
          {seesOthers(role) && <Others />}
        </>
      )}
      <Suspense>
        {changed && (
          <ScheduleDialog
            report={changed.report}
            view={changed.view}
            organizationId={changed.organizationId}
            schedule={changed}
            onClose={() => setChanged(null)}
          />
        )}
      </Suspense>
    </>
  )
}

/** What does not come as it should, and why. */
function Troubles({ schedules }: { schedules: readonly ReportSchedule[] }) {
  const found = schedules.flatMap((schedule) => {
    const text = troubleOf(schedule)
    return text === undefined ? [] : [{ schedule, text }]
  })
  if (found.length === 0) return null
  return (
    <ul className={classes.troubles} aria-label="What does not come">
      {found.map(({ schedule, text }) => (
        <li key={schedule.id} data-row className={`${shapes.card} ${shapes.pad}`}>
          <strong>{nameOf(schedule)}.</strong> {text}
        </li>
      ))}
    </ul>
  )
}

/** Nothing where nobody else has any. */
function Others() {
  const [{ offset }, change] = usePageSearch(search)
  const { page, isStale, error, retry } = useList(listReportSchedules, { query: others(offset) })
  if (error) return <NotRead error={error} retry={retry} />
  if (!page || page.total === 0) return null
  return (
    <section aria-labelledby="others">
      <h2 id="others" className={classes.others}>
        Of other people
      </h2>
      <DataTable
        name="Reports that other people get by mail"
        columns={ofOthers}
        rows={page.items}
        rowKey={({ id }) => id}
        isStale={isStale}
        actions={othersActions}
        empty={null}
      />
      <Pager {...page} onOffset={(next) => change({ offset: next })} />
    </section>
  )
}

/** Pauses it, or lets it go on; what somebody else has paused for themselves is theirs to let go on. */
function useStopAndGo(schedule: ReportSchedule): RowAct | false {
  const pause = useChange(pauseReportSchedule, [listReportSchedules])
  const resume = useChange(resumeReportSchedule, [listReportSchedules])
  const params = { scheduleId: schedule.id }
  if (schedule.pauseReason === null)
    return {
      icon: IconPlayerPause,
      label: 'Pause',
      onPress: () => void attempt(() => pause.mutateAsync({ params })),
    }
  return (
    (schedule.own || schedule.pauseReason === 'by_admin') && {
      icon: IconPlayerPlay,
      label: 'Resume',
      onPress: () => void attempt(() => resume.mutateAsync({ params })),
    }
  )
}

function OthersActions({ schedule }: { schedule: ReportSchedule }) {
  return <RowMenu name={`${nameOf(schedule)}, to ${schedule.ownerName}`} acts={[useStopAndGo(schedule)]} />
}

function OwnActions({ schedule, onChange }: { schedule: ReportSchedule; onChange: () => void }) {
  const { email } = useUser()
  const rests = useMailRests()
  const send = useChange(sendReportSchedule, [listReportSchedules])
  const remove = useRemoval(schedule)
  const stopAndGo = useStopAndGo(schedule)
  const sendNow = async () => {
    const { range } = await send.mutateAsync({ params: { scheduleId: schedule.id } })
    const what = `${titleOf(schedule)} over ${spanText(range)}`
    toast.success(
      rests
        ? `${what} rests in the outbox, because no mail server is set up.`
        : `${what} is on its way to ${email}.`,
    )
  }
  return (
    <RowMenu
      name={nameOf(schedule)}
      isBusy={send.isPending}
      acts={[
        { icon: IconSend, label: 'Send now', onPress: () => void attempt(sendNow) },
        stopAndGo,
        { icon: IconPencil, label: 'Edit', onPress: onChange },
        { icon: IconTrash, label: 'Remove', isDangerous: true, onPress: () => void attempt(remove) },
      ]}
    />
  )
}

/** At once, because it can be set up again as it was. */
function useRemoval(schedule: ReportSchedule) {
  const remove = useChange(deleteReportSchedule, [listReportSchedules])
  const create = useChange(createReportSchedule, [listReportSchedules])
  const restore = () => {
    const { report, view, rhythm, weekday, monthDay, hour, period, formats } = schedule
    const addresses = schedule.addresses.flatMap(({ address, state }) => (state === 'ended' ? [] : [address]))
    const body = { report, view, rhythm, weekday, monthDay, hour, period, formats, addresses }
    return attempt(() => create.mutateAsync({ body }))
  }
  return async () => {
    await remove.mutateAsync({ params: { scheduleId: schedule.id } })
    toast.success(`${titleOf(schedule)} comes by mail no more.`, { label: 'Undo', run: () => void restore() })
  }
}
