import { Button } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { language } from '#contract/platform/text/language.ts'
import { readEvidence, type Evidence, type EvidenceVersion } from '#contract/evidence/evidence.ts'
import { readOrganization } from '#contract/directory/organizations.ts'
import { adminRoles, type Role } from '#contract/roles.ts'
import { prefetch, useEndpoint, useReadAt } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { readSearch, usePageSearch, usePathParams, type LoadInput } from '#web/layout/page.ts'
import { useUser } from '#web/session/useSession.ts'
import { Avatar } from '#web/ui/Avatar.tsx'
import { Facts } from '#web/ui/fields/Field.tsx'
import { IssueCertificate } from './certificates/IssueCertificate.tsx'
import { DataQuality } from '#web/ui/figures/DataQuality.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import {
  dot,
  formatDay,
  formatLength,
  formatMoment,
  formatPart,
  formatReached,
  plural,
} from '#web/ui/format.ts'
import { Meanings } from '#web/ui/Meanings.tsx'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import { PageFrame, type FrameProps } from '#web/ui/PageFrame.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { Standing } from '#web/ui/figures/Standing.tsx'
import { DateTime, Updated } from '#web/ui/Time.tsx'
import { Tip } from '#web/ui/overlays/Tip.tsx'
import { evidenceLabels } from '#web/evidence/labels.ts'
import { organizationCrumbs, organizationsCrumb } from '../organizations/crumbs.tsx'
import { ChaptersSeen } from './Chapters.tsx'
import { Sessions } from './Sessions.tsx'
import { TimeLine } from './TimeLine.tsx'
import { Why } from './Why.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { evidenceStates } from '#contract/tracking/evidence-states.ts'

const search = z.object({
  /** Number of the version that is looked at; the newest that was watched without one. */
  version: z.catch(z.optional(z.coerce.number()), undefined),
  offset: z.catch(z.coerce.number().check(z.gte(0)), 0),
})

type PageInput = LoadInput<'/organizations/$orgId/users/$userId/videos/$videoId'>

function addressOf({ orgId, userId, videoId }: PageInput['params'], { offset }: { offset: number }) {
  return { params: { orgId, userId, videoId }, query: { offset, language } }
}

export function load({ params, search: given }: PageInput) {
  return Promise.all([
    prefetch(readOrganization, { params: { orgId: params['orgId'] ?? '' } }),
    prefetch(readEvidence, addressOf(params, readSearch(search, given))),
  ])
}

/** Somebody of whom something was heard within the last minute is watching. */
const isWatching = (lastAt: string | null) => lastAt !== null && Date.now() - Date.parse(lastAt) < 60_000

/** While it is not there: the way to the organizations, and the room of what follows. */
export const Frame = (frame: FrameProps) => (
  <PageFrame name="Evidence" hasLead crumbs={organizationsCrumb()} hasMark {...frame} />
)

/** Every figure of the page by its definition. */
const meanings = [
  {
    label: 'Seen',
    value:
      'Different parts that count, divided by the length of the version, rounded down. A part that was seen twice counts once.',
  },
  {
    label: 'What counts',
    value:
      'A stretch inside the video, in sight or in a picture in a picture, not faster than the organization allows, that fits the time which the clock shows for it. A moment of somebody’s life counts in one window only.',
  },
  {
    label: 'Completed',
    value:
      'The needed share was reached, and every question was answered that the video insists on, and the questions were passed where they have to be. Once completed, always completed.',
  },
  {
    label: 'Time watched',
    value:
      'Length of everything that counts, repeats counted, in time of the video; beside it the time of the clock that it took, which is shorter at a higher speed.',
  },
  {
    label: 'Plays and sessions',
    value:
      'A session begins whenever the page of the video is opened. It is a play once something was played in it.',
  },
  {
    label: 'Handed out',
    value:
      'What this server sent to a session, segment by segment (six seconds each), recorded by itself about once a second. A browser that keeps a segment asks for it only once. What the record cannot know is whether anybody looked.',
  },
  ...evidenceStates.map((state) => ({
    label: evidenceLabels[state].word,
    value: evidenceLabels[state].means,
  })),
]

