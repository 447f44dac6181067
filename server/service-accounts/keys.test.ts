import type { ChildProcess } from 'node:child_process'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listAudit } from '#contract/platform/audit.ts'
import { readDashboardAlerts } from '#contract/dashboard.ts'
import {
  createKey,
  createSystemKey,
  listKeys,
  listSystemKeys,
  revokeKey,
  rotateKey,
  type KeyInput,
} from '#contract/service-accounts.ts'
import { createGroup, listGroups, readGroup, updateGroup } from '#contract/directory/groups.ts'
import { restoreUser } from '#contract/directory/removed-users.ts'
import { createUser, listUsers, updateUser } from '#contract/directory/users.ts'
import { createOrganization, listOrganizations } from '#contract/directory/organizations.ts'
import { callsPerMinute } from '../platform/http/key-calls.ts'
import { sha256 } from '../platform/keys.ts'
import { sendWith } from '../testing/keys.ts'
import { startAnother } from '../testing/processes/another.ts'
import { callerFor, type Person } from '../testing/server.ts'
import { anOrganization, aServer } from '../testing/worlds.ts'
import { unique } from '../testing/unique.ts'

const server = await aServer()
const { orgId, admin } = await anOrganization(server)
const superadmin = await server.person('superadmin')
const params = { orgId }

const later = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const input = (more: Partial<KeyInput> = {}): KeyInput => ({
  name: 'Payroll',
  scopes: ['people:read', 'people:write'],
  expiresAt: later(90),
  ...more,
})
const calling = (token: string | null) => callerFor(sendWith(server, token ?? ''))

async function newKey(more: Partial<KeyInput> = {}, by: Person = admin) {
  const { status, body } = await by.call(createKey, { params, body: input(more) })
  expect(status).toBe(201)
  return { ...body, call: calling(body.token), send: sendWith(server, body.token ?? '') }
}

/** What a key gets that lists people. */
const asks = async ({ call }: { call: ReturnType<typeof calling> }) => {
  const { status, problem } = await call(listUsers, { params })
  return problem?.code ?? status
}

test('requires sign-in', async () => {
  for (const endpoint of [listKeys, listSystemKeys])
    expect((await server.call(endpoint, { params })).status).toBe(401)
})

test('requires role', async () => {
  const groupadmin = await server.person('groupadmin', orgId)
  expect((await groupadmin.call(listKeys, { params })).status).toBe(403)
  expect((await admin.call(listSystemKeys)).status).toBe(403)
})

