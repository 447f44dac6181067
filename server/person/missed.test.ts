import { beforeEach, expect, test } from 'vitest'
import { barAddress, liftBar } from '#contract/transmissions/barred-addresses.ts'
import { listMissed, sendMissed } from '#contract/person/missed.ts'
import { readObligationHistory } from '#contract/duty/obligations.ts'
import {
  createTransmission,
  editTransmission,
  listTransmissions,
  previewAudience,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import { listUsers, updateUser } from '#contract/directory/users.ts'
import { addGroup, addPeople, addVideo } from '../testing/audience.ts'
import { minutePasses, sentAll } from '../testing/planning.ts'
import { unique } from '../testing/unique.ts'
import { until } from '../testing/until.ts'
import { aSendingServer, aSink, anAssignment, setPolicies } from '../testing/worlds.ts'

const sink = await aSink()
const sending = await aSendingServer({ SMTP_URL: sink.url })
const { server, org: orgId, admin } = sending
const { query } = server

let videoId: string
let userId: string
let old: string

beforeEach(async () => {
  videoId = await addVideo(server, orgId)
  const prefix = unique()
  const [id = ''] = await addPeople(server, orgId, { count: 1, prefix })
  userId = id
  old = `${prefix}-1@example.test`
  sink.options.reply = (step, to) =>
    step === 'rcpt' && to === old ? '550 5.1.1 no such user here' : undefined
})

const whose = () => ({ orgId, userId })
const missed = async () => (await admin.call(listMissed, { params: whose() })).body
const idsOf = async () => (await missed()).items.map(({ id }) => id)
const sendAll = async (ids: string[]) => admin.call(sendMissed, { params: whose(), body: { ids } })
const mailsTo = (address: string) => sink.received.filter(({ to }) => to === address).length
const read = async (transmissionId: string) =>
  (await admin.call(readTransmission, { params: { transmissionId } })).body

async function send(more: object = {}): Promise<string> {
  const body = { body: 'Hello', subject: 'Fire drill', videoId, userId, accountId: orgId, ...more }
  const made = await admin.call(createTransmission, { body })
  expect([made.status, made.problem]).toEqual([201, undefined])
  await until(async () => ['completed', 'failed'].includes((await read(made.body.id)).state), 20)
  return made.body.id
}

/** Nobody would be left to send it to, so somebody else is written to as well. */
async function sendToBarred(more: object): Promise<string> {
  const [other = ''] = await addPeople(server, orgId, { count: 1, prefix: unique() })
  return send({ ...more, userId: undefined, audience: { userIds: [userId, other] } })
}

async function move(email = `${unique()}@example.test`): Promise<string> {
  const body = { name: 'Ada', email }
  expect((await admin.call(updateUser, { params: whose(), body })).status).toBe(200)
  return email
}

const follow = async (id: string) =>
  (await admin.call(listTransmissions, { query: { follows: id } })).body.items

test('what did not reach an address goes to the one that is right, once, however often it is asked for', async () => {
  const first = await send({ subject: 'The first' })
  // The address is barred by now, so that nothing is tried.
  const second = await sendToBarred({ subject: 'The second' })
  expect((await read(first)).counts).toMatchObject({ rejected: 1 })
  expect(await idsOf()).toEqual([])
  const address = await move()
  const { items } = await missed()
  expect(
    items.map(({ transmission, address: to, state, reason }) => [transmission.subject, to, state, reason]),
  ).toEqual([
    ['The second', old, 'skipped', 'suppressed'],
    ['The first', old, 'rejected', expect.stringContaining('no such user here')],
  ])
  const ids = items.map(({ id }) => id)
  const answers = await Promise.all([sendAll(ids), sendAll(ids), sendAll(ids)])
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
  expect(answers.reduce((sum, { body }) => sum + body.sent, 0)).toBe(2)
  await sentAll(server)
  expect(mailsTo(address)).toBe(2)
  expect(await idsOf()).toEqual([])
  expect((await sendAll(ids)).body).toEqual({ sent: 0, toApprove: 0 })
  // What failed stays as it was, and says what followed.
  expect((await read(first)).counts).toMatchObject({ rejected: 1 })
  expect((await follow(first)).map(({ subject, counts }) => [subject, counts.accepted])).toEqual([
    ['The first', 1],
  ])
  const log = await query(`select after from audit where action = 'user.missed_sent' and entity_id = $1`, [
    userId,
  ])
  expect(log).toHaveLength(1)
  expect(log).toMatchObject([
    { after: { transmissionIds: expect.arrayContaining([first, second]) as string[] } },
  ])
})

test('is not sent to them once more with all whose mail failed', async () => {
  const [other = ''] = await addPeople(server, orgId, { count: 1, prefix: unique() })
  const id = await send({ userId: undefined, audience: { userIds: [userId, other] } })
  await move()
  await sendAll(await idsOf())
  await sentAll(server)
  const failed = { of: { transmissionId: id, part: 'failed' as const } }
  const asked = await admin.call(previewAudience, { body: { accountId: orgId, audience: failed } })
  expect(asked.body.recipients).toBe(0)
})

test('whoever is sent it with all others has not missed it', async () => {
  const id = await send()
  const address = await move()
  expect(await idsOf()).toHaveLength(1)
  await send({ userId: undefined, audience: { of: { transmissionId: id, part: 'failed' } } })
  expect(mailsTo(address)).toBe(1)
  expect(await idsOf()).toEqual([])
})

test('an address that is barred or wrong as well is written to not at all, or is missed itself', async () => {
  await send()
  const barred = await move()
  await admin.call(barAddress, { params: { orgId }, body: { address: barred, reason: 'On leave' } })
  expect(await idsOf()).toEqual([])
  const [first] = await query<{ id: string }>('select id from deliveries where user_id = $1', [userId])
  const known = first?.id ?? ''
  expect((await sendAll([known])).body.sent).toBe(0)
  await admin.call(liftBar, { params: { orgId }, body: { address: barred } })
  expect(await idsOf()).toEqual([known])
  sink.options.reply = (step) => (step === 'rcpt' ? '550 5.1.1 nobody either' : undefined)
  await sendAll([known])
  await sentAll(server)
  expect((await missed()).returned).toMatchObject({ state: 'rejected' })
  sink.options.reply = () => undefined
  const address = await move()
  const { items, returned } = await missed()
  expect([items.length, items[0]?.address, returned]).toEqual([1, barred, null])
  await sendAll(items.map((one) => one.id))
  await sentAll(server)
  expect(mailsTo(address)).toBe(1)
})

test('what is needless by now is not offered: done, cancelled, over, or never sent', async () => {
  const done = await send()
  const over = await sendToBarred({ subject: 'By a day' })
  const cancelled = await sendToBarred({ subject: 'Taken back' })
  await move()
  expect(await idsOf()).toHaveLength(3)
  await query(`update transmissions set due_at = now() - interval '1 hour' where id = $1`, [over])
  expect(await idsOf()).toHaveLength(2)
  await query(`update transmissions set state = 'cancelled' where id = $1`, [cancelled])
  expect((await missed()).items.map(({ transmission }) => transmission.id)).toEqual([done])
  await query(
    `insert into viewer_videos (organization_id, version_id, video_id, viewer_key, user_id, completed_at, first_at, last_at)
      select organization_id, id, video_id, 'recipient:' || $2::text, $2::uuid, now(), now(), now() from video_versions where video_id = $1`,
    [videoId, userId],
  )
  expect(await idsOf()).toEqual([])
})

test('of several messages with the same words about the same video the last is missed', async () => {
  await send()
  const last = await sendToBarred({})
  const address = await move()
  const { items } = await missed()
  expect(items.map(({ transmission }) => transmission.id)).toEqual([last])
  await sendAll(items.map(({ id }) => id))
  await sentAll(server)
  expect([mailsTo(address), await idsOf()]).toEqual([1, []])
})

test('nobody but administrators of the same organization sees or sends it', async () => {
  await send()
  await move()
  const ids = await idsOf()
  const stranger = await server.person('admin', await server.organization())
  const head = await server.person('groupadmin', orgId)
  for (const [person, params, status] of [
    [stranger, whose(), 404],
    [stranger, { orgId: stranger.organizationId ?? '', userId }, 404],
    [head, whose(), 403],
  ] as const) {
    expect((await person.call(listMissed, { params })).status).toBe(status)
    expect((await person.call(sendMissed, { params, body: { ids } })).status).toBe(status)
  }
  const [other = ''] = await addPeople(server, orgId, { count: 1, prefix: unique() })
  const nothing = await admin.call(sendMissed, { params: { orgId, userId: other }, body: { ids } })
  expect(nothing.body).toEqual({ sent: 0, toApprove: 0 })
  expect((await admin.call(sendMissed, { params: whose(), body: { ids: [] } })).status).toBe(422)
  expect(await idsOf()).toEqual(ids)
})

test('waits for an approval as its own message would, and stays the one after its author has changed it', async () => {
  const id = await send()
  const address = await move()
  await setPolicies(server, orgId, { approvalThreshold: 0 })
  expect((await sendAll(await idsOf())).body).toEqual({ sent: 1, toApprove: 1 })
  expect(await idsOf()).toEqual([])
  const [waiting] = await follow(id)
  expect(waiting?.state).toBe('pending_approval')
  const edited = await admin.call(editTransmission, {
    params: { transmissionId: waiting?.id ?? '' },
    body: { version: waiting?.version ?? 0, videoId, body: 'Other words', audience: { userIds: [userId] } },
  })
  expect(edited.body.state).toBe('draft')
  expect(await idsOf()).toEqual([])
  expect(mailsTo(address)).toBe(0)
  await setPolicies(server, orgId, { approvalThreshold: null })
})

test('a duty is reminded of, once, and not after it has ended', async () => {
  const groupId = await addGroup(server, orgId, [userId])
  const assignmentId = await anAssignment(admin, {
    videoId,
    audience: { groupIds: [groupId] },
    reminders: { daysBefore: [], onTheDay: false, daysAfter: [], weekly: false, most: 5 },
  })
  await minutePasses(server)
  const address = await move()
  const { items } = await missed()
  expect(items.map(({ assignment, state }) => [assignment?.id, state])).toEqual([[assignmentId, 'rejected']])
  const ids = items.map(({ id }) => id)
  const answers = await Promise.all([sendAll(ids), sendAll(ids)])
  expect(answers.map(({ body }) => body.sent).toSorted((a, b) => a - b)).toEqual([0, 1])
  await sentAll(server)
  expect(mailsTo(address)).toBe(1)
  const history = await admin.call(readObligationHistory, { params: { orgId, assignmentId, userId } })
  expect(history.body.messages.map(({ kind, state }) => `${kind} ${state}`).toSorted()).toEqual([
    'first rejected',
    'manual accepted',
  ])
  await query(
    `update deliveries set state = 'bounced', address = 'elsewhere@example.test' where user_id = $1`,
    [userId],
  )
  await query(
    `update obligation_messages set slot = slot - 1 where kind = 'manual' and organization_id = $1`,
    [orgId],
  )
  expect(await idsOf()).toHaveLength(1)
  await query(`update assignments set state = 'ended' where id = $1`, [assignmentId])
  expect(await idsOf()).toEqual([])
})

test('the list of people says that an address is barred or that mail came back, and why', async () => {
  const troubleOf = async (by = admin) => {
    const { items } = (await by.call(listUsers, { params: { orgId }, query: { q: old.split('@')[0] ?? '' } }))
      .body
    return items.find(({ id }) => id === userId)?.trouble
  }
  expect(await troubleOf()).toBeNull()
  await send()
  expect(await troubleOf()).toEqual({ kind: 'barred', reason: 'no_such_mailbox' })
  await query(`delete from suppressions where address = $1`, [old])
  expect(await troubleOf()).toEqual({
    kind: 'rejected',
    reason: expect.stringContaining('no such user here') as string,
  })
  sink.options.reply = () => undefined
  await send()
  expect(await troubleOf()).toBeNull()
  await query(
    `update deliveries set state = 'bounced', reason = 'mailbox full' where user_id = $1 and state = 'accepted'`,
    [userId],
  )
  expect(await troubleOf()).toEqual({ kind: 'bounced', reason: 'mailbox full' })
  const groupId = await addGroup(server, orgId, [userId])
  const head = await server.person('groupadmin', orgId)
  await query(
    `insert into group_members (organization_id, group_id, user_id, groupadmin) values ($1, $2, $3, true)`,
    [orgId, groupId, head.id],
  )
  expect(await troubleOf(head)).toBeNull()
  await query(`insert into unsubscriptions (organization_id, user_id, address) values ($1, $2, $3)`, [
    orgId,
    userId,
    old,
  ])
  expect(await troubleOf()).toEqual({ kind: 'barred', reason: 'unsubscribed' })
})
