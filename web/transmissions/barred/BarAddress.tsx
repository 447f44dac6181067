import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { barAddress, listBarredAddresses } from '#contract/transmissions/barred-addresses.ts'
import { sentence } from '#web/api/errors.ts'
import { serverFieldErrors } from '#web/api/forms/fieldErrors.ts'
import { useChange } from '#web/api/query.ts'
import { optional } from '#web/ui/fields/Field.tsx'
import '#web/ui/fields/fields.ts'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import { formatDayOfYear } from '#contract/platform/text/format.ts'
import { toast } from '#web/ui/feedback/toasts.ts'

const none = { address: '', reason: '', until: '' }

export function BarAddress({ orgId, onClose }: { orgId: string; onClose: () => void }) {
  const [values, setValues] = useState(none)
  const [errors, setErrors] = useState<Partial<typeof none>>({})
  const bar = useChange(barAddress, [listBarredAddresses])
  const submit = async () => {
    try {
      const { until } = values
      const body = { ...values, until: until === '' ? null : until }
      const { address } = await bar.mutateAsync({ params: { orgId }, body })
      toast.success(
        until === ''
          ? `No message is sent to ${address} any more.`
          : `No message is sent to ${address} through ${formatDayOfYear(until)}.`,
      )
      onClose()
    } catch (failure) {
      const fields = serverFieldErrors(failure)
      setErrors(Object.keys(fields).length > 0 ? fields : { address: sentence(failure) })
    }
  }
  const field = (name: keyof typeof none) => ({
    value: values[name],
    error: errors[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => {
      setErrors({})
      setValues({ ...values, [name]: currentTarget.value })
    },
  })
  return (
    <FormDialog
      title="Add a barred address"
      submitLabel="Bar the address"
      isBusy={bar.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput {...field('address')} label="Address" type="email" autoComplete="off" data-autofocus />
      <TextInput
        {...field('reason')}
        label="Why"
        description="Administrators read it, such as: asked for no more mails."
        maxLength={200}
      />
      <TextInput
        {...field('until')}
        type="date"
        label={optional('Until')}
        description="Through this day. Left empty: until somebody lifts it."
      />
    </FormDialog>
  )
}
