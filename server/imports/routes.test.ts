import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createGroup, listGroups } from '#contract/groups.ts'
import {
  createImport,
  exportImportRows,
  listImportRows,
  readImport,
  rehearseImport,
  startImport,
  updateImport,
  type Import,
  type ImportOptions,
} from '#contract/imports.ts'
import { listInvitations } from '#contract/invitations.ts'
import { cancelOperation, readOperation, undoOperation } from '#contract/operations.ts'
import { createUser, deleteUser, exportUsers, listUsers, readUser, updateUser } from '#contract/users.ts'
import { startOperations } from '../operations/run.ts'
import { invitedTokens } from '../testing/invited.ts'
import { startTestServer, type Person, type TestServer } from '../testing/server.ts'
import { importPeople } from './kind.ts'

let server: TestServer
let worker: { stop(): Promise<void> }
let orgId: string
let admin: Person
beforeAll(async () => {
  server = await startTestServer()
  worker = await startOperations(server.services, [importPeople])
})
beforeEach(async () => {
  orgId = await server.organization()
  admin = await server.person('admin', orgId)
})
afterAll(async () => {
  await worker.stop()
  await server.close()
})

const params = () => ({ orgId })
const at = (importId: string) => ({ orgId, importId })
const query = (text: string, values: unknown[] = []) => server.services.db.system.query(text, values)

async function upload(content: string, more: { delimiter?: ';' } = {}): Promise<Import> {
  const answer = await admin.call(createImport, {
    params: params(),
    body: { fileName: 'people.csv', content, ...more },
  })
  expect(answer.problem).toBeUndefined()
  return answer.body
}

/** Uploads and looks at every row. */
async function rehearsed(content: string, options: Partial<ImportOptions> = {}): Promise<Import> {
  const { id, mapping } = await upload(content)
  const body = { mapping, options }
  await admin.call(updateImport, { params: at(id), body })
  return (await admin.call(rehearseImport, { params: at(id) })).body
}

async function run(importId: string) {
  const started = await admin.call(startImport, { params: at(importId) })
  expect(started.problem).toBeUndefined()
  return until(importId, 'done')
}

const until = (id: string, state: string) =>
  vi.waitFor(
    async () => {
      const { body } = await admin.call(readOperation, { params: { operationId: id } })
      expect(body.state).toBe(state)
      return body
    },
    { timeout: 20_000, interval: 50 },
  )

async function undo(id: string) {
  await admin.call(undoOperation, { params: { operationId: id } })
  return until(id, 'undone')
}

const rowsOf = async (id: string) =>
  (await admin.call(listImportRows, { params: at(id), query: { limit: 100 } })).body.items
const told = async (id: string) =>
  (await rowsOf(id)).map(({ row, outcome, reason }) => [row, outcome, reason])
const people = async () =>
  (await admin.call(listUsers, { params: params(), query: { limit: 100 } })).body.items
const others = async () => (await people()).filter(({ id }) => id !== admin.id).map(({ name }) => name)
const named = async (name: string) => (await people()).find((one) => one.name === name)
const create = async (name: string, more: object = {}) =>
  (
    await admin.call(createUser, {
      params: params(),
      body: { name, email: `${name.toLowerCase()}@example.test`, ...more },
    })
  ).body

test('reads the file, guesses what the columns are, and changes nothing', async () => {
  await query(
    `insert into custom_fields (organization_id, key, label, type) values ($1, 'cost_centre', 'Kostenstelle', 'text')`,
    [orgId],
  )
  const file =
    "\uFEFFsep=;\r\nVorname;Nachname;E-Mail-Adresse;Personal-Nr.;Handy;Kostenstelle;Gruppen;Bemerkung\r\nAda;Berg;ada@b.test;7;'+49 1;K1;A|B;x;\r\nkurz;\r\n"
  const made = await upload(file)
  expect(made).toMatchObject({
    delimiter: ';',
    state: 'draft',
    total: 2,
    rehearsed: 0,
    mapping: {
      0: 'firstName',
      1: 'lastName',
      2: 'email',
      3: 'externalId',
      4: 'phone',
      5: 'field:cost_centre',
      6: 'groups',
    },
    ragged: { count: 1, rows: [3] },
  })
  expect(made.sample[0]).toEqual(['Ada', 'Berg', 'ada@b.test', '7', '+49 1', 'K1', 'A|B', 'x'])
  expect(await people()).toHaveLength(1)
})

