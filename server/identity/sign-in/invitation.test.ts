import { beforeEach, expect, test } from 'vitest'
import { forgotPassword, login, readSession } from '#contract/identity/auth.ts'
import { createGroup, deleteGroup } from '#contract/directory/groups.ts'
import { acceptInvitation, openInvitation } from '#contract/identity/acceptance.ts'
import { createInvitation, revokeInvitation } from '#contract/directory/invitations.ts'
import { deleteOrganization } from '#contract/directory/organizations.ts'
import { defaultSecurity, updateSecurity } from '#contract/identity/security.ts'
import { createUser, listUsers, readUser } from '#contract/directory/users.ts'
import { entered } from '../../testing/sign-in/entered.ts'
import { daysLater, invitedToken, invitedTokens } from '../../testing/mail/invited.ts'
import type { Person } from '../../testing/server.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'

const server = await aServer()

let orgId: string
let admin: Person
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server, 'Tailspin'))
})

const password = 'four quiet green mornings'
const address = () => `${crypto.randomUUID()}@example.test`
const { query: read } = server
const open = (token: string) => server.call(openInvitation, { params: { token } })
const accept = (token: string, more: object = {}, headers: Record<string, string> = {}) =>
  server.call(acceptInvitation, {
    params: { token },
    body: { name: 'New Comer', password, ...more },
    headers,
  })
const usersAt = (email: string) =>
  read('select name, role, state from users where email = $1 and deleted_at is null', [email])

/** An invitation by the administrator, with its token. */
async function invited(more: object = {}) {
  const email = address()
  const body = { organizationId: orgId, email, role: 'admin' as const, ...more }
  const created = await admin.call(createInvitation, { body })
  return { email: body.email, id: created.body.id, token: await invitedToken(server, body.email) }
}

test('tells the holder of the link what it is about', async () => {
  const group = await admin.call(createGroup, { params: { orgId }, body: { name: 'Night shift' } })
  const { token, email } = await invited({ role: 'groupadmin', groupIds: [group.body.id], name: 'Ada' })
  const opened = await open(token)
  expect(opened.body).toMatchObject({
    organizationName: 'Tailspin',
    role: 'groupadmin',
    groups: ['Night shift'],
    email,
    name: 'Ada',
    account: 'none',
  })
  expect(Object.keys(opened.body).toSorted()).toEqual(
    ['account', 'email', 'expiresAt', 'groups', 'invitedBy', 'name', 'organizationName', 'role'].toSorted(),
  )
})

test('makes a person, signs them in, tells the inviter, and works once', async () => {
  const { token, email, id } = await invited()
  const session = entered((await accept(token)).body)
  expect(session.user).toMatchObject({ email, role: 'admin', organizationId: orgId, name: 'New Comer' })
  const headers = { authorization: `Bearer ${session.token}` }
  expect((await server.call(readSession, { headers })).status).toBe(200)
  expect((await accept(token)).problem).toMatchObject({
    code: 'link_expired',
    fields: { invitation: ['invitation_used'] },
  })
  expect(await read('select state, accepted_by from invitations where id = $1', [id])).toEqual([
    { state: 'accepted', accepted_by: session.user.id },
  ])
  const notified = await read('select subject from mails where address = $1', [admin.email])
  expect(notified).toEqual([{ subject: 'New Comer has accepted your invitation' }])
  expect((await server.call(login, { body: { identifier: email, password } })).status).toBe(200)
})

test('of two at once one wins, and nothing is half done', async () => {
  const { token, email } = await invited()
  const answers = await Promise.all([1, 2, 3, 4].map((n) => accept(token, { name: `Number ${n}` })))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 410, 410, 410])
  const winner = answers.findIndex(({ status }) => status === 200) + 1
  expect(await usersAt(email)).toEqual([{ name: `Number ${winner}`, role: 'admin', state: 'active' }])
  expect(
    await read('select 1 from sessions s join users u on u.id = s.user_id where u.email = $1', [email]),
  ).toHaveLength(1)
})

