import * as z from 'zod/mini'
import { bothWays, endpoint, FileReply, Id, Instant, only, page } from '../endpoint.ts'
import { FileFormat } from '../platform/file-formats.ts'
import {
  Count,
  Measure,
  ReportHead as Head,
  ReportListQuery,
  ReportOwner as Owner,
  ReportQuery,
  ReportSteps,
  withoutPaging as paging,
} from './report-scope.ts'
import { everyRole } from '../roles.ts'

/** Each person counts once for each version of questions whose attempt they completed in the period. */
const Takings = {
  /** Attempts that were completed in the period. */
  attempts: z.number(),
  people: z.number(),
  /** Who passed in the period; null with fewer people than a figure may be about. */
  passed: z.nullable(z.number()),
}

export const reportQuizMetrics = endpoint({
  name: 'reportQuizMetrics',
  method: 'GET',
  path: '/reports/quiz-metrics',
  summary: 'How the questions in videos were answered in a period',
  access: only(everyRole, 'reports:read'),
  readsMuch: true,
  query: ReportQuery,
  reply: z.object({
    ...Head,
    /** Versions of questions that were answered. */
    quizzes: Count,
    attempts: Count,
    people: Count,
    passed: Measure,
    /** `people` by name, each once whatever they answered. */
    persons: Count,
    /** People whose first attempt with these questions was completed in the period. */
    first: Count,
    /** Of them: passed; and their median score as a share of the full score. Null as above. */
    firstPassed: Measure,
    medianScore: Measure,
    /** Figures about fewer people than these are not given. */
    smallestGroup: z.number(),
    /** Attempts. */
    steps: ReportSteps,
  }),
  cacheSeconds: 10,
})

export const QuizMetrics = z.object({
  /** Of the version of the questions. */
  id: Id,
  ...Owner,
  videoId: Id,
  title: z.string(),
  /** False once the video was removed. */
  exists: z.boolean(),
  number: z.number(),
  ...Takings,
  lastAt: Instant,
  /** Since the version was published: the question that the smallest share of people, 0 to 1, got right. Null with too few people. */
  hardest: z.nullable(z.object({ prompt: z.string(), right: z.number() })),
})
export type QuizMetrics = z.infer<typeof QuizMetrics>

export const quizMetricsSorts = bothWays('title', 'people', 'attempts', 'passRate', 'lastAt')

export const listQuizMetrics = endpoint({
  name: 'listQuizMetrics',
  method: 'GET',
  path: '/reports/quiz-metrics/quizzes',
  summary: 'The questions of the report on questions, each version for itself',
  access: only(everyRole, 'reports:read'),
  readsMuch: true,
  query: z.extend(ReportListQuery, {
    sort: z._default(z.enum(quizMetricsSorts), '-lastAt'),
  }),
  reply: page(QuizMetrics),
  cacheSeconds: 10,
})

export const exportQuizMetrics = endpoint({
  name: 'exportQuizMetrics',
  method: 'GET',
  path: '/reports/quiz-metrics/export',
  summary: 'The questions of the report on questions, filtered and sorted alike, as a file',
  access: only(everyRole, 'reports:read'),
  query: z.extend(z.omit(listQuizMetrics.query, paging), { format: FileFormat }),
  ownTransactions: true,
  reply: FileReply,
})
