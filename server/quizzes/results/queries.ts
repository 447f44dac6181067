import type { QuizResults } from '#contract/quizzes/quiz-results.ts'
import type { Tx } from '../../platform/db/client.ts'
import { qualityOf } from '../../tracking/quality.ts'
import { peopleOf, scoresOf } from './figures.ts'
import { findHead, versionOf, type Head } from './head.ts'
import { catchUpItems } from '../item-figures.ts'
import { questionsOf } from './questions.ts'

type VersionQuery = { videoId: string; versionId: string | undefined }

function outline({ videoId, organizationId, durationMs, smallestGroup, assigned, versions }: Head) {
  const listed = versions.map(({ id, number, publishedAt, isCurrent, attempts }) => ({
    id,
    number,
    publishedAt,
    isCurrent,
    attempts,
  }))
  return { videoId, organizationId, durationMs, smallestGroup, assigned, versions: listed }
}

const nothing = {
  versionId: null,
  questionCount: 0,
  maxScore: 0,
  passMark: 0,
  attempted: 0,
  completed: 0,
  attempts: 0,
  scores: null,
  questions: [],
  quality: null,
  asOf: null,
}

/** Everything about one version but what people had watched: from its attempts and from what is kept of its questions. */
export async function quizResults(tx: Tx, { videoId, versionId }: VersionQuery): Promise<QuizResults> {
  const head = await findHead(tx, videoId)
  const version = versionOf(head, versionId)
  if (!version) return { ...outline(head), ...nothing }
  const { id, questionCount, maxScore, passMark } = version
  const people = await peopleOf(tx, id, videoId)
  const scores = await scoresOf(tx, { versionId: id, people, head })
  const { organizationId } = head
  const asOf = await catchUpItems(tx, { organizationId, versionId: id, people: people.completed })
  const questions = await questionsOf(tx, id, head.smallestGroup)
  const { attempted, completed, attempts } = people
  return {
    ...outline(head),
    versionId: id,
    questionCount,
    maxScore,
    passMark,
    attempted,
    completed,
    attempts,
    scores,
    questions,
    quality: head.isRecorded ? await qualityOf(tx, { organizationId, videoId }) : null,
    asOf,
  }
}
