import { expect, test } from 'vitest'
import { search, type SearchHit } from '#contract/search.ts'
import type { Person } from '../testing/server.ts'
import { aServer, anOrganization } from '../testing/worlds.ts'

// Statements of the search are planned once for everybody and kept; here they are asked again and again, by different readers.

const server = await aServer()

const { query: sql } = server

type Query = { q: string; kinds?: string; limit?: number; offset?: number }

async function ask(by: Person, query: Query) {
  const answer = await by.call(search, { query })
  expect(answer.status).toBe(200)
  return answer.body
}
const hitsOf = async (by: Person, query: Query): Promise<SearchHit[]> =>
  (await ask(by, query)).groups.flatMap(({ hits }) => hits)
const titlesOf = async (by: Person, query: Query) => (await hitsOf(by, query)).map(({ title }) => title)

/** People in the order of their creation, `name` with `%` for the number. */
const people = (organizationId: string, name: string, count: number) =>
  sql(
    `insert into users (organization_id, name, email, created_at)
      select $1, replace($2, '%', lpad(n::text, 4, '0')), 'p' || n || '-' || gen_random_uuid() || '@people.test', now() + n * interval '1 second'
      from generate_series(1, $3::int) n`,
    [organizationId, name, count],
  )
type Group = { name: string; members: string; groupadmin?: Person }
/** With those whose name is like `members`. */
async function group(organizationId: string, { name, members, groupadmin }: Group): Promise<string> {
  const [made] = await sql<{ id: string }>(
    'insert into groups (organization_id, name) values ($1, $2) returning id',
    [organizationId, name],
  )
  await sql(
    `insert into group_members (organization_id, group_id, user_id, groupadmin)
      select organization_id, $2, id, id::text = $4 from users where organization_id = $1 and (name like $3 or id::text = $4)`,
    [organizationId, made?.id, members, groupadmin?.id ?? ''],
  )
  return made?.id ?? ''
}
const video = (organizationId: string, title: string) =>
  sql(`insert into videos (organization_id, title, state) values ($1, $2, 'ready')`, [organizationId, title])

test('a kept statement shows each reader their own, whoever asked before', async () => {
  const readers: { by: Person; sees: string[] }[] = []
  for (const place of ['North', 'South']) {
    const home = await server.organization(`Quetzal ${place}`)
    await people(home, `Quetzal ${place} inside`, 1)
    await people(home, `Quetzal ${place} outside`, 1)
    await video(home, `Quetzal ${place} film`)
    const groupadmin = await server.person('groupadmin', home)
    await group(home, { name: `Quetzal ${place} crew`, members: '%inside', groupadmin })
    await group(home, { name: `Quetzal ${place} others`, members: '%outside' })
    const own = [`Quetzal ${place}`, `Quetzal ${place} crew`, `Quetzal ${place} inside`]
    const all = [`Quetzal ${place} film`, `Quetzal ${place} others`, `Quetzal ${place} outside`]
    readers.push({ by: await server.person('admin', home), sees: [...own, ...all] })
    readers.push({ by: groupadmin, sees: own })
  }
  const both = readers.flatMap(({ sees }) => (sees.length > 3 ? sees : []))
  readers.push({ by: await server.person('superadmin'), sees: both })
  for (let turn = 0; turn < 4; turn++) {
    // The people of so large groups are not looked at one by one.
    if (turn === 3) await sql(`update groups set member_count = 6000 where name like '% crew'`)
    for (const q of ['quetzal', 'queztal', 'qu', 'xylophone']) {
      for (const { by, sees } of readers) {
        const wanted = q === 'xylophone' ? [] : sees.toSorted()
        expect((await titlesOf(by, { q, limit: 50 })).toSorted()).toEqual(wanted)
      }
    }
  }
})

test('what nobody may see is not found in a group either: removed people, removed groups, what is asked for by its id', async () => {
  const home = await server.organization('Gannet')
  const groupadmin = await server.person('groupadmin', home)
  for (const name of ['Gannet present', 'Gannet disabled', 'Gannet removed', 'Gannet apart'])
    await people(home, name, 1)
  const mine = await group(home, { name: 'Gannet crew', members: 'Gannet %ed', groupadmin })
  await sql(
    `insert into group_members (organization_id, group_id, user_id) select $1, $2, id from users where name = 'Gannet present'`,
    [home, mine],
  )
  await sql(`update users set state = 'disabled' where name = 'Gannet disabled'`)
  await sql(`update users set deleted_at = now() where name = 'Gannet removed'`)
  for (const q of ['gannet', 'gannte', 'g']) {
    const found = await hitsOf(groupadmin, { q, kinds: 'user' })
    expect(Object.fromEntries(found.map(({ title, state }) => [title, state]))).toEqual({
      'Gannet present': 'active',
      'Gannet disabled': 'disabled',
    })
  }
  const [removed, setAside] = await sql<{ id: string }>(
    `select id from users where name in ('Gannet removed', 'Gannet apart') order by name desc`,
  )
  for (const id of [removed?.id ?? '', setAside?.id ?? ''])
    expect(await titlesOf(groupadmin, { q: id })).toEqual([])
  expect(await titlesOf(groupadmin, { q: 'gannet', kinds: 'group' })).toEqual(['Gannet crew'])
  await sql('update groups set deleted_at = now() where id = $1', [mine])
  expect(await titlesOf(groupadmin, { q: 'gannet', kinds: 'group' })).toEqual([])
  expect(await titlesOf(groupadmin, { q: mine })).toEqual([])
})

