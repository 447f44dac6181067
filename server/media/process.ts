import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { makePictures, type Pictures } from './pictures.ts'
import { probe } from './probe.ts'
import { transcode, type Rendition } from './transcode.ts'

export type ProcessTask = {
  source: string
  /** Comes into being, complete, at the end; what was there before is replaced. */
  outDir: string
  /** Done so far, 0 to 1. */
  onProgress?: (fraction: number) => void
  signal?: AbortSignal
}

export type ProcessedVideo = Pictures & {
  durationMs: number
  width: number
  height: number
  renditions: Rendition[]
  files: { name: string; size: number }[]
  bytes: number
}

/** How much of the work the pictures are. */
const PICTURES = 0.04

/**
 * Source to everything that playing needs. Nothing appears under the final name before all is there, and a
 * second run after a crash starts clean. Throws NotAVideoError, TranscodeError, or the signal's reason.
 */
export async function processSource({
  source,
  outDir,
  onProgress,
  signal,
}: ProcessTask): Promise<ProcessedVideo> {
  const found = await probe(source)
  const draft = `${outDir}.part`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { recursive: true })
  const shared = { outDir: draft, ...(signal && { signal }) }
  try {
    const onEncoded = (fraction: number) => onProgress?.(fraction * (1 - PICTURES))
    const renditions = await transcode({ ...shared, source, probe: found, onProgress: onEncoded })
    const { durationMs, width, height } = found
    const pictures = await makePictures({ ...shared, renditions, durationMs })
    const files = await listFiles(draft)
    signal?.throwIfAborted()
    await rm(outDir, { recursive: true, force: true })
    await rename(draft, outDir)
    onProgress?.(1)
    const bytes = files.reduce((sum, file) => sum + file.size, 0)
    return { durationMs, width, height, renditions, ...pictures, files, bytes }
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

async function listFiles(folder: string): Promise<{ name: string; size: number }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(
    paths.toSorted().map(async (path) => ({
      name: relative(folder, path).replaceAll('\\', '/'),
      size: (await stat(path)).size,
    })),
  )
}
