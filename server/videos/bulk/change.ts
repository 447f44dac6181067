import { VideoAction } from '#contract/videos/record-bulk.ts'
import type { Video } from '#contract/videos/videos.ts'
import { rows } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import type { KindOfOperation, Work } from '../../operations/kinds.ts'
import { applied, noteEach, sortOut, undone } from '../../operations/rows.ts'
import { columns, isProject, lockVideos, JudgedVideo } from './judge.ts'

type Placement = Pick<Video, 'projectId' | 'privacy'>

const placeOf = ({ projectId, privacy }: Placement): Placement => ({ projectId, privacy })

/** Where a video lies, and who may watch it: what it was and what it became stand in its row. */
function changeOf(kind: 'videos.move' | 'videos.change'): KindOfOperation {
  return {
    kind,

    async apply(work, pending) {
      const asked = VideoAction.parse(work.operation.params.do)
      const sorted = await lockVideos(work, asked, pending)
      const afterOf = (one: JudgedVideo): Placement => ({ ...placeOf(one), ...patchOf(asked) })
      await place(
        work,
        sorted.things.map((one) => ({ one, after: afterOf(one) })),
      )
      return applied(sorted, 'changed', (one) => ({
        label: one.title,
        before: placeOf(one),
        after: afterOf(one),
      }))
    },

    async undo(work, done) {
      const { tx, actor, visibility } = work
      const asked = done.map(({ entityId, before, after }) => ({
        id: entityId,
        wasIn: (before as Placement).projectId,
        projectId: (after as Placement).projectId,
        privacy: (after as Placement).privacy,
      }))
      const isSame =
        kind === 'videos.move'
          ? sql`v.project_id is not distinct from r."projectId"`
          : sql`v.privacy = r.privacy`
      const found = await rows(
        tx,
        JudgedVideo,
        sql`select ${columns}, case when ${actor.role === 'groupadmin'} then 'not_allowed' when v.deleted_at is not null then 'gone'
              when not ${isSame} then 'changed_since'
              when ${kind === 'videos.move'} and r."wasIn" is not null and not ${isProject(sql`r."wasIn"`)} then 'project_gone'
            end as "blockedReason"
          from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as r(id uuid, "wasIn" uuid, "projectId" uuid, privacy text)
          join videos v on v.id = r.id
          where v.organization_id = ${visibility.organizationId} order by v.id for update of v`,
      )
      const { fit, others } = sortOut(done, found)
      const patch = (before: Placement) =>
        kind === 'videos.move' ? { projectId: before.projectId } : { privacy: before.privacy }
      await place(
        work,
        fit.map(({ row, one }) => ({ one, after: { ...placeOf(one), ...patch(row.before as Placement) } })),
      )
      return undone(fit, others)
    },
  }
}

function patchOf(asked: VideoAction): Partial<Placement> {
  if (asked.action === 'move') return { projectId: asked.projectId }
  if (asked.action === 'change') return { privacy: asked.privacy }
  throw new Error('another action')
}

async function place(work: Work, wanted: readonly { one: JudgedVideo; after: Placement }[]): Promise<void> {
  const places = wanted.map(({ one, after }) => ({ id: one.id, ...after }))
  await work.tx.execute(
    sql`update videos v set project_id = r."projectId", privacy = r.privacy, updated_at = now()
      from jsonb_to_recordset(${JSON.stringify(places)}::jsonb) as r(id uuid, "projectId" uuid, privacy text)
      where v.organization_id = ${work.visibility.organizationId} and v.id = r.id`,
  )
  const things = wanted.map(({ one, after }) => ({ ...one, next: after }))
  await noteEach(work, { action: 'video.update', entity: 'video', things }, ({ next, title, ...before }) => ({
    before: { title, ...placeOf(before) },
    after: { title, ...next },
  }))
}

export const changes = [changeOf('videos.move'), changeOf('videos.change')]
