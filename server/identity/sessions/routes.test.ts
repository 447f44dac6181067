import { describe, expect, test } from 'vitest'
import { lockSession, login, logout, readSession, verifyPassword } from '#contract/identity/auth.ts'
import { createOrganization, listOrganizations } from '#contract/directory/organizations.ts'
import type { Role } from '#contract/roles.ts'
import {
  endOrganizationSessions,
  endOtherSessions,
  endOwnSession,
  endUserSessions,
  listSessions,
  listUserSessions,
  unlockUser,
} from '#contract/identity/sessions.ts'
import { createUser, updateUser } from '#contract/directory/users.ts'
import { hashPassword } from '../password/hash.ts'
import { entered } from '../../testing/sign-in/entered.ts'
import { browserOf } from '../../testing/sign-in/identities.ts'
import type { Person } from '../../testing/server.ts'
import { aServer, setPolicies } from '../../testing/worlds.ts'

const password = 'seven wet dogs in a boat'
const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:150.0) Gecko/20100101 Firefox/150.0'

const server = await aServer()
const orgId = await server.organization()
const passwordHash = await hashPassword(password)

const sql = (statement: string, values: unknown[]) => server.services.db.system.query(statement, values)

async function somebody(role: Role = 'admin', organizationId: string | null = orgId): Promise<Person> {
  const person = await server.person(role, organizationId)
  await sql('update users set password_hash = $2 where id = $1', [person.id, passwordHash])
  return person
}

let networks = 0
/** Another browser of the same person. */
async function again({ email }: Person) {
  networks += 1
  const headers = { 'x-forwarded-for': `10.30.${networks}.7`, 'user-agent': firefox }
  const { body } = await server.call(login, { body: { identifier: email, password }, headers })
  return { authorization: `Bearer ${entered(body).token}` }
}
const worksWith = async (headers: Record<string, string>) =>
  (await server.call(readSession, { headers })).status === 200
const works = async (person: Person) => (await person.call(readSession)).status === 200
/** As if the last proof of who is there were that long ago. */
const age = (person: Person, minutes: number) =>
  sql(`update sessions set reauthenticated_at = now() - make_interval(mins => $2) where user_id = $1`, [
    person.id,
    minutes,
  ])

test('requires sign-in', async () => {
  expect((await server.call(listSessions)).status).toBe(401)
  expect((await server.call(endOrganizationSessions, { params: { orgId } })).status).toBe(401)
})

test('requires role', async () => {
  const groupadmin = await somebody('groupadmin')
  const params = { orgId, userId: groupadmin.id }
  expect((await groupadmin.call(endUserSessions, { params, body: {} })).status).toBe(403)
  expect((await groupadmin.call(endOrganizationSessions, { params: { orgId } })).status).toBe(403)
})

describe('own sessions', () => {
  test('are listed with browser, network and times, the present one marked', async () => {
    const person = await somebody()
    await again(person)
    const { items } = (await person.call(listSessions)).body
    expect(items).toHaveLength(2)
    expect(items[1]).toMatchObject({
      isPresent: false,
      browser: { browser: 'Firefox', system: 'Windows' },
      proofs: ['pwd'],
    })
    expect(items[1]?.network).toMatch(/^10\.30\.\d+\.0\/24$/)
    expect(items[0]).toMatchObject({ isPresent: true, isLocked: false, isRemembered: false })
    expect(JSON.stringify(items)).not.toContain('token')
  })

  test('end one by one, at once', async () => {
    const person = await somebody()
    const other = await again(person)
    const [, newest] = (await person.call(listSessions)).body.items
    const params = { sessionId: newest?.id ?? '' }
    expect((await person.call(endOwnSession, { params })).status).toBe(200)
    expect(await worksWith(other)).toBe(false)
    const why = await sql('select end_reason from sessions where id = $1', [params.sessionId])
    expect(why.rows).toEqual([{ end_reason: 'by_owner' }])
    expect((await person.call(endOwnSession, { params })).problem?.code).toBe('not_found')
  })

  test('of somebody else do not exist', async () => {
    const [person, victim] = [await somebody(), await somebody()]
    const [theirs] = (await victim.call(listSessions)).body.items
    const answer = await person.call(endOwnSession, { params: { sessionId: theirs?.id ?? '' } })
    expect(answer.problem?.code).toBe('not_found')
    expect(await works(victim)).toBe(true)
  })

  test('all others end, the present one stays', async () => {
    const person = await somebody()
    const others = [await again(person), await again(person)]
    expect((await person.call(endOtherSessions)).body).toEqual({ ended: 2 })
    for (const other of others) expect(await worksWith(other)).toBe(false)
    expect(await works(person)).toBe(true)
  })

  test('end only after a proof of the last ten minutes', async () => {
    const person = await somebody()
    await again(person)
    await age(person, 11)
    expect((await person.call(endOtherSessions)).problem?.code).toBe('reauthentication_required')
    const proof = await person.call(verifyPassword, { body: { identifier: person.email, password } })
    if (proof.body.status !== 'reauthenticated') throw new Error('not proved')
    const headers = { authorization: `Bearer ${proof.body.token}` }
    expect((await server.call(endOtherSessions, { headers })).body).toEqual({ ended: 1 })
  })
})

