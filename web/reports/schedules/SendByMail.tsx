import { Button } from '@mantine/core'
import { IconMail } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import type { ReportName } from '#contract/report-heads.ts'
import { dialogOnDemand } from '#web/ui/onDemand.tsx'
import { reportQuery, type ReportState, type RowChoice } from '../report.ts'
import { tip } from '#web/ui/tips.ts'

const ScheduleDialog = dialogOnDemand(async () => (await import('./ScheduleDialog.tsx')).ScheduleDialog)

type Props = {
  name: ReportName
  state: ReportState & RowChoice & { view?: string | undefined }
  /** Whose figures are shown; undefined until the report is there, null for all organizations together. */
  organization: { id: string } | null | undefined
}

/** Has this report, narrowed as it is, sent again and again. */
export function SendByMail({ name, state, organization }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconMail size={16} aria-hidden />}
        {...tip('Have this report sent to you again and again')}
        disabled={organization === undefined}
        onClick={() => setOpen(true)}
      >
        Send by mail
      </Button>
      <Suspense>
        {isOpen && organization !== undefined && (
          <ScheduleDialog
            report={name}
            view={viewOf(state)}
            organizationId={organization?.id ?? null}
            hasChosenDays={state.from !== ''}
            {...(state.view !== undefined && state.from === '' ? { period: state.period } : {})}
            onClose={() => setOpen(false)}
          />
        )}
      </Suspense>
    </>
  )
}

/** What the address says beside its days and its page. */
function viewOf(state: ReportState & RowChoice) {
  const { q, action, sort } = state
  const { period: _period, from: _from, to: _to, ...narrowed } = { from: '', to: '', ...reportQuery(state) }
  return { ...narrowed, ...(q ? { q } : {}), ...(action ? { action } : {}), ...(sort ? { sort } : {}) }
}
