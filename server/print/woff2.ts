import { brotliDecompressSync } from 'node:zlib'

/**
 * Unpacks a WOFF2 font (https://www.w3.org/TR/WOFF2/) into the TrueType font that it was made of, without its variations: pdfkit
 * cannot embed parts of WOFF2 itself. What a document has no use for is left out.
 */
export function unpackWoff2(packed: Buffer, mark: number): Buffer {
  const tables = readTables(packed)
  const head = Buffer.from(tables.get('head')?.data ?? Buffer.alloc(0))
  const glyf = tables.get('glyf')
  if (!glyf || head.length === 0) throw new Error('not a TrueType font')
  const shapes = glyf.transformed ? unpackGlyphs(glyf.data) : undefined
  // Long offsets; and a mark of our own, because pdfkit takes fonts with the same checksum for one.
  head.writeInt16BE(1, 50)
  head.writeUInt32BE(mark, 8)
  const kept = new Map<string, Buffer>()
  for (const name of wanted) {
    const table = tables.get(name)
    if (table) kept.set(name, table.data)
  }
  kept.set('head', head)
  if (shapes) {
    kept.set('glyf', Buffer.concat(shapes))
    kept.set('loca', offsetsOf(shapes))
    const metrics = tables.get('hmtx')
    if (metrics?.transformed) kept.set('hmtx', unpackMetrics(metrics.data, shapes, kept.get('hhea')))
  }
  return sfnt(kept)
}

/** No substitutions (GSUB): what is printed are the characters, not an arrow in place of "->". */
const wanted = ['cmap', 'hhea', 'hmtx', 'maxp', 'name', 'OS/2', 'post', 'glyf', 'loca', 'GDEF', 'GPOS']

/** The tags that have a number of their own, in its order, as far as fonts of today have them. */
const knownTags = (
  'cmap head hhea hmtx maxp name OS/2 post cvt  fpgm glyf loca prep CFF  VORG EBDT EBLC gasp hdmx kern LTSH PCLT VDMX vhea vmtx ' +
  'BASE GDEF GPOS GSUB EBSC JSTF MATH CBDT CBLC COLR CPAL SVG  sbix acnt avar bdat bloc bsln cvar fdsc feat fmtx fvar gvar hsty ' +
  'just lcar mort morx opbd prop trak Zapf Silf Glat Gloc Feat Sill'
).match(/.{4}(?= |$)/g)

type Table = { data: Buffer; transformed: boolean }

function readTables(packed: Buffer): Map<string, Table> {
  if (packed.toString('latin1', 0, 4) !== 'wOF2') throw new Error('not a WOFF2 font')
  const input = reader(packed, 48)
  const listed = Array.from({ length: packed.readUInt16BE(12) }, () => {
    const flags = input.u8()
    const tag = (flags & 63) === 63 ? input.take(4).toString('latin1') : (knownTags?.[flags & 63] ?? '')
    const version = flags >> 6
    const transformed = tag === 'glyf' || tag === 'loca' ? version === 0 : version !== 0
    const plain = input.base128()
    return { tag, transformed, length: transformed ? input.base128() : plain }
  })
  const data = reader(brotliDecompressSync(packed.subarray(input.at(), input.at() + packed.readUInt32BE(20))))
  return new Map(
    listed.map(({ tag, transformed, length }) => [tag, { transformed, data: data.take(length) }]),
  )
}

function reader(bytes: Buffer, start = 0) {
  let at = start
  const u8 = () => bytes.readUInt8(at++)
  const take = (length: number) => bytes.subarray(at, (at += length))
  const u16 = () => take(2).readUInt16BE()
  return {
    u8,
    u16,
    take,
    i16: () => take(2).readInt16BE(),
    at: () => at,
    base128() {
      let value = 0
      for (let n = 0; n < 5; n++) {
        const byte = u8()
        value = value * 128 + (byte & 127)
        if (byte < 128) return value
      }
      throw new Error('a number of a font is too long')
    },
    /** 255UInt16. */
    short() {
      const code = u8()
      if (code === 253) return u16()
      if (code === 255) return u8() + 253
      return code === 254 ? u8() + 506 : code
    },
  }
}
type Reader = ReturnType<typeof reader>