describe('sessions of others', () => {
  test('are seen and ended by an admin of the organization', async () => {
    const [admin, member] = [await somebody(), await somebody('groupadmin')]
    const params = { orgId, userId: member.id }
    expect((await admin.call(listUserSessions, { params })).body.items).toHaveLength(1)
    expect((await admin.call(endUserSessions, { params, body: {} })).body).toEqual({ ended: 1 })
    expect(await works(member)).toBe(false)
    const why = await sql('select end_reason, revoked_by from sessions where user_id = $1', [member.id])
    expect(why.rows).toEqual([{ end_reason: 'by_admin', revoked_by: admin.id }])
  })

  test('of another organization do not exist', async () => {
    const admin = await somebody()
    const elsewhere = await server.organization()
    const member = await somebody('groupadmin', elsewhere)
    for (const params of [
      { orgId, userId: member.id },
      { orgId: elsewhere, userId: member.id },
    ]) {
      expect((await admin.call(listUserSessions, { params })).status).toBe(404)
      expect((await admin.call(endUserSessions, { params, body: {} })).status).toBe(404)
    }
    const theirs = (await member.call(listSessions)).body.items[0]?.id ?? ''
    const own = { params: { orgId, userId: admin.id }, body: { sessionId: theirs } }
    expect((await admin.call(endUserSessions, own)).status).toBe(404)
    expect(await works(member)).toBe(true)
  })

  test('of everybody in an organization end together, half-way sign-ins too, the caller and others stay', async () => {
    const home = await server.organization()
    const [admin, one, two] = [
      await somebody('admin', home),
      await somebody('groupadmin', home),
      await somebody('admin', home),
    ]
    const stranger = await somebody()
    await sql(
      `insert into flows (token_hash, purpose, identifier, user_id, expires_at)
        values ('\\x01', 'second_step', 'x', $1, now() + interval '10 minutes')`,
      [one.id],
    )
    expect((await admin.call(endOrganizationSessions, { params: { orgId: home } })).body).toEqual({
      ended: 2,
    })
    expect([await works(admin), await works(one), await works(two), await works(stranger)]).toEqual([
      true,
      false,
      false,
      true,
    ])
    const open = await sql('select 1 from flows where user_id = $1 and used_at is null', [one.id])
    expect(open.rows).toEqual([])
    const elsewhere = await admin.call(endOrganizationSessions, { params: { orgId } })
    expect(elsewhere.status).toBe(404)
  })
})

describe('what changes about a person acts at once', () => {
  test.each([
    ['disabled', { state: 'disabled' }],
    ['another role', { role: 'groupadmin' }],
    ['no role', { role: null }],
  ] as const)('%s: the session has ended', async (_name, change) => {
    const [admin, person] = [await somebody(), await somebody()]
    const params = { orgId, userId: person.id }
    const body = { name: 'Person', email: person.email, ...change }
    expect((await admin.call(updateUser, { params, body })).status).toBe(200)
    expect(await works(person)).toBe(false)
  })

  test('a group taken away is out of reach with the next request', async () => {
    const person = await somebody('groupadmin')
    const group = await sql(`insert into groups (organization_id, name) values ($1, $2) returning id`, [
      orgId,
      `Crew ${person.id}`,
    ])
    const { id } = group.rows[0] as { id: string }
    await sql(
      `insert into group_members (organization_id, group_id, user_id, groupadmin) values ($1, $2, $3, true)`,
      [orgId, id, person.id],
    )
    const groupIds = async () => (await person.call(readSession)).body.user.groupIds
    expect(await groupIds()).toEqual([id])
    await sql('delete from group_members where user_id = $1', [person.id])
    expect(await groupIds()).toEqual([])
  })
})

