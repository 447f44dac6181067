import { beforeEach, expect, test, vi } from 'vitest'
import { createGroup } from '#contract/directory/groups.ts'
import { createInvitation, inviteMany } from '#contract/directory/invitations.ts'
import { updateUser } from '#contract/directory/users.ts'
import { keysOf } from '../../platform/keys.ts'
import { invitedTokens } from '../../testing/mail/invited.ts'
import type { Person } from '../../testing/server.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'
import { readAddresses } from '../people/addresses.ts'

const server = await aServer()

let orgId: string
let admin: Person
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
})

const address = () => `${crypto.randomUUID()}@example.test`
const bulk = (addresses: string, more: object = {}, by = admin) =>
  by.call(inviteMany, { body: { organizationId: orgId, role: 'admin', addresses, ...more } })
const count = async (table: string) => {
  const found = await server.query<{ n: number }>(`select count(*)::int as n from ${table}`)
  return found[0]?.n ?? 0
}

test('understands addresses as people paste them', () => {
  const text = `Name,Email
    ada@b.test, bob@b.test;carl@b.test
    Dora Berg <dora@b.test>\temil@b.test
    "Falk, Fritz" <fritz@b.test>, mailto:gerd@b.test
    Hall, Hanna <hanna@b.test>
    Ida Iversen,ida@b.test
    jan@b.test,Jan Jansen

    'karl@b.test' ; not an address`
  expect(readAddresses(text).map(({ email, name }) => [email, name])).toEqual([
    ['ada@b.test', null],
    ['bob@b.test', null],
    ['carl@b.test', null],
    ['dora@b.test', 'Dora Berg'],
    ['emil@b.test', null],
    ['fritz@b.test', 'Falk, Fritz'],
    ['gerd@b.test', null],
    ['hanna@b.test', 'Hall, Hanna'],
    ['ida@b.test', 'Ida Iversen'],
    ['jan@b.test', 'Jan Jansen'],
    ['karl@b.test', null],
    ['not an address', null],
  ])
  expect(readAddresses(' \n ,, ;"\n')).toEqual([{ given: '"', email: '"', name: null }])
})

test('each address by itself: every outcome in one list, first as a preview that changes nothing', async () => {
  const [fresh, waiting] = [address(), address()]
  const [recipient, disabled] = [await server.person(null, orgId), await server.person(null, orgId)]
  await server.query(`update users set state = 'disabled' where id = $1`, [disabled.id])
  const earlier = await admin.call(createInvitation, {
    body: { organizationId: orgId, email: waiting, role: 'admin' },
  })
  const list = [
    `Fresh Face <${fresh}>`,
    recipient.email,
    waiting,
    admin.email,
    'no address',
    fresh.toUpperCase(),
    disabled.email,
    'nul\0@example.test',
  ].join('\n')
  const outcomes = [
    'invited',
    'recipient',
    'already_invited',
    'has_account',
    'not_an_address',
    'twice',
    'not_allowed',
    'not_an_address',
  ]
  const before = [await count('invitations'), await count('mails'), await count('audit')]
  const preview = await bulk(list, { dryRun: true })
  expect(preview.body.rows.map(({ outcome }) => outcome)).toEqual(outcomes)
  expect(preview.body).toMatchObject({ dryRun: true, invited: 2 })
  expect([await count('invitations'), await count('mails'), await count('audit')]).toEqual(before)
  const done = await bulk(list)
  expect(done.body.rows.map(({ outcome }) => outcome)).toEqual(outcomes)
  expect(done.body.rows[0]).toMatchObject({ email: fresh, name: 'Fresh Face' })
  expect(done.body.rows[2]?.invitationId).toBe(earlier.body.id)
  expect(await count('invitations')).toBe((before[0] ?? 0) + 2)
  expect(await invitedTokens(server, fresh)).toHaveLength(1)
  expect(await invitedTokens(server, recipient.email)).toHaveLength(1)
  expect(await invitedTokens(server, disabled.email)).toEqual([])
  const again = await bulk(list)
  expect(again.body.invited).toBe(0)
  expect(await invitedTokens(server, fresh)).toHaveLength(1)
})

