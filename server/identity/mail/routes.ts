import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { Id } from '#contract/endpoint.ts'
import { readMailServer, removeMailServer, sendTestMail, updateMailServer } from '#contract/mail-server.ts'
import { listOutbox } from '#contract/system.ts'
import { refuse } from '../../platform/errors.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { decodeCursor, encodeCursor, nextPath } from '../../platform/http/paging.ts'
import type { Services } from '../../platform/http/services.ts'
import { countOutbox, outboxMails } from './queries.ts'
import { forgetMailServer, mailSettings, setMailServer } from './settings.ts'
import { tryMailServer } from './trial.ts'

export function mailRoutes(_app: FastifyInstance, mount: Mount, services: Services): void {
  mount(readMailServer, ({ tx }) => mailSettings(tx, services))
  mount(updateMailServer, ({ tx, body, caller, request }) =>
    setMailServer(tx, { services, body, by: { caller, request } }),
  )
  mount(removeMailServer, ({ tx, caller, request }) =>
    forgetMailServer(tx, { services, by: { caller, request } }),
  )
  mount(sendTestMail, ({ caller, request }) => tryMailServer(services, { caller, request }))
  mount(listOutbox, async ({ tx, query, request }) => {
    const { q, offset, limit } = query
    const after = query.after === undefined ? undefined : idOf(query.after)
    const [found, { total, totalIsMinimum }] = [
      await outboxMails(tx, { q, offset, limit, after }),
      await countOutbox(tx, q),
    ]
    const items = found.slice(0, limit)
    const last = items.at(-1)
    const next = found.length > limit && last ? nextPath(request.url, encodeCursor([last.id])) : null
    return { items, total, ...(totalIsMinimum ? { totalIsMinimum } : {}), offset, limit, next }
  })
}

function idOf(cursor: string): string {
  const id = z.safeParse(Id, decodeCursor(cursor, 1)[0])
  if (!id.success) throw refuse('invalid_request', { reason: { code: 'position_invalid' } })
  return id.data
}
