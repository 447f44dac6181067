import { startPlay, type NewPlay } from '../../tracking/ingest/token.ts'
import type { TestServer } from '../server.ts'
import type { TrueSession } from './truth.ts'
import { durationMs, eventsOf, sendSomehow, watchSomehow, type Chance, type SentBatch } from './viewers.ts'

/** What really happened, and the batches that came of it. */
export type Crowd = { sessions: TrueSession[]; batches: SentBatch[] }

/** One to three sessions of somebody in the last three days, hours apart: a recipient, a visitor, or a program. */
export function somebody({ services }: TestServer, luck: Chance, play: NewPlay): Crowd {
  const program = luck.next() < 0.1
  const person = { ...play, userId: crypto.randomUUID() }
  const { userId: _nobody, ...visit } = { ...play, kind: 'visitor' as const }
  const anonymous = luck.next() < 0.2
  const crowd: Crowd = { sessions: [], batches: [] }
  let at = Date.now() - luck.between(12, 70) * 3_600_000
  for (let n = anonymous ? 1 : luck.between(1, 3); n > 0; n--) {
    const { claims } = startPlay(services.keys, anonymous ? visit : person, at)
    const watched = watchSomehow(luck, durationMs)
    const capped = luck.next() < 0.05
    const more = { capped, userAgent: program ? 'Mozilla/5.0 (compatible; MailScanner/2)' : null }
    const batches = sendSomehow(luck, claims, watched).map((batch) => Object.assign(batch, more))
    crowd.batches.push(...batches)
    crowd.sessions.push({
      claims,
      watched,
      events: eventsOf(watched, durationMs),
      position: watched.at(-1)?.end ?? 0,
      impressed: true,
      program,
      capped,
      batches: batches.map(({ batch }) => batch),
    })
    at += 3_600_000
  }
  return crowd
}

const ofVideo = [
  'viewer_videos',
  'play_sessions',
  'day_rollups',
  'viewer_days',
  'video_heat',
  'video_heat_days',
  'audience_days',
]
const ofSession = ['play_spans', 'play_events']
export const aggregatedTables = [...ofVideo, ...ofSession]

/** Everything that the aggregation writes about videos, one text per row, in a fixed order. */
export async function resultsOf({ services }: TestServer, videoIds: string[]): Promise<string[]> {
  const texts = [
    ...ofVideo.map((table) => `select '${table}', v.* from ${table} v where video_id = any($1)`),
    ...ofSession.map(
      (table) =>
        `select '${table}', v.* from ${table} v join play_sessions s on s.id = v.session_id where s.video_id = any($1)`,
    ),
  ]
  const lines: string[] = []
  for (const text of texts) {
    const found = await services.db.system.query<{ line: string }>(
      `select v::text as line from (${text}) v order by 1`,
      [videoIds],
    )
    lines.push(...found.rows.map(({ line }) => line))
  }
  return lines
}

/** Rows that are in one of the two only. */
export function differences(before: string[], after: string[]): string[] {
  const [old, fresh] = [new Set(before), new Set(after)]
  return [...before.filter((line) => !fresh.has(line)), ...after.filter((line) => !old.has(line))]
}
