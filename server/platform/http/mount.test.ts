import Fastify from 'fastify'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { api } from '#contract/api.ts'
import { anyone, endpoint } from '#contract/endpoint.ts'
import { readConfig, readHealth } from '#contract/platform/system.ts'
import { operationsOf } from '../../testing/calls/openapi.ts'
import { aServer } from '../../testing/worlds.ts'
import { mountOn } from './mount.ts'

const server = await aServer()

test('says that it is ready', async () => {
  const health = await server.call(readHealth)
  expect(health.status).toBe(200)
  expect(health.body.checks).toEqual({ database: 'ok' })
})

test('tells everybody the names of the product', async () => {
  expect((await server.call(readConfig)).body).toMatchObject({ product: 'Sendreel', outbox: true })
})

test('answers an unknown path below /api with a problem', async () => {
  const answer = await server.send('GET', '/api/nothing-here')
  expect(answer.status).toBe(404)
  expect(answer.body).toMatchObject({ code: 'not_found', status: 404 })
})

test('answers a method that an address does not have with those that it has', async () => {
  const wrong = await server.app.inject({ method: 'DELETE', url: '/api/transmissions' })
  expect([wrong.statusCode, wrong.headers.allow]).toEqual([405, 'GET, HEAD, POST'])
  expect(wrong.json()).toMatchObject({ code: 'method_not_allowed', status: 405 })
  // It tells of addresses, never of what lies there.
  const one = await server.app.inject({ method: 'PATCH', url: '/api/transmissions/whatever/due' })
  expect([one.statusCode, one.headers.allow]).toEqual([405, 'PUT'])
})

test('takes a body of another kind for none, and says so', async () => {
  const url = '/api/auth/login'
  const headers = { 'content-type': 'application/xml' }
  const answer = await server.app.inject({ method: 'POST', url, headers, payload: '<a/>' })
  expect(answer.statusCode).toBe(415)
  expect(answer.json()).toMatchObject({ code: 'unsupported_media' })
})

test('serves the whole contract as OpenAPI 3.1', async () => {
  const answer = await server.send('GET', '/api/openapi.json')
  expect(answer.body).toMatchObject({ openapi: '3.1.0', paths: { '/organizations/{orgId}': {} } })
})

test('and says of every call what it takes: kinds, lengths and bounds', async () => {
  const operations = operationsOf((await server.send('GET', '/api/openapi.json')).body)
  expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(
    api.map(({ name }) => name).toSorted(),
  )
  const withBody = operations.filter(({ requestBody }) => requestBody).map(({ operationId }) => operationId)
  expect(withBody.toSorted()).toEqual(
    api
      .filter(({ body }) => body)
      .map(({ name }) => name)
      .toSorted(),
  )
  const named = (name: string) => operations.find(({ operationId }) => operationId === name)
  expect(named('createOrganization')?.requestBody).toMatchObject({
    content: { 'application/json': { schema: { properties: { name: { type: 'string', maxLength: 200 } } } } },
  })
  expect(named('listOrganizations')?.parameters).toContainEqual(
    expect.objectContaining({ name: 'limit', schema: expect.objectContaining({ maximum: 100 }) as object }),
  )
})

test('an answer holds what the contract names, whatever the handler has at hand', async () => {
  const app = Fastify()
  const reply = z.object({ name: z.string(), inner: z.object({ kept: z.number() }) })
  const told = endpoint({
    name: 'told',
    method: 'GET',
    path: '/told',
    summary: 'Told',
    access: anyone,
    reply,
  })
  const row = { name: 'Ada', passwordHash: 'hidden', inner: { kept: 1, secret: 'hidden' } }
  mountOn(app, server.services)(told, async () => row)
  expect((await app.inject('/api/told')).json()).toEqual({ name: 'Ada', inner: { kept: 1 } })
  await app.close()
})
