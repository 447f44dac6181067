import { afterAll, beforeAll, expect, test } from 'vitest'
import { login, readSession } from '#contract/auth.ts'
import { startTestServer, type TestServer } from '../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

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
