import { describe, expect, test } from 'vitest'
import { logout, readSession } from '#contract/identity/auth.ts'
import { createGroup, listGroups } from '#contract/directory/groups.ts'
import { createUser, updateUser } from '#contract/directory/users.ts'
import { startAnother } from '../../testing/processes/another.ts'
import type { Person } from '../../testing/server.ts'
import { administer } from '../../testing/setup.ts'
import { soon, until } from '../../testing/until.ts'
import { aServer } from '../../testing/worlds.ts'

const server = await aServer()
const orgId = await server.organization()

/** By somebody else: on a connection that is none of this process's pools. */
const elsewhere = (statement: string) => administer(server.ownerUrl, statement)
const works = async (person: Person) => (await person.call(readSession)).status === 200
const refused = async (person: Person) => (await person.call(readSession)).status === 401
/** Sooner than what is held is looked up again by itself. */
const looks = 40

/** Nobody is told of what this does. */
const unheard = (statement: string) =>
  elsewhere(`set session_replication_role = replica; ${statement}; set session_replication_role = origin`)
const end = ({ id }: Person) => `update sessions set revoked_at = now() where user_id = '${id}'`

async function held(role: 'admin' | 'groupadmin' = 'admin', organizationId = orgId): Promise<Person> {
  const person = await server.person(role, organizationId)
  await until(() => Promise.resolve(server.services.db.callerChanges.count() !== undefined))
  expect(await works(person)).toBe(true)
  return person
}

/** Whose session is over, though this process believes them: an earlier change may be heard meanwhile, then it is somebody else. */
const believed = () =>
  until(async () => {
    const person = await held()
    await unheard(end(person))
    return (await works(person)) && person
  })

test('who asks is held for seconds, and no longer', async () => {
  const person = await believed()
  expect(await until(() => refused(person), 20)).toBe(true)
})

describe('the next request knows what somebody else has changed in the database', () => {
  const user = (values: string) => (person: Person) => `update users set ${values} where id = '${person.id}'`
  const session = (values: string) => (person: Person) =>
    `update sessions set ${values} where user_id = '${person.id}'`
  const organization = (values: string) => (person: Person) =>
    `update organizations set ${values} where id = '${person.organizationId}'`
  test.each([
    ['a session that was revoked', session('revoked_at = now()')],
    ['another token', session(`token_hash = sha256(token_hash)`)],
    ['an end that has come', session('expires_at = now()')],
    ['too long without anybody', session('idle_expires_at = now()')],
    ['a session that is gone', ({ id }: Person) => `delete from sessions where user_id = '${id}'`],
    ['a disabled person', user(`state = 'disabled'`)],
    ['a removed person', user('deleted_at = now()')],
    ['a person without a role', user('role = null')],
    ['a suspended organization', organization(`state = 'suspended'`)],
    ['a removed organization', organization('deleted_at = now()')],
  ])('%s', async (_what, change) => {
    const person = await held('admin', await server.organization())
    await elsewhere(change(person))
    expect(await soon(() => refused(person), looks)).toBe(true)
  })

  test('another role and another name', async () => {
    const person = await held()
    await elsewhere(user(`role = 'groupadmin', name = 'Somebody Else'`)(person))
    const changed = { role: 'groupadmin', name: 'Somebody Else' }
    const reply = await soon(async () => {
      const { user: now } = (await person.call(readSession)).body
      return now.role === 'groupadmin' && now
    }, looks)
    expect(reply).toMatchObject(changed)
  })

  test('a group that somebody administers no longer, and one that is gone', async () => {
    const [admin, person] = [await held(), await held('groupadmin')]
    const made = await Promise.all(
      ['One', 'Two', 'Three'].map((name) => admin.call(createGroup, { params: { orgId }, body: { name } })),
    )
    const [one, two, three] = made.map(({ body }) => body.id)
    const shown = async () =>
      (await person.call(listGroups, { params: { orgId } })).body.items.map(({ name }) => name).join()
    const mine = `user_id = '${person.id}'`
    expect(await shown()).toBe('')
    await elsewhere(
      `insert into group_members (organization_id, group_id, user_id, groupadmin)
        select '${orgId}', id, '${person.id}', true from groups where id in ('${one}', '${two}', '${three}')`,
    )
    await soon(async () => (await shown()) === 'One,Three,Two', looks)
    await elsewhere(`update group_members set groupadmin = false where group_id = '${one}' and ${mine}`)
    await soon(async () => (await shown()) === 'Three,Two', looks)
    await elsewhere(`delete from group_members where group_id = '${two}' and ${mine}`)
    await soon(async () => (await shown()) === 'Three', looks)
    await elsewhere(`update groups set deleted_at = now() where id = '${three}'`)
    await soon(async () => (await shown()) === '', looks)
  })
})

test('a session ends to the second, held or not', async () => {
  const person = await held()
  await elsewhere(
    `update sessions set idle_expires_at = now() + interval '2 seconds' where user_id = '${person.id}'`,
  )
  const ends = performance.now() + 2_000
  while (performance.now() < ends - 500) expect(await works(person)).toBe(true)
  await until(() => Promise.resolve(performance.now() > ends))
  expect(await works(person)).toBe(false)
})

test('what this process has changed itself counts with its answer', async () => {
  const [admin, other] = [await held(), await held()]
  const changes = { state: 'disabled', role: 'admin', name: 'Other', email: other.email } as const
  const params = { orgId, userId: other.id }
  expect((await admin.call(updateUser, { params, body: changes })).status).toBe(200)
  expect(await works(other)).toBe(false)
  expect((await admin.call(logout)).status).toBe(200)
  expect(await works(admin)).toBe(false)
})

test('creating people makes nobody be looked up again', async () => {
  const admin = await held()
  let made = 0
  await until(async () => {
    const other = await believed()
    const body = { name: 'New', email: `new-${(made += 1)}@example.test`, role: null }
    expect((await admin.call(createUser, { params: { orgId }, body })).status).toBe(201)
    return works(other)
  }, 20)
})

test('two processes hear of each other', async () => {
  const [here, there] = [await held(), await held()]
  const { child, url } = await startAnother(server)
  try {
    const ask = async ({ token }: Person, method: string, path: string) =>
      (await fetch(`${url}/api${path}`, { method, headers: { authorization: `Bearer ${token}` } })).status
    expect(await ask(here, readSession.method, readSession.path)).toBe(200)
    expect(await ask(there, readSession.method, readSession.path)).toBe(200)
    expect(await ask(there, logout.method, logout.path)).toBe(200)
    expect(await soon(() => refused(there), looks)).toBe(true)
    expect((await here.call(logout)).status).toBe(200)
    await soon(async () => (await ask(here, readSession.method, readSession.path)) === 401, looks)
  } finally {
    child.kill('SIGKILL')
  }
})

test('whoever does not hear of changes holds nobody', async () => {
  const person = await believed()
  await elsewhere(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'sendreel pulse' and datname = current_database()`,
  )
  expect(await soon(() => refused(person), looks)).toBe(true)
})
