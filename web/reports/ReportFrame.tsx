import { IconHourglass, IconMail, IconShieldCheck, type Icon } from '@tabler/icons-react'
import { Suspense, useState, type ComponentProps, type ReactNode } from 'react'
import type { EndpointDefinition } from '#contract/endpoint.ts'
import type { FileFormat } from '#contract/platform/file-formats.ts'
import type { Quality } from '#contract/tracking/quality.ts'
import { figureMeanings } from '#contract/reports/report-figures.ts'
import { commonMeanings, reportHeads, type ReportName } from '#contract/reports/report-heads.ts'
import { spanText } from '#contract/reports/report-labels.ts'
import type { Overview } from '#contract/reports/report-overviews.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { useReading } from '#web/api/reading.ts'
import type { Filter } from '#web/lists/bar/filters.ts'
import type { ListBar } from '#web/lists/bar/ListBar.tsx'
import type { DrawnTable } from '#web/lists/views.ts'
import { useUser } from '#web/session/useSession.ts'
import { DataQuality } from '#web/ui/figures/DataQuality.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { leaveFlyout } from '#web/ui/overlays/Flyout.tsx'
import { Freshness } from '#web/ui/figures/Freshness.tsx'
import { Meanings } from '#web/ui/Meanings.tsx'
import rows from '#web/ui/overlays/menu.module.css'
import { dialogOnDemand } from '#web/ui/browser/onDemand.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import { usePhone } from '#web/ui/browser/usePhone.ts'
import { Figures } from './Figures.tsx'
import { Filters, type ReportHead } from './Filters.tsx'
import classes from './Report.module.css'
import { isImpossible, periodLabels, type ReportState, type RowChoice } from './report.ts'
import { SendByMail } from './schedules/SendByMail.tsx'
import shapes from '#web/ui/look/shapes.module.css'

const ExportDialog = dialogOnDemand(
  async () => (await import('#web/evidence/export/ExportDialog.tsx')).ExportDialog,
)

type Report = ReportHead & { quality: Quality | null; asOf: string | null }
type Bar = ComponentProps<typeof ListBar>

type Props = {
  name: ReportName
  state: ReportState & RowChoice & { view?: string | undefined }
  onChange: (patch: Partial<ReportState & RowChoice>) => void
  /** Once it is there. */
  report: Report | undefined
  /** What it has found, in words. */
  overview: Overview | undefined
  /** Why there is nothing to show. */
  failure: Error | null
  /** Whether there is nothing to show yet because there is so much to count. */
  isBeingWorkedOut: boolean
  onRetry: () => void
  /** What the page is read from. */
  reads: readonly EndpointDefinition[]
  /** Of the bar: the search and filters of this report alone, and what is chosen about its table. */
  search: Bar['search']
  filters: readonly Filter[] | undefined
  table: NonNullable<Bar['table']> & DrawnTable
  /** The whole table as a file. */
  read: (format: FileFormat) => Promise<Blob>
  /** The organization whose raw evidence can be taken along. */
  evidenceOf: string | undefined
  /** Something about all of it, below the table. */
  before?: ReactNode
  /** Something about how the figures came to be, in place of the quality of evidence. */
  note?: ReactNode
  /** Whether the rows of the table are there, or cannot be had. */
  hasRows: boolean
  /** The table and what turns its pages. */
  children: ReactNode
}

