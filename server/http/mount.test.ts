import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig, readHealth } from '#contract/system.ts'
import { startTestServer, type TestServer } from '../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

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

test('serves the whole contract as OpenAPI 3.1', async () => {
  const answer = await server.send('GET', '/api/openapi.json')
  expect(answer.body).toMatchObject({ openapi: '3.1.0', paths: { '/organizations/{orgId}': {} } })
})
