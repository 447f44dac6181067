import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** Texts by name; what is not in it, and has nothing below it, is no name. */
export type Zone = Record<string, string[]>
export type NameServer = { address: string; zone: Zone; asked: string[]; close(): Promise<void> }

/** A name server of this machine that knows texts (TXT) alone: the real resolver asks it, over UDP. */
export async function openNameServer(zone: Zone = {}): Promise<NameServer> {
  const socket = createSocket('udp4')
  const server = { address: '', zone, asked: [] as string[] }
  socket.on('message', (query, from) => {
    const name = nameIn(query)
    server.asked.push(name)
    socket.send(answerTo(query, name, server.zone), from.port, from.address)
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

function answerTo(query: Buffer, name: string, zone: Zone): Buffer {
  const texts = zone[name] ?? []
  const isKnown = texts.length > 0 || Object.keys(zone).some((known) => known.endsWith(`.${name}`))
  const question = query.subarray(12, 12 + name.length + 2 + 4)
  const head = Buffer.alloc(12)
  query.copy(head, 0, 0, 2)
  head.writeUInt16BE(0x81_80 | (isKnown ? 0 : noSuchName), 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(texts.length, 6)
  return Buffer.concat([head, question, ...texts.map(recordOf)])
}

/** A text is told in pieces of 255 bytes at most. */
function recordOf(text: string): Buffer {
  const pieces = (text.match(/[^]{1,255}/g) ?? []).map((piece) =>
    Buffer.concat([Buffer.from([piece.length]), Buffer.from(piece, 'latin1')]),
  )
  const data = Buffer.concat(pieces)
  // The name of the question, TXT, Internet, for no time.
  const head = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 0, 0, 0])
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}
