import { findBoxes, isBoxes, latin1, type Bytes } from '../platform/boxes.ts'
import { readElements } from '../platform/elements.ts'
import type { FileRefusal } from './videos.ts'

/** So much of a file tells nearly always whether it is taken: a browser looks at that before it sends anything. */
export const headBytes = 65_536

/** Name of FFmpeg's reader for each container that we take; nothing else is ever opened by an engine. */
export const demuxers = ['mov', 'matroska', 'mpegts'] as const
export type Demuxer = (typeof demuxers)[number]

type Head = { demuxer: Demuxer; isCut: boolean } | { refusal: FileRefusal }

/** Says by its bytes, never by its name, what a file is, or why it is not taken. What only an engine can tell is not decided here. */
export function lookAtHead(file: Bytes): Head {
  const head = file.read(0, headBytes)
  if (isBoxes(head)) return lookAtBoxes(file)
  if (startsWith(head, '\x1aE\xdf\xa3')) return lookAtMatroska(file)
  const before = [0, 4].find((at) => isTransportStream(head, at))
  if (before !== undefined) return lookAtTransportStream(head, before)
  return { refusal: nameOf(head) }
}

const startsWith = (bytes: Uint8Array, text: string, at = 0) =>
  latin1(bytes.subarray(at, at + text.length)) === text

