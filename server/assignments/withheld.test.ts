import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { listObligations, readAssignment } from '#contract/assignments/assignments.ts'
import { readSending, releaseSending } from '#contract/transmissions/sending.ts'
import { updateOrganizationSettings } from '#contract/directory/organizations.ts'
import {
  changeTransmission,
  listTransmissions,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import { deleteVideo } from '#contract/videos/videos.ts'
import { readObligationHistory } from '#contract/duty/obligations.ts'
import { addPeople, addVideo } from '../testing/audience.ts'
import { planNow, sentAll } from '../testing/planning.ts'
import { unique } from '../testing/unique.ts'
import { aSendingServer, anAssignment } from '../testing/worlds.ts'
import { planAssignments } from './plan.ts'

const sending = await aSendingServer()

const { query } = sending.server

/** To three people, of a video of its own. */
async function assign() {
  const { server, org: orgId, admin } = sending
  const videoId = await addVideo(server, orgId)
  const id = await anAssignment(admin, {
    videoId,
    audience: { userIds: await addPeople(server, orgId, { count: 3, prefix: unique() }) },
    reminders: { daysBefore: [], onTheDay: true, daysAfter: [], weekly: false, most: 3 },
    escalation: null,
  })
  const params = { orgId, assignmentId: id }
  return {
    id,
    videoId,
    read: async () => (await admin.call(readAssignment, { params })).body,
    /** Of each of its people why their newest message has not left, and whether one has. */
    told: async () =>
      (await admin.call(listObligations, { params })).body.items.map(({ unsent, lastMessageAt }) => {
        return [unsent, lastMessageAt !== null]
      }),
    /** Of the messages in the history of the first of them whether it rests in the outbox. */
    history: async () => {
      const userId = (await admin.call(listObligations, { params })).body.items[0]?.user.id ?? ''
      const { body } = await admin.call(readObligationHistory, { params: { ...params, userId } })
      return body.messages.map(({ resting }) => resting)
    },
    /** Of each of its transmissions why it waits, or its state. */
    sent: async () => {
      const { items } = (await admin.call(listTransmissions, { query: { limit: 100 } })).body
      const ours = items.filter(({ video }) => video?.id === videoId)
      return new Set(ours.map(({ state, reason }) => reason ?? state))
    },
  }
}

test('a video that was removed is named, and its assignments hold up no others', async () => {
  const { server, admin } = sending
  const silent = await assign()
  expect((await admin.call(deleteVideo, { params: { videoId: silent.videoId } })).status).toBe(200)
  await planNow(server)
  expect((await silent.read()).video.state).toBe('removed')
  // As many as are looked at in one go.
  await query(
    `with copies as (insert into assignments
        select (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(), 'planned_at', now()))).*
          from assignments a, generate_series(1, 100) where a.id = $1
        returning id)
      insert into obligations select (jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid(), 'assignment_id', c.id))).*
        from obligations o, copies c where o.assignment_id = $1`,
    [silent.id],
  )
  const other = await assign()
  await planAssignments(server.services)
  await sentAll(server)
  expect(await other.sent()).toEqual(new Set(['completed']))
  expect((await other.read()).video.state).toBe('ready')
  expect(await silent.sent()).toEqual(new Set())
})

test('what waits for an approval, for its turn, or in the outbox is told nowhere as a message that left', async () => {
  const { server, org: orgId, admin } = sending
  const threshold = (approvalThreshold: number | null) =>
    admin.call(updateOrganizationSettings, {
      params: { orgId },
      body: { name: 'Careful', policies: { approvalThreshold } },
    })
  const all = (unsent: string | null, hasLeft: boolean) => Array.from({ length: 3 }, () => [unsent, hasLeft])
  expect((await threshold(2)).status).toBe(200)
  const one = await assign()
  await planNow(server)
  await sentAll(server)
  const { held, isPlanned } = await one.read()
  expect([held, isPlanned]).toEqual([
    [{ transmissionId: expect.any(String) as string, people: 3, reason: 'audience_grown' }],
    true,
  ])
  expect(await one.told()).toEqual(all('held', false))

  const other = await server.person('admin', orgId)
  const params = { transmissionId: held[0]?.transmissionId ?? '' }
  const { version } = (await other.call(readTransmission, { params })).body
  const body = { action: 'approve' as const, version, recipients: 3 }
  expect((await other.call(changeTransmission, { params, body })).status).toBe(200)
  await sentAll(server)
  expect((await one.read()).held).toEqual([])
  expect(await one.told()).toEqual(all('outbox', false))
  expect(await one.history()).toEqual([true])

  const state = (set: string) =>
    query(`update deliveries set ${set} where transmission_id = $1`, [params.transmissionId])
  await state(`state = 'queued', provider_ref = null, accepted_at = null`)
  expect(await one.told()).toEqual(all('turn', false))
  await query(`update transmissions set state = 'paused' where id = $1`, [params.transmissionId])
  expect(await one.told()).toEqual(all('paused', false))
  await query(`update transmissions set state = 'completed' where id = $1`, [params.transmissionId])
  await state(`state = 'accepted', provider_ref = 'mail server', accepted_at = now()`)
  expect(await one.told()).toEqual(all(null, true))
  expect(await one.history()).toEqual([false])
  await threshold(null)
})

test('what assignments sent after a backup does not leave again, however soon somebody says that it was restored', async () => {
  const { server } = sending
  const superadmin = await server.person('superadmin')
  const hold = async () => (await superadmin.call(readSending)).body.hold
  const { id, sent } = await assign()
  await planNow(server)
  await sentAll(server)
  expect(await sent()).toEqual(new Set(['completed']))

  // The backup is older than a reminder of yesterday, and nobody has planned anything since it was brought back.
  await query(`update obligations set next_message_on = current_date - 1 where assignment_id = $1`, [id])
  await query(`update assignments set planned_at = now() - interval '1 day'`)
  await query(`update sending_guard set held_at = now(), signs = '{copied}', answer = null, marker = null`)
  expect((await superadmin.call(releaseSending, { body: { answer: 'restored' } })).status).toBe(200)
  await pause(2_500)
  expect(await hold()).toMatchObject({ isEnding: true })

  await planNow(server)
  await expect.poll(hold, { timeout: 20_000 }).toBeNull()
  await sentAll(server)
  expect(await sent()).toEqual(new Set(['completed', 'restored']))
})
