import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { previewAssignment } from '#contract/assignments/assignment-preview.ts'
import type { Body, Reply } from '#contract/endpoint.ts'
import type { Assignment } from '#contract/assignments/assignments.ts'
import { call } from '#web/api/client.ts'
import { sentence } from '#web/api/errors.ts'
import { OutboxWay, useMailRests } from '#web/layout/OutboxNote.tsx'
import { useUrgent } from '#web/transmissions/compose/useUrgent.tsx'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { Facts } from '#web/ui/fields/Field.tsx'
import { formatNumber, plural } from '#web/ui/format.ts'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { beginText } from './Obliged.tsx'
import { dueText, escalationText, remindersText, validityText } from '#web/duty/labels.ts'

/** This is to be started: whom it asks for what, and its days. */
export type ToStart = Omit<Body<typeof previewAssignment>, 'due' | 'reminders'> &
  Pick<Assignment, 'due' | 'reminders' | 'validity' | 'escalation'>

type Props = {
  orgId: string
  /** This is the title of the video, or of the first of several. */
  title: string
  start: ToStart
  /** The assignment that comes before is named here; null means that people begin at once. */
  earlier: string | null
  verb: 'Assign' | 'Start'
  /** This is said as well. */
  more?: string | undefined
  /** What is obliged beside the first video, one after the other. */
  furtherIds: readonly string[]
  onConfirm: (urgent: ReturnType<typeof useUrgent>['given']) => Promise<unknown>
  onClose: () => void
}

/** Sums up what begins, with the numbers as they are now, before anybody is written to. */
export function StartDialog({
  orgId,
  title,
  start,
  earlier,
  verb,
  more,
  furtherIds,
  onConfirm,
  onClose,
}: Props) {
  const { validity, escalation, ...body } = start
  const { data, error, refetch } = useQuery({
    queryKey: [previewAssignment.name, orgId, body, 'start'],
    queryFn: ({ signal }) => call(previewAssignment, { params: { orgId }, body, signal }),
    gcTime: 0,
  })
  const urgent = useUrgent([start.videoId, ...furtherIds])
  const { due, reminders } = start
  const facts = [
    { label: 'Until when', value: dueText(due) },
    { label: 'Reminders', value: remindersText(reminders) },
    { label: 'How long it is valid', value: validityText(validity) },
    { label: 'When nobody reacts', value: escalationText(escalation, due) },
  ]
  return (
    <ConfirmDialog
      isOpen
      isDangerous={false}
      title={
        data ? `${verb} “${title}” to ${plural(data.people, 'person', 'people')}?` : `${verb} “${title}”?`
      }
      confirmLabel={verb}
      isReady={data !== undefined && urgent.isReady}
      onConfirm={() => onConfirm(urgent.given)}
      onClose={onClose}
    >
      {error && (
        <>
          <p role="alert">{sentence(error)}</p>
          <Button variant="default" style={{ justifySelf: 'start' }} onClick={() => void refetch()}>
            Try again
          </Button>
        </>
      )}
      {!data && !error && <Bone height={40} />}
      {data && (
        <>
          {earlier !== null && <p>{beginText(data, earlier)}</p>}
          <p>
            {data.done > 0 &&
              `${formatNumber(data.done)} of them have seen it in the time that counts and have completed it at once. `}
            <FirstMessages {...data} isMail={body.audience.channel !== 'webhook'} />
          </p>
        </>
      )}
      {/* Known before the numbers come, which then move nothing. */}
      <Facts facts={facts} />
      {more && <p>{more}</p>}
      {urgent.field}
    </ConfirmDialog>
  )
}

type Counted = Pick<Reply<typeof previewAssignment>, 'mailed' | 'needsApproval' | 'withoutMail'>

/** Says when the first messages leave, or what keeps them. */
function FirstMessages({ mailed, needsApproval, withoutMail, isMail }: Counted & { isMail: boolean }) {
  const rests = useMailRests() && isMail
  const unreached = withoutMail > 0 ? ` ${formatNumber(withoutMail)} cannot be sent any.` : ''
  if (mailed === 0) return <>Nobody is written to now.{unreached}</>
  const messages = plural(mailed, 'first message')
  if (needsApproval)
    return (
      <>
        {messages} {mailed === 1 ? 'waits' : 'wait'} until somebody else approves{' '}
        {mailed === 1 ? 'it' : 'them'}.{unreached}
      </>
    )
  if (rests)
    return (
      <>
        {messages} {mailed === 1 ? 'is' : 'are'} written now.{unreached} <OutboxWay />
      </>
    )
  return (
    <>
      {messages} {mailed === 1 ? 'leaves' : 'leave'} in the hours in which your organization writes.
      {unreached}
    </>
  )
}
