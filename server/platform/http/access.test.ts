import { describe, expect, test } from 'vitest'
import { api } from '#contract/api.ts'
import { FileReply, scopeOf, type EndpointDefinition } from '#contract/endpoint.ts'
import { roles, type Role } from '#contract/roles.ts'
import { keyScopes } from '#contract/scopes.ts'
import { ask, onePerThing, sampleOf, samples, type Input } from '../../testing/calls/facts.ts'
import { aKey, sendWith, type TestKey } from '../../testing/keys.ts'
import type { Person } from '../../testing/server.ts'
import { newToken } from '../../service-accounts/token.ts'
import { aServer } from '../../testing/worlds.ts'

const server = await aServer()

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
  'openMessage',
  'beginProof',
])
const refused = [403, 404, 422]
/** The sample is valid, but goes on only with something that its sender alone knows: a password, a code, their address. */
const unproved: Record<string, number> = {
  changePassword: 401,
  changeEmail: 410,
  deleteAccount: 422,
  verifySender: 410,
}
const doneBy = ({ name: endpoint }: EndpointDefinition) => [...done, unproved[endpoint] ?? 200]

/** By the name of a change: how many entries of the audit its sample requests have written. */
const entries = new Map<string, number>()

async function entriesOf({ id }: Person): Promise<number> {
  const found = await server.services.db.system.query<{ count: number }>({
    name: 'entries',
    text: 'select count(*)::int as count from audit where actor_id = $1',
    values: [id],
  })
  return found.rows[0]?.count ?? 0
}

const guarded = api.filter((endpoint) => endpoint.access.kind === 'roles')

test('every endpoint that needs a role has a sample request, and no sample is left over', async () => {
  const found = await factsOfAll()
  const lacking = guarded.filter((endpoint) => endpoint.body && !sampleOf(endpoint, found).body)
  expect(lacking.map(({ name }) => name)).toEqual([])
  const names = new Set(guarded.map((endpoint) => endpoint.name))
  expect(Object.keys(samples).filter((name) => !names.has(name))).toEqual([])
})

test('whatever creates may be repeated without creating twice', () => {
  const creating = guarded.filter(({ method, status }) => method === 'POST' && status === 201)
  expect(creating.filter(({ idempotent }) => !idempotent).map(({ name }) => name)).toEqual([])
})

test.each(api.map((endpoint) => [endpoint.name, endpoint] as const))('%s is mounted', (_name, endpoint) => {
  const url = `/api${endpoint.path}`
  expect(server.app.hasRoute({ method: endpoint.method, url }), `${endpoint.method} ${url}`).toBe(true)
})

describe.each(guarded.map((endpoint) => [endpoint.name, endpoint] as const))('%s', (_name, endpoint) => {
  const allowed = endpoint.access.kind === 'roles' ? endpoint.access.roles : []

  test('refuses nobody, and somebody without a role, with 401', async () => {
    const found = await factsOfAll()
    const input = sampleOf(endpoint, found)
    expect((await call(endpoint, input)).status).toBe(401)
    const recipient = await anyone(null, found.orgId)
    expect((await call(endpoint, input, recipient)).status).toBe(401)
  })

  test.each(roles)('answers %s as the contract says', async (role) => {
    const isChange = endpoint.method !== 'GET' && allowed.includes(role)
    const found = await (isChange ? facts() : factsOfAll())
    const home = role === 'superadmin' ? null : found.orgId
    const person = await (isChange ? server.person(role, home) : anyone(role, home))
    const audited = await entriesOf(person)
    const answer = await call(endpoint, sampleOf(endpoint, found), person)
    if (isChange && answer.status < 300)
      entries.set(endpoint.name, (entries.get(endpoint.name) ?? 0) + (await entriesOf(person)) - audited)
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
      const input = sampleOf(endpoint, found)
      const before = await everythingOf(found.orgId)
      const answer = await call(endpoint, input, person)
      const named = JSON.stringify(input)
      const namesForeign = Object.values(found).some((id) => named.includes(id))
      const mayAnswer = !namesForeign || (endpoint.method === 'GET' && !input.params)
      expect(mayAnswer ? [...doneBy(endpoint), ...refused] : refused).toContain(answer.status)
      const reply = JSON.stringify(answer.body)
      for (const secret of [...Object.values(found), ' of A', 'Organization A'])
        expect(reply).not.toContain(secret)
      expect(await everythingOf(found.orgId)).toEqual(before)
    },
  )
})

