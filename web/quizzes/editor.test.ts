import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { problems } from '#contract/problems.ts'
import { defaultQuizSettings, type Quiz, type QuizDraft } from '#contract/quizzes/quizzes.ts'
import { ApiError } from '#web/api/errors.ts'
import { saveAfter, type StoredDraft } from '#web/api/forms/selfSaving/selfSaving.ts'
import { changesBetween } from './versions/compare.ts'
import {
  addQuestion,
  changeOption,
  changeQuestion,
  newQuestion,
  normalised,
  removeQuestion,
} from './draft.ts'
import { openEditor } from './editor.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const blank: QuizDraft = { settings: defaultQuizSettings, questions: [] }
const question = (prompt: string, atMs: number | null = null) => ({ ...newQuestion(atMs), prompt })

/** A server that holds one quiz and refuses what was made from an older one. */
function server(draft: QuizDraft = blank) {
  let at = 0
  const quizOf = (content: QuizDraft): Quiz => ({
    id: null,
    videoId: 'v',
    draft: content,
    isChanged: true,
    versions: [],
    updatedBy: null,
    asksNothing: false,
    owedBy: 0,
    updatedAt: new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString(),
  })
  let quiz = quizOf(draft)
  let failing: ApiError | null = null
  let stored: StoredDraft<QuizDraft> | null = null
  return {
    read: () => quiz,
    kept: () => stored,
    fail: (error: ApiError | null) => {
      failing = error
    },
    /** Somebody else saves. */
    change(edit: (one: QuizDraft) => QuizDraft) {
      at += 1
      quiz = quizOf(normalised(edit(quiz.draft)))
      return quiz
    },
    ways: {
      read: async () => quiz,
      keep: (one: StoredDraft<QuizDraft> | null) => {
        stored = one
      },
      save: async (content: QuizDraft, base: Quiz) => {
        if (failing) throw failing
        if (base.updatedAt !== quiz.updatedAt) {
          const code = 'precondition_failed' as const
          throw new ApiError('problem', { status: 412, problem: { type: '', code, ...problems[code] } })
        }
        at += 1
        quiz = quizOf(content)
        return quiz
      },
    },
  }
}

const prompts = (draft: QuizDraft) => draft.questions.map(({ prompt }) => prompt)
const settled = () => vi.advanceTimersByTimeAsync(saveAfter + 10)

test('what is written is saved by itself, and kept in the browser until it is', async () => {
  const store = server()
  const editor = openEditor(store.read(), store.ways)
  editor.edit((draft) => addQuestion(draft, question('Which exit? ')))
  expect(editor.read().save.kind).toBe('waiting')
  expect(store.kept()?.draft.questions).toHaveLength(1)
  await settled()
  expect(prompts(store.read().draft)).toEqual(['Which exit?'])
  expect(editor.read().save.kind).toBe('saved')
  expect(store.kept()).toBeNull()
})

test('steps are taken back and made again, and a word is one step', () => {
  const store = server()
  const editor = openEditor(store.read(), store.ways)
  const added = question('')
  editor.edit((draft) => addQuestion(draft, added))
  for (const prompt of ['W', 'Wh', 'Who?'])
    editor.edit((draft) => changeQuestion(draft, added.key, (one) => ({ ...one, prompt })), 'prompt')
  editor.undo()
  expect(prompts(editor.read().history.draft)).toEqual([''])
  editor.undo()
  expect(prompts(editor.read().history.draft)).toEqual([])
  editor.redo()
  editor.redo()
  expect(prompts(editor.read().history.draft)).toEqual(['Who?'])
})

test('two people who write at the same time both keep everything', async () => {
  const [a, b] = [question('a', 1_000), question('b', 2_000)]
  const store = server([a, b].reduce(addQuestion, blank))
  const editor = openEditor(store.read(), store.ways)
  store.change((draft) => {
    const longer = addQuestion(draft, question('theirs', 3_000))
    return changeQuestion(longer, b.key, (one) => ({ ...one, points: 5 }))
  })
  editor.edit((draft) => changeQuestion(draft, a.key, (one) => ({ ...one, prompt: 'mine' })))
  editor.edit((draft) => changeQuestion(draft, b.key, (one) => ({ ...one, prompt: 'mine too' })))
  await settled()
  expect(prompts(store.read().draft)).toEqual(['mine', 'mine too', 'theirs'])
  expect(store.read().draft.questions[1]?.points).toBe(5)
  const { incoming, save } = editor.read()
  expect(save.kind).toBe('saved')
  expect(incoming?.taken).toEqual([
    { label: 'Question 2, “mine too”: points', change: 'now 5' },
    { label: 'Question 3, “theirs”', change: 'added' },
  ])
  editor.undo()
  editor.undo()
  await settled()
  expect(prompts(store.read().draft)).toEqual(['a', 'b', 'theirs'])
  expect(store.read().draft.questions[1]?.points).toBe(5)
})

