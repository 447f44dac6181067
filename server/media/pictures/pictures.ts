import { createReadStream, createWriteStream } from 'node:fs'
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { FileInput, JobOutput, JobStream, Transcoder } from '../job.ts'
import { keyFrameSeconds, segmentSeconds } from '../ladder.ts'
import type { MadeFiles, Rendition, Storyboard } from '../task.ts'

type Pictures = Pick<MadeFiles, 'poster' | 'posterSmall' | 'blur' | 'storyboard'>

type PicturesTask = {
  /** The folder with the finished renditions; the pictures go there too. */
  outDir: string
  renditions: Rendition[]
  durationMs: number
  transcoder: Transcoder
}

/** Poster (1280 and 640 wide at most), a blurred placeholder as data URL (under 1 kB), storyboard with its VTT. */
export async function makePictures(task: PicturesTask): Promise<Pictures> {
  const poster = await makePoster(task)
  return { ...poster, storyboard: await makeStoryboard(task) }
}

/** Where in the video to look for a poster. */
const CANDIDATES = [0.15, 0.4, 0.7]
const POSTER_WIDTH = 1280
/** All that a segment has: of these the most typical is taken. */
const keyFrames = segmentSeconds / keyFrameSeconds

async function makePoster({ outDir, renditions, transcoder }: PicturesTask) {
  const best = renditions.find((rendition) => rendition.width >= POSTER_WIDTH) ?? renditions.at(-1)
  if (!best) throw new Error('A poster needs a rendition')
  const folder = join(outDir, best.name)
  const segments = await segmentsOf(folder)
  const indexes = CANDIDATES.map((share) => Math.floor(share * segments.length))
  const candidates = await Promise.all(
    [...new Set(indexes)].map(async (index) => {
      const file = join(outDir, `candidate-${index}.jpg`)
      const piece = await joined(folder, segments.slice(index, index + 1))
      const input: FileInput = { file: piece, format: 'mov', keyFramesOnly: true }
      const video = `[0:v]thumbnail=${keyFrames},trim=end_frame=1,${fit(POSTER_WIDTH)}[v]`
      await transcoder.run({ input, video, outputs: [one(file, 'v')] })
      await rm(piece)
      return { file, size: (await stat(file)).size }
    }),
  )
  // The picture that is hardest to compress shows the most: neither black nor a fade.
  const [chosen, ...others] = candidates.toSorted((a, b) => b.size - a.size)
  if (!chosen) throw new Error('A poster needs a picture')
  await rename(chosen.file, join(outDir, 'poster.jpg'))
  const video = `[0:v]split=2[b][t];[b]${fit(640)}[v];[t]scale=16:-2:flags=area,gblur=sigma=0.8,format=yuvj420p[vtiny]`
  const outputs = [one(join(outDir, 'poster-640.jpg'), 'v'), one(join(outDir, 'blur.jpg'), 'vtiny')]
  // FFmpeg's own way of opening one JPEG, which is what its encoder for it has just written.
  const input: FileInput = { file: join(outDir, 'poster.jpg'), format: 'jpeg_pipe' }
  await transcoder.run({ input, video, outputs })
  const blur = `data:image/jpeg;base64,${(await readFile(join(outDir, 'blur.jpg'))).toString('base64')}`
  for (const file of [...others.map((other) => other.file), join(outDir, 'blur.jpg')]) await rm(file)
  return { poster: 'poster.jpg', posterSmall: 'poster-640.jpg', blur }
}

async function segmentsOf(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.m4s')).toSorted()
}

/** Segments of a rendition as one file beside it, because no engine follows a playlist or reads several files as one. */
async function joined(folder: string, segments: string[]): Promise<string> {
  const file = `${folder}-${segments[0] ?? ''}.mp4`
  const into = createWriteStream(file)
  for (const name of ['init.mp4', ...segments])
    await pipeline(createReadStream(join(folder, name)), into, { end: false })
  await new Promise((resolve, reject) => into.once('error', reject).end(resolve))
  return file
}

