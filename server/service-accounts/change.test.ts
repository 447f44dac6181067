import { beforeEach, describe, expect, test } from 'vitest'
import { listAudit } from '#contract/platform/audit.ts'
import { listGroups } from '#contract/directory/groups.ts'
import { createUser, listUsers } from '#contract/directory/users.ts'
import {
  createKey,
  createSystemKey,
  readKey,
  rotateKey,
  updateKey,
  updateSystemKey,
  type Key,
  type KeyInput,
} from '#contract/service-accounts.ts'
import { sendWith } from '../testing/keys.ts'
import { callerFor, type Person } from '../testing/server.ts'
import { unique } from '../testing/unique.ts'
import { anOrganization, aServer } from '../testing/worlds.ts'

const server = await aServer()

let orgId: string
let admin: Person
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
})

const later = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const at = (keyId: string) => ({ orgId, keyId })

async function newKey() {
  const body = { name: 'Payroll', scopes: ['people:read' as const], expiresAt: later(90) }
  const { body: key } = await admin.call(createKey, { params: { orgId }, body })
  const call = callerFor(sendWith(server, key.token ?? ''))
  return { ...key, call, lists: async () => (await call(listUsers, { params: { orgId } })).status }
}

const asItIs = ({ name, scopes, expiresAt, networks }: Key): KeyInput => ({
  name,
  scopes,
  expiresAt,
  networks,
})

/** Changes a key as somebody who has just read it. */
async function change(key: Key, more: Partial<KeyInput>, by = admin) {
  const read = await by.call(readKey, { params: at(key.id) })
  const body = { ...asItIs(read.body), ...more }
  const headers = { 'if-match': String(read.headers['etag']) }
  return by.call(updateKey, { params: at(key.id), body, headers })
}

