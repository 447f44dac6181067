import { expect, test } from 'vitest'
import {
  changeOrganizationState,
  createOrganization,
  deleteOrganization,
  listOrganizations,
  readOrganization,
  updateOrganization,
  updateOrganizationSettings,
} from '#contract/directory/organizations.ts'
import { aServer } from '../../testing/worlds.ts'

const server = await aServer()
const superadmin = await server.person('superadmin')

test('requires sign-in', async () => {
  expect((await server.call(listOrganizations)).status).toBe(401)
})

test('requires role', async () => {
  const admin = await server.person('admin', await server.organization())
  expect((await admin.call(createOrganization, { body: { name: 'Mine' } })).status).toBe(403)
  const params = { orgId: admin.organizationId ?? '' }
  expect((await admin.call(updateOrganization, { params, body: { name: 'Mine' } })).status).toBe(403)
  expect((await admin.call(deleteOrganization, { params })).status).toBe(403)
})

test('creates from a name alone, and tells two of the same name apart by their slugs', async () => {
  const first = await superadmin.call(createOrganization, { body: { name: '  Älmhult & Söner ' } })
  expect(first.status).toBe(201)
  expect(first.body).toMatchObject({
    name: 'Älmhult & Söner',
    slug: 'almhult-soner',
    state: 'active',
    timeZone: 'UTC',
    userCount: 0,
    policies: { completionThreshold: 0.95 },
  })
  const second = await superadmin.call(createOrganization, { body: { name: 'Älmhult & Söner' } })
  expect(second.body.slug).toBe('almhult-soner-2')
  const strange = await superadmin.call(createOrganization, { body: { name: '株式会社' } })
  expect(strange.body.slug).toBe('organization')
})

test('keeps what a change leaves out, and writes who changed what', async () => {
  const created = await superadmin.call(createOrganization, {
    body: { name: 'Kept', domain: 'Kept.example', timeZone: 'Europe/Stockholm', policies: { maxRate: 1.5 } },
  })
  const params = { orgId: created.body.id }
  const body = { name: 'Kept on', policies: { retentionMonths: 12 } }
  const changed = await superadmin.call(updateOrganization, { params, body })
  expect(changed.body).toMatchObject({
    name: 'Kept on',
    domain: 'kept.example',
    timeZone: 'Europe/Stockholm',
    slug: 'kept',
    policies: { maxRate: 1.5, retentionMonths: 12, completionThreshold: 0.95 },
  })
  const log = await server.query(
    'select action, actor_id, before, after from audit where entity_id = $1 order by id',
    [created.body.id],
  )
  expect(log).toMatchObject([
    { action: 'organization.created', actor_id: superadmin.id, before: null },
    { action: 'organization.changed', before: { name: 'Kept' }, after: { name: 'Kept on' } },
  ])
})

test('refuses the second of two editors', async () => {
  const created = await superadmin.call(createOrganization, { body: { name: 'Contested' } })
  const params = { orgId: created.body.id }
  const headers = { 'if-match': String(created.headers['etag']) }
  const first = await superadmin.call(updateOrganization, { params, headers, body: { name: 'One' } })
  expect(first.status).toBe(200)
  const second = await superadmin.call(updateOrganization, { params, headers, body: { name: 'Two' } })
  expect(second.problem?.code).toBe('precondition_failed')
  expect((await superadmin.call(readOrganization, { params })).body.name).toBe('One')
})

test('answers a repeated creation with the first answer', async () => {
  const headers = { 'idempotency-key': 'twice' }
  const first = await superadmin.call(createOrganization, { headers, body: { name: 'Once' } })
  const again = await superadmin.call(createOrganization, { headers, body: { name: 'Once' } })
  expect(again.body.id).toBe(first.body.id)
  const found = await superadmin.call(listOrganizations, { query: { q: 'once' } })
  expect(found.body.items).toHaveLength(1)
})

test('shows everybody but a superadmin only their own', async () => {
  const mine = await server.organization('Visible')
  const other = await server.organization('Invisible')
  const admin = await server.person('admin', mine)
  const list = await admin.call(listOrganizations)
  expect(list.body).toMatchObject({ total: 1, items: [{ id: mine }] })
  expect((await admin.call(readOrganization, { params: { orgId: other } })).status).toBe(404)
})

