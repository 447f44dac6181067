import { aServer } from '../../testing/worlds.ts'
import Fastify from 'fastify'
import { afterEach, expect, test, vi } from 'vitest'
import { api } from '#contract/api.ts'
import { ownRefusals } from '#contract/platform/refusals.ts'
import { readHealth } from '#contract/platform/system.ts'
import { refuse } from '../errors.ts'
import { faultsOf } from './faults.ts'
import { mountOn } from './mount.ts'

const server = await aServer()

afterEach(() => vi.unstubAllEnvs())

test('own refusals are told of calls that exist', () => {
  const names = new Set(api.map(({ name }) => name))
  expect(Object.keys(ownRefusals).filter((name) => !names.has(name))).toEqual([])
})

/** A call that is refused with a code that it does not name. */
async function answerUnnamed() {
  const app = Fastify()
  app.setErrorHandler(faultsOf(server.services.env))
  mountOn(app, server.services)(readHealth, () => {
    throw refuse('link_expired')
  })
  const { statusCode, body } = await app.inject('/api/health')
  await app.close()
  return { statusCode, body }
}

test('a refusal that a call does not name is a mistake in tests and development, and goes out in production', async () => {
  const { statusCode, body } = await answerUnnamed()
  expect(statusCode).toBe(500)
  expect(body).toContain('readHealth answers link_expired')
  vi.stubEnv('CHECK_ROWS', undefined)
  expect((await answerUnnamed()).statusCode).toBe(410)
})