/** Keys of organization A, of B and of the installation, each by what is wrong with it. */
async function madeKeys() {
  const { orgId: organizationId, adminId: ownerId } = await factsOfAll()
  const other = await foreignOrganization()
  const otherOwner = (await server.person('admin', other)).id
  const superadmin = (await server.person('superadmin')).id
  const mine = { organizationId, ownerId, scopes: keyScopes }
  const expired = await aKey(server, { ...mine, expiresAt: 'yesterday' })
  const revoked = await aKey(server, mine)
  await server.query('update service_accounts set revoked_at = now() where id = $1', [revoked.id])
  const unanswered = await aKey(server, { ...mine, ownerId: otherOwner })
  const invalid: Record<string, TestKey['send']> = {
    unknown: sendWith(server, newToken()),
    malformed: sendWith(server, 'srk_ö'),
    expired: expired.send,
    'rotated out': (await aKey(server, { ...mine, replacedUntil: 'yesterday' })).send,
    'of another network': (await aKey(server, { ...mine, networks: ['192.0.2.0/24', '2001:db8::/32'] })).send,
    withdrawn: revoked.send,
    'of an owner who may not answer for it': unanswered.send,
  }
  const scoped = async (home: string | null, owner: string) => {
    const made = new Map<string, TestKey>()
    for (const scope of keyScopes) {
      const others = keyScopes.filter((one) => one !== scope)
      const own = { organizationId: home, ownerId: owner, networks: ['127.0.0.0/8'] }
      made.set(scope, await aKey(server, { ...own, scopes: [scope] }))
      made.set(`not ${scope}`, await aKey(server, { ...own, scopes: others }))
    }
    return made
  }
  const none = await aKey(server, { ...mine, scopes: [] })
  const foreignKey = await aKey(server, { organizationId: other, ownerId: otherOwner, scopes: keyScopes })
  return {
    invalid,
    none,
    foreign: foreignKey,
    admin: await scoped(organizationId, ownerId),
    superadmin: await scoped(null, superadmin),
  }
}
let made: ReturnType<typeof madeKeys> | undefined
const keysOfAll = () => (made ??= madeKeys())

/** All that an answer tells, but for what each has of its own. */
function toldBy({ status, body, headers }: Awaited<ReturnType<typeof ask>>) {
  const { requestId: _own, ...told } = body as Record<string, unknown>
  const { date: _now, 'x-request-id': _id, ...others } = headers
  return { status, told, others }
}

