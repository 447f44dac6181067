import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import https from 'node:https'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'

/** `path`: with what is asked. A request without a body has no data. */
export type Posted = {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
  data: Data
}
type Data = {
  deliveryId: string
  organization: { id: string; name: string }
  person: { id: string; name: string; email: string; phone: string | null }
  subject: string
  text: string
  link: string
  signIn: string | null
}

/** What it does once it has a message whole; it answers 200 by itself. */
export type Behaviour = (posted: Posted, answer: ServerResponse, socket: Socket) => void

/** Somebody who gets messages over HTTPS, with a certificate of an authority of their own, and misbehaves on demand. */
export type Receiver = {
  port: number
  /** File with the certificate of the authority. */
  ca: string
  posted: Posted[]
  /** Lines that were opened, whatever came over them. */
  lines: number
  behave: Behaviour
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

/** For these names. Made anew, as a certificate in the sources would end some day. */
export function certificate(names: readonly string[]) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'sendreel-hook-'))
  const key = path.join(folder, 'key.pem')
  const cert = path.join(folder, 'cert.pem')
  const subject = names.map((name) => `DNS:${name}`).join(',')
  const made = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=receiver -addext subjectAltName=${subject}`
  execFileSync('openssl', [...made.split(' '), '-keyout', key, '-out', cert], { stdio: 'ignore' })
  return { key: readFileSync(key), cert: readFileSync(cert), file: cert }
}

export const kind: Behaviour = (_posted, answer) => void answer.end('taken')

export async function openReceiver(names: readonly string[]): Promise<Receiver> {
  const { key, cert, file } = certificate(names)
  const sockets = new Set<Socket>()
  const receiver = { port: 0, ca: file, posted: [] as Posted[], lines: 0, behave: kind }
  const server = https.createServer({ key, cert }, (request, answer) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      const { data } = JSON.parse(body || '{"data":{}}') as { data: Data }
      const { method = '', url = '', headers } = request
      const posted = { method, path: url, headers, body, data }
      receiver.posted.push(posted)
      receiver.behave(posted, answer, request.socket)
    })
  })
  server.on('connection', (socket) => {
    receiver.lines += 1
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', () => undefined)
  const start = async () => {
    server.listen(receiver.port, '127.0.0.1')
    await once(server, 'listening')
    receiver.port = (server.address() as AddressInfo).port
  }
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  await start()
  return Object.assign(receiver, { start, stop, close: stop })
}
