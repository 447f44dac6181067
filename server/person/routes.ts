import type { FastifyInstance } from 'fastify'
import { explainVisibility, listPersonHistory, readPersonAccess } from '#contract/person.ts'
import type { Mount } from '../platform/http/mount.ts'
import { visibilityOf } from '../platform/http/visibility.ts'
import { blockedReasonOf, reachOf, subjectOf } from './access.ts'
import { findHistory } from './history.ts'
import { explain } from './why.ts'

/** What is known about one person: their history, and why they see and receive what they do. */
export function personRoutes(_app: FastifyInstance, mount: Mount): void {
  mount(listPersonHistory, async ({ tx, caller, params: { orgId, userId }, query, request }) => {
    const visibility = visibilityOf(caller, orgId)
    await subjectOf(tx, visibility, userId)
    return findHistory(tx, { about: { visibility, userId }, query, request })
  })

  mount(readPersonAccess, async ({ tx, caller, params: { orgId, userId } }) => {
    const visibility = visibilityOf(caller, orgId)
    const subject = await subjectOf(tx, visibility, userId)
    const { role, roleSince } = subject
    return {
      role,
      roleSince,
      blockedReason: blockedReasonOf(subject),
      ...(await reachOf(tx, visibility, userId)),
    }
  })

  mount(explainVisibility, ({ tx, caller, params: { orgId, userId }, query }) =>
    explain(tx, { visibility: visibilityOf(caller, orgId), userId, query }),
  )
}
