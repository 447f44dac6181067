import type { FastifyInstance } from 'fastify'
import { readMailServer, removeMailServer, sendTestMail, updateMailServer } from '#contract/mail-server.ts'
import { listOutbox } from '#contract/system.ts'
import type { Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { findOutbox } from './queries.ts'
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
  mount(listOutbox, ({ tx, query, request }) => findOutbox(tx, { query, request }))
}
