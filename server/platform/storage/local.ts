import { createReadStream } from 'node:fs'
import { mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { toTheEnd } from '../failures.ts'
import { layout, safeId, safeName, type VersionKey } from './paths.ts'
import { isOpenToOthers, makePrivate, makePrivateFolder, makeTreePrivate } from './private.ts'

export type MediaFile = {
  size: number
  modifiedAt: Date
  /** Bytes from `start` to `end`, both included; the stream tells how many it has read. */
  read(range?: { start: number; end: number }): Readable & { bytesRead: number }
}

/**
 * Files of videos. Uploads and scratch are folders of this machine, because bytes arrive and are worked on as files; sources and
 * media are only reached through functions, so that they may lie elsewhere.
 */
export type Storage = {
  /** Folder of unfinished uploads, one file per version id. */
  uploads: string
  /** Bytes of an unfinished upload; undefined without a file. */
  uploadSize(versionId: string): Promise<number | undefined>
  /** Makes an empty file when there is none. */
  beginUpload(versionId: string): Promise<void>
  dropUpload(versionId: string): Promise<void>
  /** Version ids with an unfinished upload, with the instant of the last byte. */
  listUploads(): Promise<{ versionId: string; modifiedAt: Date }[]>
  /** Turns a complete upload into the source; harmless when it has become so already. */
  keepSource(key: VersionKey): Promise<void>
  hasSource(key: VersionKey): Promise<boolean>
  /** A file of this machine with the source. */
  source(key: VersionKey): Promise<string>
  /** A fresh folder of this process for the work on a version; whoever asks removes it. */
  scratch(versionId: string): Promise<string>
  /** Removes the scratch of processes of this machine that are gone; answers the versions that they worked on. */
  sweepScratch(): Promise<string[]>
  /** Moves a finished folder to its place at once; what was there before is replaced. */
  publish(key: VersionKey, folder: string): Promise<void>
  media(key: VersionKey, name: string): Promise<MediaFile | undefined>
  /** Videos that have files. */
  listVideos(): Promise<{ organizationId: string; videoId: string }[]>
  removeVideo(organizationId: string, videoId: string): Promise<void>
  /** Closes what is kept here to all other users of the machine, where an earlier version has left it open. */
  closeToOthers(): Promise<void>
}

export function localStorage(dataDir: string): Storage {
  const at = layout(dataDir)
  return {
    uploads: at.uploads,
    ...uploadsIn(at),
    ...scratchIn(at.scratch),
    async hasSource(key) {
      return (await statOf(at.source(key))) !== undefined
    },
    async source(key) {
      return at.source(key)
    },
    async publish(key, folder) {
      const target = at.mediaOf(key)
      await makePrivateFolder(path.dirname(target))
      await rm(target, { recursive: true, force: true })
      await makeTreePrivate(folder)
      await rename(folder, target)
      await syncFolder(path.dirname(target))
    },
    async media(key, name) {
      const safe = safeName(name)
      return safe === undefined ? undefined : fileAt(path.join(at.mediaOf(key), safe))
    },
    async listVideos() {
      const found = await Promise.all([at.sources, at.media].map(videosIn))
      const byId = new Map(found.flat().map((video) => [video.videoId, video]))
      return [...byId.values()]
    },
    async removeVideo(organizationId, videoId) {
      for (const folder of [at.sourcesOf(organizationId, videoId), at.mediaOfVideo(organizationId, videoId)])
        await rm(folder, { recursive: true, force: true })
    },
    async closeToOthers() {
      await toTheEnd(
        [at.uploads, at.sources, at.media, at.scratch].map((folder) => async () => {
          if (await isOpenToOthers(folder)) await makeTreePrivate(folder)
        }),
      )
    },
  }
}

type Layout = ReturnType<typeof layout>

function uploadsIn(
  at: Layout,
): Pick<Storage, 'uploadSize' | 'beginUpload' | 'dropUpload' | 'listUploads' | 'keepSource'> {
  return {
    async uploadSize(versionId) {
      return (await statOf(at.upload(versionId)))?.size
    },
    async beginUpload(versionId) {
      await makePrivateFolder(at.uploads)
      await (await open(at.upload(versionId), 'a', 0o600)).close()
    },
    async dropUpload(versionId) {
      await rm(at.upload(versionId), { force: true })
    },
    async listUploads() {
      const names = await readdir(at.uploads).catch(absent([]))
      const files = await Promise.all(
        names.map(async (name) => ({
          versionId: name,
          modifiedAt: (await statOf(path.join(at.uploads, name)))?.mtime ?? new Date(),
        })),
      )
      return files
    },
    async keepSource(key) {
      const target = at.source(key)
      await makePrivateFolder(path.dirname(target))
      await rename(at.upload(key.versionId), target).catch(async (error: unknown) => {
        // A second try after a crash finds the work done.
        if (!isAbsent(error) || !(await statOf(target))) throw error
      })
      await makePrivate(target)
      await syncFolder(path.dirname(target))
    },
  }
}

/** Scratch folders carry the process in their name: whoever finds one knows whether its owner still lives. */
function scratchIn(root: string): Pick<Storage, 'scratch' | 'sweepScratch'> {
  const host = os.hostname().replaceAll(/[^\w-]/g, '_')
  return {
    async scratch(versionId) {
      await makePrivateFolder(root)
      return mkdtemp(path.join(root, `${host}.${process.pid}.${safeId(versionId)}.`))
    },
    async sweepScratch() {
      const abandoned: string[] = []
      for (const name of await readdir(root).catch(absent([]))) {
        const [owner, pid, versionId = ''] = name.split('.')
        if (owner !== host || Number(pid) === process.pid || isAlive(Number(pid))) continue
        await rm(path.join(root, name), { recursive: true, force: true })
        abandoned.push(versionId)
      }
      return abandoned
    },
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

async function videosIn(root: string): Promise<{ organizationId: string; videoId: string }[]> {
  const organizations = await readdir(root).catch(absent([]))
  const lists = await Promise.all(
    organizations.map(async (organizationId) =>
      (await readdir(path.join(root, organizationId)).catch(absent([]))).map((videoId) => ({
        organizationId,
        videoId,
      })),
    ),
  )
  return lists.flat()
}

async function fileAt(file: string): Promise<MediaFile | undefined> {
  const found = await statOf(file)
  if (!found?.isFile()) return undefined
  return { size: found.size, modifiedAt: found.mtime, read: (range) => createReadStream(file, range) }
}

async function statOf(file: string) {
  return stat(file).catch(absent(undefined))
}

function isAbsent(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && /^(ENOENT|ENOTDIR|ENAMETOOLONG)$/.test(String(error.code))
  )
}

/** What a missing file stands for. */
export function absent<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (isAbsent(error)) return instead
    throw error
  }
}

/** A rename survives a power cut only when its folder is written too. Some systems cannot open folders; there it is best effort. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}
