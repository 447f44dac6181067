import { Stack, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import {
  listTraining,
  readTraining,
  readTrainingCell,
  waiveTraining,
  type TrainingCell,
} from '#contract/training.ts'
import { sentence } from '#web/api/errors.ts'
import { serverFieldErrors } from '#web/api/fieldErrors.ts'
import { useChange } from '#web/api/query.ts'
import { optional } from '#web/ui/Field.tsx'
import '#web/ui/fields.ts'
import { FormDialog } from '#web/ui/FormDialog.tsx'
import { toast } from '#web/ui/toasts.ts'

type Props = { cell: TrainingCell; orgId: string; onClose: () => void }

/** The last moment of a day where the reader is. */
const endOfDay = (day: string): string => new Date(`${day}T23:59:59.999`).toISOString()

/** Asks why, and until when. */
export function Waive({ cell: { person, video }, orgId, onClose }: Props) {
  const [reason, setReason] = useState('')
  const [until, setUntil] = useState('')
  const [errors, setErrors] = useState<Record<string, string>>({})
  const waive = useChange(waiveTraining, [readTraining, listTraining, readTrainingCell])
  const submit = async () => {
    if (reason.trim() === '') return setErrors({ reason: 'Please fill this in.' })
    try {
      const body = { reason, ...(until === '' ? {} : { until: endOfDay(until) }) }
      await waive.mutateAsync({ params: { orgId, userId: person.id, videoId: video.id }, body })
      toast.success(`${person.name} need not watch ${video.title}.`)
      onClose()
    } catch (error) {
      const found = serverFieldErrors(error)
      setErrors(Object.keys(found).length > 0 ? found : { reason: sentence(error) })
    }
  }
  return (
    <FormDialog
      title={`Waive ${person.name} for ${video.title}`}
      submitLabel="Waive"
      isBusy={waive.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Stack gap={16}>
        <Textarea
          label="Reason"
          description="Kept with your name, and shown to whoever checks."
          value={reason}
          error={errors['reason']}
          maxLength={500}
          rows={3}
          data-autofocus
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
        <TextInput
          type="date"
          label={optional('Until')}
          description="Left empty: for good. Otherwise through this day."
          value={until}
          error={errors['until']}
          onChange={({ currentTarget }) => setUntil(currentTarget.value)}
        />
      </Stack>
    </FormDialog>
  )
}
