import { mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import {
  card,
  colour,
  createCanvas,
  disc,
  fill,
  gradient,
  mix,
  type Canvas,
  type Colour,
  type Point,
} from './canvas.ts'
import { lines, lineWidth, write } from './lettering.ts'
import { motifs, type Scene } from './motifs.ts'
import { pickTranscoder } from '../../media/engines.ts'

export type ClipStyle = keyof typeof motifs

type Palette = { from: string; to: string; inks: [string, string, string] }

const PALETTES: Record<ClipStyle, Palette> = {
  orbits: { from: '#101b3f', to: '#3b2a7a', inks: ['#ffb347', '#5ad1ff', '#f4f1ff'] },
  bars: { from: '#063b3a', to: '#0d6e5c', inks: ['#ffd75e', '#7ef0c3', '#eafff7'] },
  waves: { from: '#0a2f6b', to: '#1a73b8', inks: ['#8fe3ff', '#ffcf70', '#ffffff'] },
  gear: { from: '#3a3f47', to: '#1d2127', inks: ['#ff9f1c', '#9aa5b1', '#eef2f6'] },
  stairs: { from: '#7a3b06', to: '#c9701a', inks: ['#ffe29a', '#ffffff', '#fff1dc'] },
  pulse: { from: '#5c0632', to: '#a8174f', inks: ['#ff9ec4', '#ffd6e6', '#fff0f6'] },
}

export type Clip = {
  /** Where to write the MP4 (H.264, AAC). */
  file: string
  seconds: number
  width: number
  height: number
  style: ClipStyle
  title?: string
  /** Pitch of the sound in hertz; null for no sound at all. */
  tone?: number | null
  fps?: number
  /** Strength of noise that changes with each frame, as cameras make it: drawings alone weigh next to nothing. */
  grain?: number
}

/** Makes a short sample video that looks like a course: title, moving drawing, running clock, progress bar. */
export async function makeClip(clip: Clip): Promise<void> {
  const { file, seconds, width, height, tone = 220, fps = 10, grain = 0 } = clip
  const transcoder = await pickTranscoder()
  const picture = {
    label: 'v',
    encoder: 'libx264' as const,
    options: { preset: 'ultrafast', crf: '22', g: String(4 * fps) },
  }
  const sound = { label: 'a', encoder: 'aac' as const, options: { b: '64k', aac_coder: 'fast' } }
  await transcoder.run({
    input: { width, height, fps, frames: frames(clip, fps) },
    video: `[0:v]fps=${fps},noise=alls=${grain}:allf=t[v]`,
    ...(tone !== null && { audio: `${chord(tone, seconds)},${steady}` }),
    outputs: [
      {
        file,
        format: 'mp4',
        options: { movflags: '+faststart' },
        streams: tone === null ? [picture] : [picture, sound],
      },
    ],
  })
}

/** Returns the bytes of a film of some seconds that is small and can be converted. */
export async function shortFilm(seconds = 3): Promise<Buffer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-clip-'))
  const file = path.join(folder, 'clip.mp4')
  await makeClip({ file, seconds, width: 320, height: 180, style: 'waves' })
  const bytes = await readFile(file)
  await rm(folder, { recursive: true })
  return bytes
}

function chord(tone: number, seconds: number): string {
  const source = (ratio: number) => `sine=frequency=${tone * ratio}:sample_rate=24000:duration=${seconds}`
  return `${source(1)}[s1];${source(1.5)}[s2];[s1][s2]amix=inputs=2,tremolo=f=0.4:d=0.7`
}

const mono = 'aformat=sample_fmts=fltp:channel_layouts=mono[a]'
const steady = `volume=0.5,${mono}`

const SCENES = 4

