import type { TrueSession } from '#server/testing/truth.ts'
import { chance, eventsOf, type Chance, type SentBatch, type Truth } from '#server/testing/viewers.ts'

/** A synthetic audience that can be made again from the number of a viewer, so that nothing of it has to be kept. */
export type Audience = {
  viewers: number
  sessionsOf: (viewer: number) => TrueSession[]
  batchesOf: (session: TrueSession) => SentBatch[]
}

export const videoCount = 8
export const dayCount = 90
const durationMs = 600_000
const day = 86_400_000
export const organizationId = uuidOf(1, 1)
export const videoIds = Array.from({ length: videoCount }, (_, n) => uuidOf(2, n))
export const versionIds = Array.from({ length: videoCount }, (_, n) => uuidOf(3, n))

function uuidOf(kind: number, n: number): string {
  const text = n.toString(16).padStart(12, '0')
  return `${kind.toString(16).padStart(8, '0')}-0000-7000-8000-${text}`
}

/** As ids are made by time in the product; the number keeps them apart. */
function sessionId(at: number, n: number): string {
  const [time, tail] = [at.toString(16).padStart(12, '0'), n.toString(16).padStart(12, '0')]
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${tail}`
}

/** Ids of people come from anywhere. */
function scattered(n: number): string {
  const mixed = (Math.imul(n + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0')
  return `${mixed}-${uuidOf(4, n).slice(9)}`
}

/** Finishers, bouncers, skippers and pickers; a quarter of them faster than the clock. */
function watching(luck: Chance): Truth[] {
  const rate = luck.pick([100, 100, 100, 125, 150, 200])
  const watched: Truth[] = []
  let at = luck.between(500, 5_000)
  const play = (start: number, length: number, flags = 0) => {
    const end = Math.min(durationMs, start + length)
    const wall = Math.round(((end - start) * 100) / rate)
    if (end > start) watched.push({ at, start, end, wall, rate, flags })
    at += wall + luck.pick([0, luck.between(100, 20_000)])
    return end
  }
  const manner = luck.next()
  if (manner < 0.3) play(0, luck.between(1_000, 30_000))
  else if (manner < 0.65) {
    const left = play(0, luck.between(60_000, 400_000))
    play(left, durationMs, luck.next() < 0.1 ? 1 : 0)
  } else {
    let position = 0
    for (let n = luck.between(2, 6); n > 0; n--) {
      position = play(position, luck.between(5_000, 90_000), luck.pick([0, 0, 0, 2, 8]))
      position =
        luck.next() < 0.3
          ? luck.between(0, position)
          : Math.min(durationMs - 1_000, position + luck.between(0, 90_000))
    }
  }
  return watched
}

/** `until`: the last of the ninety days, epoch milliseconds of its start. */
export function audienceOf(sessions: number, until: number): Audience {
  // Six of ten are known by name and come 1.8 times on average, the others are new each time.
  const viewers = Math.round(sessions / 1.5)

  function sessionsOf(viewer: number): TrueSession[] {
    const luck = chance(viewer + 1)
    const known = luck.next() < 0.6
    const program = luck.next() < 0.02
    const video = luck.between(0, videoCount - 1)
    let at = until - (dayCount - 1) * day + luck.between(0, (dayCount - 4) * day)
    return Array.from({ length: known ? luck.pick([1, 1, 2, 3, 2]) : 1 }, (_, n) => {
      at += n === 0 ? 0 : luck.between(3 * 3_600_000, day)
      const session = sessionId(at, viewer * 4 + n)
      const watched = watching(luck)
      const events = eventsOf(watched, durationMs)
      const capped = luck.next() < 0.002
      return {
        claims: {
          org: organizationId,
          video: videoIds[video] ?? '',
          version: versionIds[video] ?? '',
          durMs: durationMs,
          viewerKey: known ? `recipient:${scattered(viewer)}` : `visitor:${session}`,
          kind: known ? ('recipient' as const) : ('visitor' as const),
          session,
          iat: at,
          exp: at + day,
          maxRate: 2,
          theta: 0.95,
        },
        watched,
        events,
        position: watched.at(-1)?.end ?? 0,
        impressed: true,
        program,
        capped,
        // The one in the middle is lost now and then.
        batches: luck.next() < 0.1 ? [0, 2] : [0, 1, 2],
      }
    })
  }

  /** Three reports: the first look, one from the midst, and one that repeats what is open and tells the rest. */
  function batchesOf({
    claims,
    watched,
    events,
    position,
    program,
    capped,
    batches,
  }: TrueSession): SentBatch[] {
    const [first] = watched
    const half = Math.ceil(watched.length / 2)
    const over = Math.max(...watched.map(({ at, wall }) => at + wall)) + 500
    const middle =
      watched.slice(0, half).reduce((latest, { at, wall }) => Math.max(latest, at + wall), 0) + 100
    const spanOf = ({ start, end, wall, rate, flags }: Truth, i: number): SentBatch['spans'][number] => [
      i,
      start,
      end,
      wall,
      rate,
      flags,
    ]
    const all = watched.map(spanOf)
    const report = (batch: number, now: number): SentBatch => ({
      claims,
      batch,
      elapsedMs: now,
      receivedAt: claims.iat + 40 + now,
      capped,
      spans:
        batch === 0 ? [] : batch === 1 ? all.slice(0, half) : all.slice(batches.includes(1) ? half - 1 : 0),
      events: events.filter(([, , at]) => at <= now && (batch < 2 || !batches.includes(1) || at > middle)),
      position: batch === 2 ? position : (first?.start ?? 0),
      userAgent:
        batch === 0
          ? program
            ? 'Mozilla/5.0 (compatible; MailScanner/2)'
            : 'Mozilla/5.0 Firefox/140.0'
          : null,
      network: '192.0.2',
    })
    const times = [300, middle, over]
    return batches.map((batch) => report(batch, times[batch] ?? over))
  }

  return { viewers, sessionsOf, batchesOf }
}
