import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'

type Message = { uid: number; raw: Buffer; flags: Set<string>; at: Date }

/** A mailbox of one folder. `said`: every command that came, without the login. */
export type ImapServer = {
  port: number
  messages: Message[]
  uidValidity: number
  said: string[]
  put(raw: string | Buffer, at?: Date): Message
  /** As a folder that was removed and made again: the same messages under other numbers. */
  makeAnew(): void
  /** Broken off right after the answer to so many more commands. */
  breakAfter: number
  close(): Promise<void>
}

const user = 'bounces'
const password = 'the right one'
const folder = 'INBOX'
export const imapLogin = { user, password, folder }

/** A server that speaks as much IMAP (RFC 3501) as reading a mailbox takes. */
export async function openImap(): Promise<ImapServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    converse(socket, box)
  })
  let next = 1
  const box: ImapServer = {
    port: 0,
    messages: [],
    uidValidity: 1_000,
    said: [],
    breakAfter: Infinity,
    put(raw, at = new Date()) {
      const message = { uid: next, raw: Buffer.from(raw), flags: new Set<string>(), at }
      next += 1
      box.messages.push(message)
      return message
    },
    makeAnew() {
      box.uidValidity += 1
      next = 1
      for (const one of box.messages) {
        one.uid = next
        next += 1
      }
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
    },
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  box.port = (server.address() as AddressInfo).port
  return box
}

function converse(socket: Socket, box: ImapServer): void {
  let buffered = ''
  socket.write('* OK [CAPABILITY IMAP4rev1] ready\r\n')
  socket.on('data', (chunk) => {
    buffered += chunk.toString('latin1')
    for (let end = buffered.indexOf('\r\n'); end !== -1; end = buffered.indexOf('\r\n')) {
      const line = buffered.slice(0, end)
      buffered = buffered.slice(end + 2)
      const [, tag = '', command = ''] = /^(\S+) (.*)$/.exec(line) ?? []
      socket.write(Buffer.concat([...answer(box, command), Buffer.from(doneOf(box, tag, command))]))
      box.breakAfter -= 1
      if (box.breakAfter <= 0) socket.destroy()
      if (command.startsWith('LOGOUT')) socket.end()
    }
  })
}

const words = (command: string) =>
  (command.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? []).map((word) => word.replaceAll(/^"|"$/g, ''))

function doneOf(box: ImapServer, tag: string, command: string): string {
  const [name = '', first = '', second = ''] = words(command)
  if (name === 'LOGIN' && (first !== user || second !== password))
    return `${tag} NO [AUTHENTICATIONFAILED] Wrong\r\n`
  if (name !== 'LOGIN') box.said.push(command)
  if ((name === 'SELECT' || name === 'EXAMINE') && first !== folder)
    return `${tag} NO [NONEXISTENT] No such folder\r\n`
  return `${tag} OK done\r\n`
}

function answer(box: ImapServer, command: string): Buffer[] {
  const [name = '', first = ''] = words(command)
  if (name === 'CAPABILITY') return [Buffer.from('* CAPABILITY IMAP4rev1\r\n')]
  if (name === 'LIST') return [Buffer.from(`* LIST () "/" ${folder}\r\n`)]
  if (name === 'SELECT' || name === 'EXAMINE') return first === folder ? [opened(box)] : []
  if (command.startsWith('UID SEARCH')) return [searched(box, command)]
  if (command.startsWith('UID FETCH')) return chosen(box, command).map((one) => fetched(box, one, command))
  if (command.startsWith('UID STORE'))
    return chosen(box, command).map((one) => {
      one.flags.add(/\((\S+)\)/.exec(command)?.[1] ?? '')
      return Buffer.from(`* ${box.messages.indexOf(one) + 1} FETCH (UID ${one.uid})\r\n`)
    })
  return []
}

const opened = ({ messages, uidValidity }: ImapServer) =>
  Buffer.from(
    String.raw`* FLAGS (\Seen \Deleted)
* OK [PERMANENTFLAGS (\Seen \Deleted \*)] limited
* ${messages.length} EXISTS
* 0 RECENT
* OK [UIDVALIDITY ${uidValidity}] valid
* OK [UIDNEXT ${(messages.at(-1)?.uid ?? 0) + 1}] next
`.replaceAll('\n', '\r\n'),
  )

function searched({ messages }: ImapServer, command: string): Buffer {
  const from = Number(/UID (\d+):\*/.exec(command)?.[1] ?? 1)
  const since = new Date(`${/SINCE "?([\w-]+)/.exec(command)?.[1] ?? '1-Jan-1970'} UTC`)
  const last = messages.at(-1)?.uid
  const found = messages.filter(({ uid, at }) => (uid >= from || uid === last) && at >= since)
  return Buffer.from(`* SEARCH ${found.map(({ uid }) => uid).join(' ')}\r\n`)
}

const chosen = ({ messages }: ImapServer, command: string) =>
  messages.filter(({ uid }) => uid === Number(words(command)[2]))

function fetched({ messages }: ImapServer, message: Message, command: string): Buffer {
  const most = Number(/BODY\.PEEK\[\]<0\.(\d+)>/.exec(command)?.[1] ?? 0)
  const part = message.raw.subarray(0, most)
  const [day = '', time = ''] = message.at.toISOString().split('T')
  const [year, month = '', date] = day.split('-')
  const named = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')[Number(month) - 1]
  const at = `${date}-${named}-${year} ${time.slice(0, 8)} +0000`
  const seq = messages.indexOf(message) + 1
  const head = `* ${seq} FETCH (UID ${message.uid} INTERNALDATE "${at}" BODY[]<0> {${part.length}}\r\n`
  return Buffer.concat([Buffer.from(head), part, Buffer.from(')\r\n')])
}
