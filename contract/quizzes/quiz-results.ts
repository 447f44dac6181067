import * as z from 'zod/mini'
import {
  bothWays,
  endpoint,
  FileReply,
  Id,
  Instant,
  only,
  page,
  PageQuery,
  VideoParams,
} from '../endpoint.ts'
import { SearchText } from '../directory/organizations.ts'
import { Quality } from '../tracking/quality.ts'
import { ReadIn, Unheard } from '../evidence/unheard.ts'
import { questionKinds } from './quizzes.ts'
import { adminRoles } from '../roles.ts'

/** A question is singled out, as the hardest or because its key may be wrong, by the answers of at least so many people. */
export const enoughPeople = 20

/** Its key may be wrong only where at least so many people got it right, and at least so many wrong. */
export const enoughOfEither = 5

/** Share of the part that teaches a question that somebody must have played to count as having watched it. */
export const watchedShare = 0.95

/** One answer that people gave: an option, or what they typed. */
const GivenAnswer = z.object({
  text: z.string(),
  correct: z.boolean(),
  count: z.number(),
  /** The part of all people that `count` is. */
  share: z.number(),
})
export type GivenAnswer = z.infer<typeof GivenAnswer>

/** What people whose first answer was wrong had watched of the part that teaches it. `wrong` is the sum of the others. */
const WatchedBefore = z.object({
  wrong: z.number(),
  /** Had not played 95 % of it when they answered, and have not put it right since. */
  notWatched: z.number(),
  /** Had, and have not put it right since. */
  watched: z.number(),
  /** Played it after the wrong answer, and then answered right. */
  rewatched: z.number(),
  /** Nothing is recorded of what they watched. */
  unknown: z.number(),
  /** Of all `wrong`: who had not played it when they answered, whatever came later. */
  hadNotWatched: z.number(),
})
export type WatchedBefore = z.infer<typeof WatchedBefore>

export const QuestionResult = z.object({
  id: Id,
  position: z.number(),
  kind: z.enum(questionKinds),
  prompt: z.string(),
  points: z.number(),
  atMs: z.nullable(z.number()),
  gate: z.boolean(),
  teaches: z.nullable(z.tuple([z.number(), z.number()])),
  /** Whose first completed attempt has an answer to it. */
  people: z.number(),
  /** How many of them got all of its points; null with fewer people than `QuizResults.smallestGroup`. */
  right: z.nullable(z.number()),
  /** People who did well otherwise get it wrong: its key may be wrong. */
  mayBeMiskeyed: z.boolean(),
  /** There is none with fewer people than `QuizResults.smallestGroup`. */
  answers: z.array(GivenAnswer),
})
export type QuestionResult = z.infer<typeof QuestionResult>

export const QuizResultVersion = z.object({
  id: Id,
  number: z.number(),
  publishedAt: Instant,
  isCurrent: z.boolean(),
  attempts: z.number(),
})
export type QuizResultVersion = z.infer<typeof QuizResultVersion>

export const QuizResults = z.object({
  videoId: Id,
  durationMs: z.nullable(z.number()),
  organizationId: Id,
  /** Newest first. */
  versions: z.array(QuizResultVersion),
  /** The one that this is about; null before the first is published. */
  versionId: z.nullable(Id),
  questionCount: z.number(),
  maxScore: z.number(),
  passMark: z.number(),
  /** Figures about fewer people than these are not given. */
  smallestGroup: z.number(),
  /** Different recipients of transmissions of this video. */
  assigned: z.number(),
  attempted: z.number(),
  completed: z.number(),
  attempts: z.number(),
  /** Null with fewer people than `smallestGroup` who completed an attempt. Scores are shares of `maxScore`, of first attempts. */
  scores: z.nullable(
    z.object({
      passed: z.number(),
      passedOfAttempted: z.number(),
      /** Null while nobody is assigned. */
      passedOfAssigned: z.nullable(z.number()),
      passedAtFirst: z.number(),
      attemptsPerPerson: z.number(),
      mean: z.number(),
      median: z.number(),
      deviation: z.nullable(z.number()),
      /** People by tenths of the score; the last one holds full marks too. */
      histogram: z.array(z.number()),
      /** Time with questions in sight. */
      medianMs: z.number(),
    }),
  ),
  questions: z.array(QuestionResult),
  /** Behind what people watched; null where that is not recorded in full. */
  quality: z.nullable(Quality),
  /** What was answered since this instant is not in the figures of questions yet, and follows within seconds; null: they are as of now. */
  asOf: z.nullable(z.string()),
})
export type QuizResults = z.infer<typeof QuizResults>

const version = { versionId: z.optional(Id) }

export const readQuizResults = endpoint({
  name: 'readQuizResults',
  method: 'GET',
  path: '/videos/:videoId/quiz/results',
  summary:
    'Figures of one version of the questions of a video; without a version of the newest that was answered',
  access: only(adminRoles, 'evidence:read'),
  params: VideoParams,
  query: z.object(version),
  reply: QuizResults,
  cacheSeconds: 10,
})

