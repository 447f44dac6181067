import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { headOf, type PictureHead } from './picture-head.ts'

type Drawn = { data: Buffer; width: number; height: number }
export type Box = { width: number; height: number }
/** `cut`: fills the box, and what stands out is lost. `fit`: all of it, within the box, never enlarged. */
export type Drawing = { source: Buffer; box: Box; how: 'cut' | 'fit'; maxPixels: number }

export type PictureRefusal = 'svg' | 'not_a_picture' | 'too_many_pixels' | 'animated' | 'damaged'

/** The file is no picture that we take. */
export class NotAPictureError extends Error {
  override name = 'NotAPictureError'
  readonly code: PictureRefusal

  constructor(code: PictureRefusal) {
    super(code)
    this.code = code
  }
}

const drawer = path.resolve(import.meta.dirname, 'redraw-child.ts')
const longestMs = 15_000

/**
 * A new WebP of the picture: nothing of the file but what can be seen on it gets into the new one. Foreign bytes are only decoded
 * in a process of its own, which is killed when it takes too long. Throws NotAPictureError.
 */
export async function redraw({ source, box, how, maxPixels }: Drawing): Promise<Drawn> {
  const head = headOf(source)
  if (!head) throw new NotAPictureError(isSvg(source) ? 'svg' : 'not_a_picture')
  if (head.width * head.height > maxPixels) throw new NotAPictureError('too_many_pixels')
  if (isAnimated(source, head)) throw new NotAPictureError('animated')
  const size = how === 'cut' ? box : fitted(upright(head), box)
  const filter = [...(turns[head.orientation] ?? []), ...scaling(size)].join(',')
  return { data: await runDrawer({ source, format: head.format, filter, out: 'out.webp' }), ...size }
}

/** One of our own pictures as JPEG on white, for documents, which know no WebP. */
export function onWhite(webp: Buffer): Promise<Buffer> {
  const ground = 'format=rgba,split[a][b];[a]lutrgb=r=255:g=255:b=255:a=255[c];[c][b]overlay=format=rgb'
  return runDrawer({ source: webp, format: 'webp_pipe', filter: `${ground},format=yuvj420p`, out: 'out.jpg' })
}

function scaling({ width, height }: Box): string[] {
  return [
    'format=rgba',
    `scale=${width}:${height}:force_original_aspect_ratio=increase:flags=lanczos`,
    `crop=${width}:${height}:exact=1`,
    'setsar=1,format=yuva420p',
  ]
}

/** Upright, by EXIF's number. */
const turns: Record<number, string[]> = {
  2: ['hflip'],
  3: ['hflip', 'vflip'],
  4: ['vflip'],
  5: ['transpose=cclock_flip'],
  6: ['transpose=clock'],
  7: ['transpose=clock_flip'],
  8: ['transpose=cclock'],
}

function upright({ width, height, orientation }: PictureHead): Box {
  return orientation >= 5 ? { width: height, height: width } : { width, height }
}

function fitted({ width, height }: Box, box: Box): Box {
  const share = Math.min(1, box.width / width, box.height / height)
  return { width: Math.max(1, Math.round(width * share)), height: Math.max(1, Math.round(height * share)) }
}

function isSvg(source: Buffer): boolean {
  return /<svg[\s>]/i.test(source.toString('utf8', 0, 4_096))
}

/** The flag of the extended header. */
function isAnimated(source: Buffer, { format }: PictureHead): boolean {
  return format === 'webp_pipe' && source.toString('latin1', 12, 16) === 'VP8X' && (source[20] ?? 0) % 4 >= 2
}

type Run = { source: Buffer; format: PictureHead['format']; filter: string; out: 'out.webp' | 'out.jpg' }

async function runDrawer({ source, format, filter, out }: Run): Promise<Buffer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-picture-'))
  try {
    await writeFile(path.join(folder, 'in'), source)
    await finished(
      spawn(process.execPath, [drawer, folder, format, filter, out], { stdio: 'ignore', detached: true }),
    )
    return await readFile(path.join(folder, out))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function finished(child: ChildProcess): Promise<void> {
  // Of its own group, so that what it has started dies with it.
  const kill = () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL')
  const timer = setTimeout(kill, longestMs)
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', resolve)
    })
    if (code === drawerCodes.noEngine)
      throw new Error('Pictures cannot be drawn: there is neither ffmpeg nor node-av.')
    if (code !== 0) throw new NotAPictureError('damaged')
  } finally {
    clearTimeout(timer)
  }
}

/** How the drawing process ends when it does not draw. */
export const drawerCodes = { damaged: 3, noEngine: 4 } as const
