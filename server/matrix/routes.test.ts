import { beforeEach, expect, test } from 'vitest'
import { createGroup } from '#contract/directory/groups.ts'
import { exportTraining, listTraining, readTraining, readTrainingCell } from '#contract/matrix/training.ts'
import { createTransmission, readTransmission } from '#contract/transmissions/transmissions.ts'
import { addPastDelivery, addPastViewing, daysAgo } from '../testing/viewing/past.ts'
import type { Person } from '../testing/server.ts'
import { addVideo } from '../testing/viewing/viewing.ts'
import { aServer, setPolicies } from '../testing/worlds.ts'

const server = await aServer()

let orgId: string
let admin: Person
let ada: Person
let bob: Person
let video: { videoId: string; versionId: string }
let params: { orgId: string }
beforeEach(async () => {
  orgId = await server.organization()
  params = { orgId }
  admin = await server.person('admin', orgId)
  ada = await named('Ada')
  bob = await named('Bob')
  video = await addVideo(server, { organizationId: orgId, title: 'Fire drill' })
})

const query = (text: string, values: unknown[]) => server.services.db.system.query(text, values)

async function named(name: string): Promise<Person> {
  const person = await server.person(null, orgId)
  await query('update users set name = $2 where id = $1', [person.id, name])
  return person
}

type Sent = { days?: number; due?: Date; of?: typeof video; state?: string }

/** A message about a video, so many days ago, with the day by which it is due. */
async function send(person: Person, { days = 5, due, of = video, state = 'accepted' }: Sent = {}) {
  const made = await addPastDelivery(server, {
    organizationId: orgId,
    ...of,
    userId: person.id,
    at: daysAgo(days),
  })
  await query('update transmissions set due_at = $2 where id = $1', [made.transmissionId, due ?? null])
  await query('update deliveries set state = $2 where transmission_id = $1', [made.transmissionId, state])
  return made
}

function watch(person: Person, completed: boolean, of = video): Promise<void> {
  const facts = { organizationId: orgId, ...of, userId: person.id, coveredMs: 1_000, watchMs: 1_000 }
  return addPastViewing(server, { ...facts, at: daysAgo(1), completed })
}

async function pass(person: Person, of = video): Promise<void> {
  await query(
    `insert into quiz_attempts (organization_id, quiz_id, version_id, video_id, viewer_key, user_id, session_id, number, seed, max_score,
      completed_at, passed) values ($1, gen_random_uuid(), gen_random_uuid(), $2, 'recipient:' || $3::text, $3::uuid, gen_random_uuid(), 1, 1, 1, now(), true)`,
    [orgId, of.videoId, person.id],
  )
}

async function cellsOf(reader = admin, asked: Record<string, string> = {}): Promise<Record<string, string>> {
  const { body } = await reader.call(listTraining, { params, query: asked })
  return Object.fromEntries(body.items.map(({ name, cells }) => [name, cells]))
}

test('requires sign-in', async () => {
  expect((await server.call(readTraining, { params })).status).toBe(401)
  expect((await server.call(listTraining, { params })).status).toBe(401)
  expect((await server.call(exportTraining, { params })).status).toBe(401)
})

test('requires role', async () => {
  expect((await ada.call(readTraining, { params })).status).toBe(401)
})

test('gives the row of one person', async () => {
  await send(ada)
  await send(bob)
  await watch(ada, true)
  const { body } = await admin.call(listTraining, { params, query: { personId: ada.id } })
  expect(body).toMatchObject({ total: 1, videoIds: [video.videoId], items: [{ id: ada.id, cells: 'c' }] })
  const groupadmin = await server.person('groupadmin', orgId)
  expect((await groupadmin.call(listTraining, { params, query: { personId: ada.id } })).body.items).toEqual(
    [],
  )
})

test('is empty until something was sent', async () => {
  const { body } = await admin.call(readTraining, { params })
  expect(body).toMatchObject({ videos: [], videoTotal: 0, required: 0, counts: {}, isDiscreet: false })
  expect(await cellsOf()).toMatchObject({ Ada: '', Bob: '' })
})

