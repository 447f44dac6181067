/** A time of 33 bits in 90,000ths of a second, in a transport stream: where it stands, and of what. */
type Stamp = { kind: 'picture' | 'sound'; places: number[] }

const packetLength = 188
const isPicture = (streamId: number) => streamId >= 0xe0

/** Every time in a transport stream that is well formed, by the head of the packet of picture or sound that it belongs to (ISO 13818-1, 2.4.3.6). */
function* stampsOf(stream: Buffer): Generator<Stamp> {
  const byte = (at: number) => stream[at] ?? 0
  for (let at = 0; at + packetLength <= stream.length; at += packetLength) {
    if (!(byte(at + 1) & 0x40)) continue
    const head = at + 4 + (byte(at + 3) & 0x20 ? 1 + byte(at + 4) : 0)
    if (stream.readUIntBE(head, 3) !== 1 || !(byte(head + 7) & 0x80)) continue
    const places = byte(head + 7) & 0x40 ? [head + 9, head + 14] : [head + 9]
    yield { kind: isPicture(byte(head + 3)) ? 'picture' : 'sound', places }
  }
}

function addTo(stream: Buffer, at: number, ticks: bigint) {
  const [first, second, third] = [
    stream.readUInt8(at),
    stream.readUInt16BE(at + 1),
    stream.readUInt16BE(at + 3),
  ]
  const before = (BigInt((first >> 1) & 7) << 30n) | (BigInt(second >> 1) << 15n) | BigInt(third >> 1)
  const time = BigInt.asUintN(33, before + ticks)
  stream.writeUInt8((first & 0xf0) | (Number(time >> 30n) << 1) | 1, at)
  stream.writeUInt16BE((Number((time >> 15n) & 0x7fffn) << 1) | 1, at + 1)
  stream.writeUInt16BE((Number(time & 0x7fffn) << 1) | 1, at + 3)
}

type Which = (time: { kind: Stamp['kind']; index: number; count: number }) => number

/** A copy of a transport stream in which each time is later by the seconds that `which` gives for it. */
export function withLeaps(stream: Buffer, which: Which): Buffer {
  const copy = Buffer.from(stream)
  const stamps = [...stampsOf(copy)]
  stamps.forEach(({ kind, places }, index) => {
    const seconds = which({ kind, index, count: stamps.length })
    for (const at of places) addTo(copy, at, BigInt(Math.round(seconds * 90_000)))
  })
  return copy
}
