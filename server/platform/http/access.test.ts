import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { api } from '#contract/api.ts'
import { FileReply, type EndpointDefinition } from '#contract/endpoint.ts'
import { roles, type Role } from '#contract/roles.ts'
import { ask, onePerThing, sampleOf } from '../../testing/facts.ts'
import { samples, type Input } from '../../testing/requests.ts'
import { startTestServer, type Person, type TestServer } from '../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const facts = () => onePerThing(server)
/** For whoever is refused, and for whoever reads: nothing of it may change, so that one set serves them all. */
let untouched: ReturnType<typeof facts> | undefined
const factsOfAll = () => (untouched ??= facts())
/** Nor do these change: one person of each kind serves them all. */
const known = new Map<string, Promise<Person>>()
function anyone(role: Role | null, orgId: string | null): Promise<Person> {
  const name = `${role} of ${orgId}`
  const person = known.get(name) ?? server.person(role, orgId)
  known.set(name, person)
  return person
}
let foreign: Promise<string> | undefined
const foreignOrganization = () => (foreign ??= server.organization('Organization B'))

const call = (endpoint: EndpointDefinition, input: Input, person?: Person) =>
  ask(endpoint, input, person?.send ?? server.send)

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
    const found = await factsOfAll()
    const input = sampleOf(endpoint)(found)
    expect((await call(endpoint, input)).status).toBe(401)
    const recipient = await anyone(null, found.orgId)
    expect((await call(endpoint, input, recipient)).status).toBe(401)
  })

  test.each(roles)('answers %s as the contract says', async (role) => {
    const isChange = endpoint.method !== 'GET' && allowed.includes(role)
    const found = await (isChange ? facts() : factsOfAll())
    const home = role === 'superadmin' ? null : found.orgId
    const person = await (isChange ? server.person(role, home) : anyone(role, home))
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
      const found = await factsOfAll()
      const person = await (endpoint.method === 'GET'
        ? anyone(role, await foreignOrganization())
        : server.person(role, await server.organization('Organization B')))
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

test('reading changes nothing, whoever reads whatever', async () => {
  const found = await facts()
  const readers = [await server.person('superadmin'), await server.person('admin', found.orgId)]
  const before = await everythingOf(found.orgId)
  for (const endpoint of guarded.filter(({ method }) => method === 'GET'))
    for (const reader of readers) await call(endpoint, sampleOf(endpoint)(found), reader)
  expect(await everythingOf(found.orgId)).toEqual(before)
})

test('every file is offered under a name of ours, whatever its organization is called', async () => {
  const found = await facts()
  const slug = 'a"; filename="run.exe'
  await server.services.db.system.query('update organizations set slug = $2, name = $2 where id = $1', [
    found.orgId,
    slug,
  ])
  const person = await server.person('admin', found.orgId)
  const names: string[] = []
  for (const endpoint of guarded.filter(({ reply }) => reply === FileReply)) {
    const { status, headers } = await call(endpoint, sampleOf(endpoint)(found), person)
    expect(status, endpoint.name).toBeLessThan(500)
    if (status !== 200) continue
    expect(headers['content-disposition'], endpoint.name).toMatch(/^attachment; filename="[\w.-]+"$/)
    names.push(endpoint.name)
  }
  expect(names.length).toBeGreaterThan(10)
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

test('whatever can be edited as a whole declares that it looks at If-Match', () => {
  const declared = api.filter(({ ifMatch }) => ifMatch).map(({ name }) => name)
  // Of the first, only its owner may; the others are no PUT.
  const others = ['updateReportSchedule', 'publishQuiz', 'removeMailServer']
  expect(declared.toSorted()).toEqual([...editable.map(({ name }) => name), ...others].toSorted())
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
