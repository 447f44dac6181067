import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  createAssignment,
  editAssignment,
  listObligations,
  readAssignment,
} from '#contract/assignments/assignments.ts'
import { issueCertificate, readReceipt } from '#contract/evidence/certificates.ts'
import { readObligationHistory } from '#contract/duty/obligations.ts'
import { addQuiz } from '../testing/answers.ts'
import { addPeople, addVideo } from '../testing/audience.ts'
import { planNow, sentAll } from '../testing/planning.ts'
import { playOf, question, sit } from '../testing/quizzes.ts'
import { startSendingServer, type SendingServer } from '../testing/sending.ts'
import { unique } from '../testing/unique.ts'
import { openPage } from '../testing/viewing.ts'
import { aggregate, watched } from '../testing/watching.ts'

const statement = 'I have read & understood the <rules> for the warehouse.'
const shown = 'I have read &amp; understood the &lt;rules&gt; for the warehouse.'

let sending: SendingServer
let orgId: string
let videoId: string
let versionId: string
let userId: string
let otherId: string

beforeAll(async () => {
  sending = await startSendingServer()
  orgId = sending.org
})
afterAll(() => sending.close())

beforeEach(async () => {
  await query(`update assignments set state = 'ended'`)
  videoId = await addVideo(sending.server, orgId)
  versionId =
    (await query<{ id: string }>('select id from video_versions where video_id = $1', [videoId]))[0]?.id ?? ''
  ;[userId = '', otherId = ''] = await addPeople(sending.server, orgId, { count: 2, prefix: unique() })
})

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await sending.server.services.db.system.query<Row>(text, values)).rows

function see(part: [number, number], inMs = 1_000, who = userId): Promise<void> {
  const play = { org: orgId, video: videoId, version: versionId, durMs: 60_000, maxRate: 2, theta: 0.95 }
  const batch = watched(sending.server, {
    play: { ...play, kind: 'recipient', userId: who },
    at: Date.now() + inMs,
    part,
  })
  return aggregate(sending.server, [batch])
}

const content = (more: object = {}) => ({
  name: `Warehouse ${unique()}`,
  videoId,
  audience: { userIds: [userId, otherId] },
  requirement: 'watched' as const,
  statement,
  due: { kind: 'after' as const, days: 10, working: false },
  validity: null,
  countsSince: null,
  reminders: { daysBefore: [3], onTheDay: true, daysAfter: [2], weekly: true, most: 5 },
  subject: 'Please watch this',
  message: 'It concerns everybody.',
  ...more,
})

async function assign(more: object = {}): Promise<string> {
  const made = await sending.admin.call(createAssignment, {
    params: { orgId },
    body: { ...content(more), start: true },
  })
  expect(made.status).toBe(201)
  await plan()
  return made.body.id
}

/** As when a minute has passed; waits for what is sent then. */
async function plan(): Promise<void> {
  await planNow(sending.server)
  await sentAll(sending.server)
}

const mailsTo = async (who: string) =>
  (
    await query<{ text: string }>(
      'select m.text from mails m join deliveries d on d.id = m.delivery_id where d.user_id = $1 order by d.id',
      [who],
    )
  ).map(({ text }) => text)
const linkTo = async (who = userId) => /(\/w\/video\/\S+)/.exec((await mailsTo(who)).at(-1) ?? '')?.[1] ?? ''
const secretIn = (link: string) => /d=([\w-]{43})/.exec(link)?.[1] ?? ''

const present = async (assignmentId: string, who = userId) =>
  (await sending.admin.call(listObligations, { params: { orgId, assignmentId } })).body.items.find(
    ({ user }) => user.id === who,
  )

const written = () =>
  query<{ statement: string; version_id: string; confirmed_at: Date }>(
    'select * from confirmations where organization_id = $1 and user_id = $2',
    [orgId, userId],
  )

type Sent = { d?: string; obligation?: string }

function press(fields: Sent, headers: Record<string, string> = {}) {
  return sending.server.app.inject({
    method: 'POST',
    url: '/w/me/confirm',
    payload: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
}

test('whoever has watched confirms a sentence on the page, and is done with that alone', async () => {
  const id = await assign()
  const link = await linkTo()
  const before = await openPage(sending.server, link)
  expect(before.html).toContain(shown)
  expect(before.html).toContain('<form method="post" action="/w/me/confirm" hidden>')
  expect(before.html).toContain('You can confirm this here as soon as the rest is done.')
  await see([0, 60_000])
  expect(await present(id)).toMatchObject({ state: 'unconfirmed', lacks: 'confirmation', confirmedAt: null })
  const { counts } = (await sending.admin.call(readAssignment, { params: { orgId, assignmentId: id } })).body
  expect([counts.unconfirmed, counts.assigned, counts.done]).toEqual([1, 1, 0])
  await query(
    `update obligations set next_message_on = current_date - 1 where assignment_id = $1 and user_id = $2`,
    [id, userId],
  )
  await plan()
  expect((await mailsTo(userId)).at(-1)).toContain(
    `You have seen the video. Please confirm below it: “${statement}”`,
  )
  const reminder = await linkTo()
  const after = await openPage(sending.server, reminder)
  expect(after.html).toContain('<form method="post" action="/w/me/confirm">')
  expect((after.data as { missing?: unknown }).missing).toBeUndefined()
  const obligation = /name="obligation" value="([^"]+)"/.exec(after.html)?.[1] ?? ''
  const receipt = await sending.server.call(readReceipt, { body: { playToken: after.data?.playToken ?? '' } })
  expect(receipt.body).toMatchObject({ toConfirm: [obligation], missing: [] })
  expect((await openPage(sending.server, `${reminder}&language=de`)).html).toContain('Das bestätige ich')

  const d = secretIn(reminder)
  const answers = await Promise.all([press({ d, obligation }), press({ d, obligation })])
  for (const { statusCode, headers } of [...answers, await press({ d, obligation })])
    expect([statusCode, headers.location]).toEqual([303, `/w/video/${videoId}?d=${d}#confirm-${obligation}`])
  expect(await written()).toEqual([expect.objectContaining({ statement, version_id: versionId })])
  expect(
    await query(`select 1 from audit where action = 'obligation.confirmed' and entity_id = $1`, [userId]),
  ).toHaveLength(1)
  expect(await present(id)).toMatchObject({
    state: 'done',
    lacks: null,
    confirmedAt: expect.any(String),
  })
  const thanks = (await openPage(sending.server, reminder)).html
  expect(thanks).toContain('You confirmed this on ')
  expect(thanks).not.toContain('/w/me/confirm')
  const params = { orgId, assignmentId: id, userId }
  const { cycles } = (await sending.admin.call(readObligationHistory, { params })).body
  expect(cycles[0]?.confirmation).toMatchObject({ statement, version: 1, subject: 'Please watch this' })
  const issued = await sending.admin.call(issueCertificate, { params: { orgId, userId }, body: { videoId } })
  expect(issued.status).toBe(200)
  const [stored] = await query<{ body: string }>('select body from certificates where user_id = $1', [userId])
  expect(JSON.parse(stored?.body ?? '{}')).toMatchObject({
    confirmations: [{ statement, at: expect.any(String) }],
  })
})