test('tells where everybody stands with every video, by the best evidence and the latest day', async () => {
  const second = await addVideo(server, { organizationId: orgId, title: 'Ladders' })
  await send(ada, { due: daysAgo(3) })
  await watch(ada, false)
  expect(await cellsOf()).toMatchObject({ Ada: 'o', Bob: '-' })
  // Sent again with a later day: that one rules.
  await send(ada, { days: 2, due: daysAgo(-3) })
  await send(bob, { of: second, state: 'bounced' })
  expect(await cellsOf()).toMatchObject({ Ada: 's-', Bob: '-a' })
  await send(bob, { of: second, due: daysAgo(1) })
  expect(await cellsOf()).toMatchObject({ Bob: '-o' })
  await watch(bob, true, second)
  await pass(bob, second)
  await pass(ada)
  expect(await cellsOf()).toMatchObject({ Ada: 's-', Bob: '-p' })
  const { body } = await admin.call(readTraining, { params })
  expect(body).toMatchObject({
    required: 2,
    done: 1,
    overdue: 0,
    counts: { started: 1, passed: 1 },
    people: 3,
  })
  expect(body.videos.map(({ title, counts }) => [title, counts])).toEqual([
    ['Fire drill', { started: 1 }],
    ['Ladders', { passed: 1 }],
  ])
})

test('asks nobody who was left out or whose message was cancelled, and not who is switched off', async () => {
  await send(ada, { state: 'skipped' })
  await send(bob, { state: 'cancelled' })
  expect(await cellsOf()).toMatchObject({ Ada: '-', Bob: '-' })
  await query(`update users set state = 'disabled' where id = $1`, [bob.id])
  expect(Object.keys(await cellsOf())).not.toContain('Bob')
  expect(
    (await admin.call(readTrainingCell, { params: { ...params, userId: bob.id, videoId: video.videoId } }))
      .status,
  ).toBe(404)
})

test('tells of a removed video nothing, and of one that was only watched when asked', async () => {
  await watch(ada, true)
  expect(await cellsOf()).toMatchObject({ Ada: '' })
  expect(await cellsOf(admin, { videos: 'any' })).toMatchObject({ Ada: 'c', Bob: '-' })
  const { body } = await admin.call(readTraining, { params, query: { videos: 'any' } })
  // It was not asked for, so it makes no share.
  expect(body).toMatchObject({ required: 0, done: 0, counts: { completed: 1 } })
  await query('update videos set deleted_at = now() where id = $1', [video.videoId])
  expect(await cellsOf(admin, { videos: 'any' })).toMatchObject({ Ada: '' })
})

test('sorts by what is done and overdue, finds by state, and goes on from page to page', async () => {
  const others = await Promise.all(['Cy', 'Di', 'Ed'].map(named))
  for (const person of [ada, bob, ...others]) await send(person, { due: daysAgo(person === bob ? 1 : -1) })
  await watch(ada, true)
  const names = async (asked: Record<string, string | number>) => {
    const found: string[] = []
    let { body } = await admin.call(listTraining, { params, query: { limit: 2, ...asked } })
    for (;;) {
      found.push(...body.items.map(({ name }) => name))
      if (body.next === null) return found
      body = (await admin.send('GET', body.next)).body as typeof body
    }
  }
  const everybody = await names({ sort: 'name' })
  expect(everybody.slice(0, 5)).toEqual(['Ada', 'Bob', 'Cy', 'Di', 'Ed'])
  expect(await names({ sort: '-name' })).toEqual(everybody.toReversed())
  expect((await names({ sort: '-overdue' }))[0]).toBe('Bob')
  const byShare = await names({ sort: 'done' })
  expect(byShare).toHaveLength(6)
  expect(byShare.slice(4).sort()).toEqual(['Ada', expect.stringContaining('Person')])
  expect(await names({ state: 'delivered' })).toEqual(['Cy', 'Di', 'Ed'])
  expect(await names({ state: 'delivered', sort: '-done' })).toHaveLength(3)
  expect(await names({ q: 'ada' })).toEqual(['Ada'])
  const { body } = await admin.call(listTraining, { params, query: { state: 'overdue' } })
  expect(body).toMatchObject({
    total: 1,
    items: [{ name: 'Bob', required: 1, done: 0, overdue: 1, cells: 'o' }],
  })
})

