import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import type { Quality } from '#contract/quality.ts'
import { sentence } from '#web/api/errors.ts'
import { DataQuality } from '#web/ui/DataQuality.tsx'
import { offer } from '#web/ui/download.ts'
import { Meanings } from '#web/ui/Meanings.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import { toast } from '#web/ui/toasts.ts'
import { figureMeanings, type FigureName } from '#web/words/figures.ts'
import { Filters, type ReportHead } from './Filters.tsx'
import { isImpossible, periodWords, type ReportState } from './report.ts'

type Props = {
  title: string
  lead: string
  state: ReportState
  onChange: (patch: Partial<ReportState>) => void
  /** Once it is there. */
  report: (ReportHead & { quality: Quality | null }) | undefined
  /** The whole table as a file. */
  file: { name: string; read: () => Promise<Blob> }
  actions?: ReactNode
  /** Filters of this report alone. */
  filters?: ReactNode
  /** The plot and the key figures. */
  overview: ReactNode
  /** Something about how the figures came to be, in place of the quality of evidence. */
  note?: ReactNode
  /** What the columns of the table and the figures mean. */
  meanings: readonly FigureName[]
  /** The table and what turns its pages. */
  children: ReactNode
}

const common = ['period', 'narrowed'] as const

/** What all reports have in common: filters in one line, plot and figures, their quality and meanings, and the table with its file. */
export function ReportFrame(props: Props) {
  const { title, lead, state, onChange, report, file, actions, filters, overview, note, meanings, children } =
    props
  return (
    <>
      <PageHead
        title={title}
        lead={lead}
        actions={
          <>
            {actions}
            <SaveFile {...file} />
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
        <Meanings meanings={[...meanings, ...common].map((name) => figureMeanings[name])} />
        {children}
      </div>
    </>
  )
}

function SaveFile({ name, read }: Props['file']) {
  const [isBusy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      offer(await read(), `${name}-${new Date().toISOString().slice(0, 10)}.csv`)
    } catch (error) {
      toast.failure(sentence(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button
      variant="default"
      loading={isBusy}
      leftSection={<IconDownload size={16} aria-hidden />}
      title="The whole table with these filters, as a file for a spreadsheet"
      onClick={() => void save()}
    >
      Export CSV
    </Button>
  )
}
