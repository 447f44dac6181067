import { beforeEach, expect, test } from 'vitest'
import { readReceipt } from '#contract/evidence/certificates.ts'
import { createTransmission } from '#contract/transmissions/transmissions.ts'
import { addPeople, addVideo } from '../testing/audience.ts'
import { minutePasses } from '../testing/planning.ts'
import { unique } from '../testing/unique.ts'
import { until } from '../testing/until.ts'
import { openPage } from '../testing/viewing/viewing.ts'
import { aSendingServer, anAssignment, mailsTo, watches, setPolicies } from '../testing/worlds.ts'

const sending = await aSendingServer()
const { query } = sending.server

let videoId: string
let userId: string
const orgId = sending.org

beforeEach(async () => {
  await query(`update assignments set state = 'ended'`)
  videoId = await addVideo(sending.server, orgId)
  ;[userId = ''] = await addPeople(sending.server, orgId, { count: 1, prefix: unique() })
})

/** In a sitting that begins so many milliseconds from now. */
const see = (part: [number, number], inMs = 1_000) =>
  watches(sending.server, { videoId, userId, part, at: Date.now() + inMs })

async function assign(more: object = {}): Promise<string> {
  const id = await anAssignment(sending.admin, { videoId, audience: { userIds: [userId] }, ...more })
  await plan()
  return id
}

const plan = () => minutePasses(sending.server)

async function remind(id: string): Promise<void> {
  await query(
    `update obligations set next_message_on = current_date - 1 where assignment_id = $1 and state = 'open'`,
    [id],
  )
  await plan()
}

/** The addresses in the mails of this person, the newest last. */
const links = async () =>
  (await mailsTo(sending.server, userId)).map(({ text }) => /(\/w\/video\/\S+)/.exec(text)?.[1] ?? '')

/** What the page of a link says and hands to its script, and what the server tells that script. */
async function opened(link = '') {
  const { html, data } = await openPage(sending.server, link)
  const { body } = await sending.server.call(readReceipt, { body: { playToken: data?.playToken ?? '' } })
  return {
    said: /<p class="seen" id="missing" role="status">(.*?)<\/p>/.exec(html)?.[1],
    plays: (data as { missing?: unknown } | undefined)?.missing,
    receipt: body,
  }
}

test('the link of a reminder plays what is missing, the first link all of it', async () => {
  const id = await assign()
  await see([0, 30_000])
  await see([35_000, 40_000], 60_000)
  await remind(id)
  const [first, reminder] = await links()
  const found = await opened(reminder)
  expect(found.said).toBe('Missing: 0:30 to 0:35 and 0:40 to 1:00 (25 seconds).')
  expect(found.plays).toEqual([
    [30_000, 35_000],
    [40_000, 60_000],
  ])
  expect(found.receipt.missing).toEqual(found.plays)
  expect(await opened(first)).toMatchObject({ said: undefined, plays: undefined })
  expect((await opened(`${reminder}&language=de`)).said).toBe(
    'Es fehlt: 0:30 bis 0:35 und 0:40 bis 1:00 (25 Sekunden).',
  )
  await see([30_000, 60_000], 120_000)
  expect(await opened(reminder)).toMatchObject({ said: undefined, plays: undefined })
})

test('nothing seen yet is no part that is missing', async () => {
  await remind(await assign())
  const [, reminder] = await links()
  expect(await opened(reminder)).toMatchObject({ said: undefined, plays: undefined })
})

test('in a new cycle what was seen in an earlier one is missing again, on the page and in its receipt', async () => {
  const id = await assign({ validity: { months: 12, renewDays: 30 } })
  await see([0, 60_000])
  await query(
    `update obligations set done_at = done_at - interval '340 days', valid_until = valid_until - interval '340 days'
      where assignment_id = $1`,
    [id],
  )
  await query(
    `update play_sessions set started_at = started_at - interval '340 days', zero_at = zero_at - interval '340 days',
      last_at = last_at - interval '340 days' where video_id = $1`,
    [videoId],
  )
  await plan()
  await plan()
  await see([0, 20_000])
  await remind(id)
  const reminder = (await links()).at(-1)
  const { said, receipt } = await opened(reminder)
  expect(said).toBe('Missing: 0:20 to 1:00 (40 seconds).')
  expect(receipt).toMatchObject({ share: 3_333, missing: [[20_000, 60_000]], completedAt: null })
})

test('a transmission to those who have not completed plays what this person has not seen', async () => {
  await see([0, 30_000], -3_600_000)
  const body = {
    body: 'Please finish it.',
    videoId,
    accountId: orgId,
    audience: {
      everyone: true,
      userIds: [],
      groupIds: [],
      viewing: { kind: 'not_completed' as const, videoId },
    },
  }
  expect((await sending.admin.call(createTransmission, { body })).status).toBe(201)
  await until(async () => (await links()).length === 1, 20)
  const [link] = await links()
  expect((await opened(link)).said).toBe('Missing: 0:30 to 1:00 (30 seconds).')
  await see([30_000, 60_000], 60_000)
  expect(await opened(link)).toMatchObject({ said: undefined, plays: undefined })
})

test('where only completions are recorded, no page says what somebody has seen', async () => {
  await setPolicies(sending.server, orgId, { trackingMode: 'completed_only' })
  const id = await assign()
  await see([0, 30_000])
  await remind(id)
  const [, reminder] = await links()
  const { said, plays, receipt } = await opened(reminder)
  expect([said, plays, receipt.missing, receipt.share]).toEqual([undefined, undefined, null, null])
  await setPolicies(sending.server, orgId, { trackingMode: 'full' })
})