test('a recipient of the organization gets the role and stays who they are', async () => {
  const recipient = await server.person(null, orgId)
  const groupId = (await admin.call(createGroup, { params: { orgId }, body: { name: 'G' } })).body.id
  const { token } = await invited({ email: recipient.email, role: 'groupadmin', groupIds: [groupId] })
  expect((await open(token)).body.account).toBe('none')
  const session = entered((await accept(token)).body)
  expect(session.user).toMatchObject({ id: recipient.id, role: 'groupadmin', groupIds: [groupId] })
  const shown = await admin.call(readUser, { params: { orgId, userId: recipient.id } })
  expect(shown.body).toMatchObject({ state: 'active', groups: [{ id: groupId, groupadmin: true }] })
})

test('a person who was created beforehand is filled, with the groups that they have by then', async () => {
  const body = { name: 'Prepared', email: address(), role: 'groupadmin' as const }
  const created = await admin.call(createUser, { params: { orgId }, body })
  const session = entered((await accept(await invitedToken(server, body.email), { name: 'Own Name' })).body)
  expect(session.user).toMatchObject({ id: created.body.id, name: 'Own Name', role: 'groupadmin' })
  expect(await usersAt(body.email)).toEqual([{ name: 'Own Name', role: 'groupadmin', state: 'active' }])
})

test('joins the groups that still exist', async () => {
  const groups = await Promise.all(
    ['Stays', 'Goes'].map((name) => admin.call(createGroup, { params: { orgId }, body: { name } })),
  )
  const [stays = '', goes = ''] = groups.map(({ body }) => body.id)
  const { token } = await invited({ role: 'groupadmin', groupIds: [stays, goes] })
  await admin.call(deleteGroup, { params: { orgId, groupId: goes } })
  expect(entered((await accept(token)).body).user.groupIds).toEqual([stays])
})

test('an administrator joins as a plain member', async () => {
  const group = await admin.call(createGroup, { params: { orgId }, body: { name: 'G' } })
  const { token } = await invited({ groupIds: [group.body.id] })
  const { user } = entered((await accept(token)).body)
  expect(user.groupIds).toEqual([])
  const shown = await admin.call(readUser, { params: { orgId, userId: user.id } })
  expect(shown.body.groups).toMatchObject([{ id: group.body.id, groupadmin: false }])
})

test('a superadmin is made by another one, without an organization', async () => {
  const superadmin = await server.person('superadmin')
  const email = address()
  await superadmin.call(createInvitation, { body: { organizationId: null, email, role: 'superadmin' } })
  const token = await invitedToken(server, email)
  expect((await open(token)).body).toMatchObject({ organizationName: null, role: 'superadmin' })
  expect(entered((await accept(token)).body).user).toMatchObject({ role: 'superadmin', organizationId: null })
})

test('nobody takes an account over: whoever signs in here or elsewhere is told so', async () => {
  const stranger = await server.person('admin', await server.organization('Elsewhere'))
  const { token } = await invited({ email: stranger.email })
  await read(`update users set password_hash = 'chosen' where id = $1`, [stranger.id])
  expect((await open(token)).body.account).toBe('elsewhere')
  const headers = { authorization: `Bearer ${stranger.token}` }
  const refused = await accept(token, {}, headers)
  expect(refused.problem).toMatchObject({ code: 'conflict' })
  expect(JSON.stringify(refused.problem)).not.toContain('Elsewhere')
  const here = await invited()
  await read(
    `insert into users (organization_id, name, email, role, password_hash) values ($1, 'Meanwhile', $2, 'groupadmin', 'chosen')`,
    [orgId, here.email],
  )
  expect((await open(here.token)).body.account).toBe('here')
  expect((await accept(here.token)).problem?.detail).toContain('signs in to Tailspin already')
  expect(await usersAt(here.email)).toEqual([{ name: 'Meanwhile', role: 'groupadmin', state: 'active' }])
})

test('every reason against the password at once, and the link stays good', async () => {
  const { token, email } = await invited()
  const rejected = await accept(token, { name: 'Ada Berg', password: 'ada berg ada' })
  expect(rejected.problem).toMatchObject({
    code: 'password_rejected',
    fields: { password: ['password_too_short', 'password_contains_identity'] },
  })
  expect((await accept(token, { name: ' ' })).problem?.fields).toEqual({ name: ['required'] })
  expect(await usersAt(email)).toEqual([])
  expect((await accept(token)).status).toBe(200)
})

