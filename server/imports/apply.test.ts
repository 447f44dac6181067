import { expect, test, vi } from 'vitest'
import { createGroup } from '#contract/directory/groups.ts'
import { readImport, startImport } from '#contract/imports/imports.ts'
import { listInvitations } from '#contract/directory/invitations.ts'
import { readUser } from '#contract/directory/users.ts'
import { importing, withImports } from '../testing/imports.ts'
import { invitedTokens } from '../testing/mail/invited.ts'
import type { Person, TestServer } from '../testing/server.ts'

let server: TestServer
let orgId: string
let admin: Person
withImports((directory) => ({ server, orgId, admin } = directory))

const { at, rehearsed, until, run, undo, rowsOf, create, named, query } = importing(() => ({
  server,
  orgId,
  admin,
}))

test('imports, tells what has become of each row, and writes one entry of the audit per person', async () => {
  const present = await create('Present', { externalId: 'p-1', phone: '1' })
  const { id } = await rehearsed(
    'name,email,external id,phone,groups\nNew,new@example.test,n-1,,Blue; Red\nPresent P,,p-1,,red\n,bad,,,\n',
    { createGroups: true },
  )
  const done = await run(id)
  expect(done).toMatchObject({ total: 3, done: 3, counts: { created: 1, changed: 1, conflict: 1 } })
  expect(await named('New')).toMatchObject({ email: 'new@example.test', externalId: 'n-1', state: 'active' })
  expect((await named('New'))?.groups.map(({ name }) => name)).toEqual(['Blue', 'Red'])
  expect(await named('Present P')).toMatchObject({
    id: present.id,
    phone: '1',
    email: 'present@example.test',
  })
  expect((await named('Present P'))?.groups.map(({ name }) => name)).toEqual(['Red'])
  expect((await admin.call(readImport, { params: at(id) })).body.counts).toEqual(done.counts)
  const log = await query(
    `select action, entity_id as who, actor_id as by from audit where organization_id = $1 and action like 'user.%' and id > $2`,
    [orgId, id],
  )
  expect(log.rows).toEqual([
    { action: 'user.created', who: (await named('New'))?.id, by: admin.id },
    { action: 'user.changed', who: present.id, by: admin.id },
  ])
  const joined = await query('select cause, actor_id as by from membership_log where organization_id = $1', [
    orgId,
  ])
  expect(joined.rows).toEqual(Array.from({ length: 3 }, () => ({ cause: 'import', by: admin.id })))
  expect((await admin.call(startImport, { params: at(id) })).problem?.code).toBe('conflict')
})

test('a group that somebody creates after the rehearsal is taken, and none is made beside it', async () => {
  const { id } = await rehearsed('name,email,groups\nNew,new@example.test,green\n', { createGroups: true })
  const { body: group } = await admin.call(createGroup, { params: { orgId }, body: { name: 'Green' } })
  await run(id)
  expect((await named('New'))?.groups).toMatchObject([{ id: group.id, name: 'Green' }])
})

test('a row is judged by what is there when its turn comes, not by the rehearsal', async () => {
  const { id } = await rehearsed('name,email\nFirst,first@example.test\nSecond,second@example.test\n')
  const meanwhile = await create('First')
  const { counts } = await run(id)
  expect(counts).toEqual({ unchanged: 1, created: 1 })
  expect((await rowsOf(id))[0]).toMatchObject({ userId: meanwhile.id, outcome: 'unchanged' })
})

test('an address that somebody takes at this very moment is a conflict of its row alone', async () => {
  for (const name of ['One', 'Two']) await create(name, { externalId: name })
  const { id } = await rehearsed(
    'external id,name,email\nOne,,first@taken.test\nTwo,,two-moved@example.test\nNew,New,second@taken.test\n',
  )
  const rival = await server.services.db.system.connect()
  try {
    await rival.query('begin')
    await rival.query(
      `insert into users (organization_id, name, email) values ($1, 'Rival', 'first@taken.test'), ($1, 'Rival', 'second@taken.test')`,
      [orgId],
    )
    await admin.call(startImport, { params: at(id) })
    await vi.waitFor(
      async () => {
        const waiting = await query('select 1 from pg_locks where not granted')
        expect(waiting.rows.length).toBeGreaterThan(0)
      },
      { timeout: 10_000 },
    )
    await rival.query('commit')
  } finally {
    await rival.query('rollback')
    rival.release()
  }
  expect((await until(id, 'done')).counts).toEqual({ conflict: 2, changed: 1 })
  const words = 'Somebody else has just given this email or external ID to another person. Look who has it.'
  expect((await rowsOf(id)).map(({ reason }) => reason)).toEqual([words, null, words])
  expect(await named('Two')).toMatchObject({ email: 'two-moved@example.test' })
})

