import { Button } from '@mantine/core'
import { Suspense, useId, useState } from 'react'
import { readQuiz, withdrawQuiz, type Quiz, type QuizVersion } from '#contract/quizzes/quizzes.ts'
import { attempt } from '#web/api/attempt.ts'
import { useChange } from '#web/api/query.ts'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { formatNumber, plural } from '#web/ui/format.ts'
import { dialogOnDemand } from '#web/ui/browser/onDemand.tsx'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import { Lines } from '#web/ui/Lines.tsx'
import type { Editor } from '../editor.ts'
import shapes from '#web/ui/look/shapes.module.css'

const VersionDialog = dialogOnDemand(async () => (await import('./VersionDialog.tsx')).VersionDialog)

/** What was published, newest first, and the end of asking. */
export function Versions({ quiz, editor }: { quiz: Quiz; editor: Editor }) {
  const id = useId()
  const [shown, setShown] = useState<QuizVersion | null>(null)
  const [isLeaving, setLeaving] = useState(false)
  const withdraw = useChange(withdrawQuiz, [readQuiz])
  const { videoId, versions } = quiz
  if (versions.length === 0) return null
  const current = versions.find(({ isCurrent }) => isCurrent)
  const stop = () =>
    attempt(async () => {
      editor.hear(await withdraw.mutateAsync({ params: { videoId } }))
    }, 'Nobody is asked these questions any more.')
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby={id}>
      <h2 id={id}>Versions</h2>
      <Lines>
        {versions.map((version) => (
          <li key={version.id}>
            <div>
              <strong>Version {version.number}</strong>{' '}
              {version.isCurrent && <StatusBadge tone="success">Asked now</StatusBadge>}
              <p className={shapes.hint}>
                <DateTime iso={version.publishedAt} />
                {version.publishedBy && ` by ${version.publishedBy}`} ·{' '}
                {plural(version.questions, 'question')} · {formatNumber(version.maxScore)} points ·{' '}
                {plural(version.attempts, 'attempt')}
              </p>
            </div>
            <Button variant="default" size="compact-md" onClick={() => setShown(version)}>
              {`Look at version ${version.number}`}
            </Button>
          </li>
        ))}
      </Lines>
      {current && (
        <div>
          <Button variant="subtle" color="red" size="compact-md" onClick={() => setLeaving(true)}>
            Withdraw the questions
          </Button>
        </div>
      )}
      {shown && (
        <Suspense>
          <VersionDialog videoId={videoId} version={shown} onClose={() => setShown(null)} />
        </Suspense>
      )}
      <ConfirmDialog
        isOpen={isLeaving}
        title="Withdraw these questions?"
        confirmLabel="Withdraw the questions"
        onConfirm={stop}
        onClose={() => setLeaving(false)}
      >
        <p>
          Nobody is asked them any more, and who waited only for an answer has completed the video. What was
          answered stays in the results, and your draft stays here: you can publish it again.
        </p>
      </ConfirmDialog>
    </section>
  )
}
