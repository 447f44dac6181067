import { describe, expect, test } from 'vitest'
import { api } from '#contract/api.ts'
import type { EndpointDefinition } from '#contract/endpoint.ts'
import {
  readOrganization,
  updateOrganizationSettings,
  type Policies,
} from '#contract/directory/organizations.ts'
import { listPersonHistory } from '#contract/person/person.ts'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { sampleOf, type Facts } from '../../testing/calls/facts.ts'
import type { Person } from '../../testing/server.ts'
import { addPlay, sent, writeLog } from '../../testing/viewing/viewers.ts'
import { addDelivery, addVideo } from '../../testing/viewing/viewing.ts'
import { startPlay } from '#server/tracking/ingest/token.ts'
import { announceAll } from '../../testing/viewing/served.ts'
import { aggregateOnce } from '../../testing/viewing/aggregate.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'
import { applyRetention } from './retention.ts'

const server = await aServer()
const { query } = server

const hour = 3_600_000

/** Figures that occur nowhere else, so that a reply that holds one tells about the viewing. */
const figures = { durationMs: 62_674, coveredMs: 31_337, watchMs: 35_448, position: 27_226, share: 0.5 }

/** Somebody who has watched half of a video through a personal link, `ago` hours ago, or (`isWhole`) all of it. */
async function watched(orgId: string, { ago = 30, isWhole = false } = {}) {
  const { id: userId } = await server.person(null, orgId)
  const video = await addVideo(server, { organizationId: orgId, durationMs: figures.durationMs })
  const delivery = await addDelivery(server, { organizationId: orgId, ...video, userId })
  const play = {
    org: orgId,
    video: video.videoId,
    version: video.versionId,
    durMs: figures.durationMs,
    transmission: delivery.transmissionId,
    delivery: delivery.deliveryId,
    kind: 'recipient' as const,
    userId,
    maxRate: 2,
    theta: 0.95,
  }
  const { claims } = startPlay(server.services.keys, play, Date.now() - ago * hour)
  const end = isWhole ? figures.durationMs : figures.coveredMs
  const again = figures.position - (figures.watchMs - figures.coveredMs)
  await writeLog(server, [
    sent(claims, {
      at: 200_000,
      spans: [
        [0, 0, end, end, 100, 0],
        [1, again, figures.position, figures.watchMs - figures.coveredMs, 100, 0],
      ],
      events: [[0, 'impression', 100, 0, null]],
    }),
  ])
  await aggregateOnce(server.services.db)
  return { userId, ...video, ...delivery, claims }
}

async function organization(policies: Partial<Policies> = {}) {
  const { orgId, admin } = await anOrganization(server)
  await setPolicies(admin, orgId, policies)
  return { orgId, admin }
}

async function setPolicies(admin: Person, orgId: string, policies: Partial<Policies>) {
  const { name } = (await admin.call(readOrganization, { params: { orgId } })).body
  const changed = await admin.call(updateOrganizationSettings, {
    params: { orgId },
    body: { name, policies },
  })
  expect(changed.status).toBe(200)
}

/** Every reading of the product that the person may call, with the ids of this viewing. */
async function readEverything(person: Person, facts: Partial<Facts>) {
  const known = new Proxy(facts as Facts, {
    get: (target, name) => Reflect.get(target, name) ?? crypto.randomUUID(),
  })
  const readings = api.filter(
    ({ method, access }: EndpointDefinition) => method === 'GET' && access.kind === 'roles',
  )
  const replies = new Map<string, { status: number; body: unknown }>()
  for (const endpoint of readings) {
    const input = sampleOf(endpoint, known)
    const path = endpoint.path.replaceAll(/:(\w+)/g, (_all, key: string) => input.params?.[key] ?? key)
    const ofOne = new URLSearchParams(input.query)
    const ofAll = new URLSearchParams(input.query)
    if (person.organizationId === null) ofAll.delete('organizationId')
    for (const url of new Set([ofOne, ofAll].map((search) => `/api${path}?${search.toString()}`)))
      replies.set(`${endpoint.name} ${url}`, await person.send('GET', url))
  }
  return replies
}

