import { beforeEach, expect, test } from 'vitest'
import { readOrganization, updateOrganizationSettings } from '#contract/directory/organizations.ts'
import { eraseEvidence } from '#contract/evidence/privacy.ts'
import { exportTraining, listTraining, readTraining } from '#contract/matrix/training.ts'
import { deleteUser } from '#contract/directory/users.ts'
import { deleteVideo } from '#contract/videos/videos.ts'
import { applyRetention } from '../evidence/privacy/retention.ts'
import { drain } from '../platform/derived/keys.ts'
import { addGroup } from '../testing/audience.ts'
import { dayPasses } from '../testing/day-passes.ts'
import { addPastViewing, daysAgo, dayOf } from '../testing/viewing/past.ts'
import type { Person } from '../testing/server.ts'
import { addDelivery, addVideo } from '../testing/viewing/viewing.ts'
import { aServer, anOrganization } from '../testing/worlds.ts'
import { trainingCells } from './recompute.ts'

const server = await aServer()
const { query } = server

let orgId: string
let params: { orgId: string }
let admin: Person
let people: Record<'Ada' | 'Bob' | 'Cleo', Person>
let video: { videoId: string; versionId: string }

/** Three days ago everybody was sent the video, due a day and a half later. */
beforeEach(async () => {
  orgId = await server.organization()
  params = { orgId }
  // Days are those of UTC, as in the dates of this file.
  await query(
    `update organizations set time_zone = 'UTC', matrix_since = now() - interval '9 days' where id = $1`,
    [orgId],
  )
  admin = await server.person('admin', orgId)
  video = await addVideo(server, { organizationId: orgId, title: 'Fire drill' })
  people = { Ada: await named('Ada'), Bob: await named('Bob'), Cleo: await named('Cleo') }
  for (const { id } of Object.values(people)) {
    const { transmissionId } = await addDelivery(server, { organizationId: orgId, ...video, userId: id })
    await query(`update transmissions set due_at = now() + interval '36 hours' where id = $1`, [
      transmissionId,
    ])
  }
  await settle()
  for (let day = 0; day < 3; day++) await dayPasses(server, orgId)
})

async function named(name: string): Promise<Person> {
  const person = await server.person(null, orgId)
  await query('update users set name = $2 where id = $1', [person.id, name])
  return person
}

const settle = () => drain(server.services.db, trainingCells)
const before = (days: number) => dayOf(daysAgo(days))
const watch = ({ id }: Person) =>
  addPastViewing(server, {
    organizationId: orgId,
    ...video,
    userId: id,
    coveredMs: 1_000,
    watchMs: 1_000,
    at: new Date(),
    completed: true,
  })

/** Who stands where, as one reader sees it at the end of the day so many days ago. */
async function stood(days: number, reader = admin): Promise<Record<string, string>> {
  const { status, body, problem } = await reader.call(listTraining, { params, query: { on: before(days) } })
  expect([status, problem?.fields]).toEqual([200, undefined])
  return Object.fromEntries(
    body.items.filter(({ name }) => name in people).map(({ name, cells }) => [name, cells]),
  )
}

test('a day reads as it ended, with who and what has been removed since, and names its sums', async () => {
  await watch(people.Ada)
  await admin.call(deleteUser, { params: { orgId, userId: people.Bob.id } })
  await query(`update users set state = 'disabled' where id = $1`, [people.Cleo.id])
  await admin.call(deleteVideo, { params: { videoId: video.videoId } })
  await settle()
  expect((await admin.call(readTraining, { params })).body).toMatchObject({ videos: [], required: 0 })
  expect(await stood(3)).toEqual({ Ada: 'd', Bob: 'd', Cleo: 'd' })
  // Their day was over by then, though nothing was written when it was.
  expect(await stood(1)).toEqual({ Ada: 'o', Bob: 'o', Cleo: 'o' })
  const { body } = await admin.call(readTraining, { params, query: { on: before(1) } })
  expect(body).toMatchObject({
    required: 3,
    done: 0,
    overdue: 3,
    asOf: null,
    pastDays: { first: before(9), last: before(1) },
    videos: [{ title: 'Fire drill', required: 3, counts: { overdue: 3 } }],
  })
  const late = { on: before(1), state: 'overdue', notDone: video.videoId, q: 'Bob' } as const
  const { items, total } = (await admin.call(listTraining, { params, query: late })).body
  expect([items.map(({ name }) => name), total]).toEqual([['Bob'], 1])
})

