import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import {
  mailEventSources,
  readMailEvents,
  reportMailEvents,
  type MailEventSource,
} from '#contract/transmissions/mail-events.ts'
import { rows } from '../../platform/db/client.ts'
import { isoText } from '../../platform/db/search.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { mountOn, type Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { reportedBy } from './providers.ts'
import { recordApart } from './apart.ts'

const purpose = 'mail-events'
const user = 'sendreel'
/** The clock of whoever signs may differ by this number of seconds, and a signature holds for as long. */
const toleranceSeconds = 300
const mostBytes = 1_000_000

const isSame = (a: string, b: string) =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

/** Checks a signature over the bytes as they came, with the present secret or the one before. */
function isSigned({ keys }: Services, { headers, body }: FastifyRequest): boolean {
  const [, at = '', given = ''] =
    /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(String(headers['x-signature'] ?? '')) ?? []
  if (at === '' || Math.abs(Date.now() / 1_000 - Number(at)) > toleranceSeconds) return false
  const hmac = (secret: string) =>
    createHmac('sha256', secret)
      .update(`${at}.${String(body)}`)
      .digest('hex')
  return keys.signatures(purpose, '').some((secret) => isSame(hmac(secret), given))
}

function isLoggedIn({ keys }: Services, { headers }: FastifyRequest): boolean {
  const [, encoded = ''] = /^Basic ([\w+/=]{1,400})$/.exec(headers.authorization ?? '') ?? []
  const [name, secret = ''] = Buffer.from(encoded, 'base64').toString().split(':')
  return name === user && keys.verify(purpose, '', secret)
}

const isAllowed = (services: Services, source: MailEventSource, request: FastifyRequest) =>
  source === 'generic' ? isSigned(services, request) : isLoggedIn(services, request)

const SourceRow = z.object({
  source: z.enum(mailEventSources),
  receivedAt: z.nullable(z.string()),
  confirmUrl: z.nullable(z.string()),
})

export function mailEventRoutes(mount: Mount, app: FastifyInstance, services: Services): void {
  mount(readMailEvents, async ({ tx }) => {
    const sources = await rows(
      tx,
      SourceRow,
      sql`select source, ${isoText(sql`received_at`)} as "receivedAt", confirm_url as "confirmUrl" from mail_event_sources order by source = 'generic', source`,
    )
    return {
      secret: services.keys.sign(purpose, ''),
      sources: sources.map(({ source, receivedAt, confirmUrl }) => ({
        source,
        url: `${services.publicUrl()}/api/mail-events/${source}`,
        receivedAt,
        confirmUrl,
      })),
    }
  })
  receive(app, services)
}

/** The body is read as it came, whatever type it says that it has, because Amazon calls its JSON plain text. */
function receive(app: FastifyInstance, services: Services): void {
  void app.register(async (scoped) => {
    scoped.removeAllContentTypeParsers()
    scoped.addContentTypeParser('*', { parseAs: 'string', bodyLimit: mostBytes }, (_request, body, done) =>
      done(null, body),
    )
    mountOn(scoped, services)(reportMailEvents, async ({ params: { source }, body, request }) => {
      if (!isAllowed(services, source, request)) throw refuse('unauthenticated')
      await recordApart(services, source, reportedBy(source, body))
      return {}
    })
  })
}
