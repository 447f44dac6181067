import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  endWaiver,
  listTraining,
  readTraining,
  readTrainingCell,
  type TrainingCell,
  waiveTraining,
} from '#contract/matrix/training.ts'
import type { TrainingState } from '#contract/matrix/standing.ts'
import { formatDayOfYear } from '#contract/platform/text/format.ts'
import { dueText } from '#contract/platform/text/time-zones.ts'
import type { Failed } from '#contract/quizzes/failed.ts'
import { attempt } from '#web/api/attempt.ts'
import { ApiError, sentence } from '#web/api/errors.ts'
import { session } from '#web/api/session.ts'
import { queryOf, useChange } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { undoing } from '#web/lists/operations/undo.ts'
import { Dialog } from '#web/ui/overlays/Dialog.tsx'
import { Facts } from '#web/ui/fields/Field.tsx'
import { formatDateTime } from '#web/ui/format.ts'
import { Lines } from '#web/ui/Lines.tsx'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { keptText } from '#web/ui/fields/KeptTime.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { deliveryLabels } from '#web/transmissions/sent/recipients/deliveries.ts'
import type { CellIds } from './Grid.tsx'
import { Mark } from '#web/ui/figures/Standing.tsx'
import { states } from '#web/ui/figures/standings.ts'
import shapes from '#web/ui/look/shapes.module.css'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import { useWaiveFields, WaiveFields } from './WaiveFields.tsx'

const notAsked = 'Not asked for'

/** These answers show a change of a waiver. */
const touched = [readTraining, listTraining, readTrainingCell]

type Props = CellIds & {
  orgId: string
  isDiscreet: boolean
  /** Transmissions are only for somebody who may open them. */
  mayOpenContent: boolean
  /** The matrix of an earlier day read like this. */
  then: { on: string; state: TrainingState | undefined } | undefined
  onClose: () => void
}

/** Shows what is known of one person and one video, and what can be decided about it. */
export function CellPanel({ orgId, userId, videoId, isDiscreet, mayOpenContent, then, onClose }: Props) {
  const params = { orgId, userId, videoId }
  const { data: cell, error } = useQuery(queryOf(readTrainingCell, { params }))
  const [isWaiving, setWaiving] = useState(false)
  const end = useChange(endWaiver, touched)
  const standing = cell?.waivers.find(({ endedAt }) => endedAt === null)
  const isSettled = ['completed', 'passed', 'waived'].includes(cell?.state ?? '')
  const isOwn = userId === session.read().user?.id
  const takeBack = () =>
    attempt(async () => {
      const { operationId } = await end.mutateAsync({ params })
      toast.success(`The waiver of ${cell?.person.name ?? ''} was taken back.`, undoing(operationId))
      onClose()
    })
  if (isWaiving && cell) return <Waive cell={cell} orgId={orgId} onClose={() => setWaiving(false)} />
  return (
    <Dialog
      title={cell ? `${cell.person.name}: ${cell.video.title}` : 'One moment'}
      isOpen
      onClose={onClose}
      actions={
        <>
          {!then && standing && (
            <Button variant="default" loading={end.isPending} onClick={() => void takeBack()}>
              Take the waiver back
            </Button>
          )}
          {!then && cell && !standing && !isSettled && !isOwn && (
            <Button onClick={() => setWaiving(true)}>Waive</Button>
          )}
        </>
      }
    >
      {then && isMissing(error) ? (
        <div className={shapes.stack}>
          <Facts facts={[factOf(then)]} />
          <p>The person or the video has been removed since, so there is nothing to say of now.</p>
        </div>
      ) : error ? (
        <p role="alert">{sentence(error)}</p>
      ) : cell ? (
        <div className={shapes.stack}>
          <Signs cell={cell} isDiscreet={isDiscreet} then={then} />
          <p>
            <Link to={paths.evidence(orgId, userId, videoId)}>Open the evidence</Link>
          </p>
          {!then && isOwn && !standing && !isSettled && (
            <p>Nobody waives themselves: another administrator can.</p>
          )}
          <Obligations cell={cell} />
          <Waivers cell={cell} />
          <Messages cell={cell} mayOpen={mayOpenContent} />
        </div>
      ) : (
        <Bone height={120} />
      )}
    </Dialog>
  )
}

type WaiveProps = { cell: TrainingCell; orgId: string; onClose: () => void }

