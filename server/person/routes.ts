import type { FastifyInstance } from 'fastify'
import { listMissed, sendMissed } from '#contract/person/missed.ts'
import { explainVisibility, listPersonHistory, readPersonAccess } from '#contract/person/person.ts'
import type { Mount } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import { visibilityOf } from '../platform/http/visibility.ts'
import { blockedReasonOf, reachOf, subjectOf } from './access.ts'
import { findHistory } from './history.ts'
import { missedBy, sendAnew } from './missed.ts'
import { explain } from './why.ts'

/** What is known about one person: their history, and why they see and receive what they do. */
export function personRoutes(_app: FastifyInstance, mount: Mount, services: Services): void {
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

  mount(listMissed, async ({ tx, caller, params: { orgId, userId } }) => {
    await subjectOf(tx, visibilityOf(caller, orgId), userId)
    return missedBy(tx, { orgId, userId })
  })

  mount(sendMissed, async ({ params: { orgId, userId }, body: { ids }, ...by }) => {
    await subjectOf(by.tx, visibilityOf(by.caller, orgId), userId)
    return sendAnew(by, { services, orgId, userId, ids })
  })

  mount(explainVisibility, ({ tx, caller, params: { orgId, userId }, query }) =>
    explain(tx, { visibility: visibilityOf(caller, orgId), userId, query }),
  )
}
