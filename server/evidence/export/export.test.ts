import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { evidenceColumns, exportEvidence } from '#contract/platform/exports.ts'
import { answerQuestion, startAttempt } from '#contract/quizzes/quizzes.ts'
import type { Span, TrackEvent } from '#contract/tracking/tracks.ts'
import { parseRanges, type Ranges } from '#server/platform/db/multirange.ts'
import { addAudience } from '../../testing/viewing/evidence.ts'
import { draft, playOf, publish, question } from '../../testing/quizzes/quizzes.ts'
import { startTestServer, type Person } from '../../testing/server.ts'
import { rulesOf, valueAt, type Statement } from '../../testing/viewing/xapi.ts'
import { addMedia, addViewer } from '../../testing/viewing/served.ts'
import { durationMs, sent, writeLog } from '../../testing/viewing/viewers.ts'
import { aggregateOnce } from '../../testing/viewing/aggregate.ts'
import { anOrganization, setPolicies } from '../../testing/worlds.ts'

const script = path.resolve(import.meta.dirname, '../../../web/public/recompute.mjs')
const run = promisify(execFile)

const server = await startTestServer()
const { query } = server
const folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-export-'))
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

async function watchedVideo(seed: number) {
  const { orgId, admin } = await anOrganization(server)
  const audience = await addAudience(server, orgId, { seed, people: 12 })
  await aggregateOnce(server.services.db)
  return { orgId, admin, ...audience }
}

type Query = Record<string, string>
async function exported(admin: Person, orgId: string, search: Query): Promise<string> {
  const answer = await admin.send(
    'GET',
    `/api/organizations/${orgId}/evidence/export?${new URLSearchParams(search).toString()}`,
  )
  expect(answer.status).toBe(200)
  return typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
}

type Viewer = {
  viewer: string
  version: string
  watchedMs: number
  wallMs: number
  coveredMs: number
  share: number
  coverage: Ranges
  coveredAt: string | null
  completedAt: string | null
}
const completionOf = ({ viewer, coveredAt, completedAt }: Viewer) => ({ viewer, coveredAt, completedAt })
type Version = {
  version: string
  viewersBySecond: number[]
  passesBySecond: number[]
  completed: number
  watchedMs: number
}

/** The figures as whoever has only the file and the script gets them. */
async function recomputed(csv: string): Promise<{ viewers: Viewer[]; versions: Version[] }> {
  const file = path.join(folder, `${crypto.randomUUID()}.csv`)
  await writeFile(file, csv)
  const { stdout } = await run(process.execPath, [script, file, '--seconds'], { maxBuffer: 2 ** 28 })
  return JSON.parse(stdout)
}

const inOrder = <T extends { viewer: string }>(list: T[]) =>
  list.toSorted((a, b) => (a.viewer < b.viewer ? -1 : 1))

/** The same figures as the product has them. */
async function figuresOf(videoId: string): Promise<Viewer[]> {
  const found = await query<{ row: Viewer; coverage: string; wall: string }>(
    `select v.coverage::text as coverage, (select coalesce(sum(s.wall_ms), 0) from play_sessions s
        where s.version_id = v.version_id and s.viewer_key = v.viewer_key) as wall,
        json_build_object('viewer', v.viewer_key, 'version', v.version_id, 'watchedMs', v.watch_ms, 'coveredMs', v.covered_ms,
          'coveredAt', to_char(v.covered_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          'completedAt', to_char(v.completed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          'share', least(1, v.covered_ms::float8 / n.duration_ms)) as row
      from viewer_videos v join video_versions n on n.id = v.version_id where v.video_id = $1`,
    [videoId],
  )
  return inOrder(
    found.map(({ row, coverage, wall }) =>
      Object.assign(row, { coverage: parseRanges(coverage), wallMs: Number(wall) }),
    ),
  )
}

async function curveOf(videoId: string, column: string, seconds: number): Promise<number[]> {
  const found = await query<{ n: string }>(
    `select (select coalesce(sum(${column}), 0) from video_heat where video_id = $1 and sec <= s) as n
      from generate_series(0, $2::int - 1) s order by s`,
    [videoId, seconds],
  )
  return found.map(({ n }) => Number(n))
}

