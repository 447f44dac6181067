import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { readDashboardAlerts } from '#contract/dashboard.ts'
import { eraseEvidence } from '#contract/evidence/privacy.ts'
import { trainingLetters, trainingStates } from '#contract/matrix/standing.ts'
import { endWaiver, listTraining, readTraining, waiveTraining } from '#contract/matrix/training.ts'
import { deleteUser } from '#contract/directory/users.ts'
import { drain } from '../platform/derived/keys.ts'
import { trainingCells } from './recompute.ts'
import { addGroup } from '../testing/audience.ts'
import { trueMatrix } from '../testing/matrix.ts'
import { addAskedVideo, trainingHistory, type AskedVideo } from '../testing/viewing/training-history.ts'
import type { Person } from '../testing/server.ts'
import { addDelivery } from '../testing/viewing/viewing.ts'
import { chance } from '../testing/viewing/viewers.ts'
import { aServer, anOrganization } from '../testing/worlds.ts'

/** The matrix and who is overdue, as the sums tell them, against looking at every row of evidence. */
const server = await aServer()
const { query } = server

let orgId: string
let admin: Person
let groupadmin: Person
let members: Set<string>
let people: string[]
let videos: AskedVideo[]

beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
  groupadmin = await server.person('groupadmin', orgId)
  const made = await query<{ id: string }>(
    `insert into users (organization_id, name, email) select $1, 'Guest ' || lpad(n::text, 2, '0'), 'guest-' || n || '@example.test'
      from generate_series(1, 10) n returning id`,
    [orgId],
  )
  people = made.map(({ id }) => id)
  members = new Set([...people.slice(0, 4), groupadmin.id])
  const groupId = await addGroup(server, orgId, [...members])
  await query('update group_members set groupadmin = true where group_id = $1 and user_id = $2', [
    groupId,
    groupadmin.id,
  ])
  videos = []
  for (const [title, rules] of Object.entries(rulesOf))
    videos.push(await addAskedVideo(server, { organizationId: orgId, title, rules }))
})

/** What their questions ask: to be passed in two attempts, in as many as anybody likes, not at all, and without a pass mark. */
const rulesOf = {
  Alarm: { passRequired: true, passMark: 0.5, attempts: 2 },
  Breaks: { passRequired: true, passMark: 0.5, attempts: null },
  Cranes: { passRequired: false, passMark: 0.5, attempts: 1 },
  Doors: { passRequired: true, passMark: 0, attempts: 1 },
}

const waiting = () =>
  query(`select 1 from dirty_keys where figure = 'training' and organization_id = $1`, [orgId])
const emptyQueue = () => drain(server.services.db, trainingCells)
const markAll = () =>
  query(`insert into dirty_keys (figure, organization_id) values ('training', $1)`, [orgId])

/** Every answer about the matrix that is not narrowed by a search, for who sees all and for who sees a group. */
async function expectTruth(because: unknown): Promise<void> {
  const params = { orgId }
  for (const [reader, whose] of [
    [admin, undefined],
    [groupadmin, members],
  ] as const) {
    const truth = await trueMatrix(query, orgId, { ...(whose && { whose }), any: true })
    const asked = { videos: 'any', limit: 50 }
    const { body } = await reader.call(listTraining, { params, query: asked })
    const lines = body.items.map(({ id: _id, email: _email, ...line }) => line)
    expect([because, lines]).toEqual([because, truth.lines])
    const totals = (await reader.call(readTraining, { params, query: { videos: 'any' } })).body
    expect([because, totals.videos.map(({ title, counts }) => ({ title, counts }))]).toEqual([
      because,
      truth.videos,
    ])
    const sum = (of: 'required' | 'done' | 'overdue') => truth.lines.reduce((n, line) => n + line[of], 0)
    expect([because, totals]).toMatchObject([
      because,
      { required: sum('required'), done: sum('done'), overdue: sum('overdue') },
    ])
    for (const sort of ['-overdue', 'done'] as const) {
      const sorted = (await reader.call(listTraining, { params, query: { ...asked, sort } })).body.items
      expect([because, sorted.map(({ name }) => name).toSorted()]).toEqual([
        because,
        truth.lines.map(({ name }) => name),
      ])
      for (const { name, required, done, overdue, cells } of sorted)
        expect([because, truth.lines]).toEqual([
          because,
          expect.arrayContaining([{ name, required, done, overdue, cells }]),
        ])
      const keys = sorted.map(({ required, done, overdue }) =>
        sort === 'done' ? (required === 0 ? 1 : done / required) : -overdue,
      )
      expect([because, keys]).toEqual([because, keys.toSorted((a, b) => a - b)])
    }
    const sent = await trueMatrix(query, orgId, { ...(whose && { whose }), any: false })
    for (const state of trainingStates) {
      const letter = trainingLetters[state]
      const found = (await reader.call(listTraining, { params, query: { state, limit: 50 } })).body
      const names = sent.lines.filter(({ cells }) => cells.includes(letter)).map(({ name }) => name)
      expect([because, state, found.items.map(({ name }) => name), found.total]).toEqual([
        because,
        state,
        names,
        names.length,
      ])
    }
    const { items } = (await reader.call(readDashboardAlerts)).body
    const late = truth.lines.filter(({ overdue }) => overdue > 0)
    const alert = items.find(({ kind }) => kind === 'overdue_people')
    expect([because, alert?.count ?? 0, alert?.samples.map(({ name }) => name) ?? []]).toEqual([
      because,
      late.length,
      late.slice(0, 3).map(({ name }) => name),
    ])
  }
}

