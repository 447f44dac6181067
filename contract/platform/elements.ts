import { latin1, type Bytes } from './boxes.ts'

type Track = { kind: 'picture' | 'other'; codec: string; fourcc: string; isEncrypted: boolean }

const ids = { segment: 0x18538067, tracks: 0x1654ae6b }
/** Elements of which the content is of interest, by their numbers. */
const inner = {
  entry: 0xae,
  kind: 0x83,
  codec: 0x86,
  private: 0x63a2,
  encodings: 0x6d80,
  encoding: 0x6240,
  encodingType: 0x5033,
}
const readBytes = 65_536

/** The tracks of a Matroska file, none where its beginning names none, and whether its one segment says that it is longer than the file. */
export function readElements(file: Bytes): { tracks: Track[]; isCut: boolean } {
  const head = file.read(0, readBytes)
  const segment = children(head).find(({ id }) => id === ids.segment)
  if (!segment) return { tracks: [], isCut: false }
  const isCut = segment.isKnown && segment.start + segment.length > file.size
  const found = children(head.subarray(segment.start)).find(({ id }) => id === ids.tracks)
  if (!found) return { tracks: [], isCut }
  const bytes = head.subarray(segment.start + found.start)
  // Half of the tracks would say nothing about the other half.
  if (bytes.length < found.length) return { tracks: [], isCut }
  return { tracks: within(bytes.subarray(0, found.length), inner.entry).map(trackOf), isCut }
}

function trackOf(entry: Uint8Array): Track {
  const text = (id: number) => latin1(within(entry, id)[0] ?? new Uint8Array())
  const encodings = within(entry, inner.encodings).flatMap((each) => within(each, inner.encoding))
  return {
    kind: within(entry, inner.kind)[0]?.at(-1) === 1 ? 'picture' : 'other',
    codec: text(inner.codec),
    // A track that keeps the head of an AVI file names its format there.
    fourcc: text(inner.codec).startsWith('V_MS/VFW') ? text(inner.private).slice(16, 20) : '',
    isEncrypted: encodings.some((each) => within(each, inner.encodingType)[0]?.at(-1) === 1),
  }
}

const within = (bytes: Uint8Array, id: number) =>
  children(bytes)
    .filter((element) => element.id === id)
    .map(({ start, length }) => bytes.subarray(start, start + length))

type Element = { id: number; start: number; length: number; isKnown: boolean }

/** Elements that lie one after the other, as far as their heads are there. */
function children(bytes: Uint8Array): Element[] {
  const found: Element[] = []
  for (let at = 0; at < bytes.length;) {
    const idLength = varintLength(bytes[at])
    const sizeLength = varintLength(bytes[at + idLength])
    const start = at + idLength + sizeLength
    if (idLength > 4 || sizeLength > 8 || start > bytes.length) break
    const length = number(bytes, at + idLength, 0xff >> sizeLength)
    const isKnown = length < 2 ** (7 * sizeLength) - 1
    found.push({ id: number(bytes, at, 0xff), start, length, isKnown })
    at = start + length
  }
  return found
}

function varintLength(first = 0): number {
  return first === 0 ? 9 : Math.clz32(first) - 23
}

/** The number that begins there, with the marks of its length as `mask` leaves them. */
function number(bytes: Uint8Array, at: number, mask: number): number {
  const length = varintLength(bytes[at])
  return Array.from(bytes.subarray(at + 1, at + length)).reduce(
    (sum, byte) => sum * 256 + byte,
    (bytes[at] ?? 0) & mask,
  )
}
