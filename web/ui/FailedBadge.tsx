import { IconBan } from '@tabler/icons-react'
import type { Failed } from '#contract/failed.ts'
import { formatDateTime } from './format.ts'
import { StatusBadge } from './StatusBadge.tsx'

/** Where somebody would have completed a video, had they passed its questions. */
export function FailedBadge({ failed: { at, isFinal } }: { failed: Failed }) {
  const when = `Failed the questions, which have to be passed, on ${formatDateTime(at)}.`
  return (
    <StatusBadge
      tone="danger"
      icon={isFinal ? IconBan : undefined}
      title={`${when} ${isFinal ? 'No attempt is left.' : 'They may be tried again.'}`}
    >
      {isFinal ? 'No attempt left' : 'Failed'}
    </StatusBadge>
  )
}
