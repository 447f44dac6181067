import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { exportAudit, listAudit, readAuditHead, type AuditEntry } from '#contract/platform/audit.ts'
import { forgotPassword, login } from '#contract/identity/auth.ts'
import { createGroup, deleteGroup } from '#contract/directory/groups.ts'
import { updateOrganization } from '#contract/directory/organizations.ts'
import { createUser, updateUser } from '#contract/directory/users.ts'
import type { Person } from '../../testing/server.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'
import { csvLine } from '#contract/platform/csv.ts'
import { seal } from './seal.ts'

const server = await aServer()
const orgId = await server.organization('Acme')
const superadmin = await server.person('superadmin')
const admin = await server.person('admin', orgId)
const params = { orgId }
const bob = { name: 'Bob Jones', email: 'bob.jones@example.test', role: 'groupadmin' as const }
const bobId = (await admin.call(createUser, { params, body: bob })).body.id
const change = { params: { ...params, userId: bobId }, body: { ...bob, role: 'admin' as const } }
await admin.call(updateUser, change)
const group = await admin.call(createGroup, { params, body: { name: '=HYPERLINK("http://evil.test")' } })
await admin.call(deleteGroup, { params: { ...params, groupId: group.body.id } })
await superadmin.call(updateOrganization, { params, body: { name: 'Acme Limited' } })
const { orgId: other, admin: foreign } = await anOrganization(server, 'Other')
await foreign.call(createGroup, { params: { orgId: other }, body: { name: 'Secret group' } })

const list = async (person: Person, query: Record<string, string | number> = {}) =>
  (await person.call(listAudit, { query })).body.items
const actions = (items: readonly AuditEntry[]) => items.map(({ action }) => action)
/** Who is given a role is invited; with another role the invitation is another one. */
const everything = [
  'organization.changed',
  'group.removed',
  'group.created',
  'user.changed',
  'invitation.sent',
  'invitation.revoked',
  'user.created',
  'invitation.sent',
]

test('requires sign-in', async () => {
  for (const endpoint of [listAudit, exportAudit, readAuditHead])
    expect((await server.call(endpoint)).status).toBe(401)
})

test('requires role', async () => {
  const groupadmin = await server.person('groupadmin', orgId)
  for (const endpoint of [listAudit, exportAudit, readAuditHead])
    expect((await groupadmin.call(endpoint)).status).toBe(403)
})

test('an admin sees the own organization, newest first, with what a superadmin did in it', async () => {
  const items = await list(admin)
  expect(actions(items)).toEqual(everything)
  const renamed = items[0]
  const changed = items.find(({ action }) => action === 'user.changed')
  expect(renamed?.actor).toMatchObject({ id: superadmin.id, name: expect.stringMatching(/^Person/) })
  expect(renamed).toMatchObject({ entityName: 'Acme Limited', organizationName: 'Acme Limited' })
  expect(changed).toMatchObject({
    actor: { id: admin.id },
    viewingAs: null,
    entity: 'user',
    entityId: bobId,
    entityName: 'Bob Jones',
    before: { role: 'groupadmin' },
    after: { role: 'admin' },
    network: '127.0.0.0/24',
    isErased: false,
  })
  expect(changed?.requestId).not.toBeNull()
  const group = items.find(({ action }) => action === 'group.removed')
  expect(group?.entityName).toContain('HYPERLINK')
})

test('nobody but a superadmin reads beyond one organization', async () => {
  const other = await server.organization()
  expect((await admin.call(listAudit, { query: { organizationId: other } })).status).toBe(404)
  expect((await admin.call(exportAudit, { query: { organizationId: other } })).status).toBe(404)
  expect((await admin.call(listAudit, { query: { organizationId: orgId } })).status).toBe(200)
  expect(actions(await list(superadmin, { action: 'group.created' }))).toHaveLength(2)
  expect(actions(await list(superadmin, { action: 'group.created', organizationId: orgId }))).toHaveLength(1)
})

