import * as z from 'zod/mini'
import { languages } from '#contract/platform/text/languages.ts'
import type { Reply } from '#contract/endpoint.ts'
import { Audience, AudienceCount, type readTransmissionPlan } from '#contract/transmissions/transmissions.ts'
import { arrayOf, requireRow, row, rows, type Tx } from '../../platform/db/client.ts'
import { ifThere } from '../../platform/errors.ts'
import { sql } from '../../platform/db/sql.ts'
import { called, isoText } from '../../platform/db/search.ts'
import type { Services } from '../../platform/http/services.ts'
import { approversOf } from './approval.ts'
import { countAudience, noCount, type ChosenAudience } from './audience.ts'
import { isDuty } from '../barred/barred.ts'
import { Step, stepOf } from '../../duty/steps.ts'
import { alsoDue } from '../sender/letter.ts'
import { findVideo } from './create.ts'
import { draw } from './preview.ts'
import type { Key } from '../ledger/states.ts'
import { namedViewing } from './viewing.ts'

const Planned = z.object({
  version: z.number(),
  audience: z.unknown(),
  subject: z.string(),
  body: z.string(),
  author: z.string(),
  authorId: z.string(),
  videoId: z.nullable(z.string()),
  isPrepared: z.boolean(),
  senderName: z.nullable(z.string()),
  dueAt: z.nullable(z.string()),
  alsoDueAt: z.array(z.string()),
  step: z.nullable(Step),
  isDuty: z.boolean(),
  linksEndAt: z.nullable(z.string()),
  timeZone: z.string(),
  language: z.enum(languages),
})
type Planned = z.infer<typeof Planned>

function readPlanned(tx: Tx, key: Key): Promise<Planned> {
  return requireRow(
    tx,
    Planned,
    sql`select t.version, t.audience, t.subject, t.body, t.sender_name as author, t.sender_id as "authorId", t.video_id as "videoId",
        t.prepared_at is not null as "isPrepared", o.policies->>'senderName' as "senderName",
        ${isoText(sql`t.due_at`)} as "dueAt", ${alsoDue} as "alsoDueAt", ${stepOf(sql`t.assignment_id`)} as step, ${isDuty} as "isDuty",
        ${isoText(sql`t.links_end_at`)} as "linksEndAt", o.time_zone as "timeZone", o.language
      from transmissions t join organizations o on o.id = t.organization_id
      where t.id = ${key.id} and t.organization_id = ${key.organizationId}`,
  )
}

export async function readChosen(tx: Tx, key: Key): Promise<ChosenAudience & Key> {
  const { audience, isDuty: owed } = await readPlanned(tx, key)
  return { ...key, audience: Audience.parse(audience), isDuty: owed }
}

const Named = z.object({ id: z.string(), name: z.string() })

/** Reads the people and groups whom an audience names one by one, as far as they are still there. */
export async function namedIn(tx: Tx, organizationId: string, audience: Audience) {
  const named = (table: 'users' | 'groups', ids: readonly string[]) =>
    rows(
      tx,
      Named,
      sql`select id, name from ${sql.raw(table)} where organization_id = ${organizationId} and deleted_at is null
        and id = any(${arrayOf(ids, 'uuid')}) order by ${called(sql`name`)}, id`,
    )
  return {
    people: await named('users', audience.userIds),
    groups: await named('groups', audience.groupIds),
    exceptPeople: await named('users', audience.exceptUserIds),
    exceptGroups: await named('groups', audience.exceptGroupIds),
  }
}

/** Reads what would be sent to whom as of now. Once a list of recipients was made, that list decides. */
export async function readPlan(
  tx: Tx,
  services: Services,
  key: Key,
): Promise<Reply<typeof readTransmissionPlan>> {
  const planned = await readPlanned(tx, key)
  const audience = Audience.parse(planned.audience)
  const counted = planned.isPrepared
    ? await listed(tx, key)
    : await countAudience(tx, { ...key, audience, isDuty: planned.isDuty })
  const video = (await ifThere(findVideo(tx, key.organizationId, planned.videoId))) ?? null
  const [first] = counted.sample
  const reader = first ? { recipientId: first.id } : { authorId: planned.authorId }
  return {
    version: planned.version,
    count: counted,
    everyone: audience.everyone,
    channel: audience.channel ?? 'email',
    viewing: audience.viewing ? await namedViewing(tx, { ...key, viewing: audience.viewing }) : null,
    ...(await namedIn(tx, key.organizationId, audience)),
    mail: video
      ? await draw(tx, services, { ...planned, organizationId: key.organizationId, video, reader })
      : null,
    approvers: await approversOf(tx, key.organizationId, planned.authorId),
  }
}

/** Counts the recipients from the ledger. */
async function listed(tx: Tx, key: Key): Promise<AudienceCount> {
  const found = await row(
    tx,
    AudienceCount,
    sql`with d as materialized (select user_id, address, reason, state from deliveries
        where transmission_id = ${key.id} and organization_id = ${key.organizationId})
      select (select count(*) from d where state = 'queued')::int as recipients,
        coalesce((select jsonb_object_agg(reason, n) from
          (select reason, count(*) as n from d where state = 'skipped' group by 1) r), '{}') as skipped,
        0 as overlaps, 0 as excepted,
        coalesce((select jsonb_agg(to_jsonb(s)) from (select u.id, u.name, d.address as email from d join users u on u.id = d.user_id
          where d.state = 'queued' order by u.called, u.id limit 5) s), '[]') as sample`,
  )
  return found ?? noCount
}
