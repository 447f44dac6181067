import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { api } from '#contract/api.ts'
import type { EndpointDefinition } from '#contract/endpoint.ts'
import { roles } from '#contract/roles.ts'
import { draft, question } from '../testing/quizzes.ts'
import { samples, type Facts, type Input, type Sample } from '../testing/requests.ts'
import { startTestServer, type Person, type TestServer } from '../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

async function facts(): Promise<Facts> {
  const orgId = await server.organization('Organization A')
  const userId = (await server.person(null, orgId)).id
  const adminId = (await server.person('admin', orgId)).id
  const found = await server.services.db.system.query<Facts>({
    // Named, so that it is planned once and not more than a thousand times.
    name: 'facts',
    text: `with g as (insert into groups (organization_id, name) values ($1, 'Group of A') returning id),
      p as (insert into projects (organization_id, name) values ($1, 'Project of A') returning id),
      v as (insert into videos (organization_id, project_id, title, state) select $1, id, 'Sample of A', 'ready' from p returning id),
      n as (insert into video_versions (organization_id, video_id, number, file_name, size, received_bytes, uploaded_at, duration_ms, ready_at)
        select $1, id, 1, 'v.mp4', 1, 1, now(), 60000, now() from v returning id, video_id),
      t as (insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience)
        select $1, 'sending', 'Subject of A', 'b', video_id, id, $2, 'S', '{"userIds":[],"groupIds":[],"everyone":true}' from n returning id),
      s as (insert into sessions (user_id, token_hash, idle_expires_at, expires_at)
        values ($2, sha256(gen_random_uuid()::text::bytea), now() + interval '1 hour', now() + interval '1 day') returning id),
      y as (insert into play_sessions (id, organization_id, video_id, version_id, user_id, viewer_key, started_at, last_at)
        select uuidv7(), $1, video_id, id, $2, 'recipient:' || $2, now(), now() from n returning id),
      d as (insert into deliveries (transmission_id, organization_id, user_id, address, state)
        select id, $1, $2, 'a@example.test', 'unknown' from t returning id),
      i as (insert into invitations (organization_id, email, role, group_ids, token_hash, invited_by_name, expires_at)
        select $1, 'invited@example.test', 'groupadmin', array[id], sha256($1::text::bytea), 'Inviter of A', now() + interval '1 day'
        from g returning id),
      b as (insert into operations (organization_id, kind, state, created_by_name, undo_until)
        values ($1, 'users.remove', 'done', 'Remover of A', now() + interval '1 day') returning id),
      f as (insert into custom_fields (organization_id, key, label, type) values ($1, 'a', 'Field of A', 'text') returning id),
      r as (insert into custom_fields (organization_id, key, label, type, deleted_at)
        values ($1, 'b', 'Removed field of A', 'text', now()) returning id),
      w as (insert into saved_views (organization_id, owner_id, list, name, search, shared)
        values ($1, $2, 'users', 'View of A', '{"state":"invited"}', true) returning id),
      l as (insert into report_schedules (organization_id, owner_id, report, view, period, rhythm, weekday, month_day, hour,
          time_zone, formats, next_at)
        select $1, $2, 'user-engagement', jsonb_build_object('videoId', id), '7d', 'weekly', 1, 1, 7, 'UTC', '{}', now() + interval '1 day'
        from v returning id),
      u as (insert into operations (organization_id, kind, state, params, created_by_name)
        values ($1, 'users.import', 'draft', '{"subject":"people of A.csv"}', 'Importer of A') returning id),
      m as (insert into imports (operation_id, organization_id, file_name, delimiter, header, options)
        select id, $1, 'people of A.csv', ',', array['Name of A'],
          '{"matchBy":"either","existing":"update","emptyCells":"keep","createGroups":false,"role":null,"invite":false}' from u),
      c as (insert into certificates (organization_id, number, user_id, video_id, version_id, body, body_hash, hash, key_id, signature)
        select $1, 1, $2, video_id, id, '{"person":{"name":"Person of A"}}', '', '', '', '' from n returning id),
      q as (insert into quizzes (organization_id, video_id, draft) select $1, id, $3::jsonb from v returning id, video_id, draft),
      z as (insert into quiz_versions (organization_id, quiz_id, number, settings, max_score)
        select $1, id, 1, draft -> 'settings', 1 from q returning id),
      x as (insert into quiz_items (organization_id, version_id, key, position, kind, points, question)
        select $1, z.id, uuidv7(), 0, 'single', 1, q.draft #> '{questions,0}' from z, q returning id),
      a as (insert into quiz_attempts (organization_id, quiz_id, version_id, video_id, viewer_key, user_id, session_id, number, seed, max_score)
        select $1, q.id, z.id, q.video_id, 'recipient:' || $2::text, $2, gen_random_uuid(), 1, 1, 1 from z, q returning id)
      select $1::uuid as "orgId", $2::uuid as "userId", g.id as "groupId", p.id as "projectId", v.id as "videoId",
        n.id as "versionId", t.id as "transmissionId", d.id as "deliveryId",
        s.id as "sessionId", i.id as "invitationId", b.id as "operationId",
        f.id as "fieldId", r.id as "removedFieldId", w.id as "viewId",
        u.id as "importId", y.id as "playId", c.id as "certificateId", z.id as "quizVersionId", x.id as "quizItemId", a.id as "attemptId", l.id as "scheduleId"
          from g, p, v, n, t, d, s, i, b, f, r, w, u, y, c, z, x, a, l`,
    values: [orgId, userId, JSON.stringify(draft([question({ prompt: 'Question of A' })]))],
  })
  const [all] = found.rows
  if (!all) throw new Error('nothing was inserted')
  await server.services.db.system.query(
    `with joined as (insert into group_members (organization_id, group_id, user_id) values ($1, $2, $3))
     update videos set current_version_id = $4 where id = $5`,
    [all.orgId, all.groupId, all.userId, all.versionId, all.videoId],
  )
  return { ...all, adminId }
}

