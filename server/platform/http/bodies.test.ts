import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import Fastify from 'fastify'
import { expect, test, vi } from 'vitest'
import { readEnv } from '../env.ts'
import { startPlay } from '../../tracking/ingest/token.ts'
import { addVideo, batchOf } from '../../testing/viewing/viewing.ts'
import { aServer } from '../../testing/worlds.ts'
import { trusting } from './address.ts'
import { bodyLimits, boundBodies } from './bodies.ts'
import { faultsOf } from './faults.ts'

const server = await aServer()
await server.app.listen({ port: 0, host: '127.0.0.1' })
const port = (server.app.server.address() as AddressInfo).port

type Half = { socket: Socket; answered: () => string; closed: Promise<unknown> }

/** Announces a hundred bytes, and sends one. */
async function halfSent(path: string, headers = '', at = port): Promise<Half> {
  const socket = connect(at, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', () => undefined)
  const closed = once(socket, 'close').catch(() => undefined)
  await once(socket, 'connect')
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n${headers}\r\n{`,
  )
  return { socket, answered: () => text, closed }
}

const many = <T>(count: number, make: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)))
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Those that were given up, as soon as there are so many; there are no more a moment later. */
async function closedOf(halves: readonly Half[], count: number): Promise<Half[]> {
  const closed = () => halves.filter(({ socket }) => socket.closed)
  await vi.waitFor(() => expect(closed().length).toBeGreaterThanOrEqual(count), 20_000)
  await pause(500)
  expect(closed().length).toBe(count)
  return closed()
}

/** What is posted arrives in two pieces, as it does on a phone. */
async function inTwoPieces(body: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await once(socket, 'connect')
  const head = `POST /api/tracks HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\n\r\n`
  socket.write(head + body.slice(0, 20))
  await pause(100)
  socket.write(body.slice(20))
  await once(socket, 'close')
  return text.split(' ')[1] ?? ''
}

test('of 400 half-sent bodies a hundred may wait, and 500 colleagues behind the same address are refused nothing', async () => {
  const halves = await many(400, () => halfSent('/api/auth/login'))
  const refused = await closedOf(halves, 300)
  expect(refused[0]?.answered()).toMatch(/^HTTP\/1\.1 429 [^]*retry-after: 30[^]*"code":"too_many_requests"/)

  const org = await server.organization()
  const { videoId: video, versionId: version } = await addVideo(server, { organizationId: org })
  const play = { org, video, version, durMs: 60_000, kind: 'recipient' as const, maxRate: 2, theta: 0.95 }
  const statuses = await many(500, () => {
    const { token } = startPlay(server.services.keys, { ...play, userId: crypto.randomUUID() })
    return inTwoPieces(JSON.stringify(batchOf({ playToken: token })))
  })
  expect(statuses.filter((status) => status !== '200')).toEqual([])
  for (const { socket } of halves) socket.destroy()
})

test('where a message ends is told in one way, or it is not taken', async () => {
  const sendRaw = async (head: string, tail: string) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', () => undefined)
    await once(socket, 'connect')
    socket.write(
      `POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${head}\r\n${tail}`,
    )
    await vi.waitFor(() => expect(text).toContain('HTTP/1.1'), 5_000)
    await pause(100)
    socket.destroy()
    return [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
  }
  const hidden = 'GET /api/health HTTP/1.1\r\nhost: x\r\n\r\n'
  for (const head of [
    'content-length: 2\r\ntransfer-encoding: chunked\r\n',
    'transfer-encoding: chunked\r\ncontent-length: 2\r\n',
    'content-length: 2\r\ncontent-length: 40\r\n',
    'transfer-encoding: chunked, identity\r\n',
    'content-length : 2\r\n',
    'content-length: +2\r\n',
  ])
    expect(await sendRaw(head, `0\r\n\r\n${hidden}`), head).toEqual(['400'])
  expect(await sendRaw('content-length: 2\r\n', `{}${hidden}`)).toEqual(['422', '200'])
})

test('a network that holds many slow bodies takes nothing from another one', async () => {
  const from = (address: string) => (_n: number) =>
    halfSent('/api/auth/login', `x-forwarded-for: ${address}\r\n`)
  const [loud, quiet] = await Promise.all([many(150, from('198.51.100.7')), many(50, from('203.0.113.9'))])
  await closedOf(loud, 50)
  expect(await closedOf(quiet, 0)).toEqual([])
  for (const { socket } of [...loud, ...quiet]) socket.destroy()
})

test('a body that stays away is given up with 408, and one that nobody reads is cut off', async () => {
  const env = readEnv({})
  const app = Fastify({ trustProxy: trusting(env.trustedProxies) })
  app.setErrorHandler(faultsOf(env))
  const limits = { ...bodyLimits, slowAfterMs: 50, patienceMs: 150, bytesPerSecond: 1e9, afterAnswerMs: 50 }
  boundBodies(app, limits)
  app.post('/whole', async () => ({}))
  app.post('/refused', { onRequest: async (_request, reply) => reply.status(401).send({}) }, async () => ({}))
  app.post('/upload', { config: { endlessBody: true } }, async () => ({}))
  await app.listen({ port: 0, host: '127.0.0.1' })
  const at = (app.server.address() as AddressInfo).port
  const [late, refused, upload] = await Promise.all(
    ['/whole', '/refused', '/upload'].map((path) => halfSent(path, '', at)),
  )
  await Promise.all([late?.closed, refused?.closed])
  expect(late?.answered()).toMatch(/^HTTP\/1\.1 408 /)
  expect(refused?.answered()).toMatch(/^HTTP\/1\.1 401 /)
  expect(upload?.socket.closed).toBe(false)
  upload?.socket.destroy()
  await app.close()
})
