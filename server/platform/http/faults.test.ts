import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { readEnv } from '../env.ts'
import { refuse } from '../errors.ts'
import { faultsOf } from './faults.ts'

test('whoever comes too often gets a page that says to wait and for how long; a program gets a problem', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'pages-'))
  const errors = path.join(folder, 'de', 'pages', 'error')
  await mkdir(errors, { recursive: true })
  await writeFile(path.join(folder, 'de', 'index.html'), '')
  for (const status of [400, 429, 500])
    await writeFile(path.join(errors, `${status}.html`), `the page of ${status}`)
  const app = Fastify()
  app.setErrorHandler(faultsOf({ ...readEnv({}), webTexts: folder }))
  for (const address of ['/w/film', '/api/film'])
    app.get(address, () => {
      throw refuse('too_many_requests', { retryAfter: 6.2 })
    })
  const ask = (url: string) => app.inject({ url, headers: { 'accept-language': 'de' } })
  const page = await ask('/w/film')
  expect([page.statusCode, page.body, page.headers['retry-after']]).toEqual([429, 'the page of 429', '7'])
  const problem = await ask('/api/film')
  expect(problem.json()).toMatchObject({ code: 'too_many_requests', retryAfter: 6.2 })
  await app.close()
  await rm(folder, { recursive: true })
})

test('why something was refused is told as a code with what its sentence names, and in English beside it', async () => {
  const app = Fastify()
  app.setErrorHandler(faultsOf(readEnv({})))
  app.get('/api/plain', () => {
    throw refuse('conflict', { reason: { code: 'own_role' } })
  })
  app.get('/api/named', () => {
    const params = { state: 'pending_approval', action: 'pause' } as const
    throw refuse('conflict', { reason: { code: 'transmission_moved_on', params } })
  })
  expect((await app.inject('/api/plain')).json()).toMatchObject({
    reason: { code: 'own_role' },
    detail: 'You cannot change your own role. Ask another administrator.',
  })
  expect((await app.inject('/api/named')).json()).toMatchObject({
    reason: { code: 'transmission_moved_on', params: { state: 'pending_approval', action: 'pause' } },
    detail:
      'The state of this transmission is “To approve” now. Only a transmission that is being sent can be paused.',
  })
  await app.close()
})
