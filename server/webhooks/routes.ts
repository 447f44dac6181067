import type { FastifyInstance } from 'fastify'
import {
  readWebhook,
  removeWebhook,
  replaceWebhookSecret,
  testWebhook,
  updateWebhook,
} from '#contract/transmissions/webhooks.ts'
import type { Mount } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import { forgetWebhook, replaceSecret, setWebhook, webhookSettings } from './settings.ts'
import { tryWebhook } from './trial.ts'

export function webhooksRoutes(_app: FastifyInstance, mount: Mount, services: Services): void {
  mount(readWebhook, ({ tx, params: { orgId } }) => webhookSettings(tx, orgId))
  mount(updateWebhook, ({ tx, params: { orgId }, body: { url }, caller, request }) =>
    setWebhook(tx, { services, orgId, url, by: { caller, request } }),
  )
  mount(removeWebhook, ({ tx, params: { orgId }, caller, request }) =>
    forgetWebhook(tx, { services, orgId, by: { caller, request } }),
  )
  mount(replaceWebhookSecret, ({ tx, params: { orgId }, caller, request }) =>
    replaceSecret(tx, { services, orgId, by: { caller, request } }),
  )
  mount(testWebhook, ({ params: { orgId }, scope, caller, request }) =>
    tryWebhook({ services, orgId, by: { caller, request } }, scope),
  )
}
