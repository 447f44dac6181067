import { expect, test } from 'vitest'
import { eraseEvidence, keepEvidence, readErasure } from '#contract/evidence/privacy.ts'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { deleteUser } from '#contract/directory/users.ts'
import { addAudience } from '../../testing/viewing/evidence.ts'
import { deriveAll } from '../../testing/derive.ts'
import { erasePeople } from '../../housekeeping.ts'
import { aggregateOnce } from '../../testing/viewing/aggregate.ts'
import { announceAll } from '../../testing/viewing/served.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'
import { rebuild } from '../rebuild/rebuild.ts'
import { applyRetention } from './retention.ts'

const server = await aServer()
const { query } = server

/** Every table that sums something up, without what says who and when somebody was there. */
async function totals(videoId: string) {
  const tables = ['video_heat', 'video_heat_days', 'viewer_days', 'day_rollups']
  const found: Record<string, unknown> = {}
  for (const table of tables)
    found[table] = await query(`select t.* from ${table} t where video_id = $1 order by t::text`, [videoId])
  return found
}

async function watchedVideo(seed: number) {
  const { orgId, admin } = await anOrganization(server)
  const audience = await addAudience(server, orgId, { seed })
  await aggregateOnce(server.services.db)
  return { orgId, admin, ...audience }
}

/** Something was handed out to a page of theirs that never reported; returns its session. */
async function handedOutOnly(whose: { orgId: string; videoId: string; userId: string }): Promise<string> {
  const [made] = await query<{ id: string }>(
    `with s as (insert into served_parts (session_id, organization_id, video_id, version_id, viewer_key, first_at, last_at)
        values (uuidv7(), $1, $2, uuidv7(), 'recipient:' || $3::text, now(), now()) returning session_id, organization_id)
      insert into served_sessions (session_id, process_id, organization_id)
        select session_id, uuidv7(), organization_id from s returning session_id as id`,
    [whose.orgId, whose.videoId, whose.userId],
  )
  return made?.id ?? ''
}

test.each([11, 12, 13])(
  'totals without an erased person are those of a log that never knew them (%i)',
  async (seed) => {
    const { orgId, admin, videoId, userIds } = await watchedVideo(seed)
    const [gone = ''] = userIds
    await announceAll(server, orgId)
    const silent = await handedOutOnly({ orgId, videoId, userId: gone })
    const before = await admin.call(readErasure, { params: { orgId, userId: gone } })
    expect(before.body.counts.sessions).toBeGreaterThan(0)
    const erased = await admin.call(eraseEvidence, { params: { orgId, userId: gone }, body: { when: 'now' } })
    expect(erased.body).toEqual({
      counts: {
        videos: 0,
        sessions: 0,
        spans: 0,
        events: 0,
        batches: 0,
        attempts: 0,
        certificates: 0,
        consents: 0,
      },
      isPlanned: false,
    })
    const left = await totals(videoId)
    expect(
      await query(`select 1 from track_batches where claims->>'viewerKey' = 'recipient:' || $1`, [gone]),
    ).toEqual([])
    const announced = await query<{ id: string }>(
      'select session_id as id from served_sessions where organization_id = $1 order by 1',
      [orgId],
    )
    expect(announced).not.toContainEqual({ id: silent })
    expect(announced).toEqual(
      await query('select id from play_sessions where organization_id = $1 order by 1', [orgId]),
    )
    // Computed once more from nothing but the reports that are left.
    expect((await rebuild(server.services.db, videoId)).differences).toEqual([])
    expect(await totals(videoId)).toEqual(left)
    const [entry] = await query<{ after: object }>(
      `select after from audit where action = 'user.evidence_erased' and entity_id = $1`,
      [gone],
    )
    expect(entry?.after).toEqual(before.body.counts)
  },
)

test('an erased person is shown as somebody who has not watched, and nobody else is touched', async () => {
  const { orgId, admin, claims, userIds } = await watchedVideo(21)
  const [gone = '', other = ''] = userIds
  const deliveryOf = async (userId: string) => {
    const transmissionId = claims.find(({ viewerKey }) => viewerKey.endsWith(userId))?.transmission ?? ''
    return (await admin.call(listDeliveries, { params: { transmissionId } })).body.items[0]
  }
  const before = await deliveryOf(other)
  await admin.call(eraseEvidence, { params: { orgId, userId: gone }, body: { when: 'now' } })
  expect(await deliveryOf(gone)).toMatchObject({
    openedAt: null,
    watchedMs: 0,
    coverage: [],
    completedAt: null,
  })
  expect(await deliveryOf(other)).toEqual(before)
})