test('filters by action, person, thing, time and words', async () => {
  expect(actions(await list(admin, { action: 'user.' }))).toEqual(['user.changed', 'user.created'])
  expect(actions(await list(admin, { action: 'user.changed' }))).toEqual(['user.changed'])
  expect(actions(await list(admin, { actorId: superadmin.id }))).toEqual(['organization.changed'])
  expect(actions(await list(admin, { entity: 'user', entityId: bobId }))).toEqual([
    'user.changed',
    'user.created',
  ])
  expect(await list(admin, { entity: 'group', entityId: bobId })).toEqual([])
  const ofUsers = async (q: string) => actions(await list(admin, { q, action: 'user.' }))
  expect(await ofUsers('bob jo')).toEqual(['user.changed', 'user.created'])
  expect(await ofUsers('BOB.JONES@')).toEqual(['user.changed', 'user.created'])
  expect(actions(await list(admin, { q: 'GROUP.REM' }))).toEqual(['group.removed'])
  expect(actions(await list(admin, { q: admin.email }))).toEqual(everything.slice(1))
  expect(await list(admin, { q: '100%_' })).toEqual([])
  expect(await ofUsers('bo')).toEqual(['user.changed', 'user.created'])
  expect(await list(admin, { q: 'Secret group' })).toEqual([])
  const all = await list(admin)
  const third = all[2]?.at ?? ''
  const from = await list(admin, { from: third })
  const to = await list(admin, { to: third })
  expect([...from, ...to].map(({ id }) => id)).toEqual(all.map(({ id }) => id))
  expect((await admin.call(listAudit, { query: { from: 'yesterday' } })).status).toBe(422)
  expect((await admin.call(listAudit, { query: { action: `user' or true` } })).status).toBe(422)
})

test('next leads through every page without gap or repetition', async () => {
  const seen: string[] = []
  let next: string | null = '/api/audit?limit=2'
  while (next) {
    const { body } = await admin.send('GET', next)
    const page = body as { items: AuditEntry[]; next: string | null }
    seen.push(...actions(page.items))
    next = page.next
  }
  expect(seen).toEqual(everything)
})

test('an entry shows its place in the chain once it is sealed', async () => {
  await seal(server.services.db)
  const [newest] = await list(admin)
  const head = (await admin.call(readAuditHead)).body
  expect(head).toMatchObject({ unsealed: 0, sealedAt: expect.any(String) })
  expect(newest?.seal?.seq).toBeGreaterThan(0)
  const all = await list(superadmin)
  expect(head.hash?.startsWith(all[0]?.seal?.hash ?? '?')).toBe(true)
})

const fetchFile = async (person: Person, query: string) => person.send('GET', `/api/audit/export${query}`)
const linesOf = (text: unknown) =>
  String(text)
    .trimEnd()
    .split('\n')
    .map((line): Record<string, unknown> => JSON.parse(line))

function verify(file: string, ...more: string[]): Promise<{ code: number; said: string }> {
  const command = path.resolve(import.meta.dirname, 'command.ts')
  // No database: the file is all there is.
  const env = { PATH: process.env['PATH'] ?? '', DATA_DIR: '/nowhere' }
  return new Promise((resolve) => {
    execFile(process.execPath, [command, file, ...more], { env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, said: `${out}${err}` }),
    )
  })
}

