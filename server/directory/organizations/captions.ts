import * as z from 'zod/mini'
import { row, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'

/** This gives what an organization, under this alias, asks of the captions of a video. */
export const captionPolicyOf = (o: string): SQL =>
  sql.raw(`coalesce(${o}.policies->>'captionPolicy', 'warn')`)

/** This gives the version of a video, under this alias, that people are sent: the one that plays, or else the newest. */
export const toBeSent = (v: string): SQL =>
  sql.raw(`lateral (select n.* from video_versions n where n.video_id = ${v}.id and n.organization_id = ${v}.organization_id
    order by n.id = ${v}.current_version_id desc nulls last, n.number desc limit 1)`)

/** This gives whether anything is heard in a version, under this alias; null where it was made before that was noted. */
export const hasSound = (x: string): SQL => sql.raw(`(${x}.probe->>'hasSound')::boolean`)

const Bare = z.object({ title: z.string() })

type Sent = {
  organizationId: string
  videoId: string
  /** Whoever sends says why it cannot wait. */
  urgentReason: string | undefined
}

/**
 * Refuses to send or assign a video without captions for an organization that requires them, unless somebody says why it is urgent.
 * Returns what the audit has to know of that: nothing, or the reason.
 */
export async function requireCaptions(
  tx: Tx,
  { organizationId, videoId, urgentReason }: Sent,
): Promise<{ urgentReason?: string }> {
  const bare = await row(
    tx,
    Bare,
    sql`select v.title from videos v join organizations o on o.id = v.organization_id and ${captionPolicyOf('o')} = 'require'
        left join ${toBeSent('v')} x on true
      where v.organization_id = ${organizationId} and v.id = ${videoId} and ${hasSound('x')} is not false
        and not exists (select from captions c where c.version_id = x.id and c.kind = 'captions' and c.cue_count > 0)`,
  )
  if (!bare) return {}
  if (urgentReason === undefined)
    throw refuse('conflict', { reason: { code: 'captions_required', params: { title: bare.title } } })
  return { urgentReason }
}
