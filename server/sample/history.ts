import type { Span } from '#contract/tracks.ts'
import { arrayOf, row, rows, type Tx } from '../db/client.ts'
import { sql } from '../db/drizzle.ts'
import type { Services } from '../http/services.ts'
import { segmentSeconds } from '../media/ladder.ts'
import { recordServed } from '../plays/served.ts'
import { linkHash } from '../transmissions/link.ts'
import { openLane, type LogEntry } from '../viewing/lane.ts'
import { startPlay } from '../plays/token.ts'
import { sitting } from './habits.ts'
import { dice } from './plan.ts'
import type { ReadyVideo } from './videos.ts'

const hour = 3_600_000
const day = 24 * hour
const segment = segmentSeconds * 1_000

export type PastTransmission = {
  organizationId: string
  sender: { id: string; name: string }
  video: ReadyVideo
  /** Whom it went to; null stands for everybody. */
  groupId: string | null
  daysAgo: number
  message: string
  seed: number
}

type Sent = { deliveryId: string; userId: string }

/**
 * One transmission of the past: its ledger, and the raw viewing evidence behind it, from which the fold makes every figure. Nothing
 * that a screen shows is written here directly.
 */
export async function addHistory(services: Services, past: PastTransmission): Promise<void> {
  const sentAt = new Date(Date.now() - past.daysAgo * day)
  const { transmissionId, sent } = await services.db.as({ organizationId: past.organizationId }, (tx) =>
    addLedger(services, tx, { past, sentAt }),
  )
  if (sent.length === 0) return
  const lane = openLane(services.db.system)
  const roll = dice(past.seed)
  const entries = sent.flatMap((delivery) =>
    viewingOf({ services, past, transmissionId, delivery, sentAt, roll }),
  )
  await Promise.all(entries.map((entry) => lane.append(entry)))
  await handOut(services, entries)
}

/** What the server would have noted while these were watched; of one in nine nothing, as of times before there was such a record. */
async function handOut(services: Services, entries: readonly LogEntry[]): Promise<void> {
  const record = recordServed(services)
  for (const [number, { claims, spans, receivedAt }] of entries.entries()) {
    if (number % 9 === 4) continue
    const { org, video, version, session, viewerKey, durMs } = claims
    for (const [, start, end] of JSON.parse(spans) as Span[]) {
      const part = [start - (start % segment), Math.min(durMs, Math.ceil(end / segment) * segment)] as const
      const whose = { organizationId: org, videoId: video, versionId: version, session, viewerKey }
      record.note({ ...whose, part, bytes: (part[1] - part[0]) * 100, at: receivedAt.getTime() })
    }
  }
  await record.drain()
}

type Ledger = { past: PastTransmission; sentAt: Date }

async function addLedger(
  services: Services,
  tx: Tx,
  { past, sentAt }: Ledger,
): Promise<{ transmissionId: string; sent: Sent[] }> {
  const { organizationId, video, groupId } = past
  const audience = { userIds: [], groupIds: groupId ? [groupId] : [], everyone: groupId === null }
  const subject = `Please watch: ${video.title}`
  const made = await row<{ id: string }>(
    tx,
    sql`insert into transmissions (organization_id, state, version, subject, body, video_id, version_id, sender_id, sender_name, audience,
        prepared_at, completed_at, released_at, created_at, updated_at)
      values (${organizationId}, 'completed', 4, ${subject}, ${past.message}, ${video.videoId}, ${video.versionId}, ${past.sender.id},
        ${past.sender.name}, ${JSON.stringify(audience)}::jsonb, ${sentAt.toISOString()}, ${sentAt.toISOString()}, ${sentAt.toISOString()}, ${sentAt.toISOString()}, ${sentAt.toISOString()})
      returning id`,
  )
  const transmissionId = made?.id ?? ''
  const sent = await rows<Sent>(
    tx,
    sql`insert into deliveries (transmission_id, organization_id, user_id, address, state, attempt, handed_at, accepted_at, created_at, updated_at)
      select ${transmissionId}, u.organization_id, u.id, u.email, 'accepted', 1, at.t, at.t, at.t, at.t
      from users u, (select ${sentAt.toISOString()}::timestamptz as t) at
      where u.organization_id = ${organizationId} and u.role is null and u.deleted_at is null and (${groupId}::uuid is null
        or exists (select 1 from group_members m where m.user_id = u.id and m.group_id = ${groupId}))
      order by u.id returning id as "deliveryId", user_id as "userId"`,
  )
  await tx.execute(
    sql`update deliveries d set link_hash = h from unnest(${arrayOf(
      sent.map((one) => one.deliveryId),
      'uuid',
    )},
        ${arrayOf(
          sent.map((one) => `\\x${linkHash(services.keys, one.deliveryId).toString('hex')}`),
          'bytea',
        )}) as given(id, h)
      where d.transmission_id = ${transmissionId} and d.id = given.id`,
  )
  await tx.execute(
    sql`update transmissions set audience_total = ${sent.length} where organization_id = ${organizationId} and id = ${transmissionId}`,
  )
  return { transmissionId, sent }
}

type Viewing = {
  services: Services
  past: PastTransmission
  transmissionId: string
  delivery: Sent
  sentAt: Date
  roll: () => number
}

/** One evening's watching, some days after the mail; one in six never opens it. */
function viewingOf({ services, past, transmissionId, delivery, sentAt, roll }: Viewing): LogEntry[] {
  if (roll() < 0.16) return []
  const { video } = past
  const opened = sentAt.getTime() + roll() ** 3 * Math.min(12 * day, past.daysAgo * day - hour) + 5 * 60_000
  const spans = sitting(video.durationMs, roll)
  const wall = spans.reduce((sum, span) => sum + span[3], 0)
  const { claims } = startPlay(
    services.keys,
    {
      org: past.organizationId,
      video: video.videoId,
      version: video.versionId,
      durMs: video.durationMs,
      transmission: transmissionId,
      delivery: delivery.deliveryId,
      userId: delivery.userId,
      kind: 'recipient',
      maxRate: 2,
      theta: 0.95,
    },
    Math.round(opened),
  )
  const last = spans.at(-1)
  return [
    {
      receivedAt: new Date(Math.round(opened) + wall + 1_500),
      claims,
      batch: 0,
      elapsedMs: wall + 1_200,
      spans: JSON.stringify(spans),
      events: JSON.stringify([
        [0, 'impression', 400, 0, null],
        [1, 'play', 900, spans[0]?.[1] ?? 0, null],
      ]),
      state: JSON.stringify({ position: last?.[2] ?? 0, visible: true }),
      ended: true,
      dropped: 0,
      capped: false,
      userAgent: 'Mozilla/5.0 (sample)',
      network: '192.0.2',
    },
  ]
}
