import { expect, test } from 'vitest'
import { defaultQuizSettings, QuizDraft, type QuizQuestion } from '#contract/quizzes/quizzes.ts'
import {
  addOption,
  addQuestion,
  changeQuestion,
  copiedFrom,
  duplicateQuestion,
  isSameDraft,
  markRight,
  moveAtEnd,
  moveOption,
  newId,
  newQuestion,
  normalised,
  removeQuestion,
  restoreQuestion,
  teachesWith,
  usualTeaches,
  within,
} from './draft.ts'
import { changeKind } from './kinds.ts'
import { formatPosition, parsePosition } from './position.ts'
import { lanesOf, middles, ticksOf } from './timeline.ts'

const empty: QuizDraft = { settings: defaultQuizSettings, questions: [] }
const asked = (prompt: string, atMs: number | null, more: Partial<QuizQuestion> = {}): QuizQuestion => ({
  ...newQuestion(atMs),
  prompt,
  ...more,
})
const of = (...questions: QuizQuestion[]) => questions.reduce(addQuestion, empty)
const prompts = ({ questions }: QuizDraft) => questions.map(({ prompt }) => prompt)

test('questions stand in the order of the video, and those at the end as they were put', () => {
  const draft = of(asked('last', null), asked('late', 9_000), asked('early', 1_000), asked('very last', null))
  expect(prompts(draft)).toEqual(['early', 'late', 'last', 'very last'])
  const [early, , last] = draft.questions
  const moved = changeQuestion(draft, early?.key ?? '', (one) => ({ ...one, atMs: 12_000 }))
  expect(prompts(moved)).toEqual(['late', 'early', 'last', 'very last'])
  expect(prompts(moveAtEnd(moved, last?.key ?? '', 1))).toEqual(['late', 'early', 'very last', 'last'])
  expect(prompts(moveAtEnd(moved, last?.key ?? '', -5))).toEqual(['late', 'early', 'last', 'very last'])
})

test('what was removed comes back where it stood, once', () => {
  const draft = of(asked('a', null), asked('b', null), asked('c', null))
  const [, b] = draft.questions
  if (!b) throw new Error('no question')
  const without = removeQuestion(draft, b.key)
  expect(prompts(without)).toEqual(['a', 'c'])
  const again = restoreQuestion(without, b, 1)
  expect(prompts(again)).toEqual(['a', 'b', 'c'])
  expect(restoreQuestion(again, b, 1)).toBe(again)
})

test('a copy has keys of its own and stands behind what it was made of', () => {
  const draft = of(asked('a', 1_000), asked('b', 1_000))
  const [a] = draft.questions
  const copied = duplicateQuestion(draft, a?.key ?? '', newId())
  expect(prompts(copied)).toEqual(['a', 'a', 'b'])
  const ids = copied.questions.flatMap(({ key, options }) => [key, ...options.map(({ id }) => id)])
  expect(new Set(ids).size).toBe(ids.length)
  expect(QuizDraft.safeParse(copied).success).toBe(true)
})

test('one answer is right, or several, as the kind has it', () => {
  const [one, two] = newQuestion(0).options
  const single = markRight(two?.id ?? '', true)({ ...newQuestion(0), options: [one, two].filter((o) => !!o) })
  expect(single.options.map(({ correct }) => correct)).toEqual([false, true])
  const multiple = markRight(one?.id ?? '', true)(changeKind(single, 'multiple'))
  expect(multiple.options.map(({ correct }) => correct)).toEqual([true, true])
  expect(changeKind(multiple, 'single').options.map(({ correct }) => correct)).toEqual([true, false])
  const longer = addOption(single)
  expect(
    moveOption(
      two?.id ?? '',
      9,
    )(longer)
      .options.map(({ id }) => id)
      .at(-1),
  ).toBe(two?.id)
})

