import { beforeEach, expect, test } from 'vitest'
import { listGroups } from '#contract/directory/groups.ts'
import { listOrganizations } from '#contract/directory/organizations.ts'
import { countUsers, listUsers } from '#contract/directory/users.ts'
import type { Person } from '../../testing/server.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'

type Query = Record<string, string | number>

const server = await aServer()

let admin: Person
let orgId: string
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
})

const { query: sql } = server

/** Recipients by their names; `more` are further columns of all of them. */
async function people(names: readonly string[], more: Record<string, unknown> = {}): Promise<string[]> {
  const columns = Object.keys(more)
  const made = await sql<{ id: string }>(
    `insert into users (organization_id, name, email${columns.map((name) => `, ${name}`).join('')})
      select $1, n, replace(fold_text(n), ' ', '.') || '@example.test'${columns.map((_, at) => `, $${at + 3}`).join('')}
      from unnest($2::text[]) with ordinality as given(n, at) order by at returning id`,
    [orgId, names, ...Object.values(more)],
  )
  return made.map(({ id }) => id)
}

const list = async (query: Query) => (await admin.call(listUsers, { params: { orgId }, query })).body
test('counts people by role and by state, each caller those whom they see', async () => {
  await people(['Count One', 'Count Two'])
  await people(['Count Three'], { state: 'disabled' })
  await sql("insert into groups (organization_id, name) values ($1, 'Counted')", [orgId])
  const groupadmin = await server.person('groupadmin', orgId)
  const counted = async (by: Person) => (await by.call(countUsers, { params: { orgId } })).body
  expect(await counted(admin)).toEqual({
    role: { admin: 1, groupadmin: 1, none: 3 },
    state: { invited: 0, active: 4, disabled: 1 },
    isMinimum: false,
  })
  expect((await counted(groupadmin)).role.none).toBe(0)
  const stranger = await server.person('admin', await server.organization())
  expect((await stranger.call(countUsers, { params: { orgId } })).status).toBe(404)
})

const namesOf = async (query: Query) => (await list(query)).items.map(({ name }) => name)

test('finds people by when they last used the console', async () => {
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  await people(['Never'])
  for (const days of [2, 20, 60, 200, 400]) await people([`Ago ${days}`], { last_seen_at: ago(days) })
  const q = { role: 'none' as const }
  expect(await namesOf({ ...q, seen: 'never' })).toEqual(['Never'])
  expect(await namesOf({ ...q, seen: 'within7' })).toEqual(['Ago 2'])
  expect(await namesOf({ ...q, seen: 'within30' })).toEqual(['Ago 2', 'Ago 20'])
  expect(await namesOf({ ...q, seen: 'within90' })).toEqual(['Ago 2', 'Ago 20', 'Ago 60'])
  expect(await namesOf({ ...q, seen: 'not30' })).toEqual(['Ago 200', 'Ago 400', 'Ago 60', 'Never'])
  expect(await namesOf({ ...q, seen: 'not90' })).toEqual(['Ago 200', 'Ago 400', 'Never'])
  expect(await namesOf({ ...q, seen: 'not365' })).toEqual(['Ago 400', 'Never'])
  expect(await namesOf({ ...q, sort: 'lastSeenAt' })).toEqual([
    'Never',
    'Ago 400',
    'Ago 200',
    'Ago 60',
    'Ago 20',
    'Ago 2',
  ])
})

test('finds who has not completed a video, whatever the version, and nobody for a video of others', async () => {
  const [half, whole] = await people(['Half', 'Whole', 'Without'])
  const video = async (organizationId: string) =>
    (
      await sql<{ id: string }>(
        `with p as (insert into projects (organization_id, name) values ($1, 'P') returning id)
          insert into videos (organization_id, project_id, title) select $1, id, 'V' from p returning id`,
        [organizationId],
      )
    )[0]?.id ?? ''
  const videoId = await video(orgId)
  for (const [userId, completed] of [
    [half, null],
    [whole, new Date()],
    [whole, null],
  ])
    await sql(
      `insert into viewer_videos (version_id, viewer_key, organization_id, video_id, user_id, first_at, last_at, completed_at)
        values (gen_random_uuid(), 'recipient:' || $1::uuid, $2, $3, $1, now(), now(), $4)`,
      [userId, orgId, videoId, completed],
    )
  expect(await namesOf({ notWatched: videoId, role: 'none' })).toEqual(['Half', 'Without'])
  expect((await list({ notWatched: videoId, role: 'none' })).total).toBe(2)
  expect(await namesOf({ notWatched: await video(await server.organization()) })).toEqual([])
})

