import { expect, test } from 'vitest'
import { updateOrganizationSettings } from '#contract/directory/organizations.ts'
import { createUser, deleteUser, updateUser } from '#contract/directory/users.ts'
import type { EventType } from '#contract/events/event-types.ts'
import { issueCertificate } from '#contract/evidence/certificates.ts'
import { createImport, rehearseImport, startImport } from '#contract/imports/imports.ts'
import { addPeople } from '../testing/audience.ts'
import {
  eventOf,
  eventsAreOut,
  isSignedBy,
  aServerWithSystems,
  anEventAddress,
  postEvents,
} from '../testing/mail/systems.ts'
import { openSink } from '../testing/mail/sink.ts'
import { workOnOperations } from '../testing/operations.ts'
import { planNow } from '../testing/planning.ts'
import { classroom, draft, question } from '../testing/quizzes/quizzes.ts'
import { unique } from '../testing/unique.ts'
import { until } from '../testing/until.ts'
import { durationMs, watched } from '../testing/viewing/watched.ts'
import { addVideo } from '../testing/viewing/viewing.ts'
import { aSentVideo, anAssignment, setPolicies, watches } from '../testing/worlds.ts'
import { noteDays } from './late.ts'

const sink = await openSink({
  reply: (step, to) => (step === 'rcpt' && to.includes('gone') ? '550 5.1.1 no such user' : undefined),
})
const world = await aServerWithSystems({ SMTP_URL: sink.url })
const { server, admin, org, receiver, url } = world
const operations = await workOnOperations(server)
postEvents(server)
const { secret } = await anEventAddress(admin, url)
const params = { orgId: org }

/** Everything of a type about somebody that has come so far. */
const come = (type: EventType, userId?: string) =>
  receiver.posted.filter(
    ({ body }) => body.startsWith(`{"type":"${type}"`) && (userId === undefined || body.includes(userId)),
  )

/** The first of a type about somebody, once it has come: signed, and as the contract describes it. */
async function told(type: EventType, userId?: string) {
  await until(async () => come(type, userId).length > 0, 30)
  const [posted] = come(type, userId)
  if (!posted) throw new Error(`no ${type} came`)
  expect(isSignedBy(secret, posted)).toBe(true)
  expect(posted.headers['webhook-id']).toMatch(/^[0-9a-f-]{36}$/)
  const event = eventOf(posted)
  expect(Math.abs(Date.parse(event.timestamp) - Date.now())).toBeLessThan(3_600_000)
  return event.data
}

const person = async () => (await addPeople(server, org, { count: 1, prefix: unique() }))[0] ?? ''

test('somebody who is created, changed and leaves', async () => {
  const email = `ada.${unique()}@example.test`
  const made = await admin.call(createUser, { params, body: { name: 'Ada', email, externalId: unique() } })
  expect(made.status).toBe(201)
  const { id: userId, externalId } = made.body
  expect(await told('person.created', userId)).toEqual({
    person: { id: userId, name: 'Ada', email, externalId, phone: null, role: null, state: 'active' },
  })
  await admin.call(updateUser, {
    params: { ...params, userId },
    body: { name: 'Ada Lovelace', email, phone: '+49 1' },
  })
  expect(await told('person.changed', userId)).toMatchObject({
    person: { name: 'Ada Lovelace', phone: '+49 1' },
    changed: expect.arrayContaining(['name', 'phone']),
  })
  await admin.call(deleteUser, { params: { ...params, userId } })
  expect(await told('person.left', userId)).toMatchObject({ person: { id: userId, state: 'deleted' } })
  expect(come('person.changed', userId)).toHaveLength(1)
})

test('a message that is taken, refused, or of which nobody knows', async () => {
  const [taken, gone, vague] = await Promise.all([person(), person(), person()])
  await server.query(`update users set email = 'gone-' || id || '@example.test' where id = $1`, [gone])
  await aSentVideo(admin, { videoId: world.videoId, userId: taken, subject: 'Please watch' })
  expect(await told('delivery.accepted', taken)).toMatchObject({
    person: { id: taken },
    transmission: { subject: 'Please watch' },
    delivery: { state: 'accepted' },
  })
  await aSentVideo(admin, { videoId: world.videoId, userId: gone })
  expect(await told('delivery.returned', gone)).toMatchObject({
    delivery: { state: 'rejected', reason: expect.stringContaining('550') },
  })
  sink.options.drop = (step) => step === 'afterData'
  await aSentVideo(admin, { videoId: world.videoId, userId: vague })
  delete sink.options.drop
  expect(await told('delivery.unknown', vague)).toMatchObject({ delivery: { state: 'unknown' } })
})

