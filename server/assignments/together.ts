import * as z from 'zod/mini'
import type { obligationMessages } from '#contract/assignments/assignments.ts'
import { Reminders } from '#contract/duty/reminders.ts'
import { isFree } from '../platform/aside.ts'
import { isoText } from '../platform/db/search.ts'
import { sql, type SQL } from '../platform/db/sql.ts'

/** Somebody who owes one video by several assignments gets one mail, which names all of their days. */
export const Alike = z.object({
  id: z.string(),
  assignmentId: z.string(),
  cycle: z.number(),
  messages: z.number(),
  since: z.string(),
  dueAt: z.nullable(z.string()),
  dueDay: z.nullable(z.string()),
  reminders: Reminders,
})
export type Alike = z.infer<typeof Alike>

type Sender = { channel: string | null; isOneOfMany: boolean }

/**
 * Returns expressions on `obligations o`, for `organizations z`. `leadDay` is the day on which an assignment that is due earlier plans its
 * next mail; null means that this one plans its own. `alike` is what else its person owes of its video and is told in the same way.
 */
export function togetherWith({ channel, isOneOfMany }: Sender): { leadDay: SQL; alike: SQL } {
  if (!isOneOfMany) return { leadDay: sql`null`, alike: sql`'[]'::json` }
  const others = sql`obligations l join assignments b on b.id = l.assignment_id and b.state = 'active'
      and b.audience->>'channel' is not distinct from ${channel}
    where l.video_id = o.video_id and l.user_id = o.user_id and l.organization_id = o.organization_id and l.state = 'open'
      and l.assignment_id <> o.assignment_id`
  return {
    leadDay: sql`(select min(l.next_message_on) from ${others} and ${isFree('assignment_messages', sql`b.id::text`)}
      and (coalesce(l.due_at, 'infinity'), l.id) < (coalesce(o.due_at, 'infinity'), o.id))`,
    alike: sql`(select coalesce(json_agg(json_build_object('id', l.id, 'assignmentId', b.id, 'cycle', l.cycle, 'messages', l.messages,
        'since', (l.since at time zone z.time_zone)::date, 'dueAt', ${isoText(sql`l.due_at`)},
        'dueDay', (l.due_at at time zone z.time_zone)::date, 'reminders', b.reminders) order by l.due_at, l.id), '[]') from ${others})`,
  }
}

type PlanStep = Pick<Alike, 'messages' | 'cycle'>

/** Says which kind the next message of the plan is. */
export const kindOf = ({ messages, cycle }: PlanStep): (typeof obligationMessages)[number] => {
  if (messages > 0) return 'reminder'
  return cycle > 1 ? 'again' : 'first'
}
