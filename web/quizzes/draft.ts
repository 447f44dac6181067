import type { QuizDraft, QuizOption, QuizQuestion } from '#contract/quizzes/quizzes.ts'

/** Milliseconds before a question at which the part that teaches it begins, until somebody says otherwise. */
const usualPart = 15_000
/** A part that teaches something lasts at least this long, in milliseconds. */
const shortestPart = 1_000

/** `crypto.randomUUID` is missing on plain http; this is not. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = Array.from(bytes, (byte, at) => {
    const marked = at === 6 ? (byte & 0x0f) | 0x40 : at === 8 ? (byte & 0x3f) | 0x80 : byte
    return marked.toString(16).padStart(2, '0')
  }).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

export const newOption = (text = '', correct = false): QuizOption => ({
  id: newId(),
  text,
  correct,
  feedback: null,
})

/** An empty question of single choice; `atMs` null: at the end. */
export function newQuestion(atMs: number | null): QuizQuestion {
  return {
    key: newId(),
    kind: 'single',
    prompt: '',
    points: 1,
    atMs,
    gate: true,
    options: [newOption('', true), newOption()],
    number: null,
    texts: [],
    shuffle: false,
    whenRight: null,
    whenWrong: null,
    backToMs: null,
    teaches: null,
  }
}

/** Those in the video by their time, then those at the end as they stand. */
function ordered(questions: readonly QuizQuestion[]): QuizQuestion[] {
  const inVideo = questions.filter(({ atMs }) => atMs !== null)
  return [
    ...inVideo.toSorted((a, b) => (a.atMs ?? 0) - (b.atMs ?? 0)),
    ...questions.filter(({ atMs }) => atMs === null),
  ]
}

export const withQuestions = (draft: QuizDraft, questions: readonly QuizQuestion[]): QuizDraft => ({
  ...draft,
  questions: ordered(questions),
})

export const addQuestion = (draft: QuizDraft, question: QuizQuestion): QuizDraft =>
  withQuestions(draft, [...draft.questions, question])

export const removeQuestion = (draft: QuizDraft, key: string): QuizDraft => ({
  ...draft,
  questions: draft.questions.filter((one) => one.key !== key),
})

/** Puts back what was removed, where it stood; nothing when it is there. */
export function restoreQuestion(draft: QuizDraft, question: QuizQuestion, place: number): QuizDraft {
  if (draft.questions.some(({ key }) => key === question.key)) return draft
  return withQuestions(draft, draft.questions.toSpliced(place, 0, question))
}

export function changeQuestion(
  draft: QuizDraft,
  key: string,
  change: (question: QuizQuestion) => QuizQuestion,
): QuizDraft {
  return withQuestions(
    draft,
    draft.questions.map((one) => (one.key === key ? change(one) : one)),
  )
}

/** A copy with keys of its own, right behind it. */
export function duplicateQuestion(draft: QuizDraft, key: string, copyKey: string): QuizDraft {
  const place = draft.questions.findIndex((one) => one.key === key)
  const question = draft.questions[place]
  if (!question) return draft
  const copy = { ...reissued(question), key: copyKey }
  return withQuestions(draft, draft.questions.toSpliced(place + 1, 0, copy))
}

/** The same question as a new one. */
export const reissued = (question: QuizQuestion): QuizQuestion => ({
  ...question,
  key: newId(),
  options: question.options.map((option) => ({ ...option, id: newId() })),
})

/** Moves one of those at the end by so many places; it stays at the end. */
export function moveAtEnd(draft: QuizDraft, key: string, by: number): QuizDraft {
  const end = draft.questions.filter(({ atMs }) => atMs === null)
  const moved = moveBy(end, ({ key: other }) => other === key, by)
  return withQuestions(draft, [...draft.questions.filter(({ atMs }) => atMs !== null), ...moved])
}

function moveBy<T>(list: readonly T[], isMeant: (one: T) => boolean, by: number): T[] {
  const from = list.findIndex(isMeant)
  const one = list[from]
  if (one === undefined) return [...list]
  const to = Math.max(0, Math.min(list.length - 1, from + by))
  return list.toSpliced(from, 1).toSpliced(to, 0, one)
}

