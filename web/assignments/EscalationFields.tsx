import { Radio, TextInput } from '@mantine/core'
import { fieldId } from '#web/api/forms/form.ts'
import shapes from '#web/ui/look/shapes.module.css'
import { labels, type Plan } from './form.ts'

type Props = { plan: Plan; error: string | undefined; onChange: (patch: Partial<Plan>) => void }

const choices: readonly { value: Plan['escalate']; label: string }[] = [
  { value: 'nobody', label: 'Tell nobody' },
  { value: 'manager', label: 'Tell their manager' },
  { value: 'groupadmins', label: 'Tell the group administrators of their groups' },
]

/** Asks who is told of those who are late, and when. */
export function EscalationFields({ plan, error, onChange }: Props) {
  return (
    <fieldset className={shapes.stack} id={fieldId('escalation')} tabIndex={-1}>
      <legend>{labels['escalation']}</legend>
      {choices.map(({ value, label }) => (
        <Radio
          key={value}
          name="escalation"
          label={label}
          checked={plan.escalate === value}
          onChange={() => onChange({ escalate: value })}
        />
      ))}
      {plan.escalate !== 'nobody' && (
        <>
          <TextInput
            label={plan.due === 'none' ? 'Days after the first mail' : 'Days after the due day'}
            inputMode="numeric"
            error={error}
            value={plan.escalateDays}
            onChange={(event) => onChange({ escalateDays: event.currentTarget.value })}
          />
          <p className={shapes.hint}>
            One mail a day at most, which names everybody who is late. Where somebody has no manager, their
            group administrators are told, and where there are none, whoever wrote the assignment.
          </p>
        </>
      )}
    </fieldset>
  )
}
