import { useQuery } from '@tanstack/react-query'
import { readWebhook } from '#contract/transmissions/webhooks.ts'
import { queryOf } from '#web/api/query.ts'
import { RadioChoices } from '#web/ui/fields/RadioChoices.tsx'
import type { Draft } from './draft.ts'

type Props = { draft: Draft; onChange: (patch: Partial<Draft>) => void }

const choices = [
  { value: 'email', label: 'By mail', means: 'To the address of each person.' },
  {
    value: 'webhook',
    label: 'By SMS or chat',
    means:
      'Posted to the address that your organization names for that, with the phone number where one is known. Who has no mail is reached by a phone number alone.',
  },
] as const

/** Chooses the way by which people are reached. Where the organization names no address for SMS and chat there is nothing to choose. */
export function ChannelChoice({ draft: { organizationId, channel }, onChange }: Props) {
  const { data } = useQuery({
    ...queryOf(readWebhook, { params: { orgId: organizationId } }),
    enabled: organizationId !== '',
  })
  if (channel === 'email' && !data?.webhook) return null
  return (
    <RadioChoices
      label="How it reaches them"
      choices={choices}
      value={channel}
      onChange={(value) => onChange({ channel: value === 'webhook' ? 'webhook' : 'email' })}
    />
  )
}