test('what waits for the aggregation goes as well', async () => {
  const { orgId, admin } = await anOrganization(server)
  const { videoId, userIds } = await addAudience(server, orgId, { seed: 31, people: 1 })
  await admin.call(eraseEvidence, { params: { orgId, userId: userIds[0] ?? '' }, body: { when: 'now' } })
  await aggregateOnce(server.services.db)
  expect(await query('select 1 from play_sessions where video_id = $1', [videoId])).toEqual([])
})

test('an attempt at a quiz leaves the sums of its questions', async () => {
  const { orgId, admin, videoId, userIds } = await watchedVideo(41)
  const quiz = await query<{ version: string; item: string }>(
    `with q as (insert into quizzes (organization_id, video_id, draft) values ($1, $2, '{}') returning id),
      v as (insert into quiz_versions (organization_id, quiz_id, number, settings, max_score)
        select $1, id, 1, '{}', 2 from q returning id),
      i as (insert into quiz_items (organization_id, version_id, key, position, kind, points, question)
        select $1, id, uuidv7(), 0, 'text', 2, '{}' from v returning id)
      select v.id as version, i.id as item from v, i`,
    [orgId, videoId],
  )
  const [{ version, item } = { version: '', item: '' }] = quiz
  const attempt = (userId: string, answer: string, score: number) =>
    query(
      `with a as (insert into quiz_attempts (organization_id, quiz_id, version_id, video_id, viewer_key, user_id, session_id, number, seed,
            completed_at, score, max_score, passed, is_first)
          select $1, quiz_id, id, $2, 'recipient:' || $3::uuid, $3, uuidv7(), 1, 1, now(), $5, 2, true, true from quiz_versions where id = $4 returning id)
        insert into quiz_answers (attempt_id, item_id, organization_id, answer, score, correct)
          select id, $6, $1, to_jsonb($7::text), $5, true from a`,
      [orgId, videoId, userId, version, score, item, answer],
    )
  await attempt(userIds[0] ?? '', ' An  Answér ', 2)
  await attempt(userIds[1] ?? '', 'another', 1)
  const figures = async () => {
    await deriveAll(server.services.db)
    return query(
      `select n, options, (select jsonb_agg(m order by m) from jsonb_array_elements(marks) m) as marks
        from quiz_item_stats where item_id = $1`,
      [item],
    )
  }
  const options = { 'an answer': 1, another: 1 }
  const both = [
    [1, 1, 1],
    [2, 2, 1],
  ]
  expect(await figures()).toEqual([{ n: 2, options, marks: both }])
  await admin.call(eraseEvidence, { params: { orgId, userId: userIds[0] ?? '' }, body: { when: 'now' } })
  expect(await figures()).toEqual([{ n: 1, options: { another: 1 }, marks: [[1, 1, 1]] }])
  expect(await query('select 1 from quiz_answers where item_id = $1', [item])).toHaveLength(1)
})

test('can be asked for together with the erasure of the person, and taken back until then', async () => {
  const { orgId, admin, userIds } = await watchedVideo(51)
  const [gone = '', remaining = ''] = userIds
  const at = (userId: string) => ({ params: { orgId, userId } })
  for (const userId of [gone, remaining]) {
    const planned = await admin.call(eraseEvidence, { ...at(userId), body: { when: 'with_person' } })
    expect(planned.body).toMatchObject({ isPlanned: true, counts: { attempts: 0 } })
    await admin.call(deleteUser, at(userId))
  }
  expect((await admin.call(keepEvidence, at(remaining))).body.isPlanned).toBe(false)
  const sessions = (userId: string) => query('select 1 from play_sessions where user_id = $1', [userId])
  await applyRetention(server.services)
  expect(await sessions(gone)).not.toEqual([])
  await query(`update users set deleted_at = now() - interval '31 days' where id = any($1)`, [
    [gone, remaining],
  ])
  await query(`update operations set undo_until = now() - interval '1 day'`)
  await erasePeople(server.services)
  await applyRetention(server.services)
  expect(await sessions(gone)).toEqual([])
  expect(await sessions(remaining)).not.toEqual([])
  expect(
    await query(`select 1 from audit where action = 'user.evidence_erased' and entity_id = $1`, [gone]),
  ).toHaveLength(1)
  expect((await admin.call(readErasure, at(gone))).status).toBe(404)
})