test('one answer to every link that does not work, with the reason for whoever holds a real one', async () => {
  const [expired, revoked] = [await invited(), await invited()]
  await daysLater(server, expired.email, 7)
  await admin.call(revokeInvitation, { params: { invitationId: revoked.id } })
  const unknown = 'x'.repeat(43)
  const reasons = { [expired.token]: 'invitation_expired', [revoked.token]: 'invitation_revoked' }
  for (const token of [expired.token, revoked.token, unknown])
    for (const answer of [await open(token), await accept(token)]) {
      expect(answer.status).toBe(410)
      expect(answer.problem?.code).toBe('link_expired')
      const reason = reasons[token]
      expect(answer.problem?.fields).toEqual(reason && { invitation: [reason] })
    }
  expect(await usersAt(expired.email)).toEqual([])
})

test('nobody enters an organization that is gone or switched off', async () => {
  const { token, email } = await invited()
  await read(`update organizations set state = 'suspended' where id = $1`, [orgId])
  expect((await accept(token)).status).toBe(410)
  await read(`update organizations set state = 'active' where id = $1`, [orgId])
  const superadmin = await server.person('superadmin')
  await superadmin.call(deleteOrganization, { params: { orgId } })
  expect((await accept(token)).status).toBe(410)
  expect(await usersAt(email)).toEqual([])
})

test('a policy that asks for a second factor asks for it here too', async () => {
  const superadmin = await server.person('superadmin')
  const security = (mfa: 'optional' | 'required') =>
    superadmin.call(updateSecurity, { body: { ...defaultSecurity, mfa } })
  const { token, email } = await invited()
  await security('required')
  try {
    const answer = await accept(token)
    expect(answer.body).toMatchObject({ status: 'mfa_enrollment_required' })
    expect(await usersAt(email)).toMatchObject([{ state: 'active' }])
    expect(
      await read('select 1 from sessions s join users u on u.id = s.user_id where u.email = $1', [email]),
    ).toEqual([])
  } finally {
    await security('optional')
  }
})

test('guessing is bounded per network, and does not keep out who holds a real link elsewhere', async () => {
  const { token } = await invited()
  const remoteAddress = '198.51.100.7'
  const guess = (text: string) =>
    server.app.inject({ url: `/api/auth/invitations/${text}`, method: 'GET', remoteAddress })
  for (let n = 0; n < 60; n += 1) expect((await guess(`guess-${n}-${'x'.repeat(30)}`)).statusCode).toBe(410)
  const refused = await guess('y'.repeat(43))
  expect(refused.statusCode).toBe(429)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  for (let n = 0; n < 70; n += 1) expect((await open(token)).status).toBe(200)
})

test('who asks for a new password before there was one is led back to the invitation', async () => {
  const body = { name: 'Prepared', email: address(), role: 'admin' as const }
  await admin.call(createUser, { params: { orgId }, body })
  const first = await invitedToken(server, body.email)
  expect((await server.call(forgotPassword, { body: { identifier: body.email } })).status).toBe(202)
  await expect.poll(() => invitedTokens(server, body.email)).toEqual([first, first])
  const codes = await read(`select 1 from mails where address = $1 and subject like 'Your code%'`, [
    body.email,
  ])
  expect(codes).toEqual([])
  expect((await accept(first)).status).toBe(200)
})

test('the address of a request is written down without the secret', async () => {
  const lines: string[] = []
  const { buildApp } = await import('../../app.ts')
  const { pino } = await import('pino')
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const app = await buildApp(server.services, log)
  const { token } = await invited()
  await app.inject({ url: `/api/auth/invitations/${token}` })
  await app.inject({ method: 'POST', url: `/api/auth/invitations/${token}/accept`, payload: {} })
  await app.inject({ url: `/auth-1/sign-up?invite=${token}&x=1` })
  await app.close()
  expect(lines.join('')).toContain('/api/auth/invitations/***/accept')
  expect(lines.join('')).not.toContain(token)
})

test('the list of people shows who has come', async () => {
  const { token, email } = await invited()
  await accept(token)
  const found = await admin.call(listUsers, { params: { orgId }, query: { q: email } })
  expect(found.body.items).toMatchObject([{ email, role: 'admin', state: 'active' }])
})
