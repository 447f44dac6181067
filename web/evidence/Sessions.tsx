import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { deviceName } from '#contract/platform/devices.ts'
import {
  type Evidence,
  type EvidenceSession,
  countEvidenceSession,
  doubtEvidenceSession,
  listEvidence,
  readEvidence,
  readEvidenceSession,
} from '#contract/evidence/evidence.ts'
import { adminRoles } from '#contract/roles.ts'
import { paths } from '#web/paths.ts'
import { useUser } from '#web/session/useSession.ts'
import { Strip } from '#web/ui/figures/Strip.tsx'
import { Facts } from '#web/ui/fields/Field.tsx'
import {
  formatBytes,
  formatDateTime,
  formatLength,
  formatNumber,
  formatPart,
  plural,
} from '#web/ui/format.ts'
import { Fold } from '#web/ui/Fold.tsx'
import { Pager } from '#web/ui/table/Pager.tsx'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import { evidenceLabels, marksIn, signedInWith } from '#web/evidence/labels.ts'
import { SessionDetail } from './SessionDetail.tsx'
import classes from './Sessions.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import { Button, Textarea } from '@mantine/core'
import { attempt } from '#web/api/attempt.ts'
import { sentence } from '#web/api/errors.ts'
import { useChange } from '#web/api/query.ts'
import '#web/ui/fields/fields.ts'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'

type Address = { orgId: string; userId: string; videoId: string }
type Props = {
  address: Address
  evidence: Evidence
  onOffset: (offset: number) => void
}

/** Every sitting with the video, newest first; each unfolds to what it reported. */
export function Sessions({ address, evidence, onOffset }: Props) {
  const { sessions, versions } = evidence
  const lengths = new Map(versions.map(({ id, durationMs }) => [id, durationMs]))
  return (
    <section aria-labelledby="evidence-sessions" className={shapes.stack}>
      <h2 id="evidence-sessions">
        {plural(sessions.total, 'session')}
        {sessions.total > sessions.items.length &&
          `, ${formatNumber(sessions.offset + 1)} to ${formatNumber(sessions.offset + sessions.items.length)} shown`}
      </h2>
      <div className={`${shapes.card} ${shapes.ruled}`}>
        {sessions.items.map((session) => (
          <Session
            key={session.id}
            address={address}
            session={session}
            durationMs={lengths.get(session.version.id) ?? null}
            isOnlyVersion={versions.length < 2}
          />
        ))}
      </div>
      {sessions.total > sessions.items.length && <Pager {...sessions} onOffset={onOffset} />}
    </section>
  )
}

type SessionProps = {
  address: Address
  session: EvidenceSession
  durationMs: number | null
  isOnlyVersion: boolean
}

/** What shows a change of a decision. */
const touched = [readEvidence, readEvidenceSession, listEvidence]

type DoubtProps = {
  params: { orgId: string; userId: string; videoId: string; sessionId: string }
  doubt: NonNullable<EvidenceSession['doubt']>
}

/** Why something in this session does not count, and what was decided about it. */
function Doubt({ params, doubt: { userAgent, decision } }: DoubtProps) {
  const [isDeciding, setDeciding] = useState(false)
  const end = useChange(doubtEvidenceSession, touched)
  const { role, id } = useUser()
  const mayDecide = adminRoles.includes(role) && id !== params.userId
  const takeBack = () =>
    attempt(() => end.mutateAsync({ params }), 'What looked like a program does not count again.')
  return (
    <div className={shapes.stack}>
      <p>
        Reports of this session came from a browser that calls itself a program: “{userAgent ?? 'unknown'}”.{' '}
        {decision
          ? 'They count, because an administrator decided that a person watched.'
          : 'What they brought does not count; everything else does.'}
      </p>
      {decision && (
        <p>
          Decided by {decision.by} on <DateTime iso={decision.at} />: {decision.reason}
        </p>
      )}
      {mayDecide && (
        <p>
          {decision ? (
            <Button variant="default" loading={end.isPending} onClick={() => void takeBack()}>
              Take the decision back
            </Button>
          ) : (
            <Button variant="default" onClick={() => setDeciding(true)}>
              A person watched
            </Button>
          )}
        </p>
      )}
      {isDeciding && <Decide params={params} onClose={() => setDeciding(false)} />}
    </div>
  )
}