describe('a token', () => {
  test('is one that scanners find, is told once, and lies here as a hash alone', async () => {
    const { id, token, start } = await newKey()
    expect(token).toMatch(/^srk_[0-9A-Za-z]{38}$/)
    const [random, checksum] = [token?.slice(4, 36) ?? '', token?.slice(36) ?? '']
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    const sum = Array.from(checksum).reduce((number, digit) => number * 62 + digits.indexOf(digit), 0)
    expect(sum).toBe(crc32(random))
    expect(token?.startsWith(start)).toBe(true)
    const rows = await server.query<{ row: string; hash: Buffer }>(
      'select t::text as row, token_hash as hash from service_tokens t where account_id = $1',
      [id],
    )
    expect(rows).toHaveLength(1)
    expect(rows[0]?.row).not.toContain(random)
    expect(rows[0]?.hash).toEqual(sha256(token ?? ''))
    expect(JSON.stringify((await admin.call(listKeys, { params })).body)).not.toContain(random)
  })

  test('is not told again to who repeats the call that made it', async () => {
    const again = { params, body: input(), headers: { 'idempotency-key': unique() } }
    const first = await admin.call(createKey, again)
    const second = await admin.call(createKey, again)
    expect(first.body.token).toMatch(/^srk_/)
    expect(second).toMatchObject({ status: 201, body: { id: first.body.id, token: null } })
    const kept = await server.query<{ reply: string }>('select reply::text as reply from idempotency_keys')
    for (const { reply } of kept) expect(reply).not.toContain('srk_' + (first.body.token ?? '').slice(4, 20))
  })

  test('gives way to a new one, beside which it works until the chosen end', async () => {
    const first = await newKey()
    const rotate = async (until?: string | null) => {
      const body = until === undefined ? {} : { previousUntil: until }
      const answer = await admin.call(rotateKey, { params: { orgId, keyId: first.id }, body })
      expect(answer.status).toBe(200)
      return { ...answer.body, call: calling(answer.body.token) }
    }
    const second = await rotate(later(2))
    expect(second.previousUntil).toBeTruthy()
    expect([await asks(first), await asks(second)]).toEqual([200, 200])
    const third = await rotate()
    expect([await asks(first), await asks(second), await asks(third)]).toEqual(['invalid_key', 200, 200])
    await server.query(
      `update service_tokens set replaced_until = now() - interval '1 second' where account_id = $1 and replaced_until is not null`,
      [first.id],
    )
    expect([await asks(second), await asks(third)]).toEqual(['invalid_key', 200])
    const last = await rotate(null)
    expect([await asks(third), await asks(last)]).toEqual(['invalid_key', 200])
    expect(last.previousUntil).toBeNull()
  })

  test('ends with its day, and when the key is withdrawn', async () => {
    const key = await newKey()
    expect(await asks(key)).toBe(200)
    expect((await admin.call(revokeKey, { params: { orgId, keyId: key.id } })).status).toBe(200)
    expect(await asks(key)).toBe('invalid_key')
    const { items } = (await admin.call(listKeys, { params })).body
    expect(items.map(({ id }) => id)).not.toContain(key.id)
    const over = await admin.call(createKey, { params, body: input({ expiresAt: later(-1) }) })
    expect(over).toMatchObject({ status: 422, problem: { fields: { expiresAt: ['not_ahead'] } } })
  })
})

describe('what a key is made with', () => {
  test.each([
    ['no scope', { scopes: [] }, 'scopes'],
    ['no network', { networks: ['192.0.2.0/33'] }, 'networks.0'],
    ['no name', { name: ' ' }, 'name'],
    ['a day too far away', { expiresAt: '2999-01-01' }, 'expiresAt'],
    ['an owner who administers nothing here', { ownerId: 'foreign' }, 'ownerId'],
  ])('%s is refused', async (_what, more, field) => {
    const foreign = await server.person('admin', await server.organization())
    const given = 'ownerId' in more ? { ownerId: foreign.id } : more
    const { status, problem } = await admin.call(createKey, { params, body: input(given) })
    expect([status, Object.keys(problem?.fields ?? {})]).toEqual([422, [field]])
  })

  test('a day means its end where the organization is', async () => {
    await server.query(`update organizations set time_zone = 'Asia/Tokyo' where id = $1`, [orgId])
    const day = later(30).slice(0, 10)
    const { expiresAt } = await newKey({ expiresAt: day })
    expect(expiresAt).toBe(`${day}T14:59:59.999Z`)
  })
})

test('a key calls from its networks alone, by IPv4 and IPv6, and from behind a socket of both', async () => {
  const { token } = await newKey({ networks: ['192.0.2.7/24', '2001:db8::/32', '203.0.113.9'] })
  const from = async (remoteAddress: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await server.app.inject({ url: `/api/organizations/${orgId}/users`, headers, remoteAddress }))
      .statusCode
  }
  const inside = ['192.0.2.200', '::ffff:192.0.2.1', '2001:db8:1::1', '203.0.113.9']
  const outside = ['192.0.3.1', '::ffff:198.51.100.1', '2001:db9::1', '203.0.113.10']
  expect(await Promise.all(inside.map(from))).toEqual([200, 200, 200, 200])
  expect(await Promise.all(outside.map(from))).toEqual([401, 401, 401, 401])
})

