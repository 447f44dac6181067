import { describe, expect, test } from 'vitest'
import { changeEmail, changePassword, readAccount, updateAccount } from '#contract/identity/account.ts'
import { acceptInvitation } from '#contract/identity/acceptance.ts'
import { deleteAccount, readSession, sendVerification, verifyToken } from '#contract/identity/auth.ts'
import { readUser, sendReset, updateUser } from '#contract/directory/users.ts'
import { finishDeletions } from './finish.ts'
import { browserOf, identities, network, password, said } from '../../testing/sign-in/identities.ts'
import { invitedToken } from '../../testing/mail/invited.ts'
import type { Person } from '../../testing/server.ts'
import { aServer } from '../../testing/worlds.ts'

const server = await aServer()
const are = identities(server)

const better = 'twelve slow snails on a wall'
const rowsOf = async (statement: string, values: unknown[]) => (await are.change(statement, values)).rows
const actionsOf = async (id: string) =>
  (await rowsOf('select action from audit where entity_id = $1 order by id', [id])).map(
    (entry: { action: string }) => entry.action,
  )

/** A session beside the first one, and whether it is still alive. */
async function elsewhere(person: Person) {
  const answer = await are.enter(person.email)
  const { token } = answer.body as { token: string }
  const headers = { authorization: `Bearer ${token}` }
  return {
    isAlive: async () => (await server.call(readSession, { headers })).status === 200,
    browser: browserOf(answer),
  }
}

test('the own profile is read, changed with care, and audited', async () => {
  const person = await are.somebody('groupadmin')
  const before = await person.call(readAccount)
  const etag = String(before.headers['etag'])
  const body = { name: ' Ada Berg ', phone: '+49 30 1' }
  const after = await person.call(updateAccount, { body, headers: { 'if-match': etag } })
  expect(after.body).toMatchObject({ name: 'Ada Berg', phone: '+49 30 1', email: person.email })
  expect((await person.call(updateAccount, { body, headers: { 'if-match': etag } })).status).toBe(412)
  expect((await person.call(readSession)).body.user.name).toBe('Ada Berg')
  expect(await actionsOf(person.id)).toEqual(['account.changed'])
})

test('another password: this session goes on under a new token, every other one ends, and a mail says so', async () => {
  const person = await are.somebody()
  const other = await elsewhere(person)
  const body = { currentPassword: password, password: better }
  const changed = await person.call(changePassword, { body, headers: network() })
  expect(changed.body).toMatchObject({ status: 'password_changed', sessionsRevoked: 1 })
  expect([await other.isAlive(), (await person.call(readSession)).status]).toEqual([false, 401])
  const headers = { authorization: `Bearer ${changed.body.token}` }
  expect((await server.call(readSession, { headers })).status).toBe(200)
  expect(said(await are.enter(person.email))).toBe('invalid_credentials')
  expect((await are.subjectsTo(person.email))[0]).toBe('Your password was changed')
  expect((await are.enter(person.email, better, { ...network(), ...browserOf(changed) })).status).toBe(200)
  expect((await are.subjectsTo(person.email))[0]).toBe('Your password was changed')
  await are.enter(person.email, better, { ...network(), ...other.browser })
  expect((await are.subjectsTo(person.email))[0]).toBe('New sign-in')
})

test('of two who change the password at once, the second one finds another present one', async () => {
  const person = await are.somebody()
  const both = await Promise.all(
    [`${better} 1`, `${better} 2`].map((given) =>
      person.call(changePassword, {
        body: { currentPassword: password, password: given },
        headers: network(),
      }),
    ),
  )
  const codes = both.map(said)
  expect(codes.filter((code) => code === 'password_changed')).toHaveLength(1)
})

