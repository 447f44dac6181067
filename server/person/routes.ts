import type { FastifyInstance } from 'fastify'
import { explainSight, listPersonHistory, readPersonAccess } from '#contract/person.ts'
import type { Mount } from '../platform/http/mount.ts'
import { sightOf } from '../platform/http/sight.ts'
import { hindranceOf, reachOf, subjectOf } from './access.ts'
import { findHistory } from './history.ts'
import { explain } from './why.ts'

/** What is known about one person: their history, and why they see and receive what they do. */
export function personRoutes(_app: FastifyInstance, mount: Mount): void {
  mount(listPersonHistory, async ({ tx, caller, params: { orgId, userId }, query, request }) => {
    const sight = sightOf(caller, orgId)
    await subjectOf(tx, sight, userId)
    return findHistory(tx, { about: { sight, userId }, query, request })
  })

  mount(readPersonAccess, async ({ tx, caller, params: { orgId, userId } }) => {
    const sight = sightOf(caller, orgId)
    const subject = await subjectOf(tx, sight, userId)
    const { role, roleSince } = subject
    return { role, roleSince, hindrance: hindranceOf(subject), ...(await reachOf(tx, sight, userId)) }
  })

  mount(explainSight, ({ tx, caller, params: { orgId, userId }, query }) =>
    explain(tx, { sight: sightOf(caller, orgId), userId, query }),
  )
}
