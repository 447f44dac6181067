import pg from 'pg'
import { beforeEach, expect, test } from 'vitest'
import {
  changeAssignment,
  listObligations,
  readAssignment,
  remindObligation,
} from '#contract/assignments/assignments.ts'
import { previewAssignment } from '#contract/assignments/assignment-preview.ts'
import { readObligationHistory } from '#contract/duty/obligations.ts'
import { addPeople, addVideo } from '../testing/audience.ts'
import { minutePasses, planNow, sentAll } from '../testing/planning.ts'
import { unique } from '../testing/unique.ts'
import { until } from '../testing/until.ts'
import { openPage } from '../testing/viewing/viewing.ts'
import { aSendingServer, anAssignment, assignmentOf, mailsTo, watches } from '../testing/worlds.ts'

const sending = await aSendingServer()
const { server, org: orgId } = sending
const { query } = server

let videoId: string
let userId: string

beforeEach(async () => {
  await query(`update assignments set state = 'ended'`)
  videoId = await addVideo(server, orgId)
  ;[userId = ''] = await addPeople(server, orgId, { count: 1, prefix: unique() })
})

const reminders = { daysBefore: [3], onTheDay: true, daysAfter: [], weekly: false, most: 5 }
const plan = (name: string, days: number, more: object = {}) =>
  assignmentOf({
    name,
    videoId,
    audience: { userIds: [userId] },
    due: { kind: 'after' as const, days, working: false },
    reminders,
    subject: `About ${name}`,
    ...more,
  })

const assign = (name: string, days: number, more: object = {}) =>
  anAssignment(sending.admin, plan(name, days, more))

const send = () => minutePasses(server)

const mails = () => mailsTo(server, userId)

async function ledger(assignmentId: string): Promise<string[]> {
  const params = { orgId, assignmentId, userId }
  const { messages } = (await sending.admin.call(readObligationHistory, { params })).body
  return messages.map(({ kind, state }) => `${kind} ${state}`).sort()
}

const standing = async (assignmentId: string) =>
  (await sending.admin.call(listObligations, { params: { orgId, assignmentId } })).body.items[0]

const dayAfter = (days: number) => Temporal.Now.plainDateISO('UTC').add({ days })
const inWords = (days: number) => dayAfter(days).toLocaleString('en-US', { dateStyle: 'long' })

/** Of each day there is one message alone, and until eight in the morning the day of messages is the one before. */
const isDue = (assignmentId: string, daysAgo = 2) =>
  query(`update obligations set next_message_on = current_date - $2::int where assignment_id = $1`, [
    assignmentId,
    daysAgo,
  ])

const see = (part: [number, number], at?: number) => watches(server, { videoId, userId, part, at })

test('who owes a video twice gets one mail, which names both days and stands in both ledgers', async () => {
  const later = await assign('the later one', 20)
  const earlier = await assign('the earlier one', 10)
  await send()
  const [mail, ...others] = await mails()
  expect(others).toEqual([])
  expect(mail?.subject).toBe('About the earlier one')
  expect(mail?.text).toContain(
    `Please watch it by ${inWords(10)}. You owe it once more by ${inWords(20)}; what you watch now counts for that as well.`,
  )
  expect([await ledger(earlier), await ledger(later)]).toEqual([['first accepted'], ['first accepted']])
  expect(await standing(later)).toMatchObject({ unsent: 'outbox' })
})

test('the earlier day plans reminders, and the other goes on where it was once that one is done', async () => {
  const later = await assign('the later one', 20)
  const earlier = await assign('the earlier one', 10, { statement: 'I have read it.' })
  await send()
  await isDue(later)
  await send()
  expect(await mails()).toHaveLength(1)
  expect(await standing(later)).toMatchObject({ nextMessageOn: dayAfter(7).toString() })
  await isDue(earlier)
  await isDue(later)
  await send()
  expect(await mails()).toHaveLength(2)
  expect([await ledger(earlier), await ledger(later)]).toEqual([
    ['first accepted', 'reminder accepted'],
    ['first accepted', 'reminder accepted'],
  ])
  const params = { orgId, assignmentId: earlier }
  const { version } = (await sending.admin.call(readAssignment, { params })).body
  await sending.admin.call(changeAssignment, { params, body: { action: 'end', version } })
  await isDue(later, 3)
  await send()
  const last = (await mails()).at(-1)
  expect(last?.subject).toBe('About the later one')
  expect(last?.text).toContain(`Please watch it by ${inWords(20)}.\n`)
  expect(await ledger(later)).toEqual(['first accepted', 'reminder accepted', 'reminder accepted'])
})

