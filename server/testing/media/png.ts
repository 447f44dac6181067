import { randomBytes } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'

export function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** A PNG of one colour, with whatever notes. */
export function png(width: number, height: number, ...notes: Buffer[]): Buffer {
  return written({ width, height, notes, colours: Buffer.alloc(height * (width * 3 + 1), 160) })
}

/** A PNG that no format makes small. */
export function noise(width: number, height: number): Buffer {
  return written({ width, height, notes: [], colours: randomBytes(height * (width * 3 + 1)) })
}

type Picture = { width: number; height: number; notes: Buffer[]; colours: Buffer }

function written({ width, height, notes, colours }: Picture): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width)
  head.writeUInt32BE(height, 4)
  head.set([8, 2], 8)
  // Each row begins with the way in which it is stored: as it is.
  for (let at = 0; at < colours.length; at += width * 3 + 1) colours[at] = 0
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    ...notes,
    chunk('IDAT', deflateSync(colours)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
