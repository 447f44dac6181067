import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAssignment } from '#contract/assignments.ts'
import { addPeople } from '../../testing/audience.ts'
import { startSendingServer, type SendingServer } from '../../testing/sending.ts'
import { until } from '../../testing/until.ts'
import { writeLog } from '../../testing/viewers.ts'
import { aggregate, watched } from '../../testing/watching.ts'
import { planAssignments } from './plan.ts'

let sending: SendingServer
/** Another worker, which has the rate in its hand. */
let other: pg.Client

beforeAll(async () => {
  sending = await startSendingServer()
  other = new pg.Client(sending.server.ownerUrl)
  await other.connect()
})
afterAll(async () => {
  await other.end()
  await sending.close()
})

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await sending.server.services.db.system.query<Row>(text, values)).rows
const planNow = () => planAssignments(sending.server.services)
const mails = async (userId: string) =>
  (
    await query<{ state: string; reason: string | null }>(
      'select state, reason from deliveries where user_id = $1 order by id',
      [userId],
    )
  ).map(({ state, reason }) => reason ?? state)

test('what is reported while the reminder waits for its turn counts', async () => {
  const { server, org, admin, videoId } = sending
  const [userId = ''] = await addPeople(server, org, { count: 1 })
  await admin.call(createAssignment, {
    params: { orgId: org },
    body: {
      name: 'Fire drill',
      videoId,
      audience: { userIds: [userId] },
      requirement: 'watched',
      due: { kind: 'after', days: 10, working: false },
      validity: null,
      countsSince: null,
      reminders: { daysBefore: [3], onTheDay: true, daysAfter: [], weekly: false, most: 5 },
      subject: 'Please watch this',
      message: 'It concerns everybody.',
      start: true,
    },
  })
  await planNow()
  await until(async () => (await mails(userId)).join(' ') === 'accepted', 20)
  await other.query('begin')
  await other.query('select from send_lanes for update')
  await query(`update obligations set next_message_on = current_date - 1`)
  await planNow()
  await until(async () => {
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%send_lanes%'`
    return (await query(waiting)).length === 1 && (await mails(userId)).length === 2
  }, 20)
  const [version] = await query<{ id: string }>('select id from video_versions where video_id = $1', [
    videoId,
  ])
  const play = { org, video: videoId, version: version?.id ?? '', kind: 'recipient', userId } as const
  const seen = { ...play, durMs: 60_000, maxRate: 2, theta: 0.95 }
  await writeLog(server, [watched(server, { play: seen, at: Date.now() + 1_000, part: [0, 60_000] })])
  await other.query('commit')
  await aggregate(server, [])
  await until(async () => (await mails(userId)).at(-1) !== 'queued', 20)
  expect(await mails(userId)).toEqual(['accepted', 'already_done'])
})
