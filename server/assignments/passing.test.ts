import { expect, test } from 'vitest'
import { listObligations } from '#contract/assignments/assignments.ts'
import { startAttempt } from '#contract/quizzes/quizzes.ts'
import { addQuiz } from '../testing/quizzes/answers.ts'
import { addPeople, addVideo } from '../testing/audience.ts'
import { planNow } from '../testing/planning.ts'
import { playOf, question, sit } from '../testing/quizzes/quizzes.ts'
import { unique } from '../testing/unique.ts'
import { aSendingServer, anAssignment, versionOf, watches } from '../testing/worlds.ts'

const sending = await aSendingServer()

test('whoever owes passing anew is asked again, though they had passed', async () => {
  const { server, org: orgId, admin } = sending
  const query = (text: string, values: unknown[] = []) =>
    server.services.db.system.query<{ id: string }>(text, values)
  const videoId = await addVideo(server, orgId)
  const versionId = await versionOf(server, videoId)
  const [userId = ''] = await addPeople(server, orgId, { count: 1, prefix: unique() })
  const { quizId } = await addQuiz(
    server,
    { organizationId: orgId, videoId },
    { questions: [question({ atMs: null })] },
  )
  const assignmentId = await anAssignment(admin, {
    videoId,
    audience: { userIds: [userId] },
    requirement: 'passed',
    due: { kind: 'none' },
    validity: { months: 12, renewDays: 30 },
    reminders: { daysBefore: [], onTheDay: false, daysAfter: [], weekly: false, most: 0 },
  })
  const params = { orgId, assignmentId }
  const present = async () => (await admin.call(listObligations, { params })).body.items[0]
  const { token: playToken } = playOf(server, { organizationId: orgId, videoId, versionId }, { userId })
  const ask = (again: boolean) =>
    server.call(startAttempt, { params: { quizId }, body: { playToken, ...(again ? { again } : {}) } })
  await planNow(server)
  expect(await present()).toMatchObject({ state: 'assigned', lacks: 'viewing' })
  await watches(server, { videoId, userId })
  expect(await present()).toMatchObject({ state: 'watched', lacks: 'questions' })
  // As where the server's own record contradicts what was reported.
  const seen = async (what: string, evidence: string) => {
    await query(`update obligations set ${what} where assignment_id = $1`, [params.assignmentId])
    await query(
      `update viewer_videos set covered_at = case when $2 = 'proven' then now() end, evidence = $2 where video_id = $1`,
      [videoId, evidence],
    )
  }
  await seen(`covered_at = null, covered_ms = 0, coverage = '{}'`, 'contradicted')
  expect(await present()).toMatchObject({ lacks: 'evidence' })
  await seen(`covered_at = now(), covered_ms = 60000, coverage = '{[0,60000)}'`, 'proven')
  await sit(server, { quizId, playToken, again: false, right: false })
  expect(await present()).toMatchObject({ state: 'failed', lacks: 'passing' })
  await query(`update obligations set due_at = now() - interval '1 day' where assignment_id = $1`, [
    params.assignmentId,
  ])
  expect(await present()).toMatchObject({ state: 'overdue', lacks: 'passing' })
  await sit(server, { quizId, playToken, again: true, right: true })
  expect(await present()).toMatchObject({ cycle: 1, state: 'done', lacks: null })
  expect((await ask(true)).problem?.reason?.code).toBe('passed_already')
  await query(
    `update obligations set done_at = now() - interval '350 days', valid_until = now() + interval '15 days' where assignment_id = $1`,
    [params.assignmentId],
  )
  await planNow(server)
  expect(await present()).toMatchObject({ cycle: 2, doneAt: null })
  const begun = await ask(false)
  expect([begun.status, begun.body.number, begun.body.outcome]).toEqual([200, 3, null])
})
