import * as z from 'zod/mini'
import { capability, endpoint, Id, Instant, only, VideoParams, wholeBetween, lines } from '../endpoint.ts'
import { adminRoles } from '../roles.ts'

export const questionKinds = ['single', 'multiple', 'true_false', 'number', 'text'] as const
export type QuestionKind = (typeof questionKinds)[number]

export const quizLimits = {
  questions: 100,
  options: 12,
  texts: 20,
  /** How often one question may be answered in one attempt, where it may be tried again. */
  tries: 3,
} as const

/** Media milliseconds. */
const mediaMs = wholeBetween(0, 43_200_000)
/** May be empty while it is being written; publishing asks for it. */
const words = (most: number) => z.string().check(z.trim(), z.maxLength(most, 'too_long'), lines)
const note = z.nullable(words(2_000))

const isEachOnce = (names: readonly string[]) => new Set(names).size === names.length

export const QuizOption = z.object({
  id: Id,
  text: words(500),
  correct: z.boolean(),
  /** Shown to who chose it. */
  feedback: z._default(note, null),
})
export type QuizOption = z.infer<typeof QuizOption>

/** A question with its key, as administrators see it. The viewer's form is `AskedQuestion`. */
export const QuizQuestion = z.object({
  /** The same in every version. */
  key: Id,
  kind: z.enum(questionKinds),
  prompt: words(2_000),
  points: z.number().check(z.gte(0.5, 'too_small'), z.lte(100, 'too_big')),
  /** Where the video stops and asks; null: at the end. */
  atMs: z.nullable(mediaMs),
  /** The video does not go on, and does not count as completed, before this has been answered. */
  gate: z.boolean(),
  /** Of `single`, `multiple` and `true_false` (two: true, then false); empty for the others. */
  options: z.array(QuizOption).check(
    z.maxLength(quizLimits.options, 'too_long'),
    z.refine<{ id: string }[]>((all) => isEachOnce(all.map(({ id }) => id)), 'invalid'),
  ),
  /** Of `number`. */
  number: z.nullable(z.object({ value: z.number(), tolerance: z.number().check(z.gte(0, 'too_small')) })),
  /** Of `text`: answers that are right, whatever their case, accents and outer spaces. */
  texts: z.array(words(200)).check(z.maxLength(quizLimits.texts, 'too_long')),
  shuffle: z.boolean(),
  whenRight: note,
  whenWrong: note,
  /** Where a wrong answer sends its viewer back to, to answer again; null: on. Only with feedback at once. */
  backToMs: z.nullable(mediaMs),
  /** The part of the video that teaches the answer, [from, to). */
  teaches: z.nullable(z.tuple([mediaMs, mediaMs])),
})
export type QuizQuestion = z.infer<typeof QuizQuestion>

export const QuizSettings = z.object({
  /** Share of the points that passes; with 0 everybody does. */
  passMark: z.number().check(z.gte(0, 'too_small'), z.lte(1, 'too_big')),
  /** Whoever does not reach the pass mark has not completed the video. */
  passRequired: z._default(z.boolean(), true),
  /** Null: as many as somebody likes. */
  attempts: z.nullable(wholeBetween(1, 100)),
  /** Between the end of one attempt and the beginning of the next. */
  retakeAfterHours: wholeBetween(0, 8_760),
  /** The order of the questions at the end. */
  shuffle: z.boolean(),
  /** When viewers learn what was right. */
  feedback: z.enum(['at_once', 'at_end', 'never']),
})
export type QuizSettings = z.infer<typeof QuizSettings>
export const defaultQuizSettings: QuizSettings = {
  passMark: 0.8,
  passRequired: true,
  attempts: null,
  retakeAfterHours: 0,
  shuffle: false,
  feedback: 'at_once',
}

/** What is being written. It may be unfinished; publishing checks it (`faultsOf` in contract/quizzes/quiz-check.ts). */
export const QuizDraft = z.object({
  settings: QuizSettings,
  questions: z.array(QuizQuestion).check(
    z.maxLength(quizLimits.questions, 'too_long'),
    z.refine<{ key: string }[]>((all) => isEachOnce(all.map(({ key }) => key)), 'invalid'),
  ),
})
export type QuizDraft = z.infer<typeof QuizDraft>

export const QuizVersion = z.object({
  id: Id,
  number: z.number(),
  questions: z.number(),
  maxScore: z.number(),
  publishedAt: Instant,
  publishedBy: z.nullable(z.string()),
  /** Attempts that were begun with it. */
  attempts: z.number(),
  isCurrent: z.boolean(),
})
export type QuizVersion = z.infer<typeof QuizVersion>

export const Quiz = z.object({
  /** Null until it is saved for the first time. */
  id: z.nullable(Id),
  videoId: Id,
  draft: QuizDraft,
  /** The draft says something else than the version that people are asked now. */
  isChanged: z.boolean(),
  /** Newest first. */
  versions: z.array(QuizVersion),
  updatedAt: z.nullable(Instant),
  /** Who saved the draft last; null where that is not known, or nobody whom the reader may know. */
  updatedBy: z.nullable(z.object({ id: Id, name: z.string() })),
  /** The organization records nothing but completions: nobody is asked, whatever is published. */
  asksNothing: z.boolean(),
  /** People who owe the video now, by an assignment or by the day of a message. */
  owedBy: z.number(),
})
export type Quiz = z.infer<typeof Quiz>

export const readQuiz = endpoint({
  name: 'readQuiz',
  method: 'GET',
  path: '/videos/:videoId/quiz',
  summary: 'The questions of a video as they are being written, and the versions that were published',
  access: only(adminRoles, 'content:read'),
  params: VideoParams,
  reply: Quiz,
  cacheSeconds: 0,
})