async function call(endpoint: EndpointDefinition, input: Input, person?: Person) {
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_all, key: string) => input.params?.[key] ?? key)
  const query = new URLSearchParams(input.query)
  const url = `/api${path}${query.size > 0 ? `?${query.toString()}` : ''}`
  const { body, headers } = input
  return (person?.send ?? server.send)(endpoint.method, url, {
    ...(body ? { body } : {}),
    ...(headers ? { headers } : {}),
  })
}

function sampleOf(endpoint: EndpointDefinition): Sample {
  const sample = samples[endpoint.name]
  if (!sample) throw new Error(`${endpoint.name} has no sample request in this test`)
  return sample
}

/** 409: the sample is valid, its state does not allow the action. */
const done = [200, 201, 202, 409]
/** What belongs to the caller alone: the sample is somebody else's, and so does not exist. */
const personal = new Set([
  'endOwnSession',
  'renamePasskey',
  'removePasskey',
  'updateView',
  'updateReportSchedule',
  'sendReportSchedule',
  'deleteReportSchedule',
  'readNotification',
  'readNotifications',
])
const refused = [403, 404, 422]
/** The sample is valid, but goes on only with something that its sender alone knows: a password, a code, their address. */
const unproved: Record<string, number> = { changePassword: 401, changeEmail: 410, deleteAccount: 422 }
const doneBy = ({ name: endpoint }: EndpointDefinition) => [...done, unproved[endpoint] ?? 200]

const guarded = api.filter((endpoint) => endpoint.access.kind === 'roles')

test('every endpoint that needs a role has a sample request, and no sample is left over', () => {
  expect(Object.keys(samples).sort()).toEqual(guarded.map((endpoint) => endpoint.name).sort())
})

test.each(api.map((endpoint) => [endpoint.name, endpoint] as const))('%s is mounted', (_name, endpoint) => {
  const url = `/api${endpoint.path}`
  expect(server.app.hasRoute({ method: endpoint.method, url }), `${endpoint.method} ${url}`).toBe(true)
})

