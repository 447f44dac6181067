import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { deliveryStateLabels } from '#contract/transmissions/delivery-labels.ts'
import { explainReason } from '#contract/transmissions/delivery-reasons.ts'
import { listMissed, sendMissed, type MissedMessage } from '#contract/person/missed.ts'
import { listOwedBy } from '#contract/assignments/assignments.ts'
import { listPersonHistory } from '#contract/person/person.ts'
import type { User } from '#contract/directory/users.ts'
import { attempt } from '#web/api/attempt.ts'
import { queryOf, useChange } from '#web/api/query.ts'
import { sendMissedLabel } from '#web/people/missedLabel.ts'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { formatNumber, plural } from '#web/ui/format.ts'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { Barred } from './Barred.tsx'
import shapes from '#web/ui/look/shapes.module.css'

type Props = {
  orgId: string
  user: User
  /** The page says elsewhere what keeps messages from their address. */
  isBarTold: boolean
  /** The list of what was missed is open. */
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
}

/** What keeps mail from a person, what became of the last one, where it did not arrive, and what they have missed at another address. */
export function Missed({ orgId, user, isBarTold, isOpen, onOpen }: Props) {
  const params = { orgId, userId: user.id }
  const { data } = useQuery(queryOf(listMissed, { params }))
  const send = useChange(sendMissed, [listMissed, listPersonHistory, listOwedBy])
  if (!data) return null
  const { items, returned } = data
  const confirm = () =>
    attempt(async () => {
      const asked = items.length
      const { sent, toApprove } = await send.mutateAsync({ params, body: { ids: items.map(({ id }) => id) } })
      toast[sent < asked ? 'info' : 'success'](saidOf({ asked, sent, toApprove }))
    })
  return (
    <>
      {!isBarTold && <Barred orgId={orgId} user={user} />}
      {returned && (
        <Notice tone="warning">
          The last mail to {user.email}: {whyOf(returned)}
        </Notice>
      )}
      {items.length > 0 && (
        <Notice
          tone="info"
          action={
            <Button variant="default" onClick={() => onOpen(true)}>
              {sendMissedLabel(items.length)}
            </Button>
          }
        >
          {plural(items.length, 'message', 'messages')} did not reach {user.name} at an earlier address.
        </Notice>
      )}
      <ConfirmDialog
        isOpen={isOpen && items.length > 0}
        title={`Send ${user.name} what was missed?`}
        confirmLabel={`Send ${plural(items.length, 'message', 'messages')}`}
        isDangerous={false}
        onConfirm={confirm}
        onClose={() => onOpen(false)}
      >
        <p>
          {user.email} gets each of these once. What an assignment sent comes as a reminder of what is still
          missing.
        </p>
        <ul className={shapes.stack}>
          {items.map((one) => (
            <Message key={one.id} message={one} />
          ))}
        </ul>
      </ConfirmDialog>
    </>
  )
}

function Message({ message }: { message: MissedMessage }) {
  const { transmission, assignment, at, address } = message
  return (
    <li>
      <strong>{transmission.subject}</strong>
      {assignment && `, of the assignment ${assignment.name}`}
      <div className={shapes.hint}>
        <DateTime iso={at} />, to {address || 'no address'}: {whyOf(message)}
      </div>
    </li>
  )
}

/** In the words of the mail server, or in ours. */
function whyOf({ state, reason }: Pick<MissedMessage, 'state' | 'reason'>): string {
  const { word, means } = deliveryStateLabels[state]
  return `${word}. ${explainReason(reason) ?? means}`
}

function saidOf({ asked, sent, toApprove }: { asked: number; sent: number; toApprove: number }): string {
  const set = `${plural(sent, 'message is', 'messages are')} on the way.`
  const waiting =
    toApprove > 0 ? ` ${formatNumber(toApprove)} of them as soon as somebody else has approved.` : ''
  const others =
    sent < asked
      ? ` ${plural(asked - sent, 'message is', 'messages are')} being sent by somebody else, or needless by now.`
      : ''
  return set + waiting + others
}