test.each([
  ['a quote without an end', 'name,email\n"Ada,a@b.test\n', /line 2/],
  ['a header alone', 'name,email\n', /no row/],
  ['nothing', ' \n\n', /nothing/],
])('refuses %s in words', async (_what, content, words) => {
  const answer = await admin.call(createImport, { params: params(), body: { fileName: 'x', content } })
  expect(answer.problem?.detail).toMatch(words)
})

test('takes a file of many megabytes, and nobody unknown sends one', async () => {
  const content = `name,email,note\n${`Ada,a@b.test,${'x'.repeat(5_000)}\n`.repeat(1_000)}`
  expect((await upload(content)).total).toBe(1_000)
  const body = { fileName: 'x', content }
  expect((await server.call(createImport, { params: params(), body })).status).toBe(401)
  const groupadmin = await server.person('groupadmin', orgId)
  expect((await groupadmin.call(createImport, { params: params(), body })).status).toBe(403)
})

test('the rehearsal says of every row what would become of it and why', async () => {
  await create('Present', { externalId: 'p-1', phone: '1' })
  await create('Other', { externalId: 'o-1' })
  await create('Same')
  const gone = await create('Gone', { externalId: 'gone-1' })
  await admin.call(deleteUser, { params: { orgId, userId: gone.id } })
  await query(`insert into groups (organization_id, name, kind) values ($1, 'By rule', 'rule')`, [orgId])
  const elsewhere = await server.person('admin', await server.organization())
  const { id, counts } = await rehearsed(
    [
      'name,email,external id,phone,role,state,groups',
      'New,new@example.test,n-1,,,,',
      'Present,moved@example.test,p-1,2,,disabled,',
      'Same,same@example.test,,,,,',
      'Clash,other@example.test,x-9,,,,',
      'Two,same@example.test,p-1,,,,',
      'Twice,new@example.test,,,,,',
      ',nameless@example.test,,,,,',
      'Broken,broken@,,,,,',
      `Boss,${elsewhere.email},,,admin,,`,
      'Super,s@example.test,,,superadmin,,',
      'Odd,odd@example.test,,,chef,asleep,',
      'Grouped,g@example.test,,,,,Unknown;By rule',
      'Back,back@example.test,gone-1,,,,',
      'Also,also@example.test,n-1,,,,',
      'Raised,other@example.test,,,admin,,',
      'Shifted,sh@example.test,,,,,,,more',
    ].join('\n'),
  )
  expect(counts).toEqual({ created: 1, changed: 1, unchanged: 1, conflict: 13 })
  expect(await told(id)).toEqual([
    [2, 'created', null],
    [3, 'changed', null],
    [4, 'unchanged', null],
    [5, 'conflict', 'The email belongs to somebody else here, who has another external ID or none.'],
    [6, 'conflict', 'The external ID belongs to one person and the email to another.'],
    [7, 'conflict', 'Row 2 has the same email.'],
    [8, 'conflict', 'The name is missing.'],
    [9, 'conflict', '“broken@” is not an email address.'],
    [10, 'conflict', 'Somebody with a role uses this email already.'],
    [11, 'conflict', 'Your role does not allow you to give the role “superadmin”.'],
    [
      12,
      'conflict',
      '“chef” is not a role. Use admin, groupadmin, or nothing for a recipient. “asleep” is not a state. Use active or disabled.',
    ],
    [
      13,
      'conflict',
      'There is no group “Unknown”. Nobody is put into the group “By rule” by hand: its rule says who is in it.',
    ],
    [14, 'conflict', 'A person with this external ID was removed. They are not brought back by an import.'],
    [15, 'conflict', 'Row 2 has the same external ID.'],
    [
      16,
      'conflict',
      'This person is here already with another role. Roles are changed on the page of the person.',
    ],
    [
      17,
      'conflict',
      'This row has more cells than the header. Is there a delimiter within a text that is not in quotes?',
    ],
  ])
  expect((await rowsOf(id))[1]?.changes).toEqual([
    { field: 'Email', before: 'present@example.test', after: 'moved@example.test' },
    { field: 'Phone', before: '1', after: '2' },
    { field: 'State', before: 'active', after: 'disabled' },
  ])
  expect(await others()).toEqual(['Other', 'Present', 'Same'])
})

