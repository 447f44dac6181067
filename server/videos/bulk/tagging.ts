import * as z from 'zod/mini'
import { VideoAction } from '#contract/videos/record-bulk.ts'
import { tagLimits } from '#contract/videos/tags.ts'
import { rows } from '../../platform/db/client.ts'
import { idsOf } from '../../platform/db/rows.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import type { KindOfOperation, Work } from '../../operations/kinds.ts'
import { applied, entityIds, noteEach, sortOut, undone } from '../../operations/rows.ts'
import { hasTag, isTag } from '../tags.ts'
import { columns, JudgedVideo, lockVideos } from './judge.ts'

/** A tag that videos get, or that is taken from them. Whatever other tags somebody changes meanwhile, an undo leaves alone. */
function taggingOf(kind: 'videos.tag' | 'videos.untag'): KindOfOperation {
  const isGiven = kind === 'videos.tag'
  return {
    kind,

    async apply(work, pending) {
      const asked = VideoAction.parse(work.operation.params.do)
      const tag = tagOf(work)
      const sorted = await lockVideos(work, asked, pending)
      const after = await (isGiven ? give(work, sorted.things, tag) : take(work, sorted.things, tag))
      return applied(sorted, 'changed', ({ id, title, tags }) => ({
        label: title,
        before: { tags },
        after: { tags: after.get(id) ?? tags },
      }))
    },

    async undo(work, done) {
      const { tx, actor, visibility } = work
      const tag = tagOf(work)
      const found = await rows(
        tx,
        JudgedVideo,
        sql`select ${columns}, case when ${actor.role === 'groupadmin'} then 'not_allowed' when v.deleted_at is not null then 'gone'
              when ${hasTag(tag)} is distinct from ${isGiven} then 'changed_since'
              when ${!isGiven} and cardinality(v.tags) >= ${tagLimits.tags}::int then 'too_many_tags' end as "blockedReason"
          from videos v where v.id = any(${entityIds(done)}) and v.organization_id = ${visibility.organizationId} order by v.id for update of v`,
      )
      const { fit, things, others } = sortOut(done, found)
      await (isGiven ? take(work, things, tag) : give(work, things, tag))
      return undone(fit, others)
    },
  }
}

/** As it was spelled when the operation began. */
const tagOf = ({ operation: { params } }: Work): string => String(params.subject)

const Written = z.pick(JudgedVideo, { id: true, tags: true })

const give = (work: Work, things: readonly JudgedVideo[], tag: string) =>
  write(work, things, sql`v.tags || ${tag}::text`)

const take = (work: Work, things: readonly JudgedVideo[], tag: string) =>
  write(
    work,
    things,
    sql`array(select g from unnest(v.tags) with ordinality as o(g, n) where not ${isTag(tag)} order by n)`,
  )

/** What the tags of each of them are now. */
async function write(
  work: Work,
  things: readonly JudgedVideo[],
  tags: SQL,
): Promise<ReadonlyMap<string, string[]>> {
  const written = await rows(
    work.tx,
    Written,
    sql`update videos v set tags = ${tags}, updated_at = now()
      where v.organization_id = ${work.visibility.organizationId} and v.id = any(${idsOf(things)}) returning v.id, v.tags`,
  )
  const after = new Map(written.map(({ id, tags: now }) => [id, now]))
  await noteEach(
    work,
    { action: 'video.update', entity: 'video', things },
    ({ id, title, tags: before }) => ({
      before: { title, tags: before },
      after: { title, tags: after.get(id) ?? before },
    }),
  )
  return after
}

export const taggings = [taggingOf('videos.tag'), taggingOf('videos.untag')]
