import type { ReactNode } from 'react'
import type { FileFormat } from '#contract/file-formats.ts'
import type { Quality } from '#contract/quality.ts'
import { figureMeanings } from '#contract/report-figures.ts'
import { commonMeanings, reportHeads, type ReportName } from '#contract/report-heads.ts'
import { Download } from '#web/shell/download/Download.tsx'
import { DataQuality } from '#web/ui/DataQuality.tsx'
import { Meanings } from '#web/ui/Meanings.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import { Filters, type ReportHead } from './Filters.tsx'
import { isImpossible, periodWords, type ReportState, type RowChoice } from './report.ts'
import { SendByMail } from './schedules/SendByMail.tsx'

type Props = {
  name: ReportName
  state: ReportState & RowChoice
  onChange: (patch: Partial<ReportState>) => void
  /** Once it is there. */
  report: (ReportHead & { quality: Quality | null }) | undefined
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
  const { name, state, onChange, report, read, actions, filters, overview, note, children } = props
  const { title, lead, meanings } = reportHeads[name]
  return (
    <>
      <PageHead
        title={title}
        lead={lead}
        actions={
          <>
            {actions}
            <SendByMail name={name} state={state} organization={report && report.organization} />
            <Download files={[{ name, read }]} />
          </>
        }
      />
      <Filters state={state} onChange={onChange} head={report}>
        {filters}
      </Filters>
      {isImpossible(state) && (
        <p className="report-note" role="status">
          The days in the address are not possible, so you see the {periodWords[state.period].toLowerCase()}.
        </p>
      )}
      <div className="report">
        {overview}
        {report && (note ?? (report.quality && <DataQuality quality={report.quality} />))}
        <Meanings meanings={[...meanings, ...commonMeanings].map((figure) => figureMeanings[figure])} />
        {children}
      </div>
    </>
  )
}
