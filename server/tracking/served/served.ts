import { randomUUIDv7 } from 'node:crypto'
import type { Database, Tx } from '../../platform/db/client.ts'
import type { Ranges } from '../../platform/db/multirange.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import type { MediaPlay } from '../../platform/http/pages/media-link.ts'
import type { Services } from '../../platform/http/services.ts'
import { halving, requireBlamed } from '../../platform/aside.ts'
import { outageOf } from '../../platform/db/outage.ts'
import { refuse } from '../../platform/errors.ts'
import { startLoop, type Loop } from '../../platform/loop.ts'
import { unionOf } from '../credit.ts'
import { listed } from '../lists.ts'
import type { LiveLinks } from '../ingest/live-links.ts'
import { servedRun, silentSeconds, unrecordedRun } from './served-run.ts'
import { forgetServedSessions, servedSessions, type ServedSession } from './served-sessions.ts'
import type { PlayClaims } from '../ingest/token.ts'

/** Returns the play whose record it is when media are handed out; undefined when no record was kept as it opened. */
export function servedTo({ run, session, viewerKey, delivery, signedIn }: PlayClaims): MediaPlay | undefined {
  if (run === undefined) return undefined
  return { session, viewerKey, ...(delivery && { delivery }), ...(signedIn && { signedIn }) }
}

/** This stretch of media time, [start, end) in milliseconds, went out to one session. */
type ServedPart = {
  organizationId: string
  videoId: string
  versionId: string
  session: string
  viewerKey: string
  part: readonly [number, number]
  bytes: number
  /** The instant is in epoch milliseconds. */
  at: number
}

/** This went out to one session since it was written last. */
type Note = Omit<ServedPart, 'part' | 'at'> & {
  parts: Ranges
  requests: number
  firstAt: number
  lastAt: number
}

type ServedRecord = {
  /**
   * Returns the run on whose record sessions that open now can rely. There is none where a cache in front hands out media too, because half
   * a record would contradict honest people, and none while nothing can be written down.
   */
  run(): string | undefined
  /** Says that from now on this process keeps a record, or that it keeps none; media go out only afterwards. */
  begin(): Promise<void>
  /**
   * Resolves when it is written down that this process serves the session; nothing may be handed out to it before. Where that cannot be
   * written it refuses, because nobody would know of the session when this process is killed.
   */
  announce(one: ServedSession): Promise<void>
  /** Notes a part, which costs the caller nothing but a look into a map. It is written about a second later. */
  note(part: ServedPart): void
  /** Says that something left that could not be noted, so that a gap accuses nobody. */
  lose(session?: string): void
  /** Resolves when everything that was noted has been written, or could not be. */
  drain(): Promise<void>
}

/** Features that hand out videos get these. */
export type Serving = Services & { served: ServedRecord; links: LiveLinks }

const intervalMs = 1_000
/** After this time the record is said to be whole, even when nothing leaves. */
const beatMs = 5_000
/** At most this number of sessions waits while the database cannot be reached. What exceeds it is lost, and said to be. */
const mostWaiting = 20_000

/**
 * Keeps `served_parts`, the second source beside what players report. A part that is written twice is a union and changes nothing;
 * the counts of requests and bytes may then be too high, which is why nothing is decided by them.
 */
