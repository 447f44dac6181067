import {
  TranscodeError,
  type FileInput,
  type FirstPicture,
  type Measure,
  type Opened,
  type OpenedTrack,
} from './job.ts'
import { inputArguments, onTracks, quietly, runProgram, type Ffmpeg } from './transcode-cli.ts'

const nothing = ['-f', 'null', '-']
const telling = [...quietly, '-loglevel', 'level+info']

/** Reads what ffmpeg writes about a file that it opens: no program beside it is needed, and this has been the same for years. */
export async function openWithFfmpeg(ffmpeg: Ffmpeg, input: FileInput): Promise<Opened> {
  const opened: Opened = { tracks: [], endSeconds: null }
  let isOpen = false
  const { lastWords } = await runProgram(ffmpeg, {
    arguments: [...telling, ...inputArguments(input)],
    onWords(words) {
      isOpen ||= words.startsWith('[info] Input #0')
      const track = trackOf(words)
      if (track) opened.tracks.push(track)
      opened.endSeconds ??= endOf(words)
    },
  })
  if (!isOpen) throw new TranscodeError(`ffmpeg does not open the file: ${lastWords}`)
  return opened
}

const kinds: Record<string, OpenedTrack['kind']> = { Video: 'picture', Audio: 'sound' }

function trackOf(words: string): OpenedTrack | undefined {
  const found = /^\[info\] {3,5}Stream #0:(\d+)\S*: ([A-Z]\w+): (\w+)(.*)$/.exec(words)
  if (!found) return undefined
  const [, index, kind = '', codec = '', tail = ''] = found
  const [, width, height] = /, (\d+)x(\d+)/.exec(tail) ?? []
  return {
    index: Number(index),
    kind: kinds[kind] ?? 'other',
    codec,
    isDefault: tail.includes('(default)'),
    isStill: /\((attached pic|timed thumbnails|still image)\)/.test(tail),
    width: Number(width ?? 0),
    height: Number(height ?? 0),
  }
}

function endOf(words: string): number | null {
  const found = /^\[info\] {3}Duration: (\d+):(\d+):([\d.]+)(?:, start: (-?[\d.]+))?/.exec(words)
  if (!found) return null
  const [hours = 0, minutes = 0, seconds = 0, start = 0] = found.slice(1).map((number) => Number(number ?? 0))
  return start + (hours * 60 + minutes) * 60 + seconds
}

export async function firstPictureByFfmpeg(ffmpeg: Ffmpeg, input: FileInput): Promise<FirstPicture | null> {
  let shape: Omit<FirstPicture, 'transfer'> | undefined
  let transfer = ''
  const one = ['-map', '[v]', '-frames:v', '1', ...nothing]
  const graph = onTracks('[0:v]showinfo=checksum=0[v]', input)
  await runProgram(ffmpeg, {
    arguments: [...telling, ...inputArguments(input), '-filter_complex', graph, ...one],
    onWords(words) {
      shape ??= pictureIn(words)
      if (shape && transfer === '') transfer = /color_trc:(\S+)/.exec(words)?.[1] ?? ''
    },
  })
  return shape ? { ...shape, transfer } : null
}

function pictureIn(words: string): Omit<FirstPicture, 'transfer'> | undefined {
  const found = /\bpts_time:(\S+).* sar:(\d+)\/(\d+) s:(\d+)x(\d+)/.exec(words)
  if (!found) return undefined
  const [seconds = 0, across = 0, down = 0, width = 0, height = 0] = found.slice(1).map(Number)
  const sar = across > 0 && down > 0 ? across / down : 1
  return { seconds: Number.isFinite(seconds) ? seconds : 0, width, height, sar }
}

type Measuring = { input: FileInput; graph: string; figures: Measure }

/**
 * Copies packets to a list of them. The order in which they are stored is counted anew, or ffmpeg would move the times of those that
 * an edit list sends through it again. Those before the first key frame are listed too.
 */
const copied = ['-c', 'copy', '-copyinkf', '-bsf', 'setts=pts=PTS:dts=N-1000000000000', '-f', 'framecrc']

/** One run lists the packets of both tracks, which it only copies, and decodes the sound. */
export async function measureWithFfmpeg(ffmpeg: Ffmpeg, { input, graph, figures }: Measuring): Promise<void> {
  const { picture = 0, sound = null } = input.tracks ?? {}
  const read = sound === null ? [picture] : [picture, sound]
  const packets = [...read.flatMap((index) => ['-map', `0:${index}`]), ...copied, 'pipe:1']
  const heard =
    sound === null ? [] : ['-filter_complex', onTracks(`${graph.replace(/\[a\]$/, '')},ashowinfo[a]`, input)]
  const output = sound === null ? [] : ['-map', '[a]', ...nothing]
  const seconds: number[] = []
  const { code, lastWords } = await runProgram(ffmpeg, {
    arguments: [...telling, ...inputArguments(input), ...heard, ...packets, ...output],
    onLine(line) {
      const [, stream, num, den] = /^#tb (\d+): (\d+)\/(\d+)/.exec(line) ?? []
      if (stream !== undefined) seconds[Number(stream)] = Number(num) / Number(den)
      if (line.startsWith('#') || / F=0x\w*[4-7c-fC-F]\b/.test(line)) return
      const [number = 0, , shown = Number.NaN, length = 0] = line.split(',').map(Number)
      const unit = seconds[number]
      if (unit !== undefined && Number.isFinite(shown))
        figures.onPacket(number === 0 ? 'picture' : 'sound', shown * unit, length * unit)
    },
    onWords(words) {
      const found = /\bpts_time:(-?[\d.]+).* rate:(\d+) nb_samples:(\d+)/.exec(words)
      if (found) figures.onSound(Number(found[1]), Number(found[3]) / Number(found[2]))
    },
  })
  if (code !== 0) throw new TranscodeError(`ffmpeg stopped with ${code}: ${lastWords}`)
}
