import { Button } from '@mantine/core'
import { IconCheck, IconPencil, IconSend } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import type { Body } from '#contract/endpoint.ts'
import { dueText } from '#contract/platform/text/time-zones.ts'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { releasableReasons } from '#contract/transmissions/transmission-reasons.ts'
import {
  changeTransmission,
  listTransmissions,
  readTransmission,
  readTransmissionPlan,
  transmissionActions,
  type Transmission,
} from '#contract/transmissions/transmissions.ts'
import { attempt } from '#web/api/attempt.ts'
import { refreshAll, useChange } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { OutboxWay, useMailRests } from '#web/layout/OutboxNote.tsx'
import { useUser } from '#web/session/useSession.ts'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { plural } from '#web/ui/format.ts'
import { dialogOnDemand } from '#web/ui/browser/onDemand.tsx'
import { reasonLabels } from '#web/transmissions/sent/sent-labels.ts'
import { usePlan } from './Planned.tsx'
import { leavingText, nameOf, takeBackText, waitsToLeave } from '../labels.ts'

const Reject = dialogOnDemand(async () => (await import('./Reject.tsx')).Reject)
const SendDialog = dialogOnDemand(async () => (await import('./SendDialog.tsx')).SendDialog)

const touched = [readTransmission, readTransmissionPlan, listTransmissions, listDeliveries]
type Decision = Omit<Body<typeof changeTransmission>, 'version'>
type Asking = 'approve' | 'reject' | 'cancel' | 'send'

/** Offers what can be done with something that has not been sent, by its author and by everybody else. */
export function Decisions({ transmission }: { transmission: Transmission }) {
  const { id, version, state, sender, reason, approval } = transmission
  const subject = nameOf(transmission)
  const isWhole = transmission.video !== null && transmission.body.trim() !== ''
  const isAuthor = useUser().id === sender.id
  const rests = useMailRests()
  const { data: plan } = usePlan(transmission)
  const [asking, setAsking] = useState<{ what: Asking; recipients: number; version: number } | null>(null)
  const change = useChange(changeTransmission, touched)
  const close = () => setAsking(null)
  const act = async (given: Decision, said: (now: Transmission) => string) => {
    const body = { ...given, version: asking?.version ?? version }
    const isDone = await attempt(() => change.mutateAsync({ params: { transmissionId: id }, body }), said)
    // Most likely it has moved on in the meantime.
    if (!isDone) await refreshAll(touched)
  }
  // The decision is about what the page showed when it was begun, even when the transmission is changed behind the dialog.
  const ask = (what: Asking) => () => setAsking({ what, recipients: plan?.count.recipients ?? 0, version })
  const many = plural(asking?.recipients ?? 0, 'person', 'people')
  const mayEdit = transmissionActions.edit.some((one) => one === state)
  const mayDecide = !isAuthor && approval?.state === 'waiting'
  return (
    <>
      <Button variant="default" onClick={ask('cancel')}>
        {state === 'draft' ? 'Discard' : 'Cancel sending'}
      </Button>
      {isAuthor && mayEdit && (
        <Button
          variant="default"
          component={Link}
          to={paths.transmissionEdit(id)}
          leftSection={<IconPencil size={16} aria-hidden />}
        >
          Edit
        </Button>
      )}
      {isAuthor && state === 'pending_approval' && (
        <Button
          variant="default"
          loading={change.isPending}
          onClick={() => void act({ action: 'withdraw' }, () => 'Withdrawn. It is a draft again.')}
        >
          Withdraw
        </Button>
      )}
      {isAuthor && state === 'draft' && isWhole && (
        <Button
          leftSection={<IconSend size={16} aria-hidden />}
          disabled={plan?.version !== version}
          onClick={ask('send')}
        >
          Send
        </Button>
      )}
      {mayDecide && state === 'pending_approval' && (
        <Button variant="default" onClick={ask('reject')}>
          Reject
        </Button>
      )}
      {mayDecide && (
        <Button
          leftSection={<IconCheck size={16} aria-hidden />}
          disabled={plan?.version !== version}
          onClick={ask('approve')}
        >
          Approve
        </Button>
      )}
      {state === 'held' && reason !== null && releasableReasons.includes(reason) && (
        <Button
          leftSection={<IconSend size={16} aria-hidden />}
          loading={change.isPending}
          onClick={() =>
            void act({ action: 'release' }, (now) =>
              now.reason === 'video_not_ready' ? reasonLabels[now.reason] : leavingText(rests),
            )
          }
        >
          Send now
        </Button>
      )}
      <ConfirmDialog
        isOpen={asking?.what === 'approve'}
        title={`Approve sending “${subject}” to ${many}?`}
        confirmLabel={`Approve for ${many}`}
        isDangerous={false}
        onConfirm={() => act({ action: 'approve', recipients: asking?.recipients ?? 0 }, approvedText(rests))}
        onClose={close}
      >
        {rests ? (
          <p>
            It is written in the name of {sender.name}. Your name and this number of people are kept with it.{' '}
            <OutboxWay />
          </p>
        ) : (
          <p>
            {transmission.leavesAt ? leavesText(transmission) : 'The mails leave right away.'} They are
            written in the name of {sender.name}. Your name and this number of people are kept with it. While
            they leave, you can pause or cancel the rest.
          </p>
        )}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asking?.what === 'cancel'}
        title={state === 'draft' ? `Discard “${subject}”?` : `Cancel “${subject}”?`}
        confirmLabel={state === 'draft' ? 'Discard' : 'Cancel sending'}
        cancelLabel="Keep it"
        onConfirm={() => act({ action: 'cancel' }, () => 'Cancelled. Nothing was sent.')}
        onClose={close}
      >
        <p>Nothing of it has been sent, and nothing will be. It stays in the list as cancelled.</p>
      </ConfirmDialog>
      {asking?.what === 'send' && (
        <Suspense>
          <SendDialog
            transmission={transmission}
            many={many}
            onSend={(given) => act({ action: 'submit', ...given }, submittedText(rests))}
            onClose={close}
          >
            {rests ? <OutboxWay /> : leavesText(transmission)}
          </SendDialog>
        </Suspense>
      )}
      {asking?.what === 'reject' && (
        <Suspense>
          <Reject transmission={transmission} onClose={close} />
        </Suspense>
      )}
    </>
  )
}

const leavesText = ({ leavesAt, timeZone }: Transmission) =>
  leavesAt
    ? `The mails leave on ${dueText(leavesAt, timeZone)}.`
    : 'The mails leave in a moment, in which you can take it back.'

const approvedText =
  (rests: boolean) =>
  ({ state }: Transmission) =>
    state === 'held'
      ? 'Approved, but its time has passed: send it now, or cancel it.'
      : rests
        ? 'Approved. The mails rest in the outbox, because no mail server is set up.'
        : 'Approved. The mails are leaving.'

const submittedText = (rests: boolean) => (now: Transmission) =>
  now.state === 'pending_approval'
    ? 'It waits for approval. Whoever can give it has been told.'
    : waitsToLeave(now)
      ? takeBackText
      : leavingText(rests)
