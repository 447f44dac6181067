import { Button } from '@mantine/core'
import { useState } from 'react'
import { readSession } from '#contract/auth.ts'
import { call } from '#web/api/client.ts'
import { warnBefore } from '#web/api/heartbeat.ts'
import { Dialog } from '#web/ui/Dialog.tsx'
import { formatTime } from '#web/ui/format.ts'
import { signOut } from './leave.ts'

type Props = {
  /** Milliseconds since 1970. */
  end: number
  /** Seconds until then. */
  left: number
  /** Whoever knows that it ends. */
  onClose: () => void
}

/** Asks whether somebody is there, or says that nothing keeps this session any longer. */
export function SessionEnds({ end, left, onClose }: Props) {
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
