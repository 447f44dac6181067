import * as z from 'zod/mini'
import { type explainVisibility, Reason } from '#contract/person/person.ts'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import { requireRow, row, rows, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { called, all, isoText } from '../platform/db/search.ts'
import { refuse } from '../platform/errors.ts'
import { seesGroup, seesUser, type Visibility } from '../platform/http/visibility.ts'
import { blockedReasonOf, subjectOf, type Subject } from './access.ts'
import { hasArrived } from '../deliveries.ts'

type WhyQuery = { visibility: Visibility; userId: string; query: ParsedQuery<typeof explainVisibility> }
type VisibilityAnswer = Reply<typeof explainVisibility>
type Explain = (tx: Tx, subject: Subject, asked: WhyQuery) => Promise<VisibilityAnswer>

const no = (name: string, code: Reason['code']): VisibilityAnswer => ({
  may: false,
  name,
  reasons: [{ code, since: null }],
})

/** Somebody who sees everything of their organization does so by the role alone. */
function byRole({ role, roleSince }: Subject): Reason | undefined {
  return role === 'admin' ? { code: 'role', role, since: roleSince } : undefined
}

const Video = z.object({ title: z.string(), privacy: z.string(), state: z.string() })

const Group = z.object({ name: z.string(), isMember: z.boolean() })

const Other = z.object({ name: z.string() })

const explanations: Record<WhyQuery['query']['about'], Explain> = {
  async user(tx, subject, { visibility, userId, query: { id } }) {
    const other = await requireRow(
      tx,
      Other,
      sql`select u.name from users u where ${all([
        sql`u.organization_id = ${visibility.organizationId} and u.id = ${id} and u.deleted_at is null`,
        seesUser(visibility, sql`u.id`),
      ])}`,
    )
    if (blockedReasonOf(subject) !== null) return no(other.name, 'cannot_enter')
    const role = byRole(subject)
    if (role) return { may: true, name: other.name, reasons: [role] }
    const reasons = await rows(
      tx,
      Reason,
      sql`select 'administers_group_of' as code, json_build_object('id', g.id, 'name', g.name) as group,
          ${isoText(sql`greatest(mine.since, theirs.created_at)`)} as since
        from (${administered(visibility, userId)}) mine
        join group_members theirs on theirs.group_id = mine.group_id and theirs.user_id = ${id}
        join groups g on g.id = mine.group_id order by ${called(sql`g.name`)}`,
    )
    return reasons.length > 0 ? { may: true, name: other.name, reasons } : no(other.name, 'other_groups')
  },

  async group(tx, subject, { visibility, userId, query: { id } }) {
    const group = await requireRow(
      tx,
      Group,
      sql`select g.name, exists (select 1 from group_members m where m.group_id = g.id and m.user_id = ${userId}) as "isMember"
        from groups g where ${all([
          sql`g.organization_id = ${visibility.organizationId} and g.id = ${id} and g.deleted_at is null`,
          seesGroup(visibility, sql`g.id`),
        ])}`,
    )
    if (blockedReasonOf(subject) !== null) return no(group.name, 'cannot_enter')
    const role = byRole(subject)
    if (role) return { may: true, name: group.name, reasons: [role] }
    const reasons = await rows(
      tx,
      Reason,
      sql`select 'administers_group' as code, json_build_object('id', g.id, 'name', g.name) as group,
          ${isoText(sql`mine.since`)} as since
        from (${administered(visibility, userId)}) mine join groups g on g.id = mine.group_id where g.id = ${id}`,
    )
    if (reasons.length > 0) return { may: true, name: group.name, reasons }
    return no(group.name, group.isMember ? 'member_only' : 'other_groups')
  },

  async video(tx, subject, { visibility, userId, query: { id } }) {
    // Groupadmins have no pages of videos, so that there is nothing to be told about one.
    const video = visibility.groupIds
      ? undefined
      : await row(
          tx,
          Video,
          sql`select title, privacy, state from videos
            where organization_id = ${visibility.organizationId} and id = ${id} and deleted_at is null`,
        )
    if (!video) throw refuse('not_found')
    const role = blockedReasonOf(subject) === null ? byRole(subject) : undefined
    const links = await rows(
      tx,
      Reason,
      sql`select 'personal_link' as code, json_build_object('id', t.id, 'subject', message_name(t)) as transmission,
          ${isoText(sql`coalesce(d.accepted_at, d.created_at)`)} as since
        from deliveries d join transmissions t on t.id = d.transmission_id
        where d.user_id = ${userId} and d.organization_id = ${visibility.organizationId} and t.video_id = ${id}
          and ${hasArrived('d')} order by since`,
    )
    const isOpen = video.privacy === 'public' || video.privacy === 'link'
    const open: Reason[] = isOpen ? [{ code: 'open_to_everybody', since: null }] : []
    const watches = video.state === 'archived' ? [] : [...links, ...open]
    const reasons = [...(role ? [role] : []), ...watches]
    if (reasons.length > 0) return { may: true, name: video.title, reasons }
    return no(video.title, video.state === 'archived' ? 'put_away' : 'never_sent')
  },
}

/** Groups that a groupadmin administers, each since when. */
function administered(visibility: Visibility, userId: string) {
  return sql`select m.group_id, coalesce((select l.created_at from membership_log l where l.user_id = m.user_id
      and l.group_id = m.group_id and l.change = 'groupadmin' order by l.created_at desc, l.id desc limit 1), m.created_at) as since
    from group_members m join groups g on g.id = m.group_id and g.deleted_at is null
    join users u on u.id = m.user_id and u.role = 'groupadmin'
    where m.organization_id = ${visibility.organizationId} and m.user_id = ${userId} and m.groupadmin`
}

export async function explain(tx: Tx, asked: WhyQuery): Promise<VisibilityAnswer> {
  const subject = await subjectOf(tx, asked.visibility, asked.userId)
  return explanations[asked.query.about](tx, subject, asked)
}