/** Asks why, and until when. */
function Waive({ cell: { person, video }, orgId, onClose }: WaiveProps) {
  const fields = useWaiveFields()
  const waive = useChange(waiveTraining, [readTraining, listTraining, readTrainingCell])
  const submit = async () => {
    if (!fields.isReady()) return
    try {
      const body = fields.read()
      await waive.mutateAsync({ params: { orgId, userId: person.id, videoId: video.id }, body })
      toast.success(`${person.name} need not watch ${video.title}.`)
      onClose()
    } catch (error) {
      fields.fail(error)
    }
  }
  return (
    <FormDialog
      title={`Waive ${person.name} for ${video.title}`}
      submitLabel="Waive"
      isBusy={waive.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <WaiveFields fields={fields} />
    </FormDialog>
  )
}

/** Returns whether something was removed. A line that was lost does not say so. */
const isMissing = (error: Error | null) => error instanceof ApiError && error.problem?.code === 'not_found'

/** Says how the cell read on the day that is looked at. */
const factOf = ({ on, state }: NonNullable<Props['then']>) => ({
  label: `At the end of ${formatDayOfYear(on)}`,
  value: state ? <Mark state={state} /> : notAsked,
})

function Signs({ cell, isDiscreet, then }: Pick<Props, 'isDiscreet' | 'then'> & { cell: TrainingCell }) {
  const when = (iso: string | null) => (iso ? <DateTime iso={iso} /> : 'Not yet')
  const finer = [
    { label: 'Started', value: when(cell.startedAt) },
    cell.failed
      ? { label: 'Failed the questions', value: <FailedText failed={cell.failed} /> }
      : { label: 'Passed the questions', value: when(cell.passedAt) },
  ]
  const completed =
    isDiscreet && cell.completedAt ? `On ${cell.completedAt.slice(0, 10)} (UTC)` : when(cell.completedAt)
  return (
    <Facts
      facts={[
        ...(then ? [factOf(then)] : []),
        { label: 'Now', value: cell.state ? <Mark state={cell.state} /> : notAsked },
        { label: 'Due', value: cell.dueAt ? dueText(cell.dueAt, cell.timeZone) : 'No day was set' },
        { label: 'Completed', value: completed },
        ...(isDiscreet ? [] : finer),
      ]}
    />
  )
}

function FailedText({ failed: { at, isFinal } }: { failed: Failed }) {
  return (
    <>
      <DateTime iso={at} />
      {isFinal ? ', and no attempt is left. New questions give new attempts.' : ', and may try again.'}
    </>
  )
}

function Waivers({ cell: { waivers, timeZone } }: { cell: TrainingCell }) {
  if (waivers.length === 0) return null
  return (
    <section>
      <h3>Waivers</h3>
      <Lines>
        {waivers.map(({ id, reason, by, at, until, endedAt, endedBy }) => (
          <li key={id}>
            <div>
              “{reason}”
              <small>
                By {by}, {formatDateTime(at)}
                {until && `, until ${dueText(until, timeZone)}`}
              </small>
              {endedAt && (
                <small>
                  {endedBy ? `Taken back by ${endedBy}` : 'Expired'}, {formatDateTime(endedAt)}
                </small>
              )}
            </div>
          </li>
        ))}
      </Lines>
    </section>
  )
}

function Obligations({ cell: { obligations, timeZone } }: { cell: TrainingCell }) {
  if (obligations.length === 0) return null
  return (
    <section>
      <h3>Assignments</h3>
      <Lines>
        {obligations.map(({ id, assignment, state, reason, dueAt, doneAt, validUntil }) => (
          <li key={id}>
            <div>
              {assignment.name}
              <small>
                {state ? states[state].word : 'Ended'}
                {reason && `: “${reason}”`}
                {dueAt && `; due ${dueText(dueAt, timeZone)}`}
                {doneAt && `; completed ${keptText(doneAt)}`}
                {validUntil && `; valid until ${dueText(validUntil, timeZone)}`}
              </small>
            </div>
          </li>
        ))}
      </Lines>
    </section>
  )
}

function Messages({ cell: { messages, timeZone }, mayOpen }: { cell: TrainingCell; mayOpen: boolean }) {
  return (
    <section>
      <h3>Messages</h3>
      {messages.length === 0 ? (
        <p>This video was not sent to this person.</p>
      ) : (
        <Lines>
          {messages.map(({ transmissionId, subject, at, dueAt, state, sentAt, openedAt }) => (
            <li key={transmissionId}>
              <div>
                {mayOpen ? <Link to={paths.transmission(transmissionId)}>{subject}</Link> : subject}
                <small>
                  {deliveryLabels[state].word}, {formatDateTime(sentAt ?? at)}
                  {openedAt && `; opened ${formatDateTime(openedAt)}`}
                  {dueAt && `; due ${dueText(dueAt, timeZone)}`}
                </small>
              </div>
            </li>
          ))}
        </Lines>
      )}
    </section>
  )
}
