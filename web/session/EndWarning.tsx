import { Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { readSession } from '#contract/auth.ts'
import { call } from '#web/api/client.ts'
import { heartbeat, sessionEnd, warnBefore } from '#web/api/heartbeat.ts'
import { session } from '#web/api/session.ts'
import { dialogOnDemand } from '#web/ui/onDemand.tsx'

const SessionEnds = dialogOnDemand(async () => (await import('./SessionEnds.tsx')).SessionEnds)

/** Who writes for a long time makes no request: this often, one is made in their name. */
const reportEvery = 240_000

function useHeartbeat(): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (!heartbeat.isIdle()) void call(readSession, {}).catch(() => undefined)
    }, reportEvery)
    return () => clearInterval(timer)
  }, [])
}

/** Warns two minutes before the session ends, and keeps it when somebody says that they are there. */
export function EndWarning() {
  const end = useSyncExternalStore(sessionEnd.subscribe, sessionEnd.read)
  const [now, setNow] = useState(() => Date.now())
  const [seen, setSeen] = useState<number>()
  useHeartbeat()
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const left = end === undefined ? undefined : Math.ceil((end - now) / 1_000)
  const isOver = left !== undefined && left <= 0
  useEffect(() => {
    const { token } = session.read()
    if (isOver && token !== null) session.expire(token)
  }, [isOver])
  if (end === undefined || left === undefined || isOver || end - now > warnBefore || seen === end) return null
  return (
    <Suspense>
      <SessionEnds end={end} left={left} onClose={() => setSeen(end)} />
    </Suspense>
  )
}
