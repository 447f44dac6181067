import '#web/ui/fields/fields.ts'
import { Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import {
  changeObligation,
  listObligations,
  readAssignment,
  type Obligation,
  type ObligationChange,
} from '#contract/assignments/assignments.ts'
import { sentence } from '#web/api/errors.ts'
import { serverFieldErrors } from '#web/api/forms/fieldErrors.ts'
import { useChange } from '#web/api/query.ts'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { DecisionFields, undecided } from './DecisionFields.tsx'
import { decisionsFor } from '#web/duty/labels.ts'

type Action = ObligationChange['action']

const actionLabels: Record<Action, { label: string; means: string; done: string }> = {
  waive: {
    label: 'Waive',
    means: 'Excused for a time or for good; nothing is sent meanwhile.',
    done: 'Waived.',
  },
  unwaive: { label: 'End the waiver', means: 'It is owed again.', done: 'It is owed again.' },
  extend: {
    label: 'Give more time',
    means: 'Another due day, for this person alone.',
    done: 'The day was changed.',
  },
  exempt: { label: 'Exempt', means: 'Owes it no more, and is not taken in again.', done: 'Exempted.' },
  oblige: { label: 'Oblige again', means: 'Takes the exemption back.', done: 'It is owed again.' },
}

type Props = { orgId: string; obligation: Obligation; onClose: () => void }

/** Decides about one person, and asks why. The reason is kept with the name of whoever decided. */
export function Decide({ orgId, obligation, onClose }: Props) {
  const actions = decisionsFor(obligation)
  const [action, setAction] = useState<Action>(actions[0] ?? 'waive')
  const [decision, setDecision] = useState(undecided)
  const { reason, day } = decision
  const [errors, setErrors] = useState<Record<string, string>>({})
  const decide = useChange(changeObligation, [listObligations, readAssignment])
  const { user, assignment } = obligation
  const change = (): ObligationChange => {
    if (action === 'waive') return { action, reason, until: day === '' ? null : day }
    return action === 'extend' ? { action, reason, day } : { action, reason }
  }
  const submit = async () => {
    const missing = {
      ...(reason.trim() === '' && { reason: 'Please fill this in.' }),
      ...(action === 'extend' && day === '' && { day: 'Please choose a day.' }),
    }
    setErrors(missing)
    if (Object.keys(missing).length > 0) return
    try {
      const params = { orgId, assignmentId: assignment.id, userId: user.id }
      await decide.mutateAsync({ params, body: { do: change() } })
      toast.success(`${user.name}: ${actionLabels[action].done}`)
      onClose()
    } catch (error) {
      const found = serverFieldErrors(error)
      const at = found['do.until'] ?? found['do.day']
      setErrors(at ? { day: at } : { reason: found['do.reason'] ?? sentence(error) })
    }
  }
  return (
    <FormDialog
      title={`${user.name}: ${assignment.name}`}
      submitLabel={actionLabels[action].label}
      isBusy={decide.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Stack gap={16}>
        <Radio.Group
          label="What becomes of it"
          value={action}
          onChange={(value) => setAction(actions.find((one) => one === value) ?? action)}
        >
          <Stack gap={8} mt={4}>
            {actions.map((one) => (
              <Radio
                key={one}
                value={one}
                label={actionLabels[one].label}
                description={actionLabels[one].means}
              />
            ))}
          </Stack>
        </Radio.Group>
        <DecisionFields
          {...{ action, decision, errors }}
          retentionHint="Kept with your name, and shown to whoever checks."
          onChange={(more) => setDecision({ ...decision, ...more })}
        />
      </Stack>
    </FormDialog>
  )
}
