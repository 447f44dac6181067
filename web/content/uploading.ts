import type { DetailedError } from 'tus-js-client'
import type { CodedProblem } from '#contract/problem-details.ts'
import { problems } from '#contract/problems.ts'
import { reasonText } from '#contract/reasons.ts'
import {
  createVideo,
  deleteVideo,
  listVideos,
  readUpload,
  readVideo,
  searchVideos,
} from '#contract/videos.ts'
import { call } from '#web/api/client.ts'
import { sentence } from '#web/api/errors.ts'
import { refreshAll } from '#web/api/query.ts'
import { session } from '#web/api/session.ts'
import { formatBytes } from '#web/ui/format.ts'
import { toast } from '#web/ui/toasts.ts'
import { files, isRunning, transfers, uploads, type UploadItem } from './uploadStore.ts'
import { cut, inOneLine } from '#contract/text.ts'

/** What a device offers where a video is chosen. */
export const videoFiles = 'video/*,.mkv,.mts,.m2ts,.avi,.wmv,.flv,.webm'

const atOnce = 2
const chunkSize = 16 * 1024 * 1024
/** Milliseconds between tries; after about twenty minutes without the server a person must press "Resume". */
const retryDelays = [500, 1_000, 2_000, 4_000, 8_000, ...Array.from({ length: 80 }, () => 15_000)]

export type UploadTarget = { organizationId: string | null; projectId: string | null }

/** Announces the chosen files one after the other and sends two at a time. A file whose upload was interrupted goes on where it was. */
export function addFiles(chosen: readonly File[], place: UploadTarget): void {
  for (const file of chosen)
    void add(file, place).catch((error: unknown) => toast.failure(`${file.name}: ${sentence(error)}`))
}

async function add(file: File, place: UploadTarget): Promise<void> {
  for (const begun of interrupted(file, place))
    if ((await wrongWith(begun, file)) === null) return go(begun, file)
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
    state: file.size === 0 ? 'failed' : 'queued',
    problem: file.size === 0 ? 'This file is empty.' : null,
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
  const wrong = await wrongWith(item, file).catch(sentence)
  if (wrong === null) go(item, file)
  else toast.failure(wrong)
}

function go(item: UploadItem, file: File): void {
  files.set(item.key, file)
  uploads.add({ ...item, state: 'queued', problem: null })
  pump()
}

/** A file is known by what is in it, as far as that has arrived: whatever it is called now, and whenever it was copied. */
async function wrongWith({ videoId, fileName, size }: UploadItem, file: File): Promise<string | null> {
  if (file.size !== size)
    return `This is another file: it has ${formatBytes(file.size)}, and “${fileName}” has ${formatBytes(size)}.`
  // A file in place of another is announced when it is chosen, so there is nothing to compare.
  if (videoId === null) return null
  const arrived = await call(readUpload, { params: { videoId } })
  const { endsOf } = await import('./sameFile.ts')
  const { head, tail } = await endsOf(file, arrived.offset)
  if (head === arrived.head && tail === arrived.tail) return null
  return reasonText({ code: 'another_file', params: { chosen: file.name, begun: arrived.fileName } })
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
    const [{ Upload }, url] = await Promise.all([import('tus-js-client'), announced(key)])
    const file = files.get(key)
    if (!file || url === null || uploads.find(key)?.state !== 'sending') return
    const meter = speedometer()
    let isKnown = false
    const upload = new Upload(file, {
      uploadUrl: url,
      chunkSize,
      retryDelays,
      storeFingerprintForResuming: false,
      onBeforeRequest: async (request) => {
        request.setHeader('Authorization', `Bearer ${session.read().token ?? ''}`)
        if (request.getMethod() !== 'PATCH' || isKnown) return
        const { endsOf } = await import('./sameFile.ts')
        const { head, tail } = await endsOf(file, Number(request.getHeader('Upload-Offset')))
        request.setHeader('Upload-Head', head)
        request.setHeader('Upload-Tail', tail)
        request.setHeader('Upload-Name', encodeURIComponent(nameOf(file)))
        isKnown = true
      },
      onShouldRetry: (error) => shouldRetry(key, error),
      onProgress: (sent) => {
        const bytesPerSecond = meter(sent)
        if (bytesPerSecond !== null)
          uploads.patch(key, { sent, bytesPerSecond, state: 'sending', problem: null })
      },
      onSuccess: () => void finished(key),
      onError: (error) => failed(key, anotherFile(error) ?? reasonOf(error)),
    })
    transfers.set(key, upload)
    upload.start()
  } catch (error) {
    failed(key, sentence(error))
  }
}