/** How files begin that are not taken: by their letters, or by their bytes in hexadecimal. */
const byLetters: [RegExp, FileRefusal][] = [
  [/^RIFF[^]{4}AVI/, 'avi'],
  [/^FLV/, 'flv'],
  [/^(\.RMF|OggS[^]{0,4000}theora)/, 'unsupported_codec'],
  // Texts that name other files: HLS, DASH, Smooth Streaming, lists for FFmpeg.
  [
    /^(\xef\xbb\xbf)?\s*(#EXTM3U|ffconcat|file ['"]?\S|<\?xml|<MPD|<SmoothStreamingMedia|\[playlist\]|v=0\r?\n)/i,
    'refers_elsewhere',
  ],
  [/^(ID3|OggS|fLaC|FORM[^]{4}AIF|RIFF[^]{4}WAVE|\xff[\xe2-\xfb]|#!AMR|caff)/, 'no_video_track'],
  [/^(\x89PNG|\xff\xd8|GIF8|RIFF[^]{4}WEBP|BM|II\*|8BPS|%PDF|PK|\xd0\xcf)/, 'not_a_video'],
]
const byBytes: [RegExp, FileRefusal][] = [
  [/^3026b2758e66cf11/, 'wmv'],
  [/^000001ba[4-7]/, 'mpeg2'],
  [/^000001b3(..){8,200}000001b5/, 'mpeg2'],
  [/^000001b[3a]/, 'mpeg1'],
  [/^1f0700[3b]f/, 'dv'],
  // MXF.
  [/^060e2b34/, 'unsupported_codec'],
]

const hexOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

function nameOf(head: Uint8Array): FileRefusal {
  const named =
    refusalIn(byLetters, latin1(head.subarray(0, 4_200))) ?? refusalIn(byBytes, hexOf(head.subarray(0, 512)))
  return named ?? (isText(head) ? 'not_a_video' : 'unknown_format')
}

const refusalIn = (names: [RegExp, FileRefusal][], text: string) =>
  names.find(([pattern]) => pattern.test(text))?.[1] ?? null

/** Without a byte that no text has. */
const isText = (head: Uint8Array) => !head.some((byte) => byte < 9 || (byte > 13 && byte < 27))

/** The picture is refused by its name where every track of the file is; where one may be read, the engine decides. */
function refusedBy(tracks: readonly (FileRefusal | null)[]): FileRefusal | null {
  return tracks.every((refusal) => refusal !== null) ? (tracks[0] ?? null) : null
}

/** What the four letters stand for by which MP4, QuickTime and AVI name a picture's format. */
const formats: [RegExp, FileRefusal][] = [
  [/^(encv|drmi)$/, 'encrypted'],
  [/^(mp4v|xvid|divx|dx50|fmp4|div[345x]|mp4[123s])$/i, 'mpeg4_part_2'],
  [/^(m2v1|mp2v|mpg2|hdv[1-9a]|mx[345][np]|xdv.|xd5.)$/, 'mpeg2'],
  [/^(mpeg|m1v1|m1v )$/, 'mpeg1'],
  [/^(dvc[ p]|dvpp|dv5[np]|dvh[2-6pq]|AVd[v1]|dvsd)$/, 'dv'],
  [/^(WMV[123]|WVC1|wmv[123]|vc-1)$/, 'wmv'],
  [/^(FLV1|VP6[AF])$/, 'flv'],
]

/** The picture of an MP4 file can be of older kinds, which a number of its own tells. */
const olderKinds: [RegExp, FileRefusal][] = [
  [/65736473.{8}03(808080)?.{8}04(808080)?..6[0-5]/, 'mpeg2'],
  [/65736473.{8}03(808080)?.{8}04(808080)?..6a/, 'mpeg1'],
]

/** Of a stored picture, in pixels. */
export const largestPicture = { side: 8192, pixels: 4096 * 4096 }

function refusalOfEntry(entry: Uint8Array): FileRefusal | null {
  const format = latin1(entry.subarray(4, 8))
  const older = format === 'mp4v' ? refusalIn(olderKinds, hexOf(entry.subarray(0, 512))) : null
  const number = (at: number) => ((entry[at] ?? 0) << 8) + (entry[at + 1] ?? 0)
  const [width, height] = [number(32), number(34)]
  const isTooLarge = Math.max(width, height) > largestPicture.side || width * height > largestPicture.pixels
  return older ?? refusalIn(formats, format) ?? (isTooLarge ? 'too_large_picture' : null)
}

function lookAtBoxes(file: Bytes): Head {
  const { boxes, isCut } = findBoxes(file)
  const read = ({ start, end }: (typeof boxes)[number]) => file.read(start, Math.min(end - start, headBytes))
  const index = boxes.find(({ path, end }) => path === 'moov' && end <= file.size)
  if (boxes.some(({ path }) => path === 'moov/rmra')) return { refusal: 'refers_elsewhere' }
  for (const box of boxes.filter(({ path }) => path.endsWith('/dref')))
    if (refersElsewhere(read(box))) return { refusal: 'refers_elsewhere' }
  if (!index && /^(heic|heix|mif1|msf1|avif|avis)/.test(brandOf(file))) return { refusal: 'not_a_video' }
  const isAtHand = (at: number) => file.read(at, 1).length === 1
  if (!index && (isCut || isAtHand(file.size - 1))) return { refusal: 'index_missing' }
  const kinds = boxes.filter(({ path }) => path === 'moov/trak/mdia/hdlr').map(read)
  const isRead = index !== undefined && isAtHand(index.end - 1)
  if (isRead && kinds.length > 0 && !kinds.some((kind) => startsWith(kind, 'vide', 8)))
    return { refusal: 'no_video_track' }
  // Pictures and sound have their tables in the order of their tracks.
  const entries = boxes.filter(({ path }) => path === 'moov/trak/mdia/minf/stbl/stsd').map(read)
  const pictures = entries.filter((_, at) => startsWith(kinds[at] ?? new Uint8Array(), 'vide', 8))
  const refusal = refusedBy(pictures.map((entry) => refusalOfEntry(entry.subarray(8))))
  return refusal === null ? { demuxer: 'mov', isCut } : { refusal }
}

const brandOf = (file: Bytes) => latin1(file.read(8, 4))

/** An entry whose lowest flag is missing names another file. */
function refersElsewhere(entries: Uint8Array): boolean {
  const view = new DataView(entries.buffer, entries.byteOffset, entries.length)
  for (let at = 8; at + 12 <= entries.length; at += Math.max(12, view.getUint32(at)))
    if ((view.getUint32(at + 8) & 1) === 0) return true
  return false
}

const matroskaFormats: [RegExp, FileRefusal][] = [
  [/^V_MPEG1/, 'mpeg1'],
  [/^V_MPEG2/, 'mpeg2'],
  [/^V_MPEG4\/(ISO\/(SP|ASP|AP)|MS\/V3)/, 'mpeg4_part_2'],
]

function lookAtMatroska(file: Bytes): Head {
  const { tracks, isCut } = readElements(file)
  const pictures = tracks.filter(({ kind }) => kind === 'picture')
  if (tracks.length > 0 && pictures.length === 0) return { refusal: 'no_video_track' }
  const refusal = refusedBy(
    pictures.map(({ isEncrypted, codec, fourcc }) => {
      if (isEncrypted) return 'encrypted'
      return refusalIn(matroskaFormats, codec) ?? refusalIn(formats, fourcc)
    }),
  )
  return refusal === null ? { demuxer: 'matroska', isCut } : { refusal }
}

const packetBytes = 188

/** Packets of 188 bytes, each with the same first byte; cameras put four bytes before each of them. */
function isTransportStream(head: Uint8Array, before: number): boolean {
  return [0, 1, 2, 3].every((n) => head[before + n * (packetBytes + before)] === 0x47)
}

/** Numbers by which a transport stream names formats of pictures that are not taken. */
const streamTypes: Record<number, FileRefusal> = { 1: 'mpeg1', 2: 'mpeg2', 16: 'mpeg4_part_2', 234: 'wmv' }
const takenTypes = new Set([0x1b, 0x24])

function lookAtTransportStream(head: Uint8Array, before: number): Head {
  const packets: Uint8Array[] = []
  for (let at = before; at + packetBytes <= head.length; at += packetBytes + before)
    packets.push(head.subarray(at, at + packetBytes))
  const types = packets.flatMap(streamTypesOf)
  // All of it is here, and no programme.
  if (types.length === 0 && head.length < headBytes) return { refusal: 'not_a_video' }
  const scrambled = packets.filter((packet) => ((packet[3] ?? 0) & 0xc0) !== 0)
  if (scrambled.length > packets.length / 2) return { refusal: 'encrypted' }
  const pictures = types.filter((type) => type in streamTypes || takenTypes.has(type))
  const refusal = refusedBy(pictures.map((type) => streamTypes[type] ?? null))
  return refusal === null ? { demuxer: 'mpegts', isCut: false } : { refusal }
}

/** The types of streams that a packet with the table of a programme lists. */
function streamTypesOf(packet: Uint8Array): number[] {
  const [, flags = 0, , control = 0, adaptation = 0] = packet
  const start = (control & 0x20) === 0 ? 4 : 5 + adaptation
  const at = start + 1 + (packet[start] ?? 0)
  if ((flags & 0x40) === 0 || packet[at] !== 2) return []
  const number = (place: number) => (((packet[place] ?? 0) & 0x0f) << 8) + (packet[place + 1] ?? 0)
  const end = Math.min(packet.length, at + 3 + number(at + 1) - 4)
  const types: number[] = []
  for (let each = at + 12 + number(at + 10); each + 5 <= end; each += 5 + number(each + 3))
    types.push(packet[each] ?? 0)
  return types
}
