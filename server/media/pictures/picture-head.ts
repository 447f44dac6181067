import type { FileInput } from '../job.ts'

export type PictureHead = {
  format: Extract<FileInput['format'], `${string}_pipe`>
  width: number
  height: number
  /** As EXIF counts: 1 is upright; from 5 on width and height change places. */
  orientation: number
}

/** What the first bytes of a PNG, JPEG or WebP say about it, without decoding; undefined when it is none of them. */
export function headOf(file: Buffer): PictureHead | undefined {
  try {
    const head = ofPng(file) ?? ofJpeg(file) ?? ofWebp(file)
    return head && head.width > 0 && head.height > 0 ? head : undefined
  } catch (error) {
    // It ends in the middle of what it promises.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function ofPng(file: Buffer): PictureHead | undefined {
  if (file.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n' || file.toString('latin1', 12, 16) !== 'IHDR')
    return undefined
  return {
    format: 'png_pipe',
    width: file.readUInt32BE(16),
    height: file.readUInt32BE(20),
    orientation: 1,
  }
}

/** Start of frame: those codes but three hold the size. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
}

function ofJpeg(file: Buffer): PictureHead | undefined {
  if (file.toString('latin1', 0, 3) !== '\xff\xd8\xff') return undefined
  let orientation = 1
  for (let at = 2; at < file.length;) {
    if (file.readUInt8(at) !== 0xff) return undefined
    const marker = file.readUInt8(at + 1)
    // Markers may be padded with more of the same byte.
    if (marker === 0xff) {
      at += 1
      continue
    }
    const segment = file.subarray(at + 4, at + 2 + file.readUInt16BE(at + 2))
    if (isFrame(marker))
      return {
        format: 'jpeg_pipe',
        width: segment.readUInt16BE(3),
        height: segment.readUInt16BE(1),
        orientation,
      }
    if (marker === 0xe1 && segment.toString('latin1', 0, 6) === 'Exif\0\0')
      orientation = orientationOf(segment.subarray(6))
    at += 2 + file.readUInt16BE(at + 2)
  }
  return undefined
}

const orientationTag = 0x0112

/** From the first directory of a TIFF. */
function orientationOf(tiff: Buffer): number {
  const isLittle = tiff.toString('latin1', 0, 2) === 'II'
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const long = (at: number) => (isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at))
  try {
    const directory = long(4)
    for (let n = 0; n < short(directory); n += 1) {
      const entry = directory + 2 + n * 12
      if (short(entry) !== orientationTag) continue
      const value = short(entry + 8)
      return value >= 1 && value <= 8 ? value : 1
    }
  } catch (error) {
    // The picture is good even if its notes are not.
    if (!(error instanceof RangeError)) throw error
  }
  return 1
}

function ofWebp(file: Buffer): PictureHead | undefined {
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WEBP') return undefined
  const kind = file.toString('latin1', 12, 16)
  const size = webpSizes[kind]?.(file)
  return size && { format: 'webp_pipe', ...size, orientation: 1 }
}

const webpSizes: Record<string, (file: Buffer) => { width: number; height: number }> = {
  'VP8 ': (file) => ({ width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff }),
  VP8L: (file) => {
    const bits = file.readUInt32LE(21)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  },
  VP8X: (file) => ({ width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 }),
}
