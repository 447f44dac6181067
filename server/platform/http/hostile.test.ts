import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { login, readSession } from '#contract/identity/auth.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createVideo } from '#contract/videos/videos.ts'
import { readEnv } from '../env.ts'
import { identities, password } from '../../testing/sign-in/identities.ts'
import { aServer } from '../../testing/worlds.ts'
import { addressOf, trusting } from './address.ts'
import { ipPrefix } from './audit.ts'

const server = await aServer()

test('answers no TRACE, lists no folder and gives out no file that is not the web app', async () => {
  const headers = { 'x-secret': 'echo me' }
  const traced = await server.app.inject({ method: 'TRACE' as 'GET', url: '/', headers })
  expect(traced.statusCode).toBe(404)
  expect(traced.body).not.toContain('echo me')
  for (const url of [
    '/.git/config',
    '/assets/',
    '/package.json',
    '/server/main.ts',
    '/..%2f..%2fpackage.json',
  ])
    expect((await server.app.inject({ url })).statusCode, url).toBe(404)
})

test('what is encoded twice is decoded once', async () => {
  const person = await server.person('superadmin')
  for (const name of ['100%41', '100A']) await person.call(createOrganization, { body: { name } })
  const found = async (q: string) => {
    const { body } = await person.send('GET', `/api/organizations?q=${q}`)
    return (body as { items: { name: string }[] }).items.map(({ name }) => name)
  }
  expect(await found('100%2541')).toEqual(['100%41'])
  expect(await found('100%41')).toEqual(['100A'])
  for (const url of ['/..%252f..%252fpackage.json', '/m/a/b/c/..%252f..%252fsecret-key'])
    expect((await server.app.inject({ url })).statusCode, url).toBe(404)
})

test('a file is kept under an id of ours, whatever its name', async () => {
  const person = await server.person('admin', await server.organization())
  const fileName = '../../../../tmp/evil\\..\\x.mp4'
  const { body } = await person.call(createVideo, { body: { title: 'Clip', fileName, size: 10 } })
  const headers = {
    authorization: `Bearer ${person.token}`,
    'tus-resumable': '1.0.0',
    'upload-offset': '0',
    'content-type': 'application/offset+octet-stream',
  }
  const sent = { method: 'PATCH' as const, url: body.uploadUrl, headers, payload: Buffer.from('12345') }
  expect((await server.app.inject(sent)).statusCode).toBe(204)
  expect(body.video.fileName).toBe(fileName)
  const stored = globSync('**/*', { cwd: server.services.env.dataDir }).map((name) => path.basename(name))
  expect(stored.toSorted()).toEqual(['uploads', body.video.versionId ?? ''].toSorted())
})

test('believes a forwarded address from the proxy beside it only', async () => {
  const person = await server.person('admin', await server.organization())
  const networkOf = async (remoteAddress: string) => {
    const payload = { identifier: person.email, password: 'not the right password' }
    const headers = { 'x-forwarded-for': '198.51.100.7' }
    const asked = { method: login.method, url: `/api${login.path}`, remoteAddress, headers, payload }
    const answer = await server.app.inject(asked)
    expect(answer.statusCode).toBe(401)
    const { rows } = await server.services.db.system.query<{ network: string }>(
      `select ip_prefix::text as network from audit where action = 'auth.sign_in_failed' order by at desc limit 1`,
    )
    return rows[0]?.network
  }
  expect(await networkOf('127.0.0.1')).toBe('198.51.100.0/24')
  expect(await networkOf('203.0.113.9')).toBe('203.0.113.0/24')
})

/** What a proxy says, from which peer, under which setting, and whose network is written down. */
const forwarded = [
  ['203.0.113.5:41234', '127.0.0.1', {}, '203.0.113.0/24'],
  ['unknown', '127.0.0.1', {}, '127.0.0.0/24'],
  ['', '127.0.0.1', {}, '127.0.0.0/24'],
  ["'; drop table users; --", '127.0.0.1', {}, '127.0.0.0/24'],
  ['999.1.1.1', '127.0.0.1', {}, '127.0.0.0/24'],
  ['[2001:db8:1:2::7]:443', '::1', {}, '2001:db8:1::/48'],
  ['2001:db8:1:2::7', '::ffff:127.0.0.1', {}, '2001:db8:1::/48'],
  ['fe80::1%eth0', '127.0.0.1', {}, 'fe80::/48'],
  ['2001::db8:3:4:5:6:7', '127.0.0.1', {}, '2001:0:db8::/48'],
  ['198.51.100.9, 203.0.113.5:1', '127.0.0.1', {}, '203.0.113.0/24'],
  ['203.0.113.5', '10.1.2.3', {}, '10.1.2.0/24'],
  ['203.0.113.5', '10.1.2.3', { TRUSTED_PROXIES: '10.0.0.0/8' }, '203.0.113.0/24'],
  ['203.0.113.5:9, 10.1.2.4:80', '10.1.2.3', { TRUSTED_PROXIES: '10.0.0.0/8' }, '203.0.113.0/24'],
  ['203.0.113.5', '127.0.0.1', { TRUSTED_PROXIES: '10.0.0.0/8' }, '127.0.0.0/24'],
  ['203.0.113.5', '127.0.0.1', { TRUSTED_PROXIES: 'loopback, 2001:db8::/32' }, '203.0.113.0/24'],
] as const