test('a video that is opened and completed, and its certificate', async () => {
  const userId = await person()
  const { videoId } = await watched(server, { orgId: org, userId }, [[0, durationMs]])
  expect(await told('video.opened', userId)).toMatchObject({ person: { id: userId }, video: { id: videoId } })
  expect(await told('video.completed', userId)).toMatchObject({ video: { id: videoId, title: 'Fire drill' } })
  const issued = await admin.call(issueCertificate, { params: { ...params, userId }, body: { videoId } })
  expect(await told('certificate.issued', userId)).toMatchObject({
    certificate: { id: issued.body.id },
    video: { id: videoId },
  })
})

test('questions that are passed and failed', async () => {
  const room = await classroom(server)
  const address = await anEventAddress(room.author, url, ['questions.passed', 'questions.failed'])
  const take = async (option: number) => {
    const [userId = ''] = await addPeople(server, room.video.organizationId, { count: 1, prefix: unique() })
    const { start, say } = await room.asked(draft([question()]), { userId })
    const { body: attempt } = await start()
    await say(attempt, { options: [option] })
    return userId
  }
  const passed = await take(0)
  await until(async () => come('questions.passed', passed).length > 0, 30)
  const [posted] = come('questions.passed', passed)
  expect(posted && isSignedBy(address.secret, posted)).toBe(true)
  expect(posted && eventOf(posted).data).toMatchObject({ attempt: { number: 1, score: 1, maxScore: 1 } })
  const failed = await take(1)
  await until(async () => come('questions.failed', failed).length > 0, 30)
  expect(come('questions.failed', failed).map((one) => eventOf(one).data)).toMatchObject([
    { person: { id: failed }, attempt: { score: 0 } },
  ])
})

test('an assignment that is overdue, done, and expires soon, each once', async () => {
  const [late, done] = await Promise.all([person(), person()])
  const { videoId } = await addVideo(server, { organizationId: org })
  const audience = { userIds: [late, done] }
  await anAssignment(admin, { videoId, audience, validity: { months: 12, renewDays: 30 } })
  await planNow(server)
  await server.query(`update event_addresses set created_at = now() - interval '1 day'`)
  await server.query(`update obligations set due_at = now() - interval '1 minute' where user_id = $1`, [late])
  await noteDays(server.services.db)
  expect(await told('assignment.overdue', late)).toMatchObject({
    person: { id: late },
    video: { id: videoId },
  })
  await watches(server, { videoId, userId: done })
  expect(await told('assignment.done', done)).toMatchObject({ doneAt: expect.any(String) })
  expect(come('assignment.expiring')).toEqual([])
  await server.query(
    `update obligations set valid_until = now() + interval '30 days' - interval '1 minute' where user_id = $1`,
    [done],
  )
  for (let n = 0; n < 3; n += 1) await noteDays(server.services.db)
  expect(await told('assignment.expiring', done)).toMatchObject({ validUntil: expect.any(String) })
  await eventsAreOut(server)
  for (const type of ['assignment.overdue', 'assignment.expiring'] as const)
    expect(come(type).map((one) => eventOf(one).type)).toEqual([type])
})

test('an import that has finished', async () => {
  const content = `name,email\nGrace,grace.${unique()}@example.test\n`
  const made = await admin.call(createImport, { params, body: { fileName: 'people.csv', content } })
  const at = { params: { ...params, importId: made.body.id } }
  await admin.call(rehearseImport, at)
  expect((await admin.call(startImport, at)).problem).toBeUndefined()
  expect(await told('import.finished', made.body.id)).toEqual({
    import: { id: made.body.id, fileName: 'people.csv', state: 'done', rows: 1, counts: { created: 1 } },
  })
  await operations.stop()
})

test('where only completions are recorded, nobody is told before the day is over when somebody watched', async () => {
  const orgId = await server.organization()
  const other = await server.person('admin', orgId)
  await anEventAddress(other, url, ['video.opened', 'video.completed'])
  await setPolicies(server, orgId, { trackingMode: 'completed_only' })
  const [userId = ''] = await addPeople(server, orgId, { count: 1, prefix: unique() })
  await watched(server, { orgId, userId }, [[0, durationMs]])
  const kept = await server.query<{ type: string; isHeld: boolean; isDay: boolean }>(
    `select type, due_at > now() as "isHeld", at = date_trunc('day', at, 'UTC') as "isDay" from events where subject = $1`,
    [userId],
  )
  expect(kept).toEqual([{ type: 'video.completed', isHeld: true, isDay: true }])
  await other.call(updateOrganizationSettings, { params: { orgId }, body: { name: 'Discreet Ltd' } })
  expect(come('video.completed', userId)).toEqual([])
  await server.query(`update events set due_at = now() where subject = $1`, [userId])
  await until(async () => come('video.completed', userId).length === 1, 20)
})