describe('another address', () => {
  async function claim(person: Person, address: string) {
    const body = { identifier: address, methodType: 'email', purpose: 'confirm_email' } as const
    const sent = await person.call(sendVerification, { body, headers: network() })
    const code = await are.mailedCode(address)
    const verified = await person.call(verifyToken, {
      body: { identifier: address, code, methodType: 'email' },
      headers: { ...network(), 'x-auth-flow': sent.body.flowToken },
    })
    const { flowToken } = verified.body as { flowToken: string }
    return person.call(changeEmail, { headers: { ...network(), 'x-auth-flow': flowToken } })
  }

  test('counts after its mailbox was read; both are told, other sessions end, and the former one no longer signs in', async () => {
    const person = await are.somebody()
    const other = await elsewhere(person)
    const address = `new-${person.email}`
    expect((await claim(person, address)).body.email).toBe(address)
    expect([await other.isAlive(), (await person.call(readSession)).status]).toEqual([false, 200])
    expect((await are.subjectsTo(person.email))[0]).toBe('Your email address was changed')
    expect(await are.subjectsTo(address)).toEqual([
      'Your email address was changed',
      'Confirm your email address',
    ])
    const [changed, confirm] = await are.mailsTo(address)
    expect(changed?.text.replaceAll(/\s+/g, ' ')).toContain(`from ${person.email} to ${address}.`)
    expect(confirm?.text).toContain('Hello,')
    expect(said(await are.enter(person.email))).toBe('invalid_credentials')
    expect(said(await are.enter(address))).toBe('authenticated')
    expect(await actionsOf(person.id)).toContain('account.email_changed')
  })

  test('is mailed to a stranger only for somebody who is signed in', async () => {
    const body = {
      identifier: 'stranger@example.test',
      methodType: 'email',
      purpose: 'confirm_email',
    } as const
    expect((await server.call(sendVerification, { body, headers: network() })).status).toBe(202)
    const locked = await are.somebody()
    await are.change('update sessions set locked_at = now() where user_id = $1', [locked.id])
    await are.change('delete from attempts')
    expect((await locked.call(sendVerification, { body, headers: network() })).status).toBe(202)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(await are.mailsTo(body.identifier)).toEqual([])
  })

  test('goes to one of two who want it', async () => {
    const [one, two] = [await are.somebody(), await are.somebody()]
    const address = `wanted-${one.email}`
    const first = await claim(one, address)
    await are.change('delete from attempts')
    await are.change('delete from mails where address = $1', [address])
    const second = await claim(two, address)
    expect([first.status, said(second)]).toEqual([200, 'already_exists'])
    expect((await two.call(readAccount)).body.email).toBe(two.email)
  })

  test('given by an administrator signs in only when its owner has accepted; the former one is told', async () => {
    const person = await are.somebody('admin')
    const admin = await are.somebody('admin', person.organizationId)
    const params = { orgId: person.organizationId ?? '', userId: person.id }
    const address = `given-${person.email}`
    await admin.call(updateUser, { params, body: { name: 'Ada', email: address } })
    expect(await are.subjectsTo(person.email)).toEqual(['Your email address was changed'])
    expect((await person.call(readSession)).status).toBe(401)
    for (const at of [person.email, address]) expect(said(await are.enter(at))).toBe('invalid_credentials')
    const token = await invitedToken(server, address)
    const body = { name: 'Ada', password: 'nine calm horses by a lake' }
    const accepted = await server.call(acceptInvitation, { params: { token }, body, headers: network() })
    expect(accepted.body).toMatchObject({ user: { id: person.id, email: address, role: 'admin' } })
    const own = { params: { ...params, userId: admin.id }, body: { name: 'Bo', email: `other-${address}` } }
    expect((await admin.call(updateUser, own)).problem).toMatchObject({ fields: { email: ['not_allowed'] } })
  })
})

