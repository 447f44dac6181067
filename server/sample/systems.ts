import { hasRow } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { Services } from '../platform/http/services.ts'
import { webhookPurpose } from '../webhooks/settings.ts'
import { newSecret } from '../webhooks/signature.ts'

type Place = { services: Services; organizationId: string }

/** An HR system that was told of what happened last, but for one event that it refused. Nobody is there: what happens from now on waits. */
export async function tellSystems({ services: { db, keys }, organizationId }: Place): Promise<void> {
  await db.as({ organizationId }, async (tx) => {
    if (await hasRow(tx, sql`select from event_addresses where organization_id = ${organizationId} limit 1`))
      return
    const id = crypto.randomUUID()
    const sealed = keys.seal(webhookPurpose, newSecret(), id)
    await tx.execute(
      sql`insert into event_addresses (id, organization_id, url, types, secret_sealed, created_at)
        values (${id}, ${organizationId}, 'https://hr.northwind.example/training-events',
          '{person.created,person.left,video.completed,certificate.issued,assignment.done}', ${sealed}, now() - interval '40 days')`,
    )
    await tx.execute(
      sql`with seen as (select w.user_id, w.video_id, w.completed_at, row_number() over (order by w.completed_at desc) as n from viewer_videos w
          where w.organization_id = ${organizationId} and w.user_id is not null and w.completed_at is not null
          order by w.completed_at desc limit 40),
        told as (insert into events (organization_id, type, subject, at, data, due_at, sorted_at)
          select ${organizationId}, 'video.completed', user_id, completed_at, jsonb_build_object(
              'person', event_person(${organizationId}, user_id), 'video', event_video(${organizationId}, video_id),
              'completedAt', event_instant(completed_at)), completed_at, completed_at
          from seen order by n desc returning id, type, subject, at),
        posted as (select t.*, row_number() over (order by t.at desc, t.id) as n from told t)
        insert into event_posts (organization_id, address_id, event_id, subject, type, state, queued_at, tries, first_try_at, last_try_at,
            result, status, answer)
          select ${organizationId}, ${id}, id, subject, type, case when n = 30 then 'aside' else 'taken' end, at,
            case when n = 30 then 84 else 1 end, at, case when n = 30 then at + interval '3 days' else at + interval '1 second' end,
            case when n = 30 then 'refused' else 'accepted' end, case when n = 30 then 422 else 200 end,
            case when n = 30 then '{"error":"unknown employee"}' else '{"received":true}' end
          from posted order by at`,
    )
  })
}
