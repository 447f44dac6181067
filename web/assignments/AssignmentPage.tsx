import { Button } from '@mantine/core'
import {
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconPlus,
  IconPrinter,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import * as z from 'zod/mini'
import {
  assignmentActions,
  changeAssignment,
  listAssignments,
  listObligations,
  obligationSorts,
  obligationStates,
  readAssignment,
  type AssignmentAction,
  type PathStep,
} from '#contract/assignments/assignments.ts'
import type { Reply } from '#contract/endpoint.ts'
import { language } from '#contract/platform/text/language.ts'
import { useBusy } from '#web/api/attempt.ts'
import { prefetch, refreshAll, useChange, useEndpoint } from '#web/api/query.ts'
import { readSearch, usePageSearch, usePathParams, type LoadInput } from '#web/layout/page.ts'
import { OutboxNote } from '#web/layout/OutboxNote.tsx'
import { paths } from '#web/paths.ts'
import { reasonLabels } from '#web/transmissions/sent/sent-labels.ts'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { Facts } from '#web/ui/fields/Field.tsx'
import { plural } from '#web/ui/format.ts'
import { dialogOnDemand } from '#web/ui/browser/onDemand.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { PageFrame, type FrameProps } from '#web/ui/PageFrame.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import {
  assignmentLabels,
  beginsText,
  countsText,
  dueText,
  escalationText,
  owingOf,
  remindersText,
  requirementLabels,
  validityText,
  withheldLabels,
} from '#web/duty/labels.ts'
import { People } from './People.tsx'
import { PeopleBar } from './PeopleBar.tsx'
import { Steps } from './Steps.tsx'

const StartDialog = dialogOnDemand(async () => (await import('./StartDialog.tsx')).StartDialog)
const Cards = dialogOnDemand(async () => (await import('./Cards.tsx')).Cards)

const search = z.object({
  q: z.catch(z.string(), ''),
  state: z.catch(z.optional(z.enum(obligationStates)), undefined),
  sort: z.catch(z.enum(obligationSorts), 'name'),
  offset: z.catch(z.coerce.number().check(z.gte(0)), 0),
})

type Path = '/assignments/$orgId/$assignmentId'

export function load({ params, search: given }: LoadInput<Path>) {
  const { q, ...query } = readSearch(search, given)
  return Promise.all([
    prefetch(readAssignment, { params }),
    prefetch(listObligations, { params, query: { q: q || undefined, ...query } }),
  ])
}

type Whole = Reply<typeof readAssignment>

const toAll = <Link to={paths.assignments()}>Assignments</Link>

/** Keeps the room of the page while the assignment is not there: its way up, and what follows. */
export const Frame = (frame: FrameProps) => <PageFrame name="Assignment" hasLead crumbs={toAll} {...frame} />

export function AssignmentPage() {
  const params = usePathParams('/assignments/$orgId/$assignmentId')
  const [query, change] = usePageSearch(search)
  const one = useEndpoint(readAssignment, { params }, { every: 5_000 })
  const { word, tone, means: usual } = assignmentLabels[one.state]
  const means =
    one.transmission && one.state === 'active' ? meansOfMessage(one.transmission, one.grows) : usual
  return (
    <>
      <Head assignment={one} />
      <div className={shapes.stack}>
        {one.state !== 'ended' && <Unsent assignment={one} />}
        <div className={shapes.row}>
          <StatusBadge tone={tone} title={means}>
            {word}
          </StatusBadge>
          <span>{means}</span>
        </div>
        {one.path.length > 0 ? <Steps assignment={one} /> : one.people > 0 && <PeopleBar assignment={one} />}
        <People assignment={one} query={query} onChange={(patch) => change(patch)} />
        <Terms assignment={one} />
      </div>
    </>
  )
}

type Message = NonNullable<Whole['transmission']>

function meansOfMessage({ state }: Message, grows: boolean): string {
  if (state === 'held' || state === 'scheduled' || state === 'preparing')
    return 'The message with its day has not left yet.'
  return grows
    ? 'The recipients of a message owe it, and whoever joins them later.'
    : 'The recipients of a message owe it.'
}

