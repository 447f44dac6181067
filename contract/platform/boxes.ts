/** A file that can be read anywhere; fewer bytes come where it ends, or where only its beginning is at hand. */
export type Bytes = { size: number; read: (at: number, length: number) => Uint8Array }

/** Content of a box, and the names of those around it, such as `moov/trak`. */
type Box = { path: string; start: number; end: number }

const first = new Set(['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide', 'pnot', 'styp'])
const outer = new Set([
  'moov',
  'moov/trak',
  'moov/trak/mdia',
  'moov/trak/mdia/minf',
  'moov/trak/mdia/minf/dinf',
  'moov/trak/mdia/minf/stbl',
])
/** What holds the film. A box of another kind may be torn without any loss. */
const holdsFilm = new Set(['mdat', 'moov', 'moof'])
/** More than twelve hours have, in pieces of half a second each. */
const most = 400_000

/** One character for each byte. */
export function latin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
}

/** Whether a file starts like MP4 or QuickTime. */
export function isBoxes(head: Uint8Array): boolean {
  return head.length >= 8 && first.has(latin1(head.subarray(4, 8)))
}

/** The boxes of an MP4 or QuickTime file down to its tables, and whether one that holds the film reaches beyond the end of the file. */
export function findBoxes(file: Bytes): { boxes: Box[]; isCut: boolean } {
  const boxes: Box[] = []
  const open: Box[] = [{ path: '', start: 0, end: file.size }]
  let isCut = false
  for (let around = open.pop(); around && boxes.length < most; around = open.pop()) {
    for (let at = around.start; at + 8 <= around.end && boxes.length < most;) {
      const box = boxAt(file, at, around)
      if (!box) break
      if (box.end > around.end) isCut ||= holdsFilm.has(box.path)
      boxes.push(box)
      if (outer.has(box.path)) open.push({ ...box, end: Math.min(box.end, around.end) })
      at = box.end
    }
  }
  return { boxes, isCut }
}

function boxAt(file: Bytes, at: number, around: Box): Box | undefined {
  const head = file.read(at, 16)
  if (head.length < 8) return undefined
  const view = new DataView(head.buffer, head.byteOffset, head.length)
  const short = view.getUint32(0)
  const name = latin1(head.subarray(4, 8))
  const header = short === 1 ? 16 : 8
  if (header > head.length) return undefined
  const size = short === 0 ? around.end - at : short === 1 ? Number(view.getBigUint64(8)) : short
  if (size < header) return undefined
  const path = around.path === '' ? name : `${around.path}/${name}`
  return { path, start: at + header, end: at + size }
}
