import { sessionFlags } from '#contract/track-limits.ts'
import type { Tx } from '#server/db/client.ts'
import { sql } from '../db/drizzle.ts'
import { completedAt, creditViewer, lengthOf, unionOf, type Credit } from './credit.ts'
import { instant, rangesText, recordset, type StoredSession } from './store.ts'

export type Credited = { session: StoredSession; credit: Credit }

/** Bits that follow from the spans and are therefore set anew each time. */
const derived = sessionFlags.played | sessionFlags.concurrent | sessionFlags.refused

export function creditAll(sessions: StoredSession[]): Credited[] {
  return [...Map.groupBy(sessions, ({ viewerKey }) => viewerKey).values()].flatMap((own) => {
    const credits = creditViewer(own)
    return own.flatMap((session) => {
      const credit = credits.get(session.id)
      return credit ? [{ session, credit }] : []
    })
  })
}

export async function writeSessions(tx: Tx, credited: Credited[]): Promise<void> {
  const list = credited.map(({ session, credit }) => ({
    id: session.id,
    watch_ms: credit.watchMs,
    wall_ms: credit.wallMs,
    coverage: rangesText(credit.coverage),
    seen: lengthOf(session.batches),
    expected: session.batches.at(-1)?.[1] ?? 0,
    flags: (session.flags & ~derived) | credit.flags,
  }))
  await tx.execute(sql`
    update play_sessions p set watch_ms = g.watch_ms, wall_ms = g.wall_ms, coverage = g.coverage, batches_seen = g.seen,
      batches_expected = g.expected, flags = g.flags
    from ${recordset(list)} as g(id uuid, watch_ms bigint, wall_ms bigint, coverage int4multirange, seen int, expected int, flags int)
    where p.id = g.id`)
}

export async function writeRefusals(tx: Tx, credited: Credited[]): Promise<void> {
  const list = credited.flatMap(({ session, credit }) =>
    [...credit.refused]
      .filter(([i, reason]) => (session.refusals.get(i) ?? null) !== reason)
      .map(([i, refused]) => ({ session_id: session.id, i, refused })),
  )
  if (list.length === 0) return
  await tx.execute(sql`
    update play_spans p set refused = g.refused
    from ${recordset(list)} as g(session_id uuid, i int, refused text) where p.session_id = g.session_id and p.i = g.i`)
}

/** What sessions that belong together add up to. Completion needs the share of the newest session's token. */
function sumOf(group: Credited[]) {
  const pieces = group.flatMap(({ credit }) => credit.pieces)
  const coverage = unionOf(group.flatMap(({ credit }) => credit.coverage))
  const newest = group.reduce((a, b) => (a.session.startedAt >= b.session.startedAt ? a : b)).session
  const latest = group.reduce((a, b) => (a.session.lastAt >= b.session.lastAt ? a : b)).session
  const plays = group.map(({ credit }) => credit.firstPlayAt).filter((at) => at !== null)
  return {
    organization_id: newest.organizationId,
    coverage: rangesText(coverage),
    covered_ms: lengthOf(coverage),
    watch_ms: group.reduce((sum, { credit }) => sum + credit.watchMs, 0),
    plays: plays.length,
    first_play_at: instant(plays.length === 0 ? null : Math.min(...plays)),
    first_at: instant(Math.min(...group.map(({ session }) => session.startedAt))),
    last_at: instant(latest.lastAt),
    position: latest.position,
    covered_at: instant(newest.durationMs > 0 ? completedAt(pieces, newest.theta * newest.durationMs) : null),
  }
}