test('what becomes of somebody today is in today, and in no day before', async () => {
  await watch(people.Ada)
  expect((await admin.call(readTraining, { params })).body).toMatchObject({ done: 1, overdue: 2 })
  expect(await stood(1)).toEqual({ Ada: 'o', Bob: 'o', Cleo: 'o' })
  await dayPasses(server, orgId)
  expect(await stood(1)).toEqual({ Ada: 'c', Bob: 'o', Cleo: 'o' })
  expect(await stood(2)).toEqual({ Ada: 'o', Bob: 'o', Cleo: 'o' })
  // Whoever came later was nowhere.
  expect(await stood(8)).toEqual({})
})

test('a day ends at midnight where the organization is', async () => {
  await query(`update organizations set time_zone = 'Pacific/Auckland' where id = $1`, [orgId])
  const [day] = await query<{ on: string; end: Date }>(
    `select d.on::text, (d.on + 1)::timestamp at time zone 'Pacific/Auckland' as end
      from (select (now() at time zone 'Pacific/Auckland')::date - 2 as on) d`,
  )
  const at = async (ms: number) => {
    const since = new Date((day?.end.getTime() ?? 0) + ms)
    await query('update training_cells set since = $2 where organization_id = $1', [orgId, since])
    await query('delete from past_training_cells where organization_id = $1', [orgId])
    const asked = { params, query: { on: day?.on ?? '' } }
    return (await admin.call(readTraining, asked)).body.required
  }
  expect(await at(-1)).toBe(3)
  expect(await at(0)).toBe(0)
})

test('refuses a day that is not over, one of which nothing is kept, and what is no day', async () => {
  const asked = (on: string) =>
    Promise.all(
      [readTraining, listTraining, exportTraining].map(async (endpoint) => {
        const { status, problem } = await admin.call(endpoint, { params, query: { on } })
        return [status, problem?.fields?.['on']]
      }),
    )
  for (const on of [before(0), before(-1), '8999-12-31'])
    expect(await asked(on)).toEqual([1, 2, 3].map(() => [422, ['not_over']]))
  for (const on of [before(10), '1000-01-01'])
    expect(await asked(on)).toEqual([1, 2, 3].map(() => [422, ['not_kept']]))
  for (const on of ['9999-12-31', '0001-01-01'])
    expect(await asked(on)).toEqual([1, 2, 3].map(() => [422, ['invalid_date']]))
  for (const on of ['2026-02-30', 'yesterday']) expect((await asked(on))[0]?.[0]).toBe(422)
  const address = `/api${readTraining.path.replace(':orgId', params.orgId)}`
  expect((await admin.send('GET', `${address}?on=`)).status).toBe(422)
  expect(
    (await admin.call(exportTraining, { params, query: { on: before(1), form: 'cells' } })).problem?.fields,
  ).toEqual({ form: ['not_a_choice'] })
  const { orgId: young, admin: owner } = await anOrganization(server)
  expect((await owner.call(readTraining, { params: { orgId: young } })).body.pastDays).toBeNull()
})

test('shows a groupadmin their people alone, and a stranger nothing', async () => {
  const groupadmin = await server.person('groupadmin', orgId)
  const groupId = await addGroup(server, orgId, [groupadmin.id, people.Ada.id])
  await query('update group_members set groupadmin = true where group_id = $1 and user_id = $2', [
    groupId,
    groupadmin.id,
  ])
  expect(await stood(1, groupadmin)).toEqual({ Ada: 'o' })
  const stranger = await server.person('admin', await server.organization())
  for (const endpoint of [readTraining, listTraining, exportTraining])
    expect((await stranger.call(endpoint, { params, query: { on: before(1) } })).status).toBe(404)
  const nowhere = { orgId: crypto.randomUUID() }
  const superadmin = await server.person('superadmin', null)
  expect((await superadmin.call(readTraining, { params: nowhere, query: { on: before(1) } })).status).toBe(
    404,
  )
})

