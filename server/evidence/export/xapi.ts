import { createHash } from 'node:crypto'
import type { Ranges } from '#server/platform/db/multirange.ts'
import { lengthOf, unionOf } from '../../tracking/credit.ts'
import type { ExportedSession } from './rows.ts'

/** See https://w3id.org/xapi/video and docs/design/evidence.md. */
const profile = 'https://w3id.org/xapi/video'
const extension = (name: string) => `${profile}/extensions/${name}`
const verbs = {
  initialized: 'http://adlnet.gov/expapi/verbs/initialized',
  played: `${profile}/verbs/played`,
  paused: `${profile}/verbs/paused`,
  seeked: `${profile}/verbs/seeked`,
  completed: 'http://adlnet.gov/expapi/verbs/completed',
  terminated: 'http://adlnet.gov/expapi/verbs/terminated',
} as const
type Verb = keyof typeof verbs

type Origin = { publicUrl: string; product: string }
type Moment = { verb: Verb; at: number; key: string; extensions?: object; result?: object }

/** Yields a JSON array of statements in pieces. */
export async function* xapiOf(
  stretches: AsyncIterable<ExportedSession[]>,
  place: Origin,
): AsyncGenerator<string> {
  let isFirst = true
  yield '['
  for await (const sessions of stretches) {
    // It takes one session at a time, because the statements of a stretch together are several megabytes.
    for (const session of sessions) {
      const statements = statementsOf(session, place).map((one) => JSON.stringify(one))
      yield `${isFirst ? '\n' : ',\n'}${statements.join(',\n')}`
      isFirst = false
    }
  }
  yield '\n]\n'
}

/** Returns the statements of a session: initialized comes first, terminated last, and in between what happened in its order. */
function statementsOf(session: ExportedSession, place: Origin): object[] {
  const started = Date.parse(session.startedAt)
  const middle = [...playing(session), ...seeks(session), ...completion(session)].sort((a, b) => a.at - b.at)
  const last = Math.max(Date.parse(session.lastAt), ...middle.map(({ at }) => at))
  const moments: Moment[] = [
    { verb: 'initialized', at: started, key: 'initialized' },
    ...middle.map((moment) => Object.assign(moment, { at: Math.max(moment.at, started) })),
    { verb: 'terminated', at: last, key: 'terminated', extensions: progressAt(session, session.position) },
  ]
  return moments.map((moment) => statementOf(session, moment, place))
}

/** Returns seconds with three decimals. */
const seconds = (ms: number) => Math.round(ms) / 1_000

/** Returns the parts that earned credit up to span `upTo`, as they were played. */
function segments({ spans, durationMs }: ExportedSession, upTo = Infinity): Ranges {
  return spans
    .filter(({ i, refused, startMs }) => i <= upTo && refused === null && startMs < durationMs)
    .map(({ startMs, endMs }) => [startMs, Math.min(endMs, durationMs)])
}

function progressAt(session: ExportedSession, positionMs: number, upTo?: number): object {
  const played = segments(session, upTo)
  const share = session.durationMs === 0 ? 0 : lengthOf(unionOf(played)) / session.durationMs
  return {
    [extension('time')]: seconds(positionMs),
    [extension('progress')]: Math.min(1, Math.floor(share * 1_000) / 1_000),
    [extension('played-segments')]: played.map(([a, b]) => `${seconds(a)}[.]${seconds(b)}`).join('[,]'),
  }
}

/** Every span begins with `played` and ends with `paused`, whatever ended it. */
function playing(session: ExportedSession): Moment[] {
  const zero = Date.parse(session.zeroAt)
  return session.spans.flatMap(({ i, startMs, endMs, wallMs, beganMs }): Moment[] => {
    const began = zero + beganMs
    const start = { [extension('time')]: seconds(startMs) }
    return [
      { verb: 'played', at: began, key: `played ${i}`, extensions: start },
      { verb: 'paused', at: began + wallMs, key: `paused ${i}`, extensions: progressAt(session, endMs, i) },
    ]
  })
}

function seeks(session: ExportedSession): Moment[] {
  const zero = Date.parse(session.zeroAt)
  return session.events.flatMap(({ n, type, atMs, positionMs, data }): Moment[] => {
    if (type !== 'seek') return []
    const { from = positionMs, to = positionMs } = (data ?? {}) as { from?: number; to?: number }
    const extensions = { [extension('time-from')]: seconds(from), [extension('time-to')]: seconds(to) }
    return [{ verb: 'seeked', at: zero + atMs, key: `seeked ${n}`, extensions }]
  })
}

function completion(session: ExportedSession): Moment[] {
  if (session.completedAt === null) return []
  const wallMs = session.spans.reduce((sum, span) => sum + (span.refused === null ? span.wallMs : 0), 0)
  const extensions = progressAt(session, session.position)
  const result = { completion: true, duration: `PT${seconds(wallMs)}S` }
  return [{ verb: 'completed', at: Date.parse(session.completedAt), key: 'completed', extensions, result }]
}

function statementOf(
  session: ExportedSession,
  { verb, at, key, extensions, result }: Moment,
  { publicUrl, product }: Origin,
) {
  const { id, viewer, name, title, videoId, versionId, durationMs, theta, userAgent, signedInBy } = session
  return {
    id: idOf(`${id} ${key}`),
    timestamp: new Date(at).toISOString(),
    actor: {
      objectType: 'Agent',
      ...(name === null ? {} : { name }),
      account: { homePage: publicUrl, name: viewer },
    },
    verb: { id: verbs[verb], display: { en: verb } },
    object: {
      objectType: 'Activity',
      id: `${publicUrl}/w/video/${videoId}?version=${versionId}`,
      definition: { type: `${profile}/activity-type/video`, name: { und: title } },
    },
    ...(extensions ? { result: { ...result, extensions } } : {}),
    context: {
      platform: product,
      contextActivities: { category: [{ objectType: 'Activity', id: profile }] },
      extensions: {
        [extension('session-id')]: id,
        [extension('length')]: seconds(durationMs),
        [extension('completion-threshold')]: theta,
        // The profile has no word for it, so the address of the extension is our own.
        ...(signedInBy === null
          ? {}
          : { [`${publicUrl}/xapi/extensions/signed-in-by`]: signedInBy.split(' ') }),
        ...(verb === 'initialized' && userAgent !== null ? { [extension('user-agent')]: userAgent } : {}),
      },
    },
  }
}

/** Gives the same statement the same id in every export (UUID version 5), so that a store that has it already refuses it. */
function idOf(text: string): string {
  const hash = createHash('sha1').update(`${profile} ${text}`).digest()
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  const hex = hash.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  )
}