describe.each(guarded.map((endpoint) => [endpoint.name, endpoint] as const))(
  'a key at %s',
  (_name, endpoint) => {
    const scope = scopeOf(endpoint)
    const allowed = endpoint.access.kind === 'roles' ? endpoint.access.roles : []

    test('that is not valid is refused, and nobody can tell why', async () => {
      const { invalid } = await keysOfAll()
      const input = sampleOf(endpoint, await factsOfAll())
      const answers = []
      for (const [why, send] of Object.entries(invalid))
        answers.push([why, toldBy(await ask(endpoint, input, send))] as const)
      const [, first] = answers[0] ?? []
      expect(first).toMatchObject({ status: 401, told: { code: 'invalid_key' } })
      for (const [why, answer] of answers) expect([why, answer]).toEqual([why, first])
    })

    test('without the scope is told which one it lacks, or that this needs a person', async () => {
      const keys = await keysOfAll()
      const input = sampleOf(endpoint, await factsOfAll())
      const refusedFor =
        scope === 'person'
          ? { code: 'forbidden', reason: { code: 'needs_person' } }
          : { code: 'scope_missing', reason: { code: 'scope_missing', params: { scope } } }
      const lacking =
        scope === 'person'
          ? [keys.foreign, ...keys.admin.values(), ...keys.superadmin.values()]
          : [keys.none, keys.admin.get(`not ${scope}`), keys.superadmin.get(`not ${scope}`)]
      for (const key of lacking) {
        const answer = await ask(endpoint, input, key?.send ?? server.send)
        expect([answer.status, answer.body]).toEqual([403, expect.objectContaining(refusedFor)])
      }
    })

    test('of another organization gets nothing of organization A, and changes nothing in it', async () => {
      const found = await factsOfAll()
      const { foreign: key } = await keysOfAll()
      const input = sampleOf(endpoint, found)
      const before = await everythingOf(found.orgId)
      const answer = await ask(endpoint, input, key.send)
      const named = JSON.stringify(input)
      const mayAnswer = !Object.values(found).some((id) => named.includes(id)) || endpoint.method === 'GET'
      expect(mayAnswer ? [...doneBy(endpoint), ...refused] : refused).toContain(answer.status)
      for (const secret of [...Object.values(found), ' of A', 'Organization A'])
        expect(JSON.stringify(answer.body)).not.toContain(secret)
      expect(await everythingOf(found.orgId)).toEqual(before)
    })

    test.each(['admin', 'superadmin'] as const)('with the scope alone does what %s may', async (role) => {
      const isChange = endpoint.method !== 'GET' && allowed.includes(role) && scope !== 'person'
      const found = await (isChange ? facts() : factsOfAll())
      const owner = role === 'admin' ? found.adminId : (await anyone('superadmin', null)).id
      const home = role === 'admin' ? found.orgId : null
      const scopes = keyScopes.filter((one) => one === scope)
      const key = isChange
        ? await aKey(server, { organizationId: home, ownerId: owner, scopes })
        : ((await keysOfAll())[role].get(scope) ?? (await keysOfAll()).none)
      const answer = await ask(endpoint, sampleOf(endpoint, found), key.send)
      const isDone = allowed.includes(role) && scope !== 'person'
      const expected = personal.has(endpoint.name) ? [...doneBy(endpoint), 404] : doneBy(endpoint)
      expect([isDone ? expected : [403], answer.body]).toEqual([
        expect.arrayContaining([answer.status]),
        answer.body,
      ])
    })
  },
)

test('every call of a key is in the audit, with the key and its owner, and so is what it was refused', async () => {
  const found = await server.query<{ called: number; refused: number; nameless: number }>(
    `select count(*) filter (where action = 'key.called')::int as called, count(*) filter (where action = 'key.refused')::int as refused,
      count(*) filter (where key_id is null or actor_id is null)::int as nameless from audit where action in ('key.called', 'key.refused')`,
  )
  const ofPeople = guarded.filter((endpoint) => scopeOf(endpoint) === 'person').length
  expect(found[0]?.called).toBeGreaterThan(guarded.length)
  expect(found[0]?.refused).toBeGreaterThan(ofPeople * keyScopes.length)
  expect(found[0]?.nameless).toBe(0)
})

test('what asks for a proof of who is there is never done by a key', () => {
  expect(api.filter((endpoint) => endpoint.fresh && scopeOf(endpoint) !== 'person')).toEqual([])
})

