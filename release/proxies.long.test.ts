import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type ClientHttp2Session } from 'node:http2'
import { get, type IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { createServer, type AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { json } from 'node:stream/consumers'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { watchNotifications } from '#contract/notifications/notifications.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { listSessions } from '#contract/identity/sessions.ts'
import { setUp } from '#contract/identity/setup.ts'
import { createVideo, readUpload, readVideo } from '#contract/videos/videos.ts'
import { until } from '#server/testing/until.ts'
import { clientOf, passphrase, type Client } from '../e2e/client.ts'
import { startProduct, type Product } from '../e2e/product.ts'
import { readyVideo } from '../e2e/upload.ts'

const deploy = path.resolve(import.meta.dirname, '../deploy')
let folder: string
let closing: (() => Promise<unknown>)[] = []

beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'sendreel-proxies-'))
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const files = ['-keyout', 'key.pem', '-out', 'cert.pem', '-days', '2']
  const options = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...files, ...names]
  execFileSync('/usr/bin/openssl', options, { cwd: folder, stdio: 'ignore' })
  return () => rmSync(folder, { recursive: true, force: true })
})
afterEach(async () => {
  for (const close of closing.toReversed()) await close()
  closing = []
})

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  return port
}

type Ports = { plain: number; tls: number; product: number }

const example = (name: string) => readFileSync(path.join(deploy, name), 'utf8')
/** Where nobody listens: the second process of an example for several. */
const gone = '127.0.0.1:9'

