import { Link, useNavigate } from '@tanstack/react-router'
import { Suspense, useEffect, useState } from 'react'
import * as z from 'zod/mini'
import {
  countDeliveries,
  deliverySorts,
  listDeliveries,
  watchedStates,
} from '#contract/transmissions/deliveries.ts'
import { evidenceStates } from '#contract/tracking/evidence-states.ts'
import { readSending } from '#contract/transmissions/sending.ts'
import {
  deliveryStates,
  readTransmission,
  type Transmission,
  changeTransmission,
  listTransmissions,
  readTransmissionPlan,
} from '#contract/transmissions/transmissions.ts'
import { prefetch, useEndpoint, useList, refreshAll, useChange } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { readSearch, usePageSearch, usePathParams, type LoadInput } from '#web/layout/page.ts'
import { useUser } from '#web/session/useSession.ts'
import { useVisit } from '#web/layout/useVisit.ts'
import { FilterBar } from '#web/ui/FilterBar.tsx'
import { plural, formatRuntime } from '#web/ui/format.ts'
import { onDemand } from '#web/ui/browser/onDemand.tsx'
import { PageFrame, type FrameProps } from '#web/ui/PageFrame.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import { mendSender, reasonLabels } from '#web/transmissions/sent/sent-labels.ts'
import { ShareBar } from '#web/ui/figures/ShareBar.tsx'
import { Bone, RowBones } from '#web/ui/feedback/Skeletons.tsx'
import { StatusBadge, type Tone } from '#web/ui/figures/StatusBadge.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { Actions } from './Actions.tsx'
import { FollowUps, WriteAgain } from './FollowUps.tsx'
import { Funnel } from './Funnel.tsx'
import { Further, Lead } from './Lead.tsx'
import { Recipients } from './recipients/Recipients.tsx'
import {
  isActive,
  isOver,
  isUnsent,
  nameOf,
  partsOf,
  recipientsOf,
  stateWordsOf,
  waitsToLeave,
} from '../labels.ts'
import styles from './TransmissionPage.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import { Button } from '@mantine/core'
import { dueText } from '#contract/platform/text/time-zones.ts'
import { attempt } from '#web/api/attempt.ts'

const search = z.object({
  q: z.catch(z.string(), ''),
  state: z.catch(z.optional(z.enum(deliveryStates)), undefined),
  watched: z.catch(z.optional(z.enum(watchedStates)), undefined),
  evidence: z.catch(z.optional(z.enum(evidenceStates)), undefined),
  sort: z.catch(z.enum(deliverySorts), 'progress'),
  /** With it, the recipients are shown as one cloth of their seconds in place of a list. */
  look: z.catch(z.optional(z.literal('seconds')), undefined),
  offset: z.catch(z.coerce.number().check(z.gte(0)), 0),
})

// Most transmissions have been sent, at once and to everybody. The parts that others need are larger than the page itself, so they are
// loaded when needed.
const Decisions = onDemand(async () => (await import('./Decisions.tsx')).Decisions)
const Planned = onDemand(async () => (await import('./Planned.tsx')).Planned)
const OutsideHours = onDemand(async () => (await import('../compose/OutsideHours.tsx')).OutsideHours)
const Waves = onDemand(async () => (await import('./Waves.tsx')).Waves)
const Woven = onDemand(async () => (await import('./Woven.tsx')).Woven)
const RemindOwing = onDemand(async () => (await import('./Duty.tsx')).RemindOwing)

const leavesInParts = ({ waves, inOwnZones }: Transmission) => waves !== null || inOwnZones

/** Loads the parts that it has before it is drawn. A part that cannot be fetched says so in its own place. */
const openParts = (transmission: Transmission) =>
  Promise.all([
    ...(isUnsent(transmission) ? [Decisions.fetch(), Planned.fetch()] : []),
    ...(transmission.goesOnAt === null ? [] : [OutsideHours.fetch()]),
    ...(leavesInParts(transmission) ? [Waves.fetch()] : []),
    ...(transmission.duty ? [RemindOwing.fetch()] : []),
  ])

export function load({
  params: { transmissionId },
  search: given,
}: LoadInput<'/transmissions/$transmissionId'>) {
  const params = { transmissionId }
  const { look, ...query } = readSearch(search, given)
  return Promise.all([
    prefetch(readTransmission, { params }).then(openParts),
    prefetch(countDeliveries, { params }),
    look ? Woven.fetch() : prefetch(listDeliveries, { params, query }),
  ])
}

/**
 * These are the milliseconds between two readings: the first while mails leave or somebody watches, the second otherwise, when new viewers
 * appear a little later.
 */
const lively = 2_000
const calm = 10_000

const toAll = <Link to={paths.transmissions()}>Transmissions</Link>

/** Keeps the room of the page while the transmission is not there: its way up, its figures, and its recipients. */
export const Frame = ({ lost }: FrameProps) => (
  <PageFrame
    name="Transmission"
    hasLead
    crumbs={toAll}
    lost={lost}
    bones={
      <>
        <Bone height={72} />
        <div className={`${shapes.row} ${shapes.unit} ${styles.further}`}>
          <Bone width="320px" />
        </div>
        <FilterBar>
          <Bone width="280px" height={36} />
        </FilterBar>
        <RowBones />
      </>
    }
  />
)

const touched = [readTransmission, readTransmissionPlan, listTransmissions, listDeliveries]