test('finds who has not done one video, whatever else is in their rows', async () => {
  const other = await addVideo(server, { organizationId: orgId, title: 'Other' })
  const cy = await named('Cy')
  const dan = await named('Dan')
  for (const person of [ada, bob, cy]) await send(person)
  for (const person of [ada, dan]) await send(person, { of: other })
  await watch(ada, true)
  await watch(bob, false)
  await query(
    `insert into training_waivers (organization_id, user_id, video_id, reason, given_by_name) values ($1, $2, $3, 'R', 'Ada')`,
    [orgId, cy.id, video.videoId],
  )
  const open = async (of: typeof video, more = {}) => {
    const asked = { notDone: of.videoId, ...more }
    const { items, total } = (await admin.call(listTraining, { params, query: asked })).body
    expect(total).toBe(items.length)
    return items.map(({ name }) => name)
  }
  for (const sort of ['name', 'done'] as const) {
    expect(await open(video, { sort })).toEqual(['Bob'])
    expect(await open(other, { sort: sort === 'name' ? sort : '-done' })).toEqual(['Ada', 'Dan'])
  }
  expect(await open(other, { state: 'completed' })).toEqual(['Ada'])
  expect((await admin.call(listTraining, { params, query: { notDone: 'x' } })).status).toBe(422)
  expect(await open({ ...video, videoId: crypto.randomUUID() })).toEqual([])
  const url = `/api/organizations/${orgId}/training/export?form=cells&notDone=${other.videoId}`
  const file = await server.app.inject({ url, headers: { authorization: `Bearer ${admin.token}` } })
  expect(file.body.trim().split('\r\n')).toHaveLength(3)
})

test('shows a groupadmin the members of their groups and the videos that those were sent', async () => {
  const other = await addVideo(server, { organizationId: orgId, title: 'Secrets' })
  await send(ada)
  await send(bob, { of: other })
  const groupadmin = await server.person('groupadmin', orgId)
  const { body: group } = await admin.call(createGroup, { params, body: { name: 'Crew' } })
  await query(
    `insert into group_members (organization_id, group_id, user_id, groupadmin) values ($1, $2, $3, true), ($1, $2, $4, false)`,
    [orgId, group.id, groupadmin.id, ada.id],
  )
  expect(Object.entries(await cellsOf(groupadmin))).toEqual([
    ['Ada', 'd'],
    [expect.stringContaining('Person'), '-'],
  ])
  const { body } = await groupadmin.call(readTraining, { params, query: { videos: 'any' } })
  expect(body.videos.map(({ title }) => title)).toEqual(['Fire drill'])
  expect(body).toMatchObject({
    people: 2,
    counts: { delivered: 1 },
    groups: [{ name: 'Crew' }],
    projects: [],
  })
  const cell = (userId: string, videoId: string) =>
    groupadmin.call(readTrainingCell, { params: { ...params, userId, videoId } })
  expect((await cell(ada.id, video.videoId)).status).toBe(200)
  expect((await cell(ada.id, other.videoId)).status).toBe(404)
  expect((await cell(bob.id, other.videoId)).status).toBe(404)
  expect(
    (await groupadmin.send('GET', `/api/organizations/${orgId}/training/export?form=cells`)).body,
  ).not.toContain('Bob')
})

