import { afterAll, beforeEach, expect, test } from 'vitest'
import { pino } from 'pino'
import type { InjectOptions } from 'fastify'
import { api } from '#contract/api.ts'
import { buildApp } from '../../app.ts'
import { sql } from '../db/sql.ts'
import { refuse } from '../errors.ts'
import type { Person } from '../../testing/server.ts'
import { aServer } from '../../testing/worlds.ts'

type Line = {
  level: number
  time: number
  err?: object
  requestId?: string
  reqId?: string
  msg: string
  code?: string
  userId?: string
  req?: { url: string }
}

let lines: Line[]
let entries: string[]

beforeEach(() => {
  lines = []
  entries = []
})
afterAll(() => app.close())

/** What the log says about a refusal, beside the address of its request. */
async function refusal(asked: InjectOptions) {
  lines = []
  const answer = await app.inject(asked)
  const { requestId } = answer.json<{ requestId: string }>()
  const [refused, ...more] = lines.filter(({ msg }) => msg === 'refused')
  expect(more).toEqual([])
  expect(refused?.reqId).toBe(requestId)
  expect(lines.find(({ req }) => req)?.reqId).toBe(requestId)
  return { status: answer.statusCode, code: refused?.code, userId: refused?.userId }
}
const as = ({ token }: Person) => ({ authorization: `Bearer ${token}` })

const secret = 's'.repeat(43)
/** Looks like the end of an entry and the beginning of another one. */
const typed = 'x"}\n{"level":60,"msg":"slipped in"}\n    at typed'

const server = await aServer()
const write = (line: string) => {
  entries.push(line)
  lines.push(JSON.parse(line) as Line)
}
entries = []
const app = await buildApp(server.services, pino({ level: 'info' }, { write }))
app.get('/api/breaks', async () =>
  server.services.db.as('system', (tx) =>
    tx.execute(sql`update users set state = ${typed} where name <> ${secret}`),
  ),
)
app.get('/api/misreads', async () =>
  server.services.db.as('system', (tx) => tx.execute(sql`select ${secret}::uuid`)),
)
app.get('/api/busy', () => {
  throw refuse('unavailable', { cause: new Error('spawn EAGAIN') })
})

const anything = crypto.randomUUID()
/** Every address with a right in it. */
const rights = [
  ...api
    .filter(({ access }) => access.kind === 'capability')
    .map(({ method, path, query }) => {
      const names = query && 'shape' in query ? Object.keys(query.shape as object) : []
      const asked = names.map((name) => `${name}=${secret}`).join('&')
      return [
        method,
        `/api${path.replace(/:token/, secret).replaceAll(/:\w+/g, anything)}${asked && `?${asked}`}`,
      ] as const
    })
    .filter(([, url]) => /token|invitations|\?/.test(url)),
  ...[
    `/w/video/1?x=1&d=${secret}`,
    `/w/video/1?preview=${secret}`,
    `/W/video/1?%64=${secret}`,
    `/auth-1/sign-up?setup=${secret}`,
    `/auth-1/sign-up?invite=${secret}&`,
    `/auth-1/sign-in?return=${encodeURIComponent(`/w/video/1?d=${secret}`)}`,
    `/m/${secret}/1/1/master.m3u8?a=${secret}`,
    `/m/${secret}`,
    `/api/anything?token=${secret}`,
  ].map((url) => ['GET', url] as const),
]

test.each(rights)('%s %s is written without what would let its reader in', async (method, url) => {
  await app.inject({ method, url })
  const [written] = lines.flatMap(({ req }) => (req ? [req.url] : []))
  expect(written).toContain('***')
  expect(JSON.stringify(lines)).not.toContain(secret)
})

test('what a call looks for is written', async () => {
  await app.inject({ url: '/api/organizations?limit=5&q=a' })
  expect(lines[0]?.req?.url).toBe('/api/organizations?limit=5&q=a')
})

test('tokens and what is typed are not written at all', async () => {
  const person = await server.person('admin', await server.organization())
  const payload = { identifier: 'typed@example.test', password: 'a password that was typed' }
  // Letters that no hexadecimal id of a request holds by chance.
  const headers = { ...as(person), 'x-auth-flow': 'w'.repeat(43), cookie: `device=${'z'.repeat(43)}` }
  await app.inject({ method: 'POST', url: '/api/auth/login', headers, payload })
  const written = JSON.stringify(lines)
  expect(written).toContain('/api/auth/login')
  for (const secret of [person.token, 'www', 'zzz', payload.identifier, payload.password])
    expect(written).not.toContain(secret)
})

