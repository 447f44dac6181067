import parsePrometheusTextFormat from 'parse-prometheus-text-format'
import { pino } from 'pino'
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { buildApp } from '../../app.ts'
import { connect, type Tx } from '../db/client.ts'
import { readEnv, type Env } from '../env.ts'
import type { Services } from '../http/services.ts'
import { startMailWorker, queueMail } from '../jobs/mail.ts'
import { secret } from '../../testing/server.ts'
import { serveMetrics } from './serve.ts'
import { launch, openFolder } from '../../testing/processes/process.ts'
import { openSink } from '../../testing/mail/sink.ts'
import { until } from '../../testing/until.ts'
import { aServer } from '../../testing/worlds.ts'

type Sample = { value?: string; labels?: Record<string, string> }
type Family = { name: string; help: string; type: string; metrics: Sample[] }

const token = 'a token for the metrics'

/** Statements over all organizations that this server has asked. */
const server = await aServer()

let asked = 0
const admin = await server.person('superadmin')
const { db } = server.services
const single: Tx = {
  execute: (statement) => {
    asked += 1
    return db.single.execute(statement)
  },
}
const app = await measured({ METRICS_TOKEN: token }, { db: { ...db, single } })
afterAll(() => app.close())

function settings(environment: Record<string, string>): Env {
  return readEnv({ LOG_LEVEL: 'silent', DATA_DIR: server.services.env.dataDir, ...environment })
}

function measured(environment: Record<string, string>, services: Partial<Services> = {}) {
  const env = settings(environment)
  return buildApp({ ...server.services, ...services, env }, pino({ level: 'silent' }))
}

const authorization = `Bearer ${token}`

/** As Prometheus does it. */
async function textOf(from = app): Promise<string> {
  const answer = await from.inject({ url: '/metrics', headers: { authorization } })
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
  return answer.body
}

const scrape = async (from = app) => parsePrometheusTextFormat(await textOf(from)) as Family[]

const samplesOf = (all: Family[], name: string) => all.find((one) => one.name === name)?.metrics ?? []
function valueOf(all: Family[], name: string, labels: Record<string, string> = {}): number | undefined {
  const found = samplesOf(all, name).find((one) =>
    Object.entries(labels).every(([label, value]) => one.labels?.[label] === value),
  )
  return found === undefined ? undefined : Number(found.value)
}

test('there is no such address without a token, and nobody reads it without the right one', async () => {
  const plain = await measured({})
  const headers = { accept: 'application/json' }
  expect((await plain.inject({ url: '/metrics', headers })).statusCode).toBe(404)
  await plain.close()
  for (const shown of ['', 'Bearer another', `Basic ${token}`, `Bearer ${admin.token}`]) {
    const answer = await app.inject({ url: '/metrics', headers: { authorization: shown } })
    expect(answer.statusCode).toBe(401)
    expect(answer.body).not.toContain('http_requests_total')
  }
})

test('how old the newest backup is, and the newest check, as long as a plan makes them', async () => {
  const name = 'sendreel_backup_last_success_timestamp_seconds'
  const other = await measured({ METRICS_TOKEN: token })
  expect(valueOf(await scrape(other), name)).toBeUndefined()
  await other.close()
  const { db } = server.services
  await db.system.query(
    `update backup_plan set is_on = true, made_at = now(), updated_at = now() - interval '1 day', checked_at = now() - interval '1 hour'`,
  )
  const planned = await measured({ METRICS_TOKEN: token })
  expect(Math.abs((valueOf(await scrape(planned), name) ?? 0) - Date.now() / 1000)).toBeLessThan(60)
  const checked = 'sendreel_backup_last_checked_timestamp_seconds'
  const hourAgo = Date.now() / 1000 - 3_600
  expect(Math.abs((valueOf(await scrape(planned), checked) ?? 0) - hourAgo)).toBeLessThan(60)
  await planned.close()
  await db.system.query(`update backup_plan set check_every = 'never'`)
  const unchecked = await measured({ METRICS_TOKEN: token })
  expect(valueOf(await scrape(unchecked), checked)).toBeUndefined()
  await unchecked.close()
  await db.system.query('update backup_plan set is_on = false, made_at = null, checked_at = null')
})

test('the token may come from a file', async () => {
  const file = path.join(server.services.env.dataDir, 'metrics-token')
  await writeFile(file, `${token}\n`)
  const other = await measured({ METRICS_TOKEN_FILE: file })
  expect((await scrape(other)).length).toBeGreaterThan(20)
  await other.close()
})

test('requests are counted and timed by the pattern of their address, and by no id', async () => {
  const labels = { route: '/api/organizations/:orgId', method: 'GET', status: '4xx' }
  const ids = [crypto.randomUUID(), crypto.randomUUID()]
  const before = valueOf(await scrape(), 'http_requests_total', labels) ?? 0
  for (const id of ids) await app.inject({ url: `/api/organizations/${id}` })
  await app.inject({ url: `/somewhere/${ids[0]}` })
  const all = await scrape()
  expect(valueOf(all, 'http_requests_total', labels)).toBe(before + 2)
  const text = await textOf()
  expect(text).toContain(
    `http_request_duration_seconds_count{route="${labels.route}",method="GET",status="4xx",process="server"} ${before + 2}\n`,
  )
  for (const id of ids) expect(text).not.toContain(id)
})