describe('a locked session', () => {
  test('opens nothing until its owner proves who they are, and then has another token', async () => {
    const person = await somebody()
    expect((await person.call(lockSession)).status).toBe(200)
    for (const answer of [
      await person.call(readSession),
      await person.call(listOrganizations),
      await person.call(createUser, { params: { orgId }, body: { name: 'N', email: 'n@example.test' } }),
    ])
      expect(answer.problem?.code).toBe('session_locked')
    const wrong = await person.call(verifyPassword, { body: { identifier: person.email, password: 'wrong' } })
    expect(wrong.problem?.code).toBe('invalid_credentials')
    const right = await person.call(verifyPassword, { body: { identifier: person.email, password } })
    if (right.body.status !== 'reauthenticated') throw new Error('not unlocked')
    expect((await person.call(readSession)).status).toBe(401)
    expect(await worksWith({ authorization: `Bearer ${right.body.token}` })).toBe(true)
  })

  test('is not opened by the password of somebody else, and no new one takes its place', async () => {
    const [person, other] = [await somebody(), await somebody()]
    await person.call(lockSession)
    const answer = await person.call(verifyPassword, { body: { identifier: other.email, password } })
    expect(answer.problem?.code).toBe('invalid_credentials')
    expect((await person.call(readSession)).problem?.code).toBe('session_locked')
  })

  test('that was nearly over goes on for its full time once it is opened', async () => {
    const person = await somebody()
    await person.call(lockSession)
    await sql(
      `update sessions set last_seen_at = now() - interval '59 minutes', idle_expires_at = now() + interval '30 seconds' where user_id = $1`,
      [person.id],
    )
    const opened = await person.call(verifyPassword, { body: { identifier: person.email, password } })
    if (opened.body.status !== 'reauthenticated') throw new Error('not unlocked')
    const headers = { authorization: `Bearer ${opened.body.token}` }
    const answer = await server.call(readSession, { headers })
    const end = Date.parse(String(answer.headers['x-session-expires']))
    expect((end - Date.now()) / 60_000).toBeCloseTo(60, 0)
  })

  test('can be left', async () => {
    const person = await somebody()
    await person.call(lockSession)
    expect((await person.call(logout)).status).toBe(200)
    expect((await person.call(readSession)).status).toBe(401)
  })

  test('does not stay open by what its tabs ask for', async () => {
    const person = await somebody()
    await person.call(lockSession)
    await sql(
      `update sessions set last_seen_at = now() - interval '50 minutes', idle_expires_at = now() + interval '10 minutes' where user_id = $1`,
      [person.id],
    )
    await person.call(readSession)
    const left = await sql(
      `select idle_expires_at < now() + interval '11 minutes' as soon from sessions where user_id = $1`,
      [person.id],
    )
    expect(left.rows).toEqual([{ soon: true }])
  })
})

describe('the end of a session', () => {
  const minutesLeft = (answer: { headers: Record<string, unknown> }) =>
    (Date.parse(String(answer.headers['x-session-expires'])) - Date.now()) / 60_000

  test('is told with every answer and moves on with activity, not with what an idle console asks for', async () => {
    const person = await somebody()
    await sql(
      `update sessions set last_seen_at = now() - interval '50 minutes', idle_expires_at = now() + interval '10 minutes' where user_id = $1`,
      [person.id],
    )
    const idle = await person.call(listOrganizations, { headers: { 'x-idle': '1' } })
    expect(minutesLeft(idle)).toBeCloseTo(10, 0)
    expect(minutesLeft(await person.call(listOrganizations))).toBeCloseTo(60, 0)
  })

  test('is sooner where the organization says so', async () => {
    const home = await server.organization()
    await setPolicies(server, home, { idleMinutes: 15, sessionHours: 8 })
    const person = await somebody('admin', home)
    const headers = { 'x-forwarded-for': '10.31.1.7' }
    const answer = await server.call(login, { body: { identifier: person.email, password }, headers })
    const session = entered(answer.body)
    expect((Date.parse(session.idleExpiresAt) - Date.now()) / 60_000).toBeCloseTo(15, 0)
    expect((Date.parse(session.expiresAt) - Date.now()) / 3_600_000).toBeCloseTo(8, 1)
    const authorization = { authorization: `Bearer ${session.token}` }
    await sql(`update sessions set last_seen_at = now() - interval '5 minutes' where user_id = $1`, [
      person.id,
    ])
    expect(minutesLeft(await server.call(readSession, { headers: authorization }))).toBeCloseTo(15, 0)
  })

  test('comes after 24 hours whatever is done', async () => {
    const person = await somebody()
    await sql(
      `update sessions set last_seen_at = now() - interval '5 minutes', expires_at = now() + interval '3 minutes' where user_id = $1`,
      [person.id],
    )
    expect(minutesLeft(await person.call(readSession))).toBeCloseTo(3, 0)
    await sql(`update sessions set expires_at = now() where user_id = $1`, [person.id])
    expect(await works(person)).toBe(false)
  })

  test('is not put off by wishing to be remembered without a second factor', async () => {
    const person = await somebody()
    const headers = { 'x-forwarded-for': '10.31.2.7' }
    const body = { identifier: person.email, password, remember: true }
    const session = entered((await server.call(login, { body, headers })).body)
    expect((Date.parse(session.expiresAt) - Date.now()) / 3_600_000).toBeCloseTo(24, 1)
  })
})

