import { Button } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import { listMessageReports, messageSorts, reportMessages, type MessageReport } from '#contract/reports.ts'
import { explain } from '#web/api/errors.ts'
import { prefetch, useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { readSearch, usePageSearch, type LoadInput } from '#web/shell/page.ts'
import { useUser } from '#web/shell/useSession.ts'
import { DataTable, type Column } from '#web/ui/DataTable.tsx'
import { ErrorState } from '#web/ui/ErrorState.tsx'
import { Figure, Figures } from '#web/ui/Figure.tsx'
import { formatNumber, plural } from '#web/ui/format.ts'
import { PageHead } from '#web/ui/PageHead.tsx'
import { Pager } from '#web/ui/Pager.tsx'
import { ShareBar } from '#web/ui/ShareBar.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import { Filters } from './Filters.tsx'
import { Nothing } from './Nothing.tsx'
import { Meanings, Part, Plot } from './Report.tsx'
import { reportFields, reportQuery, shareOf } from './report.ts'

const search = z.object({ ...reportFields, sort: z.catch(z.enum(messageSorts), '-createdAt') })
type Search = z.output<typeof search>

function listQuery({ sort, offset, ...state }: Search) {
  return { ...reportQuery(state), sort, offset }
}

export function load({ search: given }: LoadInput) {
  const state = readSearch(search, given)
  return Promise.all([
    prefetch(reportMessages, { query: reportQuery(state) }),
    prefetch(listMessageReports, { query: listQuery(state) }),
  ])
}

const meanings = [
  {
    label: 'Recipients',
    value:
      'People whom a transmission of the period set out to reach, each once. Who was left out from the start, being disabled or without an address, is not among them.',
  },
  { label: 'Sent', value: 'The mail server has taken the mail.' },
  { label: 'Failed', value: 'The mail was refused, came back, or could not be sent within a day.' },
  { label: 'Uncertain', value: 'The line broke while the mail left; it may have arrived or not.' },
  { label: 'Opened', value: 'The video page was opened by the personal link. Shares are of those sent.' },
  { label: 'Started', value: 'At least some of the video was played.' },
  {
    label: 'Completed',
    value:
      'The video was covered up to the threshold of the organization (95% unless it chose another). It never falls back.',
  },
]

function counted(header: string, field: 'opened' | 'started' | 'completed'): Column<MessageReport> {
  return {
    key: field,
    header,
    align: 'end',
    width: '112px',
    ...(field === 'started' ? { from: 'lg' } : { sort: field }),
    cell: ({ accepted, [field]: count }) => (count === 0 ? null : <Part count={count} whole={accepted} />),
  }
}

const figures: readonly Column<MessageReport>[] = [
  {
    key: 'sent',
    header: 'Sent',
    sort: 'recipients',
    width: '176px',
    cell: ({ recipients, accepted, failed, unknown }) => (
      <span className="report-share report-sent">
        <ShareBar
          total={recipients}
          parts={[
            { tone: 'success', value: accepted, label: `${formatNumber(accepted)} sent` },
            { tone: 'danger', value: failed, label: `${formatNumber(failed)} failed` },
            { tone: 'warning', value: unknown, label: `${formatNumber(unknown)} uncertain` },
          ]}
        />
        <span>
          {formatNumber(accepted)} of {formatNumber(recipients)}
        </span>
      </span>
    ),
  },
  {
    key: 'failed',
    header: 'Failed',
    align: 'end',
    width: '80px',
    from: 'lg',
    cell: ({ failed }) => (failed === 0 ? null : formatNumber(failed)),
  },
  {
    key: 'unknown',
    header: 'Uncertain',
    align: 'end',
    width: '96px',
    from: 'lg',
    cell: ({ unknown }) => (unknown === 0 ? null : formatNumber(unknown)),
  },
  counted('Opened', 'opened'),
  counted('Started', 'started'),
  counted('Completed', 'completed'),
  {
    key: 'created',
    header: 'When',
    sort: 'createdAt',
    width: '120px',
    dimmed: true,
    from: 'md',
    cell: ({ createdAt }) => <RelativeTime iso={createdAt} />,
  },
]

function columnsFor(mayOpen: boolean, ofAll: boolean): readonly Column<MessageReport>[] {
  const subject: Column<MessageReport> = {
    key: 'subject',
    header: 'Transmission',
    sort: 'subject',
    isName: true,
    cell: ({ id, subject: text, organizationName }) => {
      const title = ofAll ? `${text} (${organizationName})` : text
      return mayOpen ? (
        <Link to={paths.transmission(id)} title={title}>
          {text}
        </Link>
      ) : (
        <span title={title}>{text}</span>
      )
    },
  }
  return [subject, ...figures]
}

export function MessageAnalyticsPage() {
  const { role } = useUser()
  const [state, change] = usePageSearch(search)
  const report = useList(reportMessages, { query: reportQuery(state) })
  const { page, isStale, error, retry } = useList(listMessageReports, { query: listQuery(state) })
  const failure = report.error ?? error
  if (failure) return <ErrorState {...explain(failure)} onRetry={report.error ? report.retry : retry} />
  const create = (
    <Button component={Link} to={paths.transmissionCreate()}>
      New transmission
    </Button>
  )
  return (
    <>
      <PageHead
        title="Message Analytics"
        lead="What became of each transmission, from the mail to the last second."
      />
      <Filters state={state} onChange={change} organizationName={report.page?.organization?.name} />
      <div className="report">
        {report.page && <Overview report={report.page} period={state.period} />}
        <Meanings meanings={meanings} />
        <DataTable
          name="Transmissions and what became of them"
          columns={columnsFor(role !== 'groupadmin', role === 'superadmin' && state.organization === '')}
          rows={page?.items}
          rowKey={({ id }) => id}
          sort={state.sort}
          onSort={(sort) => change({ sort: readSearch(search, { sort }).sort })}
          isStale={isStale}
          empty={
            <Nothing
              title="Nothing was sent in this period"
              icon={<IconSend size={24} />}
              onLonger={state.period === '12m' ? undefined : () => change({ period: '12m' })}
              next={role === 'groupadmin' ? undefined : create}
            >
              As soon as a transmission leaves, this report shows who got it, opened it and watched it to the
              end.
            </Nothing>
          }
        />
      </div>
      {page && <Pager {...page} offset={state.offset} onOffset={(offset) => change({ offset })} />}
    </>
  )
}

type OverviewProps = { report: Reply<typeof reportMessages>; period: Search['period'] }

function Overview({ report, period }: OverviewProps) {
  const { transmissions, recipients, accepted, failed, unknown, opened, started, completed } = report
  const steps = report.steps.map(({ day, sent }) => ({ day, value: sent, text: plural(sent, 'message') }))
  const trouble = [
    failed > 0 && `${formatNumber(failed)} failed`,
    unknown > 0 && `${formatNumber(unknown)} uncertain`,
  ].filter(Boolean)
  return (
    <>
      <Plot
        title="Messages sent"
        sum={accepted === 0 ? 'nothing was sent' : `${plural(accepted, 'message')} in all`}
        period={period}
        steps={steps}
      />
      <Figures>
        <Figure
          label="Sent"
          value={formatNumber(accepted)}
          hint={[
            `to ${plural(recipients, 'recipient')} in ${plural(transmissions, 'transmission')}`,
            ...trouble,
          ].join(', ')}
        />
        <Figure label="Opened" value={formatNumber(opened)} hint={shareOf(opened, accepted, 'those sent')} />
        <Figure
          label="Started"
          value={formatNumber(started)}
          hint={shareOf(started, accepted, 'those sent')}
        />
        <Figure
          label="Completed"
          value={formatNumber(completed)}
          hint={shareOf(completed, accepted, 'those sent')}
        />
      </Figures>
    </>
  )
}
