import { useState } from 'react'
import { readQuizAttempt, type QuizAttemptResult, type ReadAnswer } from '#contract/quizzes/quiz-results.ts'
import { useList } from '#web/api/query.ts'
import { Dialog } from '#web/ui/overlays/Dialog.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { formatDateTime, formatDuration, formatReached } from '#web/ui/format.ts'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import shapes from '#web/ui/look/shapes.module.css'

type Props = { videoId: string; attemptId: string; onClose: () => void }

/** What somebody answered, try by try, beside what would have been right. */
export function AttemptDialog({ videoId, attemptId, onClose }: Props) {
  const [shown, setShown] = useState(attemptId)
  const { page: attempt, error, retry } = useList(readQuizAttempt, { params: { videoId, attemptId: shown } })
  const title = attempt ? `Answers of ${attempt.name ?? 'somebody without a personal link'}` : 'Answers'
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {error && <NotRead error={error} retry={retry} />}
      {!error && !attempt && <p role="status">Fetching the answers…</p>}
      {attempt && <Attempt attempt={attempt} onShow={setShown} />}
    </Dialog>
  )
}

function Attempt({ attempt, onShow }: { attempt: QuizAttemptResult; onShow: (id: string) => void }) {
  const { id, attempts, completedAt, startedAt, score, maxScore, passed, answers } = attempt
  return (
    <div className={shapes.stack}>
      {attempts.length > 1 && (
        <NativeChoice
          label="Attempt"
          value={id}
          onChange={({ currentTarget }) => onShow(currentTarget.value)}
          data={attempts.map((one, at) => ({ value: one.id, label: `${at + 1} of ${attempts.length}` }))}
        />
      )}
      <p>
        {completedAt === null
          ? `Begun ${formatDateTime(startedAt)} and not completed.`
          : `Completed ${formatDateTime(completedAt)} with ${formatReached(score / maxScore)}: ${passed ? 'passed' : 'not passed'}.`}
      </p>
      <ol className={shapes.stack}>
        {answers.map((one) => (
          <Answer key={one.itemId} one={one} />
        ))}
      </ol>
    </div>
  )
}

function Answer({ one: { prompt, tries, solution } }: { one: ReadAnswer }) {
  const isRight = tries[0]?.correct ?? false
  return (
    <li>
      <h3>{prompt}</h3>
      {tries.length === 0 && <StatusBadge tone="neutral">Not answered</StatusBadge>}
      {tries.map(({ answer, correct, tookMs, answeredAt }, at) => (
        <p key={answeredAt}>
          <StatusBadge tone={correct ? 'success' : 'danger'}>{correct ? 'Right' : 'Wrong'}</StatusBadge>{' '}
          <b>{answer || 'Nothing chosen'}</b>{' '}
          <small>
            {tries.length > 1 && `try ${at + 1}, `}in {formatDuration(tookMs)}
          </small>
        </p>
      ))}
      {!isRight && <p className={shapes.lead}>Right: {solution}</p>}
    </li>
  )
}