test('nothing starts before every row was looked at, or when nothing would come of it', async () => {
  const { id } = await upload('name,email\nNew,new@example.test\n')
  expect((await admin.call(startImport, { params: at(id) })).problem?.detail).toMatch(/check the rows/)
  await create('Same')
  const idle = await rehearsed('name,email\nSame,same@example.test\n')
  expect((await admin.call(startImport, { params: at(idle.id) })).problem?.detail).toMatch(/No row/)
})

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
  const words = 'Somebody else has just given this email or external ID to another person.'
  expect((await rowsOf(id)).map(({ reason }) => reason)).toEqual([words, null, words])
  expect(await named('Two')).toMatchObject({ email: 'two-moved@example.test' })
})

test('empty cells keep what is there, or clear it when that is wanted; columns that are missing never do', async () => {
  await create('Kept', { externalId: 'k', phone: '1' })
  const file = 'external id,name,phone\nk,Kept,\n'
  const kept = await rehearsed(file)
  expect(kept.counts).toEqual({ unchanged: 1 })
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
    '“2026-02-30” is not a date such as 2026-01-31. “XL” is not among the choices. “many” is not a number.',
  ])
  await run(id)
  const kept = await query(
    `select custom_fields from users where email = 'a@example.test' and organization_id = $1`,
    [orgId],
  )
  expect(kept.rows).toEqual([{ custom_fields: { since: '2026-01-31', size: 'S', n: '1.5' } }])
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

test('rows to be mended come back as the same file with one more column, which can be imported again', async () => {
  const { id } = await rehearsed(
    '"Name";"E-Mail";"Note, of mine"\r\n"Berg; Ada";ada@;"=1+1"\r\nGood;good@example.test;\r\n',
  )
  await run(id)
  const file = await admin.call(exportImportRows, { params: at(id) })
  const text = String(file.body)
  expect(text).toBe(
    '\uFEFFName;E-Mail;Note, of mine;Problem\r\n"Berg; Ada";ada@;\'=1+1;“ada@” is not an email address.\r\n',
  )
  const mended = await rehearsed(text.replace('ada@;', 'ada@example.test;'))
  expect(mended.sample[0]?.[2]).toBe('=1+1')
  expect(mended.mapping).toEqual({ 0: 'name', 1: 'email' })
  expect(mended.counts).toEqual({ created: 1 })
})

test('undo removes who came, gives back what was there field by field, and leaves alone what was changed since', async () => {
  const present = await create('Present', { externalId: 'p-1', phone: '1' })
  const { id } = await rehearsed(
    'name,email,external id,phone,groups\nNew,new@example.test,n-1,,Fresh\nTouched,touched@example.test,,,\nPresent P,p@example.test,p-1,2,Fresh\n',
    { createGroups: true },
  )
  await run(id)
  const touched = await named('Touched')
  const change = (userId: string, body: { name: string; email: string; phone?: string }) =>
    admin.call(updateUser, { params: { orgId, userId }, body })
  await change(touched?.id ?? '', { name: 'Touched', email: 'touched@example.test', phone: '9' })
  await change(present.id, { name: 'Present P', email: 'p@example.test', phone: '3' })
  const { undoCounts } = await undo(id)
  expect(undoCounts).toEqual({ undone: 1, changed_since: 2 })
  expect(await others()).toEqual(['Present', 'Touched'])
  expect(await named('Present')).toMatchObject({ email: 'present@example.test', phone: '3', groups: [] })
  expect((await admin.call(listGroups, { params: params() })).body.items).toEqual([])
  expect((await rowsOf(id)).map(({ reason }) => reason)).toEqual([
    null,
    'Changed since: phone.',
    'Changed since: phone.',
  ])
  const again = await rehearsed('name,email,external id\nNew,new@example.test,n-1\n')
  expect(again.counts).toEqual({ created: 1 })
})

test('undo keeps whoever was sent something', async () => {
  const { id } = await rehearsed('name,email\nSent,sent@example.test\n')
  await run(id)
  const person = await named('Sent')
  await query(
    `with v as (insert into videos (organization_id, title, state) values ($1, 'V', 'ready') returning id),
      n as (insert into video_versions (organization_id, video_id, number, file_name, size, received_bytes, uploaded_at, duration_ms, ready_at)
        select $1, id, 1, 'v.mp4', 1, 1, now(), 60000, now() from v returning id, video_id),
      t as (insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience)
        select $1, 'completed', 'S', 'b', video_id, id, $2, 'S', '{}' from n returning id)
      insert into deliveries (transmission_id, organization_id, user_id, address, state) select id, $1, $2, 'a@b.test', 'accepted' from t`,
    [orgId, person?.id],
  )
  expect((await undo(id)).undoCounts).toEqual({ changed_since: 1 })
  expect((await rowsOf(id))[0]?.reason).toBe('Something was sent to this person.')
  expect(await named('Sent')).toBeDefined()
})

