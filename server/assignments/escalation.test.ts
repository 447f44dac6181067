import { beforeEach, expect, test } from 'vitest'
import {
  createAssignment,
  mostReminded,
  readAssignment,
  remindPeople,
  type Escalation,
} from '#contract/assignments/assignments.ts'
import { listTraining } from '#contract/matrix/training.ts'
import { readUser, updateUser } from '#contract/directory/users.ts'
import { addGroup, addPeople, addVideo } from '../testing/audience.ts'
import type { Person } from '../testing/server.ts'
import { unique } from '../testing/unique.ts'
import { writeLog } from '../testing/viewing/viewers.ts'
import { aggregate } from '../testing/viewing/watching.ts'
import { aGroupOf, aSendingServer, aViewing, anOrganization, assignmentOf } from '../testing/worlds.ts'
import { escalateLate } from './escalation.ts'
import { planAssignments } from './plan.ts'

const sending = await aSendingServer()
const { server } = sending
const { query } = server

let orgId: string
let admin: Person
let videoId: string
let people: string[]
let groupId: string

beforeEach(async () => {
  await query(`update assignments set state = 'ended'`)
  ;({ orgId, admin } = await anOrganization(server))
  videoId = await addVideo(server, orgId)
  ;({ people, groupId } = await aGroupOf(server, orgId, 3))
})

const plan = (escalation: Escalation, more: object = {}) =>
  assignmentOf({
    name: 'Fire drill',
    videoId,
    audience: { userIds: people },
    reminders: { daysBefore: [], onTheDay: false, daysAfter: [300], weekly: false, most: 1 },
    escalation,
    start: true,
    ...more,
  })

/** Everybody has had the first message and is so many days beyond the due day. */
async function late(escalation: Escalation, days = 5, more: object = {}): Promise<string> {
  const made = await admin.call(createAssignment, { params: { orgId }, body: plan(escalation, more) })
  expect([made.status, made.problem]).toEqual([201, undefined])
  await planAssignments(server.services)
  await query(
    `update obligations set due_at = due_at - make_interval(days => $2), counts_from = counts_from - interval '20 days',
      last_message_at = now() - interval '2 days' where assignment_id = $1`,
    [made.body.id, 11 + days],
  )
  return made.body.id
}

const look = () => escalateLate(server.services)
const manager = { afterDays: 3, to: 'manager' } as const
const groupadmins = { afterDays: 3, to: 'groupadmins' } as const

/** Digests of this organization, to whom and what they say. */
const digests = () =>
  query<{ address: string; subject: string; text: string; html: string }>(
    `select address, subject, text, html from mails where organization_id = $1 and delivery_id is null and subject ~ 'late at|Verzug' order by created_at, address`,
    [orgId],
  )

async function groupadmin(of = groupId): Promise<Person> {
  const one = await server.person('groupadmin', orgId)
  await query(
    'insert into group_members (organization_id, group_id, user_id, groupadmin) values ($1, $2, $3, true)',
    [orgId, of, one.id],
  )
  return one
}

const emailOf = async (id = '') =>
  (await query<{ email: string }>('select email from users where id = $1', [id]))[0]?.email ?? ''
const nameOf = async (id = '') =>
  (await query<{ name: string }>('select name from users where id = $1', [id]))[0]?.name ?? ''
const manages = async (userId: string, of: readonly (string | undefined)[]) =>
  query('update users set manager = $2 where id = any($1)', [of, await emailOf(userId)])

const seen = (userId = '', part?: [number, number]) => aViewing(server, { videoId, userId, part })

test('a manager without a role gets one mail a day that names everybody who is late, and no link', async () => {
  const [boss = ''] = await addPeople(server, orgId, { count: 1, prefix: unique() })
  await manages(boss, people)
  const id = await late(manager)
  expect((await admin.call(readAssignment, { params: { orgId, assignmentId: id } })).body.escalation).toEqual(
    manager,
  )
  await aggregate(server, [await seen(people[0], [0, 15_000])])
  await look()
  await look()
  const [mail, ...others] = await digests()
  expect(others).toEqual([])
  expect(mail).toMatchObject({
    address: await emailOf(boss),
    subject: expect.stringMatching(/^3 people are late at/),
  })
  for (const person of people) {
    expect(mail?.text).toContain(await nameOf(person))
    expect(mail?.html).toContain(await nameOf(person))
  }
  expect(mail?.text).toContain('Fire drill, due on ')
  expect(mail?.text).toContain('75% of the video is missing.')
  expect(mail?.text).toContain('100% of the video is missing.')
  expect(mail?.text).not.toContain('/reports/')
  await query(`update escalation_digests set day = day - 1`)
  await look()
  expect(await digests()).toHaveLength(2)
})

