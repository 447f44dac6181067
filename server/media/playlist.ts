import { readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Fraction } from './probe.ts'

/** A media playlist with what its segments really weigh. */
export type Measured = {
  /** Path relative to the master playlist. */
  uri: string
  seconds: number
  /** Bits per second: of the heaviest segment, of all together. */
  peak: number
  average: number
  init: Buffer
}

type Variant = { media: Measured; width: number; height: number; fps: Fraction; codecs: string }

/** Reads a finished media playlist and weighs its segments. `uri` is relative to the folder. */
export async function measure(folder: string, uri: string): Promise<Measured> {
  const file = join(folder, uri)
  const text = await readFile(file, 'utf8')
  const map = /^#EXT-X-MAP:URI="([^"]+)"/m.exec(text)?.[1]
  if (!map || !text.includes('#EXT-X-ENDLIST')) throw new Error(`${uri} is not a finished playlist`)
  const segments = await Promise.all(
    [...text.matchAll(/^#EXTINF:([\d.]+),[^\n]*\n(\S+)/gm)].map(async ([, seconds, name]) => ({
      seconds: Number(seconds),
      bits: 8 * (await stat(join(dirname(file), name ?? ''))).size,
    })),
  )
  const sum = (pick: (segment: { seconds: number; bits: number }) => number) =>
    segments.reduce((total, segment) => total + pick(segment), 0)
  const seconds = sum((segment) => segment.seconds)
  const average = sum((segment) => segment.bits) / seconds
  // A last segment of a few frames has no rate worth telling.
  const whole = segments.filter((segment) => segment.seconds > 1)
  const peak = Math.max(average, ...whole.map((segment) => segment.bits / segment.seconds))
  return {
    uri,
    seconds,
    peak: Math.ceil(peak),
    average: Math.ceil(average),
    init: await readFile(join(dirname(file), map)),
  }
}

/** The codec string of an H.264 init segment, from its decoder configuration. */
export function avcCodec(init: Buffer): string {
  const at = init.indexOf('avcC')
  if (at < 0) throw new Error('The init segment has no H.264 configuration')
  return `avc1.${init.subarray(at + 5, at + 8).toString('hex')}`
}

/** The multivariant playlist: the given order, relative addresses, measured rates. */
export function masterPlaylist(variants: Variant[], audio: Measured | null): string {
  const lines = ['#EXTM3U', '#EXT-X-VERSION:7', '#EXT-X-INDEPENDENT-SEGMENTS']
  if (audio) {
    const attributes = 'GROUP-ID="audio",NAME="Audio",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2"'
    lines.push(`#EXT-X-MEDIA:TYPE=AUDIO,${attributes},URI="${audio.uri}"`)
  }
  for (const { media, width, height, fps, codecs } of variants) {
    const attributes = [
      `BANDWIDTH=${media.peak + (audio?.peak ?? 0)}`,
      `AVERAGE-BANDWIDTH=${media.average + (audio?.average ?? 0)}`,
      `RESOLUTION=${width}x${height}`,
      `FRAME-RATE=${(fps.num / fps.den).toFixed(3)}`,
      `CODECS="${audio ? `${codecs},mp4a.40.2` : codecs}"`,
      ...(audio ? ['AUDIO="audio"'] : []),
    ]
    lines.push(`#EXT-X-STREAM-INF:${attributes.join(',')}`, media.uri)
  }
  return `${lines.join('\n')}\n`
}