describe('a key that is changed', () => {
  test('goes on with its token, and may do what it says now, at once', async () => {
    const key = await newKey()
    const person = { name: 'Ada', email: `${unique()}@example.test` }
    const creates = async () =>
      (await key.call(createUser, { params: { orgId }, body: person })).problem?.code
    expect([await key.lists(), await creates()]).toEqual([200, 'scope_missing'])
    const changed = await change(key, {
      name: 'HR system',
      scopes: ['people:write', 'people:write'],
      expiresAt: later(200),
    })
    expect(changed.body).toMatchObject({ name: 'HR system', scopes: ['people:write'], start: key.start })
    expect(JSON.stringify(changed.body)).not.toContain(key.token?.slice(8, 30))
    expect([await key.lists(), await creates()]).toEqual([403, undefined])
    await change(key, { networks: ['192.0.2.0/24'] })
    expect((await key.call(listGroups, { params: { orgId } })).problem?.code).toBe('invalid_key')
    const emptied = await change(key, { networks: [] })
    expect([emptied.body.networks, emptied.body.name]).toEqual([[], 'HR system'])
    expect((await key.call(listGroups, { params: { orgId } })).problem?.code).toBe('scope_missing')
  })

  test('stands in the audit with what it was and became, and never with its token', async () => {
    const key = await newKey()
    const other = await server.person('admin', orgId)
    await change(key, { scopes: ['people:read', 'send'], ownerId: other.id })
    const { items } = (await admin.call(listAudit, { query: { entityId: key.id } })).body
    const entry = items.find(({ action }) => action === 'key.changed')
    const before = entry?.before as Record<string, unknown>
    const after = entry?.after as Record<string, unknown>
    expect(before).toMatchObject({ name: 'Payroll', scopes: ['people:read'], expiresAt: key.expiresAt })
    expect(after).toMatchObject({ scopes: ['people:read', 'send'], expiresAt: key.expiresAt })
    expect(before['owner']).not.toBe(after['owner'])
    expect(JSON.stringify(items)).not.toContain(key.token?.slice(8, 30))
  })

  test('keeps the end that it has, to the millisecond, also one that is over, unless another is named', async () => {
    const key = await newKey()
    expect((await change(key, { name: 'Renamed' })).body.expiresAt).toBe(key.expiresAt)
    await server.query(
      `update service_tokens set expires_at = now() - interval '1 day' where account_id = $1`,
      [key.id],
    )
    expect(await key.lists()).toBe(401)
    const renamed = await change(key, { name: 'Over' })
    expect([renamed.status, renamed.body.name, await key.lists()]).toEqual([200, 'Over', 401])
    const past = await change(key, { expiresAt: later(-2) })
    expect([past.status, past.problem?.fields]).toEqual([422, { expiresAt: ['not_ahead'] }])
    await change(key, { expiresAt: later(5) })
    expect(await key.lists()).toBe(200)
  })

  test('leaves a token that was replaced its own end', async () => {
    const key = await newKey()
    const params = at(key.id)
    const rotated = await admin.call(rotateKey, { params, body: { previousUntil: later(2) } })
    const changed = await change(key, { expiresAt: later(300) })
    expect(changed.body.previousUntil).toBe(rotated.body.previousUntil)
  })

  test('has an owner who may answer for it, where another one is named', async () => {
    const key = await newKey()
    const owner = await server.person('admin', orgId)
    expect((await change(key, { ownerId: owner.id })).body.owner.id).toBe(owner.id)
    for (const who of [
      await server.person('groupadmin', orgId),
      await server.person('admin', await server.organization()),
    ]) {
      const refused = await change(key, { ownerId: who.id })
      expect([refused.status, refused.problem?.fields]).toEqual([422, { ownerId: ['not_allowed'] }])
    }
    await server.query(`update users set state = 'disabled' where id = $1`, [owner.id])
    expect(await key.lists()).toBe(401)
    const narrowed = await change(key, { name: 'Still without' })
    expect([narrowed.status, narrowed.body.isStopped]).toEqual([200, true])
    const taken = await change(key, { ownerId: admin.id })
    expect([taken.body.isStopped, await key.lists()]).toEqual([false, 200])
  })

  test('is not changed over what somebody else has saved meanwhile', async () => {
    const key = await newKey()
    const read = await admin.call(readKey, { params: at(key.id) })
    const headers = { 'if-match': String(read.headers['etag']) }
    await change(key, { name: 'First' })
    const body = { ...asItIs(read.body), name: 'Second' }
    expect((await admin.call(updateKey, { params: at(key.id), body, headers })).status).toBe(412)
    expect((await admin.call(readKey, { params: at(key.id) })).body.name).toBe('First')
  })

  test.each([
    ['no scope', { scopes: [] }, 'scopes'],
    ['no name', { name: ' ' }, 'name'],
    ['no network', { networks: ['192.0.2.0/33'] }, 'networks.0'],
  ])('%s is refused', async (_what, more, field) => {
    const { status, problem } = await change(await newKey(), more)
    expect([status, Object.keys(problem?.fields ?? {})]).toEqual([422, [field]])
  })
})

test('nobody else changes it: no other organization, no administrator of a group, no key, and none of the installation’s', async () => {
  const key = await newKey()
  const body = { ...asItIs(key), scopes: ['settings' as const] }
  const eve = await server.person('admin', await server.organization())
  const groupadmin = await server.person('groupadmin', orgId)
  for (const who of [eve, groupadmin])
    expect([403, 404]).toContain((await who.call(updateKey, { params: at(key.id), body })).status)
  const theirs = { orgId: eve.organizationId ?? '', keyId: key.id }
  expect((await eve.call(updateKey, { params: theirs, body })).status).toBe(404)
  expect((await eve.call(readKey, { params: theirs })).status).toBe(404)
  expect((await key.call(updateKey, { params: at(key.id), body })).problem?.reason?.code).toBe('needs_person')
  const superadmin = await server.person('superadmin')
  expect((await superadmin.call(updateSystemKey, { params: { keyId: key.id }, body })).status).toBe(404)
  const made = await superadmin.call(createSystemKey, { body: asItIs(key) })
  const params = { keyId: made.body.id }
  const changed = await superadmin.call(updateSystemKey, { params, body })
  expect([changed.status, changed.body.scopes]).toEqual([200, ['settings']])
  expect((await admin.call(updateKey, { params: at(made.body.id), body })).status).toBe(404)
})