/** The shapes, one glyph after another, as a `glyf` table has them. */
function unpackGlyphs(data: Buffer): Buffer[] {
  const count = data.readUInt16BE(4)
  const sizes = Array.from({ length: 7 }, (_none, i) => data.readUInt32BE(8 + i * 4))
  const whole = reader(data, 36)
  const streams = sizes.map((size) => whole.take(size))
  const stream = (n: number) => streams[n] ?? Buffer.alloc(0)
  const bitmapLength = ((count + 31) >> 5) << 2
  const bitmap = stream(5).subarray(0, bitmapLength)
  const parts = {
    contours: reader(stream(0)),
    points: reader(stream(1)),
    flags: reader(stream(2)),
    glyphs: reader(stream(3)),
    composites: reader(stream(4)),
    boxes: reader(stream(5), bitmapLength),
    instructions: reader(stream(6)),
  }
  return Array.from({ length: count }, (_none, i) => {
    const contours = parts.contours.i16()
    const boxed = ((bitmap[i >> 3] ?? 0) & (0x80 >> (i & 7))) !== 0
    if (contours === 0) return Buffer.alloc(0)
    const box = boxed ? parts.boxes.take(8) : undefined
    return padded(contours > 0 ? simple(parts, contours, box) : composite(parts, box))
  })
}

type Parts = Record<
  'contours' | 'points' | 'flags' | 'glyphs' | 'composites' | 'boxes' | 'instructions',
  Reader
>

const padded = (shape: Buffer) => Buffer.concat([shape, Buffer.alloc(-shape.length & 3)])

function simple(parts: Parts, contours: number, box: Buffer | undefined): Buffer {
  let last = -1
  const ends = Array.from({ length: contours }, () => (last += parts.points.short()))
  const points = Array.from({ length: last + 1 }, () => pointOf(parts.flags.u8(), parts.glyphs))
  const instructions = parts.instructions.take(parts.glyphs.short())
  const shape = Buffer.alloc(10 + contours * 2 + 2 + instructions.length + points.length * 5)
  shape.writeInt16BE(contours, 0)
  ;(box ?? boxOf(points)).copy(shape, 2)
  let at = 10
  for (const end of ends) at = shape.writeUInt16BE(end, at)
  at = shape.writeUInt16BE(instructions.length, at)
  at += instructions.copy(shape, at)
  for (const { on } of points) at = shape.writeUInt8(on ? 1 : 0, at)
  for (const { x } of points) at = shape.writeInt16BE(x, at)
  for (const { y } of points) at = shape.writeInt16BE(y, at)
  return shape
}

/** A step from the point before. */
type Point = { x: number; y: number; on: boolean }

function pointOf(flag: number, data: Reader): Point {
  const on = flag < 128
  const kind = flag & 127
  const signed = (bit: number, value: number) => ((kind >> bit) & 1 ? value : -value)
  if (kind < 10) return { on, x: 0, y: signed(0, ((kind & 14) << 7) + data.u8()) }
  if (kind < 20) return { on, x: signed(0, (((kind - 10) & 14) << 7) + data.u8()), y: 0 }
  if (kind < 84) {
    const [base, byte] = [kind - 20, data.u8()]
    return {
      on,
      x: signed(0, 1 + (base & 0x30) + (byte >> 4)),
      y: signed(1, 1 + ((base & 0x0c) << 2) + (byte & 15)),
    }
  }
  if (kind < 120) {
    const base = kind - 84
    const x = signed(0, 1 + (Math.floor(base / 12) << 8) + data.u8())
    return { on, x, y: signed(1, 1 + (((base % 12) >> 2) << 8) + data.u8()) }
  }
  if (kind < 124) {
    const [first, second] = [data.u8(), data.u8()]
    const x = signed(0, (first << 4) + (second >> 4))
    return { on, x, y: signed(1, ((second & 15) << 8) + data.u8()) }
  }
  const x = signed(0, data.u16())
  return { on, x, y: signed(1, data.u16()) }
}

function boxOf(points: readonly Point[]): Buffer {
  const box = [Infinity, Infinity, -Infinity, -Infinity] as [number, number, number, number]
  let [x, y] = [0, 0]
  for (const step of points) {
    x += step.x
    y += step.y
    box[0] = Math.min(box[0], x)
    box[1] = Math.min(box[1], y)
    box[2] = Math.max(box[2], x)
    box[3] = Math.max(box[3], y)
  }
  const bytes = Buffer.alloc(8)
  for (const [i, value] of box.entries()) bytes.writeInt16BE(Number.isFinite(value) ? value : 0, i * 2)
  return bytes
}

