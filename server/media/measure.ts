import { TranscodeError, type FileInput, type Measure, type Tracks, type Transcoder } from './job.ts'
import { NotAVideoError } from './refusals.ts'

export const sampleRate = 48_000
/** In both graphs for sound, so that what could be heard when it was measured is heard when it is converted. */
export const stereo = 'aformat=sample_fmts=fltp:channel_layouts=stereo'

/** Seconds on the file's own clock. */
export type Measured = {
  tracks: Tracks
  isSoundLost: boolean
  /** `rate`: pictures a second, where they come regularly. */
  pictures: { last: number; end: number; lastLength: number; rate: number }
  /** `lastLength`: of the last packet. */
  sound: { start: number; end: number; lastLength: number } | null
}

type Task = {
  transcoder: Transcoder
  input: FileInput
  /** Numbers of tracks; sounds in the order in which they are tried. */
  sought: { picture: number; sounds: number[] }
  mostMs: number
}

/** Reads a file to its end with the first of its sounds that can be decoded, without one where none can. */
export async function measure({ transcoder, input, sought, mostMs }: Task): Promise<Measured> {
  let isSoundLost = false
  for (const sound of [...sought.sounds, null]) {
    const tracks = { picture: sought.picture, sound }
    const figures = collect(mostMs)
    const graph = `[0:a]aresample=${sampleRate}:async=1,${stereo},asetnsamples=n=${sampleRate}:p=0[a]`
    const failure = await transcoder
      .measure({ ...input, tracks }, graph, figures)
      .catch((error: unknown) => error)
    if (failure !== undefined && (sound === null || !(failure instanceof TranscodeError))) throw failure
    if (failure === undefined) {
      const { pictures, heard, hasPackets } = figures.read()
      if (heard) return { tracks, isSoundLost: false, pictures, sound: heard }
      if (sound === null) return { tracks, isSoundLost, pictures, sound: null }
      // A track without a packet has nothing to lose.
      if (!hasPackets) continue
    }
    isSoundLost = true
  }
  throw new NotAVideoError('damaged')
}

/** As many pictures as tell the rate of all. */
const mostForRate = 100_000

function collect(mostMs: number) {
  const times: number[] = []
  const last = { at: -Infinity, length: 0 }
  const packet = { end: -Infinity, length: 0 }
  let [first, start, end] = [Infinity, Infinity, -Infinity]
  return {
    onPacket(kind, seconds, length) {
      first = Math.min(first, seconds)
      // Nothing that claims to last for weeks is read to its end.
      if ((seconds - first) * 1000 > mostMs + 60_000) throw new NotAVideoError('too_long')
      if (kind === 'sound') {
        if (seconds + length > packet.end) Object.assign(packet, { end: seconds + length, length })
        return
      }
      if (times.length < mostForRate) times.push(seconds)
      if (seconds > last.at) Object.assign(last, { at: seconds, length })
    },
    onSound(seconds, length) {
      start = Math.min(start, seconds)
      end = Math.max(end, seconds + length)
    },
    read() {
      if (last.at === -Infinity) throw new NotAVideoError('empty')
      const heard = end > start ? { start, end: Math.min(end, packet.end), lastLength: packet.length } : null
      const rate = rateOf(times)
      // Some files do not say how long their last picture stays.
      const lastLength = last.length || 1 / Math.max(1, rate)
      return {
        pictures: { last: last.at, end: last.at + lastLength, lastLength, rate },
        heard,
        hasPackets: packet.end > -Infinity,
      }
    },
  } satisfies Measure & Record<string, unknown>
}

/** Pictures a second between those that follow each other as most of them do: pauses say nothing, and clocks of whole milliseconds even out. */
function rateOf(times: number[]): number {
  const sorted = times.toSorted((a, b) => a - b)
  const gaps = sorted.slice(1).flatMap((time, index) => {
    const gap = time - (sorted[index] ?? time)
    return gap > 0 ? [gap] : []
  })
  const usual = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)]
  if (usual === undefined) return 0
  const regular = gaps.filter((gap) => Math.abs(gap - usual) <= 0.3 * usual)
  return regular.length / regular.reduce((sum, gap) => sum + gap, 0)
}
