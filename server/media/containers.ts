import { readSync } from 'node:fs'
import { ADTS, FLAC, MATROSKA, MP3, MP4, MPEG_TS, OGG, QTFF, WAVE, WEBM, type InputFormat } from 'mediabunny'
import { findBoxes, isBoxes, type Bytes } from './boxes.ts'
import { NotAVideoError } from './refusals.ts'

/** Name of FFmpeg's reader for each container that we take; nothing else is ever opened by an engine. */
export type Demuxer = 'mov' | 'matroska' | 'mpegts'

type Container = {
  /** Null for what can only be sound. */
  demuxer: Demuxer | null
  formats: InputFormat[]
  /** The file is shorter than it says itself. */
  isCut: boolean
}

const sound = [MP3, ADTS, WAVE, OGG, FLAC]

/** Says by its bytes, never by its name, what a file is. Throws NotAVideoError for what is not on the list. */
export function recognise(fd: number, size: number): Container {
  const file: Bytes = { size, read: (at, length) => readAt(fd, at, Math.min(length, size - at)) }
  const head = file.read(0, 1024)
  if (isBoxes(head)) return { demuxer: 'mov', formats: [MP4, QTFF], isCut: checkBoxes(file) }
  if (head.toString('latin1', 0, 4) === '\x1aE\xdf\xa3')
    return { demuxer: 'matroska', formats: [MATROSKA, WEBM], isCut: isSegmentCut(file) }
  if ([0, 4].some((at) => isTransportStream(head, at)))
    return { demuxer: 'mpegts', formats: [MPEG_TS], isCut: false }
  if (head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 11) === 'AVI')
    throw new NotAVideoError('avi')
  if (isList(head)) throw new NotAVideoError('refers_elsewhere')
  return { demuxer: null, formats: sound, isCut: false }
}

function readAt(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, length))
  return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, at))
}

/** Packets of 188 bytes, each with the same first byte; cameras put four bytes before each of them. */
function isTransportStream(head: Buffer, before: number): boolean {
  return [0, 1, 2, 3].every((n) => head[before + n * (188 + before)] === 0x47)
}

/** Texts that name other files: HLS, DASH, Smooth Streaming, lists for FFmpeg. */
function isList(head: Buffer): boolean {
  const text = head
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart()
  return /^(#EXTM3U|ffconcat|file ['"]?\S|<\?xml|<MPD|<SmoothStreamingMedia|\[playlist\]|v=0\r?\n)/i.test(
    text,
  )
}

/** Refuses tracks whose pictures lie in other files; true when a box reaches beyond the end. */
function checkBoxes(file: Bytes): boolean {
  const { boxes, isCut } = findBoxes(file)
  const isComplete = boxes.some(({ path, end }) => path === 'moov' && end <= file.size)
  if (boxes.some(({ path }) => path === 'moov/rmra')) throw new NotAVideoError('refers_elsewhere')
  for (const box of boxes.filter(({ path }) => path.endsWith('/dref'))) {
    // An entry whose lowest flag is missing names another file.
    const entries = file.read(box.start, Math.min(box.end - box.start, 65_536))
    for (let at = 8; at + 12 <= entries.length; at += Math.max(12, entries.readUInt32BE(at)))
      if ((entries.readUInt32BE(at + 8) & 1) === 0) throw new NotAVideoError('refers_elsewhere')
  }
  if (isCut && !isComplete) throw new NotAVideoError('index_missing')
  return isCut
}

/** Whether the one segment of a Matroska file says that it is longer than the file. */
function isSegmentCut(file: Bytes): boolean {
  const head = file.read(0, 1024)
  const after = 4 + varintLength(head[4]) + varint(head, 4)
  if (after + 12 > head.length || head.readUInt32BE(after) !== 0x18538067) return false
  const length = varintLength(head[after + 4])
  const claimed = varint(head, after + 4)
  return claimed < unknownSize(length) && after + 4 + length + claimed > file.size
}

function varintLength(first = 0): number {
  return first === 0 ? 1 : Math.clz32(first) - 23
}

function varint(bytes: Buffer, at: number): number {
  const length = varintLength(bytes[at])
  return Array.from(bytes.subarray(at + 1, at + length)).reduce(
    (sum, byte) => sum * 256 + byte,
    (bytes[at] ?? 0) & (0xff >> length),
  )
}

function unknownSize(length: number): number {
  return 2 ** (7 * length) - 1
}