test('stops with whoever answers for it, and works again with them', async () => {
  const owner = await server.person('admin', orgId)
  const key = await newKey({ ownerId: owner.id })
  const after = async (change: string) => {
    await server.query(`update users set ${change} where id = $1`, [owner.id])
    return asks(key)
  }
  expect(await asks(key)).toBe(200)
  expect(await after(`state = 'disabled'`)).toBe('invalid_key')
  const { items } = (await admin.call(listKeys, { params })).body
  expect(items.find(({ id }) => id === key.id)).toMatchObject({ isStopped: true, owner: { id: owner.id } })
  expect(await after(`state = 'active'`)).toBe(200)
  expect(await after(`role = 'groupadmin'`)).toBe('invalid_key')
  expect(await after(`role = 'admin'`)).toBe(200)
  expect(await after('deleted_at = now()')).toBe('invalid_key')
  const ofRoot = await newKey({}, superadmin)
  expect(await asks(ofRoot)).toBe(200)
  await server.query(`update organizations set state = 'suspended' where id = $1`, [orgId])
  expect(await asks(ofRoot)).toBe('invalid_key')
  await server.query(`update organizations set state = 'active' where id = $1`, [orgId])
})

test('lets nobody in: it gives no role and brings back nobody who has one', async () => {
  const key = await newKey()
  const person = { name: 'Mallory', email: `${unique()}@example.test` }
  const raised = await key.call(createUser, { params, body: { ...person, role: 'admin' } })
  expect([raised.status, raised.problem?.reason?.code]).toEqual([403, 'needs_person'])
  const made = await key.call(createUser, { params, body: person })
  expect(made.status).toBe(201)
  const change = { params: { orgId, userId: made.body.id }, body: { ...person, role: 'admin' as const } }
  expect((await key.call(updateUser, change)).status).toBe(403)
  const moved = { ...person, email: `${unique()}@example.test` }
  expect((await key.call(updateUser, { ...change, body: moved })).status).toBe(200)
  const lead = await server.person('admin', orgId)
  const ofLead = { params: { orgId, userId: lead.id } }
  const put = (more: object) =>
    key.call(updateUser, { ...ofLead, body: { name: 'Lead', email: lead.email, role: 'admin', ...more } })
  expect((await put({ email: moved.email.replace('@', '.x@') })).problem?.reason?.code).toBe('needs_person')
  expect((await put({ state: 'disabled' })).status).toBe(200)
  expect((await put({ state: 'active' })).problem?.reason?.code).toBe('needs_person')
  const enable = { selection: { userIds: [lead.id] }, do: { action: 'change', state: 'active' } }
  const bulk = await key.send('POST', `/api/organizations/${orgId}/users/bulk`, { body: enable })
  expect(bulk.status).toBe(403)
  const leadParams = { orgId, userId: lead.id }
  await admin.send('DELETE', `/api/organizations/${orgId}/users/${lead.id}`)
  const restored = await key.call(restoreUser, { params: leadParams })
  expect([restored.status, restored.problem?.reason?.code]).toEqual([403, 'needs_person'])
})

test('one of the installation acts in all organizations, one of an organization in no other', async () => {
  const made = await superadmin.call(createSystemKey, {
    body: input({ name: 'Directory', scopes: ['directory', 'people:read'] }),
  })
  const call = calling(made.body.token)
  const created = await call(createOrganization, { body: { name: `Made by a key ${unique()}` } })
  expect(created.status).toBe(201)
  const other = { orgId: created.body.id }
  expect((await call(listUsers, { params: other })).status).toBe(200)
  const mine = await newKey({ scopes: ['directory', 'people:read'] })
  expect((await mine.call(listUsers, { params: other })).status).toBe(404)
  expect((await mine.call(createOrganization, { body: { name: unique() } })).status).toBe(403)
  const seen = (await mine.call(listOrganizations)).body.items.map(({ id }) => id)
  expect(seen).toEqual([orgId])
})

test('Idempotency-Key and If-Match hold for keys, and each key has its own', async () => {
  const [one, two] = [await newKey(), await newKey()]
  const name = `Group ${unique()}`
  const again = (given: string) => ({ params, body: { name: given }, headers: { 'idempotency-key': name } })
  const first = await one.call(createGroup, again(name))
  expect(await one.call(createGroup, again(name))).toMatchObject({ status: 201, body: { id: first.body.id } })
  expect((await two.call(createGroup, again(`${name} too`))).status).toBe(201)
  expect((await one.call(createGroup, again(`${name} three`))).problem?.code).toBe('idempotency_key_reused')
  const at = { orgId, groupId: first.body.id }
  const { headers } = await one.call(readGroup, { params: at })
  const put = (tag: unknown, given: string) =>
    one.call(updateGroup, { params: at, body: { name: given }, headers: { 'if-match': String(tag) } })
  expect((await put(headers['etag'], `${name} changed`)).status).toBe(200)
  expect((await put(headers['etag'], `${name} again`)).status).toBe(412)
})