test('a draft can be thrown away, and a started one is mapped no more', async () => {
  const { id, mapping } = await rehearsed('name,email\nNew,new@example.test\n')
  await admin.call(cancelOperation, { params: { operationId: id } })
  await until(id, 'cancelled')
  const late = await admin.call(updateImport, { params: at(id), body: { mapping, options: {} } })
  expect(late.problem?.code).toBe('conflict')
  expect(await named('New')).toBeUndefined()
})

test('a mapping names columns and fields that are there, each once', async () => {
  const { id } = await upload('a,b\n1,2\n')
  const put = async (mapping: Record<string, string>) =>
    (await admin.call(updateImport, { params: at(id), body: { mapping, options: {} } })).problem?.fields
  expect(await put({ 7: 'name' })).toEqual({ mapping: ['not_found'] })
  expect(await put({ 0: 'field:nothing' })).toEqual({ mapping: ['not_found'] })
  expect(await put({ 0: 'name', 1: 'name' })).toEqual({ mapping: ['taken'] })
  expect(await put({ 0: 'password' })).toEqual({ 'mapping.0': ['invalid'] })
})

test('an export comes back through the import without a change, whatever the names are', async () => {
  await query(
    `insert into custom_fields (organization_id, key, label, type) values ($1, 'team', 'Team, internal', 'text')`,
    [orgId],
  )
  const groups = await Promise.all(
    ['Blue', 'Red'].map(
      async (name) => (await admin.call(createGroup, { params: params(), body: { name } })).body.id,
    ),
  )
  for (const [n, name] of [
    '=cmd|calc',
    '+Plus',
    '"Quoted"',
    "'Apostrophe",
    'Semi; colon',
    '-Minus',
  ].entries())
    await create('x', {
      name,
      email: `n${n}@example.test`,
      phone: '+49 30 1',
      externalId: `0${n}`,
      groupIds: groups,
    })
  await query(
    `update users set custom_fields = '{"team":"@all"}' where organization_id = $1 and external_id is not null`,
    [orgId],
  )
  const file = String((await admin.call(exportUsers, { params: params() })).body)
  expect(file).toContain(
    'Name,Email,Phone,External ID,Role,State,Groups,"Team, internal",Last seen,Created\r\n',
  )
  expect(file).not.toMatch(/(?:^|[,"\n])[=+@-]/)
  const back = await rehearsed(file)
  expect(back.counts).toEqual({ unchanged: 7 })
  expect((await admin.call(exportUsers, { params: params(), query: { q: 'Plus' } })).body).not.toContain(
    'Minus',
  )
})

test('an export is as long as the list, holds what its reader sees, and is written down', async () => {
  await query(
    `insert into users (organization_id, name, email) select $1::uuid, 'Crowd', n || '@' || $1::text || '.test' from generate_series(1, 2500) n`,
    [orgId],
  )
  const file = String((await admin.call(exportUsers, { params: params() })).body)
  expect(new Set(file.trim().split('\r\n')).size).toBe(1 + 2_501)
  const groupadmin = await server.person('groupadmin', orgId)
  const { id: groupId } = (await admin.call(createGroup, { params: params(), body: { name: 'Seen' } })).body
  const inside = await create('Inside', { groupIds: [groupId] })
  await query(
    'insert into group_members (organization_id, group_id, user_id, groupadmin) values ($1, $2, $3, true)',
    [orgId, groupId, groupadmin.id],
  )
  const theirs = String((await groupadmin.call(exportUsers, { params: params() })).body)
  expect(theirs.trim().split('\r\n')).toHaveLength(3)
  expect(theirs).toContain(inside.email)
  const log = await query(
    `select actor_id as by from audit where organization_id = $1 and action = 'users.exported'`,
    [orgId],
  )
  expect(log.rows).toEqual([{ by: admin.id }, { by: groupadmin.id }])
  expect((await admin.call(exportUsers, { params: { orgId: await server.organization() } })).status).toBe(404)
})