test('nothing is confirmed before all else is done, or by anybody else', async () => {
  const id = await assign()
  await see([0, 30_000])
  const [own, other] = [secretIn(await linkTo()), secretIn(await linkTo(otherId))]
  const obligation = (await present(id))?.id ?? ''
  const early = await press({ d: own, obligation })
  expect([early.statusCode, early.body.includes('Please watch the video first')]).toEqual([409, true])
  await see([30_000, 60_000], 60_000)
  await see([0, 60_000], 1_000, otherId)
  expect((await press({ d: other, obligation })).statusCode).toBe(403)
  expect((await press({ obligation })).statusCode).toBe(403)
  expect((await press({ d: own, obligation: 'x' })).statusCode).toBe(403)
  expect((await press({ d: own, obligation }, { 'sec-fetch-site': 'cross-site' })).statusCode).toBe(403)
  // Another video's link of the same person says nothing about this one.
  const shownVideo = videoId
  videoId = await addVideo(sending.server, orgId)
  await assign({ statement: null })
  expect((await press({ d: secretIn(await linkTo()), obligation })).statusCode).toBe(403)
  videoId = shownVideo
  expect(await written()).toEqual([])
  expect((await press({ d: own, obligation })).statusCode).toBe(303)
  expect((await present(id))?.state).toBe('done')
  expect((await present(id, otherId))?.state).toBe('unconfirmed')
})

test('what is asked stays as it is once it has begun, and is asked again each time', async () => {
  const id = await assign({ validity: { months: 12, renewDays: 30 } })
  const { version } = (await sending.admin.call(readAssignment, { params: { orgId, assignmentId: id } })).body
  const edited = await sending.admin.call(editAssignment, {
    params: { orgId, assignmentId: id },
    body: { ...content({ statement: 'Something else.' }), version },
  })
  expect(edited.status).toBe(409)
  await see([0, 60_000])
  const obligation = (await present(id))?.id ?? ''
  await press({ d: secretIn(await linkTo()), obligation })
  await query(
    `update obligations set done_at = now() - interval '350 days', valid_until = now() + interval '15 days' where id = $1`,
    [obligation],
  )
  await plan()
  await see([0, 60_000], 120_000)
  expect(await present(id)).toMatchObject({ cycle: 2, state: 'unconfirmed' })
  const again = (await present(id))?.id ?? ''
  expect((await press({ d: secretIn(await linkTo()), obligation: again })).statusCode).toBe(303)
  expect(await present(id)).toMatchObject({ cycle: 2, state: 'done' })
  expect(await written()).toHaveLength(2)
})

test('with questions that have to be passed, these come first', async () => {
  const { quizId } = await addQuiz(
    sending.server,
    { organizationId: orgId, videoId },
    { questions: [question({ atMs: null })] },
  )
  const id = await assign({ requirement: 'passed' })
  await see([0, 60_000])
  expect((await present(id))?.state).toBe('watched')
  const fields = { d: secretIn(await linkTo()), obligation: (await present(id))?.id ?? '' }
  expect((await press(fields)).statusCode).toBe(409)
  const { token: playToken } = playOf(
    sending.server,
    { organizationId: orgId, videoId, versionId },
    { userId },
  )
  await sit(sending.server, { quizId, playToken, again: false, right: true })
  expect((await present(id))?.state).toBe('unconfirmed')
  expect((await press(fields)).statusCode).toBe(303)
  expect((await present(id))?.state).toBe('done')
})

test('where only completions are recorded, the day alone is kept', async () => {
  const set = (mode: string) =>
    query(
      `update organizations set policies = policies || jsonb_build_object('trackingMode', $2::text) where id = $1`,
      [orgId, mode],
    )
  await set('completed_only')
  const id = await assign()
  await see([0, 60_000])
  const fields = { d: secretIn(await linkTo()), obligation: (await present(id))?.id ?? '' }
  expect((await press(fields)).statusCode).toBe(303)
  const [one] = await written()
  expect(one?.confirmed_at.toISOString()).toMatch(/T00:00:00.000Z$/)
  expect(await present(id)).toMatchObject({ state: 'done', doneAt: expect.stringMatching(/T00:00:00.000Z$/) })
  await set('full')
})