const TILE_WIDTH = 160
const SIDE = 10
/** Seconds between tiles: the first that needs at most one sheet, or the last and several sheets. */
const INTERVALS = [1, 2, 4, 6, 10]

async function makeStoryboard(task: PicturesTask): Promise<Storyboard> {
  const { outDir, renditions, durationMs, transcoder } = task
  const lowest = renditions.find(({ width, height }) => Math.min(width, height) >= 240) ?? renditions.at(-1)
  if (!lowest) throw new Error('A storyboard needs a rendition')
  const seconds = durationMs / 1000
  const interval = INTERVALS.find((candidate) => seconds / candidate <= SIDE * SIDE) ?? 10
  const keyFramesOnly = interval > 1
  // The last tile must have a picture: key frames come a little after the full second at NTSC rates.
  const count = Math.max(1, Math.ceil((seconds - (keyFramesOnly ? 2.1 : 0.3)) / interval))
  const columns = Math.min(SIDE, count)
  const rows = Math.min(SIDE, Math.ceil(count / columns))
  const tileHeight = 2 * Math.round((TILE_WIDTH * lowest.height) / lowest.width / 2)
  const steps = [
    `select='gte(t+0.05,selected_n*${interval})'`,
    `trim=end_frame=${count}`,
    `scale=${TILE_WIDTH}:${tileHeight},format=yuvj420p,setsar=1`,
    `tile=${columns}x${rows}`,
  ]
  const output = { ...one(join(outDir.replaceAll('%', '%%'), 'storyboard-%03d.jpg'), 'v'), options: {} }
  const whole = await joined(join(outDir, lowest.name), await segmentsOf(join(outDir, lowest.name)))
  const input: FileInput = { file: whole, format: 'mov', keyFramesOnly }
  await transcoder.run({ input, video: `[0:v]${steps.join(',')}[v]`, outputs: [output] })
  await rm(whole)
  const sheets = Array.from({ length: Math.ceil(count / (columns * rows)) }, (_, index) => sheetName(index))
  const tile = { width: TILE_WIDTH, height: tileHeight }
  await writeFile(
    join(outDir, 'storyboard.vtt'),
    storyboardVtt({ count, interval, durationMs, columns, rows, tile }),
  )
  return { file: 'storyboard.vtt', tileWidth: TILE_WIDTH, tileHeight, intervalMs: interval * 1000, sheets }
}

type Sheet = {
  count: number
  interval: number
  durationMs: number
  columns: number
  rows: number
  tile: { width: number; height: number }
}

function storyboardVtt({ count, interval, durationMs, columns, rows, tile }: Sheet): string {
  const cues = Array.from({ length: count }, (_, index) => {
    const place = index % (columns * rows)
    const x = (place % columns) * tile.width
    const y = Math.floor(place / columns) * tile.height
    const end = index === count - 1 ? durationMs : (index + 1) * interval * 1000
    const sheet = sheetName(Math.floor(index / (columns * rows)))
    return `${clock(index * interval * 1000)} --> ${clock(end)}\n${sheet}#xywh=${x},${y},${tile.width},${tile.height}\n`
  })
  return ['WEBVTT\n', ...cues].join('\n')
}

function clock(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23)
}

function sheetName(index: number): string {
  return `storyboard-${String(index + 1).padStart(3, '0')}.jpg`
}

function fit(width: number): string {
  return `scale=w='min(${width},iw)':h=-2:flags=bicubic,format=yuvj420p,setsar=1`
}

function one(file: string, label: string): JobOutput {
  const quality: JobStream['options'] = { flags: '+qscale', global_quality: String(4 * 118) }
  return {
    file,
    format: 'image2',
    options: { update: '1' },
    streams: [{ label, encoder: 'mjpeg', options: quality }],
  }
}
