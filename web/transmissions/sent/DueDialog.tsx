import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { setDueDay } from '#contract/duty/due-day.ts'
import { dayIn, zoneText } from '#contract/platform/text/time-zones.ts'
import { readTransmission, type Transmission } from '#contract/transmissions/transmissions.ts'
import { useOneField } from '#web/api/forms/oneField.ts'
import { useChange } from '#web/api/query.ts'
import { optional } from '#web/ui/fields/Field.tsx'
import '#web/ui/fields/fields.ts'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'

type Props = { transmission: Transmission; onClose: () => void }

/** Asks for another day by which a transmission is to be watched, or for none. */
export function DueDialog({ transmission, onClose }: Props) {
  const [before] = useState(transmission)
  const start = before.dueAt ? dayIn(before.timeZone, before.dueAt) : ''
  const change = useChange(setDueDay, [readTransmission])
  const { field, submit, isBusy } = useOneField('dueAt', start, async (day) => {
    await change.mutateAsync({
      params: { transmissionId: before.id },
      body: { dueAt: day === '' ? null : day },
      // Mails that went on leaving meanwhile change nothing about the day.
      ifMatch: transmission.dueAt === before.dueAt ? transmission : before,
    })
    toast.success(day === '' ? 'Nothing is due any more.' : 'The due day was changed.')
    onClose()
  })
  return (
    <FormDialog title="Due day" submitLabel="Save" isBusy={isBusy} onSubmit={submit} onClose={onClose}>
      <TextInput
        {...field}
        type="date"
        label={optional('Due day')}
        description={`Through this day in ${zoneText(before.timeZone)}. Left empty: no due day. Mails that left keep the day that they named; the personal pages show the new one.`}
        data-autofocus
      />
    </FormDialog>
  )
}
