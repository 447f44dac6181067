import { NativeSelect } from '@mantine/core'
import { IconSelector } from '@tabler/icons-react'
import { lazy, Suspense, type ReactNode } from 'react'
import { reportPeriods } from '#contract/reports.ts'
import { useUser } from '#web/shell/useSession.ts'
import { Bone } from '#web/ui/Skeletons.tsx'
import { periodWords, type ReportState } from './report.ts'

const OrganizationFilter = lazy(async () => ({
  default: (await import('./OrganizationFilter.tsx')).OrganizationFilter,
}))

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
        <Suspense fallback={<Bone width="200px" height={36} />}>
          <OrganizationFilter
            value={state.organization}
            name={organizationName}
            onChange={(organization) => onChange({ organization })}
          />
        </Suspense>
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

/** The device's own list to choose from; needs no further styles. */
export function Choice({ label, value, onChoose, options }: ChoiceProps) {
  return (
    <NativeSelect
      className="report-choice"
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      data={[...options]}
      rightSection={<IconSelector size={16} aria-hidden />}
    />
  )
}