/** What one person watched of one video, and how that is known. */
export function EvidencePage() {
  const params = usePathParams('/organizations/$orgId/users/$userId/videos/$videoId')
  const [state, change] = usePageSearch(search)
  const organization = useEndpoint(readOrganization, { params: { orgId: params.orgId } })
  const evidence = useEndpoint(readEvidence, addressOf(params, state), {
    every: ({ lastAt }) => (isWatching(lastAt) ? 5_000 : 30_000),
  })
  const { role } = useUser()
  const readAt = useReadAt(readEvidence, addressOf(params, state))
  const { person, video, versions } = evidence
  const version = versions.find(({ number }) => number === state.version) ?? versions[0]
  return (
    <>
      <PageHead
        title={video.title}
        mark={<Avatar name={person.name} picture={person.avatar} size={48} />}
        answer={answerOf(evidence, version)}
        lead={
          <>
            {version ? <Verdict evidence={evidence} version={version} /> : <Stands evidence={evidence} />}
            <Updated at={readAt} />
          </>
        }
        crumbs={[
          ...organizationCrumbs(organization),
          person.exists ? (
            <Link key="person" to={paths.person(params.orgId, params.userId)}>
              {person.name}
            </Link>
          ) : (
            `${person.name} (removed)`
          ),
        ]}
        actions={<Actions evidence={evidence} orgId={params.orgId} />}
      />
      <div className={shapes.stack}>
        {version ? (
          <>
            <Numbers evidence={evidence} version={version} />
            {version.state === 'contradicted' && (
              <Notice tone="danger">
                {evidenceLabels.contradicted.means}
                {version.unserved.length > 0 && (
                  <> It is about {version.unserved.map(formatPart).join(', ')}.</>
                )}
              </Notice>
            )}
            <section
              className={`${shapes.card} ${shapes.pad} ${shapes.stack}`}
              aria-labelledby="evidence-line"
            >
              <h2 id="evidence-line" className={shapes.sr}>
                Time line
              </h2>
              {versions.length > 1 && (
                <NativeChoice
                  aria-label="Version of the video"
                  data={versions.map(versionChoice)}
                  value={`${version.number}`}
                  onChange={({ currentTarget: { value } }) => change({ version: Number(value) })}
                />
              )}
              <TimeLine key={version.id} version={version} title={video.title} />
            </section>
            <ChaptersSeen
              version={version}
              name={person.name}
              videoId={mayOpen(evidence, role) && version.isCurrent ? video.id : null}
            />
            <DataQuality quality={evidence.quality} />
            <Why version={version} name={person.name} questions={evidence.questions} />
          </>
        ) : evidence.isDiscreet ? (
          <Discreet evidence={evidence} />
        ) : evidence.sessions.total > 0 ? (
          <Notice tone="warning">
            Nothing of what was reported counts. Each session says why, and what can be decided about it.
          </Notice>
        ) : (
          <div className={shapes.card}>
            <EmptyState
              title={`${person.name} has not opened this video`}
              icon={<IconPlayerPlay size={24} />}
            >
              As soon as they open it, this page shows which seconds they watched, and how that is known.
            </EmptyState>
          </div>
        )}
        {(version || evidence.sessions.total > 0) && (
          <Sessions address={params} evidence={evidence} onOffset={(offset) => change({ offset })} />
        )}
        <Meanings meanings={meanings} />
      </div>
    </>
  )
}