test('empty cells keep what is there, or clear it when that is wanted; columns that are missing never do', async () => {
  await create('Kept', { externalId: 'k', phone: '1' })
  const file = 'external id,name,phone\nk,Kept,\n'
  const rehearsal = await rehearsed(file)
  expect(rehearsal.counts).toEqual({ unchanged: 1 })
  const cleared = await rehearsed(file, { emptyCells: 'clear' })
  expect((await rowsOf(cleared.id))[0]?.changes).toEqual([{ field: 'Phone', before: '1', after: null }])
  await run(cleared.id)
  expect(await named('Kept')).toMatchObject({ phone: null, externalId: 'k', email: 'kept@example.test' })
})

test('people who are here can be left alone', async () => {
  await create('Here')
  const { counts } = await rehearsed('name,email\nChanged,here@example.test\nNew,n@example.test\n', {
    existing: 'skip',
  })
  expect(counts).toEqual({ skipped: 1, created: 1 })
})

test('fields of the organization are checked by their kind', async () => {
  await query(
    `insert into custom_fields (organization_id, key, label, type, options, position) values
      ($1, 'since', 'Since', 'date', '{}', 1), ($1, 'size', 'Size', 'choice', '{S,M}', 2), ($1, 'n', 'Number', 'number', '{}', 3)`,
    [orgId],
  )
  const { id } = await rehearsed(
    'name,email,Since,Size,Number\nA,a@example.test,2026-01-31,s,1.5\nB,b@example.test,2026-02-30,XL,many\n',
  )
  expect((await rowsOf(id)).map(({ reason }) => reason)).toEqual([
    null,
    '“2026-02-30” is not a date such as 2026-01-31. “XL” is not one of the choices of this field. “many” is not a number. Write it like 1250 or 12.5.',
  ])
  await run(id)
  const stored = await query(
    `select custom_fields from users where email = 'a@example.test' and organization_id = $1`,
    [orgId],
  )
  expect(stored.rows).toEqual([{ custom_fields: { since: '2026-01-31', size: 'S', n: '1.5' } }])
})

test('roles need a proof of who is there, and no mail goes out unless somebody wants it', async () => {
  const file = 'name,email,role\nBoss,boss@example.test,admin\nRita,rita@example.test,\n'
  const { id, withRole } = await rehearsed(file)
  expect(withRole).toBe(1)
  await query('update sessions set reauthenticated_at = null where user_id = $1', [admin.id])
  expect((await admin.call(startImport, { params: at(id) })).problem?.code).toBe('reauthentication_required')
  await query('update sessions set reauthenticated_at = now() where user_id = $1', [admin.id])
  await run(id)
  expect(await named('Boss')).toMatchObject({ role: 'admin', state: 'invited' })
  expect(await invitedTokens(server, 'boss@example.test')).toHaveLength(0)
  await undo(id)
  await run((await rehearsed(file, { invite: true })).id)
  expect(await invitedTokens(server, 'boss@example.test')).toHaveLength(1)
  expect(await invitedTokens(server, 'rita@example.test')).toHaveLength(0)
  const boss = await named('Boss')
  const waiting = await admin.call(listInvitations, { query: { userId: boss?.id ?? '' } })
  expect(waiting.body.items).toMatchObject([{ role: 'admin', state: 'pending' }])
})

test('whoever signs in keeps role, state and email', async () => {
  const boss = await create('Chair', { role: 'admin', externalId: 'b' })
  const { id } = await rehearsed(
    'external id,email,role,state,name\nb,new@example.test,groupadmin,disabled,Chair\nb,,,,Chief\n',
  )
  expect((await rowsOf(id)).map(({ outcome }) => outcome)).toEqual(['conflict', 'changed'])
  await run(id)
  const after = await admin.call(readUser, { params: { orgId, userId: boss.id } })
  expect(after.body).toMatchObject({
    name: 'Chief',
    role: 'admin',
    state: 'invited',
    email: 'chair@example.test',
  })
})
