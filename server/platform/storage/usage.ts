import { opendir, stat } from 'node:fs/promises'
import path from 'node:path'
import { absent } from './local.ts'
import { layout } from './paths.ts'

/** Bytes by organization, named by the folders that the files lie in. */
type ByOrganization = ReadonlyMap<string, number>
export type Usage = {
  uploads: number
  sources: ByOrganization
  media: ByOrganization
  /** False: the time was over before all had been counted. */
  isWhole: boolean
}

type Count = { by: Map<string, number>; isWhole: boolean }

/** What the files of videos take, counted for at most `patienceMs`. */
export async function usageOf(root: string, patienceMs: number): Promise<Usage> {
  const until = performance.now() + patienceMs
  const at = layout(root)
  const uploads = await countIn(at.uploads, until)
  const sources = await countIn(at.sources, until)
  const media = await countIn(at.media, until)
  return {
    uploads: [...uploads.by.values()].reduce((sum, bytes) => sum + bytes, 0),
    sources: sources.by,
    media: media.by,
    isWhole: uploads.isWhole && sources.isWhole && media.isWhole,
  }
}

async function countIn(folder: string, until: number): Promise<Count> {
  const by = new Map<string, number>()
  const entries = await opendir(folder, { recursive: true }).catch(absent(null))
  if (!entries) return { by, isWhole: true }
  for await (const entry of entries) {
    if (performance.now() > until) return { by, isWhole: false }
    if (!entry.isFile()) continue
    const file = path.join(entry.parentPath, entry.name)
    // What is removed meanwhile takes nothing.
    const size = (await stat(file).catch(absent(undefined)))?.size ?? 0
    const [first = ''] = path.relative(folder, file).split(path.sep)
    by.set(first, (by.get(first) ?? 0) + size)
  }
  return { by, isWhole: true }
}