test('finds people by a field of the organization, and by the day of its own time zone on which they came', async () => {
  await people(['Berliner'], { custom_fields: { site: 'Berlin: Mitte' } })
  await people(['Parisian'], { custom_fields: { site: 'Paris' } })
  expect(await namesOf({ field: 'site:Berlin: Mitte' })).toEqual(['Berliner'])
  expect(await namesOf({ field: 'site:berlin' })).toEqual([])
  const wrong = await admin.send('GET', `/api/organizations/${orgId}/users?field=site`)
  expect(wrong.body).toMatchObject({ code: 'validation_failed', fields: { field: ['invalid'] } })
  await sql(`update organizations set time_zone = 'Asia/Tokyo' where id = $1`, [orgId])
  await people(['Late'], { created_at: '2024-03-01T14:59:59Z' })
  await people(['Early'], { created_at: '2024-03-01T15:00:00Z' })
  const day = (created: string) => namesOf({ createdFrom: created, createdUntil: created })
  expect(await day('2024-03-01')).toEqual(['Late'])
  expect(await day('2024-03-02')).toEqual(['Early'])
})

test('reads a list onwards and back, by every order', async () => {
  await people(Array.from({ length: 12 }, (_, n) => `Person ${String.fromCodePoint(97 + n)}`))
  await sql(`update users set last_seen_at = now() where organization_id = $1 and name > 'Person g'`, [orgId])
  for (const sort of ['name', '-name', 'email', '-createdAt', 'lastSeenAt', '-lastSeenAt'] as const) {
    const all = (await list({ sort, limit: 100 })).items.map(({ id }) => id)
    const onward: string[][] = []
    let page = await list({ sort, limit: 5 })
    expect(page.previous).toBeNull()
    for (;;) {
      onward.push(page.items.map(({ id }) => id))
      if (!page.next) break
      page = (await admin.send('GET', page.next)).body as typeof page
    }
    expect(onward.flat()).toEqual(all)
    const back: string[][] = []
    for (;;) {
      back.unshift(page.items.map(({ id }) => id))
      if (!page.previous) break
      page = (await admin.send('GET', page.previous)).body as typeof page
    }
    expect(back).toEqual(onward)
  }
})

test('sorts by name without regard to case and accents, and pages through it', async () => {
  await people(['zoe Last', 'Émile Bern', 'eva Ax', 'Ángel Dee', 'Ezra Cox', 'anna Fox'])
  const sorted = ['Ángel Dee', 'anna Fox', 'Émile Bern', 'eva Ax', 'Ezra Cox', 'zoe Last']
  const q = { role: 'none' as const }
  expect(await namesOf(q)).toEqual(sorted)
  expect(await namesOf({ ...q, sort: '-name' })).toEqual(sorted.toReversed())
  const page = await list({ ...q, limit: 3, offset: 1 })
  expect(page.items.map(({ name }) => name)).toEqual(sorted.slice(1, 4))
  const next = (await admin.send('GET', page.next ?? '')).body as typeof page
  expect(next.items.map(({ name }) => name)).toEqual(sorted.slice(4))
})

test('forgives typing errors, says so, and puts the nearest first', async () => {
  await people(['John Smith', 'Joan Smythe', 'José Ángel Núñez', 'Katharina Wagner', 'Maria Sanchez'])
  const exact = await list({ q: 'smith john' })
  expect(exact).not.toHaveProperty('approximate')
  expect(exact.items.map(({ name }) => name)).toEqual(['John Smith'])
  for (const [q, name] of [
    ['Jonh Smtih', 'John Smith'],
    ['Jhon', 'John Smith'],
    ['Smithh', 'John Smith'],
    ['Katarina Wagner', 'Katharina Wagner'],
    ['wagner katerina', 'Katharina Wagner'],
    ['jose nuenz', 'José Ángel Núñez'],
    ['Sanhez', 'Maria Sanchez'],
  ] as const) {
    const found = await list({ q })
    expect(found.items[0]?.name, q).toBe(name)
    expect(found, q).toMatchObject({ approximate: true, next: null, previous: null, offset: 0 })
    expect(found.total, q).toBe(found.items.length)
  }
  expect(await list({ q: 'Xylophone' })).toMatchObject({ total: 0, items: [] })
  expect(await namesOf({ q: 'Jonh', state: 'disabled' })).toEqual([])
})

