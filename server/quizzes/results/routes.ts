import type { FastifyInstance } from 'fastify'
import {
  exportQuizResults,
  listQuizPeople,
  readWatchedBeforeAnswer,
  readQuizAttempt,
  readQuizResults,
} from '#contract/quizzes/quiz-results.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { exportName } from '../../platform/http/lists/list-export.ts'
import type { Services } from '../../platform/http/services.ts'
import { quizAttempt } from './attempt.ts'
import { watchedBeforeAnswer } from './watched-before.ts'
import { exportedResults } from './export.ts'
import { findHead, versionOf } from './head.ts'
import { quizPeople } from './people.ts'
import { quizResults } from './queries.ts'

export function quizResultsRoutes(_app: FastifyInstance, mount: Mount, services: Services): void {
  mount(readQuizResults, ({ tx, params: { videoId }, query: { versionId } }) =>
    quizResults(tx, { videoId, versionId }),
  )

  mount(readWatchedBeforeAnswer, ({ tx, params, query }) => watchedBeforeAnswer(tx, { ...params, ...query }))

  mount(listQuizPeople, ({ tx, params: { videoId }, query, request }) =>
    quizPeople(tx, { videoId, query, request }),
  )

  mount(readQuizAttempt, ({ tx, params }) => quizAttempt(tx, params))

  mount(exportQuizResults, async ({ caller, scope, params: { videoId }, query, request }) => {
    const kind = query.rows
    const { name, versionId } = await services.db.as(scope, async (tx) => {
      const head = await findHead(tx, videoId)
      const version = versionOf(head, query.versionId)
      const { organizationId, slug } = head
      await audit(
        tx,
        { caller, request },
        {
          organizationId,
          action: 'quiz_results.exported',
          entity: 'video',
          entityId: videoId,
          after: { rows: kind, version: version?.number ?? null },
        },
      )
      const file = exportName(slug, `quiz-${version?.number ?? 0}-${kind}`)
      return { name: `${file}.csv`, versionId: version?.id }
    })
    const content = exportedResults({ db: services.db, scope, versionId, kind })
    return { name, type: 'text/csv; charset=utf-8', content }
  })
}
