import type { ReactNode } from 'react'
import { reportPeriods } from '#contract/reports.ts'
import { OrganizationFilter } from '#web/shell/organizationFilter/OrganizationFilter.tsx'
import { useUser } from '#web/shell/useSession.ts'
import { NativeChoice } from '#web/ui/NativeChoice.tsx'
import { periodWords, type ReportState } from './report.ts'

type Props = {
  state: ReportState
  onChange: (patch: Partial<ReportState>) => void
  /** Name of the chosen organization, once it is known. */
  organizationName: string | undefined
  /** Filters of this report alone. */
  children?: ReactNode
}

/** One line: the period, for superadmins whose figures, and what else a report offers. */
export function Filters({ state, onChange, organizationName, children }: Props) {
  const isSuperadmin = useUser().role === 'superadmin'
  return (
    <div className="ui-filters">
      <Choice
        label="Period"
        value={state.period}
        onChoose={(value) => onChange({ period: reportPeriods.find((period) => period === value) ?? '30d' })}
        options={reportPeriods.map((value) => ({ value, label: periodWords[value] }))}
      />
      {isSuperadmin && (
        <OrganizationFilter
          value={state.organization}
          name={organizationName}
          onChange={(organization) => onChange({ organization })}
        />
      )}
      {children}
    </div>
  )
}

type ChoiceProps = {
  label: string
  value: string
  onChoose: (value: string) => void
  options: readonly { value: string; label: string }[]
}

export function Choice({ label, value, onChoose, options }: ChoiceProps) {
  return (
    <NativeChoice
      className="report-choice"
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      data={[...options]}
    />
  )
}