/** Letters that are put together of others: a letter and its accent. */
function composite(parts: Parts, box: Buffer | undefined): Buffer {
  const components: Buffer[] = []
  let flags = 0x20
  let hasInstructions = false
  while ((flags & 0x20) !== 0) {
    const start = parts.composites.take(2)
    flags = start.readUInt16BE()
    hasInstructions ||= (flags & 0x100) !== 0
    const scale = (flags & 0x08) !== 0 ? 2 : (flags & 0x40) !== 0 ? 4 : (flags & 0x80) !== 0 ? 8 : 0
    components.push(start, parts.composites.take(2 + ((flags & 1) !== 0 ? 4 : 2) + scale))
  }
  const instructions = hasInstructions ? parts.instructions.take(parts.glyphs.short()) : undefined
  const head = Buffer.alloc(10)
  head.writeInt16BE(-1, 0)
  box?.copy(head, 2)
  const size = Buffer.alloc(instructions ? 2 : 0)
  if (instructions) size.writeUInt16BE(instructions.length)
  return Buffer.concat([head, ...components, size, ...(instructions ? [instructions] : [])])
}

function offsetsOf(shapes: readonly Buffer[]): Buffer {
  const offsets = Buffer.alloc((shapes.length + 1) * 4)
  let [offset, at] = [0, 0]
  for (const shape of shapes) {
    at = offsets.writeUInt32BE(offset, at)
    offset += shape.length
  }
  offsets.writeUInt32BE(offset, at)
  return offsets
}

/** Left side bearings that equal the left edge of the shape are not in the file. */
function unpackMetrics(data: Buffer, shapes: readonly Buffer[], hhea: Buffer | undefined): Buffer {
  const input = reader(data)
  const flags = input.u8()
  const count = hhea?.readUInt16BE(34) ?? 0
  const advances = Array.from({ length: count }, () => input.u16())
  const bearing = (glyph: number, isLeftOut: boolean) => {
    const shape = shapes[glyph]
    if (!isLeftOut) return input.i16()
    return shape && shape.length > 0 ? shape.readInt16BE(2) : 0
  }
  const metrics = Buffer.alloc(count * 4 + (shapes.length - count) * 2)
  let at = 0
  for (const [glyph, advance] of advances.entries()) {
    at = metrics.writeUInt16BE(advance, at)
    at = metrics.writeInt16BE(bearing(glyph, (flags & 1) !== 0), at)
  }
  for (let glyph = count; glyph < shapes.length; glyph++)
    at = metrics.writeInt16BE(bearing(glyph, (flags & 2) !== 0), at)
  return metrics
}

function sfnt(tables: ReadonlyMap<string, Buffer>): Buffer {
  const sorted = [...tables].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const head = Buffer.alloc(12 + sorted.length * 16)
  head.writeUInt32BE(0x00010000, 0)
  head.writeUInt16BE(sorted.length, 4)
  let [at, offset] = [12, head.length]
  for (const [tag, { length }] of sorted) {
    at += head.write(tag, at, 'latin1') + 4
    at = head.writeUInt32BE(offset, at)
    at = head.writeUInt32BE(length, at)
    offset += length + (-length & 3)
  }
  return Buffer.concat([head, ...sorted.map(([, data]) => padded(data))])
}

/** Which characters a TrueType font has letters for, as its `cmap` says. */
export function charactersOf(font: Buffer): Set<number> {
  const cmap = tableOf(font, 'cmap')
  const known = new Set<number>()
  for (let i = 0; i < cmap.readUInt16BE(2); i++) {
    const table = cmap.subarray(cmap.readUInt32BE(4 + i * 8 + 4))
    if (table.readUInt16BE(0) === 4) addSegments(table, known)
    if (table.readUInt16BE(0) === 12) addGroups(table, known)
  }
  return known
}

function tableOf(font: Buffer, tag: string): Buffer {
  for (let at = 12; at < 12 + font.readUInt16BE(4) * 16; at += 16)
    if (font.toString('latin1', at, at + 4) === tag)
      return font.subarray(font.readUInt32BE(at + 8), font.readUInt32BE(at + 8) + font.readUInt32BE(at + 12))
  throw new Error(`the font has no ${tag}`)
}

function addSegments(table: Buffer, known: Set<number>): void {
  const size = table.readUInt16BE(6)
  for (let i = 0; i < size; i += 2) {
    const [last, first] = [table.readUInt16BE(14 + i), table.readUInt16BE(16 + size + i)]
    const place = 16 + size * 3 + i
    const [delta, range] = [table.readUInt16BE(16 + size * 2 + i), table.readUInt16BE(place)]
    for (let code = first; code <= last && code !== 0xffff; code++) {
      const glyph = range === 0 ? code + delta : table.readUInt16BE(place + range + (code - first) * 2)
      if ((glyph & 0xffff) !== 0) known.add(code)
    }
  }
}

function addGroups(table: Buffer, known: Set<number>): void {
  for (let i = 0; i < table.readUInt32BE(12); i++) {
    const [first, last] = [table.readUInt32BE(16 + i * 12), table.readUInt32BE(20 + i * 12)]
    for (let code = first; code <= last; code++) known.add(code)
  }
}