/** The example as it is, but for the ports, the name and the certificate. */
function nginx({ plain, tls, product }: Ports, site = example('nginx.conf')): string[] {
  const here = site
    .replaceAll(/listen \[::\].*\n/g, '')
    .replace('listen 80;', `listen 127.0.0.1:${plain};`)
    .replace('listen 443 ', `listen 127.0.0.1:${tls} `)
    .replace('127.0.0.1:3000', `127.0.0.1:${product}`)
    .replaceAll('video.example.com;', 'localhost;')
    .replace(/ssl_certificate .*;/, `ssl_certificate ${folder}/cert.pem;`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${folder}/key.pem;`)
  const file = path.join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `user root; daemon off; pid ${folder}/nginx.pid; events {}\nhttp { access_log off;\n${here}}\n`,
  )
  return ['-c', file, '-e', 'stderr']
}

/** The same for several processes, put together as its first lines say. */
function nginxOfSeveral(ports: Ports): string[] {
  const several = example('several/nginx.conf')
  const lines = several.match(/(?<=^# {3})proxy_.*;$/gm) ?? []
  expect(lines).toHaveLength(3)
  const upstream = (/^upstream [^]*?^}$/m.exec(several)?.[0] ?? '')
    .replace('10.0.0.11:3000', '127.0.0.1:3000')
    .replace('10.0.0.12:3000', gone)
  const site = example('nginx.conf')
    .replace(/^upstream [^]*?^}$/m, upstream)
    .replace('location / {', `location / {\n${lines.join('\n')}`)
  return nginx(ports, site)
}

/** HAProxy for several processes. */
function haproxy({ plain, tls, product }: Ports): string[] {
  const both = ['cert.pem', 'key.pem'].map((name) => readFileSync(path.join(folder, name)))
  writeFileSync(path.join(folder, 'both.pem'), Buffer.concat(both))
  const file = path.join(folder, 'haproxy.cfg')
  const text = example('several/haproxy.cfg')
    .replace('bind :80', `bind 127.0.0.1:${plain}`)
    .replace(
      'bind :443 ssl crt /etc/haproxy/sendreel.pem',
      `bind 127.0.0.1:${tls} ssl crt ${folder}/both.pem`,
    )
    .replace('10.0.0.11:3000', `127.0.0.1:${product}`)
    .replace('10.0.0.12:3000', gone)
  writeFileSync(file, text)
  const judged = spawnSync('/usr/sbin/haproxy', ['-c', '-f', file], { encoding: 'utf8' })
  expect([judged.status, judged.stderr]).toEqual([0, ''])
  return ['-db', '-f', file]
}

function caddy({ plain, tls, product }: Ports): string[] {
  const site = example('Caddyfile')
    .replace('127.0.0.1:3000', `127.0.0.1:${product}`)
    .replace('\nvideo.example.com {', `\nlocalhost {\n\ttls ${folder}/cert.pem ${folder}/key.pem`)
  const file = path.join(folder, 'Caddyfile')
  const ports = `{\n\tadmin off\n\thttp_port ${plain}\n\thttps_port ${tls}\n\tstorage file_system ${folder}/caddy\n}\n`
  writeFileSync(file, ports + site)
  return ['run', '--config', file, '--adapter', 'caddyfile']
}

type Front = Ports & { product: number; server: Product; superadmin: Client }
type Asking = { from?: string; method?: string; path: string; headers?: object; body?: object }

/** A browser somewhere: every address of 127.0.0.0/8 is one of this machine. */
async function ask({ tls }: Ports, { from = '127.1.1.1', method = 'GET', path, headers, body }: Asking) {
  const sent = request({
    host: '127.0.0.1',
    port: tls,
    servername: 'localhost',
    localAddress: from,
    rejectUnauthorized: false,
    method,
    path,
    headers: { host: `localhost:${tls}`, ...(body && { 'content-type': 'application/json' }), ...headers },
  })
  sent.end(body && JSON.stringify(body))
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return answer
}

async function startBehind(program: string, argumentsOf: (ports: Ports) => string[]): Promise<Front> {
  const ports = { plain: await freePort(), tls: await freePort(), product: await freePort() }
  const server = await startProduct({
    PORT: String(ports.product),
    PUBLIC_URL: `https://localhost:${ports.tls}`,
    // As outside, the proxy alone is believed: here everybody else is on this machine as well.
    TRUSTED_PROXIES: '127.0.0.1',
  })
  closing.push(() => server.stop())
  const proxy: ChildProcess = spawn(program, argumentsOf(ports), { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [proxy.stdout, proxy.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  closing.push(async () => {
    if (proxy.exitCode === null) {
      const ended = once(proxy, 'exit')
      proxy.kill('SIGTERM')
      await ended
    }
  })
  await until(async () => {
    if (proxy.exitCode !== null) throw new Error(output)
    return ask(ports, { path: '/api/health' }).then(
      (answer) => answer.statusCode === 200,
      () => false,
    )
  }, 20)
  expect(server.setupUrl).toMatch(new RegExp(`^https://localhost:${ports.tls}/auth-1/sign-up`))
  const setup = new URL(server.setupUrl ?? '').searchParams.get('setup') ?? ''
  const person = { name: 'Sue Perior', email: 'sue@example.test', password: passphrase }
  const answer = await ask(ports, {
    method: setUp.method,
    path: `/api${setUp.path}`,
    // Whatever a client says of itself is not believed.
    headers: { 'x-forwarded-for': '198.51.100.7', 'idempotency-key': 'the first one' },
    body: { setup, sample: false, ...person },
  })
  expect(answer.statusCode).toBeLessThan(300)
  const { token } = (await json(answer)) as { token: string }
  return { ...ports, server, superadmin: clientOf(`http://127.0.0.1:${ports.product}`, token) }
}

async function tellsEncryption(front: Front): Promise<void> {
  const answer = await ask(front, { path: '/verify' })
  answer.resume()
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['strict-transport-security']).toContain('max-age=')
  const plain = get({
    host: '127.0.0.1',
    port: front.plain,
    path: '/auth-1?a=b',
    headers: { host: 'localhost' },
  })
  const [moved] = (await once(plain, 'response')) as [IncomingMessage]
  moved.resume()
  expect(moved.statusCode).toBeGreaterThanOrEqual(301)
  expect(moved.statusCode).toBeLessThanOrEqual(308)
  expect(moved.headers.location).toMatch(/^https:\/\/localhost(?::\d+)?\/auth-1\?a=b$/)
}

async function knowsWhoAsks(front: Front): Promise<void> {
  const { items } = await front.superadmin.call(listSessions)
  expect(items.map(({ network }) => network)).toEqual(['127.1.1.0/24'])
  const tryFrom = async (from: string) => {
    const body = { identifier: 'nobody@example.test', password: 'not the right passphrase' }
    const answer = await ask(front, { from, method: 'POST', path: '/api/auth/login', body })
    answer.resume()
    return answer.statusCode
  }
  const tries = await until(async () => (await tryFrom('127.2.2.2')) === 429 || undefined, 60)
  expect(tries).toBe(true)
  expect(await tryFrom('127.3.3.3')).toBe(401)
}

async function handsUploadsOn({ tls, superadmin, server }: Front): Promise<void> {
  const half = Buffer.alloc(16 * 2 ** 20, 7)
  const { id: organizationId } = await superadmin.call(createOrganization, { body: { name: 'Bytes' } })
  const body = { title: 'Large', fileName: 'large.mp4', size: 2 * half.length, organizationId }
  const { video, uploadUrl } = await superadmin.call(createVideo, { body })
  // As browsers do it, by HTTP/2.
  const session: ClientHttp2Session = connect(`https://localhost:${tls}`, { rejectUnauthorized: false })
  const stream = session.request({
    ':method': 'PATCH',
    ':path': new URL(uploadUrl, server.url).pathname,
    authorization: `Bearer ${superadmin.token}`,
    'tus-resumable': '1.0.0',
    'upload-offset': '0',
    'content-type': 'application/offset+octet-stream',
    'content-length': String(body.size),
  })
  const answered = once(stream, 'response') as Promise<[Record<string, unknown>]>
  stream.write(half)
  const params = { videoId: video.id }
  // The rest is not on its way yet, and most of what was sent has arrived for good.
  await until(async () => (await superadmin.call(readUpload, { params })).offset > half.length / 2, 20)
  stream.end(half)
  const [headers] = await answered
  expect(headers[':status']).toBe(204)
  expect(headers['upload-offset']).toBe(String(body.size))
  session.close()
}

async function handsMediaOut(front: Front): Promise<void> {
  const { superadmin, product } = front
  const { id: organizationId } = await superadmin.call(createOrganization, { body: { name: 'Ranges' } })
  const where = { url: `http://127.0.0.1:${product}`, client: superadmin, organizationId }
  const videoId = await readyVideo(where, { seconds: 3, width: 320 })
  const { poster } = await superadmin.call(readVideo, { params: { videoId } })
  const whole = await ask(front, { path: poster ?? '' })
  const bytes = Buffer.concat(await whole.toArray())
  const part = await ask(front, { path: poster ?? '', headers: { range: 'bytes=10-19' } })
  expect(part.statusCode).toBe(206)
  expect(part.headers['content-range']).toBe(`bytes 10-19/${bytes.length}`)
  expect(Buffer.concat(await part.toArray())).toEqual(bytes.subarray(10, 20))
}

/** Seconds until an answer came that waits for something to tell. */
async function waitFor(front: Front): Promise<number> {
  const { mark } = await front.superadmin.call(watchNotifications, {})
  const began = performance.now()
  const answer = await ask(front, {
    path: `/api${watchNotifications.path}?after=${encodeURIComponent(mark)}`,
    headers: { authorization: `Bearer ${front.superadmin.token}` },
  })
  answer.resume()
  expect(answer.statusCode).toBe(200)
  return (performance.now() - began) / 1000
}

const proxies = [
  { name: 'nginx', program: '/usr/sbin/nginx', argumentsOf: (ports: Ports) => nginx(ports) },
  { name: 'nginx for several processes', program: '/usr/sbin/nginx', argumentsOf: nginxOfSeveral },
  { name: 'HAProxy', program: '/usr/sbin/haproxy', argumentsOf: haproxy },
  { name: 'Caddy', program: '/usr/bin/caddy', argumentsOf: caddy },
]

for (const { name, program, argumentsOf } of proxies) {
  const isThere = existsSync(program) && process.getuid?.() === 0
  test.runIf(isThere)(
    `behind ${name}, as the example sets it up, uploads pass as they come, and limits meet who exceeds them (needs root and ${program})`,
    async () => {
      const front = await startBehind(program, argumentsOf)
      const waited = waitFor(front)
      await tellsEncryption(front)
      await knowsWhoAsks(front)
      await handsUploadsOn(front)
      await handsMediaOut(front)
      expect(await waited).toBeGreaterThan(2)
    },
  )
}
