import { beforeEach, describe, expect, test } from 'vitest'
import { acceptInvitation, openInvitation } from '#contract/identity/acceptance.ts'
import {
  createInvitation,
  inviteMany,
  listInvitations,
  resendInvitation,
  revokeInvitation,
} from '#contract/directory/invitations.ts'
import { createGroup } from '#contract/directory/groups.ts'
import { roles, type Role } from '#contract/roles.ts'
import { updateUser } from '#contract/directory/users.ts'
import { daysLater, invitedToken, invitedTokens } from '../../testing/mail/invited.ts'
import type { Person } from '../../testing/server.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'

const server = await aServer()

let orgId: string
let admin: Person
const superadmin = await server.person('superadmin')
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server, 'Tailspin'))
})

const address = () => `${crypto.randomUUID()}@example.test`
const { query: read } = server
const group = async (name: string, by = admin) =>
  (await by.call(createGroup, { params: { orgId: by.organizationId ?? '' }, body: { name } })).body.id
const invite = (email: string, more: object = {}, by = admin) =>
  by.call(createInvitation, { body: { organizationId: orgId, email, role: 'admin', ...more } })
const open = (token: string) => server.call(openInvitation, { params: { token } })
const password = 'four quiet green mornings'
const accept = (token: string, more: object = {}) =>
  server.call(acceptInvitation, { params: { token }, body: { name: 'New Comer', password, ...more } })

/** Administers one new group. */
async function groupadmin(): Promise<{ person: Person; groupId: string }> {
  const groupId = await group(`Group ${crypto.randomUUID()}`)
  const person = await server.person('groupadmin', orgId)
  const body = { name: 'G', email: person.email, groupIds: [groupId], adminGroupIds: [groupId] }
  await admin.call(updateUser, { params: { orgId, userId: person.id }, body })
  return { person, groupId }
}

test('requires sign-in', async () => {
  expect((await server.call(listInvitations)).status).toBe(401)
  const body = { organizationId: orgId, email: address(), role: 'admin' as const }
  expect((await server.call(createInvitation, { body })).status).toBe(401)
  expect((await server.call(inviteMany, { body: { ...body, addresses: address() } })).status).toBe(401)
})

test('requires role, and a fresh proof of who is there', async () => {
  const recipient = await server.person(null, orgId)
  expect((await invite(address(), {}, recipient)).status).toBe(401)
  await read(`update sessions set reauthenticated_at = now() - interval '11 minutes' where user_id = $1`, [
    admin.id,
  ])
  const email = address()
  expect((await invite(email)).problem?.code).toBe('reauthentication_required')
  const bulk = { organizationId: orgId, role: 'admin' as const, addresses: email }
  expect((await admin.call(inviteMany, { body: bulk })).problem?.code).toBe('reauthentication_required')
  expect(await invitedTokens(server, email)).toEqual([])
})

/** Who may invite whom where; everything else is refused. */
const granted: Record<Role, Partial<Record<'own' | 'foreign' | 'installation', readonly Role[]>>> = {
  superadmin: {
    own: ['admin', 'groupadmin'],
    foreign: ['admin', 'groupadmin'],
    installation: ['superadmin'],
  },
  admin: { own: ['admin', 'groupadmin'] },
  groupadmin: { own: ['groupadmin'] },
}
const places = ['own', 'foreign', 'installation'] as const
const cases = roles.flatMap((actor) =>
  places.flatMap((place) => roles.map((role) => [actor, place, role] as const)),
)

describe('grants', () => {
  test.each(cases)('%s, %s organization, as %s', async (actor, place, role) => {
    const { person, groupId } = await groupadmin()
    const by = { superadmin, admin, groupadmin: person }[actor]
    const organizationId =
      place === 'installation' ? null : place === 'own' ? orgId : await server.organization()
    const groupIds = place === 'own' && role !== 'superadmin' ? [groupId] : []
    const email = address()
    const answer = await invite(email, { organizationId, role, groupIds }, by)
    const mayDo = granted[actor][place]?.includes(role) ?? false
    expect(mayDo ? [201] : [403, 404, 422]).toContain(answer.status)
    const body = { organizationId, role, groupIds, addresses: address() }
    const bulk = await by.call(inviteMany, { body })
    expect(bulk.status === 200).toBe(mayDo)
    expect(await invitedTokens(server, email)).toHaveLength(mayDo ? 1 : 0)
    expect(await read('select 1 from invitations where email = $1', [email])).toHaveLength(mayDo ? 1 : 0)
  })

  test('a groupadmin invites into own groups only, and into at least one', async () => {
    const { person, groupId } = await groupadmin()
    const other = await group('Not theirs')
    for (const groupIds of [[], [other], [groupId, other]])
      expect((await invite(address(), { role: 'groupadmin', groupIds }, person)).status).toBeGreaterThan(403)
    const elsewhere = await server.person('admin', await server.organization())
    const foreign = await group('Foreign', elsewhere)
    const refused = await invite(address(), { groupIds: [foreign] })
    expect(refused.problem?.fields).toEqual({ groupIds: ['not_found'] })
    expect((await invite(address(), { role: 'groupadmin', groupIds: [groupId] }, person)).status).toBe(201)
  })
})

