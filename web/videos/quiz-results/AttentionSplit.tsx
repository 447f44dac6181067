import type { Attention, QuestionResult, QuizResults } from '#contract/quiz-results.ts'
import { formatClock, formatNumber, plural } from '#web/ui/format.ts'
import { ShareBar } from '#web/ui/ShareBar.tsx'
import type { Tone } from '#web/ui/StatusBadge.tsx'

type Props = { question: QuestionResult; results: QuizResults }

const groups: readonly { key: keyof Attention; tone: Tone; word: string }[] = [
  { key: 'notWatched', tone: 'warning', word: 'Had not watched it' },
  { key: 'watched', tone: 'danger', word: 'Had watched it' },
  { key: 'rewatched', tone: 'success', word: 'Watched again, then right' },
  { key: 'unknown', tone: 'neutral', word: 'Viewing not recorded' },
]

/** Why the first answer of these people was wrong: the part that teaches it was not watched, or watching it did not help. */
export function AttentionSplit({ question, results }: Props) {
  const { attention, teaches, right, people } = question
  if (!teaches) return <p className="quiz-note">No part of the video is marked as teaching this question.</p>
  const part = `${formatClock(teaches[0])} to ${formatClock(teaches[1])}`
  if (!attention) {
    const wrong = people - (right ?? people)
    if (wrong === 0) return null
    return (
      <p className="quiz-note">
        {wrong < results.smallestGroup
          ? `What those who were wrong had watched of ${part} is not shown for fewer than ${plural(results.smallestGroup, 'person', 'people')}.`
          : 'What people watched is not recorded in this organization.'}
      </p>
    )
  }
  const shown = groups.filter(({ key }) => attention[key] > 0)
  return (
    <div className="quiz-attention">
      <h4>Those who were wrong at first, and {part}, which teaches it</h4>
      <ShareBar
        total={attention.wrong}
        parts={shown.map(({ key, tone, word }) => ({
          tone,
          value: attention[key],
          label: `${word}: ${formatNumber(attention[key])}`,
        }))}
      />
      <ul>
        {shown.map(({ key, tone, word }) => (
          <li key={key} data-tone={tone}>
            {word} <b>{formatNumber(attention[key])}</b>
          </li>
        ))}
      </ul>
      <p>{adviceOn(attention, part)}</p>
    </div>
  )
}

/** The finding in one sentence, and what follows from it. */
function adviceOn({ wrong, unknown, hadNotWatched }: Attention, part: string): string {
  const known = wrong - unknown
  if (known === 0) return 'Of none of them is it known what they had watched.'
  if (hadNotWatched === 0)
    return `All ${formatNumber(known)} who were wrong had watched ${part}: make the part clearer, or the question.`
  const finding = `${formatNumber(hadNotWatched)} of ${formatNumber(known)} who were wrong had not watched ${part}.`
  if (hadNotWatched * 2 >= known)
    return `${finding} Let the question send people back to this part, or ask it after the part.`
  return `${finding} Most had watched it and were wrong all the same: make the part clearer, or the question.`
}