function* frames(clip: Clip, fps: number): Generator<Buffer> {
  const { width, height, seconds } = clip
  const canvas = createCanvas(width, height)
  const count = Math.max(1, Math.round(seconds * fps))
  const [first, second, third] = PALETTES[clip.style].inks
  const inks: Scene['inks'] = [colour(first), colour(second), colour(third)]
  const unit = Math.min(width, height) / 360
  const isWide = width > height
  const motif = {
    canvas,
    inks,
    size: (isWide ? 105 : 120) * unit,
    x: width * (isWide ? 0.72 : 0.5),
    y: height * (isWide ? 0.46 : 0.58),
  }
  const backdrop = createCanvas(width, height)
  let scene = -1
  let poster: Buffer = backdrop.data
  for (let index = 0; index < count; index += 1) {
    const share = index / count
    if (scene !== Math.floor(share * SCENES)) {
      scene = Math.floor(share * SCENES)
      drawScene(backdrop, { clip, scene, inks })
      poster = Buffer.from(backdrop.data)
    }
    if (index % fps === 0) {
      backdrop.data.set(poster)
      drawClock(backdrop, { clip, second: index / fps, ink: inks[2] })
    }
    canvas.data.set(backdrop.data)
    motifs[clip.style]({ ...motif, share, seconds: index / fps })
    drawProgress(canvas, share, inks[0])
    // The engine may still hold the last one.
    yield Buffer.from(canvas.data)
  }
}

/** What stands still during a scene: its colours, the title. */
function drawScene(
  canvas: Canvas,
  { clip, scene, inks }: { clip: Clip; scene: number; inks: Scene['inks'] },
) {
  const { width, height } = canvas
  const unit = Math.min(width, height) / 360
  const palette = PALETTES[clip.style]
  const [from, to] = [colour(palette.from), colour(palette.to)]
  gradient(canvas, mix(from, to, scene / SCENES), mix(to, inks[1], (0.3 * scene) / SCENES))
  fill(canvas, disc(width * (0.15 + 0.25 * scene), height * 1.05, height * 0.55), {
    ink: inks[2],
    alpha: 0.07,
  })
  fill(canvas, disc(width * (0.95 - 0.2 * scene), height * -0.05, height * 0.4), { ink: inks[0], alpha: 0.1 })
  const size = 26 * unit
  const most = width > height ? width * 0.44 : width * 0.84
  const title = lines(clip.title ?? clip.style, size, most).slice(0, 4)
  const left = width * 0.07
  const top = width > height ? height * 0.44 - (title.length * size * 1.6) / 2 : height * 0.14
  fill(canvas, card([left, top - 22 * unit, left + 44 * unit, top - 16 * unit], 3 * unit), { ink: inks[0] })
  for (const [index, text] of title.entries()) {
    const fitting = Math.min(size, (size * most) / Math.max(1, lineWidth(text, size)))
    write(canvas, { text, at: [left, top + index * size * 1.6], size: fitting, ink: inks[2] })
  }
  const at: Point = [left, height - 46 * unit]
  write(canvas, { text: `part ${scene + 1}/${SCENES}`, at, size: 11 * unit, ink: inks[2] })
}

function drawClock(canvas: Canvas, { clip, second, ink }: { clip: Clip; second: number; ink: Colour }) {
  const unit = Math.min(canvas.width, canvas.height) / 360
  const text = `${time(second)} / ${time(Math.round(clip.seconds))}`
  write(canvas, {
    text,
    at: [canvas.width * 0.93, canvas.height - 46 * unit],
    size: 11 * unit,
    ink,
    align: 'end',
  })
}

function drawProgress(canvas: Canvas, share: number, ink: Colour) {
  const { width, height } = canvas
  const unit = Math.min(width, height) / 360
  const [left, top, bottom] = [width * 0.07, height - 24 * unit, height - 18 * unit]
  fill(canvas, card([left, top, width * 0.93, bottom], 3 * unit), { ink: colour('#ffffff'), alpha: 0.25 })
  fill(canvas, card([left, top, left + Math.max(6 * unit, width * 0.86 * share), bottom], 3 * unit), { ink })
}

function time(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
