import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'

/**
 * Where the sink breaks off a conversation. `dot`: in the middle of the mail, before the dot that ends it. `afterData`: it has the
 * mail, and the client never learns so.
 */
export type Step = 'connect' | 'ehlo' | 'mail' | 'rcpt' | 'data' | 'dot' | 'body' | 'afterData'
/** `from`: where it comes back to. */
export type Received = { messageId: string; deliveryId: string; from: string; to: string; raw: string }

export type SinkOptions = {
  /** Answered instead of 250 to RCPT, to DATA, or at the end of the mail. */
  reply?: (step: Step, to: string) => string | undefined
  /** True: breaks the connection at this step. */
  drop?: (step: Step) => boolean
  delayMs?: () => number
}

/** A mail server that really speaks SMTP, keeps what it accepted, and misbehaves on demand at every step of the protocol. */
export type Sink = {
  url: string
  received: Received[]
  options: SinkOptions
  /** As a server that is restarted: every line breaks, and none is taken until it starts again at the same address. */
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

export async function openSink(options: SinkOptions = {}): Promise<Sink> {
  const received: Received[] = []
  const sockets = new Set<Socket>()
  const sink = { url: '', received, options }
  let port = 0
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    converse(socket, sink)
  })
  const start = () =>
    new Promise<void>((resolve) => {
      server.listen(port, '127.0.0.1', resolve)
    })
  const stop = () =>
    new Promise<void>((resolve) => {
      for (const socket of sockets) socket.destroy()
      server.close(() => resolve())
    })
  await start()
  port = (server.address() as AddressInfo).port
  sink.url = `smtp://127.0.0.1:${port}?ignoreTLS=true`
  return Object.assign(sink, { start, stop, close: stop })
}

type Talk = { from: string; to: string; lines: string[] | undefined }

function converse(socket: Socket, sink: { received: Received[]; options: SinkOptions }): void {
  const talk: Talk = { from: '', to: '', lines: undefined }
  let buffered = ''
  const drops = (step: Step) => {
    if (!sink.options.drop?.(step)) return false
    socket.destroy()
    return true
  }
  const say = (step: Step, usual: string) => {
    const text = sink.options.reply?.(step, talk.to) ?? usual
    setTimeout(() => socket.write(`${text}\r\n`), sink.options.delayMs?.() ?? 0)
    return text === usual
  }
  if (drops('connect')) return
  say('connect', '220 sink ESMTP')
  socket.on('data', (chunk) => {
    buffered += chunk.toString('latin1')
    for (let end = buffered.indexOf('\r\n'); end !== -1; end = buffered.indexOf('\r\n')) {
      const line = buffered.slice(0, end)
      buffered = buffered.slice(end + 2)
      if (!hear(line)) return
    }
  })

  function hear(line: string): boolean {
    if (talk.lines) return hearBody(line, talk.lines)
    const verb = line.slice(0, 4).toUpperCase()
    if (verb === 'EHLO' || verb === 'HELO') return !drops('ehlo') && (say('ehlo', '250 sink'), true)
    if (verb === 'MAIL') {
      talk.from = /<([^>]*)>/.exec(line)?.[1] ?? ''
      return !drops('mail') && (say('mail', '250 ok'), true)
    }
    if (verb === 'RCPT') {
      talk.to = /<([^>]*)>/.exec(line)?.[1] ?? ''
      return !drops('rcpt') && (say('rcpt', '250 ok'), true)
    }
    if (verb === 'DATA') {
      if (drops('data')) return false
      if (say('data', '354 go on')) talk.lines = []
      return true
    }
    if (verb === 'QUIT') return (socket.end('221 bye\r\n'), false)
    return (say('ehlo', '250 ok'), true)
  }

  function hearBody(line: string, lines: string[]): boolean {
    if (line !== '.') {
      lines.push(line)
      return lines.length !== 5 || !drops('dot')
    }
    talk.lines = undefined
    if (drops('body')) return false
    const raw = lines.join('\r\n')
    const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(raw)?.[1]?.trim() ?? ''
    const mail = {
      messageId: header('Message-ID'),
      deliveryId: header('X-Delivery-Id'),
      from: talk.from,
      to: talk.to,
      raw,
    }
    const refusal = sink.options.reply?.('body', talk.to)
    if (refusal === undefined) sink.received.push(mail)
    if (drops('afterData')) return false
    return (say('body', '250 queued'), true)
  }
}
