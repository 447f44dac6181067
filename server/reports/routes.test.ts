import { beforeEach, expect, test } from 'vitest'
import { readDashboardFigures } from '#contract/dashboard.ts'
import { createGroup } from '#contract/directory/groups.ts'
import { readDashboard, readOrganizationDashboard } from '#contract/directory/organizations.ts'
import { listUserActivity, reportMessages } from '#contract/reports/reports.ts'
import { createUser } from '#contract/directory/users.ts'
import type { Person } from '../testing/server.ts'
import { aServer, anOrganization } from '../testing/worlds.ts'

const server = await aServer()

let admin: Person
let orgId: string
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
})

test('requires sign-in', async () => {
  expect((await server.call(readDashboard)).status).toBe(401)
  expect((await server.call(readOrganizationDashboard, { params: { orgId } })).status).toBe(401)
})

test('requires role', async () => {
  const stranger = await server.person('admin', await server.organization())
  const answer = await stranger.call(readOrganizationDashboard, { params: { orgId } })
  expect(answer.status).toBe(404)
})

/** One transmission to these people; each of them has opened it and watched 10 s today, the first to the end. */
async function viewing(userIds: string[]): Promise<void> {
  await server.query(
    `with video as (insert into videos (organization_id, title, state) values ($1, 'V', 'ready') returning id),
      version as (insert into video_versions (organization_id, video_id, number, file_name, size)
        select $1, id, 1, 'v.mp4', 1 from video returning id, video_id),
      sent as (insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience)
        select $1, 'completed', 's', 'b', video_id, id, $1, 'S', '{}' from version returning id, video_id, version_id),
      people as (select id, n from unnest($2::uuid[]) with ordinality p(id, n)),
      delivered as (insert into deliveries (transmission_id, organization_id, user_id, address, state)
        select sent.id, $1, people.id, people.id || '@example.test', 'accepted' from sent, people returning *),
      viewed as (insert into delivery_viewing (transmission_id, delivery_id, organization_id, opened_at, watch_ms, completed_at)
        select d.transmission_id, d.id, $1, now(), 10000, case when p.n = 1 then now() end
        from delivered d join people p on p.id = d.user_id),
      rolled as (insert into day_rollups (organization_id, video_id, day, watch_ms)
        select $1, video_id, (now() at time zone 'UTC')::date::text, 10000 * cardinality($2::uuid[]) from sent)
      insert into viewer_days (organization_id, video_id, user_id, viewer_key, day, sessions, plays, watch_ms)
        select $1, video_id, people.id, 'recipient:' || people.id, (now() at time zone 'UTC')::date::text, 1, 1, 10000 from sent, people`,
    [orgId, userIds],
  )
}

test('adds up what an admin may see, and nothing of others', async () => {
  const people = [await server.person(null, orgId), await server.person(null, orgId)]
  await viewing(people.map((person) => person.id))
  const expected = { users: 3, videos: 1, transmissions: 1, recipients: 2, opened: 2, completed: 1 }
  const own = await admin.call(readDashboard)
  expect(own.body).toMatchObject({ organizations: 1, watchedMs: 20_000, ...expected })
  expect(own.body.days).toHaveLength(30)
  expect(own.body.days.at(-1)).toMatchObject({ watchedMs: 20_000, viewers: 2 })
  expect(own.body.days.at(-1)?.day).toBe(new Date().toISOString().slice(0, 10))
  const named = await admin.call(readOrganizationDashboard, { params: { orgId } })
  expect(named.body).toMatchObject(expected)
  const stranger = await server.person('admin', await server.organization())
  expect((await stranger.call(readDashboard)).body).toMatchObject({ users: 1, watchedMs: 0, recipients: 0 })
})

test('adds up everything for a superadmin', async () => {
  const person = await server.person(null, orgId)
  const superadmin = await server.person('superadmin')
  const before = (await superadmin.call(readDashboard)).body
  await viewing([person.id])
  const after = (await superadmin.call(readDashboard)).body
  expect(after.organizations).toBeGreaterThan(1)
  expect((after.watchedMs ?? 0) - (before.watchedMs ?? 0)).toBe(10_000)
  expect(after.recipients - before.recipients).toBe(1)
  const unknown = { orgId: '0192d7a4-0000-7000-8000-000000000000' }
  expect((await superadmin.call(readOrganizationDashboard, { params: unknown })).status).toBe(404)
})

test('shows a groupadmin the figures of their members only', async () => {
  const groupadmin = await server.person('groupadmin', orgId)
  const group = await groupadmin.call(createGroup, { params: { orgId }, body: { name: 'Mine' } })
  const body = { name: 'In', email: `in-${orgId}@example.test`, groupIds: [group.body.id] }
  const inside = await admin.call(createUser, { params: { orgId }, body })
  const outside = await server.person(null, orgId)
  await viewing([outside.id, inside.body.id])
  const figures = await groupadmin.call(readOrganizationDashboard, { params: { orgId } })
  expect(figures.body).toMatchObject({
    users: 2,
    groups: 1,
    videos: 1,
    transmissions: 1,
    recipients: 1,
    opened: 1,
    completed: 0,
    watchedMs: 10_000,
  })
  expect(figures.body.days.at(-1)).toMatchObject({ watchedMs: 10_000, viewers: 1 })
  expect((await groupadmin.call(readDashboard)).body).toMatchObject({ organizations: 1, users: 2 })
  const nobody = await server.person('groupadmin', orgId)
  expect((await nobody.call(readDashboard)).body).toMatchObject({ users: 0, groups: 0, watchedMs: 0 })
})

test('tells apart what rests in the outbox, for administrators and groupadmins', async () => {
  const groupadmin = await server.person('groupadmin', orgId)
  const group = await groupadmin.call(createGroup, { params: { orgId }, body: { name: 'Resting' } })
  const body = { name: 'Rest', email: `rest-${orgId}@example.test`, groupIds: [group.body.id] }
  const inside = await admin.call(createUser, { params: { orgId }, body })
  const outside = await server.person(null, orgId)
  await viewing([inside.body.id, outside.id])
  const makeResting = `update deliveries set provider_ref = 'outbox' where organization_id = $1 and user_id = any($2::uuid[])`
  const before = (await admin.call(readDashboard)).body.resting
  const sent = async () => {
    const { accepted, resting } = (await admin.call(reportMessages)).body
    const { figures } = (await admin.call(readDashboardFigures)).body
    const received = figures.find(({ key }) => key === 'received')?.value
    const person = (await admin.call(listUserActivity, { query: { q: 'Rest', limit: 5 } })).body.items[0]
    return [accepted.value, resting.value, received, person?.received]
  }
  const had = Number((await sent())[0])
  expect(await sent()).toEqual([had, 0, had, 1])
  await server.query(makeResting, [orgId, [inside.body.id, outside.id]])
  expect((await admin.call(readDashboard)).body.resting - before).toBe(2)
  expect((await groupadmin.call(readDashboard)).body).toMatchObject({ recipients: 1, resting: 1 })
  // It is sent nowhere: reports, their people and the figures of the dashboard count it no more.
  expect(await sent()).toEqual([had - 2, 2, had - 2, 0])
})
