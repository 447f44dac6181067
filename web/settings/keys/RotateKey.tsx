import { Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Key, KeyWithToken } from '#contract/service-accounts.ts'
import { sentence } from '#web/api/errors.ts'
import { serverFieldErrors } from '#web/api/forms/fieldErrors.ts'
import '#web/ui/fields/fields.ts'
import { RadioChoices } from '#web/ui/fields/RadioChoices.tsx'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import { useKeyCalls } from './calls.ts'
import { daysAhead } from './days.ts'

type Props = {
  orgId: string | null
  of: Key
  onMade: (key: KeyWithToken) => void
  onClose: () => void
}

const ends = ['day', 'week', 'now'] as const
const endWords: Record<(typeof ends)[number], { label: string; means: string; days: number | null }> = {
  day: { label: 'For a day', means: 'Long enough to put the new one in its place.', days: 1 },
  week: { label: 'For a week', means: 'Where somebody else has to do that.', days: 7 },
  now: { label: 'Not at all', means: 'It may be known to others: it is refused from now on.', days: null },
}

/** Gives a key a new token; for a while the one before works as well, so that nothing stands still meanwhile. */
export function RotateKey({ orgId, of, onMade, onClose }: Props) {
  const [end, setEnd] = useState<(typeof ends)[number]>('day')
  const [expiresAt, setExpiresAt] = useState(() => daysAhead(365))
  const [error, setError] = useState<string | null>(null)
  const { rotate, isBusy } = useKeyCalls(orgId)
  const save = async () => {
    const { days } = endWords[end]
    const previousUntil = days === null ? null : new Date(Date.now() + days * 86_400_000).toISOString()
    try {
      onMade(await rotate(of.id, { expiresAt, previousUntil }))
    } catch (failure) {
      setError(serverFieldErrors(failure)['expiresAt'] ?? sentence(failure))
    }
  }
  return (
    <FormDialog
      title={`Give ${of.name} a new token?`}
      submitLabel="Make new token"
      isBusy={isBusy}
      onSubmit={save}
      onClose={onClose}
    >
      <Stack gap={16}>
        <TextInput
          type="date"
          label="The new token expires after"
          value={expiresAt}
          min={daysAhead(0)}
          onChange={(event) => setExpiresAt(event.currentTarget.value)}
          error={error}
          data-autofocus
        />
        <RadioChoices
          label="The present token goes on working"
          value={end}
          onChange={(value) => setEnd(ends.find((one) => one === value) ?? 'day')}
          choices={ends.map((value) => ({
            value,
            label: endWords[value].label,
            means: endWords[value].means,
          }))}
        />
      </Stack>
    </FormDialog>
  )
}
