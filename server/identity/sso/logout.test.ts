import { beforeEach, expect, test } from 'vitest'
import { readSession } from '#contract/identity/auth.ts'
import { openNameServer } from '../../testing/mail/name-server.ts'
import { callerFor, type Person } from '../../testing/server.ts'
import { aServerBeside, connected, ledBack, provedDomain, signedIn } from '../../testing/sign-in/company.ts'
import { openLiar } from '../../testing/sign-in/liar.ts'
import { visitorOf } from '../../testing/sign-in/visitor.ts'
import { anOrganization } from '../../testing/worlds.ts'

const names = await openNameServer()
const liar = await openLiar('login.acme.test')
const other = await openLiar('login.other.test')
const server = await aServerBeside(names, [liar, other])
const { query } = server

let orgId: string
let connectionId: string
let token: string
beforeEach(async () => {
  liar.honest()
  await query('delete from attempts')
  let admin: Person
  ;({ orgId, admin } = await anOrganization(server))
  const domain = await provedDomain(names, admin)
  connectionId = await connected(admin, liar)
  await query(`insert into users (organization_id, name, email, role) values ($1, 'Ada', $2, 'admin')`, [
    orgId,
    `ada@${domain}`,
  ])
  liar.person = { sub: 'ada', sid: 'her session', email: `ada@${domain}`, email_verified: true }
  token = String((await signedIn(visitorOf(server, [liar.ca]), connectionId))['token'])
})

const isIn = async () => {
  const send: Person['send'] = (method, url, more = {}) =>
    server.send(method, url, { ...more, headers: { authorization: `Bearer ${token}` } })
  return (await callerFor(send)(readSession)).status === 200
}
const now = () => Math.floor(Date.now() / 1_000)
const honest = (): Record<string, unknown> => ({
  iss: liar.issuer,
  aud: liar.clientId,
  iat: now(),
  exp: now() + 120,
  jti: crypto.randomUUID(),
  sub: 'ada',
  events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
})
const told = async (logoutToken: string, to = connectionId) => {
  const answer = await server.app.inject({
    method: 'POST',
    url: `/api/auth/sso/${to}/logout`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ logout_token: logoutToken }).toString(),
  })
  return answer.statusCode
}
const refusedSoFar = async () =>
  (
    await query(`select from audit where organization_id = $1 and action = 'connection.logout_refused'`, [
      orgId,
    ])
  ).length

const lies: [name: string, make: () => Promise<string>][] = [
  ['of another issuer', () => liar.signed({ ...honest(), iss: other.issuer })],
  ['for another client', () => liar.signed({ ...honest(), aud: 'somebody else' })],
  ['signed by another provider', () => other.signed(honest())],
  ['signed by a stranger', () => liar.signed(honest(), {}, liar.strangerKey)],
  ['that is a token of a sign-in', () => liar.signed({ ...honest(), nonce: 'x' })],
  ['of another type', () => liar.signed(honest(), { typ: 'at+jwt' })],
  ['without an event', () => liar.signed({ ...honest(), events: undefined })],
  ['of another event', () => liar.signed({ ...honest(), events: { 'https://example.com/other': {} } })],
  ['about nobody', () => liar.signed({ ...honest(), sub: undefined })],
  ['without a number of its own', () => liar.signed({ ...honest(), jti: undefined })],
  ['that has expired', () => liar.signed({ ...honest(), exp: now() - 90 })],
  ['made ten minutes ago', () => liar.signed({ ...honest(), iat: now() - 600, exp: now() + 600 })],
  ['from the future', () => liar.signed({ ...honest(), iat: now() + 600, exp: now() + 1_200 })],
  [
    'without a signature',
    async () =>
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${(await liar.signed(honest())).split('.')[1]}.`,
  ],
  ['that is none', async () => 'x'],
]

test.each(lies)('a logout token %s ends nothing', async (_name, make) => {
  expect(await told(await make())).toBe(400)
  expect([await isIn(), await refusedSoFar()]).toEqual([true, 1])
})

test('a true one ends the sessions of its person or its session, once, and what is half done', async () => {
  const half = visitorOf(server, [liar.ca])
  const begun = await ledBack(half, connectionId)
  const taken = await liar.signed(honest(), { typ: 'logout+jwt' })
  expect(await told(taken)).toBe(200)
  expect(await isIn()).toBe(false)
  expect((await half.post('/api/auth/sso/exchange', { flow: begun['flow'] })).body['code']).toBe(
    'flow_expired',
  )
  expect(await told(taken)).toBe(400)

  token = String((await signedIn(visitorOf(server, [liar.ca]), connectionId))['token'])
  expect(await told(await liar.signed({ ...honest(), sid: 'another session' }))).toBe(200)
  expect(await isIn()).toBe(true)
  expect(await told(await liar.signed({ ...honest(), sub: undefined, sid: 'her session' }))).toBe(200)
  expect(await isIn()).toBe(false)
  const ends = await query<{ end_reason: string }>(
    `select distinct s.end_reason from sessions s join users u on u.id = s.user_id where u.organization_id = $1 and 'sso' = any(s.amr)`,
    [orgId],
  )
  expect(ends).toEqual([{ end_reason: 'by_provider' }])
})

test('one for another connection ends nothing there', async () => {
  const { admin } = await anOrganization(server)
  const theirs = await connected(admin, other)
  expect(await told(await liar.signed(honest()), theirs)).toBe(400)
  expect(await told(await liar.signed(honest()), crypto.randomUUID())).toBe(400)
  expect(await isIn()).toBe(true)
})