/** Says what keeps its messages from leaving. */
function Unsent({ assignment: { video, held } }: { assignment: Whole }) {
  const waiting = held.filter(({ reason }) => reason === 'audience_grown' || reason === 'audience_changed')
  const others = held.filter((one) => !waiting.includes(one))
  const people = waiting.reduce((sum, one) => sum + one.people, 0)
  return (
    <>
      <OutboxNote />
      {video.state !== 'ready' && <Notice tone="warning">{withheldLabels[video.state]}</Notice>}
      {waiting.length > 0 && (
        <Notice tone="warning">
          {plural(people, 'message waits', 'messages wait')} until somebody approves{' '}
          {people === 1 ? 'it' : 'them'}: {linksTo(waiting)}
        </Notice>
      )}
      {others.map((one) => (
        <Notice key={one.transmissionId} tone="warning">
          {plural(one.people, 'message is', 'messages are')} held. {one.reason && reasonLabels[one.reason]}{' '}
          {linksTo([one])}
        </Notice>
      ))}
    </>
  )
}

const linksTo = (held: Whole['held']) => (
  <>
    {held.map(({ transmissionId, people }) => (
      <Link key={transmissionId} to={paths.transmission(transmissionId)}>
        {held.length === 1 ? `Look at ${people === 1 ? 'it' : 'them'}` : plural(people, 'message')}
      </Link>
    ))}
  </>
)

/** Says what becomes of the assignments that wait for it. */
function endText(next: Whole['path']): string {
  const names = new Intl.ListFormat(language).format(next.map(({ name }) => `“${name}”`))
  return next.length === 1
    ? `${names} waits for it: whoever has completed this one goes on there, and nobody else begins.`
    : `${names} wait for it: whoever has completed this one goes on there, and nobody else begins.`
}

const namesOf = (named: Whole['named']['people']) =>
  new Intl.ListFormat(language).format(named.map(({ name }) => name))

/** Says its terms, in words. */
function Terms({ assignment }: { assignment: Whole }) {
  const {
    transmission,
    audience,
    named,
    requirement,
    statement,
    due,
    validity,
    reminders,
    escalation,
    countsSince,
    waitsFor,
  } = assignment
  const facts = [
    {
      label: 'Who',
      value: transmission ? (
        <>
          The recipients of <Link to={paths.transmission(transmission.id)}>“{transmission.subject}”</Link>
          {assignment.grows && ', and whoever joins them later'}
        </>
      ) : audience.everyone ? (
        'Everybody in the organization'
      ) : (
        namesOf([...named.groups, ...named.people])
      ),
    },
    { label: 'Except', value: namesOf([...named.exceptGroups, ...named.exceptPeople]) },
    {
      label: 'What',
      value: transmission
        ? 'Watch the video, with what its questions ask for'
        : requirementLabels[requirement].label,
    },
    { label: 'To confirm', value: statement ?? '' },
    { label: 'Begins', value: transmission ? 'With the message' : beginsText(waitsFor) },
    { label: 'Due', value: dueText(due) },
    { label: 'Valid', value: validityText(validity) },
    { label: 'Reminders', value: remindersText(reminders) },
    { label: 'When nobody reacts', value: escalationText(escalation, due) },
    { label: 'Counts', value: transmission ? 'Whatever was ever completed' : countsText(countsSince) },
  ]
  return (
    <section className={shapes.stack} aria-labelledby="terms">
      <h2 id="terms">What is assigned</h2>
      <div className={`${shapes.card} ${shapes.pad}`}>
        <Facts facts={facts.filter(({ value }) => value !== '')} />
      </div>
    </section>
  )
}

type Step = Exclude<AssignmentAction, 'edit'>
const said: Record<Step, string> = {
  start: 'Started. Below you see who owes it, and when their messages leave.',
  start_path: 'Started, with what comes after it. Below you see who owes it, and when their messages leave.',
  pause: 'Paused. Nothing is sent until you resume.',
  resume: 'It goes on.',
  end: 'Ended. Nobody owes it any more.',
}
const touched = [readAssignment, listAssignments, listObligations]

/** The videos of what waits for it and has not been started, even steps later. */
function draftsAfter(path: readonly PathStep[], id: string): string[] {
  const found: string[] = []
  for (const step of path.filter(({ waitsForId }) => waitsForId === id)) {
    if (step.state === 'draft') found.push(step.videoId)
    found.push(...draftsAfter(path, step.id))
  }
  return found
}

function startOf({ id, video, audience, requirement, statement, countsSince, waitsFor, ...rest }: Whole) {
  const { due, reminders, validity, escalation } = rest
  return {
    assignmentId: id,
    videoId: video.id,
    audience,
    requirement,
    statement,
    countsSince,
    waitsForId: waitsFor?.id ?? null,
    due,
    reminders,
    validity,
    escalation,
  }
}

