import { randomUUID } from 'node:crypto'
import {
  defaultQuizSettings,
  publishQuiz,
  answerQuestion,
  saveQuiz,
  startAttempt,
  type Answer,
  type Attempt,
  type Quiz,
  type QuizDraft,
  type QuizQuestion,
  type QuizSettings,
} from '#contract/quizzes/quizzes.ts'
import { startPlay, type NewPlay } from '../../tracking/ingest/token.ts'
import type { Person, TestServer } from '../server.ts'
import { addVideo } from '../viewing/viewing.ts'

type QuestionInput = Partial<QuizQuestion>

const plain = {
  points: 1,
  atMs: 10_000,
  gate: false,
  options: [],
  number: null,
  texts: [],
  shuffle: false,
  whenRight: null,
  whenWrong: null,
  backToMs: null,
  teaches: null,
} satisfies Partial<QuizQuestion>

/** Answers in the order given; those that begin with * are right, and what stands behind / is their feedback. */
export function choices(...texts: string[]): QuizQuestion['options'] {
  return texts.map((given) => {
    const [text = '', feedback = null] = given.replace(/^\*/, '').split('/')
    return { id: randomUUID(), text, correct: given.startsWith('*'), feedback }
  })
}

/** A complete question: one choice of two unless more is said. */
export function question(asked: QuestionInput = {}): QuizQuestion {
  const kind = asked.kind ?? 'single'
  const options = ['number', 'text'].includes(kind) ? [] : choices('*Yes', 'No')
  return { key: randomUUID(), kind, prompt: 'Is it safe?', ...plain, options, ...asked }
}

export function draft(questions: QuizQuestion[], settings: Partial<QuizSettings> = {}): QuizDraft {
  return { settings: { ...defaultQuizSettings, ...settings }, questions }
}

/** Saves and publishes. */
export async function publish(author: Person, videoId: string, body: QuizDraft): Promise<Quiz> {
  const params = { videoId }
  const saved = await author.call(saveQuiz, { params, body })
  if (saved.status !== 200) throw new Error(JSON.stringify(saved.problem))
  const published = await author.call(publishQuiz, { params })
  if (published.status !== 201) throw new Error(JSON.stringify(published.problem))
  return published.body
}

type Video = { organizationId: string; videoId: string; versionId: string; durationMs?: number }

/** A play token as the page of the video carries it. */
export function playOf({ services }: TestServer, video: Video, more: Partial<NewPlay> = {}) {
  const { organizationId: org, videoId, versionId, durationMs = 60_000 } = video
  const facts = { org, video: videoId, version: versionId, durMs: durationMs, maxRate: 2, theta: 0.95 }
  const who = more.kind === 'visitor' ? {} : { userId: randomUUID() }
  return startPlay(services.keys, { kind: 'recipient', ...who, ...facts, ...more })
}

/** What somebody says to the nth question: choices by their place, or a text. */
type Said = { n?: number; text?: string; options?: number[]; try?: number; key?: string }

/** What the page of a video asks of a server. */
export function pageAt(
  { call }: Pick<TestServer, 'call'>,
  { quizId, playToken }: { quizId: string; playToken: string },
) {
  return {
    start: (again?: boolean) =>
      call(startAttempt, { params: { quizId }, body: { playToken, ...(again ? { again } : {}) } }),
    say: (attempt: Attempt, { n = 0, text, options = [0], key, ...said }: Said) => {
      const one = attempt.questions[n]
      const answer: Answer = text ?? options.map((at) => one?.options[at]?.id ?? '')
      return call(answerQuestion, {
        params: { quizId, attemptId: attempt.id },
        body: { playToken, itemId: one?.id ?? '', answer, tookMs: 1_500, try: said.try ?? 1 },
        ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
      })
    },
  }
}

/** Somebody in front of the page of a video. */
function viewerOf(
  server: TestServer,
  { video, quizId }: { video: Video; quizId: string },
  play: Partial<NewPlay>,
) {
  const { claims, token: playToken } = playOf(server, video, play)
  return { claims, playToken, ...pageAt(server, { quizId, playToken }) }
}

type Sitting = { quizId: string; playToken: string; again: boolean; right: boolean }

/** One attempt from its beginning to its end: the first choice of each question, or the second. */
export async function sit(server: TestServer, { quizId, playToken, again, right }: Sitting): Promise<void> {
  const begun = await server.call(startAttempt, {
    params: { quizId },
    body: { playToken, ...(again ? { again } : {}) },
  })
  for (const { id, options } of begun.body.questions) {
    const answer = [options[right ? 0 : 1]?.id ?? '']
    const said = await server.call(answerQuestion, {
      params: { quizId, attemptId: begun.body.id },
      body: { playToken, itemId: id, answer, tookMs: 1_500, try: 1 },
    })
    if (said.status !== 200) throw new Error(JSON.stringify(said.problem))
  }
}

export type Classroom = Awaited<ReturnType<typeof classroom>>

/** A video of an organization of its own, somebody who writes its questions, and as many viewers as a test needs. */
export async function classroom(server: TestServer) {
  const organizationId = await server.organization()
  const author = await server.person('admin', organizationId)
  const video = { organizationId, ...(await addVideo(server, { organizationId })) }
  const viewer = (quizId: string, play: Partial<NewPlay> = {}) => viewerOf(server, { video, quizId }, play)
  return {
    author,
    video,
    viewer,
    /** Publishes questions and gives a first viewer of them. */
    async asked(body: QuizDraft, play: Partial<NewPlay> = {}) {
      const quizId = (await publish(author, video.videoId, body)).id ?? ''
      return { quizId, ...viewer(quizId, play) }
    },
  }
}
