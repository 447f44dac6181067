import { randomUUIDv7 } from 'node:crypto'
import * as z from 'zod/mini'
import type { obligationMessages } from '#contract/assignments/assignments.ts'
import { Audience } from '#contract/transmissions/transmissions.ts'
import { arrayOf, rows, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { Services } from '../platform/http/services.ts'
import { instantOf } from '../directory/organizations/days.ts'
import { linkHash } from '../transmissions/recipients/link.ts'
import { noteAll, type Author, type PastEntry } from './diary.ts'
import { isGone, outcomeOf, type Mishap, type SampleOutcome, SampleRecipient } from './outcomes.ts'
import type { ReadyVideo } from './videos.ts'
import { insertedId } from '../platform/db/rows.ts'

const minute = 60_000
const day = 24 * 60 * minute

export type PastTransmission = {
  organizationId: string
  sender: Author
  video: ReadyVideo
  /** Whom it went to; null stands for everybody. */
  groupId: string | null
  daysAgo: number
  /** By how many days after it was sent they are asked to have watched. */
  dueAfter?: number
  mishap?: Mishap
  subject: string
  message: string
  seed: number
  /** An assignment sent it, to these people, at that instant; by when each of them has to have done it. */
  assigned?: Assigned
}
export type Assigned = {
  assignmentId: string
  kind: (typeof obligationMessages)[number]
  userIds: readonly string[]
  at: Date
  dueAt: string | null
}

/** A mail that arrived, or may have. */
export type Arrived = SampleRecipient & { deliveryId: string }
type Entered = Arrived & { outcome: SampleOutcome }

export type SentTransmission = { transmissionId: string; sentAt: Date; arrived: Arrived[] }

/** One transmission of the past as the sending would have left it: its ledger, every try, the barred addresses and the audit log. */
export async function addLedger(
  services: Services,
  tx: Tx,
  past: PastTransmission,
): Promise<SentTransmission> {
  const sentAt = past.assigned?.at ?? new Date(Date.now() - past.daysAgo * day)
  const entered = await enter(tx, { past, sentAt })
  const transmissionId = await addTransmission(tx, { past, sentAt, entered })
  const records = JSON.stringify(
    entered.map(({ deliveryId, userId, address, outcome }) => ({
      deliveryId,
      userId,
      address,
      state: outcome.state,
      reason: outcome.reason,
      code: outcome.code,
      hash: linkHash(services.keys, deliveryId).toString('hex'),
      attempt: outcome.tries.length,
      dueAt: at(outcome.dueAt),
      acceptedAt: at(outcome.acceptedAt),
      lastAt: at(outcome.tries.at(-1)?.at ?? sentAt.getTime()),
    })),
  )
  await tx.execute(
    sql`insert into deliveries (id, transmission_id, organization_id, user_id, address, state, reason, attempt, due_at, last_code, handed_at,
        accepted_at, provider_ref, link_hash, created_at, updated_at)
      select g."deliveryId", ${transmissionId}, ${past.organizationId}, g."userId", g.address, g.state, g.reason, g.attempt, g."dueAt", g.code,
        case when g.attempt > 0 then g."lastAt" end, g."acceptedAt", case when g.state = 'accepted' then '250 2.0.0 OK' end,
        decode(g.hash, 'hex'), ${sentAt.toISOString()}, g."lastAt"
      from jsonb_to_recordset(${records}::jsonb) as g("deliveryId" uuid, "userId" uuid, address text, state text, reason text, hash text,
        attempt int, code int, "dueAt" timestamptz, "acceptedAt" timestamptz, "lastAt" timestamptz)`,
  )
  await addTries(tx, past.organizationId, { transmissionId, entered })
  await noteAll(tx, story({ past, sentAt, transmissionId, endedAt: endOf(entered, sentAt) }))
  const arrived = entered.filter(({ outcome: { state } }) => state === 'accepted' || state === 'unknown')
  return { transmissionId, sentAt, arrived }
}

const audienceOf = ({ groupId, assigned }: PastTransmission) =>
  Audience.parse(
    assigned
      ? { userIds: assigned.userIds }
      : groupId === null
        ? { everyone: true }
        : { groupIds: [groupId] },
  )
const at = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())

type Ledger = { past: PastTransmission; sentAt: Date }

const RecipientRow = z.extend(SampleRecipient, { barred: z.boolean() })

/** Whom it is for, and what became of each mail. */
async function enter(tx: Tx, { past, sentAt }: Ledger): Promise<Entered[]> {
  const { organizationId, groupId, mishap, assigned } = past
  const members = assigned
    ? sql`u.id = any(${arrayOf(assigned.userIds, 'uuid')})`
    : sql`u.role is null and u.created_at <= ${sentAt.toISOString()} and (${groupId}::uuid is null
        or exists (select from group_members m where m.user_id = u.id and m.group_id = ${groupId}))`
  const found = await rows(
    tx,
    RecipientRow,
    sql`select u.id as "userId", u.email as address, coalesce(substr(u.external_id, 3)::int, 0) as number,
        exists (select from suppressions s where s.organization_id = u.organization_id and s.address = u.email
          and s.created_at <= ${sentAt.toISOString()} and s.expires_at > ${sentAt.toISOString()}) as barred
      from users u where u.organization_id = ${organizationId} and u.deleted_at is null and ${members}
      order by u.id`,
  )
  return found.map(({ barred, ...person }) => {
    const outcome = outcomeOf(person, { sentAt: sentAt.getTime(), mishap, barred })
    return Object.assign(person, { deliveryId: randomUUIDv7(), outcome })
  })
}