test('stands in the audit with each call, by its name, with its owner', async () => {
  const key = await newKey({ name: 'Warehouse', scopes: ['people:read', 'people:write'] })
  await key.call(listGroups, { params, query: { q: 'secret words' } })
  await key.call(createGroup, { params, body: { name: `Group ${unique()}` } })
  await key.call(listOrganizations)
  const { items } = (await admin.call(listAudit, { query: { keyId: key.id } })).body
  const told = items.map(({ action, after, key: by, actor }) => ({
    action,
    call: (after as { call?: string }).call,
    by: by?.name,
    owner: actor?.id,
  }))
  const by = { by: 'Warehouse', owner: admin.id }
  expect(told).toEqual([
    { action: 'key.refused', call: 'listOrganizations', ...by },
    { action: 'group.created', call: undefined, ...by },
    { action: 'key.called', call: 'createGroup', ...by },
    { action: 'key.called', call: 'listGroups', ...by },
  ])
  expect(JSON.stringify(items)).not.toContain('secret words')
  const [listed] = (await admin.call(listKeys, { params })).body.items
  expect(Date.now() - new Date(listed?.lastUsedAt ?? 0).getTime()).toBeLessThan(60_000)
})

test('the dashboard says when one expires soon', async () => {
  const home = await anOrganization(server)
  const kinds = async () =>
    (await home.admin.call(readDashboardAlerts, { query: { organizationId: home.orgId } })).body.items.map(
      ({ kind, count }) => `${kind}: ${count}`,
    )
  const made = { params: { orgId: home.orgId } }
  await home.admin.call(createKey, { ...made, body: input({ expiresAt: later(15) }) })
  expect(await kinds()).not.toContain('expiring_keys: 1')
  await home.admin.call(createKey, { ...made, body: input({ expiresAt: later(13) }) })
  expect(await kinds()).toContain('expiring_keys: 1')
})

describe('two processes', () => {
  let children: { child: ChildProcess; url: string }[] = []
  beforeAll(async () => {
    children = [await startAnother(server), await startAnother(server)]
  }, 60_000)
  afterAll(() => {
    for (const { child } of children) child.kill('SIGKILL')
  })
  const askAt = (at: number, token: string | null) =>
    fetch(`${children[at]?.url}/api/organizations/${orgId}/users`, {
      headers: { authorization: `Bearer ${token}` },
    })

  test('count the calls of a key together, and say what is left', async () => {
    const { id, token } = await newKey()
    const first = await askAt(0, token)
    expect(first.headers.get('ratelimit-policy')).toBe(`"calls";q=${callsPerMinute};w=60`)
    expect(first.headers.get('ratelimit')).toMatch(new RegExp(`^"calls";r=${callsPerMinute - 1};t=\\d+$`))
    await server.query('update key_calls set count = $2 where account_id = $1', [id, callsPerMinute - 2])
    const answers = [
      await askAt(1, token),
      await askAt(0, token),
      await askAt(1, token),
      await askAt(0, token),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429])
    const last = answers[3]
    expect(last?.headers.get('ratelimit')).toMatch(/^"calls";r=0;t=\d+$/)
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0)
    await server.query(`update key_calls set began = began - interval '66 seconds' where account_id = $1`, [
      id,
    ])
    expect((await askAt(0, token)).status).toBe(200)
  })

  test('refuse a withdrawn key at once, wherever it was withdrawn', async () => {
    const { id, token } = await newKey()
    expect([(await askAt(0, token)).status, (await askAt(1, token)).status]).toEqual([200, 200])
    await admin.call(revokeKey, { params: { orgId, keyId: id } })
    expect([(await askAt(0, token)).status, (await askAt(1, token)).status]).toEqual([401, 401])
  })
})