test('nobody is told before the days have passed, nor of who is done, also while their report waits, excused or gone', async () => {
  const [boss = ''] = await addPeople(server, orgId, { count: 1, prefix: unique() })
  await manages(boss, people)
  const id = await late(manager, 1)
  await look()
  expect(await digests()).toEqual([])
  await query(`update obligations set due_at = due_at - interval '5 days' where assignment_id = $1`, [id])
  await query(`update obligations set state = 'waived' where assignment_id = $1 and user_id = $2`, [
    id,
    people[1],
  ])
  await query('update users set deleted_at = now() where id = $1', [people[2]])
  const batch = await seen(people[0])
  await writeLog(server, [batch])
  await look()
  expect(await digests()).toEqual([])
  await aggregate(server, [])
  await look()
  expect(await digests()).toEqual([])
})

test('without a due day the days count from the first message', async () => {
  const [boss = ''] = await addPeople(server, orgId, { count: 1, prefix: unique() })
  await manages(boss, people)
  const id = await late(manager, 0, { due: { kind: 'none' } })
  await look()
  expect(await digests()).toEqual([])
  await query(
    `update obligation_messages set slot = slot - 3 where obligation_id in (select id from obligations where assignment_id = $1)`,
    [id],
  )
  await look()
  expect((await digests()).map(({ text }) => text)).toEqual([
    expect.stringContaining('Fire drill, asked for on '),
  ])
})

test('group administrators are told of their own people alone, in their language, with a link; then managers fall back to them', async () => {
  const eva = await groupadmin()
  const other = await groupadmin(await addGroup(server, orgId, people.slice(0, 1)))
  await query(`update users set language = 'de' where id = $1`, [eva.id])
  await late(groupadmins)
  await look()
  const byAddress = new Map((await digests()).map((one) => [one.address, one]))
  expect(byAddress.size).toBe(2)
  expect(byAddress.get(await emailOf(eva.id))?.subject).toMatch(/^3 Personen sind bei/)
  expect(byAddress.get(await emailOf(other.id))?.subject).toMatch(/^1 person is late at/)
  await query('delete from mails')
  await query('delete from escalation_digests')
  await query(
    `update assignments set escalation = '{"afterDays":3,"to":"manager"}' where organization_id = $1`,
    [orgId],
  )
  const [boss = ''] = await addPeople(server, orgId, { count: 1, prefix: unique() })
  await manages(boss, people.slice(0, 1))
  await look()
  const after = new Map((await digests()).map(({ address, subject }) => [address, subject.slice(0, 8)]))
  expect([after.size, after.get(await emailOf(boss)), after.get(await emailOf(eva.id))]).toEqual([
    2,
    '1 person',
    '2 Person',
  ])
})

/** Whom the matrix shows behind the link of a mail, by their names. */
async function behindLink(who: Person): Promise<string[]> {
  const address = await emailOf(who.id)
  const mail = (await digests()).find((one) => one.address === address)
  const link = /\S+\/reports\/training-matrix\?(\S+)/.exec(mail?.text ?? '')?.[1] ?? ''
  const asked = { ...Object.fromEntries(new URLSearchParams(link)), limit: 50 }
  const found = await who.call(listTraining, { params: { orgId }, query: asked })
  expect([found.status, asked]).toMatchObject([200, { toldOn: expect.any(String) }])
  return found.body.items.map(({ name }) => name).toSorted()
}

test('the link opens the matrix with exactly those whom the mail names, whoever else is late', async () => {
  const [a = '', b = '', c = ''] = people
  const names = async (ids: readonly string[]) => (await Promise.all(ids.map(nameOf))).toSorted()
  const eva = await groupadmin(await addGroup(server, orgId, [a, b, c]))
  await manages(eva.id, [a, b])
  await late(manager)
  // Late as well, and told to nobody.
  const video = await addVideo(server, orgId)
  const others = await addPeople(server, orgId, { count: 2, prefix: unique() })
  await addGroup(server, orgId, others)
  await late(null, 5, { videoId: video, audience: { userIds: [...others, c] } })
  await query(`update users set manager = $2 where id = $1`, [c, await emailOf(admin.id)])
  await look()
  const toEva = (await digests()).find(({ text }) => text.includes('/reports/training-matrix?state=overdue'))
  expect(toEva).toBeDefined()
  expect(await behindLink(eva)).toEqual(await names([a, b]))
  expect(await behindLink(admin)).toEqual(await names([c]))
  const all = await admin.call(listTraining, { params: { orgId }, query: { state: 'overdue' } })
  expect(all.body.total).toBe(5)
  // Whoever has done it meanwhile is overdue no more, and nobody opens the mail of another.
  await query(`update obligations set state = 'done', done_at = now() where user_id = $1`, [a])
  expect(await behindLink(eva)).toEqual(await names([b]))
})

test('where there is neither, the author is told; who cannot be written to is passed over', async () => {
  const [boss = ''] = await addPeople(server, orgId, { count: 1, prefix: unique() })
  await manages(boss, people)
  await query(
    `insert into suppressions (organization_id, address, reason) values ($1, lower($2), 'hard_bounce')`,
    [orgId, await emailOf(boss)],
  )
  await late(manager)
  await look()
  expect((await digests()).map(({ address }) => address)).toEqual([await emailOf(admin.id)])
})

