import { beforeEach, describe, expect, test } from 'vitest'
import { login, readSession } from '#contract/identity/auth.ts'
import { deleteAccount } from '#contract/identity/auth.ts'
import {
  checkDomain,
  createDomain,
  deleteDomain,
  listDomains,
  readOrganizationSignIn,
  updateOrganizationSignIn,
} from '#contract/identity/sign-in-domains.ts'
import {
  deleteConnection,
  readConnection,
  unlinkConnectionPerson,
  updateConnection,
} from '#contract/identity/sso.ts'
import { readProof } from '#contract/identity/sso-sign-in.ts'
import { deleteUser, readUser, updateUser } from '#contract/directory/users.ts'
import { hashPassword } from '../password/hash.ts'
import { openNameServer } from '../../testing/mail/name-server.ts'
import { callerFor, type Person } from '../../testing/server.ts'
import { aServerBeside, connected, ledBack, provedDomain, signedIn } from '../../testing/sign-in/company.ts'
import { openLiar } from '../../testing/sign-in/liar.ts'
import { visitorOf } from '../../testing/sign-in/visitor.ts'
import { unique } from '../../testing/unique.ts'
import { anOrganization } from '../../testing/worlds.ts'

const names = await openNameServer()
const liar = await openLiar('login.acme.test')
const server = await aServerBeside(names, [liar])
const { query } = server
const password = 'a password for the emergency'
const hash = await hashPassword(password)

let orgId: string
let admin: Person
let chief: Person
let connectionId: string
let domain: string
beforeEach(async () => {
  liar.honest()
  await query('delete from attempts')
  ;({ orgId, admin } = await anOrganization(server))
  chief = await server.person('admin', orgId)
  await query('update users set password_hash = $2 where organization_id = $1', [orgId, hash])
  domain = await provedDomain(names, admin)
  connectionId = await connected(admin, liar)
})

const params = () => ({ orgId })
const setPolicy = (signIn: 'offered' | 'required', breakGlassId: string | null, by = chief) =>
  by.call(updateOrganizationSignIn, { params: params(), body: { signIn, breakGlassId } })
const enter = (email: string) => server.call(login, { body: { identifier: email, password } })
const actions = async (action: string) =>
  (
    await query<{ id: string }>(
      'select entity_id as id from audit where organization_id = $1 and action = $2',
      [orgId, action],
    )
  ).map(({ id }) => id)
const callAs = (token: string) => {
  const send: Person['send'] = (method, url, more = {}) =>
    server.send(method, url, { ...more, headers: { ...more.headers, authorization: `Bearer ${token}` } })
  return callerFor(send)
}