const WatchedBeforeAnswer = z.object({
  /** Viewing is recorded second by second, not only whether the video was completed. */
  isRecorded: z.boolean(),
  /** Null where that is not recorded, no part of the video teaches the question, or too few were wrong. */
  attention: z.nullable(WatchedBefore),
  /** What is said in the part that teaches the question; null where no part does, or nothing is said in it. */
  taught: z.nullable(Unheard),
  /** What has changed since this instant is not in it yet, and follows within seconds; null: it is as of now. */
  asOf: z.nullable(z.string()),
})
export type WatchedBeforeAnswer = z.infer<typeof WatchedBeforeAnswer>

export const readWatchedBeforeAnswer = endpoint({
  name: 'readWatchedBeforeAnswer',
  method: 'GET',
  path: '/videos/:videoId/quiz/results/questions/:itemId/attention',
  summary: 'What people whose first answer was wrong had watched of the part that teaches the question',
  access: only(adminRoles, 'evidence:read'),
  params: z.object({ videoId: Id, itemId: Id }),
  query: ReadIn,
  reply: WatchedBeforeAnswer,
  cacheSeconds: 10,
})

export const QuizPerson = z.object({
  /** Their first attempt with this version. */
  id: Id,
  userId: z.nullable(Id),
  /** Null: somebody without a personal link, or whose details were erased. */
  name: z.nullable(z.string()),
  email: z.nullable(z.string()),
  /** Whether their evidence can be opened. */
  exists: z.boolean(),
  attempts: z.number(),
  /** Shares of the full score, of completed attempts. */
  firstScore: z.nullable(z.number()),
  bestScore: z.nullable(z.number()),
  /** Null until an attempt is completed. */
  passed: z.nullable(z.boolean()),
  lastAt: Instant,
  /** Of their first attempt, question by question; null: not answered. */
  answers: z.array(z.nullable(z.boolean())),
})
export type QuizPerson = z.infer<typeof QuizPerson>

export const quizPersonSorts = bothWays('name', 'firstScore', 'bestScore', 'attempts', 'lastAt')

export const quizOutcomes = ['passed', 'failed', 'open'] as const

export const listQuizPeople = endpoint({
  name: 'listQuizPeople',
  method: 'GET',
  path: '/videos/:videoId/quiz/results/people',
  summary: 'Who answered a version of the questions, and how',
  access: only(adminRoles, 'evidence:read'),
  params: VideoParams,
  query: z.extend(PageQuery, {
    ...version,
    q: SearchText,
    outcome: z.optional(z.enum(quizOutcomes)),
    sort: z._default(z.enum(quizPersonSorts), 'name'),
  }),
  reply: page(QuizPerson),
  cacheSeconds: 10,
})

export const ReadAnswer = z.object({
  itemId: Id,
  position: z.number(),
  prompt: z.string(),
  points: z.number(),
  /** From 1; the first one counts. None: not answered. */
  tries: z.array(
    z.object({
      answer: z.string(),
      correct: z.boolean(),
      score: z.number(),
      answeredAt: Instant,
      tookMs: z.number(),
    }),
  ),
  /** What would have been right. */
  solution: z.string(),
})
export type ReadAnswer = z.infer<typeof ReadAnswer>

export const QuizAttemptResult = z.object({
  id: Id,
  number: z.number(),
  name: z.nullable(z.string()),
  startedAt: Instant,
  completedAt: z.nullable(Instant),
  score: z.number(),
  maxScore: z.number(),
  passed: z.nullable(z.boolean()),
  answers: z.array(ReadAnswer),
  /** All attempts of the same person with the same version, in order. */
  attempts: z.array(z.object({ id: Id, number: z.number() })),
})
export type QuizAttemptResult = z.infer<typeof QuizAttemptResult>

export const readQuizAttempt = endpoint({
  name: 'readQuizAttempt',
  method: 'GET',
  path: '/videos/:videoId/quiz/results/attempts/:attemptId',
  summary: 'One attempt with every answer as it was given and as it was graded',
  access: only(adminRoles, 'evidence:read'),
  params: z.object({ videoId: Id, attemptId: Id }),
  reply: QuizAttemptResult,
  cacheSeconds: 10,
})

export const exportQuizResults = endpoint({
  name: 'exportQuizResults',
  method: 'GET',
  path: '/videos/:videoId/quiz/results/export',
  summary: 'All attempts, or all answers, with a version of the questions as a CSV file',
  access: only(adminRoles, 'evidence:read'),
  params: VideoParams,
  query: z.object({ ...version, rows: z._default(z.enum(['attempts', 'answers']), 'answers') }),
  ownTransactions: true,
  reply: FileReply,
})
