import { useEffect, useState } from 'react'
import { formatDateTime, formatRelative, formatTime } from './format.ts'
import { shows, tipStop } from './overlays/tips.ts'
import shapes from './look/shapes.module.css'

export function DateTime({ iso }: { iso: string }) {
  return <time dateTime={iso}>{formatDateTime(iso)}</time>
}

type Props = {
  iso: string
  /** What is told beside the exact time. */
  more?: string
  /** Where it is part of what Tab stops at anyway. */
  isPart?: true
}

/** "3 minutes ago", which tells the exact time; renews itself twice a minute. */
export function RelativeTime({ iso, more, isPart }: Props) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000)
    return () => clearInterval(timer)
  }, [])
  const exact = [formatDateTime(iso), more].filter(Boolean).join(', ')
  return (
    <time dateTime={iso} {...(isPart ? shows(exact) : tipStop(exact))}>
      {formatRelative(iso, Math.max(now, new Date(iso).getTime()))}
    </time>
  )
}

/** When what is shown was read, on pages that read it again by themselves. `at` in milliseconds since 1970. */
export function Updated({ at }: { at: number }) {
  if (at === 0) return null
  return (
    <span className={`${shapes.hint} ${shapes.updated}`} data-part="fresh">
      Updated <time dateTime={new Date(at).toISOString()}>{formatTime(at)}</time>
    </span>
  )
}