test('is handed on as a file that says of which day it is', async () => {
  const file = (format: string) =>
    admin.send(
      'GET',
      `/api/organizations/${orgId}/training/export?form=matrix&format=${format}&on=${before(1)}`,
    )
  await watch(people.Ada)
  const csv = await file('csv')
  expect(csv.headers['content-disposition']).toContain(`training-matrix-of-${before(1)}-`)
  expect(String(csv.body)).toContain(`Ada,${people.Ada.email},1,0,1,Late`)
  expect((await file('pdf')).status).toBe(200)
})

test('viewing evidence that is erased goes from the days before as well, and is not kept when its cells change', async () => {
  await watch(people.Ada)
  await settle()
  await dayPasses(server, orgId)
  expect((await stood(1))['Ada']).toBe('c')
  await admin.call(eraseEvidence, { params: { orgId, userId: people.Ada.id }, body: { when: 'now' } })
  await settle()
  for (const days of [1, 2, 3, 4]) expect((await stood(days))['Ada']).toBe('-')
  const theirs = await query<{ bits: number }>('select bits from past_training_cells where user_id = $1', [
    people.Ada.id,
  ])
  expect(theirs).toEqual([])
  // What is asked of them still is.
  expect((await admin.call(listTraining, { params })).body.items.map(({ cells }) => cells)).toContain('o')
})

test('where nothing but completions was recorded since, no more is told of the days before, nor kept', async () => {
  await query(`update transmissions set due_at = null where organization_id = $1`, [orgId])
  const started = { coveredMs: 500, watchMs: 500, at: new Date(), completed: false }
  await addPastViewing(server, { organizationId: orgId, ...video, userId: people.Bob.id, ...started })
  await settle()
  await dayPasses(server, orgId)
  // That Bob started will be in a past cell, that the others did in a present one.
  for (const { id } of [people.Ada, people.Cleo])
    await addPastViewing(server, { organizationId: orgId, ...video, userId: id, ...started })
  await settle()
  await dayPasses(server, orgId)
  const forget = (whose: readonly Person[]) =>
    query('update viewer_videos set plays = 0, covered_ms = 0 where user_id = any($1)', [
      whose.map(({ id }) => id),
    ])
  await forget([people.Bob])
  await settle()
  expect(await stood(1)).toEqual({ Ada: 's', Bob: 's', Cleo: 's' })
  const { name } = (await admin.call(readOrganization, { params })).body
  const recording = async (trackingMode: 'completed_only' | 'full') =>
    expect(
      (await admin.call(updateOrganizationSettings, { params, body: { name, policies: { trackingMode } } }))
        .status,
    ).toBe(200)
  await recording('completed_only')
  expect(await stood(1)).toMatchObject({ Ada: 'd', Bob: 'd' })
  // As it is deleted then.
  await forget([people.Ada])
  await settle()
  await recording('full')
  expect(await stood(1)).toMatchObject({ Ada: 'd', Bob: 'd' })
  await query(
    `update private_periods set ended_at = ended_at - interval '26 hours' where organization_id = $1`,
    [orgId],
  )
  await dayPasses(server, orgId)
  await dayPasses(server, orgId)
  await applyRetention(server.services)
  expect(
    await query('select 1 from private_periods where organization_id = $1 and wiped_at is null', [orgId]),
  ).toEqual([])
  // What is worked out only afterwards is kept without it, too.
  await forget([people.Cleo])
  await settle()
  expect(await stood(3)).toEqual({ Ada: 'd', Bob: 'd', Cleo: 'd' })
})

test('goes when viewing evidence of that age does', async () => {
  await watch(people.Ada)
  await settle()
  const stored = () => query('select 1 from past_training_cells where organization_id = $1', [orgId])
  expect((await stored()).length).toBeGreaterThan(0)
  await applyRetention(server.services)
  expect((await stored()).length).toBeGreaterThan(0)
  await query(`update organizations set matrix_since = now() - interval '900 days' where id = $1`, [orgId])
  await query(
    `update past_training_cells set since = since - interval '800 days', until = until - interval '800 days' where organization_id = $1`,
    [orgId],
  )
  await applyRetention(server.services)
  expect(await stored()).toEqual([])
  const [first] = await query<{ day: string }>(
    `select ((now() at time zone 'UTC')::date - interval '25 months')::date::text as day`,
  )
  expect((await admin.call(readTraining, { params })).body.pastDays?.first).toBe(first?.day)
})
