import { expect, test } from 'vitest'
import { readSession } from '#contract/identity/auth.ts'
import { readConnection, tryConnection } from '#contract/identity/sso.ts'
import { openNameServer } from '../../testing/mail/name-server.ts'
import { callerFor, type Person } from '../../testing/server.ts'
import { aServerBeside, connected, provedDomain, signedIn } from '../../testing/sign-in/company.ts'
import { openProvider, type RealProvider } from '../../testing/sign-in/provider.ts'
import { isOurPage, toldAt, visitorOf } from '../../testing/sign-in/visitor.ts'
import { anOrganization } from '../../testing/worlds.ts'

const names = await openNameServer()
const providers = [await openProvider('login.acme.test'), await openProvider('login.other.test')] as const
const server = await aServerBeside(names, providers)
const { query } = server

/** Its logout tokens come in by the front door. */
const deliver = async (url: string, form: string) => {
  const answer = await server.app.inject({
    method: 'POST',
    url: new URL(url).pathname,
    payload: form,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  return answer.statusCode
}

/** An organization with a provider of its own, a proved domain, and somebody who may enter. */
async function company(provider: RealProvider, name: string) {
  const { orgId, admin } = await anOrganization(server, name)
  const domain = await provedDomain(names, admin)
  const connectionId = await connected(admin, provider, { name })
  const { body } = await admin.call(readConnection, { params: { orgId, connectionId } })
  await provider.register(body, deliver)
  const email = `ada@${domain}`
  await query(`insert into users (organization_id, name, email, role) values ($1, 'Ada', $2, 'admin')`, [
    orgId,
    email,
  ])
  provider.people.set('ada', { email, email_verified: true, name: 'Ada' })
  provider.who = 'ada'
  return { orgId, admin, connectionId, email, visitor: visitorOf(server, [provider.ca]) }
}

const isIn = async (token: unknown) => {
  const send: Person['send'] = (method, url, more = {}) =>
    server.send(method, url, { ...more, headers: { authorization: `Bearer ${String(token)}` } })
  return (await callerFor(send)(readSession)).status === 200
}

test('two organizations with two providers: each lets in its own people, and ends what it began', async () => {
  const one = await company(providers[0], 'One')
  const two = await company(providers[1], 'Two')
  const first = await signedIn(one.visitor, one.connectionId)
  const second = await signedIn(two.visitor, two.connectionId)
  expect(first).toMatchObject({
    status: 'authenticated',
    user: { email: one.email, organizationId: one.orgId },
  })
  expect(second).toMatchObject({
    status: 'authenticated',
    user: { email: two.email, organizationId: two.orgId },
  })

  const [known] = await query<{ sid: string }>(
    'select c.sid from connection_sessions c join users u on u.id = c.user_id where u.email = $1',
    [one.email],
  )
  await providers[0].logOut('ada', 'another session')
  expect([await isIn(first['token']), await isIn(second['token'])]).toEqual([true, true])
  await providers[0].logOut('ada', known?.sid ?? '')
  expect([await isIn(first['token']), await isIn(second['token'])]).toEqual([false, true])
  const ended = await query('select action from audit where organization_id = $1 and action = $2', [
    one.orgId,
    'auth.sso_ended',
  ])
  expect(ended).toHaveLength(1)
})

test('a code that was stolen from another sign-in is worth nothing: the provider has its challenge', async () => {
  const { connectionId, visitor } = await company(providers[0], 'Stolen')
  const stopped = async (by = visitor) =>
    new URL((await by.follow(`/api/auth/sso/${connectionId}`, (url) => !url.includes('/callback'))).url)
  const theirs = await stopped(visitorOf(server, [providers[0].ca]))
  const mine = await stopped()
  mine.searchParams.set('code', theirs.searchParams.get('code') ?? '')
  const page = await visitor.follow(mine.href, (url) => !isOurPage(url))
  expect(toldAt(page.url)).toEqual({ fault: 'code_refused' })
})

test('“Try it” finds nothing wrong, shows the claims that came, and lets nobody in', async () => {
  const { orgId, admin, connectionId, visitor, email } = await company(providers[0], 'Tried')
  const params = { orgId, connectionId }
  const tried = await admin.call(tryConnection, { params, body: {} })
  expect(tried.body.findings.map(({ step, result }) => [step, result])).toEqual([
    ['issuer', 'good'],
    ['clock', 'good'],
    ['client', 'good'],
    ['redirect', 'good'],
  ])
  const page = await visitor.follow(tried.body.trialUrl ?? '', (url) => !isOurPage(url))
  const told = toldAt(page.url)
  const done = await visitor.post('/api/auth/sso/exchange', { flow: told['flow'] })
  expect(done.body).toEqual({ status: 'tried', connectionId, organizationId: orgId })
  const shown = await admin.call(readConnection, { params })
  expect(shown.body.trial?.claims).toContainEqual({ name: 'email', values: [email] })
  expect(shown.body.trial?.findings.map(({ result }) => result)).toEqual(['good', 'good'])
  expect(
    await query(
      'select from sessions where $1 = any(amr) and user_id in (select id from users where organization_id = $2)',
      ['sso', orgId],
    ),
  ).toEqual([])
})

test('“Try it” says which part is wrong', async () => {
  const { orgId, admin, connectionId } = await company(providers[0], 'Wrong')
  const params = { orgId, connectionId }
  const faultsOf = async (body: object) =>
    (await admin.call(tryConnection, { params, body })).body.findings.flatMap(({ step, fault }) =>
      fault ? [[step, fault]] : [],
    )
  const { issuer, clientSecret } = providers[0]
  expect(await faultsOf({ clientSecret: 'not this one' })).toEqual([['client', 'client_unknown']])
  expect(await faultsOf({ clientId: 'nobody', clientSecret })).toEqual([['client', 'client_unknown']])
  expect(await faultsOf({ issuer: `${issuer}/`, clientSecret })).toEqual([['issuer', 'issuer_differs']])
  expect(await faultsOf({ issuer: `${issuer}/nowhere`, clientSecret })).toEqual([
    ['issuer', 'issuer_not_found'],
  ])
  expect(await faultsOf({ issuer: 'https://10.1.2.3', clientSecret })).toEqual([['issuer', 'issuer_private']])
  expect(await faultsOf({ issuer: 'https://nobody.acme.test', clientSecret })).toEqual([
    ['issuer', 'issuer_unreachable'],
  ])
  const common = 'https://login.microsoftonline.com/common/v2.0'
  expect(await faultsOf({ issuer: common, clientSecret })).toEqual([['issuer', 'issuer_template']])
  await providers[0].register({
    redirectUrl: 'https://elsewhere.example.com/callback',
    logoutUrl: 'https://elsewhere.example.com/',
  })
  expect(await faultsOf({})).toEqual([['redirect', 'redirect_unknown']])
  const without = await admin.call(tryConnection, { params, body: { issuer: 'https://evil.example.com' } })
  expect(without.problem?.fields).toEqual({ clientSecret: ['required'] })
})
