import { expect, test } from 'vitest'
import { api } from '#contract/api.ts'
import type { EndpointDefinition } from '#contract/endpoint.ts'
import type { Problem } from '#contract/platform/problem-details.ts'
import { createTransmission } from '#contract/transmissions/transmissions.ts'
import { ask, onePerThing, sampleOf, type Input } from '../../testing/calls/facts.ts'
import { operationsOf } from '../../testing/calls/openapi.ts'
import type { Person } from '../../testing/server.ts'
import { aServer } from '../../testing/worlds.ts'

const server = await aServer()
const facts = await onePerThing(server)
const people: Record<string, Person> = {
  superadmin: await server.person('superadmin'),
  admin: await server.person('admin', facts.orgId),
}
await server.services.db.system.query('update report_schedules set owner_id = $1', [people['admin']?.id])

type ProblemReply = Pick<Problem, 'code' | 'fields'>
const stranger = 'noSuchThing'
const token = 'a'.repeat(43)

/** Who may call it, or nobody in particular. */
function sendOf({ access }: EndpointDefinition) {
  if (access.kind !== 'roles') return server.send
  return (access.roles.includes('admin') ? people['admin'] : people['superadmin'])?.send ?? server.send
}

function inputOf(endpoint: EndpointDefinition): Input {
  if (endpoint.access.kind === 'roles') return sampleOf(endpoint, facts)
  const ids = Array.from(endpoint.path.matchAll(/:(\w+)/g), ([, key = '']) => key)
  return {
    params: Object.fromEntries(ids.map((key) => [key, key === 'token' ? token : facts.videoId])),
  }
}

/** The same value with one more field in each of its objects in turn, and the path of that field. */
function intruded(value: unknown, path: string[] = []): { path: string; body: unknown }[] {
  if (typeof value !== 'object' || value === null) return []
  const here = Array.isArray(value)
    ? []
    : [{ path: [...path, stranger].join('.'), body: { ...value, [stranger]: 1 } }]
  const inside = Object.entries(value).flatMap(([key, part]) =>
    intruded(part, [...path, key]).map((one) => ({
      path: one.path,
      body: Array.isArray(value) ? value.with(Number(key), one.body) : { ...value, [key]: one.body },
    })),
  )
  return [...here, ...inside]
}

/** Objects whose fields are named by people: columns of a file, parameters of a list, fields of an organization. */
const byPeople = /(^|\.)(mapping|search|customFields)\.[^.]+$/

const named = (endpoints: readonly EndpointDefinition[]) => endpoints.map((one) => [one.name, one] as const)
const strict = api.filter(({ dropsUnknown }) => !dropsUnknown)
/** A body that is a file has no fields. */
const writes = strict.filter(({ method, bodyTypes }) => method !== 'GET' && !bodyTypes)

test('six calls take what they do not know: viewing evidence, what providers report of mails and of sign-ins, and unsubscribing in one click', () => {
  expect(api.filter((endpoint) => !strict.includes(endpoint)).map(({ name }) => name)).toEqual([
    'postTracks',
    'reportMailEvents',
    'unsubscribeReport',
    'endReportAddress',
    'finishSso',
    'endByProvider',
  ])
})

test('addresses that people open, and that mail programs call, may have got longer on the way', async () => {
  const appended = 'utm_source=mail&fbclid=1'
  const page = await server.app.inject({ url: `/w/video/${facts.videoId}?${appended}` })
  expect([200, 404]).toContain(page.statusCode)
  expect(page.headers['content-type']).toContain('text/html')
  const stop = `/api/report-schedules/${facts.scheduleId}/unsubscribe?token=${token}&${appended}`
  const payload = { 'List-Unsubscribe': 'One-Click' }
  const answer = await server.app.inject({ method: 'POST', url: stop, payload })
  // The token is looked at.
  expect(answer.json<Problem>().code).toBe('link_expired')
})

test.each(named(writes))(
  '%s refuses a field that it does not know, at every depth',
  async (_name, endpoint) => {
    const sample = inputOf(endpoint)
    for (const { path, body } of intruded(sample.body ?? {})) {
      if (byPeople.test(path)) continue
      const answer = await ask(endpoint, { ...sample, body: body as object }, sendOf(endpoint))
      expect([path, answer.status], JSON.stringify(answer.body)).toEqual([path, 422])
      const { code, fields } = answer.body as ProblemReply
      expect(code).toBe('unknown_field')
      expect(fields?.[path]).toEqual(['unknown_field'])
    }
  },
)

test.each(named(strict))('%s refuses a parameter that it does not know', async (_name, endpoint) => {
  const sample = inputOf(endpoint)
  const query = { ...sample.query, [stranger]: '1' }
  const answer = await ask(endpoint, { ...sample, query }, sendOf(endpoint))
  expect(answer.status, JSON.stringify(answer.body)).toBe(422)
  expect(answer.body).toMatchObject({ code: 'unknown_field', fields: { [stranger]: ['unknown_field'] } })
})

test.each(['/api/openapi.json', `/api/uploads/${token}`])('%s refuses a parameter as well', async (url) => {
  const method = url.includes('uploads') ? 'HEAD' : 'GET'
  const answer = await server.app.inject({ method, url: `${url}?${stranger}=1` })
  expect(answer.statusCode).toBe(422)
})

type Json = { type?: string; additionalProperties?: unknown; [key: string]: unknown }

/** Objects of a JSON schema that take fields with any name and any value. */
function openObjects(schema: unknown, path = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { type, additionalProperties } = schema as Json
  const isOpen = type === 'object' && (additionalProperties ?? true) === true
  const inside = Object.entries(schema).flatMap(([key, part]) => openObjects(part, `${path}/${key}`))
  return isOpen ? [path, ...inside] : inside
}

