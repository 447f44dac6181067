import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { startHousekeeping } from '../housekeeping.ts'
import { openTestServer } from '../testing/server.ts'
import { classroom, draft, pageAt, question, type Classroom } from '../testing/quizzes/quizzes.ts'
import { aServer } from '../testing/worlds.ts'
import { signPlay } from '../tracking/ingest/token.ts'

/** Two processes of one database, as behind a balancer. */
const here = await aServer()
const { query } = here
const place = { ownerUrl: here.ownerUrl, dataDir: here.services.env.dataDir }
let there = await openTestServer(place)
afterAll(() => there.close())

async function restart(): Promise<void> {
  await there.close()
  there = await openTestServer(place)
}

let room: Classroom
beforeEach(async () => {
  room = await classroom(here)
})

const eight = () => draft(upTo(8).map(() => question()))
const preview = { kind: 'preview' as const }
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)

test('what is tried at one process goes on at another, and after a restart', async () => {
  const { quizId, playToken, start, say } = await room.asked(draft([question(), question()]), preview)
  const { body: begun } = await start()
  expect((await pageAt(there, { quizId, playToken }).say(begun, { options: [1] })).body.result.correct).toBe(
    false,
  )
  await restart()
  const elsewhere = pageAt(there, { quizId, playToken })
  expect((await elsewhere.start()).body).toMatchObject({
    id: begun.id,
    questions: begun.questions,
    answered: [{ itemId: begun.questions[0]?.id, correct: false }],
  })
  const last = await elsewhere.say(begun, { n: 1 })
  expect(last.body.attempt.outcome).toMatchObject({ score: 1, passed: false })
  // What was answered stays answered, whichever process is asked: the same once more is told the same, and another answer is refused.
  expect((await say(begun, { n: 1 })).body).toEqual(last.body)
  expect((await say(begun, { n: 1, options: [1] })).status).toBe(409)
  const { body: again } = await start(true)
  expect(again.id).not.toBe(begun.id)
  expect((await elsewhere.say(begun, {})).status).toBe(404)
  expect((await elsewhere.start()).body.id).toBe(again.id)
})

test('a program that reads the page finds its attempt at another process too', async () => {
  const { quizId, playToken, claims } = await room.asked(draft([question()]))
  const headers = { 'user-agent': 'Googlebot/2.1' }
  const at = (server: typeof here) =>
    pageAt({ call: (call, input) => server.call(call, { ...input, headers }) }, { quizId, playToken })
  const { body: begun } = await at(here).start()
  expect((await at(there).say(begun, {})).body.attempt.outcome).toMatchObject({ passed: true })
  expect(await query('select session_id from quiz_trials')).toContainEqual({ session_id: claims.session })
  expect(await query('select from quiz_attempts where quiz_id = $1', [quizId])).toEqual([])
})

test('answers at the same moment are all kept, and a page begins once', async () => {
  const { quizId, playToken, start, say } = await room.asked(eight(), preview)
  const elsewhere = pageAt(there, { quizId, playToken })
  const both = await Promise.all([start(), elsewhere.start(), start(), elsewhere.start()])
  const [{ body: begun }] = both
  expect(new Set(both.map(({ body }) => body.id))).toEqual(new Set([begun.id]))
  const twice = await Promise.all(upTo(8).flatMap((n) => [say(begun, { n }), elsewhere.say(begun, { n })]))
  expect(new Set(twice.map(({ status }) => status))).toEqual(new Set([200]))
  const { body: whole } = await start()
  expect(whole.answered).toHaveLength(8)
  expect(whole.outcome).toMatchObject({ score: 8, passed: true })
})

test('nobody answers in the attempt of another page, nor from another organization', async () => {
  const { quizId, claims, start, say } = await room.asked(draft([question()]), preview)
  const { body: begun } = await start()
  const other = room.viewer(quizId, preview)
  await other.start()
  expect((await other.say(begun, {})).status).toBe(404)
  // With a session that is not theirs, which no token says that this installation has signed.
  const stranger = await classroom(here)
  const asked = await stranger.asked(draft([question()]), preview)
  const { session } = claims
  const playToken = signPlay(here.services.keys, { ...asked.claims, session })
  const page = pageAt(here, { quizId: asked.quizId, playToken })
  expect((await page.say(begun, {})).status).toBe(404)
  const { body: own } = await page.start()
  expect(own.id).not.toBe(begun.id)
  expect((await page.say(own, {})).body.attempt.completedAt).not.toBeNull()
  expect((await start()).body).toMatchObject({ id: begun.id, answered: [] })
  expect((await say(begun, {})).status).toBe(200)
})

const trialsOf = async (orgId: string) =>
  (
    await query<{ id: string }>('select session_id as id from quiz_trials where organization_id = $1', [
      orgId,
    ])
  ).map(({ id }) => id)

/** So many pages of an organization, each opened so many minutes ago. */
const opened = (orgId: string, minutes: readonly number[]) =>
  query(
    `insert into quiz_trials (organization_id, session_id, run, changed_at)
      select $1, gen_random_uuid(), '{}', now() - n * interval '1 minute' from unnest($2::int[]) n`,
    [orgId, minutes],
  )

test('the newest thousand of an organization stay, and those of others', async () => {
  const { organizationId } = room.video
  const others = await here.organization()
  await opened(others, [600])
  const { quizId, start, claims } = await room.asked(draft([question()]), preview)
  await start()
  await opened(
    organizationId,
    upTo(1_004).map((n) => n + 1),
  )
  const next = room.viewer(quizId, preview)
  await next.start()
  const left = await trialsOf(organizationId)
  expect(left).toHaveLength(1_000)
  expect(left).toEqual(expect.arrayContaining([claims.session, next.claims.session]))
  expect(await trialsOf(others)).toHaveLength(1)
})

test('a day later nothing is left of them', async () => {
  const orgId = await here.organization()
  const session = randomUUID()
  await opened(orgId, [24 * 60 + 1, 24 * 60 + 90])
  await query(`insert into quiz_trials (organization_id, session_id, run) values ($1, $2, '{}')`, [
    orgId,
    session,
  ])
  await (await startHousekeeping(here.services)).stop()
  expect(await trialsOf(orgId)).toEqual([session])
})

test('what another release wrote in a form that is gone begins anew', async () => {
  const { start, say, claims } = await room.asked(draft([question()]), preview)
  const { body: begun } = await start()
  await query(`update quiz_trials set run = run - 'items' where session_id = $1`, [claims.session])
  expect((await say(begun, {})).status).toBe(404)
  const { body: anew } = await start()
  expect(anew.id).not.toBe(begun.id)
  expect((await say(anew, {})).status).toBe(200)
})
