import { beforeEach, describe, expect, test } from 'vitest'
import { kindsFor, search, type SearchHit } from '#contract/search.ts'
import type { Person } from '../testing/server.ts'
import { unique } from '../testing/unique.ts'
import { aServer, anOrganization } from '../testing/worlds.ts'

const server = await aServer()

let orgId: string
let admin: Person
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server, 'Harbour Works'))
})

const { query: sql } = server
const one = async (text: string, values: unknown[] = []) =>
  (await sql<{ id: string }>(`${text} returning id`, values))[0]?.id ?? ''

const user = (
  name: string,
  more: { orgId?: string; email?: string; state?: string; externalId?: string } = {},
) =>
  one('insert into users (organization_id, name, email, state, external_id) values ($1, $2, $3, $4, $5)', [
    more.orgId ?? orgId,
    name,
    more.email ?? `${unique()}@people.test`,
    more.state ?? 'active',
    more.externalId ?? null,
  ])
const group = (name: string, organizationId = orgId) =>
  one('insert into groups (organization_id, name) values ($1, $2)', [organizationId, name])
const join = (groupId: string, userId: string, groupadmin = false) =>
  sql(
    'insert into group_members (organization_id, group_id, user_id, groupadmin) select organization_id, id, $2, $3 from groups where id = $1',
    [groupId, userId, groupadmin],
  )
const video = (title: string, more: { orgId?: string; description?: string; state?: string } = {}) =>
  one('insert into videos (organization_id, title, description, state) values ($1, $2, $3, $4)', [
    more.orgId ?? orgId,
    title,
    more.description ?? null,
    more.state ?? 'ready',
  ])
async function transmission(subject: string, body = 'Please watch', organizationId = orgId): Promise<string> {
  const videoId = await video('A film', { orgId: organizationId })
  const versionId = await one(
    `insert into video_versions (organization_id, video_id, number, file_name, size) values ($1, $2, 1, 'a.mp4', 1)`,
    [organizationId, videoId],
  )
  return one(
    `insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience)
      values ($1, 'completed', $2, $3, $4, $5, $6, 'S', '{}')`,
    [organizationId, subject, body, videoId, versionId, admin.id],
  )
}

async function find(q: string, { by = admin, ...more }: { by?: Person; [key: string]: unknown } = {}) {
  const answer = await by.call(search, { query: { q, ...(more as Record<string, string>) } })
  expect(answer.status).toBe(200)
  return answer.body
}
const hitsOf = async (q: string, more?: Parameters<typeof find>[1]): Promise<SearchHit[]> =>
  (await find(q, more)).groups.flatMap(({ hits }) => hits)
const titlesOf = async (q: string, more?: Parameters<typeof find>[1]) =>
  (await hitsOf(q, more)).map(({ title }) => title)
const marked = (text: string, marks: readonly (readonly [number, number])[]) =>
  marks.map(([from, to]) => text.slice(from, to))

test('requires sign-in', async () => {
  expect((await server.call(search, { query: { q: 'a' } })).status).toBe(401)
})

test('requires role', async () => {
  const recipient = await server.person(null, orgId)
  expect((await recipient.call(search, { query: { q: 'a' } })).status).toBe(401)
})