/** Where the organization records only completions there is nothing else to be shown. */
function Discreet({ evidence: { person, completedOn } }: { evidence: Evidence }) {
  return (
    <div className={shapes.card}>
      <EmptyState
        title={
          completedOn
            ? `${person.name} completed this video on ${formatDay(completedOn)}, ${completedOn.slice(0, 4)}`
            : `${person.name} has not completed this video`
        }
        icon={<IconPlayerPlay size={24} />}
      >
        This organization records only whether somebody completed a video, and on which day.
      </EmptyState>
    </div>
  )
}

function versionChoice({ number, isCurrent, share }: EvidenceVersion) {
  const words = isCurrent ? `Version ${number}, the present one` : `Version ${number}`
  return { value: `${number}`, label: `${words}: ${formatReached(share)}` }
}

/** Content has pages for administrators only. */
const mayOpen = ({ video }: Evidence, role: Role) => adminRoles.includes(role) && video.exists

/** What may be done with this evidence. */
function Actions({ evidence, orgId }: { evidence: Evidence; orgId: string }) {
  const { video, person, versions, isDiscreet } = evidence
  const isOpen = mayOpen(evidence, useUser().role)
  return (
    <>
      {isOpen && (
        <Button component={Link} to={paths.video(video.id)} variant="default">
          Open the video
        </Button>
      )}
      {person.exists && (versions.length > 0 || isDiscreet) && (
        <IssueCertificate orgId={orgId} userId={person.id} videoId={video.id} />
      )}
    </>
  )
}

/** What the page says first. */
function answerOf(
  { person: { name }, isDiscreet, completedOn, sessions }: Evidence,
  version?: EvidenceVersion,
): string {
  if (isDiscreet) return completedOn ? `${name} has completed it` : `${name} has not completed it`
  if (!version && sessions.total === 0) return `${name} has not opened it`
  if (version?.state === 'contradicted') return `What ${name} reported is contradicted`
  if (!version || version.coveredMs === 0) return `${name} has seen nothing of it that counts`
  return version.missingMs === 0
    ? `${name} has seen all of it`
    : `${name} has seen ${formatReached(version.share)} of it`
}

type VersionProps = { evidence: Evidence; version: EvidenceVersion }

/** Where they stand with the video, whatever became of a single version. */
function Stands({ evidence: { standing, completedOn } }: { evidence: Evidence }) {
  return (
    standing && (
      <>
        <Standing standing={standing} completedAt={completedOn} />
        {dot}
      </>
    )
  )
}

/** Where they stand, what both sources say together, and since when it is completed or why it is not. */
function Verdict({ evidence, version }: VersionProps) {
  const { word, means } = evidenceLabels[version.state]
  const { share, completedAt, coveredAt, threshold } = version
  const open =
    threshold > share
      ? `not completed: needs ${formatReached(threshold)}`
      : coveredAt === null
        ? 'not completed: not from evidence that counts'
        : evidence.questions.failed
          ? 'not completed: the questions were not passed'
          : 'not completed: questions are still open'
  return (
    <>
      <Stands evidence={evidence} />
      <Tip text={means} label={`${word}: ${means}`}>
        {word}
      </Tip>
      {dot}
      {completedAt ? (
        <>
          completed <DateTime iso={completedAt} />
        </>
      ) : (
        open
      )}
      {dot}
    </>
  )
}

function Numbers({ evidence: { lastAt, sessions }, version }: VersionProps) {
  const { share, coveredMs, durationMs, watchedMs, attentionMs, plays } = version
  return (
    <Facts
      isLine
      facts={[
        {
          label: 'Seen',
          value: `${formatReached(share)}, ${formatLength(coveredMs)} of ${formatLength(durationMs)}`,
        },
        {
          label: 'Time watched',
          value: `${formatLength(watchedMs)}, ${formatLength(attentionMs)} of the clock`,
        },
        {
          label: 'Plays',
          value: `${plays} in ${plural(sessions.total, 'session')}${lastAt === null ? '' : `, the last ${formatMoment(lastAt)}`}`,
        },
      ]}
    />
  )
}
