import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { readOrganization } from '#contract/organizations.ts'
import { zoneText } from '#contract/time-zones.ts'
import { fieldId } from '#web/api/form.ts'
import { queryOf } from '#web/api/query.ts'
import { optional } from '#web/ui/Field.tsx'
import { plural } from '#web/ui/format.ts'
import { labels, type Draft } from './draft.ts'

type Props = {
  draft: Draft
  errorOf: (field: string) => string | undefined
  onChange: (patch: Partial<Draft>) => void
}

/** By when it is to be watched, and how long the links work; both are days of the organization. */
export function DayFields({ draft, errorOf, onChange }: Props) {
  const { organizationId: orgId } = draft
  const { data } = useQuery({
    ...queryOf(readOrganization, { params: { orgId } }),
    enabled: orgId !== '',
  })
  const zone = data ? zoneText(data.timeZone) : ''
  return (
    <>
      <TextInput
        id={fieldId('dueAt')}
        type="date"
        label={optional(labels['dueAt'] ?? '')}
        description={
          zone
            ? `The mail says it. Whoever has not completed it after this day in ${zone} is overdue.`
            : 'The mail says it. Whoever has not completed it after this day is overdue.'
        }
        error={errorOf('dueAt')}
        value={draft.due}
        onChange={(event) => onChange({ due: event.currentTarget.value })}
      />
      <TextInput
        id={fieldId('linksEndAt')}
        type="date"
        label={optional(labels['linksEndAt'] ?? '')}
        description={linksText(data?.policies.linkDays ?? null)}
        error={errorOf('linksEndAt')}
        value={draft.linksEnd}
        onChange={(event) => onChange({ linksEnd: event.currentTarget.value })}
      />
    </>
  )
}

const linksText = (days: number | null) =>
  days === null
    ? 'The personal links in the mails. Left empty, they do not end.'
    : `The personal links in the mails. Left empty, they end ${plural(days, 'day')} from now, as your organization has set it.`