describe.each(guarded.map((endpoint) => [endpoint.name, endpoint] as const))('%s', (_name, endpoint) => {
  const allowed = endpoint.access.kind === 'roles' ? endpoint.access.roles : []

  test('refuses nobody, and somebody without a role, with 401', async () => {
    const found = await facts()
    const input = sampleOf(endpoint)(found)
    expect((await call(endpoint, input)).status).toBe(401)
    const recipient = await server.person(null, found.orgId)
    expect((await call(endpoint, input, recipient)).status).toBe(401)
  })

  test.each(roles)('answers %s as the contract says', async (role) => {
    const found = await facts()
    const person = await server.person(role, role === 'superadmin' ? null : found.orgId)
    const answer = await call(endpoint, sampleOf(endpoint)(found), person)
    // A groupadmin administers no group of the sample, so that "not found" is the right answer to them.
    const expected =
      role === 'groupadmin' || personal.has(endpoint.name) ? [...doneBy(endpoint), 404] : doneBy(endpoint)
    expect(allowed.includes(role) ? expected : [403]).toContain(answer.status)
    expect(answer.body).not.toMatchObject({ code: 'unauthenticated' })
  })

  test.each(allowed.filter((role) => role !== 'superadmin'))(
    'gives a foreign %s nothing of organization A, and changes nothing in it',
    async (role) => {
      const found = await facts()
      const person = await server.person(role, await server.organization('Organization B'))
      const input = sampleOf(endpoint)(found)
      const before = await everythingOf(found.orgId)
      const answer = await call(endpoint, input, person)
      const named = JSON.stringify(input)
      const namesForeign = Object.values(found).some((id) => named.includes(id))
      const mayAnswer = !namesForeign || (endpoint.method === 'GET' && !input.params)
      expect(mayAnswer ? [...doneBy(endpoint), ...refused] : refused).toContain(answer.status)
      const told = JSON.stringify(answer.body)
      for (const secret of [...Object.values(found), ' of A', 'Organization A'])
        expect(told).not.toContain(secret)
      expect(await everythingOf(found.orgId)).toEqual(before)
    },
  )
})

/** What lies outside a groupadmin's groups: its people, the groups themselves, and everything that only names them. */
const ofGroups = guarded.filter((endpoint) => {
  const isOpen = endpoint.access.kind === 'roles' && endpoint.access.roles.includes('groupadmin')
  return isOpen && /:(?:userId|groupId|operationId|invitationId)\b/.test(endpoint.path)
})

test.each(ofGroups.map((endpoint) => [endpoint.name, endpoint] as const))(
  '%s gives a groupadmin of another group of the same organization nothing, and changes nothing',
  async (_endpoint, endpoint) => {
    const found = await facts()
    const person = await server.person('groupadmin', found.orgId)
    await server.services.db.system.query(
      `with other as (insert into groups (organization_id, name) values ($1, 'Another group') returning id)
       insert into group_members (organization_id, group_id, user_id, groupadmin) select $1, id, $2, true from other`,
      [found.orgId, person.id],
    )
    const before = await everythingOf(found.orgId)
    const answer = await call(endpoint, sampleOf(endpoint)(found), person)
    expect([403, 404]).toContain(answer.status)
    expect(JSON.stringify(answer.body)).not.toContain(' of A')
    expect(await everythingOf(found.orgId)).toEqual(before)
  },
)

/** Resources that say when they were changed, and can be changed as a whole. */
const editable = guarded.filter(
  ({ name, method, reply }) =>
    method === 'PUT' && !personal.has(name) && 'shape' in reply && 'updatedAt' in (reply.shape as object),
)

test('what can be edited is known', () => {
  expect(editable.map((endpoint) => endpoint.name)).toEqual(
    expect.arrayContaining([
      'updateUser',
      'updateGroup',
      'updateOrganization',
      'updateProject',
      'updateVideo',
    ]),
  )
})