/** Two workers at once leave nothing to do, and nothing wrong. */
async function expectSettled(because: unknown): Promise<void> {
  await Promise.all([emptyQueue(), emptyQueue()])
  expect([because, await waiting()]).toEqual([because, []])
  await expectTruth(because)
}

const historyOf = (seed: number) => trainingHistory({ query, orgId, people, videos }, seed)

/** Everything that is kept, without the order of its rows. */
const stored = () =>
  query(`select t::text from training_cells t where organization_id = $1 order by 1`, [orgId])

test.each([71, 72, 73, 74])(
  'equal all evidence after every turn of a history by chance, settled or not (%i)',
  async (seed) => {
    const { between, next } = chance(seed + 1_000)
    const happen = historyOf(seed)
    const reported: string[] = []
    for (let turn = 0; turn < 6; turn++) {
      for (let n = between(1, 6); n > 0; n--) reported.push(await happen())
      await expectTruth(reported)
      if (next() < 0.7) {
        reported.push('settled')
        await expectSettled(reported)
      }
    }
    await emptyQueue()
    const settled = await stored()
    await markAll()
    await emptyQueue()
    expect(await stored()).toEqual(settled)
    await markAll()
    await expectTruth('as after an upgrade')
    await emptyQueue()
    expect(await stored()).toEqual(settled)
  },
)

test('equal it while several write and two settle', async () => {
  const write = async (seed: number) => {
    const happen = historyOf(seed)
    for (let n = 0; n < 40; n++) await happen()
  }
  const ended = new AbortController()
  const go = async () => {
    while (!ended.signal.aborted) await emptyQueue()
  }
  const settlers = [go(), go()]
  await Promise.all([write(81), write(82)])
  ended.abort()
  await Promise.all(settlers)
  await emptyQueue()
  expect(await waiting()).toEqual([])
  await expectTruth('several writers')
  const settled = await stored()
  await markAll()
  await emptyQueue()
  expect(await stored()).toEqual(settled)
})

test('lose nothing when the process that settles is killed', async () => {
  const happen = historyOf(91)
  for (let n = 0; n < 25; n++) await happen()
  const before = await stored()
  // It comes as far as writing, and waits.
  const holder = await server.services.db.system.connect()
  await holder.query('begin; lock table training_cells in exclusive mode')
  const at = (file: string) => JSON.stringify(path.resolve(import.meta.dirname, file))
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { connect } from ${at('../platform/db/client.ts')}
        import { drain } from ${at('../platform/derived/keys.ts')}
        import { trainingCells } from ${at('./recompute.ts')}
        await drain(connect(${JSON.stringify(server.services.db.url)}), trainingCells)`,
    ],
    { stdio: 'ignore' },
  )
  const waits = `select 1 from pg_locks where relation = 'training_cells'::regclass and not granted`
  while ((await query(waits)).length === 0) await sleep(50)
  const left = once(child, 'exit')
  child.kill('SIGKILL')
  expect((await left)[1]).toBe('SIGKILL')
  await holder.query('rollback')
  holder.release()
  expect((await waiting()).length).toBeGreaterThan(0)
  expect(await stored()).toEqual(before)
  await expectTruth('killed')
  await expect.poll(async () => (await emptyQueue(), (await waiting()).length), { timeout: 10_000 }).toBe(0)
  await expectTruth('settled after that')
})

test('know at the instant that a day is over or an excuse has ended, without anything being written', async () => {
  const [video, other] = videos
  const [late = '', excused = ''] = people
  if (!video || !other) throw new Error('there are videos')
  const soon = new Date(Date.now() + 6_000)
  const sent = await addDelivery(server, { organizationId: orgId, ...video, userId: late })
  await query('update transmissions set due_at = $2 where id = $1', [sent.transmissionId, soon])
  const over = await addDelivery(server, { organizationId: orgId, ...other, userId: excused })
  await query(`update transmissions set due_at = now() - interval '1 day' where id = $1`, [
    over.transmissionId,
  ])
  const params = { orgId, userId: excused, videoId: other.videoId }
  await admin.call(waiveTraining, { params, body: { reason: 'On leave', until: soon.toISOString() } })
  await emptyQueue()
  const overdue = async () => (await admin.call(readTraining, { params: { orgId } })).body.overdue
  expect(await overdue()).toBe(0)
  await sleep(soon.getTime() - Date.now() + 50)
  expect(await overdue()).toBe(2)
  expect(await waiting()).toEqual([])
  await expectTruth('time alone')
})

test('follow what people do in the console', async () => {
  const [video] = videos
  const [erased = '', removed = '', excused = ''] = people
  if (!video) throw new Error('there is a video')
  for (const userId of [erased, removed, excused]) {
    await addDelivery(server, { organizationId: orgId, ...video, userId })
    await query(
      `insert into viewer_videos (organization_id, video_id, version_id, user_id, viewer_key, first_at, last_at, plays)
        values ($1, $2, $3, $4::uuid, 'recipient:' || $4::uuid, now(), now(), 1)`,
      [orgId, video.videoId, video.versionId, userId],
    )
  }
  const params = { orgId, userId: excused, videoId: video.videoId }
  const acts = [
    () => admin.call(eraseEvidence, { params: { orgId, userId: erased }, body: { when: 'now' } }),
    () => admin.call(deleteUser, { params: { orgId, userId: removed } }),
    () => admin.call(waiveTraining, { params, body: { reason: 'On leave' } }),
    () => admin.call(endWaiver, { params }),
  ]
  await emptyQueue()
  for (const [n, act] of acts.entries()) {
    expect((await act()).status).toBeLessThan(300)
    expect((await waiting()).length).toBeGreaterThan(0)
    await expectTruth(n)
    await emptyQueue()
    await expectTruth(n)
  }
})