test('mails the link, and never shows its secret anywhere else', async () => {
  const email = address()
  const created = await invite(email.toUpperCase(), { name: 'Ada' })
  expect(created.body).toMatchObject({
    email,
    name: 'Ada',
    state: 'pending',
    mail: { state: 'resting', error: null },
  })
  const token = await invitedToken(server, email)
  expect(Buffer.from(token, 'base64url')).toHaveLength(32)
  const replies = [created.body, (await admin.call(listInvitations)).body, (await open(token)).body]
  const stored = await read('select i::text from invitations i where email = $1', [email])
  const log = await read(`select a::text from audit a where entity = 'invitation'`)
  expect(JSON.stringify([replies, stored, log])).not.toContain(token)
  expect(await read('select 1 from invitations where token_hash = sha256($1::bytea)', [token])).toHaveLength(
    1,
  )
})

test('keeps one invitation per address and organization', async () => {
  const email = address()
  expect((await invite(email)).status).toBe(201)
  const again = await invite(email)
  expect(again.problem).toMatchObject({ code: 'already_exists', fields: { email: ['taken'] } })
  const both = await Promise.all([1, 2].map(() => invite(`two-${email}`)))
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)[0]).toBe(201)
  expect(await invitedTokens(server, `two-${email}`)).toHaveLength(1)
  const elsewhere = await server.organization()
  expect((await invite(email, { organizationId: elsewhere }, superadmin)).status).toBe(201)
})

test('a repeated request sends nothing twice', async () => {
  const email = address()
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const body = { organizationId: orgId, email, role: 'admin' as const }
  const first = await admin.call(createInvitation, { body, headers })
  expect((await admin.call(createInvitation, { body, headers })).body.id).toBe(first.body.id)
  const params = { invitationId: first.body.id }
  const resend = { params, headers: { 'idempotency-key': crypto.randomUUID() } }
  await admin.call(resendInvitation, resend)
  await admin.call(resendInvitation, resend)
  expect(await invitedTokens(server, email)).toHaveLength(2)
})

test('sending again kills the former link and gives seven new days, whatever the state', async () => {
  const email = address()
  const { body } = await invite(email)
  const params = { invitationId: body.id }
  const seen = [await invitedToken(server, email)]
  const ends = {
    pending: () => daysLater(server, email, 3),
    expired: () => daysLater(server, email, 8),
    revoked: () => admin.call(revokeInvitation, { params }),
  }
  for (const end of Object.values(ends)) {
    await end()
    const sent = await admin.call(resendInvitation, { params })
    expect(sent.body).toMatchObject({ id: body.id, state: 'pending', remindedAt: null })
    expect(Date.parse(sent.body.expiresAt) - Date.now()).toBeGreaterThan(6.99 * 86_400_000)
    for (const old of seen) expect((await open(old)).problem?.code).toBe('link_expired')
    const token = await invitedToken(server, email)
    expect((await open(token)).status).toBe(200)
    seen.push(token)
  }
  expect(new Set(seen).size).toBe(4)
})

test('takes back once, and not what was accepted', async () => {
  const email = address()
  const params = { invitationId: (await invite(email)).body.id }
  const token = await invitedToken(server, email)
  expect((await admin.call(revokeInvitation, { params })).body.state).toBe('revoked')
  expect((await admin.call(revokeInvitation, { params })).status).toBe(200)
  expect((await accept(token)).problem?.code).toBe('link_expired')
  await admin.call(resendInvitation, { params })
  expect((await accept(await invitedToken(server, email))).status).toBe(200)
  expect((await admin.call(revokeInvitation, { params })).problem?.code).toBe('conflict')
  expect((await admin.call(resendInvitation, { params })).problem?.code).toBe('conflict')
  const actions = await read(
    `select action from audit where entity = 'invitation' and entity_id = $1 order by id`,
    [params.invitationId],
  )
  expect(actions.map(({ action }) => action)).toEqual(
    ['sent', 'revoked', 'resent', 'accepted'].map((word) => `invitation.${word}`),
  )
})