test('finds by letters anywhere in the name, takes them literally, and walks by `next`', async () => {
  for (const n of ['a', 'b', 'c', 'd', 'e'])
    await superadmin.call(createOrganization, { body: { name: `Walk_${n}` } })
  const first = await superadmin.call(listOrganizations, { query: { q: 'LK_', limit: 2 } })
  expect(first.body).toMatchObject({ total: 5, items: [{ name: 'Walk_a' }, { name: 'Walk_b' }] })
  const second = await superadmin.send('GET', first.body.next ?? '')
  expect(second.body).toMatchObject({ items: [{ name: 'Walk_c' }, { name: 'Walk_d' }] })
  const back = { q: 'walk_', sort: '-name', limit: 1, offset: 1 }
  expect((await superadmin.call(listOrganizations, { query: back })).body.items).toMatchObject([
    { name: 'Walk_d' },
  ])
  expect((await superadmin.call(listOrganizations, { query: { q: 'walk%' } })).body).toMatchObject({
    approximate: true,
  })
})

test('signs everybody out of an organization that is removed or suspended', async () => {
  const removed = await server.person('admin', await server.organization('Removed'))
  const params = { orgId: removed.organizationId ?? '' }
  expect((await superadmin.call(deleteOrganization, { params })).status).toBe(200)
  expect((await removed.call(listOrganizations)).status).toBe(401)
  expect((await superadmin.call(readOrganization, { params })).status).toBe(404)
  expect((await superadmin.call(deleteOrganization, { params })).status).toBe(404)
  const paused = await server.person('admin', await server.organization('Paused'))
  const body = { name: 'Paused', state: 'suspended' as const }
  await superadmin.call(updateOrganization, { params: { orgId: paused.organizationId ?? '' }, body })
  expect((await paused.call(listOrganizations)).status).toBe(401)
})

test('names every field that is wrong', async () => {
  const body = { name: ' ', domain: 'not a domain', timeZone: 'Mars/Base', policies: { maxRate: 9 } }
  const answer = await superadmin.call(createOrganization, { body })
  expect(answer.status).toBe(422)
  expect(answer.problem?.fields).toEqual({
    name: ['required'],
    domain: ['invalid'],
    timeZone: ['invalid'],
    'policies.maxRate': ['too_big'],
  })
})

test('survives bad and huge input', async () => {
  const huge = await superadmin.call(createOrganization, { body: { name: 'x'.repeat(2_000_000) } })
  expect(huge.status).toBe(413)
  const long = await superadmin.call(createOrganization, { body: { name: 'x'.repeat(201) } })
  expect(long.problem?.fields).toEqual({ name: ['too_long'] })
  const zero = await superadmin.call(createOrganization, { body: { name: 'a\0b' } })
  expect([zero.status, zero.problem?.fields]).toEqual([422, { name: ['hidden_characters'] }])
  for (const after of ['x', Buffer.from('["a","b"]').toString('base64url'), 'W10'])
    expect((await superadmin.call(listOrganizations, { query: { after } })).status).toBe(400)
  expect((await superadmin.send('GET', '/api/organizations?limit=101')).status).toBe(422)
  expect((await superadmin.send('GET', '/api/organizations?q=%00abc')).status).toBe(422)
  expect((await superadmin.send('GET', '/api/organizations/not-an-id')).status).toBe(404)
})

