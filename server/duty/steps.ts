import * as z from 'zod/mini'
import { mostSteps } from '#contract/assignments/assignments.ts'
import { sql, type SQL } from '../platform/db/sql.ts'

/** `step` is the place of a video in its path, 1 for the first, and `of` is the number of videos in the path. */
export const Step = z.object({ step: z.number(), of: z.number() })
export type Step = z.infer<typeof Step>

/** Mails and pages take these numbers as texts. */
export const inWords = ({ step, of }: Step) => ({ step: String(step), of: String(of) })

/**
 * This expression gives the place of an assignment in its path, as `Step`, or null where it stands alone. An assignment that nobody has
 * started is no part of a path.
 */
export const stepOf = (assignmentId: SQL): SQL => sql`(with recursive
    up (id, organization_id, waits_for, n) as (select a.id, a.organization_id, a.waits_for, 1 from assignments a where a.id = ${assignmentId}
      union all select e.id, e.organization_id, e.waits_for, up.n + 1 from up
        join assignments e on e.id = up.waits_for and e.organization_id = up.organization_id where up.n < ${mostSteps}),
    down (id, organization_id, n) as (select a.id, a.organization_id, 0 from assignments a where a.id = ${assignmentId}
      union all select e.id, e.organization_id, down.n + 1 from down
        join assignments e on e.waits_for = down.id and e.organization_id = down.organization_id and e.state in ('active', 'paused')
        where down.n < ${mostSteps})
  select json_build_object('step', u.n, 'of', u.n + d.n) from (select max(n) as n from up) u, (select max(n) as n from down) d where u.n + d.n > 1)`

/**
 * This expression gives the title of the video that comes next for the person of `deliveries d` in the path of `transmissions t`, or null
 * where none does. They owe that video already, or will as soon as the planner has looked.
 */
export const nextOf = sql`(select v.title from assignments a join assignments b on b.waits_for = a.id and b.organization_id = a.organization_id
    and b.state = 'active' join videos v on v.id = b.video_id and v.deleted_at is null
  where a.id = t.assignment_id and a.organization_id = t.organization_id and (b.audience = a.audience
      or exists (select from obligations n where n.assignment_id = b.id and n.user_id = d.user_id and n.state = 'open'))
    and not exists (select from obligations n where n.assignment_id = b.id and n.user_id = d.user_id and n.state <> 'open')
  order by b.created_at, b.id limit 1)`
