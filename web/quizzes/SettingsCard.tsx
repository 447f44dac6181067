import { useId } from 'react'
import type { QuizDraft, QuizSettings } from '#contract/quizzes/quizzes.ts'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import { Check } from './Check.tsx'
import { feedbackLabels } from './versions/compare.ts'
import { DecimalField } from './DecimalField.tsx'
import type { Editor } from './editor.ts'
import shapes from '#web/ui/look/shapes.module.css'

type Props = { draft: QuizDraft; editor: Editor }

const feedbacks = ['at_once', 'at_end', 'never'] as const

/** What holds for all questions of the video. */
export function SettingsCard({ draft, editor }: Props) {
  const id = useId()
  const { passMark, passRequired, attempts, retakeAfterHours, shuffle, feedback } = draft.settings
  const points = draft.questions.reduce((sum, one) => sum + one.points, 0)
  const change = (patch: Partial<QuizSettings>) =>
    editor.edit(
      (one) => ({ ...one, settings: { ...one.settings, ...patch } }),
      `settings:${Object.keys(patch).join()}`,
    )
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby={id}>
      <h2 id={id}>Rules</h2>
      <div className={shapes.grid}>
        <DecimalField
          label="Pass mark in %"
          description={
            points === 0 ? 'Share of the points' : `${needed(points, passMark)} of ${points} points`
          }
          value={Math.round(passMark * 1_000) / 10}
          least={0}
          most={100}
          onChange={(percent) => change({ passMark: (percent ?? 0) / 100 })}
        />
        <DecimalField
          label="Attempts"
          description="Empty: as many as they like"
          value={attempts}
          least={1}
          most={100}
          isWhole
          isOptional
          placeholder="Without limit"
          onChange={(count) => change({ attempts: count })}
        />
        <DecimalField
          label="Hours before another attempt"
          description="0: at once"
          value={retakeAfterHours}
          least={0}
          most={8_760}
          isWhole
          onChange={(hours) => change({ retakeAfterHours: hours ?? 0 })}
        />
        <NativeChoice
          label="Viewers learn what was right"
          description={feedback === 'at_once' ? 'Needed for going back' : 'Nobody is led back then'}
          data={feedbacks.map((value) => ({ value, label: feedbackLabels[value] }))}
          value={feedback}
          onChange={(event) => {
            const wanted = feedbacks.find((one) => one === event.currentTarget.value)
            if (wanted) change({ feedback: wanted })
          }}
        />
      </div>
      <Check
        label="Passing is required"
        hint={passText(draft.settings)}
        isChecked={passRequired}
        onChange={(isRequired) => change({ passRequired: isRequired })}
      />
      <Check
        label="Shuffle the questions at the end"
        isChecked={shuffle}
        onChange={(isShuffled) => change({ shuffle: isShuffled })}
      />
    </section>
  )
}

function passText({ passMark, passRequired }: QuizSettings): string {
  if (passMark === 0) return 'Without a pass mark nobody can fail, so it is enough to watch.'
  return passRequired
    ? 'Whoever does not reach the pass mark has not completed the video: they can become late, and get no certificate of their own.'
    : 'Whoever watches the video and answers what it insists on has completed it, passed or not.'
}

/** Points that pass, in steps of the points that can be reached. */
const needed = (points: number, passMark: number): number => Math.ceil(points * passMark * 100 - 1e-6) / 100