test.each(forwarded)(
  '"%s" from %s is somebody of a network',
  async (...[said, remoteAddress, settings, network]) => {
    const app = Fastify({ trustProxy: trusting(readEnv(settings).trustedProxies) })
    app.get('/', (request, reply) => reply.send(ipPrefix(addressOf(request))))
    const answer = await app.inject({ url: '/', remoteAddress, headers: { 'x-forwarded-for': said } })
    expect(answer.body).toBe(network)
  },
)

test('signing in works whatever a proxy says, and so does everything that writes an address down', async () => {
  const are = identities(server)
  for (const said of ['203.0.113.5:41234', 'unknown']) {
    const { email } = await are.somebody()
    const headers = { 'x-forwarded-for': said }
    expect([said, (await are.enter(email, password, headers)).status]).toEqual([said, 200])
  }
  const { rows } = await server.services.db.system.query<{ network: string }>(
    'select ip_prefix::text as network from sessions where ip_prefix is not null order by 1',
  )
  expect(rows).toEqual([{ network: '127.0.0.0/24' }, { network: '203.0.113.0/24' }])
})

test('nothing reads an address but through the one function that knows what proxies write', () => {
  const files = globSync('server/**/*.ts', { cwd: path.resolve(import.meta.dirname, '../../..') })
  const readers = files.filter((file) =>
    /\b(request|raw|socket)\.(ip|remoteAddress)\b/.test(readFileSync(file, 'utf8')),
  )
  expect(readers.filter((file) => !file.endsWith('.test.ts'))).toEqual(['server/platform/http/address.ts'])
})

test.each(['10.0.0.0/33', '10.0.0.0/', 'everybody', 'loopback;10.0.0.1', '::1/129'])(
  'does not start when "%s" is to be trusted',
  (networks) => {
    expect(() => readEnv({ TRUSTED_PROXIES: networks })).toThrow(/TRUSTED_PROXIES: must list networks/)
  },
)

test('a body that reaches for prototypes, and a parameter that is there twice, are refused', async () => {
  const person = await server.person('superadmin')
  const body = '{"identifier":"a@b.test","password":"c","__proto__":{"role":"superadmin"}}'
  const headers = { 'content-type': 'application/json' }
  const poisoned = await server.app.inject({
    method: 'POST',
    url: `/api${login.path}`,
    headers,
    payload: body,
  })
  expect(poisoned.statusCode).toBe(400)
  const twice = await person.send('GET', '/api/organizations?limit=1&limit=2')
  expect(twice.status).toBe(422)
})

test('a session that nobody has used for its time, and one that is too old, open nothing', async () => {
  for (const end of ['idle_expires_at', 'expires_at']) {
    const person = await server.person('admin', await server.organization())
    expect((await person.call(readSession)).status).toBe(200)
    await server.services.db.system.query(
      `update sessions set ${end} = now() - interval '1 second' where user_id = $1`,
      [person.id],
    )
    expect((await person.call(readSession)).status, end).toBe(401)
  }
})

test('a form of another site, which no browser asks about before it sends it, signs nobody in', async () => {
  const { email } = await identities(server).somebody()
  const json = JSON.stringify({ identifier: email, password })
  const send = (type: string, payload: string) =>
    server.app.inject({
      method: login.method,
      url: `/api${login.path}`,
      headers: { 'content-type': type },
      payload,
    })
  expect((await send('application/json', json)).statusCode).toBe(200)
  for (const [type, payload] of [
    ['text/plain', json],
    ['application/x-www-form-urlencoded', `identifier=${encodeURIComponent(email)}&password=x`],
    ['multipart/form-data; boundary=a', `--a\r\n\r\n${json}\r\n--a--\r\n`],
  ] as const)
    expect([415, 422], type).toContain((await send(type, payload)).statusCode)
})