describe('an organization that requires its own sign-in', () => {
  test('lets nobody in by password but the one who is named, and ends what began otherwise', async () => {
    await query('update users set email = $2 where id = $1', [admin.id, `ada@${domain}`])
    liar.person = { email: `ada@${domain}`, email_verified: true }
    const visitor = visitorOf(server, [liar.ca])
    const own = String((await signedIn(visitor, connectionId))['token'])
    const before = await chief.call(readOrganizationSignIn, { params: params() })
    expect(before.body).toMatchObject({ signIn: 'offered', breakGlass: null, sessionsToEnd: 2 })
    const set = await setPolicy('required', chief.id)
    expect([set.status, set.body.breakGlass?.email]).toEqual([200, chief.email])
    expect((await admin.call(readSession)).status).toBe(401)
    expect((await chief.call(readSession)).status).toBe(200)
    expect((await callAs(own)(readSession)).status).toBe(200)

    const refused = await enter(`ada@${domain}`)
    expect([refused.status, refused.problem?.code, refused.problem?.reason?.code]).toEqual([
      403,
      'forbidden',
      'sso_required',
    ])
    expect(
      (await server.call(login, { body: { identifier: `ada@${domain}`, password: 'wrong' } })).problem?.code,
    ).toBe('invalid_credentials')
    expect(await actions('auth.way_refused')).toEqual([admin.id])
    expect((await enter(chief.email)).body.status).toBe('authenticated')
    expect(await actions('auth.break_glass')).toEqual([chief.id])
    expect((await callAs(own)(readProof)).body).toMatchObject({
      own: false,
      connections: [{ id: connectionId }],
    })
    expect((await chief.call(readProof)).body).toEqual({ own: true, connections: [] })

    expect((await setPolicy('offered', null)).status).toBe(200)
    expect((await enter(`ada@${domain}`)).body.status).toBe('authenticated')
  })

  test('keeps whom it has named', async () => {
    await setPolicy('required', chief.id)
    const kept = { status: 409, reason: 'break_glass' }
    const of = ({
      status,
      problem,
    }: {
      status: number
      problem: { reason?: { code: string } | undefined } | undefined
    }) => ({
      status,
      reason: problem?.reason?.code,
    })
    const root = await server.person('superadmin')
    const person = { orgId, userId: chief.id }
    expect(of(await root.call(deleteUser, { params: person }))).toEqual(kept)
    const { body: user } = await root.call(readUser, { params: person })
    const change = (more: object) =>
      root.call(updateUser, { params: person, body: { name: user.name, email: user.email, ...more } })
    expect(of(await change({ role: 'groupadmin' }))).toEqual(kept)
    expect(of(await change({ role: null }))).toEqual(kept)
    expect(of(await change({ state: 'disabled' }))).toEqual(kept)
    expect(of(await change({ email: `other.${user.email}` }))).toEqual(kept)
    expect(of(await chief.call(deleteAccount, { body: { email: chief.email } }))).toEqual(kept)
    expect((await change({ name: 'Another name' })).status).toBe(200)
    const bare = query(`update users set state = 'disabled' where id = $1`, [chief.id])
    await expect(bare).rejects.toMatchObject({ constraint: 'users_break_glass' })
    await setPolicy('offered', null)
    expect((await change({ role: 'groupadmin' })).status).toBe(200)
  })

  test('closes neither the last connection nor the way of an emergency', async () => {
    const recipient = await server.person(null, orgId)
    expect((await setPolicy('required', null)).problem?.fields).toEqual({ breakGlassId: ['required'] })
    expect((await setPolicy('required', recipient.id)).problem?.fields).toEqual({
      breakGlassId: ['not_found'],
    })
    const elsewhere = await anOrganization(server)
    expect((await setPolicy('required', elsewhere.admin.id)).problem?.fields).toEqual({
      breakGlassId: ['not_found'],
    })
    await setPolicy('required', chief.id)
    const one = { orgId, connectionId }
    const { body } = await chief.call(readConnection, { params: one })
    const { kind, name, issuer, clientId, creates, grants, secondStep, rules } = body
    const off = { kind, name, issuer, clientId, creates, grants, secondStep, rules, isOn: false }
    expect((await chief.call(updateConnection, { params: one, body: off })).problem?.reason?.code).toBe(
      'last_connection',
    )
    expect((await chief.call(deleteConnection, { params: one })).problem?.reason?.code).toBe(
      'last_connection',
    )
    await setPolicy('offered', null)
    expect((await chief.call(deleteConnection, { params: one })).status).toBe(200)
    expect((await setPolicy('required', chief.id)).problem?.reason?.code).toBe('connection_missing')
  })
})