describe('the raw evidence as CSV', () => {
  test.each([1, 2, 3])('gives the product’s own figures back, to the last digit (%i)', async (seed) => {
    const { orgId, admin, videoId } = await watchedVideo(seed)
    const { viewers, versions } = await recomputed(await exported(admin, orgId, { videoId }))
    const figures = await figuresOf(videoId)
    expect(figures.length).toBe(12)
    const same = ({
      viewer,
      version,
      watchedMs,
      wallMs,
      coveredMs,
      share,
      coverage,
      coveredAt,
      completedAt,
    }: Viewer) => {
      return { viewer, version, watchedMs, wallMs, coveredMs, share, coverage, coveredAt, completedAt }
    }
    expect(inOrder(viewers).map(same)).toEqual(figures.map(same))
    const [version] = versions
    expect(version?.viewersBySecond).toEqual(await curveOf(videoId, 'viewers_delta', 60))
    expect(version?.passesBySecond).toEqual(await curveOf(videoId, 'passes_delta', 60))
    expect(version?.completed).toBe(figures.filter(({ completedAt }) => completedAt !== null).length)
    const [days] = await query<{ ms: string }>(
      'select sum(watch_ms) as ms from day_rollups where video_id = $1',
      [videoId],
    )
    expect(version?.watchedMs).toBe(Number(days?.ms))
  })

  test.each([
    { must: 'answered', passRequired: false },
    { must: 'passed', passRequired: true },
  ])('gives the same completions back where questions have to be $must', async ({ passRequired }) => {
    const { orgId, admin } = await anOrganization(server)
    const audience = await addAudience(server, orgId, { seed: 21, people: 24 })
    const video = { organizationId: orgId, ...audience }
    const gates = [question({ gate: true }), question({ gate: true, atMs: 20_000 })]
    const asked = draft([...gates, question()], { passRequired })
    const quizId = (await publish(admin, audience.videoId, asked)).id ?? ''
    for (const [n, userId] of audience.userIds.entries()) {
      const { token: playToken } = playOf(server, video, { userId })
      const { body: attempt } = await server.call(startAttempt, { params: { quizId }, body: { playToken } })
      // Nobody, the first only, both, or all; the last of several answers to a question does not count, the first does.
      for (const one of attempt.questions.slice(0, [0, 1, 2, 3][n % 4])) {
        const answer = [one.options[0]?.id ?? '']
        const params = { quizId, attemptId: attempt.id }
        const body = { playToken, itemId: one.id, answer, tookMs: 1_000, try: 1 }
        expect((await server.call(answerQuestion, { params, body })).status).toBe(200)
      }
    }
    // Some had answered before they watched, some between two sittings, some long afterwards.
    await query(
      `update quiz_answers w set answered_at = now() - make_interval(hours => 28 * (array_position($2::uuid[], a.user_id) / 4 % 4))
        from quiz_attempts a where a.id = w.attempt_id and a.video_id = $1`,
      [audience.videoId, audience.userIds],
    )
    await query(
      `update quiz_attempts a set completed_at = (select max(w.answered_at) from quiz_answers w where w.attempt_id = a.id)
        where video_id = $1 and completed_at is not null`,
      [audience.videoId],
    )
    await aggregateOnce(server.services.db)
    const { viewers } = await recomputed(await exported(admin, orgId, { videoId: audience.videoId }))
    const figures = await figuresOf(audience.videoId)
    expect(inOrder(viewers).map(completionOf)).toEqual(figures.map(completionOf))
    const covered = figures.filter(({ coveredAt }) => coveredAt !== null)
    const done = covered.filter(({ completedAt }) => completedAt !== null)
    const waited = done.filter(({ coveredAt, completedAt }) => coveredAt !== completedAt)
    // Each kind is among them: held up by a question, completed by an answer, completed by watching.
    expect(done.length).toBeLessThan(covered.length)
    expect(waited.length).toBeGreaterThan(0)
    expect(waited.length).toBeLessThan(done.length)

    const pseudonymous = await exported(admin, orgId, { videoId: audience.videoId, pseudonymous: 'yes' })
    const nameless = (await recomputed(pseudonymous)).viewers.map(({ completedAt }) => `${completedAt}`)
    expect(nameless.toSorted()).toEqual(figures.map(({ completedAt }) => `${completedAt}`).toSorted())

    // Another question to insist on: who had completed keeps it here, the file knows the questions of today only.
    await publish(admin, audience.videoId, {
      ...asked,
      questions: [...asked.questions, question({ gate: true })],
    })
    const later = await recomputed(await exported(admin, orgId, { videoId: audience.videoId }))
    expect(await figuresOf(audience.videoId)).toEqual(figures)
    expect(later.viewers.every(({ completedAt }) => completedAt === null)).toBe(true)
  })

  test('says the same as the product of what was claimed too fast, and of what was never handed out', async () => {
    const { orgId, admin } = await anOrganization(server)
    const video = await addMedia(server, orgId)
    const played = async (ms: number, { at, isRecorded }: { at: number; isRecorded: boolean }) => {
      const { claims } = await (await addViewer(server, orgId, video)).open()
      const { run: _run, ...unrecorded } = claims
      const spans: Span[] = [[0, 0, ms, ms, 100, 0]]
      return sent(isRecorded ? claims : unrecorded, { at, spans })
    }
    await writeLog(server, [
      await played(14_000, { at: 10_000, isRecorded: false }),
      await played(durationMs, { at: 60_000, isRecorded: false }),
      await played(durationMs, { at: 60_000, isRecorded: true }),
    ])
    await aggregateOnce(server.services.db)
    const figures = await figuresOf(video.videoId)
    expect(figures.map(({ watchedMs, coveredAt }) => [watchedMs, coveredAt !== null])).toEqual(
      expect.arrayContaining([
        [0, false],
        [durationMs, true],
        [durationMs, false],
      ]),
    )
    const { viewers } = await recomputed(await exported(admin, orgId, { videoId: video.videoId }))
    const viewerFigures = (one: Viewer) => [
      one.viewer,
      one.watchedMs,
      one.coverage,
      one.coveredAt,
      one.completedAt,
    ]
    expect(inOrder(viewers).map(viewerFigures)).toEqual(figures.map(viewerFigures))
  })

  test('holds every video of an organization, names and documented columns', async () => {
    const { orgId, admin, videoId } = await watchedVideo(4)
    const other = await addAudience(server, orgId, { seed: 5, people: 2 })
    await aggregateOnce(server.services.db)
    const csv = await exported(admin, orgId, {})
    expect(csv.split('\r\n')[0]?.replace('\uFEFF', '').split(',')).toEqual(Object.keys(evidenceColumns))
    const { viewers } = await recomputed(csv)
    expect(inOrder(viewers.filter(({ version }) => version === other.versionId))).toMatchObject(
      (await figuresOf(other.videoId)).map(({ viewer, coveredMs }) => ({ viewer, coveredMs })),
    )
    expect(csv).toMatch(/Person \d+/)
    expect(csv).toContain(videoId)
  })

  test('names nobody in a pseudonymous file, and gives the same figures', async () => {
    const { orgId, admin, videoId, userIds } = await watchedVideo(6)
    const csv = await exported(admin, orgId, { videoId, pseudonymous: 'yes' })
    for (const userId of userIds) expect(csv).not.toContain(userId)
    expect(csv).not.toMatch(/Person \d+/)
    const { viewers } = await recomputed(csv)
    const sums = (list: Viewer[]) =>
      list.map(({ watchedMs, coveredMs }) => `${watchedMs} ${coveredMs}`).toSorted()
    expect(sums(viewers)).toEqual(sums(await figuresOf(videoId)))
    expect(await exported(admin, orgId, { videoId, pseudonymous: 'yes' })).not.toBe(csv)
  })

  test('says by what somebody had signed in, of whoever had', async () => {
    const { orgId, admin, videoId } = await watchedVideo(13)
    const { rows: given } = await server.services.db.system.query<{ id: string }>(
      `update play_sessions set signed_in_by = 'pwd otp' where id = (select min(id::text)::uuid from play_sessions where video_id = $1)
        returning id`,
      [videoId],
    )
    const id = given[0]?.id ?? ''
    const at = Object.keys(evidenceColumns).indexOf('signed_in_by')
    const csv = await exported(admin, orgId, { videoId })
    const [, ...lines] = csv.trim().split('\r\n')
    const told = new Map(lines.map((line) => [line.split(',')[0] ?? '', line.split(',')[at] ?? 'none']))
    expect(told.get(id)).toBe('pwd otp')
    told.delete(id)
    expect([...new Set(told.values())]).toEqual([''])
    const nameless = await exported(admin, orgId, { videoId, pseudonymous: 'yes' })
    expect(nameless).toContain('pwd otp')

    const statements: Statement[] = JSON.parse(await exported(admin, orgId, { videoId, format: 'xapi' }))
    const signed = `$.context.extensions['${server.services.publicUrl()}/xapi/extensions/signed-in-by']`
    const sessionId = `$.context.extensions['https://w3id.org/xapi/video/extensions/session-id']`
    const whose = statements.filter((one) => valueAt(one, signed) !== undefined)
    expect([...new Set(whose.map((one) => valueAt(one, sessionId)))]).toEqual([id])
    expect(whose.length).toBe(statements.filter((one) => valueAt(one, sessionId) === id).length)
    expect(valueAt(whose[0] ?? {}, signed)).toEqual(['pwd', 'otp'])
  })

  test('holds the days that were asked for', async () => {
    const { orgId, admin } = await watchedVideo(7)
    const csv = await exported(admin, orgId, { from: '2020-01-01', until: '2020-12-31' })
    expect(csv.trim().split('\r\n')).toHaveLength(1)
  })

  test('is refused where only completions are recorded, and for a foreign video', async () => {
    const { orgId, admin } = await watchedVideo(8)
    const { videoId } = await watchedVideo(9)
    expect((await admin.call(exportEvidence, { params: { orgId }, query: { videoId } })).status).toBe(404)
    await setPolicies(server, orgId, { trackingMode: 'completed_only' })
    expect((await admin.call(exportEvidence, { params: { orgId } })).problem?.code).toBe('conflict')
  })

  test('is written into the audit log with what was asked for', async () => {
    const { orgId, admin, videoId } = await watchedVideo(10)
    await exported(admin, orgId, { videoId })
    expect(
      await query(`select after from audit where action = 'evidence.exported' and organization_id = $1`, [
        orgId,
      ]),
    ).toEqual([{ after: { format: 'csv', pseudonymous: 'no', videoId } }])
  })
})