describe('what is found', () => {
  test('organizations, people, groups, videos and transmissions, each with the page that it leads to', async () => {
    const ids = {
      user: await user('Harbour Master', { email: 'master@harbour.test' }),
      group: await group('Harbour crew'),
      content: await video('Safety in the harbour', { description: 'Ropes and cranes' }),
      transmission: await transmission('The new harbour rules'),
    }
    const found = Object.fromEntries((await hitsOf('harbour')).map((hit) => [hit.kind, hit]))
    expect(found).toMatchObject({
      organization: { id: orgId, title: 'Harbour Works', path: `/organizations/${orgId}/dashboard` },
      user: {
        id: ids.user,
        detail: 'master@harbour.test',
        organizationName: 'Harbour Works',
        path: `/organizations/${orgId}/users/${ids.user}`,
      },
      group: { id: ids.group, people: 0, path: `/organizations/${orgId}/groups/${ids.group}/edit` },
      content: { id: ids.content, detail: 'Ropes and cranes', path: `/content/${ids.content}` },
      transmission: { id: ids.transmission, path: `/transmissions/${ids.transmission}` },
    })
    expect(marked('Safety in the harbour', found['content']?.titleMarks ?? [])).toEqual(['harbour'])
  })

  test('every word counts, in any order, with or without accents, and is marked where it agrees', async () => {
    await user('Zoë Ångström', { email: 'z.a@people.test' })
    await user('Zoe Other')
    const [hit, ...others] = await hitsOf('angstrom zoe', { kinds: 'user' })
    expect(others).toEqual([])
    expect(marked(hit?.title ?? '', hit?.titleMarks ?? [])).toEqual(['Zoë', 'Ångström'])
  })

  test('the beginning of a video’s description and of a message, shown around what agrees', async () => {
    const long = `${'Every year somebody asks again. '.repeat(8)}Wear a turquoise helmet at all times.`
    await video('Clothes', { description: long })
    await transmission('News', 'Your turquoise helmet has arrived')
    const hits = await hitsOf('turquoise')
    expect(hits.map(({ kind }) => kind).toSorted()).toEqual(['content', 'transmission'])
    for (const { detail, detailMarks } of hits) expect(marked(detail, detailMarks)).toEqual(['turquoise'])
    expect(hits.find(({ kind }) => kind === 'content')?.detail).toMatch(/^… .*turquoise helmet/)
  })

  test('a number of the organization’s own, shown because it agrees', async () => {
    await user('Somebody', { externalId: 'PAY-4711', email: 'some@people.test' })
    const [hit] = await hitsOf('pay-4711')
    expect(hit).toMatchObject({ title: 'Somebody', detail: 'some@people.test · PAY-4711' })
    expect(marked(hit?.detail ?? '', hit?.detailMarks ?? [])).toEqual(['PAY-4711'])
  })

  test('the best first: the name itself, then its beginning, then words of it, then the rest', async () => {
    for (const name of ['Marina Lee', 'Kathleen Moss', 'Lee', 'Leeann Poe', 'Ashlee Hill']) await user(name)
    await user('Out of the way', { email: 'lee@people.test' })
    expect(await titlesOf('lee', { kinds: 'user', limit: 10 })).toEqual([
      'Lee',
      'Leeann Poe',
      'Marina Lee',
      'Out of the way',
      'Ashlee Hill',
      'Kathleen Moss',
    ])
  })

  test('one and two letters find beginnings of words', async () => {
    await user('Xavier Brown')
    await user('Bob Xu')
    await user('Max Mustermann', { email: 'm@people.test' })
    expect(await titlesOf('x', { kinds: 'user' })).toEqual(['Xavier Brown', 'Bob Xu'])
    expect(await titlesOf('xu', { kinds: 'user' })).toEqual(['Bob Xu'])
  })

  test('kinds of hits come in the order of their closest hit, and else always in the same', async () => {
    await video('Cranes')
    await user('Cranes and more')
    await group('The big cranes')
    await user('Somebody', { email: 'cranes@people.test' })
    const kinds = async (q: string) =>
      (await find(q)).groups.map(({ kind, closeness }) => `${kind}: ${closeness}`)
    expect(await kinds('cranes')).toEqual(['content: exact', 'user: title', 'group: title'])
    expect(await kinds('crane')).toEqual(['user: title', 'group: title', 'content: title'])
    expect(await kinds('cranes@people')).toEqual(['user: elsewhere'])
  })

  test('removed things are not found, archived and disabled ones are marked and stand last', async () => {
    await sql('update users set deleted_at = now() where id = $1', [await user('Gone Lantern')])
    await sql('update groups set deleted_at = now() where id = $1', [await group('Gone Lantern')])
    await sql('update videos set deleted_at = now() where id = $1', [await video('Gone Lantern')])
    expect(await titlesOf('gone lantern')).toEqual([])
    await video('Lantern old', { state: 'archived' })
    await video('Lantern of today')
    await user('Lantern A', { state: 'disabled' })
    await user('Lantern B')
    expect((await hitsOf('lantern')).map(({ title, state }) => [title, state])).toEqual([
      ['Lantern B', 'active'],
      ['Lantern A', 'disabled'],
      ['Lantern of today', 'ready'],
      ['Lantern old', 'archived'],
    ])
  })
})

