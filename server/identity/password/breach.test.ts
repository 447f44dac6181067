import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { changePassword } from '#contract/identity/account.ts'
import { resetPassword } from '#contract/identity/auth.ts'
import { identities, network, password, said } from '../../testing/sign-in/identities.ts'
import { startTestServer } from '../../testing/server.ts'
import { hashPassword } from './hash.ts'

const leaked = 'a password that the world has seen'
const hashOf = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase()

/** A service of leaked passwords: what it was asked, and what it answers. */
let asked: { url: string; padding: unknown }[] = []
let ended = 0
let answer: (prefix: string) => string | undefined

const service = createServer((request, reply) => {
  asked.push({ url: request.url ?? '', padding: request.headers['add-padding'] })
  reply.on('close', () => (ended += 1))
  const text = answer(request.url?.split('/').at(-1) ?? '')
  if (text === undefined) return
  if (text === 'elsewhere') reply.writeHead(302, { location: '/elsewhere/' }).end()
  else reply.writeHead(text === '' ? 500 : 200).end(text)
})
await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
const { port } = service.address() as AddressInfo
const server = await startTestServer({ BREACH_RANGE_URL: `http://127.0.0.1:${port}/range` })
const are = identities(server)
afterAll(async () => {
  await server.close()
  service.closeAllConnections()
  service.close()
})
beforeEach(async () => {
  asked = []
  answer = (prefix) =>
    [leaked, password]
      .map(hashOf)
      .filter((hash) => hash.startsWith(prefix))
      .map((hash) => `${'0'.repeat(35)}:0\r\n${hash.slice(5)}:42`)
      .join('\r\n') || `${'0'.repeat(35)}:0`
  await are.policy({ breachLookup: true })
})

async function replace(given: string) {
  const person = await are.somebody()
  return person.call(changePassword, {
    body: { currentPassword: password, password: given },
    headers: network(),
  })
}

test('a leaked password is refused with the reason, and only five characters of its hash leave', async () => {
  const refused = await replace(leaked)
  expect(refused.problem?.fields).toEqual({ password: ['password_breached'] })
  expect(asked).toEqual([{ url: `/range/${hashOf(leaked).slice(0, 5)}`, padding: 'true' }])
  expect((await replace('another one that nobody has seen')).status).toBe(200)
})

test('what only fills the answer up says nothing', async () => {
  answer = () => `${hashOf('nine warm stones by the river').slice(5)}:0`
  expect((await replace('nine warm stones by the river')).status).toBe(200)
})

test('nothing is asked while it is switched off', async () => {
  await are.policy({})
  expect((await replace(leaked)).status).toBe(200)
  expect(asked).toEqual([])
})

test.each(['broken', 'silent', 'elsewhere'])(
  'a service that is %s leaves the list in the house',
  async (how) => {
    answer = () => ({ broken: '', elsewhere: how })[how]
    expect((await replace(leaked)).status).toBe(200)
    expect(asked).toHaveLength(1)
    expect((await replace('passwordpassword')).problem?.fields).toEqual({ password: ['password_too_common'] })
  },
)

test('a password that has leaked lets its owner in once more; the next sign-in asks for another one', async () => {
  const { email, id } = await are.somebody()
  expect(said(await are.enter(email))).toBe('authenticated')
  const expired = async () =>
    (await are.change('select password_expired as why from users where id = $1', [id])).rows[0] as {
      why: string | null
    }
  await vi.waitFor(async () => expect(await expired()).toEqual({ why: 'breached' }))
  const second = await are.enter(email)
  expect(second.body).toMatchObject({ status: 'password_change_required', reason: 'breached' })
  const { flowToken } = second.body as { flowToken: string }
  const reset = await server.call(resetPassword, {
    body: { password: 'another one that nobody has seen' },
    headers: { ...network(), 'x-auth-flow': flowToken },
  })
  expect(reset.status).toBe(200)
  expect(said(await are.enter(email, 'another one that nobody has seen'))).toBe('authenticated')
})

test('the service is asked about a good password once a week, and a silent one keeps nobody waiting', async () => {
  answer = () => undefined
  const { email } = await are.somebody()
  const before = ended
  expect(said(await are.enter(email))).toBe('authenticated')
  expect(ended).toBe(before)
  await vi.waitFor(() => expect(asked).toHaveLength(1))
  for (let n = 0; n < 2; n += 1) expect(said(await are.enter(email))).toBe('authenticated')
  await vi.waitFor(() => expect(ended).toBe(before + 1), 5_000)
  expect(asked).toHaveLength(1)
})

test('a password from the list in the house has to be replaced at once', async () => {
  await are.policy({})
  const { email, id } = await are.somebody()
  await are.change('update users set password_hash = $2 where id = $1', [id, await hashPassword('letmein')])
  const answered = await are.enter(email, 'letmein')
  expect(answered.body).toMatchObject({ status: 'password_change_required', reason: 'breached' })
  expect(said(await are.enter(email, 'letmeinn'))).toBe('invalid_credentials')
})