/** A moment of the video, in whole tenths of a second so that it reads as what it is. */
export function within(ms: number, durationMs: number | null): number {
  return Math.max(0, Math.min(Math.round(ms / 100) * 100, durationMs ?? Infinity))
}

type QuestionEdit = (question: QuizQuestion) => QuizQuestion

export const addOption: QuestionEdit = (question) => ({
  ...question,
  options: [...question.options, newOption()],
})

export const changeOption =
  (id: string, patch: Partial<QuizOption>): QuestionEdit =>
  (question) => ({
    ...question,
    options: question.options.map((one) => (one.id === id ? { ...one, ...patch } : one)),
  })

export const removeOption =
  (id: string): QuestionEdit =>
  (question) => ({ ...question, options: question.options.filter((one) => one.id !== id) })

export const moveOption =
  (id: string, by: number): QuestionEdit =>
  (question) => ({ ...question, options: moveBy(question.options, (one) => one.id === id, by) })

/** Where only one answer is right, the others no longer are. */
export const markRight =
  (id: string, correct: boolean): QuestionEdit =>
  (question) => ({
    ...question,
    options: question.options.map((one) => {
      if (one.id === id) return { ...one, correct }
      return question.kind === 'multiple' || !correct ? one : { ...one, correct: false }
    }),
  })

/** Names a part to begin with: the seconds before the question, or of the end of the video. */
export function usualTeaches(
  { atMs }: Pick<QuizQuestion, 'atMs'>,
  durationMs: number | null,
): [number, number] {
  const to = Math.max(atMs ?? durationMs ?? usualPart, shortestPart)
  return [Math.max(0, to - usualPart), to]
}

/** One end that is moved past the other takes it along. */
export function teachesWith(
  [from, to]: readonly [number, number],
  patch: { from: number } | { to: number },
): [number, number] {
  if ('from' in patch) return [patch.from, Math.max(to, patch.from + shortestPart)]
  const end = Math.max(patch.to, shortestPart)
  return [Math.min(from, end - shortestPart), end]
}

/** The questions of another video as new ones here; what its video is too short for stands at the end. */
export function copiedFrom(source: QuizDraft, durationMs: number | null): QuizQuestion[] {
  const end = durationMs ?? Infinity
  return source.questions.map((question) => {
    const { atMs, backToMs, teaches } = question
    return {
      ...reissued(question),
      atMs: atMs !== null && atMs > end ? null : atMs,
      backToMs: backToMs !== null && backToMs >= end ? null : backToMs,
      teaches: teaches && teaches[1] > end ? null : teaches,
    }
  })
}

const textOrNull = (text: string | null): string | null => text?.trim() || null

function normalQuestion(question: QuizQuestion): QuizQuestion {
  const { key, kind, points, atMs, gate, number, shuffle, backToMs, teaches } = question
  const hasOptions = kind !== 'number' && kind !== 'text'
  return {
    key,
    kind,
    prompt: question.prompt.trim(),
    points,
    atMs,
    gate,
    options: hasOptions
      ? question.options.map(({ id, text, correct, feedback }) => ({
          id,
          text: text.trim(),
          correct,
          feedback: textOrNull(feedback),
        }))
      : [],
    number: kind === 'number' && number ? { value: number.value, tolerance: number.tolerance } : null,
    texts: kind === 'text' ? question.texts.map((text) => text.trim()).filter(Boolean) : [],
    shuffle,
    whenRight: textOrNull(question.whenRight),
    whenWrong: textOrNull(question.whenWrong),
    backToMs,
    teaches: teaches && [teaches[0], teaches[1]],
  }
}

/** What is saved of a draft: without spaces at the ends, empty lines, and what its kind of question has no use for. */
export function normalised({ settings, questions }: QuizDraft): QuizDraft {
  const { passMark, passRequired, attempts, retakeAfterHours, shuffle, feedback } = settings
  return {
    settings: { passMark, passRequired, attempts, retakeAfterHours, shuffle, feedback },
    questions: ordered(questions).map(normalQuestion),
  }
}

export const isSameDraft = (a: QuizDraft, b: QuizDraft): boolean =>
  a === b || JSON.stringify(normalised(a)) === JSON.stringify(normalised(b))
