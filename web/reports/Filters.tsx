import { TextInput } from '@mantine/core'
import type { ComponentProps } from 'react'
import { longestRangeMonths, reportPeriods, reportSubjects } from '#contract/reports/report-scope.ts'
import type { ReportSubject } from '#contract/reports/report-scope.ts'
import type { Range } from '#contract/reports/report-labels.ts'
import type { Filter } from '#web/lists/bar/filters.ts'
import { ListBar } from '#web/lists/bar/ListBar.tsx'
import { useUser } from '#web/session/useSession.ts'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import classes from './Report.module.css'
import { isImpossible, noSubjects, periodLabels, type ReportState, type RowChoice } from './report.ts'
import { SubjectFilter, subjectLabels } from './SubjectFilter.tsx'
import shapes from '#web/ui/look/shapes.module.css'

type Named = { id: string; name: string } | null
/** What a report says of itself, as far as the filters need it. */
export type ReportHead = {
  organization: Named
  subjects: Record<ReportSubject, Named>
  range: Range
}

type State = ReportState & RowChoice
type StateProps = {
  state: State
  onChange: (patch: Partial<State>) => void
  /** Once the report is there. */
  head: ReportHead | undefined
}

type Props = StateProps &
  Omit<ComponentProps<typeof ListBar>, 'start' | 'filters' | 'onClear'> & {
    /** Those of this report alone. */
    filters: readonly Filter[]
  }

const chosenRange = 'range'

/** The bar above the table of a report: its period, and behind the button what it is narrowed to. */
export function Filters({ state, onChange, head, filters, ...bar }: Props) {
  const isSuperadmin = useUser().role === 'superadmin'
  const hasDays = state.from !== '' && !isImpossible(state)
  return (
    <ListBar
      {...bar}
      filters={[...filters, ...subjectsOf({ state, onChange, head })]}
      onClear={() => onChange({ ...noSubjects, ...(state.action ? { action: '' } : {}) })}
      start={
        <>
          <NativeChoice
            className={classes.period ?? ''}
            aria-label="Period"
            value={hasDays ? chosenRange : state.period}
            onChange={({ currentTarget }) => onChange(periodFrom(currentTarget.value, head))}
            data={[
              ...reportPeriods.map((value) => ({ value, label: periodLabels[value] })),
              { value: chosenRange, label: 'Days to choose' },
            ]}
          />
          {hasDays && <Days state={state} onChange={onChange} head={head} />}
          {isSuperadmin && (
            // The top bar, which says it on the screen, is not printed.
            <span data-print-only hidden>
              Organization: {head?.organization?.name ?? 'all organizations'}
            </span>
          )}
        </>
      }
    />
  )
}

function subjectsOf({ state, onChange, head }: StateProps): Filter[] {
  return reportSubjects.map((subject) => {
    const change = (id: string) => onChange({ [subject]: id })
    const name = head?.subjects[subject]?.name
    return {
      label: subjectLabels[subject].one,
      chosen: state[subject] === '' ? null : (name ?? '…'),
      clear: () => change(''),
      field: (
        <SubjectFilter
          // Of another organization there are others to choose from.
          key={state.organization}
          of={subject}
          value={state[subject]}
          name={name}
          organization={state.organization}
          onChange={change}
        />
      ),
    }
  })
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

function Days({ state, onChange, head }: StateProps) {
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
    <span className={`${shapes.row} ${classes.days}`} role="group" aria-label="Days to choose">
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