/** The address of the upload; asked for once, and with the same key when the answer was lost. */
async function announced(key: string): Promise<string | null> {
  const item = uploads.find(key)
  if (!item) return null
  if (item.uploadUrl !== null) return item.uploadUrl
  const { title, fileName, size, projectId, organizationId } = item
  const body = { title, fileName, size, projectId, ...(organizationId ? { organizationId } : {}) }
  const { video, uploadUrl } = await call(createVideo, { body, idempotencyKey: `upload-${key}` })
  uploads.patch(key, { videoId: video.id, uploadUrl })
  void refreshVideos()
  return uploadUrl
}

function statusOf(error: Error | DetailedError): number | undefined {
  return 'originalResponse' in error ? error.originalResponse?.getStatus() : undefined
}

/** What the server says where it holds the beginning of another file; null where it refused for something else. */
function anotherFile(error: Error | DetailedError): string | null {
  try {
    const body = 'originalResponse' in error ? error.originalResponse?.getBody() : undefined
    const { reason } = JSON.parse(body ?? '{}') as Partial<CodedProblem>
    return reason?.code === 'another_file' ? reasonText(reason) : null
  } catch {
    return null
  }
}

function shouldRetry(key: string, error: DetailedError): boolean {
  const status = statusOf(error)
  if (anotherFile(error) !== null) return false
  const passing = status === undefined || status === 0 || status === 409 || status === 423 || status >= 500
  const problem = status === 507 ? problems.storage_full.title : null
  if (passing && transfers.has(key)) uploads.patch(key, { state: 'retrying', bytesPerSecond: 0, problem })
  return passing
}

function reasonOf(error: Error | DetailedError): string {
  switch (statusOf(error)) {
    case 401:
      return 'Your session has ended. Please sign in again and resume.'
    case 404:
      return 'This upload does not exist any more.'
    case 410:
      return 'This upload was not finished within seven days. Please start again.'
    case 413:
      return 'The file is larger than it was at the beginning.'
    case 507:
      return 'The disk of the server is full. Resume when there is room.'
    case undefined:
      return 'The server could not be reached for a long time.'
    default:
      return 'The server refused the upload.'
  }
}

function failed(key: string, problem: string): void {
  transfers.delete(key)
  uploads.patch(key, { state: 'failed', problem, bytesPerSecond: 0 })
  pump()
}

async function finished(key: string): Promise<void> {
  const title = uploads.find(key)?.title ?? ''
  uploads.remove(key)
  toast.success(`“${title}” is uploaded and is now being prepared.`)
  pump()
  await refreshVideos()
}

/** Bytes per second over the last seconds; null when the last answer is too young to be told again. */
function speedometer(): (sent: number) => number | null {
  const seen: { at: number; sent: number }[] = []
  let told = 0
  return (sent) => {
    const at = performance.now()
    if (at - told < 250) return null
    told = at
    seen.push({ at, sent })
    while (seen.length > 2 && at - (seen[0]?.at ?? at) > 6_000) seen.shift()
    const first = seen[0]
    return first && at > first.at ? ((sent - first.sent) / (at - first.at)) * 1_000 : 0
  }
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