export const saveQuiz = endpoint({
  name: 'saveQuiz',
  method: 'PUT',
  path: '/videos/:videoId/quiz',
  summary: 'Save the draft of the questions. Nobody is asked them yet',
  access: only(adminRoles, 'content:write'),
  params: VideoParams,
  body: QuizDraft,
  reply: Quiz,
  ifMatch: true,
})

export const publishQuiz = endpoint({
  name: 'publishQuiz',
  method: 'POST',
  path: '/videos/:videoId/quiz/versions',
  summary: 'Publish the draft as a new version; attempts under way go on with theirs',
  access: only(adminRoles, 'content:write'),
  params: VideoParams,
  reply: Quiz,
  status: 201,
  idempotent: true,
  ifMatch: true,
})

/** A version as it was published: it never changes. */
export const QuizVersionDetail = z.extend(QuizVersion, QuizDraft.shape)
export type QuizVersionDetail = z.infer<typeof QuizVersionDetail>

export const readQuizVersion = endpoint({
  name: 'readQuizVersion',
  method: 'GET',
  path: '/videos/:videoId/quiz/versions/:versionId',
  summary: 'The questions of a video as one version asks them, with what is right',
  access: only(adminRoles, 'content:read'),
  params: z.extend(VideoParams, { versionId: Id }),
  reply: QuizVersionDetail,
})

export const withdrawQuiz = endpoint({
  name: 'withdrawQuiz',
  method: 'DELETE',
  path: '/videos/:videoId/quiz/versions',
  summary: 'Stop asking the questions of a video; what was answered stays',
  access: only(adminRoles, 'content:write'),
  params: VideoParams,
  reply: Quiz,
})

export const tryQuiz = endpoint({
  name: 'tryQuiz',
  method: 'POST',
  path: '/videos/:videoId/quiz/trial',
  summary:
    'An address at which the finished questions of the draft can be tried as a viewer; nothing of it is kept',
  access: only(adminRoles, 'content:read'),
  params: VideoParams,
  reply: z.object({ address: z.string() }),
})

/** What may leave for the page of the video: no key, no feedback, options in the order of this attempt. */
export const AskedQuestion = z.object({
  id: Id,
  kind: z.enum(questionKinds),
  prompt: z.string(),
  points: z.number(),
  atMs: z.nullable(z.number()),
  gate: z.boolean(),
  options: z.array(z.object({ id: Id, text: z.string() })),
})
export type AskedQuestion = z.infer<typeof AskedQuestion>

/** One or more option ids, or what was typed. */
export const Answer = z.union([
  z.array(Id).check(z.maxLength(quizLimits.options)),
  z.string().check(z.maxLength(1_000, 'too_long'), lines),
])
export type Answer = z.infer<typeof Answer>

/** What a viewer is told about an answer; with feedback `at_end` and `never`, `correct` is null until then, or for ever. */
export const AnswerResult = z.object({
  itemId: Id,
  /** Which try this was; the latest of the question. */
  try: z.number(),
  /** As it was given. */
  answer: Answer,
  correct: z.nullable(z.boolean()),
  /** Points that count: those of the first try. */
  score: z.nullable(z.number()),
  feedback: z.nullable(z.string()),
  /** What would have been right, when it may be told; not while it may be tried again. */
  solution: z.nullable(z.string()),
  /** Go on here; null: where the video stands. */
  backToMs: z.nullable(z.number()),
  /** It may be tried again, after the part was watched again. */
  mayRetry: z.boolean(),
})
export type AnswerResult = z.infer<typeof AnswerResult>

export const Attempt = z.object({
  id: Id,
  number: z.number(),
  /** Attempts that may still be begun after this one with this version of the questions; null: no limit. */
  remaining: z.nullable(z.number()),
  questions: z.array(AskedQuestion),
  /** The latest answer to each question that was answered, such as before the page was reloaded. */
  answered: z.array(AnswerResult),
  completedAt: z.nullable(Instant),
  /** Null until it is completed. */
  outcome: z.nullable(
    z.object({
      score: z.number(),
      maxScore: z.number(),
      passMark: z.number(),
      /** Whoever has not passed has not completed the video. */
      passRequired: z.boolean(),
      passed: z.boolean(),
      /** When another attempt may begin; null: never, or no need, because it was passed. */
      retakeAt: z.nullable(Instant),
    }),
  ),
})
export type Attempt = z.infer<typeof Attempt>

const QuizParams = z.object({ quizId: Id })
const AttemptParams = z.object({ quizId: Id, attemptId: Id })
/** Signed by the page of the video: says who answers. */
const playToken = z.string().check(z.maxLength(2_000))

export const startAttempt = endpoint({
  name: 'startAttempt',
  method: 'POST',
  path: '/quizzes/:quizId/attempts',
  summary:
    'The open attempt of a viewer, or a new one; or, with `again`, a new one after the last was completed',
  access: capability,
  params: QuizParams,
  body: z.object({ playToken, again: z.optional(z.boolean()) }),
  reply: Attempt,
})

export const answerQuestion = endpoint({
  name: 'answerQuestion',
  method: 'POST',
  path: '/quizzes/:quizId/attempts/:attemptId/answers',
  summary:
    'Answer one question. Sent again, it gets the same result and counts once. Completes the attempt with the last one',
  access: capability,
  params: AttemptParams,
  body: z.object({
    playToken,
    itemId: Id,
    /** One more than the tries before; so a request that comes twice is known again, and two tabs cannot both answer. */
    try: z._default(z.number().check(z.int(), z.gte(1), z.lte(quizLimits.tries)), 1),
    answer: Answer,
    tookMs: z.number().check(z.int(), z.gte(0), z.lte(86_400_000)),
  }),
  reply: z.object({ result: AnswerResult, attempt: Attempt }),
  idempotent: true,
})
