import { Suspense } from 'react'
import type { ReportName } from '#contract/reports/report-heads.ts'
import { dialogOnDemand } from '#web/ui/browser/onDemand.tsx'
import { reportQuery, type ReportState, type RowChoice } from '../report.ts'

const ScheduleDialog = dialogOnDemand(async () => (await import('./ScheduleDialog.tsx')).ScheduleDialog)

type Props = {
  name: ReportName
  state: ReportState & RowChoice & { view?: string | undefined }
  /** Whose figures are shown; null for all organizations together. */
  organizationId: string | null
  onClose: () => void
}

/** Has this report, narrowed as it is, sent again and again. */
export function SendByMail({ name, state, organizationId, onClose }: Props) {
  return (
    <Suspense>
      <ScheduleDialog
        report={name}
        view={viewOf(state)}
        organizationId={organizationId}
        hasChosenDays={state.from !== ''}
        {...(state.view !== undefined && state.from === '' ? { period: state.period } : {})}
        onClose={onClose}
      />
    </Suspense>
  )
}

/** What the address says beside its days and its page. */
function viewOf(state: ReportState & RowChoice) {
  const { q, action, sort } = state
  const { period: _period, from: _from, to: _to, ...narrowed } = { from: '', to: '', ...reportQuery(state) }
  return { ...narrowed, ...(q ? { q } : {}), ...(action ? { action } : {}), ...(sort ? { sort } : {}) }
}
