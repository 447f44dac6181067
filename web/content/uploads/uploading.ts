import { deleteVideo, listVideos, readVideo, searchVideos } from '#contract/videos/videos.ts'
import { call } from '#web/api/client.ts'
import { sentence } from '#web/api/errors.ts'
import { refreshAll } from '#web/api/query.ts'
import { toast } from '#web/ui/feedback/toasts.ts'
import { files, isRunning, transfers, uploads, type UploadItem } from './uploadStore.ts'
import { cut, inOneLine } from '#contract/platform/text/text.ts'

/** What a device offers where a video is chosen: the kinds that are taken, by their types and, for those that have none, their names. */
export const videoFiles =
  'video/mp4,video/quicktime,video/webm,video/x-matroska,video/mp2t,video/3gpp,.mp4,.m4v,.mov,.webm,.mkv,.ts,.mts,.m2ts,.3gp'

const atOnce = 2
export type UploadTarget = { organizationId: string | null; projectId: string | null }

/** Announces the chosen files one after the other and sends two at a time. A file whose upload was interrupted goes on where it was. */
export function addFiles(chosen: readonly File[], place: UploadTarget): void {
  for (const file of chosen)
    void add(file, place).catch((error: unknown) => toast.failure(`${file.name}: ${sentence(error)}`))
}

async function add(file: File, place: UploadTarget): Promise<void> {
  for (const begun of interrupted(file, place)) {
    const { wrongWith } = await import('./sameFile.ts')
    // One that is gone meanwhile, or arrived from elsewhere, is none to go on with.
    if ((await wrongWith(begun, file).catch(() => undefined)) === null) return go(begun, file)
  }
  const key = randomKey()
  files.set(key, file)
  uploads.add({
    key,
    title: titleOf(file.name),
    fileName: nameOf(file),
    size: file.size,
    ...place,
    videoId: null,
    uploadUrl: null,
    sent: 0,
    bytesPerSecond: 0,
    state: 'queued',
    problem: null,
  })
  pump()
}

/** Those of which a part has arrived, so that it can be told whether they are of this file. */
function interrupted({ size }: File, { organizationId }: UploadTarget): UploadItem[] {
  return uploads
    .read()
    .filter(
      (item) =>
        item.state === 'interrupted' &&
        item.organizationId === organizationId &&
        item.size === size &&
        item.sent > 0 &&
        item.videoId !== null,
    )
}

/** The same file again, after a reload or on another computer; another one is refused in words. */
export async function continueWith(item: UploadItem, file: File): Promise<void> {
  try {
    const { wrongWith } = await import('./sameFile.ts')
    const wrong = await wrongWith(item, file)
    if (wrong === null) go(item, file)
    else toast.failure(wrong)
  } catch (error) {
    toast.failure(sentence(error))
  }
}

function go(item: UploadItem, file: File): void {
  files.set(item.key, file)
  uploads.add({ ...item, state: 'queued', problem: null })
  pump()
}

export function pause(key: string): void {
  void transfers.get(key)?.abort()
  transfers.delete(key)
  uploads.patch(key, { state: 'paused', bytesPerSecond: 0 })
  pump()
}

export function resume(key: string): void {
  if (!files.has(key)) return
  uploads.patch(key, { state: 'queued', problem: null })
  pump()
}

/** Gives an upload up; what was sent is removed from the server. */
export async function cancel({ key, videoId }: UploadItem): Promise<void> {
  await transfers.get(key)?.abort()
  if (videoId !== null) await call(deleteVideo, { params: { videoId } }).catch(() => undefined)
  uploads.remove(key)
  await refreshVideos()
  pump()
}

const refreshVideos = (): Promise<void> => refreshAll([listVideos, searchVideos, readVideo])

function pump(): void {
  const running = uploads.read().filter(({ state }) => state === 'sending' || state === 'retrying').length
  const waiting = uploads.read().filter(({ state, key }) => state === 'queued' && files.has(key))
  for (const item of waiting.slice(0, Math.max(0, atOnce - running))) {
    uploads.patch(item.key, { state: 'sending' })
    void send(item.key)
  }
}

async function send(key: string): Promise<void> {
  try {
    const { transfer } = await import('./transfer.ts')
    await transfer(key, () => void refreshVideos())
  } catch (error) {
    uploads.patch(key, { state: 'failed', problem: sentence(error), bytesPerSecond: 0 })
  }
  pump()
}

/** As the server keeps it. */
export const nameOf = ({ name }: File): string => cut(inOneLine(name), 500)

function titleOf(fileName: string): string {
  const bare = fileName
    .replace(/\.[^.]{1,5}$/, '')
    .replaceAll(/[_\s]+/g, ' ')
    .trim()
  return cut(inOneLine(bare || fileName), 200)
}

function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

addEventListener('beforeunload', (event) => {
  if (uploads.read().some(isRunning)) event.preventDefault()
})
addEventListener('online', () => {
  for (const { key, state } of uploads.read()) if (state === 'retrying') restart(key)
})

/** The network is back: no need to wait for the next try. */
function restart(key: string): void {
  void transfers.get(key)?.abort()
  transfers.delete(key)
  uploads.patch(key, { state: 'queued' })
  pump()
}
