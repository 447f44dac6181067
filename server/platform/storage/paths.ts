import path from 'node:path'
import * as z from 'zod/mini'

/** One version of one video: what every file belongs to. */
export const VersionKey = z.object({ organizationId: z.string(), videoId: z.string(), versionId: z.string() })
export type VersionKey = z.infer<typeof VersionKey>

const id = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const segment = /^[\w-]+(\.[\w-]+)*$/

/** Ids become folder names, so nothing else may pass. */
export function safeId(value: string): string {
  if (!id.test(value)) throw new Error('not an id')
  return value.toLowerCase()
}

/** A relative name of plain segments; undefined for everything that could leave its folder. */
export function safeName(name: string): string | undefined {
  return name.length <= 200 && name.split('/').every((part) => segment.test(part)) ? name : undefined
}

/** Where things lie below the data directory. Everything is on one file system, so that renames are atomic. */
export function layout(root: string) {
  const ofVideo = (kind: string, organizationId: string, videoId: string) =>
    path.join(root, kind, safeId(organizationId), safeId(videoId))
  return {
    uploads: path.join(root, 'uploads'),
    upload: (versionId: string) => path.join(root, 'uploads', safeId(versionId)),
    sources: path.join(root, 'sources'),
    sourcesOf: (organizationId: string, videoId: string) => ofVideo('sources', organizationId, videoId),
    source: (key: VersionKey) =>
      path.join(ofVideo('sources', key.organizationId, key.videoId), safeId(key.versionId)),
    media: path.join(root, 'media'),
    mediaOfVideo: (organizationId: string, videoId: string) => ofVideo('media', organizationId, videoId),
    mediaOf: (key: VersionKey) =>
      path.join(ofVideo('media', key.organizationId, key.videoId), safeId(key.versionId)),
    scratch: path.join(root, 'scratch'),
  }
}
