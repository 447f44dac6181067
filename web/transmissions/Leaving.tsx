import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { dueText } from '#contract/platform/time-zones.ts'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import {
  changeTransmission,
  listTransmissions,
  readTransmission,
  readTransmissionPlan,
  type Transmission,
} from '#contract/transmissions/transmissions.ts'
import { attempt } from '#web/api/attempt.ts'
import { refreshAll, useChange } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { useUser } from '#web/session/useSession.ts'
import { formatRuntime } from '#web/ui/format.ts'
import { Notice } from '#web/ui/Notice.tsx'
import shapes from '#web/ui/shapes.module.css'

const touched = [readTransmission, readTransmissionPlan, listTransmissions, listDeliveries]

/** Beyond this many seconds a day and an hour say more than a number that counts down. */
const countedSeconds = 600

/** What leaves in a moment or at its hour: until then its author can take it back, and nobody has to wait. */
export function Leaving({ transmission }: { transmission: Transmission }) {
  const { id, version, leavesAt, timeZone, sender } = transmission
  const isAuthor = useUser().id === sender.id
  const navigate = useNavigate()
  const change = useChange(changeTransmission, touched)
  const act = async (action: 'undo' | 'send_now', said: string) => {
    const isDone = await attempt(
      () => change.mutateAsync({ params: { transmissionId: id }, body: { action, version } }),
      said,
    )
    // Most likely it has begun to leave in the meantime.
    if (!isDone) return refreshAll(touched)
    if (action === 'undo') await navigate({ to: paths.transmissionEdit(id) })
  }
  if (leavesAt === null) return null
  return (
    <Notice
      tone="info"
      action={
        <div className={shapes.row}>
          {isAuthor && (
            <Button
              variant="default"
              size="sm"
              disabled={change.isPending}
              onClick={() => void act('undo', 'Taken back. It is a draft again, and nothing was sent.')}
            >
              Undo
            </Button>
          )}
          <Button
            variant="default"
            size="sm"
            disabled={change.isPending}
            onClick={() => void act('send_now', 'The mails are on their way.')}
          >
            Send now
          </Button>
        </div>
      }
    >
      {transmission.inOwnZones &&
        'Each person gets it at the chosen hour on their own clock. For the first of them: '}
      <Countdown leavesAt={leavesAt} timeZone={timeZone} />
    </Notice>
  )
}

function Countdown({ leavesAt, timeZone }: { leavesAt: string; timeZone: string }) {
  const left = () => Math.max(0, Math.ceil((Date.parse(leavesAt) - Date.now()) / 1_000))
  const [seconds, setSeconds] = useState(left)
  useEffect(() => {
    const timer = setInterval(() => setSeconds(left()), 1_000)
    return () => clearInterval(timer)
  })
  if (seconds > countedSeconds)
    return (
      <>
        Leaves on <time dateTime={leavesAt}>{dueText(leavesAt, timeZone)}</time>. Until then nothing is sent.
      </>
    )
  return seconds === 0 ? (
    <>Leaves now.</>
  ) : (
    <>
      Leaves in <time dateTime={leavesAt}>{formatRuntime(seconds * 1_000)}</time>. Until then it can be taken
      back.
    </>
  )
}
