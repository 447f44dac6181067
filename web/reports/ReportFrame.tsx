import { IconHourglass } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { EndpointDefinition } from '#contract/endpoint.ts'
import type { FileFormat } from '#contract/file-formats.ts'
import type { Quality } from '#contract/quality.ts'
import { figureMeanings } from '#contract/report-figures.ts'
import { commonMeanings, reportHeads, type ReportName } from '#contract/report-heads.ts'
import { spanText } from '#contract/report-labels.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { useReading } from '#web/api/reading.ts'
import { Download } from '#web/lists/download/Download.tsx'
import { ViewsMenu } from '#web/lists/ViewsMenu.tsx'
import type { DrawnTable } from '#web/lists/views.ts'
import { useUser } from '#web/session/useSession.ts'
import { DataQuality } from '#web/ui/DataQuality.tsx'
import { EmptyState } from '#web/ui/EmptyState.tsx'
import { Freshness } from '#web/ui/Freshness.tsx'
import { Meanings } from '#web/ui/Meanings.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import { Filters, type ReportHead } from './Filters.tsx'
import { isImpossible, periodLabels, type ReportState, type RowChoice } from './report.ts'
import { SendByMail } from './schedules/SendByMail.tsx'

type Props = {
  name: ReportName
  state: ReportState & RowChoice & { view?: string | undefined }
  onChange: (patch: Partial<ReportState>) => void
  /** Once it is there. */
  report: (ReportHead & { quality: Quality | null; asOf: string | null }) | undefined
  /** Why there is nothing to show. */
  failure: Error | null
  /** Whether there is nothing to show yet because there is so much to count. */
  isBeingWorkedOut: boolean
  onRetry: () => void
  /** What the page is read from. */
  reads: readonly EndpointDefinition[]
  drawn: DrawnTable
  /** The whole table as a file. */
  read: (format: FileFormat) => Promise<Blob>
  actions?: ReactNode
  /** Filters of this report alone. */
  filters?: ReactNode
  /** The plot and the key figures. */
  overview: ReactNode
  /** Something about how the figures came to be, in place of the quality of evidence. */
  note?: ReactNode
  /** The table and what turns its pages. */
  children: ReactNode
}

/** What all reports have in common: filters in one line, plot and figures, their quality and meanings, and the table with its file. */
export function ReportFrame(props: Props) {
  const { name, state, onChange, report, failure, reads, drawn, read, actions, filters } = props
  const { title, lead } = reportHeads[name]
  const { organizationId } = useUser()
  const reading = useReading(reads, report?.asOf)
  return (
    <>
      <PageHead
        title={title}
        lead={lead}
        actions={
          <>
            {actions}
            <SendByMail name={name} state={state} organization={report && report.organization} />
            <Download files={[{ name, read, note: filesHold }]} />
          </>
        }
      />
      <Filters
        state={state}
        onChange={onChange}
        head={report}
        end={
          <>
            <Freshness {...reading} />
            <ViewsMenu
              list={name}
              orgId={organizationId ?? undefined}
              drawn={drawn}
              unsaid={periodOf(state)}
              holds={holdsOf(state, report)}
            />
          </>
        }
      >
        {filters}
      </Filters>
      {isImpossible(state) && (
        <p className="ui-hint" role="status">
          The days in the address are not possible, so you see the {periodLabels[state.period].toLowerCase()}.
        </p>
      )}
      {props.isBeingWorkedOut ? (
        <Waiting />
      ) : failure ? (
        <div className="ui-card">
          <NotRead error={failure} retry={props.onRetry} />
        </div>
      ) : (
        <Body {...props} />
      )}
    </>
  )
}

/** Nothing is wrong and there is nothing to do: the page reads again by itself. */
function Waiting() {
  return (
    <div className="ui-card" role="status">
      <EmptyState title="These figures are being worked out" icon={<IconHourglass size={24} />}>
        There is very much to count, which mostly takes less than a minute. They appear here by themselves.
      </EmptyState>
    </div>
  )
}

function Body({ name, report, overview, note, children }: Props) {
  return (
    <div className="ui-stack">
      <div className="report-figures" data-stop="row">
        {overview}
        {report && (note ?? (report.quality && <DataQuality quality={report.quality} />))}
        <Meanings
          meanings={[...reportHeads[name].meanings, ...commonMeanings].map(
            (figure) => figureMeanings[figure],
          )}
        />
      </div>
      {children}
    </div>
  )
}

/** A file is evidence: whoever makes one gets the same, however their table looks. */
const filesHold = 'All rows that the filters find, with all columns, also those that you have left out here.'

/** A period that moves along is part of a view even while the address takes it for granted. */
function periodOf({ period, from }: ReportState): Record<string, string> {
  return from === '' ? { period } : {}
}

/** What a view of the report keeps, and which days it will show. */
function holdsOf(state: ReportState, report: ReportHead | undefined): string {
  const kept = 'Filters, order, columns and density are saved, and '
  if (state.from === '' || isImpossible(state))
    return `${kept}the ${periodLabels[state.period].toLowerCase()}, counted from the day on which somebody opens it.`
  return `${kept}these days: ${report ? spanText(report.range) : state.from}. Choose a period instead if the days shall move along.`
}