/** Beyond this many seconds a day and an hour say more than a number that counts down. */
const countedSeconds = 600

/** Tells what leaves in a moment or at its hour. Until then its author can take it back, and nobody has to wait. */
function Leaving({ transmission }: { transmission: Transmission }) {
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

export function TransmissionPage() {
  const { transmissionId } = usePathParams('/transmissions/$transmissionId')
  const [{ look, ...query }, change] = usePageSearch(search)
  const { role } = useUser()
  const cached = useEndpoint(readTransmission, { params: { transmissionId } }, { every: lively })
  const { state, reason, refusal, video } = cached
  const subject = nameOf(cached)
  const waits = isUnsent(cached)
  // A held transmission has its recipients already, unless only its time had passed.
  const hasList = cached.audienceTotal > 0 || !(waits || state === 'cancelled')
  useVisit({
    kind: 'transmission',
    title: subject,
    detail: video?.title ?? '',
    picture: null,
    path: paths.transmission(transmissionId),
  })
  const { tone, word, means } = stateWordsOf(cached)
  return (
    <>
      <PageHead
        title={subject}
        crumbs={toAll}
        lead={<Lead transmission={cached} />}
        actions={
          waits ? (
            <Suspense>
              <Decisions transmission={cached} />
            </Suspense>
          ) : (
            <>
              <Actions transmission={cached} />
              {cached.duty ? (
                <Suspense>
                  <RemindOwing transmission={cached} assignmentId={cached.duty.id} />
                </Suspense>
              ) : (
                <WriteAgain transmission={cached} />
              )}
            </>
          )
        }
      />
      {!isOver(cached) && (
        <div className={`${shapes.row} ${shapes.unit} ${styles.status}`} data-sending={state}>
          <StatusBadge tone={tone} title={means}>
            {word}
          </StatusBadge>
          {hasList && isActive(cached) && <ShareBar parts={partsOf(cached)} total={recipientsOf(cached)} />}
          <span>{means}</span>
        </div>
      )}
      {reason && (
        <Notice tone={noticeTone(cached)} role="status">
          <p>{reasonLabels[reason]}</p>
          {reason === 'sender_refused' && <p>{mendSender}</p>}
          {refusal !== null && <Said words={refusal} />}
        </Notice>
      )}
      {state === 'completed' && refusal !== null && (
        <Notice tone="warning" role="status">
          <p>
            Mails came back because of their sender, not of their recipients: nobody is barred for that. Once
            it is mended, send it again to those whose mail was not delivered.
          </p>
          <p>{mendSender}</p>
          <Said words={refusal} />
        </Notice>
      )}
      <Suspense>{cached.goesOnAt !== null && <OutsideHours transmission={cached} />}</Suspense>
      {cached.unlisted.length > 0 && (
        <Notice tone="warning" role="status">
          {cached.unlisted.map(({ name }) => name).join(', ')} could not be put on the list of recipients, for
          a fault of the installation. Everybody else gets their message; it is tried again by itself.{' '}
          {role === 'superadmin' ? (
            <Link to={paths.settings()} search={{ tab: 'jobs' }}>
              See what is set aside
            </Link>
          ) : (
            'A superadmin sees the reason.'
          )}
        </Notice>
      )}
      {cached.resting > 0 && (
        <Notice tone="warning">
          There was no mail server, so {plural(cached.resting, 'mail')} of this transmission{' '}
          {cached.resting === 1 ? 'rests' : 'rest'} in the outbox.{' '}
          {role === 'superadmin' ? (
            <Link to={paths.settings()} search={{ tab: 'outbox' }}>
              Open the outbox
            </Link>
          ) : (
            'A superadmin finds them there.'
          )}
        </Notice>
      )}
      {isActive(cached) && <MailServerNotice />}
      {state === 'scheduled' && (reason === null || waitsToLeave(cached)) && (
        <Leaving transmission={cached} />
      )}
      <Suspense>
        {waits && <Planned transmission={cached} />}
        {!waits && leavesInParts(cached) && <Waves transmission={cached} />}
      </Suspense>
      {!waits && <Funnel transmission={cached} />}
      <Further transmission={cached} />
      {hasList && look === 'seconds' && (
        <Suspense>
          <Woven transmission={cached} />
        </Suspense>
      )}
      {hasList && look === undefined && (
        <Recipients
          transmission={cached}
          query={query}
          onChange={(patch) => change(patch)}
          every={isActive(cached) ? lively : calm}
          lively={lively}
        />
      )}
      {!waits && <FollowUps transmission={cached} />}
    </>
  )
}

/** Quotes the mail server, whose words whoever looks after the mail understands. */
const Said = ({ words }: { words: string }) => (
  <p>
    The mail server said: <q>{words}</q>
  </p>
)

/** Says that the mail server does not answer. Nobody has to do anything, because what waits leaves by itself. */
function MailServerNotice() {
  const since = useList(readSending, {}, { every: lively }).page?.mailServerFailingSince
  if (!since) return null
  return (
    <Notice tone="warning" role="status">
      The mail server has not answered since <DateTime iso={since} />. Nothing is lost: what waits leaves by
      itself as soon as it answers again.
    </Notice>
  )
}

function noticeTone({ state, reason }: Transmission): Tone {
  if (reason === 'video_not_ready') return 'info'
  return state === 'failed' ? 'danger' : 'warning'
}