/** `covered_at` is sticky: it may move towards the past and never goes away. */
export async function writeViewers(tx: Tx, credited: Credited[]): Promise<void> {
  const groups = Map.groupBy(credited, ({ session }) => `${session.versionId} ${session.viewerKey}`)
  const list = [...groups.values()].flatMap((group) => {
    const first = group[0]?.session
    if (!first) return []
    const whose = { version_id: first.versionId, viewer_key: first.viewerKey, user_id: first.userId }
    return Object.assign(whose, sumOf(group))
  })
  const videoId = credited[0]?.session.videoId
  await tx.execute(sql`
    insert into viewer_videos as v (version_id, viewer_key, organization_id, video_id, user_id, coverage, covered_ms, watch_ms,
      plays, first_at, last_at, position, covered_at)
    select version_id, viewer_key, organization_id, ${videoId}::uuid, user_id, coverage, covered_ms, watch_ms, plays, first_at,
      last_at, position, covered_at
    from ${recordset(list)} as g(version_id uuid, viewer_key text, organization_id uuid, user_id uuid, coverage int4multirange,
      covered_ms int, watch_ms bigint, plays int, first_at timestamptz, last_at timestamptz, position int, covered_at timestamptz)
    on conflict (version_id, viewer_key) do update set
      coverage = excluded.coverage, covered_ms = excluded.covered_ms, watch_ms = excluded.watch_ms, plays = excluded.plays,
      first_at = excluded.first_at, last_at = excluded.last_at, position = excluded.position,
      covered_at = least(v.covered_at, excluded.covered_at)`)
}

export async function writeDeliveries(tx: Tx, credited: Credited[]): Promise<void> {
  const ofDeliveries = credited.filter(({ session }) => session.deliveryId !== null)
  const list = [...Map.groupBy(ofDeliveries, ({ session }) => session.deliveryId).values()].flatMap(
    (group) => {
      const first = group[0]?.session
      if (!first) return []
      const opened = group
        .filter(({ session }) => session.impressionMs !== null)
        .map(({ session }) => session.zeroAt + (session.impressionMs ?? 0))
      const whose = {
        transmission_id: first.transmissionId,
        delivery_id: first.deliveryId,
        opened_at: instant(opened.length === 0 ? null : Math.min(...opened)),
      }
      return Object.assign(whose, sumOf(group))
    },
  )
  if (list.length === 0) return
  await tx.execute(sql`
    insert into delivery_viewing as d (transmission_id, delivery_id, organization_id, opened_at, first_play_at, last_at, coverage,
      covered_ms, watch_ms, covered_at)
    select transmission_id, delivery_id, organization_id, opened_at, first_play_at, last_at, coverage, covered_ms, watch_ms, covered_at
    from ${recordset(list)} as g(transmission_id uuid, delivery_id uuid, organization_id uuid, opened_at timestamptz,
      first_play_at timestamptz, last_at timestamptz, coverage int4multirange, covered_ms int, watch_ms bigint, covered_at timestamptz)
    on conflict (transmission_id, delivery_id) do update set
      opened_at = excluded.opened_at, first_play_at = excluded.first_play_at, last_at = excluded.last_at,
      coverage = excluded.coverage, covered_ms = excluded.covered_ms, watch_ms = excluded.watch_ms,
      covered_at = least(d.covered_at, excluded.covered_at)`)
}

/** Adds what changed since the session was last written; a session counts on the day (UTC) on which it began. */
export async function addToDays(tx: Tx, credited: Credited[]): Promise<void> {
  const days = new Map<string, { day: string; watch_ms: number; plays: number }>()
  for (const { session, credit } of credited) {
    const day = new Date(session.startedAt).toISOString().slice(0, 10)
    const sum = days.get(day) ?? { day, watch_ms: 0, plays: 0 }
    const [before, after] = [session.flags & sessionFlags.played, credit.flags & sessionFlags.played]
    sum.watch_ms += credit.watchMs - session.watchMs
    sum.plays += Number(after !== 0) - Number(before !== 0)
    days.set(day, sum)
  }
  const first = credited[0]?.session
  const list = [...days.values()].filter(({ watch_ms, plays }) => watch_ms !== 0 || plays !== 0)
  if (!first || list.length === 0) return
  await tx.execute(sql`
    insert into day_rollups as d (organization_id, video_id, day, watch_ms, plays)
    select ${first.organizationId}::uuid, ${first.videoId}::uuid, day, watch_ms, plays
    from ${recordset(list)} as g(day text, watch_ms bigint, plays bigint)
    on conflict (organization_id, day, video_id) do update set
      watch_ms = d.watch_ms + excluded.watch_ms, plays = d.plays + excluded.plays`)
}
