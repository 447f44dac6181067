import { Button, TextInput } from '@mantine/core'
import { IconFilter } from '@tabler/icons-react'
import { useId, useState, type ReactNode } from 'react'
import { longestRangeMonths, reportPeriods, reportSubjects } from '#contract/report-scope.ts'
import type { ReportSubject } from '#contract/report-scope.ts'
import type { Range } from '#contract/report-labels.ts'
import { useUser } from '#web/session/useSession.ts'
import { FilterBar } from '#web/ui/FilterBar.tsx'
import { NativeChoice } from '#web/ui/NativeChoice.tsx'
import { isImpossible, noSubjects, periodLabels, type ReportState } from './report.ts'
import { SubjectFilter } from './SubjectFilter.tsx'

type Named = { id: string; name: string } | null
/** What a report says of itself, as far as the filters need it. */
export type ReportHead = {
  organization: Named
  subjects: Record<ReportSubject, Named>
  range: Range
}

type Props = {
  state: ReportState
  onChange: (patch: Partial<ReportState>) => void
  /** Once the report is there. */
  head: ReportHead | undefined
  /** Filters of this report alone. */
  children?: ReactNode
  /** What stands at the end of the line. */
  end?: ReactNode
}

const chosenRange = 'range'

/** One line: the period, for superadmins whose figures, and what else a report offers; below it what it is narrowed to. */
export function Filters({ state, onChange, head, children, end }: Props) {
  const isSuperadmin = useUser().role === 'superadmin'
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const chosen = reportSubjects.filter((subject) => state[subject] !== '')
  const hasDays = state.from !== '' && !isImpossible(state)
  const shown = isOpen ? reportSubjects : chosen
  return (
    <>
      <FilterBar>
        <Choice
          label="Period"
          value={hasDays ? chosenRange : state.period}
          onChoose={(value) => onChange(periodFrom(value, head))}
          options={[
            ...reportPeriods.map((value) => ({ value, label: periodLabels[value] })),
            { value: chosenRange, label: 'Days to choose' },
          ]}
        />
        {hasDays && <Days state={state} onChange={onChange} head={head} />}
        {isSuperadmin && (
          // The bar, which says it on the screen, is not printed.
          <span className="ui-print-only" hidden>
            Organization: {head?.organization?.name ?? 'all organizations'}
          </span>
        )}
        {children}
        <Button
          variant="default"
          leftSection={<IconFilter size={16} aria-hidden />}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Fewer filters' : 'More filters'}
        </Button>
        {end && <div className="ui-filters-end">{end}</div>}
      </FilterBar>
      <div className="ui-filters report-subjects" id={id} hidden={shown.length === 0}>
        {shown.map((subject) => (
          <SubjectFilter
            key={`${subject} ${state.organization}`}
            of={subject}
            value={state[subject]}
            name={head?.subjects[subject]?.name}
            organization={state.organization}
            onChange={(value) => onChange({ [subject]: value })}
          />
        ))}
        {chosen.length > 0 && (
          <Button variant="subtle" onClick={() => onChange(noSubjects)}>
            Clear filters
          </Button>
        )}
      </div>
    </>
  )
}

/** Days to choose begin with those that are shown. */
function periodFrom(value: string, head: ReportHead | undefined): Partial<ReportState> {
  if (value === chosenRange) return head ? { from: head.range.from, to: head.range.to } : {}
  return { period: reportPeriods.find((period) => period === value) ?? '30d', from: '', to: '' }
}

/** The day so many months later or earlier. */
function monthsFrom(day: string, months: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCMonth(date.getUTCMonth() + months)
  return date.toISOString().slice(0, 10)
}

function Days({ state, onChange, head }: Omit<Props, 'children' | 'end'>) {
  const from = state.from
  const to = state.to || (head?.range.to ?? '')
  const isDay = (day: string) => /^2\d{3}-/.test(day)
  const changeFrom = (day: string) => {
    if (!isDay(day)) return
    const last = monthsFrom(day, longestRangeMonths)
    onChange({ from: day, to: to < day ? day : to < last ? to : monthsFrom(day, longestRangeMonths - 1) })
  }
  const changeTo = (day: string) => {
    if (!isDay(day)) return
    const first = monthsFrom(day, 1 - longestRangeMonths)
    onChange({ from: from > day ? day : from > first ? from : first, to: day })
  }
  return (
    <span className="report-days" role="group" aria-label="Days to choose">
      <TextInput
        type="date"
        aria-label="First day"
        value={from}
        onChange={(event) => changeFrom(event.currentTarget.value)}
      />
      <span aria-hidden>to</span>
      <TextInput
        type="date"
        aria-label="Last day"
        value={to}
        onChange={(event) => changeTo(event.currentTarget.value)}
      />
    </span>
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
