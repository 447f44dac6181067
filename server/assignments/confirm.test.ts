import { beforeEach, expect, test } from 'vitest'
import { editAssignment, listObligations, readAssignment } from '#contract/assignments/assignments.ts'
import { issueCertificate, readReceipt } from '#contract/evidence/certificates.ts'
import { readObligationHistory } from '#contract/duty/obligations.ts'
import { addQuiz } from '../testing/quizzes/answers.ts'
import { addPeople, addVideo } from '../testing/audience.ts'
import { minutePasses } from '../testing/planning.ts'
import { playOf, question, sit } from '../testing/quizzes/quizzes.ts'
import { unique } from '../testing/unique.ts'
import { openPage } from '../testing/viewing/viewing.ts'
import {
  aSendingServer,
  anAssignment,
  assignmentOf,
  mailsTo,
  versionOf,
  watches,
  setPolicies,
} from '../testing/worlds.ts'

const statement = 'I have read & understood the <rules> for the warehouse.'
const shown = 'I have read &amp; understood the &lt;rules&gt; for the warehouse.'

const sending = await aSendingServer()
const { query } = sending.server

let videoId: string
let versionId: string
let userId: string
let otherId: string
const orgId = sending.org

beforeEach(async () => {
  await query(`update assignments set state = 'ended'`)
  videoId = await addVideo(sending.server, orgId)
  versionId = await versionOf(sending.server, videoId)
  ;[userId = '', otherId = ''] = await addPeople(sending.server, orgId, { count: 2, prefix: unique() })
})

const see = (part: [number, number], inMs = 1_000, who = userId) =>
  watches(sending.server, { videoId, userId: who, part, at: Date.now() + inMs })

const content = (more: object = {}) =>
  assignmentOf({ videoId, audience: { userIds: [userId, otherId] }, statement, ...more })

async function assign(more: object = {}): Promise<string> {
  const id = await anAssignment(sending.admin, content(more))
  await plan()
  return id
}

const plan = () => minutePasses(sending.server)

const mailsOf = async (who: string) => (await mailsTo(sending.server, who)).map(({ text }) => text)
const linkTo = async (who = userId) => /(\/w\/video\/\S+)/.exec((await mailsOf(who)).at(-1) ?? '')?.[1] ?? ''
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
  expect((await mailsOf(userId)).at(-1)).toContain(
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
  await setPolicies(sending.server, orgId, { trackingMode: 'completed_only' })
  const id = await assign()
  await see([0, 60_000])
  const fields = { d: secretIn(await linkTo()), obligation: (await present(id))?.id ?? '' }
  expect((await press(fields)).statusCode).toBe(303)
  const [one] = await written()
  expect(one?.confirmed_at.toISOString()).toMatch(/T00:00:00.000Z$/)
  expect(await present(id)).toMatchObject({ state: 'done', doneAt: expect.stringMatching(/T00:00:00.000Z$/) })
  await setPolicies(sending.server, orgId, { trackingMode: 'full' })
})
