import type { Upload } from 'tus-js-client'
import type { Video } from '#contract/videos/videos.ts'
import { session } from '#web/api/session.ts'
import { storage } from '#web/ui/browser/storage.ts'
import { openStore } from '#web/ui/browser/store.ts'

/**
 * `queued`: waits for its turn. `retrying`: the network or the server is away, it goes on by itself. `interrupted`: the page was
 * reloaded, and the file must be chosen again. `refused`: the file is not taken, and another try would end the same.
 */
type UploadState = 'queued' | 'sending' | 'retrying' | 'paused' | 'interrupted' | 'failed' | 'refused'

export type UploadItem = {
  key: string
  title: string
  fileName: string
  size: number
  organizationId: string | null
  projectId: string | null
  /** Null until the server knows of it. */
  videoId: string | null
  uploadUrl: string | null
  sent: number
  bytesPerSecond: number
  state: UploadState
  problem: string | null
}

/** What cannot be kept in storage: the file and its running transfer. */
export const files = new Map<string, File>()
export const transfers = new Map<string, Upload>()

const store = openStore<readonly UploadItem[]>(() => [])
let owner = ''

function storageKey(): string {
  return `sendreel:uploads:${owner}`
}

function set(items: readonly UploadItem[]): void {
  store.set(items)
  // Who has signed out wants nothing to stay behind, and whose session has ended by itself comes back to what is there.
  if (session.read().user?.id !== owner) return
  const resumable = items.filter(({ uploadUrl }) => uploadUrl !== null)
  if (resumable.length > 0) storage.write(storageKey(), JSON.stringify(resumable))
  else storage.remove(storageKey())
}

function storedUploads(): UploadItem[] {
  try {
    const found: unknown = JSON.parse(storage.read(storageKey()) ?? '[]')
    // Only `set` writes this key.
    return Array.isArray(found) ? (found as UploadItem[]) : []
  } catch {
    return []
  }
}

/** Uploads of this browser, outside of any page, so that they go on while one moves inside the console. */
export const uploads = {
  read: store.read,
  find: (key: string): UploadItem | undefined => store.read().find((item) => item.key === key),
  subscribe: store.subscribe,
  /** Brings back what this person left unfinished in this browser. */
  follow(userId: string): void {
    if (owner === userId) return
    owner = userId
    set(storedUploads().map((item) => Object.assign(item, { state: 'interrupted', bytesPerSecond: 0 })))
  },
  add: (item: UploadItem): void => set([...store.read().filter(({ key }) => key !== item.key), item]),
  patch: (key: string, change: Partial<UploadItem>): void =>
    set(store.read().map((item) => (item.key === key ? Object.assign({}, item, change) : item))),
  remove(key: string): void {
    files.delete(key)
    transfers.delete(key)
    set(store.read().filter((item) => item.key !== key))
  },
}

export function isRunning({ state }: UploadItem): boolean {
  return state === 'queued' || state === 'sending' || state === 'retrying'
}

/** An upload that was begun elsewhere: another browser, another computer. */
export function itemOf(video: Video): UploadItem {
  return {
    key: video.id,
    title: video.title,
    fileName: video.fileName ?? '',
    size: video.size ?? 0,
    organizationId: video.organizationId,
    projectId: video.projectId,
    videoId: video.id,
    uploadUrl: video.uploadUrl,
    sent: video.uploadedBytes ?? 0,
    bytesPerSecond: 0,
    state: 'interrupted',
    problem: null,
  }
}
