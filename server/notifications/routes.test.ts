import { afterAll, beforeEach, expect, test } from 'vitest'
import { viewAs } from '#contract/identity/view-as.ts'
import { changeUsers } from '#contract/directory/bulk.ts'
import { createGroup } from '#contract/directory/groups.ts'
import { createInvitation } from '#contract/directory/invitations.ts'
import {
  listNotifications,
  readNotification,
  readNotifications,
  watchNotifications,
} from '#contract/notifications/notifications.ts'
import { changeTransmission } from '#contract/transmissions/transmissions.ts'
import { notify, type BellNotice } from './notify.ts'
import { cleanUpInvitations } from '../directory/invitations/clean-up.ts'
import { daysLater } from '../testing/mail/invited.ts'
import { endOf, takeOperationBack, workOnOperations } from '../testing/operations.ts'
import type { Person } from '../testing/server.ts'
import { completeIfDone, move } from '../transmissions/ledger/states.ts'
import { expireUploads } from '../videos/uploads/queries.ts'
import { storeFailure } from '../videos/process-queries.ts'
import { forgetNotifications } from './forget.ts'
import { unique } from '../testing/unique.ts'
import { aServer, anOrganization } from '../testing/worlds.ts'

const server = await aServer()

let orgId: string
let admin: Person
let other: Person
const work = await workOnOperations(server)
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
  other = await server.person('admin', orgId)
})
afterAll(() => work.stop())

const { query: read } = server
const listOf = async (person: Person) => (await person.call(listNotifications)).body
const kindsOf = async (person: Person) => (await listOf(person)).items.map(({ kind }) => kind)
const tell = (notices: BellNotice[]) => server.services.db.as('system', (tx) => notify(tx, notices))
const notice = (person: Person, more: Partial<BellNotice> = {}): BellNotice => ({
  organizationId: person.organizationId,
  userId: person.id,
  kind: 'video.ready',
  entityId: crypto.randomUUID(),
  cause: '1',
  ...more,
})

async function video(state: string, by: Person) {
  const [made] = await read<{ videoId: string; versionId: string }>(
    `with v as (insert into videos (organization_id, title, state, created_by) values ($1, 'Fire drill', $2, $3) returning id),
      n as (insert into video_versions (organization_id, video_id, number, file_name, size)
        select $1, id, 1, 'v.mp4', 1 from v returning id, video_id)
      select id as "versionId", video_id as "videoId" from n`,
    [orgId, state, by.id],
  )
  return made ?? { videoId: '', versionId: '' }
}

/** One that is being sent to so many people, of whom the last was not reached. */
async function transmission(sender: Person, { failed = 0 } = {}) {
  const { videoId, versionId } = await video('ready', other)
  const [made] = await read<{ id: string }>(
    `with t as (insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience)
        values ($1, 'sending', 'Safety first', 'b', $2, $3, $4, 'S', '{"userIds":[],"groupIds":[],"everyone":true}') returning id),
      d as (insert into deliveries (transmission_id, organization_id, user_id, address, state)
        select id, $1, gen_random_uuid(), n || '@example.test', case when n <= $5 then 'rejected' else 'accepted' end
        from t, generate_series(1, 3) n)
      select id from t`,
    [orgId, videoId, versionId, sender.id, failed],
  )
  return { id: made?.id ?? '', organizationId: orgId }
}
const inOrganization = <T>(run: Parameters<typeof server.services.db.as<T>>[1]) =>
  server.services.db.as({ organizationId: orgId }, run)

test('an operation that has ended is told to who began it, and to nobody else; so is its undoing', async () => {
  const foreign = await server.person('admin', await server.organization())
  const superadmin = await server.person('superadmin')
  const member = await server.person(null, orgId)
  const group = await admin.call(createGroup, { params: { orgId }, body: { name: 'Night shift' } })
  const change = (groupId: string) => ({
    params: { orgId },
    body: {
      selection: { userIds: [member.id] },
      do: { action: 'add_to_group' as const, groupId },
    },
  })
  const begun = await admin.call(changeUsers, change(group.body.id))
  expect(begun.problem).toBeUndefined()
  await endOf(admin, begun.body.id)
  const list = await listOf(admin)
  expect(list).toMatchObject({ total: 1, unread: 1 })
  expect(list.items[0]).toMatchObject({
    kind: 'operation.done',
    entityId: begun.body.id,
    organizationId: orgId,
    subject: 'Night shift',
    isThere: true,
    params: { operation: 'users.add_to_group', total: 1, done: 1, failed: 0 },
    readAt: null,
  })
  await takeOperationBack(other, begun.body.id)
  expect(await kindsOf(other)).toEqual(['operation.undone'])
  expect(await kindsOf(admin)).toEqual(['operation.done'])
  const second = await superadmin.call(changeUsers, change(group.body.id))
  await endOf(superadmin, second.body.id)
  expect(await kindsOf(superadmin)).toEqual(['operation.done'])
  expect(await kindsOf(foreign)).toEqual([])
})

test('a transmission that the product stops is told to its sender and to the administrators', async () => {
  const sender = await server.person('groupadmin', orgId)
  const key = await transmission(sender)
  const step = { from: ['sending'], to: 'paused', reason: 'many_rejected', by: 'system' } as const
  // Several senders find out at the same time.
  await Promise.all([1, 2, 3].map(() => inOrganization((tx) => move(tx, key, step))))
  for (const person of [sender, admin, other])
    expect((await listOf(person)).items).toMatchObject([
      { kind: 'transmission.paused', subject: 'Safety first', params: { reason: 'many_rejected', done: 3 } },
    ])
  await read(`update users set role = 'groupadmin' where id = $1`, [other.id])
  expect(await kindsOf(other)).toEqual([])
  expect((await other.call(watchNotifications)).body.unread).toBe(0)
})