/** Heads the page. Changing and halting stand at once, all else behind three dots. */
function Head({ assignment }: { assignment: Whole }) {
  const { id: assignmentId, organizationId: orgId, version, state, path, video } = assignment
  const isPath = state === 'draft' && draftsAfter(path, assignmentId).length > 0
  const [dialog, setDialog] = useState<'start' | 'start_path' | 'cards' | 'end' | null>(null)
  const close = () => setDialog(null)
  const next = path.filter(({ waitsForId }) => waitsForId === assignmentId)
  const change = useChange(changeAssignment, touched)
  const [isBusy, run] = useBusy()
  const may = (action: AssignmentAction) => assignmentActions[action].some((one) => one === state)
  const act = async (action: Step, urgent: { urgentReason?: string } = {}) => {
    const isDone = await run(
      () => change.mutateAsync({ params: { orgId, assignmentId }, body: { action, version, ...urgent } }),
      said[action],
    )
    // Most likely somebody else has changed it in the meantime.
    if (!isDone) await refreshAll(touched)
  }
  return (
    <>
      <PageHead
        title={assignment.name}
        crumbs={toAll}
        lead={
          <>
            {video.state === 'removed' ? video.title : <Link to={paths.video(video.id)}>{video.title}</Link>}
            {assignment.people > 0 &&
              `, ${assignment.counts.done} of ${plural(owingOf(assignment), 'person has', 'people have')} completed it`}
          </>
        }
        more={
          <>
            {may('edit') && (
              <Button
                variant="default"
                leftSection={<IconPencil size={16} aria-hidden />}
                renderRoot={(props) => <Link to={paths.assignmentEdit(orgId, assignmentId)} {...props} />}
              >
                Edit
              </Button>
            )}
            {may('pause') && (
              <Button
                variant="default"
                leftSection={<IconPlayerPause size={16} aria-hidden />}
                loading={isBusy}
                onClick={() => void act('pause')}
              >
                Pause
              </Button>
            )}
            {isPath && (
              <Button
                variant="default"
                leftSection={<IconPlayerPlay size={16} aria-hidden />}
                loading={isBusy}
                onClick={() => setDialog('start')}
              >
                Start this one
              </Button>
            )}
          </>
        }
        actions={
          (may('start') || may('resume')) && (
            <Button
              leftSection={<IconPlayerPlay size={16} aria-hidden />}
              loading={isBusy}
              onClick={() =>
                may('resume') ? void act('resume') : setDialog(isPath ? 'start_path' : 'start')
              }
            >
              {may('resume') ? 'Resume' : isPath ? 'Start all steps' : 'Start'}
            </Button>
          )
        }
        seldom={
          state !== 'ended' && (
            <>
              <Button
                variant="default"
                leftSection={<IconPlus size={16} aria-hidden />}
                renderRoot={(props) => (
                  <Link
                    to={paths.assignmentCreate()}
                    search={{ organization: orgId, after: assignmentId }}
                    {...props}
                  />
                )}
              >
                Add the next video
              </Button>
              {state === 'active' && assignment.people > 0 && (
                <Button
                  variant="default"
                  leftSection={<IconPrinter size={16} aria-hidden />}
                  onClick={() => setDialog('cards')}
                >
                  Print cards
                </Button>
              )}
              {may('end') && (
                <Button
                  variant="default"
                  leftSection={<IconPlayerStop size={16} aria-hidden />}
                  onClick={() => setDialog('end')}
                >
                  End
                </Button>
              )}
            </>
          )
        }
      />
      <Suspense>
        {dialog === 'cards' && <Cards assignment={assignment} onClose={close} />}
        {(dialog === 'start' || dialog === 'start_path') && (
          <StartDialog
            orgId={orgId}
            title={video.title}
            start={startOf(assignment)}
            earlier={assignment.waitsFor?.name ?? null}
            verb="Start"
            furtherIds={dialog === 'start' ? [] : draftsAfter(path, assignmentId)}
            onConfirm={(urgent) => act(dialog, urgent)}
            onClose={close}
          />
        )}
      </Suspense>
      <ConfirmDialog
        isOpen={dialog === 'end'}
        title={`End “${assignment.name}”?`}
        confirmLabel="End"
        cancelLabel="Keep it"
        onConfirm={() => act('end')}
        onClose={close}
      >
        <p>Nobody owes it any more, and nothing is sent. What is completed stays, with its evidence.</p>
        {next.length > 0 && <p>{endText(next)}</p>}
      </ConfirmDialog>
    </>
  )
}