export function recordServed({ env, db, log }: Pick<Services, 'env' | 'db' | 'log'>): ServedRecord {
  const processId = randomUUIDv7()
  const recorded = servedRun(db.single, processId)
  const announced = servedSessions(db.single, processId)
  const run = env.mediaElsewhere ? unrecordedRun(db.single) : recorded
  let waiting = new Map<string, Note>()
  let writing: Loop | undefined
  let beatenAt = 0

  async function write(): Promise<void> {
    const notes = [...waiting.values()]
    const at = Date.now()
    waiting = new Map()
    try {
      await writeNotes(notes)
      // A record of the past, as the sample makes one, is nobody's run.
      if (writing) await run.beat(at)
      beatenAt = at
    } catch (error) {
      log.error({ err: error }, 'what was handed out could not be written down; it will be tried again')
      for (const note of notes) if (!keep(waiting, note)) lose(note.session)
    }
  }

  /** Writes the notes. One that the database refuses is lost, and holds up no other. */
  function writeNotes(notes: Note[]): Promise<void> {
    return writeServed(db.single, notes).catch(async (error: unknown) => {
      if (outageOf(error)) throw error
      await halving(notes, {
        work: (some) => writeServed(db.single, some),
        blame: async ({ session }, cause) => {
          log.error({ err: cause, session }, 'what was handed out could not be written down')
          lose(session)
        },
      }).catch(requireBlamed)
    })
  }

  function lose(session?: string): void {
    log.warn({ session }, 'what was handed out could not be noted')
    recorded.lose()
  }

  return {
    run: () =>
      env.mediaElsewhere || Date.now() - beatenAt > silentSeconds * 1_000 ? undefined : recorded.id(),
    async begin() {
      await run.beat(Date.now())
      beatenAt = Date.now()
      writing = startLoop({ log, failure: 'what was handed out could not be written down' }, async () => {
        if (waiting.size > 0 || Date.now() - beatenAt >= beatMs) await write()
        return intervalMs
      })
    },
    async announce(one) {
      // Whoever keeps no record says so of every session.
      if (env.mediaElsewhere) return
      await announced(one).catch((error: unknown) => {
        log.error({ err: error, session: one.session }, 'it could not be written down who is served')
        throw outageOf(error) ?? refuse('unavailable')
      })
    },
    note({ part: [start, end], at, ...whose }) {
      if (start >= end) return
      if (!keep(waiting, { ...whose, parts: [[start, end]], requests: 1, firstAt: at, lastAt: at }))
        lose(whose.session)
    },
    lose,
    async drain() {
      await writing?.stop()
      if (waiting.size > 0) await write()
      if (!writing || waiting.size > 0) return
      await run.end().catch((error: unknown) => log.error({ err: error }, 'the record could not be ended'))
    },
  }
}

/** Puts a note with what waits for the same session already. Returns false when there is no room for another session. */
function keep(waiting: Map<string, Note>, note: Note): boolean {
  const known = waiting.get(note.session)
  if (!known) {
    if (waiting.size >= mostWaiting) return false
    waiting.set(note.session, note)
    return true
  }
  known.parts = unionOf([...known.parts, ...note.parts])
  known.requests += note.requests
  known.bytes += note.bytes
  known.firstAt = Math.min(known.firstAt, note.firstAt)
  known.lastAt = Math.max(known.lastAt, note.lastAt)
  return true
}

/**
 * Forgets records whose session never reported, once they are as old as evidence gets in their organization, or after two days where only
 * completions are recorded. All others go with their session.
 */
export async function forgetServed(db: Database): Promise<void> {
  const isOld = (
    at: SQL,
  ) => sql`o.id = s.organization_id and not exists (select from play_sessions p where p.id = s.session_id)
    and ${at} < now() - case when o.policies->>'trackingMode' = 'completed_only' then interval '2 days'
      else make_interval(months => coalesce((o.policies->>'retentionMonths')::int, 25)) end`
  await db.single.execute(
    sql`delete from served_parts s using organizations o where ${isOld(sql`s.last_at`)}`,
  )
  await db.single.execute(
    sql`delete from served_sessions s using organizations o where ${isOld(sql`s.since`)}`,
  )
  await forgetServedSessions(db)
}

const types = {
  session: 'uuid',
  organizationId: 'uuid',
  videoId: 'uuid',
  versionId: 'uuid',
  viewerKey: 'text',
  parts: 'int4multirange',
  requests: 'int',
  bytes: 'bigint',
  firstAt: 'ms',
  lastAt: 'ms',
} as const

async function writeServed(tx: Tx, notes: readonly Note[]): Promise<void> {
  if (notes.length === 0) return
  // The notes are written in one order, so that two processes never wait for each other in a circle.
  const list = notes.toSorted((a, b) => (a.session < b.session ? -1 : 1))
  await tx.execute(sql`insert into served_parts as s (session_id, organization_id, video_id, version_id, viewer_key, parts, requests,
      bytes, first_at, last_at)
    select * from ${listed(list, types)} g
    on conflict (session_id) do update set parts = s.parts + excluded.parts, requests = s.requests + excluded.requests,
      bytes = s.bytes + excluded.bytes, first_at = least(s.first_at, excluded.first_at),
      last_at = greatest(s.last_at, excluded.last_at)`)
}
