import type { ReactNode } from 'react'
import type { Obligation, ObligationChange } from '#contract/assignments/assignments.ts'
import { deliveryStateLabels, restingWord } from '#contract/transmissions/delivery-labels.ts'
import type { Reply } from '#contract/endpoint.ts'
import { readObligationHistory } from '#contract/duty/obligations.ts'
import { dayIn, dueText } from '#contract/platform/text/time-zones.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { useList } from '#web/api/query.ts'
import { Dialog } from '#web/ui/overlays/Dialog.tsx'
import { Lines } from '#web/ui/Lines.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { KeptTime } from '#web/ui/fields/KeptTime.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import { formatDay } from '#web/ui/format.ts'
import { obligationLabels } from '#web/duty/labels.ts'

type History = Reply<typeof readObligationHistory>
type Cycle = History['cycles'][number]
type Message = History['messages'][number]

const decisionWords: Record<ObligationChange['action'], string> = {
  waive: 'Waived',
  unwaive: 'The waiver was ended',
  extend: 'More time was given',
  exempt: 'Exempted',
  oblige: 'The exemption was taken back',
}

const messageWords: Record<Message['kind'], string> = {
  first: 'First message',
  reminder: 'Reminder',
  again: 'First message of this time',
  manual: 'Reminder by hand',
}

type Props = { orgId: string; obligation: Obligation; timeZone: string; onClose: () => void }

/** Shows what was decided about one person, how often it was owed, and what was sent. */
export function History({ orgId, obligation, timeZone, onClose }: Props) {
  const { user, assignment } = obligation
  const params = { orgId, assignmentId: assignment.id, userId: user.id }
  const { page, error, retry } = useList(readObligationHistory, { params }, { every: 10_000 })
  return (
    <Dialog isOpen title={`${user.name || user.email}: ${assignment.name}`} onClose={onClose}>
      {error && <NotRead error={error} retry={retry} />}
      {!page && !error && <Bone height={240} />}
      {page && (
        <div className={shapes.stack}>
          <Part name="Decisions" none="Nothing was decided about this person.">
            {page.decisions.map((one) => (
              <li key={`${one.at} ${one.action}`}>
                <div>
                  {decisionWords[one.action]}: “{one.reason}”
                  <small>
                    {one.by}
                    {one.until && `, until ${dueText(one.until, timeZone)}`}
                  </small>
                </div>
                <RelativeTime iso={one.at} />
              </li>
            ))}
          </Part>
          <Part name="Times" none="It was never owed.">
            {page.cycles.map((one) => (
              <Time key={one.cycle} cycle={one} timeZone={timeZone} />
            ))}
          </Part>
          <Part name="Messages" none="Nothing was sent.">
            {page.messages.map((one) => (
              <li key={`${one.cycle} ${one.kind} ${one.day}`}>
                <div>
                  {messageWords[one.kind]}
                  <small>{wordOf(one)}</small>
                </div>
                {one.sentAt ? <RelativeTime iso={one.sentAt} /> : <time>{formatDay(one.day)}</time>}
              </li>
            ))}
          </Part>
        </div>
      )}
    </Dialog>
  )
}

function wordOf({ state, resting }: Message): string {
  if (state === null) return 'It is being prepared'
  return resting ? restingWord : deliveryStateLabels[state].word
}

type PartProps = { name: string; none: string; children: ReactNode[] }

function Part({ name, none, children }: PartProps) {
  return (
    <section aria-label={name}>
      <h3>{name}</h3>
      {children.length === 0 ? <p>{none}</p> : <Lines label={name}>{children}</Lines>}
    </section>
  )
}

/** Shows the sentence as it was confirmed, and how they came to it. */
function confirmedText({ confirmation }: Cycle, day: (iso: string) => string): string {
  if (confirmation === null) return ''
  const { statement, at, version, subject, sentAt } = confirmation
  const seen = version === null ? '' : `, version ${version} of the video`
  const link = subject === null || sentAt === null ? '' : `, by the link of “${subject}” of ${day(sentAt)}`
  return `Confirmed on ${day(at)}${seen}${link}: “${statement}”`
}

function Time({ cycle, timeZone }: { cycle: Cycle; timeZone: string }) {
  const { dueAt, doneAt, validUntil, since } = cycle
  const day = (iso: string) => formatDay(dayIn(timeZone, iso))
  return (
    <li>
      <div>
        {cycle.cycle === 1 ? 'First time' : `Time ${cycle.cycle}`}: {obligationLabels[cycle.state].word}
        <small>
          {`Since ${day(since)}`}
          {dueAt && `, due by ${day(dueAt)}`}
          {validUntil && `, valid until ${day(validUntil)}`}
        </small>
        {cycle.confirmation && <small>{confirmedText(cycle, day)}</small>}
      </div>
      {doneAt && <KeptTime iso={doneAt} />}
    </li>
  )
}
