import * as z from 'zod/mini'
import { arrayOf, requireRow, type Tx } from '#server/platform/db/client.ts'
import { sql } from '#server/platform/db/sql.ts'
import { all } from '#server/platform/db/search.ts'
import { seesUser, type Visibility } from '#server/platform/http/visibility.ts'
import { viewerKeysOf } from '../../tracking/ingest/token.ts'

/** This is a person whom the reader sees, with the keys under which their viewing is kept. What somebody watched stays when they leave. */
const SubjectRow = z.object({
  id: z.string(),
  name: z.string(),
  avatar: z.nullable(z.string()),
  /** It is false for somebody who was removed. */
  exists: z.boolean(),
})
export type Subject = z.infer<typeof SubjectRow> & { keys: string[] }

export const SubjectVideo = z.object({
  id: z.string(),
  title: z.string(),
  exists: z.boolean(),
  currentVersionId: z.nullable(z.string()),
})
export type SubjectVideo = z.infer<typeof SubjectVideo>

/** Refuses somebody whom the reader does not see. */
export async function subjectOf(tx: Tx, visibility: Visibility, userId: string): Promise<Subject> {
  const found = await requireRow(
    tx,
    SubjectRow,
    sql`select u.id, u.name, u.avatar, u.deleted_at is null as exists from users u where ${all([
      sql`u.organization_id = ${visibility.organizationId} and u.id = ${userId}`,
      visibility.groupIds && sql`u.deleted_at is null`,
      seesUser(visibility, sql`u.id`),
    ])}`,
  )
  return { ...found, keys: viewerKeysOf(found.id) }
}

/**
 * Finds a video of the organization. A groupadmin has no pages of videos: one that was neither sent to this person nor watched by them does
 * not exist for such a reader.
 */
export async function videoFor(
  tx: Tx,
  { visibility, subject, videoId }: { visibility: Visibility; subject: Subject; videoId: string },
): Promise<SubjectVideo> {
  const keys = arrayOf(subject.keys, 'text')
  const isRelated = sql`(exists (select from deliveries d join transmissions t on t.id = d.transmission_id
        where d.user_id = ${subject.id} and d.organization_id = v.organization_id and t.video_id = v.id)
      or exists (select from play_sessions p where p.video_id = v.id and p.viewer_key = any(${keys}))
      or exists (select from served_parts s where s.video_id = v.id and s.viewer_key = any(${keys})))`
  return requireRow(
    tx,
    SubjectVideo,
    sql`select v.id, v.title, v.deleted_at is null as exists, v.current_version_id as "currentVersionId"
      from videos v where ${all([
        sql`v.organization_id = ${visibility.organizationId} and v.id = ${videoId}`,
        visibility.groupIds && isRelated,
      ])}`,
  )
}