describe('leaving', () => {
  const leave = (person: Person) => person.call(deleteAccount, { body: { email: person.email } })
  const isGone = async ({ id }: Person) =>
    (await rowsOf('select deleted_at is not null as gone from users where id = $1', [id]))[0] as {
      gone: boolean
    }
  const pass = (person: Person) =>
    are.change(`update users set delete_after = now() where id = $1`, [person.id])

  test('signs out everywhere, names the day, and shows it to administrators', async () => {
    const person = await are.somebody()
    const admin = await are.somebody('admin', person.organizationId)
    const other = await elsewhere(person)
    const { deleteAfter } = (await leave(person)).body
    expect(Math.round((Date.parse(deleteAfter) - Date.now()) / 86_400_000)).toBe(30)
    expect([await other.isAlive(), (await person.call(readSession)).status]).toEqual([false, 401])
    const [mail] = await are.mailsTo(person.email)
    const day = new Date(deleteAfter).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })
    expect(mail?.text).toContain(`on ${day} the account goes for good`)
    const params = { orgId: person.organizationId ?? '', userId: person.id }
    expect((await admin.call(readUser, { params })).body.deleteAfter).toBe(deleteAfter)
  })

  test('names the day that it is where the person is', async () => {
    // Fourteen hours ahead, and eleven behind: one of them has another day than UTC.
    for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      const one = await are.somebody()
      await are.change('update users set time_zone = $2 where id = $1', [one.id, zone])
      const { deleteAfter } = (await leave(one)).body
      const [mail] = await are.mailsTo(one.email)
      const day = new Date(deleteAfter).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: zone })
      expect(mail?.text).toContain(`on ${day} the account goes for good`)
    }
  })

  test('is taken back by signing in, and not by half of it', async () => {
    const person = await are.somebody()
    await leave(person)
    await are.giveFactor(person.id)
    expect(said(await are.enter(person.email))).toBe('mfa_required')
    const waiting = await rowsOf('select delete_after from users where id = $1', [person.id])
    expect(waiting).not.toEqual([{ delete_after: null }])
    await are.change('delete from totp_factors where user_id = $1', [person.id])
    expect(said(await are.enter(person.email))).toBe('authenticated')
    expect(await rowsOf('select delete_after from users where id = $1', [person.id])).toEqual([
      { delete_after: null },
    ])
    expect(await are.subjectsTo(person.email)).toContain('Your account stays')
    expect(await actionsOf(person.id)).toEqual(
      expect.arrayContaining(['account.deletion_asked', 'account.kept', 'auth.sign_in']),
    )
    await finishDeletions(server.services)
    expect(await isGone(person)).toEqual({ gone: false })
  })

  test('is finished once, however many finish it, and leaves nothing that signs in', async () => {
    const person = await are.somebody()
    await are.enter(person.email)
    await leave(person)
    await pass(person)
    expect(said(await are.enter(person.email))).toBe('invalid_credentials')
    await Promise.all(Array.from({ length: 4 }, () => finishDeletions(server.services)))
    expect(await isGone(person)).toEqual({ gone: true })
    const stored = await rowsOf(
      `select role, password_hash, (select count(*)::int from devices where user_id = u.id) as devices from users u where id = $1`,
      [person.id],
    )
    expect(stored).toEqual([{ role: null, password_hash: null, devices: 0 }])
    const done = (await actionsOf(person.id)).filter((action) => action === 'account.deleted')
    expect(done).toHaveLength(1)
    const subjects = await are.subjectsTo(person.email)
    expect(subjects.filter((subject) => subject === 'Your account was deleted')).toHaveLength(1)
  })

  test('is refused to the last superadmin; of two at once, one may go', async () => {
    const [one, two] = [await are.somebody('superadmin'), await are.somebody('superadmin')]
    await are.change(`update users set state = 'disabled' where role = 'superadmin' and id not in ($1, $2)`, [
      one.id,
      two.id,
    ])
    const both = await Promise.all([leave(one), leave(two)])
    expect(both.map(said).toSorted()).toEqual(['conflict', 'deletion_scheduled'])
    const gone = both[0]?.status === 200 ? one : two
    await pass(gone)
    await finishDeletions(server.services)
    expect(await isGone(gone)).toEqual({ gone: true })
  })

  test('needs a superadmin who could really enter', async () => {
    const [one, two] = [await are.somebody('superadmin'), await server.person('superadmin')]
    await are.change(`update users set state = 'disabled' where role = 'superadmin' and id not in ($1, $2)`, [
      one.id,
      two.id,
    ])
    expect(said(await leave(one))).toBe('conflict')
  })
})

describe('asking somebody for another password', () => {
  const ask = (by: Person, { id, organizationId }: Person) =>
    by.call(sendReset, { params: { orgId: organizationId ?? '', userId: id } })

  test('signs them out, mails how, and what they had opens only that step', async () => {
    const person = await are.somebody('groupadmin')
    const admin = await are.somebody('admin', person.organizationId)
    expect((await ask(admin, person)).status).toBe(200)
    expect((await person.call(readSession)).status).toBe(401)
    expect(await are.subjectsTo(person.email)).toEqual(['Please choose a new password'])
    expect((await are.enter(person.email)).body).toMatchObject({
      status: 'password_change_required',
      reason: 'reset_by_admin',
    })
    expect(await actionsOf(person.id)).toContain('user.reset_asked')
  })

  test('is refused for oneself, for recipients, and long after the last proof', async () => {
    const admin = await are.somebody('admin')
    const recipient = await are.somebody(null, admin.organizationId)
    const person = await are.somebody('groupadmin', admin.organizationId)
    expect(said(await ask(admin, admin))).toBe('conflict')
    expect(said(await ask(admin, recipient))).toBe('conflict')
    await are.change('update sessions set reauthenticated_at = null where user_id = $1', [admin.id])
    expect(said(await ask(admin, person))).toBe('reauthentication_required')
  })
})
