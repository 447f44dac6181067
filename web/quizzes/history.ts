import type { QuizDraft } from '#contract/quizzes/quizzes.ts'

/** Steps that can be taken back: more than anybody remembers. */
const most = 100
/** Milliseconds within which typing in the same field is one step. */
const pause = 1_500

export type History = {
  draft: QuizDraft
  past: readonly QuizDraft[]
  future: readonly QuizDraft[]
  /** What the last step changed, and when. */
  last: { tag: string; at: number } | null
}

export const begin = (draft: QuizDraft): History => ({ draft, past: [], future: [], last: null })

/** A step; steps with the same tag shortly after one another are one, such as the letters of a word. */
export function step(
  history: History,
  draft: QuizDraft,
  { tag, at }: { tag?: string | undefined; at: number },
): History {
  if (draft === history.draft) return history
  const { past, last } = history
  const isSameStep = tag !== undefined && last?.tag === tag && at - last.at < pause
  return {
    draft,
    past: isSameStep ? past : [...past.slice(1 - most), history.draft],
    future: [],
    last: tag === undefined ? null : { tag, at },
  }
}

export function undo(history: History): History {
  const draft = history.past.at(-1)
  if (!draft) return history
  return { draft, past: history.past.slice(0, -1), future: [history.draft, ...history.future], last: null }
}

export function redo(history: History): History {
  const [draft, ...future] = history.future
  if (!draft) return history
  return { draft, past: [...history.past, history.draft], future, last: null }
}

/** Puts into every step what came in from elsewhere, so that taking back one's own steps does not take back those of others. */
export function rebased(history: History, change: (draft: QuizDraft) => QuizDraft): History {
  return {
    draft: change(history.draft),
    past: history.past.map(change),
    future: history.future.map(change),
    last: null,
  }
}