test('keeps what is similar from others, and of groups that one does not administer', async () => {
  const [john] = await people(['John Smith', 'John Smithe'])
  const [group] = await sql<{ id: string }>(
    `insert into groups (organization_id, name) values ($1, 'G') returning id`,
    [orgId],
  )
  const groupadmin = await server.person('groupadmin', orgId)
  for (const [userId, isAdmin] of [
    [john, false],
    [groupadmin.id, true],
  ])
    await sql(
      `insert into group_members (organization_id, group_id, user_id, groupadmin) values ($1, $2, $3, $4)`,
      [orgId, group?.id, userId, isAdmin],
    )
  const seen = await groupadmin.call(listUsers, { params: { orgId }, query: { q: 'Jonh Smtih' } })
  expect(seen.body.items.map(({ name }) => name)).toEqual(['John Smith'])
  const { orgId: elsewhere, admin: stranger } = await anOrganization(server)
  const answer = await stranger.call(listUsers, { params: { orgId: elsewhere }, query: { q: 'Jonh Smtih' } })
  expect(answer.body.items).toEqual([])
})

test('finds a person by a pasted id, a whole address or a number of the organization', async () => {
  const [id] = await people(['Ada Lovelace'], { external_id: 'P-0042' })
  await people(['Grace Hopper'])
  for (const q of [id ?? '', 'ada.lovelace@example.test', 'p-0042'])
    expect(await namesOf({ q })).toEqual(['Ada Lovelace'])
})

test('sorts and filters groups, and forgives typing errors there', async () => {
  await sql(
    `insert into groups (organization_id, name, kind, rule) values ($1, 'Night shift', 'static', null),
      ($1, 'Berlin', 'rule', '{"match":"all","conditions":[{"about":"role","is":"one_of","values":["admin"]}]}'), ($1, 'Apprentices', 'static', null)`,
    [orgId],
  )
  const [person] = await people(['Somebody'])
  await sql(
    `insert into group_members (organization_id, group_id, user_id, groupadmin)
      select $1, id, $2, name = 'Berlin' from groups where organization_id = $1 and name <> 'Apprentices'`,
    [orgId, person],
  )
  const groups = async (query: Query) => (await admin.call(listGroups, { params: { orgId }, query })).body
  const names = async (query: Query) => (await groups(query)).items.map(({ name }) => name)
  expect((await names({ sort: 'members' }))[0]).toBe('Apprentices')
  expect((await names({ sort: '-members' })).at(-1)).toBe('Apprentices')
  expect(await names({ kind: 'rule' })).toEqual(['Berlin'])
  expect(await names({ groupadmins: 'none' })).toEqual(['Apprentices', 'Night shift'])
  expect(await names({ groupadmins: 'some' })).toEqual(['Berlin'])
  expect(await groups({ q: 'nihgt shfit' })).toMatchObject({
    approximate: true,
    items: [{ name: 'Night shift' }],
  })
})

test('sorts and filters organizations, and forgives typing errors there', async () => {
  const superadmin = await server.person('superadmin', null)
  const name = `Zephyr ${orgId.slice(-12)}`
  const id = await server.organization(name)
  await sql(`update organizations set state = 'suspended', user_count = 1000000 where id = $1`, [id])
  const find = async (query: Query) => (await superadmin.call(listOrganizations, { query })).body
  expect((await find({ sort: '-users' })).items[0]?.name).toBe(name)
  expect((await find({ state: 'suspended' })).items.map((one) => one.name)).toContain(name)
  expect((await find({ state: 'archived' })).items.map((one) => one.name)).not.toContain(name)
  const similar = await find({ q: name.replace('Zephyr', 'Zehpyr') })
  expect(similar).toMatchObject({ approximate: true })
  expect(similar.items[0]?.name).toBe(name)
})
