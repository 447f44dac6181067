import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** Texts by name; what is not in it, and has nothing below it, is no name. */
export type Zone = Record<string, string[]>
export type NameServer = {
  address: string
  zone: Zone
  /** Where a name leads; asked anew for each question, so that it may lead elsewhere the next time. */
  addressesOf: (name: string) => readonly string[]
  asked: string[]
  close(): Promise<void>
}

/** A name server of this machine that knows texts (TXT) and addresses (A, AAAA): the real resolver asks it, over UDP. */
export async function openNameServer(zone: Zone = {}): Promise<NameServer> {
  const socket = createSocket('udp4')
  const server = {
    address: '',
    zone,
    asked: [] as string[],
    addressesOf: (_name: string): readonly string[] => [],
  }
  socket.on('message', (query, from) => {
    const name = nameIn(query)
    server.asked.push(name)
    const type = query.readUInt16BE(12 + name.length + 2)
    const answer =
      type === types.text
        ? answerTo(query, name, server.zone)
        : addressed(query, name, server.addressesOf(name))
    socket.send(answer, from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  server.address = `127.0.0.1:${socket.address().port}`
  return Object.assign(server, {
    close: () =>
      new Promise<void>((resolve) => {
        socket.close(() => resolve())
      }),
  })
}

/** After the twelve bytes of the head: each part behind its length, and a zero. */
function nameIn(query: Buffer): string {
  const parts: string[] = []
  for (let at = 12; query[at]; at += (query[at] ?? 0) + 1)
    parts.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)))
  return parts.join('.').toLowerCase()
}

const noSuchName = 3
const types = { a: 1, text: 16, aaaa: 28 }

function addressed(query: Buffer, name: string, addresses: readonly string[]): Buffer {
  const type = query.readUInt16BE(12 + name.length + 2)
  const right = addresses.filter((one) => one.includes(':') === (type === types.aaaa))
  const records = right.map((one) => recordWith(type, type === types.a ? bytes4(one) : bytes6(one)))
  return answerWith(query, name, { isKnown: addresses.length > 0, records })
}

const bytes4 = (address: string) => Buffer.from(address.split('.').map(Number))

/** With `::` in it at most once, and an IPv4 address at its end where there is one. */
function bytes6(address: string): Buffer {
  const plain = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...parts: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number)
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
  const [head = '', tail = ''] = plain.split('::')
  const of = (text: string) => text.split(':').filter(Boolean)
  const gap = 8 - of(head).length - of(tail).length
  const groups = [...of(head), ...Array.from({ length: gap }, () => '0'), ...of(tail)]
  return Buffer.concat(groups.map((one) => Buffer.from(one.padStart(4, '0'), 'hex')))
}

function answerTo(query: Buffer, name: string, zone: Zone): Buffer {
  const texts = zone[name] ?? []
  const isKnown = texts.length > 0 || Object.keys(zone).some((known) => known.endsWith(`.${name}`))
  return answerWith(query, name, { isKnown, records: texts.map(recordOf) })
}

type Answer = { isKnown: boolean; records: Buffer[] }

function answerWith(query: Buffer, name: string, { isKnown, records }: Answer): Buffer {
  const question = query.subarray(12, 12 + name.length + 2 + 4)
  const head = Buffer.alloc(12)
  query.copy(head, 0, 0, 2)
  head.writeUInt16BE(0x81_80 | (isKnown ? 0 : noSuchName), 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(records.length, 6)
  return Buffer.concat([head, question, ...records])
}

/** A text is told in pieces of 255 bytes at most. */
function recordOf(text: string): Buffer {
  const pieces = (text.match(/[^]{1,255}/g) ?? []).map((piece) =>
    Buffer.concat([Buffer.from([piece.length]), Buffer.from(piece, 'latin1')]),
  )
  return recordWith(types.text, Buffer.concat(pieces))
}

function recordWith(type: number, data: Buffer): Buffer {
  // The name of the question, Internet, for no time.
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, 0])
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}
