import * as z from 'zod/mini'

/** One version of one video: what every file belongs to. */
export const VersionKey = z.object({ organizationId: z.string(), videoId: z.string(), versionId: z.string() })
export type VersionKey = z.infer<typeof VersionKey>

const id = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const segment = /^[\w-]+(\.[\w-]+)*$/
const longestKey = 700

/** Ids become parts of keys, so nothing else may pass. */
export function safeId(value: string): string {
  if (!id.test(value)) throw new Error('not an id')
  return value.toLowerCase()
}

/** A relative name of plain segments; undefined for everything that could leave its folder. */
export function safeName(name: string): string | undefined {
  return name.length <= 200 && name.split('/').every((part) => segment.test(part)) ? name : undefined
}

/** Whether a key can name a file below a folder and an object of a bucket alike. */
export const isKey = (key: string): boolean =>
  key.length <= longestKey && key.split('/').every((part) => segment.test(part))

/** The folders of the files of videos; `uploads` is where unfinished ones lie in a folder. */
export const tops = ['uploads', 'sources', 'media'] as const

const ofVideo = ({ organizationId, videoId }: Pick<VersionKey, 'organizationId' | 'videoId'>) =>
  `${safeId(organizationId)}/${safeId(videoId)}`

/** Models by which speech is recognised lie below. */
export const modelPrefix = 'models/'

/** Whether an unfinished upload of a bucket is of ours: a backup that is being made there has uploads of its own. */
export const isOurUpload = (key: string): boolean => key.startsWith('sources/') || key.startsWith(modelPrefix)

/** Everything that is kept of a video begins with one of these. */
export const prefixesOf = (video: Pick<VersionKey, 'organizationId' | 'videoId'>): string[] =>
  ['sources', 'media'].map((top) => `${top}/${ofVideo(video)}/`)

export const sourceKey = (key: VersionKey): string => `sources/${ofVideo(key)}/${safeId(key.versionId)}`

export const mediaPrefix = (key: VersionKey): string => `media/${ofVideo(key)}/${safeId(key.versionId)}/`

/** The key of one file that was made of a version; undefined for a name that is none. */
export function mediaKey(key: VersionKey, name: string): string | undefined {
  const safe = safeName(name)
  return safe === undefined ? undefined : `${mediaPrefix(key)}${safe}`
}