/** Their digits are chance, and any figure may stand among them. */
const idsAndHashes = /\b([0-9a-f]{64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/g

/** What a reply says about how this viewing went: one of its figures, or an instant of its day finer than the day. */
function tells(body: unknown, began: number): string[] {
  const found: string[] = []
  const walk = (value: unknown, path: string) => {
    if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) walk(inner, `${path}.${key}`)
    if (typeof value === 'number' && finer.has(value)) found.push(`${path} = ${value}`)
    if (typeof value !== 'string') return
    const at = Date.parse(value)
    const isDay = /^\d{4}-\d\d-\d\d(T00:00:00\.000Z)?$/.test(value)
    if (!isDay && at >= began - 1_000 && at < began + hour) found.push(`${path} = ${value}`)
    const words = value.replaceAll(idsAndHashes, '')
    if ([...finer].some((figure) => figure > 1 && words.includes(String(figure))))
      found.push(`${path} holds a figure`)
  }
  const finer = new Set([figures.coveredMs, figures.watchMs, figures.position, figures.share])
  walk(body, '')
  return found
}

describe('where only completions are recorded', () => {
  async function everyReply(policies: Partial<Policies>) {
    const { orgId, admin } = await organization(policies)
    const seen = await watched(orgId, { ago: 3 })
    const groupadmin = await server.person('groupadmin', orgId)
    const [group] = await query<{ id: string }>(
      `with g as (insert into groups (organization_id, name) values ($1, 'Theirs') returning id),
        m as (insert into group_members (organization_id, group_id, user_id, groupadmin)
          select $1, g.id, u.id, u.admin from g, (values ($2::uuid, false), ($3::uuid, true)) u(id, admin) returning 1)
        select id from g`,
      [orgId, seen.userId, groupadmin.id],
    )
    const facts = { orgId, groupId: group?.id ?? '', ...seen, adminId: admin.id }
    const superadmin = await server.person('superadmin', null)
    const found: string[] = []
    let answered = 0
    for (const person of [admin, superadmin, groupadmin])
      for (const [name, { status, body }] of await readEverything(person, facts)) {
        if (status !== 200) continue
        answered += 1
        found.push(...tells(body, seen.claims.iat).map((fault) => `${name}: ${fault}`))
      }
    expect(answered).toBeGreaterThan(60)
    return found
  }

  test('no reply of the product to anybody tells which parts, how long, how far or when somebody watched', async () => {
    expect(await everyReply({ trackingMode: 'completed_only' })).toEqual([])
  })

  test('the same look finds it everywhere where parts are recorded', async () => {
    const found = await everyReply({})
    for (const name of [
      'listDeliveries',
      'listPersonHistory',
      'listUserActivity',
      'readOrganizationDashboard',
      'readOrganizationOverview',
      'listVideoEngagement',
      'readRemoval',
    ])
      expect(found.filter((fault) => fault.startsWith(name))).not.toEqual([])
  })

  test('a completion is told by its day', async () => {
    const { orgId, admin } = await organization({ trackingMode: 'completed_only' })
    const { transmissionId, userId } = await watched(orgId, { ago: 1, isWhole: true })
    const [delivery] = (await admin.call(listDeliveries, { params: { transmissionId } })).body.items
    expect(delivery).toMatchObject({
      openedAt: null,
      lastWatchedAt: null,
      watchedMs: null,
      share: null,
      coverage: null,
    })
    expect(delivery?.completedAt).toMatch(/T00:00:00\.000Z$/)
    const history = await admin.call(listPersonHistory, {
      params: { orgId, userId },
      query: { kind: 'viewing' },
    })
    expect(history.body).toMatchObject({
      total: 1,
      items: [{ at: delivery?.completedAt, watchedMs: null, coverage: null, browser: null }],
    })
  })
})

const traces = async (orgId: string) => {
  const counts: Record<string, number> = {}
  for (const table of ['play_sessions', 'play_spans', 'play_events', 'served_sessions', 'track_batches'])
    counts[table] = Number(
      (
        await query<{ n: string }>(`select count(*) as n from ${table} where organization_id = $1`, [orgId])
      )[0]?.n,
    )
  return counts
}
const nothing = { play_sessions: 0, play_spans: 0, play_events: 0, served_sessions: 0, track_batches: 0 }

describe('what was recorded to find out about a completion', () => {
  test('goes a day after it, and the completion stays by its day', async () => {
    const { orgId } = await organization({ trackingMode: 'completed_only' })
    const done = await watched(orgId, { isWhole: true })
    await announceAll(server, orgId)
    const [before] = await query<{ watch_ms: string; day: string }>(
      'select * from day_rollups where organization_id = $1',
      [orgId],
    )
    await applyRetention(server.services)
    expect(await traces(orgId)).toEqual(nothing)
    const [viewer] = await query<Record<string, unknown>>(
      'select * from viewer_videos where organization_id = $1',
      [orgId],
    )
    expect(viewer).toMatchObject({
      user_id: done.userId,
      coverage: '{}',
      covered_ms: 0,
      watch_ms: '0',
      position: 0,
    })
    for (const column of ['completed_at', 'covered_at', 'first_at', 'last_at'])
      expect(JSON.stringify(viewer?.[column])).toMatch(/T00:00:00\.000Z"$/)
    const [delivery] = await query<Record<string, unknown>>(
      'select * from delivery_viewing where organization_id = $1',
      [orgId],
    )
    expect(delivery).toMatchObject({ coverage: '{}', covered_ms: 0, watch_ms: '0' })
    expect(JSON.stringify(delivery?.['completed_at'])).toMatch(/T00:00:00\.000Z"$/)
    expect(await query('select * from day_rollups where organization_id = $1', [orgId])).toEqual([before])
  })

  test('stays while the session may still report, and while somebody may still complete', async () => {
    const { orgId } = await organization({ trackingMode: 'completed_only' })
    await watched(orgId, { ago: 2, isWhole: true })
    await watched(orgId, { ago: 29 * 24 })
    await applyRetention(server.services)
    expect((await traces(orgId))['play_sessions']).toBe(2)
    const reports = await query('select received_at from track_batches where organization_id = $1', [orgId])
    // The reports themselves go as soon as their sitting is over.
    expect(reports).toHaveLength(1)
  })

  test('goes with the fact of having begun 30 days after the last sitting', async () => {
    const { orgId } = await organization({ trackingMode: 'completed_only' })
    await watched(orgId, { ago: 31 * 24 })
    await applyRetention(server.services)
    expect(await traces(orgId)).toEqual(nothing)
    expect(await query('select * from viewer_videos where organization_id = $1', [orgId])).toEqual([])
  })

  test('lets nobody who completed complete again, nor lose it, when they come back', async () => {
    const { orgId } = await organization({ trackingMode: 'completed_only' })
    const { claims } = await watched(orgId, { isWhole: true })
    await applyRetention(server.services)
    const [before] = await query('select completed_at from viewer_videos where organization_id = $1', [orgId])
    const again = startPlay(server.services.keys, {
      ...(await addPlay(server, orgId)),
      video: claims.video,
      version: claims.version,
      durMs: claims.durMs,
      userId: claims.viewerKey.split(':')[1] ?? '',
    }).claims
    await writeLog(server, [sent(again, { at: 9_000, spans: [[0, 0, 5_000, 5_000, 100, 0]] })])
    await aggregateOnce(server.services.db)
    expect(await query('select completed_at from viewer_videos where organization_id = $1', [orgId])).toEqual(
      [before],
    )
  })

  test('is not shown when parts are recorded again, and nothing is until it is gone', async () => {
    const { orgId, admin } = await organization({ trackingMode: 'completed_only' })
    const { transmissionId } = await watched(orgId, { ago: 30 })
    await setPolicies(admin, orgId, { trackingMode: 'full' })
    const shown = async () =>
      (await admin.call(listDeliveries, { params: { transmissionId } })).body.items[0]?.watchedMs
    expect(await shown()).toBeNull()
    await applyRetention(server.services)
    expect(await shown()).toBeNull()
    await query(
      `update private_periods set ended_at = ended_at - interval '26 hours' where organization_id = $1`,
      [orgId],
    )
    await applyRetention(server.services)
    expect(await shown()).toBe(0)
    expect(await traces(orgId)).toEqual(nothing)
    const later = await watched(orgId, { ago: 1 })
    const [delivery] = (
      await admin.call(listDeliveries, { params: { transmissionId: later.transmissionId } })
    ).body.items
    expect(delivery?.watchedMs).toBe(figures.coveredMs)
  })

  test('belongs to this organization alone', async () => {
    const { orgId } = await organization()
    await watched(orgId, { isWhole: true, ago: 40 * 24 })
    await applyRetention(server.services)
    expect((await traces(orgId))['play_sessions']).toBe(1)
  })
})