test('reading changes nothing, whoever reads whatever', async () => {
  const found = await facts()
  const readers = [await server.person('superadmin'), await server.person('admin', found.orgId)]
  // That somebody took a file is written down.
  const now = async () => (await everythingOf(found.orgId)).filter((row) => !row.startsWith('audit: '))
  const before = await now()
  for (const endpoint of guarded.filter(({ method }) => method === 'GET'))
    for (const reader of readers) await call(endpoint, sampleOf(endpoint, found), reader)
  expect(await now()).toEqual(before)
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
    const { status, headers } = await call(endpoint, sampleOf(endpoint, found), person)
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
    const answer = await call(endpoint, sampleOf(endpoint, found), person)
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
  const others = [
    'updateReportSchedule',
    'publishQuiz',
    'removeEventAddress',
    'removeMailReturns',
    'removeMailServer',
    'removeSender',
    'removeWebhook',
  ]
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
    const { body = {}, ...address } = sampleOf(endpoint, found)
    const read = api.find(
      ({ method, path }) => method === 'GET' && path === endpoint.path.replace(/\/(settings|due)$/, ''),
    )
    if (!read) throw new Error(`${endpoint.name} has nothing to read the version from`)
    const put = (etag?: string) =>
      call(
        endpoint,
        { ...address, body, headers: { ...address.headers, ...(etag && { 'if-match': etag }) } },
        person,
      )
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
    const { body = {}, ...address } = sampleOf(endpoint, found)
    const read =
      api.find(
        ({ method, path }) => method === 'GET' && path === endpoint.path.replace(/\/(settings|due)$/, ''),
      ) ?? endpoint
    const seen = String((await call(read, address, person)).headers['etag'])
    const headers = { ...address.headers, 'if-match': seen }
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

/** What is worked out from the rest when somebody looks, or marks what is. */
const workedOut = new Set(['dirty_keys', 'training_cells', 'report_figures', 'quiz_item_stats'])

/** Every table with rows of an organization, and the column that says of which. */
async function tablesOfOrganizations(): Promise<{ table: string; column: string }[]> {
  const found = await server.services.db.system.query<{ table: string; column: string }>(
    `select c.relname as table, a.attname as column from pg_policy p join pg_class c on c.oid = p.polrelid
      join pg_attribute a on a.attrelid = c.oid and a.attname = case c.relname when 'organizations' then 'id' else 'organization_id' end
      where p.polname = 'tenant' and not c.relispartition order by 1`,
  )
  return found.rows.filter(({ table }) => !workedOut.has(table))
}
let everything: Promise<string> | undefined
const readEverything = async () =>
  (await tablesOfOrganizations())
    .map(({ table, column }) => `select '${table}: ' || t::text as row from ${table} t where ${column} = $1`)
    .join(' union all ')

/** All rows of an organization as text, to see that nothing has changed. */
async function everythingOf(orgId: string): Promise<string[]> {
  const text = await (everything ??= readEverything())
  const query = { name: 'everything', text, values: [orgId] }
  const found = await server.services.db.system.query<{ row: string }>(query)
  return found.rows.map(({ row }) => row).sort()
}

/** Changes of which no sample request has written an entry of the audit, by the reason. */
const unaudited = {
  'looks, and changes nothing':
    'checkMailSigning countGaps findRecipients matchMembers previewAssignment previewAudience previewBarredAddresses previewGroups previewMail previewOperations previewOrganizations previewRule previewRules previewTransmissions previewUsers previewVideos previewWaivers startPreview tryQuiz',
  'prepares what is an entry when it begins or is published':
    'beginSpeechModel createImport updateImport rehearseImport saveQuiz',
  'the sample cannot be answered with success, so that tests of its own ask':
    'beginProof cancelOperation changeEmail changePassword deleteAccount deleteReportSchedule discardSetAside editTransmission endOwnSession endWaiver issueCertificate openMessage readNotification readNotifications recogniseSpeech releaseSending removePasskey renamePasskey renewRecoveryCodes resetFactors retryJob retryVideo saveDraft sendReportSchedule sendReset sendSpeechModel startImport testMailReturns trySetAsideAgain unlockUser updateReportSchedule updateView verifySender withdrawQuiz',
  'the sample has nothing to take away or to change':
    'cancelRecognition deleteAvatar deleteLogo deleteOwnAvatar doubtEvidenceSession keepEvidence liftBar removeTotp restoreForImport restoreUser resumeReportSchedule sendMissed sendSenderCode setGroupadmin showAlert stopImpersonating',
}

test('every change writes an entry of the audit', () => {
  const changes = guarded.filter(({ method }) => method !== 'GET').map(({ name }) => name)
  const silent = changes.filter((name) => !entries.get(name))
  const known = Object.values(unaudited).flatMap((names) => names.split(' '))
  expect(silent.toSorted()).toEqual(known.toSorted())
})

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
  /\bsrk?_[\w-]{20}/,
  /(?<![\w-])[\w-]{43}(?![\w-])/,
  /\$(?:argon2|scrypt|2[aby])/,
  /\b[0-9a-f]{64}\b/,
  /"[^"]*(?:password(?!ChangedAt|Expired)|token|hash|secret|recovery_?codes?|otpauth)[^"]*"\s*:/i,
]
