import { describe, expect, test } from 'vitest'
import { api } from '#contract/api.ts'
import { exportAudit, listAudit } from '#contract/platform/audit.ts'
import { lockSession, logout, readSession } from '#contract/identity/auth.ts'
import { stopImpersonating, viewAs } from '#contract/identity/view-as.ts'
import { askPasskey, readFactors, startTotp } from '#contract/identity/factors.ts'
import { createGroup } from '#contract/directory/groups.ts'
import { listOrganizations } from '#contract/directory/organizations.ts'
import { listSessions } from '#contract/identity/sessions.ts'
import { updateUser } from '#contract/directory/users.ts'
import type { Person } from '../../testing/server.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'

const server = await aServer()
const orgId = await server.organization('Acme')

const reason = 'Ticket 4711: a list stays empty'
const sql = (statement: string, values: unknown[]) => server.services.db.system.query(statement, values)
const start = (superadmin: Person, { id }: Person, why = reason) =>
  superadmin.call(viewAs, { body: { userId: id, reason: why } })
const whoIs = async (person: Person) => (await person.call(readSession)).body

/** A superadmin who looks through the eyes of an admin. */
async function viewing() {
  const [superadmin, admin] = [await server.person('superadmin'), await server.person('admin', orgId)]
  expect((await start(superadmin, admin)).status).toBe(200)
  return { superadmin, admin }
}

test('requires sign-in', async () => {
  expect((await server.call(viewAs, { body: { userId: crypto.randomUUID(), reason } })).status).toBe(401)
  expect((await server.call(stopImpersonating)).status).toBe(401)
})

test('requires role', async () => {
  const target = await server.person('groupadmin', orgId)
  for (const role of ['admin', 'groupadmin'] as const)
    expect((await start(await server.person(role, orgId), target)).status).toBe(403)
})

test('shows what the person sees, with whose session it is, why and until when', async () => {
  const superadmin = await server.person('superadmin')
  const admin = await server.person('admin', orgId)
  const answer = await start(superadmin, admin, `  ${reason} `)
  expect(answer.body).toMatchObject({ user: { id: admin.id, role: 'admin', organizationId: orgId } })
  expect(answer.body.viewing).toMatchObject({ reason, by: expect.stringMatching(/^Person/) })
  const minutes = (new Date(answer.body.viewing?.until ?? 0).getTime() - Date.now()) / 60_000
  expect(minutes).toBeGreaterThan(29)
  expect(minutes).toBeLessThanOrEqual(30)
  expect(await whoIs(superadmin)).toMatchObject({ user: { id: admin.id }, viewing: { reason } })
  expect((await superadmin.call(listOrganizations)).body.items.map(({ id }) => id)).toEqual([orgId])
  expect((await whoIs(admin)).viewing).toBeNull()
  expect((await superadmin.call(stopImpersonating)).status).toBe(200)
  expect(await whoIs(superadmin)).toMatchObject({ user: { id: superadmin.id }, viewing: null })
  expect((await superadmin.call(stopImpersonating)).status).toBe(200)
})

describe('whom, and why', () => {
  test.each([
    ['too short', 'why', 422],
    ['only spaces', '          ', 422],
    ['too long', 'x'.repeat(501), 422],
  ])('a reason that is %s is refused', async (_what, why, status) => {
    const answer = await start(await server.person('superadmin'), await server.person('admin', orgId), why)
    expect(answer.status).toBe(status)
  })

  test('never an equal, never oneself, never a recipient, nobody who cannot enter', async () => {
    const superadmin = await server.person('superadmin')
    expect((await start(superadmin, await server.person('superadmin'))).status).toBe(403)
    expect((await start(superadmin, superadmin)).status).toBe(403)
    expect((await start(superadmin, await server.person(null, orgId))).status).toBe(404)
    const off = await server.person('admin', orgId)
    await sql(`update users set state = 'disabled' where id = $1`, [off.id])
    expect((await start(superadmin, off)).status).toBe(409)
    const { orgId: closed, admin: inside } = await anOrganization(server)
    await sql(`update organizations set state = 'suspended' where id = $1`, [closed])
    expect((await start(superadmin, inside)).status).toBe(409)
    expect((await whoIs(superadmin)).viewing).toBeNull()
  })

  test('asks for a proof within the last ten minutes', async () => {
    const superadmin = await server.person('superadmin')
    await sql(`update sessions set reauthenticated_at = now() - interval '11 minutes' where user_id = $1`, [
      superadmin.id,
    ])
    const answer = await start(superadmin, await server.person('admin', orgId))
    expect(answer.problem?.code).toBe('reauthentication_required')
  })

  test('not inside of another viewing', async () => {
    const { superadmin, admin } = await viewing()
    expect((await start(superadmin, await server.person('groupadmin', orgId))).status).toBe(403)
    expect((await whoIs(superadmin)).user.id).toBe(admin.id)
  })
})

