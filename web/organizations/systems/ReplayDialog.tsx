import { Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import {
  listEventPosts,
  readEventAddress,
  replayEvents,
  type EventAddress,
} from '#contract/events/event-addresses.ts'
import { sentence } from '#web/api/errors.ts'
import { useChange } from '#web/api/query.ts'
import { plural } from '#web/ui/format.ts'
import { toast } from '#web/ui/feedback/toasts.ts'
import '#web/ui/fields/fields.ts'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import shapes from '#web/ui/look/shapes.module.css'

type Props = { orgId: string; address: EventAddress; onClose: () => void }

const dayMs = 86_400_000

/** As the field of the browser writes it, in the time of whoever looks. */
const typed = (at: Date) =>
  new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

/** Posts once more what happened in a time. */
export function ReplayDialog({ orgId, address, onClose }: Props) {
  const [from, setFrom] = useState(() => typed(new Date(Date.now() - dayMs)))
  const [to, setTo] = useState(() => typed(new Date(Date.now() + 60_000)))
  const [error, setError] = useState<string>()
  const replay = useChange(replayEvents, [listEventPosts, readEventAddress])
  const submit = async () => {
    if (from === '' || to === '' || from >= to)
      return setError('Choose an end that comes after the beginning.')
    try {
      const { count } = await replay.mutateAsync({
        params: { orgId, eventAddressId: address.id },
        body: { from: new Date(from).toISOString(), to: new Date(to).toISOString() },
      })
      toast.success(
        count === 0
          ? 'Nothing happened in that time.'
          : `${plural(count, 'event', 'events')} will be posted once more.`,
      )
      onClose()
    } catch (failure) {
      setError(sentence(failure))
    }
  }
  return (
    <FormDialog
      title="Replay events"
      submitLabel="Replay"
      isBusy={replay.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Stack gap={16}>
        <p>
          What happened in this time is posted once more, in its order and behind what waits. Each event has
          the ID that it had, by which the other system knows what it has already.
        </p>
        <TextInput
          label="From"
          type="datetime-local"
          data-autofocus
          value={from}
          onChange={({ currentTarget }) => setFrom(currentTarget.value)}
        />
        <TextInput
          label="To"
          type="datetime-local"
          value={to}
          error={error}
          onChange={({ currentTarget }) => {
            setError(undefined)
            setTo(currentTarget.value)
          }}
        />
        <p className={shapes.unit}>Events are kept for 90 days, and only those that an address asked for.</p>
      </Stack>
    </FormDialog>
  )
}
