import type { FastifyReply, FastifyRequest } from 'fastify'
import type * as z from 'zod/mini'
import { eventTypes, trackLimits } from '#contract/tracking/track-limits.ts'
import { TrackBatch, type TrackReply } from '#contract/tracking/tracks.ts'
import { refuse } from '#server/platform/errors.ts'
import { addressOf, networkOf } from '#server/platform/http/address.ts'
import { agentOf } from '#server/platform/http/audit.ts'
import { fieldsOf } from '#server/platform/http/faults.ts'
import { openBatchWriter, type LogEntry } from './batch-writer.ts'
import { heartbeatFor, loadMeter, organizationLimit, sessionLimit } from './limits.ts'
import { requireTurn } from './pace.ts'
import { bearsSign } from '#server/tracking/programs.ts'
import type { Serving } from '#server/tracking/served/served.ts'
import { requirePlay, type PlayClaims } from '#server/tracking/ingest/token.ts'

const known: ReadonlySet<string> = new Set(eventTypes)
/** JSON may say these, and PostgreSQL cannot store them: the zero character and halves of surrogate pairs. */
const unstorable = /\\u0000|\\ud[89a-f]/i

/**
 * Takes viewing evidence, which is verified, limited, written down raw, and acknowledged after COMMIT. Judging it is the work of the
 * aggregation.
 */
export function ingest(services: Serving) {
  const writer = openBatchWriter(services.db.single, (err) =>
    services.log.error({ err }, 'reports of viewing were not written'),
  )
  const limits = { session: sessionLimit(), organization: organizationLimit() }
  const load = loadMeter()

  async function take(request: FastifyRequest, reply: FastifyReply): Promise<TrackReply> {
    const now = Date.now()
    reply.header('cache-control', 'no-store')
    const { batch, strange } = readBatch(request.body)
    const claims = requirePlay(services.keys, batch.playToken, now)
    // The session comes first, so that one that is too loud uses up nothing of its organization's.
    requireTurn(limits.session(claims.session, now))
    requireTurn(limits.organization(claims.org, now))
    await services.links.require(claims)
    // A preview acts like any other viewing, and leaves nothing behind.
    if (claims.kind !== 'preview') await writer.append(entryOf({ batch, strange, claims, request, now }))
    return {
      ack: { spans: highest(batch.spans), events: highest(batch.events) },
      next: heartbeatFor(load(now)),
    }
  }

  return { take, drain: () => writer.drain() }
}

/**
 * Reads a batch, whatever type its body has. sendBeacon sends text/plain, so that no preflight is needed, and what it holds is JSON all the
 * same.
 */
function readBatch(body: unknown): Pick<Arrival, 'batch' | 'strange'> {
  const sent = typeof body === 'string' ? readJson(body) : body
  const parsed = TrackBatch.safeParse(sent)
  if (!parsed.success) throw refuse('invalid_request', { fields: fieldsOf(parsed.error) })
  const { data } = parsed
  return { batch: data, strange: fieldsIn(sent) - fieldsIn(data) }
}

/** Counts the fields of a batch and of its state. */
function fieldsIn(batch: unknown): number {
  const { state = {}, ...rest } = batch as { state?: object }
  return Object.keys(rest).length + Object.keys(state).length
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw refuse('invalid_request', { reason: { code: 'body_not_json' } })
  }
}

type Arrival = {
  batch: z.output<typeof TrackBatch>
  /** Returns the fields that this server does not know. */
  strange: number
  claims: PlayClaims
  request: FastifyRequest
  now: number
}

function entryOf({ batch, strange, claims, request, now }: Arrival): LogEntry {
  const spans = batch.spans.filter(([index]) => index < trackLimits.spansPerSession)
  const within = batch.events.filter(([index]) => index < trackLimits.eventsPerSession)
  const events = within.filter(([, type]) => known.has(type))
  const userAgent = agentOf(request)
  const entry = {
    receivedAt: new Date(now),
    claims,
    batch: batch.batch,
    elapsedMs: batch.elapsedMs,
    spans: JSON.stringify(spans),
    events: JSON.stringify(events),
    state: batch.state ? JSON.stringify(batch.state) : null,
    ended: batch.ended ?? false,
    dropped: batch.spans.length - spans.length + batch.events.length - events.length + strange,
    capped: spans.length < batch.spans.length || within.length < batch.events.length,
    // The first batch is enough to say what people watch with; a program is recognized by whichever batch arrives.
    userAgent: batch.batch === 0 || bearsSign(userAgent) ? userAgent : null,
    network: networkOf(addressOf(request)),
  }
  if (unstorable.test(entry.events) || unstorable.test(entry.state ?? ''))
    throw refuse('invalid_request', { reason: { code: 'text_not_storable' } })
  return entry
}

function highest(entries: readonly (readonly [number, ...unknown[]])[]): number {
  return entries.reduce((most, [index]) => Math.max(most, index), -1)
}