test('nobody is mailed without end', async () => {
  const email = address()
  const params = { invitationId: (await invite(email)).body.id }
  const codes: (string | undefined)[] = []
  for (let n = 0; n < 11; n += 1) codes.push((await admin.call(resendInvitation, { params })).problem?.code)
  expect(codes.slice(0, 9).every((code) => code === undefined)).toBe(true)
  expect(codes.at(-1)).toBe('too_many_requests')
  const { retryAfter = 0 } = (await admin.call(resendInvitation, { params })).problem ?? {}
  expect(retryAfter).toBeGreaterThan(24 * 3_600 - 120)
  expect(retryAfter).toBeLessThanOrEqual(26 * 3_600)
  expect(await invitedTokens(server, email)).toHaveLength(10)
})

test('lists by state, organization, text and order, overdue as expired at once, and page by page', async () => {
  const emails = ['a', 'b', 'c', 'd'].map((letter) => `${letter}-${address()}`)
  for (const email of emails) await invite(email, { name: `Name of ${email[0]}` })
  const [, second = '', third = ''] = emails
  await daysLater(server, second, 8)
  const all = (await admin.call(listInvitations, { query: { q: third } })).body.items
  await admin.call(revokeInvitation, { params: { invitationId: all[0]?.id ?? '' } })
  const letters = async (query: Record<string, string | number>) =>
    (await admin.call(listInvitations, { query })).body.items.map(({ email }) => email[0])
  expect(await letters({})).toEqual(['d', 'c', 'b', 'a'])
  expect(await letters({ sort: 'expiresAt', limit: 1 })).toEqual(['b'])
  expect(await letters({ state: 'pending' })).toEqual(['d', 'a'])
  expect(await letters({ state: 'expired' })).toEqual(['b'])
  expect(await letters({ state: 'revoked' })).toEqual(['c'])
  expect(await letters({ q: 'NAME OF A' })).toEqual(['a'])
  expect(await read('select state from invitations where email = $1', [second])).toEqual([
    { state: 'pending' },
  ])
  const seen: string[] = []
  let next: string | null = '/api/invitations?limit=1'
  while (next !== null) {
    const page = (await admin.send('GET', next)).body as { items: { id: string }[]; next: string | null }
    seen.push(...page.items.map(({ id }) => id))
    next = page.next
  }
  expect(new Set(seen).size).toBe(4)
})

test('everybody sees what is theirs, and touches nothing else', async () => {
  const { person, groupId } = await groupadmin()
  const other = await group('Other')
  const role = 'groupadmin'
  const [mine, both, none] = [address(), address(), address()]
  await invite(mine, { role, groupIds: [groupId] })
  const shared = await invite(both, { role, groupIds: [groupId, other] })
  await invite(none)
  const theirs = await person.call(listInvitations)
  expect(theirs.body.items.map(({ email }) => email)).toEqual([mine])
  const elsewhere = await server.person('admin', await server.organization())
  expect((await elsewhere.call(listInvitations, { query: { organizationId: orgId } })).body.items).toEqual([])
  for (const by of [person, elsewhere])
    for (const endpoint of [resendInvitation, revokeInvitation]) {
      const params = { invitationId: shared.body.id }
      expect((await by.call(endpoint, { params })).status).toBe(404)
    }
  const upper = await superadmin.call(createInvitation, {
    body: { organizationId: null, email: address(), role: 'superadmin' },
  })
  const installation = await superadmin.call(listInvitations, { query: { organizationId: 'none' } })
  expect(installation.body.items.map(({ id }) => id)).toContain(upper.body.id)
  expect((await admin.call(listInvitations)).body.items.map(({ id }) => id)).not.toContain(upper.body.id)
  const params = { invitationId: upper.body.id }
  expect((await admin.call(revokeInvitation, { params })).status).toBe(404)
})

test('says when the mail could not leave', async () => {
  const email = address()
  await invite(email)
  await read(`update mails set state = 'failed', last_error = '550 no such user' where address = $1`, [email])
  const [item] = (await admin.call(listInvitations, { query: { q: email } })).body.items
  expect(item?.mail).toEqual({ state: 'failed', error: '550 no such user' })
})

test('who has an account or is switched off is not invited; nobody is into what is switched off', async () => {
  expect((await invite(admin.email)).problem).toMatchObject({ code: 'already_exists' })
  const recipient = await server.person(null, orgId)
  await read(`update users set state = 'disabled' where id = $1`, [recipient.id])
  expect((await invite(recipient.email)).problem?.code).toBe('conflict')
  const suspended = await server.organization()
  await read(`update organizations set state = 'suspended' where id = $1`, [suspended])
  const refused = await invite(address(), { organizationId: suspended }, superadmin)
  expect(refused.problem?.code).toBe('conflict')
})