/** Asks why. */
function Decide({ params, onClose }: Pick<DoubtProps, 'params'> & { onClose: () => void }) {
  const [reason, setReason] = useState('')
  const [error, setError] = useState<string>()
  const count = useChange(countEvidenceSession, touched)
  const submit = async () => {
    if (reason.trim() === '') return setError('Please fill this in.')
    try {
      await count.mutateAsync({ params, body: { reason } })
      onClose()
    } catch (failure) {
      setError(sentence(failure))
    }
  }
  return (
    <FormDialog
      title="A person watched"
      submitLabel="Let it count"
      isBusy={count.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Textarea
        label="Reason"
        description="Kept with your name, and shown to whoever checks."
        value={reason}
        error={error}
        maxLength={500}
        rows={3}
        data-autofocus
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </FormDialog>
  )
}

function Session({ address, session, durationMs, isOnlyVersion }: SessionProps) {
  const [isOpen, setOpen] = useState(false)
  const { word, tone, means } = evidenceLabels[session.state]
  const isBot = session.marks.includes('bot')
  return (
    <Fold
      className={classes.session ?? ''}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      line={
        <>
          <span>
            <DateTime iso={session.startedAt} />
            <small>
              {session.isReported ? deviceName(session.device) : 'No report of a player'}
              {!isOnlyVersion && `, version ${session.version.number}`}
            </small>
          </span>
          <span>
            <Strip watched={session.coverage} durationMs={durationMs} />
            <small>
              {session.watchedMs === 0 ? 'Nothing that counts' : `${formatLength(session.watchedMs)} watched`}
            </small>
          </span>
          {isBot ? (
            <StatusBadge tone="neutral" title="It counts in no figure. Open it to see why.">
              Program
            </StatusBadge>
          ) : (
            <StatusBadge tone={tone} title={means}>
              {word}
            </StatusBadge>
          )}
        </>
      }
    >
      {isOpen && (
        <div className={`${shapes.pad} ${shapes.stack}`}>
          {session.doubt && <Doubt params={{ ...address, sessionId: session.id }} doubt={session.doubt} />}
          <About session={session} />
          {session.isReported && <SessionDetail address={address} session={session} />}
        </div>
      )}
    </Fold>
  )
}

function About({ session }: { session: EvidenceSession }) {
  const mayOpen = adminRoles.includes(useUser().role)
  const { transmission, served, unserved, marks } = session
  const how = marksIn(marks)
  return (
    <Facts
      facts={[
        { label: 'Evidence', value: evidenceLabels[session.state].means },
        { label: 'Began', value: <DateTime iso={session.startedAt} /> },
        {
          label: 'Last heard of',
          value: `${formatDateTime(session.lastAt)}${session.isEnded ? ', the page was closed or the video was over' : ''}`,
        },
        { label: 'Device', value: session.isReported ? deviceName(session.device) : 'Unknown' },
        ...(session.network ? [{ label: 'Network', value: session.network }] : []),
        {
          label: 'Came through',
          value: transmission ? (
            mayOpen ? (
              <Link to={paths.transmission(transmission.id)}>{transmission.subject}</Link>
            ) : (
              transmission.subject
            )
          ) : (
            'No message is known'
          ),
        },
        ...(session.saidBy === null
          ? []
          : [
              {
                label: 'Who watched',
                value: `${session.saidBy} was signed in to the console in this browser, and said on the page that they are the recipient.`,
              },
            ]),
        ...(session.signedInBy === null
          ? []
          : [
              {
                label: 'Signed in',
                value: `Yes, by ${signedInWith(session.signedInBy)}, beside the personal link.`,
              },
            ]),
        ...(session.isReported ? [{ label: 'Reports', value: reportsOf(session) }] : []),
        ...(how.length > 0 ? [{ label: 'Noted', value: how.join(', ') }] : []),
        {
          label: 'Handed out',
          value:
            served.length === 0
              ? session.state === 'contradicted' || session.state === 'checking'
                ? 'Nothing'
                : 'No record'
              : `${served.map(formatPart).join(', ')}; about ${formatBytes(session.servedBytes)}`,
        },
        ...(session.isRecordBroken && session.state === 'likely'
          ? [
              {
                label: 'Record of handing out',
                value:
                  'A server was stopped abruptly during this session. What it had just handed out may be missing from its record, so nothing is concluded from that.',
              },
            ]
          : []),
        ...(unserved.length > 0
          ? [{ label: 'Never handed out', value: <strong>{unserved.map(formatPart).join(', ')}</strong> }]
          : []),
        {
          label: 'Time',
          value: `${formatLength(session.watchedMs)} of the video in ${formatLength(session.attentionMs)} of the clock`,
        },
      ]}
    />
  )
}

function reportsOf({ batchesSeen, batchesExpected, dropped }: EvidenceSession): string {
  const lost = batchesExpected - batchesSeen
  const discarded = dropped === 0 ? '' : `; ${plural(dropped, 'entry', 'entries')} in them were not kept`
  const gaps = lost > 0 ? '; something in the others never came' : ''
  return `${formatNumber(batchesSeen)} of ${formatNumber(batchesExpected)} arrived${gaps}${discarded}`
}