async function inFile<T>(text: string, work: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-audit-'))
  const file = path.join(folder, 'audit.jsonl')
  await writeFile(file, text)
  try {
    return await work(file)
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('a complete export verifies without the server, and a changed one does not', async () => {
  const answer = await fetchFile(superadmin, '')
  expect(answer.headers).toMatchObject({
    'content-type': 'application/x-ndjson',
    'content-disposition': expect.stringMatching(/^attachment; filename="audit-\d{4}-\d\d-\d\d\.jsonl"$/),
  })
  const text = String(answer.body)
  const head = (await superadmin.call(readAuditHead)).body
  const said = await inFile(text, (file) => verify(file, '--head', `${head.seq}:${head.hash}`))
  expect(said).toMatchObject({ code: 0 })
  expect(said.said).toContain(`All is well: ${head.seq} entries`)
  const lines = text.split('\n')
  const broken: [string, RegExp][] = [
    [text.replace('Bob Jones', 'Rob Jones'), /BROKEN: entry \d+ \(user\.created, .* was changed/],
    [lines.toSpliced(3, 1).join('\n'), /BROKEN: link 3 is missing/],
    [lines.toSpliced(2, 2, lines[3] ?? '', lines[2] ?? '').join('\n'), /BROKEN: link 2 is missing/],
    [lines.slice(0, 5).join('\n'), /BROKEN: the file has no last line/],
    [lines.toSpliced(-3, 1).join('\n'), /BROKEN: the file says/],
  ]
  for (const [changed, message] of broken) {
    const found = await inFile(changed, (file) => verify(file))
    expect(found.said).toMatch(message)
    expect(found.code).toBe(1)
  }
})

test('an export holds what the list shows, oldest first, and is an entry itself', async () => {
  const query = `?organizationId=${orgId}&action=group.`
  const lines = linesOf((await fetchFile(superadmin, query)).body)
  const [first, ...rest] = lines
  const shown = await list(superadmin, { organizationId: orgId, action: 'group.' })
  expect(first).toMatchObject({ complete: false, filters: { organizationId: orgId, action: 'group.' } })
  expect(rest.slice(0, -1).map(({ id }) => id)).toEqual(shown.map(({ id }) => id).toReversed())
  expect(rest.at(-1)).toEqual({ end: { entries: shown.length } })
  const [exporting] = await list(superadmin, { action: 'audit.exported', organizationId: orgId })
  expect(exporting).toMatchObject({
    actor: { id: superadmin.id },
    after: { format: 'jsonl', action: 'group.' },
  })
})

test('an admin exports the own organization; the selection verifies entry by entry', async () => {
  const text = String((await fetchFile(admin, '')).body)
  expect(text).not.toContain('Secret group')
  const good = await inFile(text, (file) => verify(file))
  expect(good).toMatchObject({ code: 0, said: expect.stringContaining('selection') })
  const changed = await inFile(text.replace('Bob Jones', 'Rob Jones'), (file) => verify(file))
  expect(changed.code).toBe(1)
})

test('an export of entries that wait for their link says so', async () => {
  await server.services.db.system.query(
    `insert into audit (organization_id, action, entity) select $1, 'test.bulk', 'test' from generate_series(1, 12000)`,
    [orgId],
  )
  const before = (await admin.call(readAuditHead)).body
  expect(before.unsealed).toBeGreaterThanOrEqual(12_000)
  await server.services.db.system.query(
    `update sessions set reauthenticated_at = now() - interval '11 minutes' where user_id = $1`,
    [admin.id],
  )
  expect((await admin.call(exportAudit, { query: { action: 'test.' } })).problem?.code).toBe(
    'reauthentication_required',
  )
  expect((await admin.call(exportAudit, { query: { action: 'user.' } })).status).toBe(200)
  const lines = linesOf((await fetchFile(superadmin, '?action=test.')).body)
  expect(lines).toHaveLength(12_002)
  expect(lines.slice(1, -1).every(({ seal }) => seal !== null)).toBe(true)
  expect((await admin.call(listAudit)).body).toMatchObject({ total: 10_000, totalIsMinimum: true })
})

test('CSV: one line per entry, and nothing that a spreadsheet would run', async () => {
  const { body, headers } = await fetchFile(superadmin, `?format=csv&organizationId=${orgId}&action=user.`)
  expect(headers['content-type']).toBe('text/csv; charset=utf-8')
  const [head, ...lines] = String(body).trimEnd().split('\r\n')
  expect(head).toContain('Number,Time (UTC),Who')
  expect(lines).toHaveLength(2)
  expect(lines[1]).toContain('"{""id"":')
  expect(csvLine(['=1+1', '+49 30', '-2', '@x', '\t=1', ' =1', 'a"b', 'a,b', null, -5, 'plain'])).toBe(
    `'=1+1,'+49 30,'-2,'@x,'\t=1,' =1,"a""b","a,b",,-5,plain\r\n`,
  )
})

test('a name that is a formula arrives as text', async () => {
  await server.services.db.system.query(`update users set name = '=cmd|''/c calc''!A1' where id = $1`, [
    admin.id,
  ])
  await admin.call(createGroup, { params: { orgId }, body: { name: 'After the change' } })
  const { body } = await fetchFile(superadmin, `?format=csv&actorId=${admin.id}&q=after the change`)
  expect(String(body)).toContain(`,'=cmd|'/c calc'!A1,`)
})

test('what people type to sign in stays out of the log', async () => {
  const password = 'a password that was typed'
  await server.call(login, { body: { identifier: 'my-Secret-typed-here@example.test', password } })
  await server.call(login, { body: { identifier: admin.email, password } })
  await server.call(forgotPassword, { body: { identifier: admin.email } })
  const found = await server.services.db.system.query<{ text: string; factor: string | null }>(
    `select a::text as text, after ->> 'factor' as factor from audit a where action like 'auth.%'`,
  )
  expect(found.rows.map(({ factor }) => factor)).toEqual(['password', 'password'])
  for (const { text } of found.rows) expect(text.toLowerCase()).not.toMatch(/typed/)
})
