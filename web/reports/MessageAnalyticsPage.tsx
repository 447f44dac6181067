import { Button } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import {
  exportMessageReports,
  listMessageReports,
  messageSorts,
  reportMessages,
  type MessageReport,
} from '#contract/reports/reports.ts'
import { messagesOverview } from '#contract/reports/report-overviews.ts'
import { paths } from '#web/paths.ts'
import { OutboxNote } from '#web/layout/OutboxNote.tsx'
import type { Column } from '#web/ui/table/DataTable.tsx'
import { formatNumber } from '#web/ui/format.ts'
import { ShareBar } from '#web/ui/figures/ShareBar.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import { organization } from './columns.ts'
import { Nothing } from './Nothing.tsx'
import { Part } from './Report.tsx'
import classes from './Report.module.css'
import { longer, reportFields, type ReportState } from './report.ts'
import { reportPage } from './reportPage.tsx'
import { ToPeople } from './ToPeople.tsx'
import { tip, tipStop, whole } from '#web/ui/overlays/tips.ts'

const search = z.object({ ...reportFields, sort: z.catch(z.enum(messageSorts), '-createdAt') })
function counted(header: string, field: 'opened' | 'started' | 'completed'): Column<MessageReport> {
  return {
    key: field,
    header,
    align: 'end',
    width: field === 'completed' ? '112px' : '96px',
    ...(field === 'completed' ? { phone: 'line' } : {}),
    ...(field === 'started' ? { from: 'lg' } : { sort: field }),
    cell: ({ accepted, [field]: count }) => (count === 0 ? null : <Part count={count} whole={accepted} />),
  }
}

/** The number leads to the people behind a transmission, in the report that lists people. */
const sentFor = (state: ReportState): Column<MessageReport> => ({
  key: 'sent',
  header: 'Sent',
  sort: 'recipients',
  width: '168px',
  phone: 'line',
  cell: ({ id, subject, recipients, accepted, resting, failed, unknown }) => (
    <span className={classes.share}>
      <ShareBar
        total={recipients}
        parts={[
          { tone: 'success', value: accepted, label: `${formatNumber(accepted)} sent` },
          { tone: 'neutral', value: resting, label: `${formatNumber(resting)} in the outbox` },
          { tone: 'danger', value: failed, label: `${formatNumber(failed)} failed` },
          { tone: 'warning', value: unknown, label: `${formatNumber(unknown)} uncertain` },
        ]}
      />
      <ToPeople state={{ ...state, transmission: id }} sort="-completed" of={subject}>
        {`${formatNumber(accepted)} of ${formatNumber(recipients)}`}
      </ToPeople>
    </span>
  ),
})

const figures: readonly Column<MessageReport>[] = [
  {
    key: 'failed',
    header: 'Failed',
    align: 'end',
    width: '80px',
    isExtra: true,
    cell: ({ failed }) => (failed === 0 ? null : formatNumber(failed)),
  },
  {
    key: 'unknown',
    header: 'Uncertain',
    align: 'end',
    width: '96px',
    isExtra: true,
    cell: ({ unknown }) => (unknown === 0 ? null : formatNumber(unknown)),
  },
  counted('Opened', 'opened'),
  counted('Started', 'started'),
  counted('Completed', 'completed'),
  {
    key: 'created',
    header: 'When',
    sort: 'createdAt',
    width: '112px',
    dimmed: true,
    from: 'md',
    phone: 'end',
    cell: ({ createdAt }) => <RelativeTime iso={createdAt} />,
  },
]

/** Beside so many figures there is no room for it, unless somebody chooses it. */
const extraOrganization: Column<MessageReport> = { ...organization, isExtra: true }

type ColumnOptions = { mayOpen: boolean; isSuperadmin: boolean; ofAll: boolean; state: ReportState }

function columnsFor({
  mayOpen,
  isSuperadmin,
  ofAll,
  state,
}: ColumnOptions): readonly Column<MessageReport>[] {
  const subject: Column<MessageReport> = {
    key: 'subject',
    header: 'Transmission',
    sort: 'subject',
    isName: true,
    cell: ({ id, subject: text, organizationName }) => {
      const more = ofAll && `${text} (${organizationName})`
      if (!mayOpen) return more ? <span {...tipStop(more)}>{text}</span> : text
      return (
        <Link to={paths.transmission(id)} {...(more ? tip(more) : whole)}>
          {text}
        </Link>
      )
    },
  }
  return [subject, ...(isSuperadmin ? [extraOrganization] : []), sentFor(state), ...figures]
}

const { load, Page } = reportPage({
  name: 'message-analytics',
  search,
  report: reportMessages,
  list: listMessageReports,
  file: exportMessageReports,
  overview: messagesOverview,
  before: <OutboxNote />,
  title: 'Transmissions and what became of them',
  columns: ({ role, isSuperadmin, ofAll, state }) =>
    columnsFor({ mayOpen: role !== 'groupadmin', isSuperadmin, ofAll, state }),
  rowKey: ({ id }) => id,
  empty: ({ role, state, change }) => {
    const further = longer(state)
    const create = (
      <Button component={Link} to={paths.transmissionCreate()}>
        Add a transmission
      </Button>
    )
    return (
      <Nothing
        title="Nothing was sent in this period"
        icon={<IconSend size={24} />}
        onLonger={further && (() => change(further))}
        next={role === 'groupadmin' ? undefined : create}
      >
        As soon as a transmission leaves, this report shows who got it, opened it and completed it.
      </Nothing>
    )
  },
})
export { load, Page as MessageAnalyticsPage }
