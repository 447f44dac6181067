import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { addPeople } from '../testing/audience.ts'
import { planNow } from '../testing/planning.ts'
import { unique } from '../testing/unique.ts'
import { until } from '../testing/until.ts'
import { writeLog } from '../testing/viewing/viewers.ts'
import { aggregate } from '../testing/viewing/watching.ts'
import { aSendingServer, aSink, aViewing, anAssignment } from '../testing/worlds.ts'

const sink = await aSink()
const sending = await aSendingServer({ SMTP_URL: sink.url, MAIL_FROM: 'training@acme.test' })
const { query } = sending.server
/** Another worker, which has the rate in its hand. */
const other = new pg.Client(sending.server.ownerUrl)
await other.connect()
afterAll(() => other.end())

const mails = async (userId: string) =>
  (
    await query<{ state: string; reason: string | null }>(
      'select state, reason from deliveries where user_id = $1 order by id',
      [userId],
    )
  ).map(({ state, reason }) => reason ?? state)

/** Somebody who got the first message of an assignment. */
async function begin(): Promise<string> {
  const { server, org, admin, videoId } = sending
  const [userId = ''] = await addPeople(server, org, { count: 1, prefix: unique() })
  await anAssignment(admin, {
    videoId,
    audience: { userIds: [userId] },
    reminders: { daysBefore: [3], onTheDay: true, daysAfter: [], weekly: false, most: 5 },
  })
  await planNow(sending.server)
  await until(async () => (await mails(userId)).join(' ') === 'accepted', 20)
  return userId
}

async function remind(userId: string): Promise<void> {
  await query(`update obligations set next_message_on = current_date - 1 where user_id = $1`, [userId])
  await planNow(sending.server)
}

/** They watch all of it, which is not counted before `aggregate` is called. */
async function report(userId: string): Promise<void> {
  const { server, videoId } = sending
  await writeLog(server, [await aViewing(server, { videoId, userId })])
}

test('what is reported while the reminder waits for its turn counts', async () => {
  const userId = await begin()
  await other.query('begin')
  await other.query('select from send_lanes for update')
  await remind(userId)
  await until(async () => {
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%send_lanes%'`
    return (await query(waiting)).length === 1 && (await mails(userId)).length === 2
  }, 20)
  await report(userId)
  await other.query('commit')
  await aggregate(sending.server, [])
  await until(async () => (await mails(userId)).at(-1) !== 'queued', 20)
  expect(await mails(userId)).toEqual(['accepted', 'already_done'])
})

test('what is reported while a worker has the reminder, and has not yet sent it, counts', async () => {
  const userId = await begin()
  sink.options.delayMs = () => 1_000
  await remind(userId)
  await until(async () => (await mails(userId)).at(-1) === 'sending', 20)
  await report(userId)
  await until(async () => (await mails(userId)).at(-1) === 'queued', 20)
  await aggregate(sending.server, [])
  await until(async () => (await mails(userId)).at(-1) !== 'queued', 20)
  expect(await mails(userId)).toEqual(['accepted', 'already_done'])
  const [reminded] = await query<{ address: string }>('select address from deliveries where user_id = $1', [
    userId,
  ])
  expect(sink.received.filter(({ to }) => to === reminded?.address)).toHaveLength(1)
})
