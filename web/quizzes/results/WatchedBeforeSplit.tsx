import { Button } from '@mantine/core'
import {
  readWatchedBeforeAnswer,
  type WatchedBefore,
  type WatchedBeforeAnswer,
  type QuestionResult,
  type QuizResults,
} from '#contract/quizzes/quiz-results.ts'
import { language } from '#contract/platform/text/language.ts'
import { useList } from '#web/api/query.ts'
import { useReading } from '#web/api/reading.ts'
import { formatClock, formatMoment, formatNumber, plural } from '#web/ui/format.ts'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { plotTone, ShareBar } from '#web/ui/figures/ShareBar.tsx'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import type { Tone } from '#web/ui/figures/StatusBadge.tsx'
import classes from './Questions.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import shareClasses from '#web/ui/figures/ShareBar.module.css'

type Props = { question: QuestionResult; results: QuizResults }

const groups: readonly { key: keyof WatchedBefore; tone: Tone; word: string }[] = [
  { key: 'notWatched', tone: 'warning', word: 'Had not watched it' },
  { key: 'watched', tone: 'danger', word: 'Had watched it' },
  { key: 'rewatched', tone: 'success', word: 'Watched again, then right' },
  { key: 'unknown', tone: 'neutral', word: 'Viewing not recorded' },
]

/** Why the first answer of these people was wrong: the part that teaches it was not watched, or watching it did not help. */
export function WatchedBeforeSplit({ question, results: { videoId, smallestGroup } }: Props) {
  const { id, teaches, right, people } = question
  if (!teaches)
    return <p className={shapes.lead}>No part of the video is marked as teaching this question.</p>
  const part = `${formatClock(teaches[0])} to ${formatClock(teaches[1])}`
  const wrong = people - (right ?? people)
  if (wrong === 0) return null
  if (wrong < smallestGroup)
    return (
      <p className={shapes.lead}>
        {`What those who were wrong had watched of ${part} is not shown for fewer than ${plural(smallestGroup, 'person', 'people')}.`}
      </p>
    )
  return <Watched part={part} videoId={videoId} itemId={id} />
}

/** Fetched when the question is opened: among many thousand people it takes a moment to find out. */
function Watched({ part, ...params }: { part: string; videoId: string; itemId: string }) {
  const { page: found, error, retry } = useList(readWatchedBeforeAnswer, { params, query: { language } })
  useReading([readWatchedBeforeAnswer], found?.asOf)
  if (error)
    return (
      <Notice tone="danger" role="alert">
        {`What those who were wrong had watched of ${part} could not be read. `}
        <Button variant="default" size="compact-sm" onClick={retry}>
          Try again
        </Button>
      </Notice>
    )
  if (!found) return <Waiting part={part} />
  if (!found.attention)
    return <p className={shapes.lead}>What people watched is not recorded in this organization.</p>
  return <Split part={part} attention={found.attention} taught={found.taught} asOf={found.asOf} />
}

/** As high as what will come. */
function Waiting({ part }: { part: string }) {
  return (
    <div className={shapes.stack} role="status" aria-label="Finding out what they had watched">
      <Title part={part} />
      <Bone height={8} />
      <span className={`${shapes.row} ${classes.wait}`}>
        <Bone width="min(100%, 320px)" />
      </span>
      <span className={`${shapes.row} ${classes.wait}`}>
        <Bone width="min(100%, 480px)" />
      </span>
    </div>
  )
}

const Title = ({ part }: { part: string }) => (
  <h4>Those who were wrong at first, and {part}, which teaches it</h4>
)

type SplitProps = Pick<WatchedBeforeAnswer, 'taught' | 'asOf'> & { part: string; attention: WatchedBefore }

function Split({ part, attention, taught, asOf }: SplitProps) {
  const shown = groups.filter(({ key }) => attention[key] > 0)
  return (
    <div className={shapes.stack}>
      <Title part={part} />
      {taught && (
        <p>
          It is said there:{' '}
          <q lang={taught.language} dir="auto">
            {taught.text}
          </q>
        </p>
      )}
      <ShareBar
        total={attention.wrong}
        parts={shown.map(({ key, tone, word }) => ({
          tone,
          value: attention[key],
          label: `${word}: ${formatNumber(attention[key])}`,
        }))}
      />
      <ul className={shapes.row}>
        {shown.map(({ key, tone, word }) => (
          <li key={key}>
            <i className={shareClasses.key} data-plot={plotTone(tone)} aria-hidden /> {word}{' '}
            <b>{formatNumber(attention[key])}</b>
          </li>
        ))}
      </ul>
      <p>{adviceOn(attention, part)}</p>
      {asOf !== null && <p>As of {formatMoment(asOf)}. What was answered and watched since will follow.</p>}
    </div>
  )
}

/** The finding in one sentence, and what follows from it. */
function adviceOn({ wrong, unknown, hadNotWatched }: WatchedBefore, part: string): string {
  const known = wrong - unknown
  if (known === 0) return 'Of none of them is it known what they had watched.'
  if (hadNotWatched === 0)
    return `All ${formatNumber(known)} who were wrong had watched ${part}: make the part clearer, or the question.`
  const finding = `${formatNumber(hadNotWatched)} of ${formatNumber(known)} who were wrong had not watched ${part}.`
  if (hadNotWatched * 2 >= known)
    return `${finding} Let the question send people back to this part, or ask it after the part.`
  return `${finding} Most had watched it and were wrong all the same: make the part clearer, or the question.`
}
