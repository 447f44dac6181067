import { beforeEach, expect, test } from 'vitest'
import { login, readSession } from '#contract/identity/auth.ts'
import { readSetup, setUp } from '#contract/identity/setup.ts'
import { entered } from '../../testing/sign-in/entered.ts'
import { aServer } from '../../testing/worlds.ts'
import { createSuperadmin, ensureSetupLink } from './setup.ts'

const server = await aServer()

/** As after the installation: nobody and nothing. */
beforeEach(async () => {
  for (const table of ['devices', 'sessions', 'setup_links', 'users', 'organizations'])
    await read(`delete from ${table}`)
})

const first = { name: 'Ada Berg', email: 'ada@example.test', password: 'four quiet green mornings' }
const create = (setup: string, more: { password?: string; sample?: boolean; email?: string } = {}) =>
  server.call(setUp, { body: { setup, ...first, ...more } })
const link = async () => (await ensureSetupLink(server.services)) ?? ''
const { query: read } = server

test('the link creates the first superadmin, signed in, once', async () => {
  expect((await server.call(readSetup)).body).toEqual({ needed: true })
  const setup = await link()
  const created = await create(setup)
  expect(created.status).toBe(201)
  expect(created.body.user).toMatchObject({ email: first.email, role: 'superadmin', organizationId: null })
  const headers = { authorization: `Bearer ${created.body.token}` }
  expect((await server.call(readSession, { headers })).status).toBe(200)
  expect((await server.call(readSetup)).body).toEqual({ needed: false })
  expect((await create(setup, { email: 'eve@example.test' })).problem?.code).toBe('link_expired')
  expect(await ensureSetupLink(server.services)).toBeUndefined()
  expect(await read('select action from audit where entity_id = (select id from users)')).toEqual([
    { action: 'auth.set_up' },
  ])
  expect(await read('select name from organizations')).toEqual([])
  const again = await server.call(login, { body: { identifier: first.email, password: first.password } })
  expect(again.status).toBe(200)
})

test('a wrong, an old and a link of an earlier start create nobody', async () => {
  const earlier = await link()
  const setup = await link()
  expect((await create('x'.repeat(43))).status).toBe(410)
  expect((await create(earlier)).status).toBe(410)
  await read('update setup_links set expires_at = now()')
  expect((await create(setup)).status).toBe(410)
  expect(await read('select 1 from users')).toEqual([])
})

test('of two at once one is created', async () => {
  const setup = await link()
  const both = await Promise.all(
    ['one@example.test', 'two@example.test'].map((email) => create(setup, { email })),
  )
  expect(both.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([201, 410])
  expect(await read('select count(*)::int as n from users')).toEqual([{ n: 1 }])
})

test('a rejected password leaves the link usable', async () => {
  const setup = await link()
  const answer = await create(setup, { password: 'ada berg ada' })
  expect(answer.problem).toMatchObject({
    code: 'password_rejected',
    fields: { password: ['password_too_short', 'password_contains_identity'] },
  })
  expect((await create(setup)).status).toBe(201)
})

test('the sample brings its organization and the job that fills it', async () => {
  await create(await link(), { sample: true })
  const [sample] = await read('select id, name from organizations')
  expect(sample).toMatchObject({ name: 'Sample organization' })
  expect(await read(`select data from pgboss.job where name = 'sample.fill'`)).toEqual([
    { data: { organizationId: String(sample?.id), origin: { requestId: expect.any(String) } } },
  ])
})

test('the unattended set-up creates the first superadmin and nobody more', async () => {
  await expect(createSuperadmin(server.services, { ...first, password: 'short' })).rejects.toThrow(
    'choose another password',
  )
  const ada = { email: ' Ada@Example.test ', password: first.password }
  expect(await createSuperadmin(server.services, ada)).toBe('created')
  expect(await createSuperadmin(server.services, { ...ada, password: 'another good passphrase' })).toBe(
    'there',
  )
  await expect(createSuperadmin(server.services, { ...first, email: 'b@example.test' })).rejects.toThrow(
    'exists already',
  )
  const answer = await server.call(login, { body: { identifier: first.email, password: first.password } })
  expect(entered(answer.body).user.role).toBe('superadmin')
})
