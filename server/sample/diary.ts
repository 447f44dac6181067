import * as z from 'zod/mini'
import type { AuditEntry } from '../platform/http/audit.ts'
import type { Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { browserOf } from './browsers.ts'
import { dice } from './plan.ts'

export const Author = z.object({ id: z.string(), name: z.string() })
export type Author = z.infer<typeof Author>
/** Something that happened in the past; without an author the product did it itself. */
export type PastEntry = AuditEntry & { at: Date; by: Author | null; userAgent?: string }

/** What `audit` would have written then. */
export async function noteAll(tx: Tx, entries: readonly PastEntry[]): Promise<void> {
  const inOrder = entries
    .toSorted((a, b) => a.at.getTime() - b.at.getTime())
    .map(({ by, ...entry }) => Object.assign(entry, { actorId: by?.id, actorName: by?.name }))
  await tx.execute(
    sql`insert into audit (organization_id, actor_id, actor_name, action, entity, entity_id, before, after, ip_prefix, user_agent, at)
      select e."organizationId", e."actorId", e."actorName", e.action, e.entity, e."entityId", e.before, e.after,
        case when e."userAgent" is not null then inet '192.0.2.0/24' end, e."userAgent", e.at
      from jsonb_to_recordset(${JSON.stringify(inOrder)}::jsonb) as e("organizationId" uuid, "actorId" uuid, "actorName" text,
        action text, entity text, "entityId" uuid, before jsonb, after jsonb, "userAgent" text, at timestamptz)`,
  )
}

/** Who made what the organization consists of. */
export async function noteBeginnings(tx: Tx, organizationId: string, by: Author): Promise<void> {
  await tx.execute(
    sql`insert into audit (organization_id, actor_id, actor_name, action, entity, entity_id, after, at)
      select ${organizationId}, ${by.id}, ${by.name}, e.action, e.entity, e.id, e.after, e.at from (
        select 'group.created' as action, 'group' as entity, id, jsonb_build_object('name', name) as after, created_at as at
          from groups where organization_id = ${organizationId}
        union all select 'user.created', 'user', id, jsonb_build_object('name', name, 'email', email, 'role', role), created_at
          from users where organization_id = ${organizationId}
        union all select 'project.create', 'project', id, jsonb_build_object('name', name, 'parentId', parent_id), created_at
          from projects where organization_id = ${organizationId}
        union all select 'video.create', 'video', v.id, jsonb_build_object('title', v.title, 'fileName', n.file_name, 'size', n.size,
            'projectId', v.project_id), v.created_at
          from videos v join video_versions n on n.video_id = v.id where v.organization_id = ${organizationId}
        union all select 'quiz.published', 'video', q.video_id, jsonb_build_object('version', n.number), n.published_at
          from quizzes q join quiz_versions n on n.id = q.current_version_id where q.organization_id = ${organizationId}) e
      order by e.at, e.id`,
  )
}

const day = 86_400_000
const hour = 3_600_000
const weeks = 10

export type Routine = {
  organizationId: string | null
  who: Author
  /** Of the working days, the share on which they use the console. */
  share: number
  seed: number
}

/** Signs in, looks after what was sent, now and then takes a report along, signs out. */
export async function noteRoutine(tx: Tx, { organizationId, who, share, seed }: Routine): Promise<void> {
  const roll = dice(seed + 501)
  const userAgent = browserOf(seed, () => 0)
  const entries: PastEntry[] = []
  for (let ago = weeks * 7; ago > 0; ago -= 1) {
    const midnight = Math.floor(Date.now() / day - ago) * day
    if ([0, 6].includes(new Date(midnight).getUTCDay()) || roll() > share) continue
    const arrival = midnight + 6 * hour + roll() * 3 * hour
    const about = { organizationId, by: who, userAgent }
    const own = { ...about, entity: 'user', entityId: who.id }
    const password = { ...own, after: { factor: 'password' } }
    const at = (hours: number) => new Date(Math.round(arrival + hours * hour))
    if (roll() < 0.08) entries.push({ ...password, by: null, action: 'auth.sign_in_failed', at: at(-0.02) })
    entries.push({ ...password, action: 'auth.sign_in', at: at(0) })
    if (organizationId !== null && roll() < 0.2)
      entries.push({ ...about, ...exported(organizationId, roll), at: at(0.2 + roll()) })
    if (roll() < 0.6) entries.push({ ...own, action: 'auth.sign_out', at: at(2 + roll() * 6) })
  }
  await noteAll(tx, entries)
  await tx.execute(
    sql`update users set last_seen_at = (select max(at) from audit where actor_id = ${who.id}) where id = ${who.id}`,
  )
}

function exported(
  organizationId: string,
  roll: () => number,
): Pick<PastEntry, 'action' | 'entity' | 'entityId' | 'after'> {
  const about = { entity: 'organization', entityId: organizationId }
  return roll() < 0.5
    ? { ...about, action: 'training.exported', after: { format: 'xlsx' } }
    : { ...about, action: 'report.exported', after: { report: 'user-engagement', format: 'pdf' } }
}
