/** How loud a video is, from the segments of its sound alone, each fetched and decoded when somebody looks at it. */

/** Values of a second of sound. */
export const peaksPerSecond = 50

type Segment = { url: string; fromMs: number; toMs: number }
type SoundList = { init: string; segments: readonly Segment[] }

/** The address of the sound in a multivariant playlist; undefined where the video has none. */
export function soundOf(master: string, base: string): string | undefined {
  const [, address] = /^#EXT-X-MEDIA:TYPE=AUDIO,.*URI="([^"]+)"/m.exec(master) ?? []
  return address === undefined ? undefined : new URL(address, base).href
}

/** The pieces of a playlist of sound, with their times. */
export function segmentsOf(playlist: string, base: string): SoundList | undefined {
  const [, init] = /^#EXT-X-MAP:.*URI="([^"]+)"/m.exec(playlist) ?? []
  if (init === undefined) return undefined
  const segments: Segment[] = []
  let at = 0
  for (const [, seconds = '0', address = ''] of playlist.matchAll(/^#EXTINF:([\d.]+).*\n(?:#.*\n)*(.+)$/gm)) {
    const toMs = at + Number(seconds) * 1_000
    segments.push({ url: new URL(address.trim(), base).href, fromMs: at, toMs })
    at = toMs
  }
  return { init: new URL(init, base).href, segments }
}

/** The loudest of each fiftieth of a second, from 0 to 1. */
export function peaksOf(samples: Float32Array, rate: number): Float32Array {
  const size = rate / peaksPerSecond
  const peaks = new Float32Array(Math.ceil(samples.length / size))
  for (const [at] of peaks.entries()) {
    const to = Math.min(samples.length, Math.floor((at + 1) * size))
    for (let index = Math.floor(at * size); index < to; index += 1)
      peaks[at] = Math.max(peaks[at] ?? 0, Math.abs(samples[index] ?? 0))
  }
  return peaks
}

const rate = 16_000

async function bytesOf(url: string): Promise<Uint8Array> {
  const answer = await fetch(url)
  if (!answer.ok) throw new Error(`${answer.status} for a piece of sound`)
  return new Uint8Array(await answer.arrayBuffer())
}

async function decoded(init: Uint8Array, part: Uint8Array): Promise<Float32Array> {
  const whole = new Uint8Array(init.length + part.length)
  whole.set(init)
  whole.set(part, init.length)
  // It is never played, so it needs no press of a button; and a low rate is enough to see.
  const buffer = await new OfflineAudioContext(1, 1, rate).decodeAudioData(whole.buffer)
  return peaksOf(buffer.getChannelData(0), buffer.sampleRate)
}

/** Of a piece that is at work, empty; undefined: nobody has asked for it. */
type Kept = Map<number, Float32Array>

/** Fetches what is asked for, piece by piece; `onNews` when one has come. A piece that cannot be had stays empty. */
export function openSound(master: string, onNews: () => void) {
  const kept: Kept = new Map()
  const nothing = new Float32Array()
  let list: SoundList | undefined
  let init: Promise<Uint8Array> | undefined
  let isClosed = false
  const begin = async () => {
    const text = async (url: string) => new TextDecoder().decode(await bytesOf(url))
    const address = soundOf(await text(master), master)
    if (address === undefined) return
    list = segmentsOf(await text(address), address)
    if (!isClosed) onNews()
  }
  void begin().catch(() => undefined)
  const fetchPart = async (at: number, { url }: Segment, from: string) => {
    init ??= bytesOf(from)
    const peaks = await decoded(await init, await bytesOf(url))
    kept.set(at, peaks)
    if (!isClosed) onNews()
  }
  return {
    /** What is known between two moments, as pieces with the moment of their beginning; what is missing comes. */
    between(fromMs: number, toMs: number): { fromMs: number; peaks: Float32Array }[] {
      const found: { fromMs: number; peaks: Float32Array }[] = []
      for (const [at, segment] of (list?.segments ?? []).entries()) {
        if (segment.toMs <= fromMs || segment.fromMs >= toMs) continue
        const peaks = kept.get(at)
        if (peaks) found.push({ fromMs: segment.fromMs, peaks })
        else {
          kept.set(at, nothing)
          void fetchPart(at, segment, list?.init ?? '').catch(() => undefined)
        }
      }
      return found
    },
    close(): void {
      isClosed = true
    },
  }
}