test('of what very many have in their name, the newest are shown, and only those of the reader', async () => {
  const [home, other, gone] = [
    await server.organization('Heron home'),
    await server.organization('Heron other'),
    await server.organization('Heron gone'),
  ]
  await people(home, 'The % heron', 700)
  for (const place of [other, gone]) await people(place, 'Their % heron', 700)
  await sql('update organizations set deleted_at = now() where id = $1', [gone])
  const pages = async (by: Person) => [
    ...(await titlesOf(by, { q: 'heron', kinds: 'user', limit: 50 })),
    ...(await titlesOf(by, { q: 'heron', kinds: 'user', limit: 50, offset: 50 })),
  ]
  const admin = await server.person('admin', home)
  const newest = new Set(Array.from({ length: 101 }, (_, n) => `The 0${700 - n} heron`))
  for (let turn = 0; turn < 3; turn++) {
    const found = await pages(admin)
    expect(new Set(found).size).toBe(100)
    expect(found.filter((title) => !newest.has(title))).toEqual([])
    expect((await ask(admin, { q: 'heron', kinds: 'user' })).groups[0]).toMatchObject({
      total: 100,
      totalIsMinimum: true,
    })
  }
  const superadmin = await server.person('superadmin')
  const homes = await hitsOf(superadmin, { q: 'heron', kinds: 'user', limit: 50 })
  expect(homes.length).toBe(50)
  expect(homes.filter(({ organizationName }) => organizationName === 'Heron gone')).toEqual([])
  // The same words, few of them: the index finds what walking would never reach.
  await sql(
    `update users set name = 'The very first egret', created_at = 'epoch' where name = 'The 0001 heron'`,
  )
  expect(await titlesOf(admin, { q: 'egret', kinds: 'user' })).toEqual(['The very first egret'])
  expect(await titlesOf(admin, { q: 'first very', kinds: 'user' })).toEqual(['The very first egret'])
  expect(await titlesOf(admin, { q: 'very egrte', kinds: 'user' })).toEqual(['The very first egret'])
})

test('every word counts, also beyond those that the index is asked for, and numbers beside a slip', async () => {
  const { orgId: home, admin } = await anOrganization(server, 'Osprey')
  await video(home, 'Osprey introduction harbour helmet seven 12')
  await video(home, 'Osprey introduction harbour helmet eight 13')
  expect(await titlesOf(admin, { q: 'introduction harbour helmet osprey eight' })).toEqual([
    'Osprey introduction harbour helmet eight 13',
  ])
  expect(await titlesOf(admin, { q: 'introduction harbour helmet osprey 12' })).toEqual([
    'Osprey introduction harbour helmet seven 12',
  ])
  const slip = await ask(admin, { q: 'introdcution harbour helmet 13' })
  expect(slip.approximate).toBe(true)
  expect(slip.groups[0]?.hits.map(({ title }) => title)).toEqual([
    'Osprey introduction harbour helmet eight 13',
  ])
  const oneOther = await ask(admin, { q: 'introdcution harbour penguin 13' })
  expect(oneOther.groups[0]?.hits.map(({ title }) => title)).toEqual([
    'Osprey introduction harbour helmet eight 13',
  ])
})

test('a mail address is found by all of it, with the domain', async () => {
  const { orgId: home, admin } = await anOrganization(server, 'Plover')
  await sql(
    `insert into users (organization_id, name, email) select $1, n, n || '@plover.test' from unnest('{plover,ployver}'::text[]) n`,
    [home],
  )
  expect(await titlesOf(admin, { q: 'plover@plover.test' })).toEqual(['plover'])
  const elsewhere = await ask(admin, { q: 'plover@plover.example' })
  expect(elsewhere.approximate).toBe(true)
  expect(elsewhere.groups[0]?.hits[0]?.title).toBe('plover')
})