test('keeps organizations apart, and refuses what is no id', async () => {
  await send(ada)
  const stranger = await server.person('admin', await server.organization())
  for (const endpoint of [readTraining, listTraining, exportTraining])
    expect((await stranger.call(endpoint, { params })).status).toBe(404)
  const foreign = await addVideo(server, { organizationId: String(stranger.organizationId) })
  const cell = (userId: string, videoId: string) =>
    admin.call(readTrainingCell, { params: { ...params, userId, videoId } })
  expect((await cell(stranger.id, video.videoId)).status).toBe(404)
  expect((await cell(ada.id, foreign.videoId)).status).toBe(404)
  expect((await cell(`${ada.id}'--`, video.videoId)).status).toBe(404)
  for (const wrong of ['state=none', 'sort=email', 'groupId=x', 'after=x', 'videos=all'])
    expect(
      (await admin.send('GET', `/api/organizations/${orgId}/training/people?${wrong}`)).status,
    ).toBeGreaterThanOrEqual(400)
})

test('tells where only completions are recorded of nothing but completions and their day', async () => {
  await send(ada)
  await send(bob)
  await watch(ada, false)
  await watch(bob, true)
  await pass(bob)
  await setPolicies(server, orgId, { trackingMode: 'completed_only' })
  expect(await cellsOf()).toMatchObject({ Ada: 'd', Bob: 'c' })
  const { body } = await admin.call(readTraining, { params })
  expect(body).toMatchObject({ isDiscreet: true, counts: { delivered: 1, completed: 1 } })
  const cell = (
    await admin.call(readTrainingCell, { params: { ...params, userId: bob.id, videoId: video.videoId } })
  ).body
  expect(cell).toMatchObject({
    state: 'completed',
    startedAt: null,
    passedAt: null,
    messages: [{ openedAt: null }],
  })
  expect(cell.completedAt).toMatch(/T00:00:00.000Z$/)
  const file = String(
    (await admin.send('GET', `/api/organizations/${orgId}/training/export?form=cells`)).body,
  )
  expect(file).not.toContain('Passed,2')
  expect(
    file
      .split('\r\n')
      .find((line) => line.startsWith('Bob'))
      ?.split(',')
      .slice(7),
  ).toEqual(['', cell.completedAt, '', '', '', '', '', '', ''])
})

test('exports the matrix and its cells, without formulas', async () => {
  await query(`update users set name = '=1+1' where id = $1`, [bob.id])
  const made = await send(ada, { due: daysAgo(-3) })
  await watch(ada, true)
  const file = (form: string, more = '') =>
    admin.send('GET', `/api/organizations/${orgId}/training/export?form=${form}${more}`)
  const matrix = await file('matrix')
  expect(matrix.headers['content-disposition']).toMatch(/training-matrix-\d{4}-\d\d-\d\d\.csv/)
  const lines = String(matrix.body).split('\r\n')
  expect(lines[0]).toBe('\uFEFFName,Email,Required,Completed,Late,Fire drill')
  expect(lines).toContain(`Ada,${ada.email},1,1,0,Completed`)
  expect(lines).toContain(`'=1+1,${bob.email},0,0,0,`)
  const cells = String((await file('cells')).body).split('\r\n')
  expect(cells).toHaveLength(3)
  expect(cells[1]).toMatch(
    new RegExp(`^Ada,${ada.email},Fire drill,Completed,20.*Z,20.*Z,20.*Z,20.*Z,20.*Z,,,,,,,$`),
  )
  expect(String((await file('cells', '&state=overdue')).body).split('\r\n')).toHaveLength(2)
  const written = await query(
    `select count(*)::int as n from audit where organization_id = $1 and action = 'training.exported'`,
    [orgId],
  )
  expect(written.rows).toEqual([{ n: 3 }])
  expect(made.transmissionId).not.toBe('')
})

test('a transmission says by when it is due, which lies ahead', async () => {
  const create = (dueAt: string) =>
    admin.call(createTransmission, {
      body: { body: 'Hi', accountId: orgId, videoId: video.videoId, userId: ada.id, dueAt },
    })
  expect((await create(daysAgo(1).toISOString())).problem).toMatchObject({ fields: { dueAt: ['not_ahead'] } })
  const dueAt = daysAgo(-7).toISOString()
  const made = await create(dueAt)
  expect(made.status).toBe(201)
  const { body } = await admin.call(readTransmission, { params: { transmissionId: made.body.id } })
  expect(body.dueAt).toBe(dueAt)
})
