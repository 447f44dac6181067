import { Suspense, useEffect, useSyncExternalStore, useState } from 'react'
import { overcome } from '#web/api/retry.ts'
import { dialogOnDemand } from '#web/ui/browser/onDemand.tsx'
import { followLock, lock } from './lock.ts'
import { proof } from './proof.ts'
import { Button } from '@mantine/core'
import { readSession } from '#contract/identity/auth.ts'
import { call } from '#web/api/client.ts'
import { heartbeat, sessionEnd, warnBefore } from '#web/api/heartbeat.ts'
import { session } from '#web/api/session.ts'
import { Dialog } from '#web/ui/overlays/Dialog.tsx'
import { formatTime } from '#web/ui/format.ts'
import { signOut } from './leave.ts'

const Proof = dialogOnDemand(async () => (await import('./Proof.tsx')).Proof)

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
function EndWarning() {
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
  return <SessionEnds end={end} left={left} onClose={() => setSeen(end)} />
}

type Props = {
  /** Milliseconds since 1970. */
  end: number
  /** Seconds until then. */
  left: number
  /** Whoever knows that it ends. */
  onClose: () => void
}

/** Asks whether somebody is there, or says that nothing keeps this session any longer. */
function SessionEnds({ end, left, onClose }: Props) {
  const [isFinal, setFinal] = useState(false)
  const stay = async () => {
    if (isFinal) return onClose()
    const answer = await call(readSession, {}).catch(() => undefined)
    // Past its longest life a session ends whoever is there: then this only says so.
    setFinal(answer !== undefined && Date.parse(answer.expiresAt) - Date.now() <= warnBefore)
  }
  const words = isFinal
    ? `It has reached its longest time and ends at ${formatTime(end)}. Please save what you are working on, then sign in again.`
    : 'For your safety you are signed out when nobody has been here for a while.'
  return (
    <Dialog
      title={isFinal ? 'This session ends soon' : 'Are you still there?'}
      isOpen
      onClose={() => void stay()}
      footer={
        <>
          <Button onClick={() => void stay()}>{isFinal ? 'I understand' : 'Stay signed in'}</Button>
          <Button variant="default" onClick={() => void signOut()}>
            Sign out now
          </Button>
        </>
      }
    >
      <p>{words}</p>
      <p>
        Signing out in{' '}
        <strong role="timer">
          {Math.floor(left / 60)}:{String(left % 60).padStart(2, '0')}
        </strong>
      </p>
    </Dialog>
  )
}

/** What the session asks of its owner meanwhile: a proof, an unlocking, a sign of life. */
export function Guards() {
  const isAsked = useSyncExternalStore(proof.subscribe, proof.isAsked)
  useEffect(() => {
    overcome({ prove: () => proof.ask(), unlock: lock })
    return followLock()
  }, [])
  return (
    <>
      <EndWarning />
      {isAsked && (
        <Suspense fallback={null}>
          <Proof onClose={() => proof.settle(false)} />
        </Suspense>
      )}
    </>
  )
}