test('where both changed the same, nothing is saved before one of the two is chosen', async () => {
  const a = question('a')
  const store = server(addQuestion(blank, a))
  const write = (prompt: string) => (draft: QuizDraft) =>
    changeQuestion(draft, a.key, (one) => ({ ...one, prompt }))
  const editor = openEditor(store.read(), store.ways)
  store.change(write('theirs'))
  editor.edit(write('mine'))
  await settled()
  expect(editor.read().save.kind).toBe('asking')
  expect(prompts(store.read().draft)).toEqual(['theirs'])
  // A reload before the choice asks again.
  const reloaded = openEditor(store.read(), store.ways, store.kept())
  expect(reloaded.read().incoming?.conflicts).toHaveLength(1)
  await settled()
  expect(prompts(store.read().draft)).toEqual(['theirs'])
  const [conflict] = reloaded.read().incoming?.conflicts ?? []
  if (!conflict) throw new Error('no conflict')
  reloaded.decide(conflict.place, 'mine')
  await settled()
  expect(prompts(store.read().draft)).toEqual(['mine'])
})

test('what one removed and the other changed stays', async () => {
  const [a, b] = [question('a', 1), question('b', 2)]
  const store = server([a, b].reduce(addQuestion, blank))
  const editor = openEditor(store.read(), store.ways)
  store.change((draft) => {
    const shorter = removeQuestion(draft, a.key)
    return changeQuestion(shorter, b.key, (one) => ({ ...one, prompt: 'changed' }))
  })
  editor.edit((draft) => changeQuestion(draft, a.key, (one) => ({ ...one, prompt: 'changed, too' })))
  editor.edit((draft) => removeQuestion(draft, b.key))
  await settled()
  expect(prompts(store.read().draft)).toEqual(['changed, too', 'changed'])
})

test('answers merge one by one, and only one is right where one can be', async () => {
  const a = question('a')
  const [first, second] = a.options
  const store = server(addQuestion(blank, a))
  const editor = openEditor(store.read(), store.ways)
  store.change((draft) => changeQuestion(draft, a.key, changeOption(first?.id ?? '', { text: 'theirs' })))
  editor.edit((draft) => changeQuestion(draft, a.key, changeOption(second?.id ?? '', { text: 'mine' })))
  editor.edit((draft) => changeQuestion(draft, a.key, changeOption(second?.id ?? '', { correct: true })))
  await settled()
  expect(store.read().draft.questions[0]?.options).toMatchObject([
    { text: 'theirs', correct: false },
    { text: 'mine', correct: true },
  ])
})

test('a server that cannot be reached is asked again, and nothing typed is lost meanwhile', async () => {
  const store = server()
  const editor = openEditor(store.read(), store.ways)
  store.fail(new ApiError('network'))
  editor.edit((draft) => addQuestion(draft, question('a')))
  await settled()
  expect(editor.read().save).toMatchObject({ kind: 'failed', isRetried: true })
  expect(editor.isHeld()).toBe(true)
  store.fail(null)
  await vi.advanceTimersByTimeAsync(6_000)
  expect(editor.read().save.kind).toBe('saved')
  expect(prompts(store.read().draft)).toEqual(['a'])
})

test('what others save comes in by itself, an older answer does not', async () => {
  const a = question('a')
  const store = server(addQuestion(blank, a))
  const old = store.read()
  const editor = openEditor(old, store.ways)
  editor.hear(store.change((draft) => addQuestion(draft, question('b'))))
  expect(prompts(editor.read().history.draft)).toEqual(['a', 'b'])
  editor.hear(old)
  expect(prompts(editor.read().history.draft)).toEqual(['a', 'b'])
  expect(editor.isDirty()).toBe(false)
})

test('a draft from storage goes on where it was left', async () => {
  const store = server()
  const stored = { base: blank, version: store.read().updatedAt, draft: addQuestion(blank, question('kept')) }
  const editor = openEditor(store.read(), store.ways, stored)
  await settled()
  expect(prompts(store.read().draft)).toEqual(['kept'])
  expect(editor.isDirty()).toBe(false)
})

test('what is different is said by name', () => {
  const a = question('a', 61_000)
  const before = addQuestion(blank, a)
  const changed = changeQuestion(before, a.key, (one) => ({ ...one, prompt: 'b', points: 2 }))
  const after = addQuestion({ ...changed, settings: { ...changed.settings, passMark: 0.5 } }, question('new'))
  expect(changesBetween(before, after).map(({ kind, name, what }) => `${kind} ${name}: ${what}`)).toEqual([
    'changed Pass mark: now 50%, was 80%',
    'changed Question 1, “b”: wording, points',
    'added Question 2, “new”: single choice at the end, 1 point',
  ])
  expect(changesBetween(after, before).at(-1)).toMatchObject({ kind: 'removed', name: 'Question 2, “new”' })
})