describe('nothing can be changed', () => {
  const changes = api.filter(
    ({ access, method, whileImpersonating }) =>
      access.kind === 'roles' && method !== 'GET' && !whileImpersonating,
  )

  test.each(changes.map((endpoint) => [endpoint.name, endpoint] as const))(
    'by %s',
    async (_name, endpoint) => {
      const { superadmin } = await viewing()
      const url = `/api${endpoint.path.replaceAll(/:(\w+)/g, (_all, key: string) => (key === 'orgId' ? orgId : crypto.randomUUID()))}`
      const [fileType] = endpoint.bodyTypes ?? []
      const sent = fileType ? { body: Buffer.from('A'), headers: { 'content-type': fileType } } : { body: {} }
      const answer = await superadmin.send(endpoint.method, url, sent)
      const isTheirs = endpoint.access.kind === 'roles' && endpoint.access.roles.includes('admin')
      expect(answer).toMatchObject({ status: 403, body: { code: isTheirs ? 'read_only' : 'forbidden' } })
    },
  )

  test('by an upload', async () => {
    const { superadmin } = await viewing()
    const url = `/api/uploads/${crypto.randomUUID()}`
    const headers = { authorization: `Bearer ${superadmin.token}`, 'tus-resumable': '1.0.0' }
    const answer = await server.app.inject({ method: 'PATCH', url, headers })
    expect(answer.json()).toMatchObject({ status: 403, code: 'read_only' })
  })

  test('only what is about the session itself works, and what reads and is asked by POST', () => {
    const working = api.filter(({ method, whileImpersonating }) => method !== 'GET' && whileImpersonating)
    expect(working.map(({ name }) => name).sort()).toEqual([
      'askPasskey',
      'beginProof',
      'enterAsWatcher',
      'exchangeSso',
      'exportDeliveries',
      'exportObligations',
      'exportTransmissions',
      'exportVideos',
      'lockSession',
      'logout',
      'nameReader',
      'startPreview',
      'startTotp',
      'stopImpersonating',
      'verifyPasskey',
      'verifyPassword',
    ])
  })

  test('no factor is set up for the person looked at', async () => {
    const { superadmin } = await viewing()
    expect((await superadmin.call(startTotp)).problem?.code).toBe('read_only')
    const asked = await superadmin.call(askPasskey, { body: { for: 'register' } })
    expect(asked.problem?.code).toBe('read_only')
  })
})

describe('what is the business of the person alone is not shown', () => {
  test('every reading of the own account says so', () => {
    const own = api.filter(
      ({ access, method, path }) => access.kind === 'roles' && method === 'GET' && path.startsWith('/auth/'),
    )
    const open = own.filter(({ whileImpersonating }) => whileImpersonating !== false).map(({ name }) => name)
    // By what the owner of the session proves who they are, not the person looked at.
    expect(open).toEqual(['readSession', 'readProof'])
  })

  test.each([listSessions, readFactors, exportAudit])('$name', async (endpoint) => {
    const { superadmin, admin } = await viewing()
    expect((await superadmin.call(endpoint)).problem?.code).toBe('read_only')
    expect((await admin.call(endpoint)).status).toBe(200)
  })
})

describe('it ends', () => {
  test('after 30 minutes', async () => {
    const { superadmin } = await viewing()
    await sql(`update sessions set viewing_until = now() - interval '1 second' where user_id = $1`, [
      superadmin.id,
    ])
    expect(await whoIs(superadmin)).toMatchObject({ user: { id: superadmin.id }, viewing: null })
  })

  test.each([
    ['is promoted', `update users set role = 'superadmin', organization_id = null where id = $1`],
    ['loses the role', `update users set role = null where id = $1`],
    ['is disabled', `update users set state = 'disabled' where id = $1`],
    ['is removed', `update users set deleted_at = now() where id = $1`],
  ])('when the person %s', async (_what, statement) => {
    const { superadmin, admin } = await viewing()
    await sql(statement, [admin.id])
    expect((await whoIs(superadmin)).user.id).toBe(superadmin.id)
  })

  test('for good, when the person is let in again', async () => {
    const { superadmin, admin } = await viewing()
    const other = await server.person('admin', orgId)
    const user = { name: 'Ada', email: admin.email, role: 'admin' as const }
    const params = { orgId, userId: admin.id }
    await other.call(updateUser, { params, body: { ...user, state: 'disabled' } })
    await other.call(updateUser, { params, body: { ...user, state: 'active' } })
    expect((await whoIs(superadmin)).user.id).toBe(superadmin.id)
  })

  test('when the superadmin loses that role, with the session', async () => {
    const { superadmin } = await viewing()
    await sql(`update users set state = 'disabled' where id = $1`, [superadmin.id])
    expect((await superadmin.call(readSession)).status).toBe(401)
  })

  test('when the session is locked', async () => {
    const { superadmin } = await viewing()
    expect((await superadmin.call(lockSession)).status).toBe(200)
    expect((await superadmin.call(readSession)).status).toBe(423)
    await sql(`update sessions set locked_at = null where user_id = $1`, [superadmin.id])
    expect((await whoIs(superadmin)).viewing).toBeNull()
  })
})

test('the organization sees who looked, as whom, why, and until when', async () => {
  const { superadmin, admin } = await viewing()
  await superadmin.call(stopImpersonating)
  await start(superadmin, admin)
  await superadmin.call(logout)
  const query = { entityId: admin.id }
  const { items } = (await admin.call(listAudit, { query })).body
  const actors = items.map(({ action, actor, viewingAs }) => [action, actor?.id, viewingAs?.id ?? null])
  expect(actors).toEqual([
    ['auth.sign_out', superadmin.id, admin.id],
    ['view_as.started', superadmin.id, null],
    ['view_as.ended', superadmin.id, admin.id],
    ['view_as.started', superadmin.id, null],
  ])
  expect(items.at(-1)).toMatchObject({ after: { reason, until: expect.any(String) }, organizationId: orgId })
  expect((await whoIs(admin)).user.id).toBe(admin.id)
})

test('the person looked at is not seen as present, and works on', async () => {
  const { superadmin, admin } = await viewing()
  await sql(`update sessions set last_seen_at = now() - interval '5 minutes' where user_id = $1`, [
    superadmin.id,
  ])
  await superadmin.call(readSession)
  const found = await sql(`select last_seen_at from users where id = $1`, [admin.id])
  expect(found.rows).toEqual([{ last_seen_at: null }])
  expect((await admin.call(createGroup, { params: { orgId }, body: { name: 'Mine' } })).status).toBe(201)
})
