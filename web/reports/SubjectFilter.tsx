import type { ReportSubject } from '#contract/reports/report-scope.ts'
import { ClosedChoice } from '#web/ui/fields/ClosedChoice.tsx'
import { onDemand } from '#web/ui/browser/onDemand.tsx'

const SubjectSelect = onDemand(async () => (await import('./SubjectSelect.tsx')).SubjectSelect)

export const subjectLabels: Record<ReportSubject, { one: string; all: string; none: string }> = {
  group: { one: 'Group', all: 'All groups', none: 'No group has this in its name' },
  project: { one: 'Project', all: 'All projects', none: 'No project has this in its name' },
  video: { one: 'Video', all: 'All videos', none: 'No video has this in its title' },
  transmission: { one: 'Transmission', all: 'All transmissions', none: 'None has this in its subject' },
}

export type SubjectFilterProps = {
  of: ReportSubject
  /** Id; '' for all of them. */
  value: string
  /** Its name, once the report has told it. */
  name: string | undefined
  /** Whose are offered; '' for all organizations. */
  organization: string
  onChange: (id: string) => void
}

/** What a report is narrowed to. The list with its search is fetched when somebody opens it. */
export function SubjectFilter(props: SubjectFilterProps) {
  const { one, all } = subjectLabels[props.of]
  const text = props.value === '' ? all : (props.name ?? '…')
  return (
    <ClosedChoice label={one} text={text} isLabelled>
      <SubjectSelect {...props} />
    </ClosedChoice>
  )
}
