import { Button, Checkbox, Stack, TextInput } from '@mantine/core'
import '@mantine/core/styles/Checkbox.layer.css'
import { useState } from 'react'
import {
  createEventAddress,
  listEventAddresses,
  readEventAddress,
  updateEventAddress,
  type EventAddress,
} from '#contract/events/event-addresses.ts'
import { eventWords } from '#contract/events/event-words.ts'
import { eventTypes, type EventType } from '#contract/events/event-types.ts'
import { sentence } from '#web/api/errors.ts'
import { serverFieldErrors } from '#web/api/forms/fieldErrors.ts'
import { useChange } from '#web/api/query.ts'
import { toast } from '#web/ui/feedback/toasts.ts'
import { FieldGroup } from '#web/ui/fields/Field.tsx'
import '#web/ui/fields/fields.ts'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import shapes from '#web/ui/look/shapes.module.css'

type Props = {
  orgId: string
  /** To be changed; without one, a new one is made. */
  address?: EventAddress
  /** Is handed the new address with its secret. */
  onMade?: (made: { id: string; secret: string | null }) => void
  onClose: () => void
}

/** Where events go, and which. */
export function AddressDialog({ orgId, address, onMade, onClose }: Props) {
  const [url, setUrl] = useState(address?.url ?? '')
  const [types, setTypes] = useState<readonly EventType[]>(address?.types ?? [])
  const [errors, setErrors] = useState<{ url?: string; types?: string }>({})
  const create = useChange(createEventAddress, [listEventAddresses])
  const update = useChange(updateEventAddress, [listEventAddresses, readEventAddress])
  const submit = async () => {
    if (url.trim() === '') return setErrors({ url: 'Please fill this in.' })
    if (types.length === 0) return setErrors({ types: 'Choose at least one event.' })
    const body = { url: url.trim(), types: [...types] }
    try {
      if (address) {
        const params = { orgId, eventAddressId: address.id }
        await update.mutateAsync({ params, body, ifMatch: address })
        toast.success('The address was saved.')
      } else onMade?.(await create.mutateAsync({ params: { orgId }, body }))
      onClose()
    } catch (failure) {
      const fields = serverFieldErrors(failure)
      setErrors(Object.keys(fields).length > 0 ? fields : { url: sentence(failure) })
    }
  }
  return (
    <FormDialog
      title={address ? 'Change the address' : 'Add an address for events'}
      submitLabel={address ? 'Save' : 'Add the address'}
      isBusy={create.isPending || update.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Stack gap={16}>
        <TextInput
          label="Address that events are posted to"
          description="It begins with https:// and is reached from the internet."
          type="url"
          autoComplete="off"
          data-autofocus
          value={url}
          error={errors.url}
          onChange={({ currentTarget }) => {
            setErrors({})
            setUrl(currentTarget.value)
          }}
        />
        <Types
          types={types}
          error={errors.types}
          onChange={(chosen) => {
            setErrors({})
            setTypes(chosen)
          }}
        />
      </Stack>
    </FormDialog>
  )
}

type TypesProps = {
  types: readonly EventType[]
  error: string | undefined
  onChange: (types: readonly EventType[]) => void
}

/** Of which events it is told. */
function Types({ types, error, onChange }: TypesProps) {
  const isAll = types.length === eventTypes.length
  const toggle = (type: EventType, isOn: boolean) =>
    onChange(eventTypes.filter((one) => (one === type ? isOn : types.includes(one))))
  return (
    <FieldGroup legend="Events" hint={error && <span role="alert">{error}</span>}>
      <div>
        <Button size="sm" variant="default" onClick={() => onChange(isAll ? [] : eventTypes)}>
          {isAll ? 'Choose none' : 'Choose all'}
        </Button>
      </div>
      {eventTypes.map((type) => (
        <Checkbox
          key={type}
          label={eventWords[type]}
          description={<code translate="no">{type}</code>}
          checked={types.includes(type)}
          onChange={({ currentTarget }) => toggle(type, currentTarget.checked)}
        />
      ))}
      <p className={shapes.unit}>What happened before it was asked for is not posted.</p>
    </FieldGroup>
  )
}
