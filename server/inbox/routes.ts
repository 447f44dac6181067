import type { FastifyInstance } from 'fastify'
import { listInbox, openMessage, readInboxState, readOwed } from '#contract/inbox.ts'
import { refuse } from '../platform/errors.ts'
import type { Mount } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import { linkSecret } from '../transmissions/recipients/link.ts'
import { findMessages, inboxState, openOne, owedBy } from './queries.ts'

/** What somebody with a role was sent themselves. Nobody who views as them gets at it: each link is of one person alone. */
export function inboxRoutes(_app: FastifyInstance, mount: Mount, { keys }: Services): void {
  mount(listInbox, ({ tx, caller, query, request }) => findMessages(tx, { caller, query, request }))
  mount(readOwed, ({ tx, caller }) => owedBy(tx, caller))
  mount(readInboxState, ({ tx, caller }) => inboxState(tx, caller))
  mount(openMessage, async ({ tx, caller, params: { deliveryId } }) => {
    const { videoId, linkHash } = await openOne(tx, caller, deliveryId)
    const secret = linkSecret(keys, deliveryId, linkHash)
    if (secret === undefined) throw refuse('link_expired')
    return { path: `/w/video/${videoId}?d=${secret}` }
  })
}
