import { Upload, type DetailedError } from 'tus-js-client'
import type { CodedProblem } from '#contract/platform/problem-details.ts'
import { problems } from '#contract/problems.ts'
import { reasonText } from '#contract/platform/reasons.ts'
import { createVideo } from '#contract/videos/videos.ts'
import { call } from '#web/api/client.ts'
import { session } from '#web/api/session.ts'
import { toast } from '#web/ui/feedback/toasts.ts'
import { refusalOf } from './refusal.ts'
import { endsOf } from './sameFile.ts'
import { files, transfers, uploads } from './uploadStore.ts'

const chunkSize = 16 * 1024 * 1024
/** Milliseconds between tries; after about twenty minutes without the server a person must press "Resume". */
const retryDelays = [500, 1_000, 2_000, 4_000, 8_000, ...Array.from({ length: 80 }, () => 15_000)]

/** Sends one file, and resolves when it has arrived or was refused for good; throws where it could not even be announced. */
export async function transfer(key: string, onChange: () => void): Promise<void> {
  if (await isRefused(key)) return
  const url = await announced(key, onChange)
  const file = files.get(key)
  if (!file || url === null || uploads.find(key)?.state !== 'sending') return
  const problem = await sent(key, file, url)
  if (problem !== null) {
    transfers.delete(key)
    uploads.patch(key, { state: 'failed', problem, bytesPerSecond: 0 })
    return
  }
  const title = uploads.find(key)?.title ?? ''
  uploads.remove(key)
  toast.success(`“${title}” is uploaded and is now being prepared.`)
  onChange()
}

/** Nothing of a file is announced that its beginning shows not to be taken. */
async function isRefused(key: string): Promise<boolean> {
  const file = files.get(key)
  if (!file || uploads.find(key)?.uploadUrl !== null) return false
  const problem = await refusalOf(file)
  if (problem === null) return false
  files.delete(key)
  uploads.patch(key, { state: 'refused', problem })
  return true
}

/** Why it was refused; null once it has arrived. Never resolves when it is paused: it begins anew then. */
function sent(key: string, file: File, uploadUrl: string): Promise<string | null> {
  const meter = speedometer()
  let isKnown = false
  let arrived = { headBytes: 0, tailBytes: 0 }
  return new Promise((resolve) => {
    const upload = new Upload(file, {
      uploadUrl,
      chunkSize,
      retryDelays,
      storeFingerprintForResuming: false,
      onBeforeRequest: async (request) => {
        request.setHeader('Authorization', `Bearer ${session.read().token ?? ''}`)
        if (request.getMethod() !== 'PATCH' || isKnown) return
        const offset = Number(request.getHeader('Upload-Offset'))
        const { head, tail } = await endsOf(file, { offset, ...arrived })
        request.setHeader('Upload-Head', head)
        request.setHeader('Upload-Tail', tail)
        request.setHeader('Upload-Name', encodeURIComponent(file.name.toWellFormed()))
        isKnown = true
      },
      onAfterResponse: (request, response) => {
        const bytes = (end: string) => Number(response.getHeader(`Upload-${end}-Bytes`) ?? 0)
        if (request.getMethod() === 'HEAD') arrived = { headBytes: bytes('Head'), tailBytes: bytes('Tail') }
      },
      onShouldRetry: (error) => shouldRetry(key, error),
      onProgress: (bytes) => {
        const bytesPerSecond = meter(bytes)
        if (bytesPerSecond !== null)
          uploads.patch(key, { sent: bytes, bytesPerSecond, state: 'sending', problem: null })
      },
      onSuccess: () => resolve(null),
      onError: (error) => resolve(anotherFile(error) ?? reasonOf(error)),
    })
    transfers.set(key, upload)
    upload.start()
  })
}

/** The address of the upload; asked for once, and with the same key when the answer was lost. */
async function announced(key: string, onChange: () => void): Promise<string | null> {
  const item = uploads.find(key)
  if (!item) return null
  if (item.uploadUrl !== null) return item.uploadUrl
  const { title, fileName, size, projectId, organizationId } = item
  const body = { title, fileName, size, projectId, ...(organizationId ? { organizationId } : {}) }
  const { video, uploadUrl } = await call(createVideo, { body, idempotencyKey: `upload-${key}` })
  uploads.patch(key, { videoId: video.id, uploadUrl })
  onChange()
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

/** Bytes per second over the last seconds; null when the last answer is too young to be told again. */
function speedometer(): (sent: number) => number | null {
  const seen: { at: number; sent: number }[] = []
  let reportedAt = 0
  return (sent) => {
    const at = performance.now()
    if (at - reportedAt < 250) return null
    reportedAt = at
    seen.push({ at, sent })
    while (seen.length > 2 && at - (seen[0]?.at ?? at) > 6_000) seen.shift()
    const first = seen[0]
    return first && at > first.at ? ((sent - first.sent) / (at - first.at)) * 1_000 : 0
  }
}