describe('what a connection knows', () => {
  test('ends with it: sessions, and by whom somebody is known', async () => {
    const email = `ada@${domain}`
    await query('update users set email = $2 where id = $1', [admin.id, email])
    liar.person = { sub: 'one', email, email_verified: true }
    const visitor = visitorOf(server, [liar.ca])
    const enterBy = async () => callAs(String((await signedIn(visitor, connectionId))['token']))
    const first = await enterBy()
    const forgotten = await chief.call(unlinkConnectionPerson, {
      params: { orgId, connectionId, userId: admin.id },
    })
    expect(forgotten.status).toBe(200)
    expect((await first(readSession)).status).toBe(401)
    liar.person = { sub: 'two', email, email_verified: true }
    const second = await enterBy()
    expect((await second(readSession)).status).toBe(200)
    expect((await chief.call(deleteConnection, { params: { orgId, connectionId } })).status).toBe(200)
    expect((await second(readSession)).status).toBe(401)
  })

  test('a secret is shown to nobody, and goes to no other issuer', async () => {
    const one = { orgId, connectionId }
    const { body } = await chief.call(readConnection, { params: one })
    const { kind, name, clientId, isOn, creates, grants, secondStep, rules } = body
    const moved = {
      kind,
      name,
      clientId,
      isOn,
      creates,
      grants,
      secondStep,
      rules,
      issuer: 'https://evil.example.com',
    }
    expect((await chief.call(updateConnection, { params: one, body: moved })).problem?.fields).toEqual({
      clientSecret: ['required'],
    })
    const [kept] = await query<{ sealed: Buffer }>(
      'select secret_sealed as sealed from sign_in_connections where id = $1',
      [connectionId],
    )
    expect(kept?.sealed.toString('latin1')).not.toContain(liar.clientSecret)
    const entries = await query('select before, after from audit where organization_id = $1', [orgId])
    expect(JSON.stringify([body, entries])).not.toContain(liar.clientSecret)
  })
})

test('a domain is proved by its record, and lost with it', async () => {
  const name = `${unique()}.example.com`
  const made = await admin.call(createDomain, {
    params: params(),
    body: { domain: `@${name.toUpperCase()}` },
  })
  expect(made.body).toMatchObject({ domain: name, provedAt: null, record: { name: `_sendreel.${name}` } })
  const one = { orgId, domainId: made.body.id }
  const look = async () => (await admin.call(checkDomain, { params: one, body: {} })).body
  expect(await look()).toMatchObject({ finding: 'missing', provedAt: null })
  names.zone[made.body.record.name] = ['sendreel-domain=of somebody else']
  expect(await look()).toMatchObject({ finding: 'other', provedAt: null })
  names.zone[made.body.record.name] = ['something else', made.body.record.value]
  expect(await look()).toMatchObject({ finding: 'proved', provedAt: expect.any(String) })
  delete names.zone[made.body.record.name]
  expect(await look()).toMatchObject({ finding: 'missing', provedAt: null })
  expect((await admin.call(createDomain, { params: params(), body: { domain: name } })).problem?.code).toBe(
    'already_exists',
  )
  const { admin: stranger } = await anOrganization(server)
  const theirs = await stranger.call(createDomain, {
    params: { orgId: stranger.organizationId ?? '' },
    body: { domain: name },
  })
  expect(theirs.body.record.value).not.toBe(made.body.record.value)
  expect((await admin.call(deleteDomain, { params: one })).status).toBe(200)
  const left = await admin.call(listDomains, { params: params() })
  expect(left.body.items.map(({ domain: one }) => one)).toEqual([domain])
})

test('a superadmin enters by a connection of the installation, and is made by none', async () => {
  const root = await server.person('superadmin')
  const email = `root@${unique()}.example.com`
  await query('update users set email = $2 where id = $1', [root.id, email])
  const made = await root.send('POST', '/api/system/domains', { body: { domain: email.split('@')[1] ?? '' } })
  const domainMade = made.body as { id: string; record: { name: string; value: string } }
  names.zone[domainMade.record.name] = [domainMade.record.value]
  await root.send('POST', `/api/system/domains/${domainMade.id}/check`, { body: {} })
  const { issuer, clientId, clientSecret } = liar
  const added = await root.send('POST', '/api/system/connections', {
    body: { kind: 'oidc', name: 'Installation', issuer, clientId, clientSecret },
  })
  const { id } = added.body as { id: string }
  const visitor = visitorOf(server, [liar.ca])
  liar.person = { sub: 'root', email, email_verified: true }
  expect(await signedIn(visitor, id)).toMatchObject({
    user: { id: root.id, role: 'superadmin', organizationId: null },
  })
  liar.person = { sub: 'eve', email: `eve@${email.split('@')[1]}`, email_verified: true, role: 'superadmin' }
  expect(await ledBack(visitor, id)).toEqual({ fault: 'nobody' })
  expect((await admin.send('GET', '/api/system/connections')).status).toBe(403)
  const foreign = await admin.send('GET', `/api/organizations/${orgId}/connections/${id}`)
  expect(foreign.status).toBe(404)
})
