import { Stack, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { sentence } from '#web/api/errors.ts'
import { serverFieldErrors } from '#web/api/forms/fieldErrors.ts'
import { optional } from '#web/ui/fields/Field.tsx'
import '#web/ui/fields/fields.ts'

/** Asks why somebody need not watch something, and until when. */
export function useWaiveFields() {
  const [reason, setReason] = useState('')
  const [until, setUntil] = useState('')
  const [errors, setErrors] = useState<Record<string, string>>({})
  return {
    reason: { value: reason, onChange: setReason, error: errors['reason'] },
    until: { value: until, onChange: setUntil, error: errors['until'] },
    read: () => ({ reason, ...(until === '' ? {} : { until }) }),
    isReady(): boolean {
      const isFilled = reason.trim() !== ''
      setErrors(isFilled ? {} : { reason: 'Please fill this in.' })
      return isFilled
    },
    /** Shows at the fields what the server refused. */
    fail(error: unknown): void {
      const found = serverFieldErrors(error)
      setErrors(Object.keys(found).length > 0 ? found : { reason: sentence(error) })
    },
  }
}

export function WaiveFields({ fields }: { fields: ReturnType<typeof useWaiveFields> }) {
  const { reason, until } = fields
  return (
    <Stack gap={16}>
      <Textarea
        {...reason}
        label="Reason"
        description="Kept with your name, and shown to whoever checks."
        maxLength={500}
        rows={3}
        data-autofocus
        onChange={({ currentTarget }) => reason.onChange(currentTarget.value)}
      />
      <TextInput
        {...until}
        type="date"
        label={optional('Until')}
        description="Left empty: for good. Otherwise through this day."
        onChange={({ currentTarget }) => until.onChange(currentTarget.value)}
      />
    </Stack>
  )
}