test('whoever is done with the earlier one still gets the mail that names the other, and its link plays what that lacks', async () => {
  const earlier = await assign('the earlier one', 10)
  await send()
  await query(`update obligations set counts_from = now() - interval '1 day' where assignment_id = $1`, [
    earlier,
  ])
  await see([0, 30_000], Date.now() - 600_000)
  const later = await assign('the later one', 20)
  await send()
  const both = `Please watch it by ${inWords(10)}. You owe it once more by ${inWords(20)};`
  expect((await mails()).map(({ text }) => text.includes(both))).toEqual([false, true])
  await see([20_000, 40_000], Date.now() + 100_000)
  await isDue(earlier)
  const other = new pg.Client(server.ownerUrl)
  await other.connect()
  await other.query('begin')
  await other.query('select from send_lanes for update')
  await planNow(server)
  await see([40_000, 60_000], Date.now() + 200_000)
  await other.query('commit')
  await other.end()
  await sentAll(server)
  expect(await standing(earlier)).toMatchObject({ state: 'done' })
  expect(await standing(later)).toMatchObject({ state: 'started', missingMs: 20_000 })
  const last = (await mails()).at(-1)
  expect(last?.subject).toBe('About the earlier one')
  expect(last?.text).toContain('Missing: 0:00 to 0:20 (20 seconds).')
  const { data } = await openPage(server, /(\/w\/video\/\S+)/.exec(last?.text ?? '')?.[1] ?? '')
  expect((data as { missing?: unknown } | undefined)?.missing).toEqual([[0, 20_000]])
  expect(await ledger(later)).toEqual(['first accepted', 'reminder accepted'])
})

test('viewing is counted while a message about it is planned, and neither waits for the other crosswise', async () => {
  const earlier = await assign('the earlier one', 10)
  await assign('the later one', 20)
  await send()
  await isDue(earlier)
  const counting = new pg.Client(server.ownerUrl)
  await counting.connect()
  const count = () =>
    counting.query('update obligations set updated_at = now() where assignment_id = $1 and user_id = $2', [
      earlier,
      userId,
    ])
  await counting.query('begin')
  await count()
  const planning = planNow(server)
  const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%from obligations where id = any%'`
  await until(async () => (await query(waiting)).length > 0, 20)
  // As where what was seen is written down first, and then who is done with it.
  expect((await count()).rowCount).toBe(1)
  await counting.query('commit')
  await counting.end()
  await planning
  await sentAll(server)
  expect(await ledger(earlier)).toEqual(['first accepted', 'reminder accepted'])
})

test('a reminder by hand counts for both, so that nobody is reminded twice a day', async () => {
  const later = await assign('the later one', 20)
  const earlier = await assign('the earlier one', 10)
  await send()
  await query(`update obligations set last_message_at = now() - interval '2 days'`)
  const remind = (assignmentId: string) =>
    sending.admin.call(remindObligation, { params: { orgId, assignmentId, userId } })
  expect((await remind(later)).status).toBe(202)
  expect((await remind(earlier)).status).toBe(409)
  await send()
  expect(await mails()).toHaveLength(2)
  expect([await ledger(earlier), await ledger(later)]).toEqual([
    ['first accepted', 'manual accepted'],
    ['first accepted', 'manual accepted'],
  ])
})

test('the form says with which assignments it overlaps, for how many and whom', async () => {
  const id = await assign('Fire drill, every year', 10)
  await send()
  const body = { ...plan('a new one', 20), assignmentId: null }
  const { videoId, audience, requirement, countsSince } = body
  const ask = async (assignmentId: string | null) =>
    (
      await sending.admin.call(previewAssignment, {
        params: { orgId },
        body: { videoId, audience, requirement, countsSince, assignmentId },
      })
    ).body.overlaps
  const [person] = await query<{ name: string }>('select name from users where id = $1', [userId])
  expect(await ask(null)).toEqual([{ id, name: 'Fire drill, every year', people: 1, names: [person?.name] }])
  expect(await ask(id)).toEqual([])
  await see([0, 60_000])
  expect(await ask(null)).toEqual([])
})