describe('xAPI statements', () => {
  test('follow the templates and the pattern of the video profile', async () => {
    const { orgId, admin, videoId, claims } = await watchedVideo(11)
    const seek: TrackEvent = [900, 'seek', 2_000, 4_000, { from: 4_000, to: 30_000 }]
    if (claims[0])
      await writeLog(server, [sent(claims[0], { at: 3_000, batch: 900, spans: [], events: [seek] })])
    await aggregateOnce(server.services.db)
    const statements: Statement[] = JSON.parse(await exported(admin, orgId, { videoId, format: 'xapi' }))
    const sessionId = `$.context.extensions['https://w3id.org/xapi/video/extensions/session-id']`
    const faults = statements.flatMap((one) =>
      rulesOf(one).flatMap(({ location, presence }) =>
        presence !== 'excluded' && valueAt(one, location) === undefined
          ? [`${one.verb.id}: ${location}`]
          : [],
      ),
    )
    expect(faults).toEqual([])
    const seeked = statements.find(({ verb }) => verb.id.endsWith('/seeked'))
    expect(
      valueAt(seeked ?? {}, `$.result.extensions['https://w3id.org/xapi/video/extensions/time-to']`),
    ).toBe(30)
    expect(new Set(statements.map(({ id }) => id)).size).toBe(statements.length)
    const sessions = Map.groupBy(statements, (one) => valueAt(one, sessionId))
    expect(sessions.size).toBeGreaterThan(12)
    for (const own of sessions.values()) {
      const verbs = own.map(({ verb }) => verb.id.split('/').at(-1))
      expect([verbs[0], verbs.at(-1)]).toEqual(['initialized', 'terminated'])
      for (const verb of verbs.slice(1, -1))
        expect(['played', 'paused', 'seeked', 'completed']).toContain(verb)
      const times = own.map(({ timestamp }) => Date.parse(timestamp))
      expect(times).toEqual(times.toSorted((a, b) => a - b))
    }
    const completed = statements.filter(({ verb }) => verb.id.endsWith('/completed'))
    const figures = await figuresOf(videoId)
    expect(completed.map(({ timestamp }) => timestamp).toSorted()).toEqual(
      figures.flatMap(({ completedAt }) => completedAt ?? []).toSorted(),
    )
  })

  test('have the same ids in every export, so that a store takes each only once', async () => {
    const { orgId, admin, videoId } = await watchedVideo(12)
    const idsOf = async () =>
      (JSON.parse(await exported(admin, orgId, { videoId, format: 'xapi' })) as Statement[]).map(
        ({ id }) => id,
      )
    expect(await idsOf()).toEqual(await idsOf())
  })
})