const endOf = (entered: Entered[], sentAt: Date) =>
  new Date(
    Math.max(...entered.flatMap(({ outcome }) => outcome.tries.map((one) => one.at)), sentAt.getTime()) +
      minute,
  )

async function addTransmission(
  tx: Tx,
  { past, sentAt, entered }: Ledger & { entered: Entered[] },
): Promise<string> {
  const { organizationId, video, sender, dueAfter, mishap, subject, assigned } = past
  const ended = endOf(entered, sentAt).toISOString()
  const halted = mishap === 'halts'
  const dueDay =
    dueAfter === undefined ? null : new Date(sentAt.getTime() + dueAfter * day).toISOString().slice(0, 10)
  const due = assigned ? assigned.dueAt : dueDay
  const linksEnd = assigned
    ? sql`sent + make_interval(days => (policies->>'linkDays')::int)`
    : sql`null::timestamptz`
  return insertedId(
    tx,
    sql`insert into transmissions (organization_id, state, version, subject, body, video_id, version_id, sender_id, sender_name, audience,
        assignment_id, audience_total, due_at, links_end_at, prepared_at, completed_at, scheduled_at, released_at, created_at, updated_at)
      select ${organizationId}, ${halted ? 'paused' : 'completed'}, 4, ${subject}, ${past.message}, ${video.videoId},
        ${video.versionId}, ${sender.id}, ${sender.name}, ${JSON.stringify(audienceOf(past))}::jsonb, ${assigned?.assignmentId ?? null}::uuid, ${entered.length},
        ${instantOf(due)}, ${linksEnd}, sent, ${halted ? null : ended}::timestamptz, sent, sent, sent, ${ended}::timestamptz
      from (select ${sentAt.toISOString()}::timestamptz as sent) given, organizations o where o.id = ${organizationId} returning id`,
  )
}

type Tried = { transmissionId: string; entered: Entered[] }

/** The history of every try; an address that does not exist is barred for 30 days. */
async function addTries(tx: Tx, organizationId: string, { transmissionId, entered }: Tried): Promise<void> {
  const tries = entered.flatMap(({ deliveryId, outcome }) =>
    outcome.tries.map((one, n) => ({ ...one, at: at(one.at), n: n + 1, deliveryId })),
  )
  await tx.execute(
    sql`insert into delivery_attempts (delivery_id, n, organization_id, transmission_id, started_at, handed_at, ended_at, outcome, code, response)
      select g."deliveryId", g.n, ${organizationId}, ${transmissionId}, g.at, g.at, g.at, g.outcome, g.code, g.response
      from jsonb_to_recordset(${JSON.stringify(tries)}::jsonb)
        as g("deliveryId" uuid, n int, at timestamptz, outcome text, code int, response text)`,
  )
  const gone = entered.flatMap(({ address, outcome }) =>
    isGone(outcome) ? [{ address, at: at(outcome.tries[0]?.at ?? null) }] : [],
  )
  await tx.execute(
    sql`insert into suppressions (organization_id, address, reason, created_at, expires_at)
      select ${organizationId}, g.address, 'no_such_mailbox', g.at, g.at + interval '30 days'
      from jsonb_to_recordset(${JSON.stringify(gone)}::jsonb) as g(address text, at timestamptz)
      on conflict (organization_id, address) do update set created_at = greatest(suppressions.created_at, excluded.created_at),
        expires_at = greatest(suppressions.expires_at, excluded.expires_at)`,
  )
}

type LedgerStory = Ledger & { transmissionId: string; endedAt: Date }

/** What its transitions wrote into the audit log. */
function story({ past, sentAt, transmissionId, endedAt }: LedgerStory): PastEntry[] {
  const { organizationId, sender, video, subject, assigned, mishap } = past
  const about = { organizationId, entity: 'transmission', entityId: transmissionId }
  const halted = mishap === 'halts'
  const step = (from: string, state: string, version: number) => ({
    ...about,
    by: null,
    before: { state: from },
    after: { state, version },
  })
  return [
    {
      ...about,
      action: 'transmission.create',
      by: assigned ? null : sender,
      at: sentAt,
      after: assigned
        ? {
            subject,
            videoId: video.videoId,
            assignmentId: assigned.assignmentId,
            kind: assigned.kind,
            dueAt: assigned.dueAt,
          }
        : {
            subject,
            videoId: video.videoId,
            versionId: video.versionId,
            audience: audienceOf(past),
          },
    },
    { ...step('scheduled', 'preparing', 2), action: 'transmission.preparing', at: sentAt },
    { ...step('preparing', 'sending', 3), action: 'transmission.sending', at: sentAt },
    halted
      ? { ...step('sending', 'paused', 4), action: 'transmission.paused', by: sender, at: endedAt }
      : { ...step('sending', 'completed', 4), action: 'transmission.completed', at: endedAt },
  ]
}