test('a role in a request never counts, only the one of the session', async () => {
  const person = await somebody('admin')
  const body = { name: 'Mine', role: 'superadmin' } as { name: string }
  expect((await person.call(createOrganization, { body })).status).toBe(403)
})

describe('a person who is locked out by wrong passwords', () => {
  const locked = (person: Person, by: Person) =>
    by.call(listUserSessions, { params: { orgId, userId: person.id } }).then(({ body }) => body.isLockedOut)
  const unlock = (person: Person, by: Person) => by.call(unlockUser, { params: { orgId, userId: person.id } })
  const guess = async (email: string, count: number) => {
    const before = networks
    for (networks += 1; networks <= before + count; networks += 1)
      await server.call(login, {
        body: { identifier: email, password: 'a wrong guess' },
        headers: { 'x-forwarded-for': `10.${31 + (networks % 100)}.${networks % 250}.7` },
      })
  }

  test('is shown as such, unlocked by an administrator, and audited', async () => {
    const [admin, person] = [await somebody(), await somebody()]
    await guess(person.email, 19)
    expect(await locked(person, admin)).toBe(false)
    await guess(person.email, 1)
    expect(await locked(person, admin)).toBe(true)
    await expect(again(person)).rejects.toThrow('not signed in')
    expect((await unlock(person, admin)).status).toBe(200)
    expect(await locked(person, admin)).toBe(false)
    expect(await worksWith(await again(person))).toBe(true)
    const entries = await sql('select actor_id from audit where entity_id = $1 and action = $2', [
      person.id,
      'user.unlocked',
    ])
    expect(entries.rows).toEqual([{ actor_id: admin.id }])
  })

  test('also after a hundred in a row in a browser of their own', async () => {
    const [admin, person] = [await somebody(), await somebody()]
    const enter = (given: string, headers: Record<string, string>) =>
      server.call(login, { body: { identifier: person.email, password: given }, headers })
    const own = browserOf(await enter(password, { 'x-forwarded-for': '10.29.1.7' }))
    await enter('a wrong guess', own)
    await sql(`update attempts set count = 100 where window_start = 'infinity'`, [])
    expect((await enter(password, own)).problem?.code).toBe('invalid_credentials')
    expect(await locked(person, admin)).toBe(true)
    expect((await unlock(person, admin)).status).toBe(200)
    expect((await enter(password, own)).status).toBe(200)
  })

  test('only by an administrator of theirs who has just proved who they are', async () => {
    const [admin, person] = [await somebody(), await somebody()]
    const stranger = await somebody('admin', await server.organization())
    expect((await unlock(person, stranger)).status).toBe(404)
    expect((await unlock(person, await somebody('groupadmin'))).status).toBe(403)
    await age(admin, 11)
    expect((await unlock(person, admin)).problem?.code).toBe('reauthentication_required')
  })

  test('nothing is told of an account that the same address has in another organization', async () => {
    const [admin, other] = [await somebody(), await somebody('admin', await server.organization())]
    const body = { name: 'Wanted', email: other.email, role: 'admin' as const }
    const { id } = (await admin.call(createUser, { params: { orgId }, body })).body
    await guess(other.email, 20)
    expect(await locked({ ...other, id }, admin)).toBe(false)
    expect((await unlock({ ...other, id }, admin)).problem?.code).toBe('conflict')
    await expect(again(other)).rejects.toThrow('not signed in')
  })
})