test('rows may have roles of their own, and none above what the inviter may grant', async () => {
  const groupId = (await admin.call(createGroup, { params: { orgId }, body: { name: 'G' } })).body.id
  const person = await server.person('groupadmin', orgId)
  const body = { name: 'G', email: person.email, groupIds: [groupId], adminGroupIds: [groupId] }
  await admin.call(updateUser, { params: { orgId, userId: person.id }, body })
  const rows = [
    { email: address(), role: 'admin' as const },
    { email: address(), role: 'superadmin' as const },
    { email: address(), role: 'groupadmin' as const },
  ]
  const request = { organizationId: orgId, role: 'groupadmin' as const, groupIds: [groupId], rows }
  const theirs = await person.call(inviteMany, { body: request })
  expect(theirs.body.rows.map(({ outcome }) => outcome)).toEqual(['not_allowed', 'not_allowed', 'invited'])
  const mine = await admin.call(inviteMany, { body: request })
  expect(mine.body.rows.map(({ outcome }) => outcome)).toEqual(['invited', 'not_allowed', 'already_invited'])
})

test('a groupadmin learns of nobody outside of their groups', async () => {
  const groupId = (await admin.call(createGroup, { params: { orgId }, body: { name: 'G' } })).body.id
  const person = await server.person('groupadmin', orgId)
  const body = { name: 'G', email: person.email, groupIds: [groupId], adminGroupIds: [groupId] }
  await admin.call(updateUser, { params: { orgId, userId: person.id }, body })
  const hidden = await server.person(null, orgId)
  const waiting = address()
  await admin.call(createInvitation, { body: { organizationId: orgId, email: waiting, role: 'admin' } })
  const list = `${hidden.email}\n${waiting}`
  const answer = await bulk(list, { role: 'groupadmin', groupIds: [groupId], dryRun: true }, person)
  expect(answer.body.rows).toMatchObject([
    { outcome: 'invited' },
    { outcome: 'already_invited', invitationId: null },
  ])
})

test('an administrator is not told who has an account in another organization', async () => {
  const stranger = await server.person('admin', await server.organization())
  const answer = await bulk(stranger.email, { dryRun: true })
  expect(answer.body.rows).toMatchObject([{ outcome: 'invited' }])
})

test('a thousand at once, two lists at the same time in opposite order, and not one more', async () => {
  const emails = Array.from({ length: 1_000 }, (_nothing, n) => `crowd-${n}-${orgId}@example.test`)
  const both = await Promise.all([bulk(emails.join('\n')), bulk(emails.toReversed().join('\n'))])
  expect(both.map(({ status }) => status)).toEqual([200, 200])
  expect(both.reduce((sum, { body }) => sum + body.invited, 0)).toBe(1_000)
  const found = await server.query(
    `select count(*)::int as n, count(distinct token_hash)::int as secrets, count(mail_id)::int as mails
      from invitations where organization_id = $1`,
    [orgId],
  )
  expect(found).toEqual([{ n: 1_000, secrets: 1_000, mails: 1_000 }])
  const tooMany = await bulk([...emails, address()].join('\n'))
  expect(tooMany.problem?.fields).toEqual({ addresses: ['too_long'] })
  expect((await bulk(' ')).problem?.fields).toEqual({ addresses: ['required'] })
}, 120_000)

test('one that fails is left out alone', async () => {
  const [good, bad] = [address(), address()]
  // Something that nobody has foreseen.
  const { keys } = server.services
  const failing = vi.spyOn(keys, 'sign').mockImplementation((purpose, text) => {
    if (text.includes(bad) && purpose === 'invitation') throw new Error('unforeseen')
    return keysOf('another secret of these tests, long enough').sign(purpose, text)
  })
  const answer = await bulk(`${bad}\n${good}`)
  failing.mockRestore()
  expect(answer.body.rows.map(({ outcome }) => outcome)).toEqual(['not_allowed', 'invited'])
  expect(await invitedTokens(server, good)).toHaveLength(1)
  expect(await invitedTokens(server, bad)).toEqual([])
})
