import { useEffect, useState } from 'react'
import { formatDateTime, formatRelative, formatTime } from './format.ts'

export function DateTime({ iso }: { iso: string }) {
  return <time dateTime={iso}>{formatDateTime(iso)}</time>
}

/** "3 minutes ago", with the exact time as its title; renews itself twice a minute. */
export function RelativeTime({ iso }: { iso: string }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <time dateTime={iso} title={formatDateTime(iso)}>
      {formatRelative(iso, Math.max(now, new Date(iso).getTime()))}
    </time>
  )
}

/** When what is shown was read, on pages that read it again by themselves. `at` in milliseconds since 1970. */
export function Updated({ at }: { at: number }) {
  if (at === 0) return null
  return (
    <span className="ui-updated">
      Updated <time dateTime={new Date(at).toISOString()}>{formatTime(at)}</time>
    </span>
  )
}