test('the description of the API says so, wherever an object is sent', async () => {
  const { body } = await server.send('GET', '/api/openapi.json')
  const operations = operationsOf(body)
  const open = operations.flatMap(({ operationId, requestBody }) =>
    openObjects(requestBody).map((path) => `${operationId} ${path}`),
  )
  const name = (one: string) => one.split(' ')[0]
  expect([...new Set(open.map(name))]).toEqual(['postTracks', 'endByProvider'])
})

test.each([
  ['draft', { draft: true }],
  ['scheduledAt', { scheduledAt: '2030-01-01T00:00:00Z' }],
  ['audience.exceptGroupIDs', { audience: { everyone: true, exceptGroupIDs: [] } }],
])('a transmission with %s is not sent', async (path, more) => {
  const body = { body: 'Please watch', accountId: facts.orgId, videoId: facts.videoId, userId: facts.userId }
  const count = async () =>
    (await server.services.db.system.query('select 1 from transmissions union all select 1 from mails'))
      .rowCount
  const before = await count()
  const answer = await people['admin']?.call(createTransmission, { body: { ...body, ...more } })
  expect([answer?.status, answer?.problem?.code]).toEqual([422, 'unknown_field'])
  expect(answer?.problem?.fields).toEqual({ [path]: ['unknown_field'] })
  expect(await count()).toBe(before)
})

/** What can be read and written at one address. */
const pairs = writes
  .filter(({ method }) => method === 'PUT')
  .flatMap((put) => {
    const path = put.path.replace(/\/(settings|due)$/, '')
    const get = api.find((one) => one.method === 'GET' && one.path === path)
    return get && put.access.kind === 'roles' ? [[put.name, put, get] as const] : []
  })

test.each(pairs)(
  '%s takes back what was read, and refuses what was changed in it',
  async (_name, put, get) => {
    const send = sendOf(put)
    const input = inputOf(put)
    const { body: given } = await ask(get, { ...input, body: undefined as never }, send)
    const got = given as Record<string, unknown>
    const taken = Object.keys((put.body as unknown as { shape: object }).shape)
    const readOnly = Object.keys(got).filter((name) => !taken.includes(name))
    expect(readOnly).not.toEqual([])
    const carried = Object.fromEntries(readOnly.map((name) => [name, got[name]]))
    for (const name of readOnly) {
      const body = { ...input.body, ...carried, [name]: 'another' }
      const answer = await ask(put, { ...input, body }, send)
      expect([answer.status, (answer.body as ProblemReply).fields]).toEqual([
        422,
        { [name]: ['read_only_field'] },
      ])
    }
    const answer = await ask(put, { ...input, body: { ...input.body, ...carried } }, send)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  },
)

type Part = { of: unknown; put: (by: unknown) => unknown }

/** Each value inside of another, with how to put something else in its place. */
function* partsOf(value: unknown): Generator<Part> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, of] of Object.entries(value)) {
    const put = (by: unknown) =>
      Array.isArray(value) ? value.with(Number(key), by) : { ...value, [key]: by }
    yield { of, put }
    for (const part of partsOf(of)) yield { of: part.of, put: (by) => put(part.put(by)) }
  }
}

/** Beyond every bound, of another kind, and what means something to a database. */
const odd = [2 ** 53, -(2 ** 53), true, null, "'; drop table users; --"]

test.each(named(writes))(
  '%s answers odd values of each field as mistakes of the sender',
  async (_name, endpoint) => {
    const sample = inputOf(endpoint)
    const confused: unknown[] = []
    for (const { of, put } of partsOf(sample.body ?? {}))
      for (const by of odd) {
        const answer = await ask(endpoint, { ...sample, body: put(by) as object }, sendOf(endpoint))
        expect(answer.status, JSON.stringify(put(by))).toBeLessThan(500)
        const isConfused = typeof of === 'string' && typeof by === 'number'
        if (isConfused && answer.status === (endpoint.status ?? 200)) confused.push(put(by))
      }
    // A number is no text.
    expect(confused).toEqual([])
  },
)

test.each(named(strict.filter(({ query }) => query)))(
  '%s answers odd values of each parameter as mistakes of the sender',
  async (_name, endpoint) => {
    const sample = inputOf(endpoint)
    const names =
      endpoint.query && 'shape' in endpoint.query ? Object.keys(endpoint.query.shape as object) : []
    for (const name of names)
      for (const value of ['99999999999999999999', "'; drop table users; --"]) {
        const query = { ...sample.query, [name]: value }
        const answer = await ask(endpoint, { ...sample, query }, sendOf(endpoint))
        expect(answer.status, `${name}=${value}`).toBeLessThan(500)
      }
  },
)

test('a password is taken from whom it is for only, and nobody is asked for a hint or the name of their pet', async () => {
  const { body } = await server.send('GET', '/api/openapi.json')
  const operations = operationsOf(body)
  const taking = (pattern: RegExp) =>
    operations
      .filter(({ requestBody }) => pattern.test(JSON.stringify(requestBody ?? '')))
      .map(({ operationId }) => operationId)
  // All of them of one's own, but for those of the mail server and of the mailbox.
  expect(taking(/"[^"]*password[^"]*":\{/i).toSorted()).toEqual([
    'acceptInvitation',
    'changePassword',
    'login',
    'resetPassword',
    'setUp',
    'updateMailReturns',
    'updateMailServer',
    'verifyPassword',
  ])
  expect(taking(/"[^"]*(?:hint|secretQuestion|securityQuestion|maidenName)[^"]*":\{/i)).toEqual([])
})

test('whoever has sent all this is still there, and so is everything else', async () => {
  const answer = await people['admin']?.send('GET', `/api/organizations/${facts.orgId}`)
  expect(answer?.status).toBe(200)
})