test('a failure of ours is written with its statement and without what that was about, and nothing of it is told', async () => {
  await server.person('admin', await server.organization())
  const answer = await app.inject({ url: '/api/breaks' })
  expect(answer.json()).toEqual({
    type: 'urn:sendreel:problem:internal',
    status: 500,
    code: 'internal',
    title: expect.any(String) as string,
    requestId: expect.any(String) as string,
  })
  const [failed, ...more] = lines.filter(({ level }) => level >= 50)
  expect(more).toEqual([])
  expect(failed).toMatchObject({ msg: 'request failed', reqId: answer.json<Line>().requestId })
  expect(JSON.stringify(failed?.err)).toContain('update users set state = $1 where name')
  expect(failed?.err).toMatchObject({
    message: expect.stringMatching(
      /violates check constraint .*\(23514, constraint users_state_word\)$/,
    ) as string,
  })
  expect(entries.join('')).not.toContain(secret)
  expect(entries.join('')).not.toContain('slipped in')
})

test('a value that the database could not read is not written, and what it is about is', async () => {
  await app.inject({ url: '/api/misreads' })
  const failed = lines.find(({ level }) => level >= 50)
  expect(failed?.err).toMatchObject({
    message: 'Failed query: select $1::uuid: invalid input syntax for type uuid (22P02)',
  })
  expect(entries.join('')).not.toContain(secret)
})

test('what is not available for the moment stands in the log with its cause', async () => {
  const answer = await app.inject({ url: '/api/busy' })
  expect(answer.statusCode).toBe(503)
  expect(answer.body).not.toContain('EAGAIN')
  const refused = lines.find(({ msg }) => msg === 'refused')
  expect(refused).toMatchObject({
    code: 'unavailable',
    err: { message: expect.stringContaining('spawn EAGAIN') as string },
  })
})

test('one entry is one line, with its instant in UTC, whatever somebody sends', async () => {
  const before = Date.now()
  const headers = { host: 'x"}\\n{"level":60', 'x-forwarded-for': '"}\\n' }
  await app.inject({ url: `/api/organizations?q=${encodeURIComponent(typed)}`, headers })
  expect(lines.length).toBeGreaterThan(1)
  for (const entry of entries) expect(entry).toMatch(/^[^\n]+\n$/)
  expect(lines.map(({ msg }) => msg)).not.toContain('slipped in')
  const after = Date.now()
  for (const { time } of lines) expect([before <= time, time <= after]).toEqual([true, true])
})

test('whoever is refused stands in the log, with what and why', async () => {
  const [mine, other] = [await server.organization(), await server.organization()]
  const admin = await server.person('admin', mine)
  expect(await refusal({ url: '/api/auth/sessions' })).toEqual({ status: 401, code: 'unauthenticated' })
  const foreign = { url: `/api/organizations/${other}`, headers: as(admin) }
  expect(await refusal(foreign)).toEqual({ status: 404, code: 'not_found', userId: admin.id })
  const higher = { url: '/api/system/security', headers: as(admin) }
  expect(await refusal(higher)).toEqual({ status: 403, code: 'forbidden', userId: admin.id })
})

test('so do tries to get round a control', async () => {
  const flow = { headers: { 'x-auth-flow': 'x'.repeat(43) }, method: 'POST' } as const
  const strange = { ...flow, url: '/api/authorizations/verify-auth-code', payload: { code: '123456' } }
  expect(await refusal(strange)).toEqual({ status: 410, code: 'flow_expired' })
  const forged = { url: '/m/forged.token/1/1/master.m3u8' }
  expect(await refusal(forged)).toEqual({ status: 404, code: 'not_found' })
  const person = await server.person('admin', await server.organization())
  const payload = { identifier: person.email, password: 'not the right one' }
  const guess = { method: 'POST', url: '/api/auth/login', payload } as const
  for (let n = 0; n < 5; n += 1)
    expect(await refusal(guess)).toEqual({ status: 401, code: 'invalid_credentials' })
  expect(await refusal(guess)).toEqual({ status: 429, code: 'too_many_requests' })
})

test('no two requests have the same name, not even after another start', async () => {
  const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
  const again = await buildApp(server.services, pino({ level: 'silent' }))
  const names = await Promise.all(
    [app, app, again].map(async (one) => {
      const answer = await one.inject({ url: '/api/auth/sessions' })
      return answer.json<{ requestId: string }>().requestId
    }),
  )
  await again.close()
  for (const name of names) expect(name).toMatch(uuid)
  expect(new Set(names).size).toBe(3)
})
