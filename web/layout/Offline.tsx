import { useState } from 'react'
import { oldestShown } from '#web/api/query.ts'
import { formatTime } from '#web/ui/format.ts'
import { Notice } from '#web/ui/Notice.tsx'
import { useOnline } from '#web/ui/useOnline.ts'

/** As long as there is no network: of when the page is, since nothing on it can be read again. */
export function Offline() {
  return useOnline() ? null : <Since />
}

function Since() {
  const [at] = useState(oldestShown)
  return (
    <Notice tone="neutral" role="status">
      You are offline. This is as of <time dateTime={new Date(at).toISOString()}>{formatTime(at)}</time>.
    </Notice>
  )
}