test('another kind keeps what is right as far as it can say it', () => {
  const texts = (question: QuizQuestion) => question.options.map(({ text }) => text)
  const number = { ...changeKind(newQuestion(0), 'number'), number: { value: 42, tolerance: 2 } }
  expect(number.options).toEqual([])
  const text = changeKind(number, 'text')
  expect(text).toMatchObject({ number: null, texts: ['42'] })
  expect(changeKind(text, 'number').number).toEqual({ value: 42, tolerance: 0 })
  const single = changeKind({ ...text, texts: ['north', 'the north exit'] }, 'single')
  expect(texts(single)).toEqual(['north', 'the north exit', ''])
  expect(single.options.map(({ correct }) => correct)).toEqual([true, false, false])
  const both = changeKind(single, 'true_false')
  expect(texts(both)).toEqual(['True', 'False'])
  expect(texts(changeKind(both, 'multiple'))).toEqual(['True', 'False'])
})

test('what is saved has no spaces at the ends, no empty lines and nothing that its kind does not use', () => {
  const question = asked(' Which exit? ', 2_000, {
    kind: 'text',
    texts: ['north ', '', ' '],
    whenRight: '  ',
    number: { value: 1, tolerance: 0 },
  })
  const [saved] = normalised(of(question)).questions
  expect(saved).toMatchObject({
    prompt: 'Which exit?',
    texts: ['north'],
    whenRight: null,
    number: null,
    options: [],
  })
  expect(isSameDraft(of(question), of({ ...question, prompt: 'Which exit?', texts: ['north'] }))).toBe(true)
  expect(isSameDraft(of(question), of({ ...question, gate: false }))).toBe(false)
})

test('the questions of another video come as new ones, and those after the end of this one are asked at its end', () => {
  const source = of(
    asked('in time', 4_000, { teaches: [1_000, 20_000] }),
    asked('too late', 30_000, { backToMs: 12_000 }),
  )
  const [first, second] = copiedFrom(source, 10_000)
  expect(first).toMatchObject({ prompt: 'in time', atMs: 4_000, teaches: null })
  expect(second).toMatchObject({ prompt: 'too late', atMs: null, backToMs: null })
  expect(first?.key).not.toBe(source.questions[0]?.key)
})

test('the part that teaches keeps a length, whichever end is moved', () => {
  expect(usualTeaches({ atMs: 40_000 }, 60_000)).toEqual([25_000, 40_000])
  expect(usualTeaches({ atMs: null }, 8_000)).toEqual([0, 8_000])
  expect(teachesWith([1_000, 5_000], { from: 9_000 })).toEqual([9_000, 10_000])
  expect(teachesWith([4_000, 5_000], { to: 2_000 })).toEqual([1_000, 2_000])
  expect(teachesWith([4_000, 5_000], { to: 0 })).toEqual([0, 1_000])
})

test('moments read as they are written', () => {
  expect([0, 65_000, 3_765_000, 7_500].map(formatPosition)).toEqual(['0:00', '1:05', '1:02:45', '0:07.5'])
  expect(['65', '1:05', '1:02:45', ' 0:07.5 ', '0:07,25'].map(parsePosition)).toEqual([
    65_000, 65_000, 3_765_000, 7_500, 7_250,
  ])
  expect(['', 'soon', '1:75', '1:80:00', '-3'].map(parsePosition)).toEqual([null, null, null, null, null])
  expect([within(1_234, null), within(99_999, 12_345), within(-5, 9)]).toEqual([1_200, 12_345, 0])
})

test('markers that would cover one another stand in rows', () => {
  const span = (from: number) => ({ from, to: from + 30 })
  expect(lanesOf([span(0), span(10), span(20), span(31), span(100)])).toEqual([0, 1, 2, 0, 0])
  expect(ticksOf(60_000, 6)).toEqual([0, 10_000, 20_000, 30_000, 40_000, 50_000])
  expect(ticksOf(900, 4)).toEqual([0])
})

test('pictures show the middles of equal parts', () => {
  expect(middles(10_000, 2)).toEqual([2_500, 7_500])
})