describe('typing errors', () => {
  test.each([
    ['left out', 'margarte quayle'],
    ['added', 'margaretta quayle'],
    ['wrong', 'margaref quayle'],
    ['swapped', 'maragret quayle'],
    ['in every word', 'margret quyale'],
    ['several in one', 'maragrit quayle'],
  ])('are forgiven: letters %s', async (_what, q) => {
    await user('Margaret Quayle')
    const body = await find(q)
    expect(body.approximate).toBe(true)
    expect(body.groups.flatMap(({ hits }) => hits).map(({ title }) => title)).toEqual(['Margaret Quayle'])
  })

  test('in short words beside others, and past the sixth letter', async () => {
    await video('Fire extinguishers')
    expect(await titlesOf('fre extinguishers')).toEqual(['Fire extinguishers'])
    expect(await titlesOf('frie extingiushesr')).toEqual(['Fire extinguishers'])
    expect(await titlesOf('extinguihers')).toEqual(['Fire extinguishers'])
  })

  test('in other scripts', async () => {
    await user('מרגלית אברהם')
    await user('Маргарита Иванова')
    expect(await titlesOf('מרגילת אברהם')).toEqual(['מרגלית אברהם'])
    expect(await titlesOf('Мрагарита')).toEqual(['Маргарита Иванова'])
    expect(await titlesOf('אברהם')).toEqual(['מרגלית אברהם'])
  })

  test('in everything that is looked for, and nothing comes when nothing is near', async () => {
    await video('Forklift driving')
    await group('Forklift drivers')
    expect((await titlesOf('frklift')).toSorted()).toEqual(['Forklift drivers', 'Forklift driving'])
    expect(await find('zzqqxxyy')).toEqual({ groups: [], approximate: false })
  })
})

describe('what is pasted', () => {
  test('an id leads straight to the thing', async () => {
    const ids = [orgId, await user('P'), await group('P'), await video('P'), await transmission('P')]
    for (const id of ids) {
      expect((await hitsOf(id)).map((hit) => hit.id)).toEqual([id])
      expect((await hitsOf(`  ${id.toUpperCase()} `)).map((hit) => hit.id)).toEqual([id])
    }
  })

  test('an address of the product leads to what it shows', async () => {
    const userId = await user('P')
    const groupId = await group('P')
    const videoId = await video('P')
    const sent = await transmission('P')
    const cases: [string, string][] = [
      [`/organizations/${orgId}/users/${userId}`, userId],
      [`https://console.example/organizations/${orgId}/users/${userId}/edit?tab=1#x`, userId],
      [`http://localhost:3000/organizations/${orgId}/groups/${groupId}/edit`, groupId],
      [`/organizations/${orgId}/dashboard/`, orgId],
      [`/organizations/${orgId}/users/create`, orgId],
      [`/organizations/${orgId}/users/${userId}/videos/${videoId}`, userId],
      [`/content/${videoId}/viewing`, videoId],
      [`https://console.example/w/video/${videoId}?t=secret`, videoId],
      [`/transmissions/${sent}`, sent],
    ]
    for (const [address, id] of cases) expect((await hitsOf(address)).map((hit) => hit.id)).toEqual([id])
    expect(await hitsOf(`/content/${userId}`)).toEqual([])
  })

  test('a mail address leads to the person, before those whose address contains it', async () => {
    await user('Aaron Long', { email: 'pat@north.test.example' })
    await user('Zed Short', { email: 'pat@north.test' })
    expect(await titlesOf('PAT@north.test')).toEqual(['Zed Short', 'Aaron Long'])
  })
})

