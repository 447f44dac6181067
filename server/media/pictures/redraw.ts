import { lstat, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { ask } from '../ask.ts'
import { giveTo, placesOf } from '../boundary.ts'
import { blame, pickEngine, withSecondTry } from '../engines.ts'
import { headOf, type PictureHead } from './picture-head.ts'
import { NotAVideoError } from '../refusals.ts'
import { withRoom } from '../room.ts'
import type { RedrawTask } from '../task.ts'

type RedrawnPicture = { data: Buffer; width: number; height: number }
export type Box = { width: number; height: number }
/** `cut`: fills the box, and what stands out is lost. `fit`: all of it, within the box, never enlarged. */
export type Drawing = { source: Buffer; box: Box; how: 'cut' | 'fit'; maxPixels: number }

type PictureRefusal = 'svg' | 'not_a_picture' | 'too_many_pixels' | 'animated' | 'damaged'

/** The file is no picture that we take. */
export class NotAPictureError extends Error {
  override name = 'NotAPictureError'
  readonly code: PictureRefusal

  constructor(code: PictureRefusal) {
    super(code)
    this.code = code
  }
}

const limits = { cpuSeconds: 15, memoryBytes: 2 ** 30, fileBytes: 2 ** 26, wallMs: 15_000 }

/**
 * A new WebP of the picture: nothing of the file but what can be seen on it gets into the new one. Foreign bytes are only decoded
 * in a child behind a boundary, which is killed when it takes too long. Throws NotAPictureError,
 * TranscodeError where another try may help, or the disk's error.
 */
export async function redraw({ source, box, how, maxPixels }: Drawing): Promise<RedrawnPicture> {
  const { format, turned, size } = drawingOf({ source, box, how, maxPixels })
  const filter = [...turned, ...scaling(size)].join(',')
  return { data: await runDrawer({ source, format, filter, out: 'out.webp' }), ...size }
}

/** What a picture is as its first bytes say, how it is turned upright, and how large it becomes. Throws NotAPictureError. */
export function drawingOf({ source, box, how, maxPixels }: Drawing) {
  const head = headOf(source)
  if (!head) throw new NotAPictureError(isSvg(source) ? 'svg' : 'not_a_picture')
  if (head.width * head.height > maxPixels) throw new NotAPictureError('too_many_pixels')
  if (isAnimated(source, head)) throw new NotAPictureError('animated')
  const size = how === 'cut' ? box : fitted(upright(head), box)
  return { format: head.format, turned: turns[head.orientation] ?? [], size }
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

type RedrawRun = Pick<RedrawTask, 'format' | 'filter' | 'out' | 'quality' | 'isLast'> & { source: Buffer }

/** Draws in a child behind the boundary. Throws as `redraw` does. */
export async function runDrawer(run: RedrawRun): Promise<Buffer> {
  return withSecondTry(() => drawOnce(run)).catch((error: unknown) => {
    throw error instanceof NotAVideoError ? new NotAPictureError('damaged') : error
  })
}

async function drawOnce({ source, ...drawing }: RedrawRun): Promise<Buffer> {
  const folder = await mkdtemp(path.join(await realpath(os.tmpdir()), 'sendreel-picture-'))
  try {
    const places = {
      empty: path.join(folder, 'empty'),
      output: path.join(folder, 'out'),
      input: path.join(folder, 'in'),
    }
    for (const each of [places.empty, places.output]) await mkdir(each)
    await writeFile(places.input, source, { mode: 0o600 })
    await giveTo(places.input, places.output)
    const inside = await placesOf(places)
    const task = { kind: 'redraw', ...drawing, source: inside.input, outDir: inside.output } as const
    const question = { task: { ...task, engine: await pickEngine() }, places, limits }
    await withRoom(folder, ask(question))
    return await readPlain(path.join(places.output, drawing.out))
  } catch (error) {
    throw await blame(error)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The child could have put a link there. */
async function readPlain(file: string): Promise<Buffer> {
  if (!(await lstat(file)).isFile()) throw new NotAVideoError('damaged')
  return readFile(file)
}
