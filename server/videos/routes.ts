import type { AuditAction } from '#contract/platform/audit-actions.ts'
import type { FastifyInstance } from 'fastify'
import {
  createVideo,
  deleteVideo,
  listVideos,
  passingFailures,
  readUpload,
  readVideo,
  retryVideo,
  searchVideos,
  updateVideo,
} from '#contract/videos/videos.ts'
import { listVideoTags } from '#contract/videos/tags.ts'
import { replaceVideo } from '#contract/videos/replacements.ts'
import type { Tx } from '../platform/db/client.ts'
import { refuse } from '../platform/errors.ts'
import { audit } from '../platform/http/audit.ts'
import { requireUnchanged, type Mount } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import type { Serving } from '../tracking/served/served.ts'
import { recordOperation } from '../operations/begin.ts'
import { organizationToCreateIn } from '../directory/organizations/queries.ts'
import { removeVideos } from './bulk/removal.ts'
import { videoBulkRoutes } from './bulk/routes.ts'
import { chapterRoutes } from './chapters/routes.ts'
import { captionsRoutes } from './captions/routes.ts'
import { momentsOf } from './captions/said.ts'
import { speechModelRoutes } from './speech/model-routes.ts'
import { speechRoutes } from './speech/routes.ts'
import { exportRoutes } from './export.ts'
import { mediaRoutes } from './media-routes.ts'
import { readUploadOf } from './uploads/known.ts'
import { isProjectOf } from './project-queries.ts'
import { projectsRoutes } from './project-routes.ts'
import { posterRoutes } from './posters/routes.ts'
import * as queries from './queries.ts'
import { spelledAlike, tagsOf } from './tags.ts'
import { uploadRoutes } from './uploads/routes.ts'

export function videosRoutes(app: FastifyInstance, mount: Mount, services: Serving): void {
  uploadRoutes(app, services)
  mediaRoutes(app, services)
  projectsRoutes(mount)
  readRoutes(mount, services)
  exportRoutes(mount, services)
  videoBulkRoutes(mount, services)
  captionsRoutes(mount, services)
  speechModelRoutes(mount, services)
  speechRoutes(mount, services)
  writeRoutes(mount, services)
  chapterRoutes(mount)
  posterRoutes(mount, services)
}

function readRoutes(mount: Mount, { keys }: Services): void {
  mount(listVideos, ({ tx, query, request }) => queries.listVideos(tx, query, { query, request, keys }))
  mount(searchVideos, async ({ tx, query, caller, request }) => {
    // With its organization named, an index finds what is said in it alone.
    const filter = { ...query, organizationId: query.organizationId ?? caller.organizationId ?? undefined }
    const page = await queries.listVideos(tx, filter, { query, request, keys })
    const videoIds = page.items.map(({ id }) => id)
    const moments = await momentsOf(tx, { videoIds, words: query.keyword })
    return {
      ...page,
      items: page.items.map((one) => Object.assign(one, { moments: moments.get(one.id) ?? [] })),
    }
  })
  mount(listVideoTags, async ({ tx, query, caller }) => ({
    items: await tagsOf(tx, caller.organizationId ?? query.organizationId),
  }))
  mount(readUpload, ({ tx, params }) => readUploadOf(tx, params.videoId))
  mount(readVideo, ({ tx, params }) => queries.readVideo(tx, params.videoId, keys))
}

function writeRoutes(mount: Mount, { keys, jobs }: Services): void {
  mount(createVideo, async ({ tx, body, caller, request }) => {
    const { title, fileName, size, projectId = null } = body
    const organizationId = await organizationToCreateIn(tx, caller, body.organizationId)
    await requireProject(tx, organizationId, projectId)
    const createdBy = caller.userId
    const id = await queries.insertVideo(tx, { organizationId, projectId, title, fileName, size, createdBy })
    const entry = { organizationId, action: 'video.create' as const, entity: 'video', entityId: id }
    await audit(tx, { caller, request }, { ...entry, after: { title, fileName, size, projectId } })
    const video = await queries.readVideo(tx, id, keys)
    if (video.uploadUrl === null) throw refuse('not_found')
    return { video, uploadUrl: video.uploadUrl }
  })

  mount(updateVideo, async ({ tx, params, body, caller, request }) => {
    const before = await queries.lockVideo(tx, params.videoId)
    requireUnchanged(request, new Date(before.updatedAt))
    const { title, description = before.description, projectId = before.projectId } = body
    const tags = body.tags ? await spelledAlike(tx, before.organizationId, body.tags) : before.tags
    const after = { title, description, tags, projectId, privacy: body.privacy ?? before.privacy }
    await requireProject(tx, before.organizationId, projectId)
    await queries.changeVideo(tx, { id: before.id, ...after })
    await audit(tx, { caller, request }, { ...entryOf(before, 'video.update'), before, after })
    return queries.readVideo(tx, before.id, keys)
  })

  mount(replaceVideo, async ({ tx, params, body, caller, request }) => {
    const video = await queries.lockVideo(tx, params.videoId)
    if (video.state !== 'ready') throw refuse('conflict', { reason: { code: 'video_not_ready' } })
    const versionId = await queries.insertVersion(tx, video, body)
    await audit(tx, { caller, request }, { ...entryOf(video, 'video.replace'), after: body })
    return { uploadUrl: `${queries.uploadPath}/${versionId}` }
  })

  mount(retryVideo, async ({ tx, params, body: { acceptIncomplete }, caller, request }) => {
    const video = await queries.lockVideo(tx, params.videoId)
    const versionId = await queries.retryableVersion(tx, video.id)
    if (versionId === undefined || !mayHelp(video, acceptIncomplete))
      throw refuse('conflict', { reason: { code: 'retry_helps_not' } })
    await queries.markProcessing(tx, { videoId: video.id, versionId, acceptIncomplete })
    await jobs.send(tx, 'video.probe', {
      organizationId: video.organizationId,
      videoId: video.id,
      versionId,
    })
    await audit(tx, { caller, request }, { ...entryOf(video, 'video.retry'), after: { acceptIncomplete } })
    return queries.readVideo(tx, video.id, keys)
  })

  mount(deleteVideo, async ({ tx, params, caller, request }) => {
    const before = await queries.lockVideo(tx, params.videoId)
    const gone = await removeVideos(tx, [before])
    await audit(tx, { caller, request }, { ...entryOf(before, 'video.delete'), before })
    if (before.state === 'uploading') return { operationId: null }
    const operationId = await recordOperation(
      { tx, caller, request },
      {
        organizationId: before.organizationId,
        kind: 'videos.remove',
        entity: 'video',
        entityId: before.id,
        label: before.title,
        outcome: 'removed',
        before: {},
        after: gone.get(before.id),
      },
    )
    return { operationId }
  })
}

function mayHelp({ failure }: queries.LockedVideo, acceptIncomplete: boolean): boolean {
  return acceptIncomplete ? failure === 'cut_off' : failure !== null && passingFailures.includes(failure)
}

function entryOf(video: queries.LockedVideo, action: AuditAction) {
  return { organizationId: video.organizationId, action, entity: 'video', entityId: video.id }
}

async function requireProject(tx: Tx, organizationId: string, projectId: string | null): Promise<void> {
  if (projectId !== null && !(await isProjectOf(tx, organizationId, projectId)))
    throw refuse('validation_failed', { fields: { projectId: ['not_found'] } })
}
