import type { FastifyInstance } from 'fastify'
import {
  listNotifications,
  readNotification,
  readNotifications,
  watchNotifications,
} from '#contract/notifications/notifications.ts'
import { notificationWaitMs } from '#contract/notifications/notification-wait.ts'
import { refuse } from '../platform/errors.ts'
import { callerOf, tellSessionEnd } from '../platform/http/bearer.ts'
import type { Mount } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import type { Live } from './live.ts'
import { findNotifications, markRead, markReadUpTo, stateOf } from './queries.ts'

type Listening = Services & { live: Live }

export function notificationsRoutes(app: FastifyInstance, mount: Mount, { db, live }: Listening): void {
  // Before the server waits for its open requests: these would keep it for half a minute.
  app.addHook('preClose', async () => live.close())

  mount(listNotifications, ({ tx, caller, query, request }) =>
    findNotifications(tx, { caller, query, request }),
  )

  mount(watchNotifications, async ({ caller, query, scope, request, reply }) => {
    const look = () => db.as(scope, (tx) => stateOf(tx, caller))
    const waiting = live.join(caller.userId)
    reply.raw.once('close', waiting.leave)
    try {
      const state = await look()
      if (query.after === undefined || query.after !== state.mark) return state
      await waiting.until(notificationWaitMs)
    } finally {
      waiting.leave()
    }
    // Nobody is told anything who has signed out, got another role or begun to look through other eyes in the meantime.
    const now = await callerOf(db, request)
    if (!now) throw refuse('unauthenticated')
    if (now.isLocked) throw refuse('session_locked')
    if (now.viewer) throw refuse('read_only')
    if (now.role !== caller.role || now.organizationId !== caller.organizationId) throw refuse('forbidden')
    tellSessionEnd(reply, now)
    return look()
  })

  mount(readNotification, async ({ tx, caller, params }) => {
    await markRead(tx, caller, params.notificationId)
    return stateOf(tx, caller)
  })

  mount(readNotifications, async ({ tx, caller, body }) => {
    await markReadUpTo(tx, caller, body.newestId)
    return stateOf(tx, caller)
  })
}
