import { Stack, Textarea, TextInput } from '@mantine/core'
import { optional } from '#web/ui/fields/Field.tsx'

type Decision = { day: string; reason: string }
export const undecided: Decision = { day: '', reason: '' }

type Props = {
  action: string
  decision: Decision
  errors: Readonly<Record<string, string>>
  /** This says what becomes of the reason. */
  retentionHint: string
  onChange: (change: Partial<Decision>) => void
}

/** Asks for the day that a waiver or an extension needs, and for the reason of whatever is decided. */
export function DecisionFields({ action, decision, errors, retentionHint, onChange }: Props) {
  return (
    <Stack gap={16}>
      {(action === 'waive' || action === 'extend') && (
        <TextInput
          type="date"
          label={action === 'waive' ? optional('Until') : 'Due day'}
          description={action === 'waive' ? 'Left empty: for good.' : undefined}
          error={errors['day']}
          value={decision.day}
          onChange={(event) => onChange({ day: event.currentTarget.value })}
        />
      )}
      <Textarea
        label="Reason"
        description={retentionHint}
        error={errors['reason']}
        maxLength={500}
        rows={3}
        data-autofocus
        value={decision.reason}
        onChange={(event) => onChange({ reason: event.currentTarget.value })}
      />
    </Stack>
  )
}