describe('who finds what', () => {
  test('nothing of another organization, by words, slips, ids or addresses; a superadmin finds all', async () => {
    const other = await server.organization('Foreign Lighthouse')
    const ids = [
      other,
      await user('Foreign Lighthouse', { orgId: other, email: 'foreign@lighthouse.test' }),
      await group('Foreign Lighthouse', other),
      await video('Foreign Lighthouse', { orgId: other }),
      await transmission('Foreign Lighthouse', 'x', other),
    ]
    for (const q of ['foreign lighthouse', 'foriegn lighthouse', 'foreign@lighthouse.test', ...ids])
      expect(await hitsOf(q)).toEqual([])
    expect(await hitsOf(`/organizations/${other}/users/${ids[1]}`)).toEqual([])

    const superadmin = await server.person('superadmin')
    expect((await hitsOf('foreign lighthouse', { by: superadmin })).map(({ id }) => id).toSorted()).toEqual(
      ids.toSorted(),
    )
    for (const id of ids) expect(await hitsOf(id, { by: superadmin })).toHaveLength(1)

    await sql('update organizations set deleted_at = now() where id = $1', [other])
    expect(await hitsOf('foreign lighthouse', { by: superadmin })).toEqual([])
    for (const id of ids) expect(await hitsOf(id, { by: superadmin })).toEqual([])
  })

  test('a groupadmin finds the own organization, the own groups and their people, and neither videos nor transmissions', async () => {
    const groupadmin = await server.person('groupadmin', orgId)
    const [mine, theirs] = [await group('Anchor mine'), await group('Anchor theirs')]
    await join(mine, groupadmin.id, true)
    const [inside, outside] = [await user('Anchor inside'), await user('Anchor outside')]
    await join(mine, inside)
    await join(theirs, outside)
    const films = [await video('Anchor film'), await transmission('Anchor sent')]
    const titles = await titlesOf('anchor', { by: groupadmin })
    expect(titles.toSorted()).toEqual(['Anchor inside', 'Anchor mine'])
    expect((await titlesOf('anhcor', { by: groupadmin })).toSorted()).toEqual([
      'Anchor inside',
      'Anchor mine',
    ])
    expect(await titlesOf('harbour', { by: groupadmin })).toEqual(['Harbour Works'])
    for (const id of [outside, theirs, ...films]) expect(await hitsOf(id, { by: groupadmin })).toEqual([])
    expect(await hitsOf('anchor', { by: groupadmin, kinds: 'content,transmission' })).toEqual([])
    expect(kindsFor('groupadmin')).toEqual(['organization', 'user', 'group'])
  })

  test('a groupadmin without groups finds nobody', async () => {
    const groupadmin = await server.person('groupadmin', orgId)
    await user('Anchor anybody')
    expect(await titlesOf('anchor', { by: groupadmin })).toEqual([])
  })
})

describe('pages', () => {
  test('one kind is paged through without a gap, up to 100', async () => {
    await sql(
      `insert into users (organization_id, name, email) select $1, 'Pager ' || n, 'pager' || n || '@people.test' from generate_series(1, 230) n`,
      [orgId],
    )
    const page = async (offset: number) =>
      (await find('pager', { kinds: 'user', limit: 50, offset })).groups[0]
    const first = await page(0)
    expect(first).toMatchObject({ total: 100, totalIsMinimum: true })
    const seen = new Set<string>()
    for (const offset of [0, 50]) for (const { id } of (await page(offset))?.hits ?? []) seen.add(id)
    expect(seen.size).toBe(100)
    expect((await find('pager')).groups[0]?.hits).toHaveLength(5)
  })
})

describe('what nobody types', () => {
  test.each([
    '%',
    '_',
    '\\',
    '%%%',
    "'; drop table users; --",
    '\\%',
    '％',
    '�',
    '🚢',
    'a%b_c\\',
    '\u0000',
    'x\u0000y',
  ])('means itself: %j', async (q) => {
    await user('Plain person')
    const answer = await admin.send('GET', `/api/search?q=${encodeURIComponent(q)}`)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ groups: [], approximate: false })
  })

  test('is found where it stands', async () => {
    await user('100% Ada_Lovelace', { email: 'a.l@people.test' })
    await user('100 Adam Lovelace')
    expect(await titlesOf('100% ada_')).toEqual(['100% Ada_Lovelace'])
    expect(await titlesOf('%')).toEqual(['100% Ada_Lovelace'])
  })

  test('is refused when it is too long, empty or of no kind', async () => {
    for (const query of [
      `q=${'x'.repeat(10_000)}`,
      'q=',
      'q=%20%20',
      '',
      'q=a&kinds=secret',
      'q=a&limit=1000',
      'q=a&offset=-1',
      'q=a&offset=100000',
    ])
      expect((await admin.send('GET', `/api/search?${query}`)).status).toBe(422)
    const many = Array.from({ length: 120 }, (_, n) => `w${n}`).join(' ')
    expect(await hitsOf(many)).toEqual([])
  })
})
