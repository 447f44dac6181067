import { rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onBehalfOf } from './origin.ts'
import { launch, openFolder, type Program } from '../../testing/processes/process.ts'
import { secret, startTestServer, type Person, type TestServer } from '../../testing/server.ts'
import { openSink, type Sink } from '../../testing/mail/sink.ts'
import { until } from '../../testing/until.ts'

type Span = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  attributes: { key: string; value: Record<string, unknown> }[]
}
type Export = {
  resourceSpans: { resource: { attributes: object[] }; scopeSpans: { spans: Span[] }[] }[]
}

let server: TestServer
let admin: Person
let sink: Sink
let collector: Server
let folder: string
const received: Span[] = []
const bodies: string[] = []
let program: Omit<Program, 'url'>
let url: string

/** What collects traces, as far as this needs it: OTLP over HTTP, in JSON. */
async function openCollector(): Promise<string> {
  collector = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      bodies.push(body)
      const { resourceSpans } = JSON.parse(body) as Export
      for (const { scopeSpans } of resourceSpans) for (const { spans } of scopeSpans) received.push(...spans)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => collector.once('listening', resolve))
  return `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
}

beforeAll(async () => {
  server = await startTestServer()
  admin = await server.person('superadmin')
  sink = await openSink({
    reply: (step, to) => (step === 'rcpt' && to.startsWith('no') ? '550 no' : undefined),
  })
  folder = await openFolder()
  program = launch({
    DATABASE_URL: server.ownerUrl,
    SECRET_KEY: secret,
    DATA_DIR: folder,
    RUN: 'api,worker',
    SMTP_URL: sink.url,
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_ENDPOINT: await openCollector(),
    OTEL_BSP_SCHEDULE_DELAY: '100',
  })
  url = await until(async () => / is ready at (\S+)/.exec(program.output())?.[1])
}, 90_000)
afterAll(async () => {
  program.child.kill('SIGTERM')
  await program.ended
  collector.close()
  await sink.close()
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

/** Invites somebody; the answer names the request. */
async function invite(email: string): Promise<string> {
  const answer = await fetch(`${url}/api/invitations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ organizationId: null, email, role: 'superadmin', groupIds: [] }),
  })
  expect(answer.status).toBe(201)
  return answer.headers.get('x-request-id') ?? ''
}

const spansOf = (name: string) => received.filter((span) => span.name === name)
const parentOf = (span: Span | undefined) =>
  received.find(({ spanId }) => spanId === span?.parentSpanId)?.name

test('request, transaction, job and mail are one trace, each within what began it', async () => {
  await invite('yes-traced@example.test')
  const mail = await until(async () => spansOf('send mail')[0])
  const whole = await until(async () => {
    // Each part is sent when it ends: the request and the job end after the mail, each in its own time.
    const all = received.filter(({ traceId }) => traceId === mail.traceId)
    const names = new Set(all.map(({ name }) => name))
    return names.has('POST /api/invitations') && names.has('process mail.send') && all
  })
  expect(whole.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['transaction', 'send mail.send', 'process mail.send', 'send mail']),
  )
  expect(parentOf(mail)).toBe('process mail.send')
  expect(parentOf(whole.find(({ name }) => name === 'process mail.send'))).toBe('send mail.send')
  expect(parentOf(whole.find(({ name }) => name === 'send mail.send'))).toBe('transaction')
  const request = whole.find(({ name }) => name === 'POST /api/invitations')
  expect(request?.parentSpanId ?? '').toBe('')
  expect(request?.attributes).toContainEqual({
    key: 'http.response.status_code',
    value: { intValue: 201 },
  })
})

test('nothing about a person is in a trace', () => {
  const text = bodies.join('')
  for (const hidden of ['example.test', admin.id, admin.email, admin.token, 'superadmin'])
    expect(text).not.toContain(hidden)
  expect(text).toContain('"sendreel"')
})

type Line = { reqId?: string; queue?: string; msg: string }
const lines = () =>
  program
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line)

test('what a job writes into the log names the request that began it, as its answer did', async () => {
  const requestId = await invite('no-logged@example.test')
  const line = await until(async () => lines().find(({ msg }) => msg === 'mail not sent'))
  expect(requestId).toMatch(/^[\da-f-]{36}$/)
  expect(line).toMatchObject({ reqId: requestId, queue: 'mail.send' })
  expect(lines().filter(({ reqId, msg }) => reqId === requestId && msg === 'request completed')).toHaveLength(
    1,
  )
  const doubled = program
    .output()
    .split('\n')
    .filter((one) => one.split('"reqId":').length > 2)
  expect(doubled).toEqual([])
})

test('a job waits once, whichever request began it', async () => {
  const { jobs, db } = server.services
  // Nobody works on these here.
  const ids = {
    organizationId: crypto.randomUUID(),
    videoId: crypto.randomUUID(),
    versionId: crypto.randomUUID(),
  }
  for (const requestId of ['a', 'b']) await onBehalfOf({ requestId }, () => jobs.wake('video.probe', ids))
  const { rows } = await db.system.query<{ data: object }>(
    `select data from pgboss.job where name = 'video.probe' and data->>'videoId' = $1`,
    [ids.videoId],
  )
  expect(rows).toEqual([{ data: { ...ids, origin: { requestId: 'a' } } }])
})