test.each(editable.map((endpoint) => [endpoint.name, endpoint] as const))(
  '%s refuses who has seen another version, and changes nothing',
  async (_name, endpoint) => {
    const found = await facts()
    const roleOf = endpoint.access.kind === 'roles' ? endpoint.access.roles : []
    const person = roleOf.includes('admin')
      ? await server.person('admin', found.orgId)
      : await server.person('superadmin', null)
    const { body = {}, ...address } = sampleOf(endpoint)(found)
    const read = api.find(
      ({ method, path }) => method === 'GET' && path === endpoint.path.replace(/\/(settings|due)$/, ''),
    )
    if (!read) throw new Error(`${endpoint.name} has nothing to read the version from`)
    const put = (etag?: string) =>
      call(endpoint, { ...address, body, ...(etag ? { headers: { 'if-match': etag } } : {}) }, person)
    const etagNow = async () => String((await call(read, address, person)).headers['etag'])
    const seen = await etagNow()
    expect(seen).toMatch(/^"[\w-]+"$/)
    const first = await put(seen)
    expect(first.status).toBe(200)
    expect(first.headers['etag']).toBe(await etagNow())
    expect(first.headers['etag']).not.toBe(seen)
    const before = await everythingOf(found.orgId)
    const late = await put(seen)
    expect([late.status, late.body]).toEqual([412, expect.objectContaining({ code: 'precondition_failed' })])
    expect(await etagNow()).toBe(first.headers['etag'])
    expect(await everythingOf(found.orgId)).toEqual(before)
    expect((await put(`"other", ${await etagNow()}`)).status).toBe(200)
    // Programs may leave it out.
    expect((await put()).status).toBe(200)
  },
)

test('of two editors at the same moment, one is refused', async () => {
  const found = await facts()
  const person = await server.person('admin', found.orgId)
  for (const endpoint of editable.filter(
    ({ access }) => access.kind === 'roles' && access.roles.includes('admin'),
  )) {
    const { body = {}, ...address } = sampleOf(endpoint)(found)
    const read =
      api.find(
        ({ method, path }) => method === 'GET' && path === endpoint.path.replace(/\/(settings|due)$/, ''),
      ) ?? endpoint
    const headers = { 'if-match': String((await call(read, address, person)).headers['etag']) }
    // Both have arrived, and neither may change anything yet: who only read would have read the same.
    const holder = await server.services.db.system.connect()
    await holder.query(
      'begin; lock table users, groups, custom_fields, organizations, projects, videos, transmissions in exclusive mode',
    )
    const both = Promise.all([1, 2].map(() => call(endpoint, { ...address, body, headers }, person)))
    await new Promise((resolve) => setTimeout(resolve, 300))
    await holder.query('rollback')
    holder.release()
    const answers = await both
    expect([endpoint.name, answers.map(({ status }) => status).sort((a, b) => a - b)]).toEqual([
      endpoint.name,
      [200, 412],
    ])
  }
})

const tables = [
  'users',
  'groups',
  'group_members',
  'custom_fields',
  'projects',
  'videos',
  'video_versions',
  'quizzes',
  'quiz_versions',
  'transmissions',
  'deliveries',
  'invitations',
  'operations',
  'saved_views',
  'report_schedules',
  'imports',
  'import_rows',
]

/** All rows of an organization as text, to see that nothing has changed. */
async function everythingOf(orgId: string): Promise<unknown[]> {
  const parts = tables.map(
    (table) => `select '${table}', t::text as row from ${table} t where organization_id = $1`,
  )
  const found = await server.services.db.system.query({
    name: 'everything',
    text: `select 'organizations', t::text as row from organizations t where id = $1 union all ${parts.join(' union all ')} order by 1, 2`,
    values: [orgId],
  })
  return found.rows
}

/** Runs last: by now every change of the contract has been made, most of them several times. */
test('no entry of the audit holds a secret', async () => {
  const found = await server.services.db.system.query<{ action: string; text: string }>(
    `select action, concat_ws(' ', before, after) as text from audit`,
  )
  expect(found.rows.length).toBeGreaterThan(50)
  for (const { action, text } of found.rows)
    for (const secret of secretShapes) expect(`${action}: ${text}`).not.toMatch(secret)
})

/** Bearers, 256-bit tokens, password hashes, SHA-256 in hexadecimal, and fields that are called like a secret. */
const secretShapes = [
  /\bsr_[\w-]{20}/,
  /(?<![\w-])[\w-]{43}(?![\w-])/,
  /\$(?:argon2|scrypt|2[aby])/,
  /\b[0-9a-f]{64}\b/,
  /"[^"]*(?:password(?!ChangedAt|Expired)|token|hash|secret|recovery_?codes?|otpauth)[^"]*"\s*:/i,
]
