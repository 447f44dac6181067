import type { Attempt } from '#contract/quizzes.ts'
import { element } from './element.ts'
import { chanceOf, outcomeOf } from './labels.ts'

export type Bar = { show: (attempt: Attempt, skipped: number) => void; remove: () => void }

/** Below the video: how many questions are answered, and the way to those that were put off or to the result. */
export function createBar(
  video: HTMLVideoElement,
  { onAnswer, onResult }: { onAnswer: () => void; onResult: () => void },
): Bar {
  const root = element('p', { class: 'quiz-bar' })
  return {
    show(attempt, skipped) {
      const { questions, answered, outcome } = attempt
      if (!root.isConnected) video.parentElement?.after(root)
      const done = `${answered.length} of ${questions.length} questions answered.`
      const later = skipped === 1 ? 'Answer the one you put off' : `Answer the ${skipped} you put off`
      const button = outcome
        ? element('button', { type: 'button', onclick: onResult }, 'Show the result')
        : skipped > 0
          ? element('button', { type: 'button', onclick: onAnswer }, later)
          : null
      root.replaceChildren(
        outcome ? [outcomeOf(outcome), chanceOf(attempt)].filter(Boolean).join(' ') : done,
        ...(button ? [button] : []),
      )
    },
    remove: () => root.remove(),
  }
}