test('the queue is told as deep and as old as it is, also where nothing is in it', async () => {
  await server.services.db.system.query(
    `insert into pgboss.job (name, data, start_after, created_on)
      values ('reports.send', '{}', now() - interval '90 seconds', now() - interval '90 seconds')`,
  )
  const other = await measured({ METRICS_TOKEN: token })
  const all = await scrape(other)
  await other.close()
  expect(valueOf(all, 'sendreel_queue_depth', { queue: 'reports.send', state: 'waiting' })).toBe(1)
  const seconds = valueOf(all, 'sendreel_queue_oldest_seconds', { queue: 'reports.send' })
  expect(seconds).toBeGreaterThan(89)
  expect(seconds).toBeLessThan(150)
  expect(valueOf(all, 'sendreel_queue_oldest_seconds', { queue: 'video.process' })).toBe(0)
  await server.services.db.system.query(`delete from pgboss.job where name = 'reports.send'`)
})

test('however often one scrapes, the database is asked once in a while', async () => {
  await scrape()
  asked = 0
  await Promise.all(Array.from({ length: 20 }, () => scrape()))
  expect(asked).toBe(0)
})

test('a mail that left and one that was refused are counted, and so is the job', async () => {
  const sink = await openSink({
    reply: (step, to) => (step === 'rcpt' && to.startsWith('no') ? '550 no' : undefined),
  })
  const services = { ...server.services, env: settings({ SMTP_URL: sink.url }) }
  const before = await scrape()
  for (const address of ['yes@example.test', 'no@example.test'])
    await services.db.as('system', (tx) =>
      queueMail(services, tx, { organizationId: null, address, subject: 's', text: 't' }),
    )
  const worker = await startMailWorker(services)
  const rise = async (name: string, labels: Record<string, string>) =>
    (valueOf(await scrape(), name, labels) ?? 0) - (valueOf(before, name, labels) ?? 0)
  await until(async () => (await rise('sendreel_jobs_total', { queue: 'mail.send', result: 'done' })) > 0)
  expect(await rise('sendreel_mail_sends_total', { result: 'accepted' })).toBe(1)
  expect(await rise('sendreel_mail_sends_total', { result: 'rejected' })).toBe(1)
  await worker.stop()
  await sink.close()
})

test('without a database that is said, and no old figure is told as a present one', async () => {
  const gone = connect('postgres://sendreel_app:x@127.0.0.1:2/none')
  const env = settings({ METRICS_TOKEN: token, METRICS_PORT: '0' })
  const other = await serveMetrics({ ...server.services, db: gone, env })
  const all = await scrape(other)
  expect(valueOf(all, 'sendreel_database_up')).toBe(0)
  expect(samplesOf(all, 'sendreel_queue_depth')).toEqual([])
  expect(samplesOf(all, 'sendreel_evidence_lag_seconds')).toEqual([])
  expect(valueOf(all, 'process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
  await other.close()
  await gone.close()
})

test('names and units are those of Prometheus', async () => {
  const all = await scrape()
  for (const { name, help, type } of all) {
    expect(help, name).not.toBe('')
    expect(name.endsWith('_total'), name).toBe(type === 'COUNTER')
    expect(name).not.toMatch(/_(ms|milliseconds|kb|mb|minutes)$/)
  }
})

test('a worker alone is measured at a port of its own, and a media process beside it too', async () => {
  const folder = await openFolder()
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  const program = launch({
    DATABASE_URL: server.ownerUrl,
    DATA_DIR: folder,
    RUN: 'worker,media',
    METRICS_PORT: String(port),
    SECRET_KEY: secret,
  })
  const text = await until(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined)
    const body = await answer?.text()
    return body?.includes('process="media"') && body
  })
  const memory = (parsePrometheusTextFormat(text) as Family[]).find(
    ({ name }) => name === 'process_resident_memory_bytes',
  )
  expect(memory?.metrics.map(({ labels }) => labels?.['process']).toSorted()).toEqual(['media', 'server'])
  expect(text.match(/^# TYPE process_resident_memory_bytes gauge$/gm)).toHaveLength(1)
  program.child.kill('SIGTERM')
  expect(await program.ended).toBe('0')
  await rm(folder, { recursive: true, force: true })
}, 90_000)

test('a port without a token answers to its own names only, one with a token to whoever shows it', async () => {
  const readMetrics = async (environment: Record<string, string>, headers: Record<string, string>) => {
    const own = await serveMetrics({
      ...server.services,
      env: settings({ METRICS_PORT: '0', ...environment }),
    })
    try {
      const { statusCode, body } = await own.inject({ url: '/metrics', headers })
      return { statusCode, body }
    } finally {
      await own.close()
    }
  }
  for (const host of ['127.0.0.1:9464', 'localhost:9464', 'LOCALHOST', '[::1]:9464'])
    expect((await readMetrics({}, { host })).statusCode, host).toBe(200)
  for (const host of [
    'evil.example:9464',
    '127.0.0.1.evil.example',
    'localhost.evil.example:9464',
    '169.254.1.1:9464',
  ]) {
    const { statusCode, body } = await readMetrics({}, { host, 'x-forwarded-host': 'localhost' })
    expect([host, statusCode]).toEqual([host, 403])
    expect(JSON.parse(body)).toMatchObject({ code: 'forbidden', reason: { code: 'metrics_host' } })
    expect(body).not.toContain('process_')
  }
  const named = { host: 'sendreel:9464' }
  expect((await readMetrics({ METRICS_TOKEN: token }, named)).statusCode).toBe(401)
  expect((await readMetrics({ METRICS_TOKEN: token }, { ...named, authorization })).statusCode).toBe(200)
})

test('metrics that others can reach need a token', () => {
  expect(() => settings({ METRICS_PORT: '0.0.0.0:9464' })).toThrow('METRICS_TOKEN')
  expect(settings({ METRICS_PORT: '0.0.0.0:9464', METRICS_TOKEN: token }).metricsHost).toBe('0.0.0.0')
  expect(settings({ METRICS_PORT: '9464' })).toMatchObject({ metricsHost: '127.0.0.1', metricsPort: 9464 })
})