test('one that a person stops is told to its sender, and not to who did it', async () => {
  const stop = (person: Person, id: string) =>
    person.call(changeTransmission, {
      params: { transmissionId: id },
      body: { action: 'pause', version: 1 },
    })
  const { id } = await transmission(admin)
  expect((await stop(other, id)).status).toBe(200)
  expect(await kindsOf(admin)).toEqual(['transmission.paused'])
  expect(await kindsOf(other)).toEqual([])
  const own = await transmission(admin)
  await stop(admin, own.id)
  expect(await kindsOf(admin)).toHaveLength(1)
})

test('the end of sending is told to the sender, and with failures to the administrators as well', async () => {
  const [good, bad] = [await transmission(admin), await transmission(admin, { failed: 2 })]
  await inOrganization((tx) => completeIfDone(tx, good))
  await inOrganization((tx) => completeIfDone(tx, good))
  expect(await kindsOf(other)).toEqual([])
  await inOrganization((tx) => completeIfDone(tx, bad))
  expect((await listOf(admin)).items.map(({ params }) => params)).toEqual([
    { done: 1, failed: 2 },
    { done: 3, failed: 0 },
  ])
  expect(await kindsOf(other)).toEqual(['transmission.completed'])
})

test('a video that cannot be made is told to its uploader, each time that it was tried', async () => {
  const { videoId, versionId } = await video('processing', admin)
  const fail = () =>
    inOrganization((tx) =>
      storeFailure(tx, { organizationId: orgId, videoId, versionId }, 'processing_failed'),
    )
  await fail()
  await fail()
  expect(await kindsOf(admin)).toEqual(['video.failed'])
  await read(`update videos set state = 'processing' where id = $1`, [videoId])
  await fail()
  expect(await kindsOf(admin)).toEqual(['video.failed', 'video.failed'])
  const late = await video('uploading', other)
  await read(`update video_versions set created_at = now() - interval '30 days' where id = $1`, [
    late.versionId,
  ])
  await server.services.db.as('system', (tx) => expireUploads(tx, 7))
  expect(await kindsOf(other)).toEqual(['video.failed'])
})

test('an invitation that nobody accepts is told once to who sent it, without keeping the address', async () => {
  const email = `${unique()}@example.test`
  const body = { organizationId: orgId, email, role: 'admin' as const }
  await admin.call(createInvitation, { body })
  await daysLater(server, email, 7)
  await Promise.all([1, 2, 3, 4].map(() => cleanUpInvitations(server.services)))
  expect((await listOf(admin)).items).toMatchObject([{ kind: 'invitation.expired', subject: email }])
  expect(await kindsOf(other)).toEqual([])
  const stored = await read<{ all: string }>(
    'select n::text as all from notifications n where user_id = $1',
    [admin.id],
  )
  expect(stored[0]?.all).not.toContain(email)
})

test('the same is told once, and what is rolled back never', async () => {
  const same = notice(admin)
  await Promise.all([tell([same, same]), tell([same]), tell([same])])
  expect(await kindsOf(admin)).toHaveLength(1)
  const broken = server.services.db.as('system', async (tx) => {
    await notify(tx, [notice(admin)])
    throw new Error('it did not come about')
  })
  await expect(broken).rejects.toThrow('it did not come about')
  expect(await kindsOf(admin)).toHaveLength(1)
})

test('reads in pages, one or all as read, and leaves unread what came meanwhile', async () => {
  for (const cause of ['1', '2', '3', '4', '5']) await tell([notice(admin, { cause })])
  const first = await admin.call(listNotifications, { query: { limit: 2 } })
  const second = await admin.send('GET', first.body.next ?? '')
  const ids = [first.body, second.body as typeof first.body].flatMap(({ items }) => items.map(({ id }) => id))
  expect(new Set(ids).size).toBe(4)
  const [, seen = '', third = ''] = ids
  const one = await admin.call(readNotification, { params: { notificationId: third } })
  expect(one.body.unread).toBe(4)
  const all = await admin.call(readNotifications, { body: { newestId: seen } })
  expect(all.body.unread).toBe(1)
  const left = await admin.call(listNotifications, { query: { show: 'unread' } })
  expect(left.body.items.map(({ id }) => id)).toEqual([ids[0]])
})

test('nobody reads or marks what was told to somebody else', async () => {
  await tell([notice(admin)])
  const [mine] = (await listOf(admin)).items
  const stranger = await server.person('superadmin')
  for (const person of [other, stranger]) {
    expect(await kindsOf(person)).toEqual([])
    const one = await person.call(readNotification, { params: { notificationId: mine?.id ?? '' } })
    const all = await person.call(readNotifications, { body: { newestId: mine?.id ?? '' } })
    expect([one.status, all.status]).toEqual([404, 404])
  }
  expect(await listOf(admin)).toMatchObject({ unread: 1 })
})

test('a superadmin who views as somebody sees nothing of what they were told', async () => {
  await tell([notice(admin)])
  const superadmin = await server.person('superadmin')
  await superadmin.call(viewAs, { body: { userId: admin.id, reason: 'Asked for help' } })
  for (const endpoint of [listNotifications, watchNotifications])
    expect((await superadmin.call(endpoint)).problem?.code).toBe('read_only')
})

test('is forgotten after 90 days', async () => {
  await tell([notice(admin, { cause: 'old' }), notice(admin, { cause: 'new' })])
  await read(
    `update notifications set created_at = now() - interval '91 days' where cause = 'old' and user_id = $1`,
    [admin.id],
  )
  await forgetNotifications(server.services)
  expect(await kindsOf(admin)).toHaveLength(1)
})
