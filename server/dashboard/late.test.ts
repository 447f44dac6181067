import { expect, test } from 'vitest'
import { mostLate, readDashboardLate } from '#contract/dashboard.ts'
import { listTraining, readTraining } from '#contract/matrix/training.ts'
import { addGroup, addPeople } from '../testing/audience.ts'
import type { Person } from '../testing/server.ts'
import { fillTraining } from '../testing/training.ts'
import { aServer, anOrganization, setPolicies } from '../testing/worlds.ts'

const server = await aServer()
const { query } = server
const superadmin = await server.person('superadmin')
const { orgId, admin } = await anOrganization(server, 'Acme')
const groupadmin = await server.person('groupadmin', orgId)
const [member = ''] = await addPeople(server, orgId, { count: 1, prefix: 'member' })
await addGroup(server, orgId, [member, groupadmin.id])
await query('update group_members set groupadmin = true where user_id = $1', [groupadmin.id])
await fillTraining(query, { organizationId: orgId, people: 60, videos: 24 })

const late = async (by: Person, asked: Record<string, string> = {}) =>
  (await by.call(readDashboardLate, { query: asked })).body

/** What the cells of the training matrix say, counted one by one. */
async function counted(by: Person) {
  const params = { orgId }
  const { body: matrix } = await by.call(readTraining, { params })
  const { body: rows } = await by.call(listTraining, { params, query: { limit: 100 } })
  const cells = rows.items.flatMap(({ id, cells: letters }) =>
    rows.videoIds.flatMap((video, at) => (letters[at] === 'o' ? [{ person: id, video }] : [])),
  )
  const people = new Set(cells.map(({ person }) => person)).size
  const byVideo = new Map<string, string[]>()
  for (const { person, video } of cells) byVideo.set(video, [...(byVideo.get(video) ?? []), person])
  expect(rows.total).toBe(rows.items.length)
  expect(matrix.overdue).toBe(cells.length)
  return { people, byVideo }
}

async function agrees(by: Person) {
  const { people, byVideo } = await counted(by)
  const listed = await late(by)
  expect([listed.people, listed.trainings]).toEqual([people, byVideo.size])
  const most = [...byVideo.values()].map(({ length }) => length).toSorted((a, b) => b - a)
  expect(listed.items.map((training) => training.late)).toEqual(most.slice(0, mostLate.trainings))
  for (const { id, late: n, people: named, dueAt } of listed.items) {
    const theirs = byVideo.get(id) ?? []
    expect(theirs).toHaveLength(n)
    expect(named).toHaveLength(Math.min(n, mostLate.people))
    for (const one of named) expect(theirs).toContain(one.id)
    expect(Date.parse(dueAt)).toBeLessThan(Date.now())
  }
  return listed
}

test('names whom the training matrix calls overdue, by training, at most as many as are told', async () => {
  const listed = await agrees(admin)
  expect(listed.trainings).toBeGreaterThan(mostLate.trainings)
  expect(listed.people).toBeGreaterThan(mostLate.people)
  expect(await late(superadmin, { organizationId: orgId })).toEqual(listed)
  expect(await late(superadmin)).toEqual(listed)
})

test('a groupadmin sees the members of the own groups, and nobody before there are some', async () => {
  expect(await late(groupadmin)).toEqual({ people: 0, trainings: 0, items: [] })
  await query(
    `insert into group_members (organization_id, group_id, user_id)
      select $1, (select group_id from group_members where user_id = $2 and groupadmin), id from users
      where organization_id = $1 and email like 'trainee-%' order by id limit 20`,
    [orgId, groupadmin.id],
  )
  const led = await agrees(groupadmin)
  expect(led.people).toBeGreaterThan(0)
  expect(led.people).toBeLessThan((await late(admin)).people)
})

test('another organization sees nothing of it, and is told of none of its own', async () => {
  const { admin: stranger } = await anOrganization(server, 'Foreign')
  expect(await late(stranger)).toEqual({ people: 0, trainings: 0, items: [] })
  const refused = await stranger.call(readDashboardLate, { query: { organizationId: orgId } })
  expect(refused.problem?.code).toBe('not_found')
  expect((await server.call(readDashboardLate)).status).toBe(401)
})

test('tells what they watched and why they are late, unless the organization records only completions', async () => {
  const [training] = (await late(admin)).items
  const [person] = training?.people ?? []
  await query(
    `insert into viewer_videos (organization_id, video_id, version_id, user_id, viewer_key, first_at, last_at, coverage, covered_at)
      select $1, x.video_id, x.id, $3::uuid, 'recipient:' || $3::uuid, now(), now() + interval '1 minute', '{[0,20000),[30000,40000)}', now()
      from video_versions x where x.video_id = $2
      on conflict (version_id, viewer_key) do update set coverage = excluded.coverage, covered_at = excluded.covered_at`,
    [orgId, training?.id, person?.id],
  )
  const shown = async () =>
    (await late(admin)).items
      .find(({ id }) => id === training?.id)
      ?.people.find(({ id }) => id === person?.id)
  expect(await shown()).toMatchObject({
    coverage: [
      [0, 20_000],
      [30_000, 40_000],
    ],
    durationMs: 60_000,
    // It is seen as far as the organization asks for, and its questions are not answered.
    lacks: 'questions',
  })
  await setPolicies(server, orgId, { trackingMode: 'completed_only' })
  expect(await shown()).toMatchObject({ coverage: null, durationMs: null, lacks: null })
})
