import type { Attempt } from '#contract/quizzes/quizzes.ts'
import { element } from './element.ts'
import { chanceOf, outcomeOf, say } from './labels.ts'
import { named } from './quiz.module.css?adopted'

export type Bar = { show: (attempt: Attempt, skipped: number) => void; remove: () => void }

/** Below the video: how many questions are answered, and the way to those that were put off or to the result. */
export function createBar(
  video: HTMLVideoElement,
  { onAnswer, onResult }: { onAnswer: () => void; onResult: () => void },
): Bar {
  const root = element('p', { class: named('bar') })
  return {
    show(attempt, skipped) {
      const { questions, answered, outcome } = attempt
      if (!root.isConnected) video.parentElement?.after(root)
      const done = say('answered', { count: String(answered.length), all: String(questions.length) })
      const later = say('answerLater', { count: skipped })
      const button = outcome
        ? element('button', { type: 'button', onclick: onResult }, say('showResult'))
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