test('two planners at the same moment send it once, and another organization hears nothing', async () => {
  const strangerOrg = await server.organization()
  const [stranger = ''] = await addPeople(server, strangerOrg, { count: 1, prefix: unique() })
  await manages(stranger, people)
  const eva = await groupadmin()
  await late(manager)
  await Promise.all(Array.from({ length: 6 }, look))
  expect((await digests()).map(({ address }) => address)).toEqual([await emailOf(eva.id)])
  expect(await query('select 1 from mails where organization_id = $1', [strangerOrg])).toEqual([])
})

test('what fails while the mails are written leaves no row behind, and is made up for', async () => {
  await late(manager)
  await expect(escalateLate({ ...server.services, env: undefined as never })).rejects.toThrow('productName')
  expect([
    await digests(),
    await query('select 1 from escalation_digests where organization_id = $1', [orgId]),
  ]).toEqual([[], []])
  await look()
  expect(await digests()).toHaveLength(1)
})

test('managers who name each other in a circle, or themselves, are told like any other', async () => {
  const [a = '', b = '', c = ''] = people
  await manages(a, [b, c])
  await manages(b, [a])
  await query('update users set manager = email where id = $1', [c])
  await late(manager)
  await look()
  expect((await digests()).map(({ address }) => address).toSorted()).toEqual(
    [await emailOf(a), await emailOf(b), await emailOf(admin.id)].toSorted(),
  )
})

const remind = (who: Person, body: { userIds: string[]; videoIds?: string[] }, org = orgId) =>
  who.call(remindPeople, { params: { orgId: org }, body })
const sentTo = async (userId = '') =>
  (
    await query<{ n: number }>(
      `select count(*)::int as n from obligation_messages m join obligations o on o.id = m.obligation_id
        where o.user_id = $1 and m.kind = 'manual'`,
      [userId],
    )
  )[0]?.n

test('a groupadmin reminds those of their people who owe something, each once a day', async () => {
  const eva = await groupadmin()
  const id = await late(null)
  const [a = '', b = '', c = ''] = people
  await query(`update obligations set state = 'done' where assignment_id = $1 and user_id = $2`, [id, b])
  const said = await remind(eva, { userIds: people })
  expect([said.status, said.body]).toEqual([
    202,
    { reminded: 2, nothingOwed: 1, remindedToday: 0, notNow: 0 },
  ])
  expect([await sentTo(a), await sentTo(b), await sentTo(c)]).toEqual([1, 0, 1])
  expect((await remind(eva, { userIds: people })).body).toEqual({
    reminded: 0,
    nothingOwed: 1,
    remindedToday: 2,
    notNow: 0,
  })
  expect([await sentTo(a), await sentTo(c)]).toEqual([1, 1])
  const log = await query(`select 1 from audit where action = 'obligation.reminded' and actor_id = $1`, [
    eva.id,
  ])
  expect(log).toHaveLength(2)
})

test('only for the videos that were chosen, and by two at once nobody twice', async () => {
  const eva = await groupadmin()
  await late(null)
  const elsewhere = await addVideo(server, orgId)
  expect((await remind(eva, { userIds: people, videoIds: [elsewhere] })).body).toMatchObject({
    nothingOwed: 3,
  })
  await Promise.all([remind(eva, { userIds: people }), remind(admin, { userIds: people })])
  expect([await sentTo(people[0]), await sentTo(people[1])]).toEqual([1, 1])
})

test('nobody reminds people out of their sight, and nobody without a role anybody', async () => {
  const eva = await groupadmin()
  await late(null)
  const [outside = ''] = await addPeople(server, orgId, { count: 1, prefix: unique() })
  expect((await remind(eva, { userIds: [people[0] ?? '', outside] })).status).toBe(404)
  const stranger = await server.person('admin', await server.organization())
  expect((await remind(stranger, { userIds: people })).status).toBe(404)
  expect((await remind(stranger, { userIds: people }, stranger.organizationId ?? '')).status).toBe(404)
  expect((await server.call(remindPeople, { params: { orgId }, body: { userIds: people } })).status).toBe(401)
  const many = Array.from({ length: mostReminded + 1 }, () => crypto.randomUUID())
  expect((await remind(eva, { userIds: many })).problem?.fields).toEqual({ userIds: ['too_long'] })
  expect(await sentTo(people[0])).toBe(0)
})

test('an escalation has from 1 to 90 days and a known reader, and a manager is set in the form', async () => {
  for (const escalation of [
    { afterDays: 0, to: 'manager' },
    { afterDays: 91, to: 'manager' },
    { afterDays: 3, to: 'all' },
  ])
    expect(
      (await admin.call(createAssignment, { params: { orgId }, body: plan(escalation as never) })).status,
    ).toBe(422)
  const params = { orgId, userId: people[0] ?? '' }
  const { name, email } = (await admin.call(readUser, { params })).body
  const given = await emailOf(people[1])
  await admin.call(updateUser, { params, body: { name, email, manager: given } })
  expect((await admin.call(readUser, { params })).body.manager).toBe(given)
})
