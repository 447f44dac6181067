import * as z from 'zod/mini'
import type { previewAssignment } from '#contract/assignments.ts'
import type { ParsedBody } from '#contract/endpoint.ts'
import { applyAllRules } from '../../directory/people/rule-members.ts'
import { requireRow, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { reached, requireKnown } from '../../transmissions/audience.ts'
import { requireVideo } from '../../transmissions/create.ts'

const Preview = z.object({ people: z.number(), done: z.number(), withoutMail: z.number() })

/** Who has seen enough of the video since the day that counts is done at once; without one everybody begins anew. */
export async function preview(
  tx: Tx,
  { orgId, body }: { orgId: string; body: ParsedBody<typeof previewAssignment> },
): Promise<z.infer<typeof Preview>> {
  const { audience, videoId, requirement, countsSince } = body
  await requireKnown(tx, { organizationId: orgId, audience })
  await requireVideo(tx, { organizationId: orgId, videoId })
  await applyAllRules(tx, orgId)
  const since = sql`(select ${countsSince}::date::timestamp at time zone z.time_zone from organizations z where z.id = ${orgId})`
  const isDone = sql`exists (select from (select range_agg(p.coverage) as seen, max(p.theta * p.duration_ms) as needed from play_sessions p
      where p.user_id = r.id and p.video_id = ${videoId} and p.started_at >= ${since}
        and p.version_id = (select v.current_version_id from videos v where v.id = ${videoId})) s
      where (select sum(upper(x) - lower(x)) from unnest(s.seen) x) >= s.needed)
    and (${requirement} = 'watched' or exists (select from quiz_attempts q where q.user_id = r.id and q.video_id = ${videoId} and q.passed
      and q.completed_at >= ${since}))`
  return requireRow(
    tx,
    Preview,
    sql`select count(*)::int as people, (count(*) filter (where ${isDone}))::int as done,
        (count(*) filter (where r.reason in ('no_address', 'suppressed')))::int as "withoutMail"
      from (${reached({ organizationId: orgId, audience })}) r where r.reason is distinct from 'inactive'`,
  )
}
