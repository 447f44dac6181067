import { InputBase } from '@mantine/core'
import { IconSelector } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import type { ReportSubject } from '#contract/report-ground.ts'
import { onDemand } from '#web/ui/onDemand.tsx'

const SubjectSelect = onDemand(async () => (await import('./SubjectSelect.tsx')).SubjectSelect)

export const subjectWords: Record<ReportSubject, { one: string; all: string; none: string }> = {
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
  const [isOpen, setOpen] = useState(false)
  const { one, all } = subjectWords[props.of]
  const text = props.value === '' ? all : (props.name ?? '…')
  const open = () => setOpen(true)
  const closed = (
    <InputBase
      className="report-subject"
      component="button"
      type="button"
      pointer
      aria-label={`${one}: ${text}`}
      aria-expanded={false}
      aria-haspopup="listbox"
      onClick={open}
      onKeyDown={(event) => event.key === 'ArrowDown' && open()}
      rightSection={<IconSelector size={16} aria-hidden />}
    >
      {text}
    </InputBase>
  )
  if (!isOpen) return closed
  return (
    <Suspense fallback={closed}>
      <SubjectSelect {...props} />
    </Suspense>
  )
}
