import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { readOrganization } from '#contract/directory/organizations.ts'
import type { Reminders } from '#contract/duty/reminders.ts'
import { zoneText } from '#contract/platform/text/time-zones.ts'
import { fieldId } from '#web/api/forms/form.ts'
import { queryOf } from '#web/api/query.ts'
import { isSame } from '#web/api/forms/merge.ts'
import { optional } from '#web/ui/fields/Field.tsx'
import { RadioChoices } from '#web/ui/fields/RadioChoices.tsx'
import { plural } from '#web/ui/format.ts'
import { labels, usualReminders, weeklyReminders, type Draft } from './draft.ts'
import { reminderDays } from './reminderDays.ts'

type Props = {
  draft: Draft
  errorOf: (field: string) => string | undefined
  onChange: (patch: Partial<Draft>) => void
}

/** Asks for the day, in the organization's calendar, by which it is to be watched. */
export function DueField({ draft, errorOf, onChange }: Props) {
  const { data } = useOrganization(draft)
  const zone = data ? ` in ${zoneText(data.timeZone)}` : ''
  return (
    <TextInput
      id={fieldId('dueAt')}
      type="date"
      label={optional(labels['dueAt'] ?? '')}
      description={`Makes an assignment with the message, and the mail says it. Whoever has not completed it after this day${zone} is late.`}
      error={errorOf('dueAt')}
      value={draft.due}
      onChange={(event) => onChange({ due: event.currentTarget.value })}
    />
  )
}

/** Asks whom it reminds, and when, and shows the days as they will be. */
export function RemindersField({ draft, onChange }: Omit<Props, 'errorOf'>) {
  const { due, reminders } = draft
  if (due === '') return null
  const own = reminders && !isSame(reminders, usualReminders) && !isSame(reminders, weeklyReminders)
  const plans: readonly (readonly [string, Reminders | null])[] = [
    ['usual', usualReminders],
    ['weekly', weeklyReminders],
    ...(own ? ([['own', reminders]] as const) : []),
    ['none', null],
  ]
  return (
    <RadioChoices
      label="Reminders"
      value={plans.find(([, plan]) => isSame(plan, reminders))?.[0] ?? 'none'}
      choices={plans.map(([value, plan]) => ({
        value,
        label: reminderDays(due, plan),
        means: meansOf(plan),
      }))}
      onChange={(value) => onChange({ reminders: plans.find(([one]) => one === value)?.[1] ?? null })}
    />
  )
}

const meansOf = (plan: Reminders | null) =>
  plan
    ? 'Only to whoever still owes it, with what is missing, and never at night.'
    : 'You can remind them by hand at any time.'

/** Asks how long the personal links work, in days of the organization as well. */
export function LinksEndField({ draft, errorOf, onChange }: Props) {
  const { data } = useOrganization(draft)
  return (
    <TextInput
      id={fieldId('linksEndAt')}
      type="date"
      label={optional(labels['linksEndAt'] ?? '')}
      description={linksText(data?.policies.linkDays ?? null)}
      error={errorOf('linksEndAt')}
      value={draft.linksEnd}
      onChange={(event) => onChange({ linksEnd: event.currentTarget.value })}
    />
  )
}

const useOrganization = ({ organizationId: orgId }: Draft) =>
  useQuery({ ...queryOf(readOrganization, { params: { orgId } }), enabled: orgId !== '' })

const linksText = (days: number | null) =>
  days === null
    ? 'The personal links in the mails. Left empty, they do not end.'
    : `The personal links in the mails. Left empty, they end ${plural(days, 'day')} from now, as your organization has set it.`