/** What all reports have in common: what they found in one line, the one bar, the figures of the period, and the table. */
export function ReportFrame(props: Props) {
  const { name, state, onChange, report, overview, failure, reads } = props
  const { organizationId } = useUser()
  const reading = useReading(reads, report?.asOf)
  const [dialog, setDialog] = useState<'mail' | 'evidence' | null>(null)
  const close = () => setDialog(null)
  const organization = report?.organization
  return (
    <>
      <PageHead title={reportHeads[name].title} lead={overview?.answer ?? (failure ? '\u00a0' : null)} />
      <Filters
        state={state}
        onChange={onChange}
        head={report}
        search={props.search}
        filters={props.filters ?? []}
        table={props.table}
        views={{
          list: name,
          orgId: organizationId ?? undefined,
          drawn: props.table,
          unsaid: periodOf(state),
          holds: holdsOf(state, report),
        }}
        files={[{ name, read: props.read, note: filesHold }]}
        items={
          <>
            {organization !== undefined && (
              <Item icon={IconMail} label="Send by mail" onPress={() => setDialog('mail')} />
            )}
            {props.evidenceOf !== undefined && (
              <Item icon={IconShieldCheck} label="Export evidence" onPress={() => setDialog('evidence')} />
            )}
          </>
        }
      >
        {!failure && <Freshness {...reading} isToldElsewhere={!report || Boolean(report.quality)} />}
      </Filters>
      {isImpossible(state) && (
        <p className={shapes.hint} role="status">
          The days in the address are not possible, so you see the {periodLabels[state.period].toLowerCase()}.
        </p>
      )}
      {props.isBeingWorkedOut ? (
        <Waiting />
      ) : (
        <>
          {failure && <NotRead error={failure} retry={props.onRetry} />}
          {(report || !failure) && <Body {...props} />}
        </>
      )}
      {dialog === 'mail' && organization !== undefined && (
        <SendByMail name={name} state={state} organizationId={organization?.id ?? null} onClose={close} />
      )}
      {dialog === 'evidence' && props.evidenceOf !== undefined && (
        <Suspense>
          <ExportDialog orgId={props.evidenceOf} onClose={close} />
        </Suspense>
      )}
    </>
  )
}

type ItemProps = { icon: Icon; label: string; onPress: () => void }

function Item({ icon: Shown, label, onPress }: ItemProps) {
  return (
    <button
      type="button"
      className={rows.row}
      onClick={({ currentTarget }) => {
        leaveFlyout(currentTarget)
        onPress()
      }}
    >
      <Shown size={18} aria-hidden />
      {label}
    </button>
  )
}

/** Nothing is wrong and there is nothing to do: the page reads again by itself. */
function Waiting() {
  return (
    <div className={shapes.card} role="status">
      <EmptyState title="These figures are being worked out" icon={<IconHourglass size={24} />}>
        There is very much to count, which mostly takes less than a minute. They appear here by themselves.
      </EmptyState>
    </div>
  )
}

/**
 * The figures, then the table; on a phone, where they would fill the screen, below it. Nothing stands below the table before its rows are
 * there, for whatever stood there would move with them.
 */
function Body({ name, report, overview, before, note, hasRows, children }: Props) {
  const isPhone = usePhone()
  const isWhole = report !== undefined && hasRows
  const figures = (isWhole || !isPhone) && (
    <Figures
      overview={overview}
      range={report?.range}
      quality={report?.quality && <DataQuality quality={report.quality} />}
    />
  )
  return (
    <>
      {!isPhone && figures}
      {children}
      {isPhone && figures}
      {isWhole && <Below {...{ name, overview, before, note }} />}
    </>
  )
}

function Below({ name, overview, before, note }: Pick<Props, 'name' | 'overview' | 'before' | 'note'>) {
  return (
    <div className={`${shapes.stack} ${classes.below}`} data-stop>
      {before}
      {overview?.notes?.map((words) => (
        <p key={words} className={shapes.hint}>
          {words}
        </p>
      ))}
      {note}
      <Meanings
        meanings={[...reportHeads[name].meanings, ...commonMeanings].map((figure) => figureMeanings[figure])}
      />
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
  const start = 'Filters, order, columns and density are saved, and '
  if (state.from === '' || isImpossible(state))
    return `${start}the ${periodLabels[state.period].toLowerCase()}, counted from the day on which somebody opens it.`
  return `${start}these days: ${report ? spanText(report.range) : state.from}. Choose a period instead if the days shall move along.`
}
