import { expect, test } from 'vitest'
import { logout, readSession } from '#contract/identity/auth.ts'
import { listOrganizations, readOrganization } from '#contract/directory/organizations.ts'
import { mostTogether, readTogether } from '#contract/platform/together.ts'
import { aServer } from '../../testing/worlds.ts'

const server = await aServer()

test('requires sign-in', async () => {
  expect((await server.call(readTogether, { query: { of: '/auth/session' } })).status).toBe(401)
  expect((await server.call(readTogether, { query: { of: '/config' } })).status).toBe(401)
})

test('answers each reading as it would be alone, with its version, in the order of the question', async () => {
  const person = await server.person('admin', await server.organization('Together'))
  const orgId = person.organizationId ?? ''
  const of = `/auth/session /organizations/${orgId} /organizations?sort=name&offset=0&limit=25`
  const { answers } = (await person.call(readTogether, { query: { of } })).body
  const alone = [
    await person.call(readSession),
    await person.call(readOrganization, { params: { orgId } }),
    await person.call(listOrganizations, { query: { sort: 'name', offset: 0, limit: 25 } }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(answers.map(({ body }) => body)).toEqual(alone.map(({ body }) => body))
  const { headers } = await person.send('GET', `/api/organizations/${orgId}`)
  expect(answers[1]?.etag).toBe(headers['etag'])
  expect(answers[0]?.etag).toBeNull()
})

test('refuses within what it would refuse alone: a foreign organization, and what is for another role', async () => {
  const foreign = await server.organization('Somebody else')
  const person = await server.person('groupadmin', await server.organization('Together'))
  const of = `/organizations/${foreign} /videos?limit=1 /auth/session`
  const asked = await person.call(readTogether, { query: { of } })
  const codes = asked.body.answers.map(({ status, body }) => [status, (body as { code?: string }).code])
  expect(codes).toEqual([
    [404, 'not_found'],
    [403, 'forbidden'],
    [200, undefined],
  ])
})

test('takes readings of JSON alone, itself excepted, and no more than a page needs', async () => {
  const orgId = await server.organization('Together')
  const person = await server.person('superadmin')
  const ask = async (of: string) => (await person.call(readTogether, { query: { of } })).status
  const refused = [
    '/together?of=/auth/session',
    '/audit/export',
    `/transmissions/${orgId}/deliveries/export`,
    '/openapi.json',
    '/nothing-here',
    '//elsewhere.test/api/auth/session',
    'https://elsewhere.test/',
    '/auth/session?x=y#z',
    '',
    Array.from({ length: mostTogether + 1 }, () => '/auth/session').join(' '),
  ]
  for (const of of refused) expect([of, await ask(of)]).toEqual([of, 422])
  expect(await ask(Array.from({ length: mostTogether }, () => '/auth/session').join(' '))).toBe(200)
})

test('ends with the session at once', async () => {
  const person = await server.person('superadmin')
  expect((await person.call(readTogether, { query: { of: '/auth/session' } })).status).toBe(200)
  await person.call(logout)
  expect((await person.call(readTogether, { query: { of: '/auth/session' } })).status).toBe(401)
})
