import { onlineManager } from '@tanstack/react-query'
import { useState, useSyncExternalStore } from 'react'
import { oldestShown } from '#web/api/query.ts'
import { formatTime } from '#web/ui/format.ts'
import { Notice } from '#web/ui/Notice.tsx'

const subscribe = (listener: () => void) => onlineManager.subscribe(listener)
const isOnline = () => onlineManager.isOnline()

/** As long as there is no network: of when the page is, since nothing on it can be read again. */
export function Offline() {
  return useSyncExternalStore(subscribe, isOnline) ? null : <Since />
}

function Since() {
  const [at] = useState(oldestShown)
  return (
    <Notice tone="neutral" role="status">
      You are offline. This is as of <time dateTime={new Date(at).toISOString()}>{formatTime(at)}</time>.
    </Notice>
  )
}