test('lets its admins change everything about it but the state', async () => {
  const admin = await server.person('admin', await server.organization('Own'))
  const params = { orgId: admin.organizationId ?? '' }
  const policies = { senderName: ' Own Training ', replyTo: 'Help@Own.example', mfa: 'required' as const }
  const changed = await admin.call(updateOrganizationSettings, {
    params,
    body: { name: 'Owned', accentColor: ' #2F80ED ', timeZone: 'Asia/Tokyo', language: 'de', policies },
  })
  expect(changed.body).toMatchObject({
    name: 'Owned',
    accentColor: '#2f80ed',
    timeZone: 'Asia/Tokyo',
    language: 'de',
    state: 'active',
    policies: { senderName: 'Own Training', replyTo: 'help@own.example', mfa: 'required', maxRate: 2 },
  })
  const sly = { name: 'Owned', state: 'archived' } as { name: string }
  const refused = await admin.call(updateOrganizationSettings, { params, body: sly })
  expect([refused.status, refused.problem?.fields]).toEqual([422, { state: ['read_only_field'] }])
  expect((await admin.call(readOrganization, { params })).body.state).toBe('active')
  const groupadmin = await server.person('groupadmin', admin.organizationId)
  expect((await groupadmin.call(updateOrganizationSettings, { params, body: { name: 'X' } })).status).toBe(
    403,
  )
  const outdated = { 'if-match': '"old"' }
  const late = await admin.call(updateOrganizationSettings, {
    params,
    headers: outdated,
    body: { name: 'X' },
  })
  expect(late.problem?.code).toBe('precondition_failed')
})

test('refuses a sender that could be taken for an address, and answers to nowhere', async () => {
  const policies = { senderName: 'Boss <boss@bank.example>', replyTo: 'nowhere', sendPerMinute: 0 }
  const answer = await superadmin.call(createOrganization, { body: { name: 'Sly', policies } })
  expect(answer.problem?.fields).toEqual({
    'policies.senderName': ['invalid'],
    'policies.replyTo': ['invalid_email'],
    'policies.sendPerMinute': ['too_small'],
  })
})

test.each([
  'Boss\r\nBcc: everybody@bank.example',
  'Boss\u0000',
  'Boss\u2028Bcc: everybody@bank.example',
  'moc.knab \u202Eevil',
])('takes no name of a sender with hidden signs: %j', async (senderName) => {
  const answer = await superadmin.call(createOrganization, {
    body: { name: 'Sly', policies: { senderName } },
  })
  expect(answer.problem?.fields).toEqual({ 'policies.senderName': ['invalid'] })
})

test('has a color, which only a color can be, until it is taken away', async () => {
  const created = await superadmin.call(createOrganization, {
    body: { name: 'Colored', accentColor: '#4f3790' },
  })
  expect(created.body.accentColor).toBe('#4f3790')
  const params = { orgId: created.body.id }
  const put = (accentColor: string | null) =>
    superadmin.call(updateOrganization, { params, body: { name: 'Colored', accentColor } })
  for (const color of ['red', '#123456;background:url(//spy.example)', '#12345', '"><script>', ''])
    expect((await put(color)).problem?.fields).toEqual({ accentColor: ['invalid'] })
  const renamed = await superadmin.call(updateOrganization, { params, body: { name: 'Still colored' } })
  expect(renamed.body.accentColor).toBe('#4f3790')
  expect((await put(null)).body.accentColor).toBeNull()
  const log = await server.query(
    `select before->>'accentColor' as was, after->>'accentColor' as is from audit
      where entity_id = $1 and action = 'organization.changed' order by id desc limit 1`,
    [params.orgId],
  )
  expect(log).toEqual([{ was: '#4f3790', is: null }])
})

test('archives and restores; sessions from before stay ended', async () => {
  const admin = await server.person('admin', await server.organization('Put away'))
  const params = { orgId: admin.organizationId ?? '' }
  const to = (state: 'active' | 'suspended' | 'archived') =>
    superadmin.call(changeOrganizationState, { params, body: { state } })
  expect((await to('archived')).body).toMatchObject({ state: 'archived', name: 'Put away' })
  expect((await admin.call(listOrganizations)).status).toBe(401)
  expect((await to('active')).body.state).toBe('active')
  expect((await admin.call(listOrganizations)).status).toBe(401)
  expect((await to('active')).status).toBe(200)
  const log = await server.query(
    `select before->>'state' as was, after->>'state' as is from audit
      where entity_id = $1 and action = 'organization.changed' order by id`,
    [params.orgId],
  )
  expect(log).toEqual([
    { was: 'active', is: 'archived' },
    { was: 'archived', is: 'active' },
  ])
})
