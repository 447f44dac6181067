import { expect, test } from 'vitest'
import { previewMail, testTransmission } from '#contract/identity/mail-preview.ts'
import { listDeliveries, resolveDeliveries, resolveDelivery } from '#contract/transmissions/deliveries.ts'
import {
  changeTransmission,
  createTransmission,
  deliveryStates,
  listTransmissions,
  previewAudience,
  readTransmission,
  type Transmission,
} from '#contract/transmissions/transmissions.ts'
import { addGroup, addPeople, addVideo } from '../testing/audience.ts'
import type { Person } from '../testing/server.ts'
import { aSendingServer, anOrganization } from '../testing/worlds.ts'

const sending = await aSendingServer()
const { server, org, admin, videoId } = sending

async function until(id: string, state: Transmission['state'], by: Person = admin): Promise<Transmission> {
  for (const began = Date.now(); Date.now() - began < 40_000; await pause(50)) {
    const { body } = await by.call(readTransmission, { params: { transmissionId: id } })
    const sum = deliveryStates.reduce((total, one) => total + body.counts[one], 0)
    expect(sum).toBe(body.audienceTotal)
    if (body.state === state) return body
  }
  throw new Error(`the transmission did not become ${state}`)
}
const pause = (ms: number) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
const mailsOf = async (transmissionId: string) =>
  await server.query<{
    address: string
    subject: string
    text: string
    html: string
    deliveryId: string
  }>(
    `select m.address, m.subject, m.text, m.html, m.delivery_id as "deliveryId" from mails m
        join deliveries d on d.id = m.delivery_id where d.transmission_id = $1 order by m.address`,
    [transmissionId],
  )

test('requires sign-in', async () => {
  expect((await server.call(listTransmissions)).status).toBe(401)
  expect(
    (await server.call(createTransmission, { body: { body: 'x', videoId, accountId: org } })).status,
  ).toBe(401)
})

test('requires an admin', async () => {
  const groupadmin = await server.person('groupadmin', org)
  expect((await groupadmin.call(listTransmissions)).status).toBe(403)
})

test('sends to one person with exactly the payload of the specification', async () => {
  const [userId = ''] = await addPeople(server, org, { count: 1, prefix: 'single' })
  const made = await admin.call(createTransmission, {
    body: { body: 'Hello <you>,\n\nplease watch.', videoId, userId, accountId: org },
  })
  expect(made.status).toBe(201)
  const done = await until(made.body.id, 'completed')
  expect(done).toMatchObject({
    audienceTotal: 1,
    counts: { accepted: 1, queued: 0 },
    sender: { id: admin.id },
  })
  const [mail, ...others] = await mailsOf(made.body.id)
  expect(others).toEqual([])
  expect(mail?.address).toBe('single-1@example.test')
  expect(mail?.subject).toMatch(/ sent you a video: Fire drill$/)
  const link = /http\S+\/w\/video\/[0-9a-f-]+\?d=[\w-]{43}/.exec(mail?.text ?? '')?.[0] ?? ''
  expect(link).toContain(videoId)
  expect(mail?.html).toContain(link)
  expect(mail?.html).toContain('Hello &lt;you&gt;,')
  const hash = await server.services.db.system.query(
    `select 1 from deliveries where link_hash = sha256(convert_to($1, 'UTF8')) and id = $2`,
    [new URL(link).searchParams.get('d'), mail?.deliveryId],
  )
  expect(hash.rowCount).toBe(1)
})

test('announces exactly whom it reaches, and why not the others', async () => {
  const { orgId: home, admin: boss } = await anOrganization(server, 'Exact')
  const video = await addVideo(server, home)
  const people = await addPeople(server, home, { count: 10, prefix: 'exact' })
  const group = await addGroup(server, home, people.slice(0, 4))
  const { system } = server.services.db
  await system.query(`update users set state = 'disabled' where id = $1`, [people[0]])
  await system.query(`update users set email = '' where id = $1`, [people[1]])
  await system.query(`update users set email = ' exact-4@example.test' where id = $1`, [people[9]])
  await system.query(
    `insert into suppressions (organization_id, address, reason) values ($1, 'exact-3@example.test', 'asked')`,
    [home],
  )
  const audience = {
    userIds: [people[0] ?? '', people[3] ?? '', people[9] ?? ''],
    groupIds: [group],
    everyone: false,
  }
  const counted = await boss.call(previewAudience, { body: { accountId: home, audience } })
  expect(counted.body).toMatchObject({
    recipients: 1,
    overlaps: 2,
    skipped: { inactive: 1, no_address: 1, suppressed: 1, duplicate_address: 1 },
  })
  const made = await boss.call(createTransmission, {
    body: { body: 'x', videoId: video, accountId: home, audience },
  })
  const done = await until(made.body.id, 'completed', boss)
  expect(done).toMatchObject({ audienceTotal: 5, counts: { accepted: 1, skipped: 4 } })
  const listed = await boss.call(listDeliveries, { params: { transmissionId: done.id } })
  expect(listed.body.items.map((one) => [one.user.name, one.state, one.reason])).toEqual([
    ['Exact 1', 'skipped', 'inactive'],
    ['Exact 10', 'skipped', 'duplicate_address'],
    ['Exact 2', 'skipped', 'no_address'],
    ['Exact 3', 'skipped', 'suppressed'],
    ['Exact 4', 'accepted', null],
  ])
  const everyone = await boss.call(previewAudience, {
    body: { accountId: home, audience: { everyone: true } },
  })
  expect(everyone.body).toMatchObject({ recipients: 7, overlaps: 0 })
})

test('prepares an audience larger than one chunk without losing or doubling anybody', async () => {
  const { orgId: home, admin: boss } = await anOrganization(server, 'Large')
  const video = await addVideo(server, home)
  const people = await addPeople(server, home, { count: 10_500, prefix: 'large' })
  const { system } = server.services.db
  await system.query(`update users set state = 'disabled' where id = any($1)`, [people.slice(0, 10_400)])
  const made = await boss.call(createTransmission, {
    body: { body: 'x', videoId: video, accountId: home, audience: { everyone: true } },
  })
  const done = await until(made.body.id, 'completed', boss)
  expect(done).toMatchObject({ audienceTotal: 10_501, counts: { accepted: 101, skipped: 10_400 } })
  const distinct = await system.query<{ n: number }>(
    'select count(distinct user_id)::int as n from deliveries where organization_id = $1',
    [home],
  )
  expect(distinct.rows[0]?.n).toBe(10_501)
}, 60_000)

test('takes a double click with the same key for one', async () => {
  const [userId = ''] = await addPeople(server, org, { count: 1, prefix: 'twice' })
  const body = { body: 'x', videoId, userId, accountId: org }
  const headers = { 'idempotency-key': 'form-1' }
  const both = await Promise.all([
    admin.call(createTransmission, { body, headers }),
    admin.call(createTransmission, { body, headers }),
  ])
  expect(both.map((one) => one.status)).toEqual([201, 201])
  expect(both[0]?.body.id).toBe(both[1]?.body.id)
  const other = await admin.call(createTransmission, { body: { ...body, body: 'y' }, headers })
  expect(other.problem?.code).toBe('idempotency_key_reused')
})

test('refuses what cannot be sent', async () => {
  const [userId = ''] = await addPeople(server, org, { count: 1, prefix: 'refused' })
  const elsewhere = await server.organization('Elsewhere')
  const [foreign = ''] = await addPeople(server, elsewhere, { count: 1, prefix: 'foreign' })
  const foreignVideo = await addVideo(server, elsewhere)
  const raw = await addVideo(server, org, 'Raw')
  await server.query(`update videos set state = 'uploading' where id = $1`, [raw])
  const send = async (more: object) =>
    (await admin.call(createTransmission, { body: { body: 'x', videoId, userId, accountId: org, ...more } }))
      .problem
  expect(await send({ accountId: elsewhere })).toMatchObject({ status: 404 })
  expect(await send({ userId: foreign })).toMatchObject({
    status: 422,
    fields: { 'audience.userIds': ['not_found'] },
  })
  expect(await send({ videoId: foreignVideo })).toMatchObject({
    status: 422,
    fields: { videoId: ['not_found'] },
  })
  expect(await send({ videoId: raw })).toMatchObject({ code: 'not_ready' })
  expect(await send({ userId: undefined })).toMatchObject({ code: 'no_recipients' })
  expect(await send({ body: '  ' })).toMatchObject({ fields: { body: ['required'] } })
  const group = await addGroup(server, elsewhere, [foreign])
  expect(await send({ audience: { groupIds: [group] } })).toMatchObject({
    fields: { 'audience.groupIds': ['not_found'] },
  })
})

test('shows the mail before it is sent', async () => {
  const shown = await admin.call(previewMail, {
    body: { accountId: org, videoId, body: 'Hi', subject: 'News' },
  })
  expect(shown.body).toMatchObject({ subject: 'News' })
  expect(shown.body.html).toContain('Watch the video')
  expect(shown.body.text).toContain('Hi')
})

test('sends the mail to its author for a trial, which nothing counts', async () => {
  const body = { accountId: org, videoId, body: 'Hi', subject: 'News' }
  const before = await admin.call(listTransmissions)
  const key = { 'idempotency-key': crypto.randomUUID() }
  for (let press = 0; press < 2; press++)
    expect(await admin.call(testTransmission, { body, headers: key })).toMatchObject({
      status: 200,
      body: { address: admin.email },
    })
  const found = await server.query<{
    subject: string
    html: string
    delivery_id: string | null
  }>('select subject, html, delivery_id from mails where address = $1', [admin.email])
  // Pressed twice, sent once.
  expect(found).toMatchObject([{ subject: 'Test: News', delivery_id: null }])
  expect(found[0]?.html).toContain(`/content/${videoId}`)
  expect(found[0]?.html).not.toContain('/w/video/')
  expect((await admin.call(listTransmissions)).body.total).toBe(before.body.total)
  const { html } = (await admin.call(previewMail, { body })).body
  const same = (text: string) => text.replaceAll(/href="[^"]*"|https?:[^<"]*/g, '')
  expect(same(found[0]?.html ?? '')).toBe(same(html))
  const stranger = await server.person('admin', await server.organization('Curious'))
  expect((await stranger.call(testTransmission, { body })).status).toBe(404)
})

test('shows the picture of the video that was sent', async () => {
  const pictured = await addVideo(server, org, 'Pictured')
  await server.query(
    `update video_versions set poster = 'poster.jpg', poster_small = 'poster-640.jpg' where video_id = $1`,
    [pictured],
  )
  const [userId = ''] = await addPeople(server, org, { count: 1, prefix: 'pictured' })
  const made = await admin.call(createTransmission, {
    body: { body: 'x', videoId: pictured, userId, accountId: org },
  })
  expect(made.body.video?.poster).toMatch(new RegExp(`^/m/[^/]+/${pictured}/[0-9a-f-]{36}/poster-640\\.jpg$`))
  const shown = await admin.call(previewMail, { body: { accountId: org, videoId: pictured, body: 'Hi' } })
  expect(shown.body.html).toContain('/poster.jpg"')
})

test('lists newest first, page by page, only of the own organization', async () => {
  const first = await admin.call(listTransmissions, { query: { limit: 1 } })
  expect(first.body.total).toBeGreaterThan(1)
  const second = await admin.send('GET', first.body.next ?? '')
  expect(second.body).toMatchObject({ limit: 1 })
  expect(JSON.stringify(second.body)).not.toContain(first.body.items[0]?.id)
  const stranger = await server.person('admin', await server.organization('Strange'))
  expect((await stranger.call(listTransmissions)).body).toMatchObject({ items: [], total: 0 })
  const params = { transmissionId: first.body.items[0]?.id ?? '' }
  expect((await stranger.call(readTransmission, { params })).status).toBe(404)
  expect((await stranger.call(listDeliveries, { params })).status).toBe(404)
  const body = { action: 'cancel' as const, version: 1 }
  expect((await stranger.call(changeTransmission, { params, body })).status).toBe(404)
  const superadmin = await server.person('superadmin')
  expect((await superadmin.call(readTransmission, { params })).status).toBe(200)
})

test('shows by name who watched which part', async () => {
  const [userId = ''] = await addPeople(server, org, { count: 1, prefix: 'viewer' })
  const made = await admin.call(createTransmission, { body: { body: 'x', videoId, userId, accountId: org } })
  await until(made.body.id, 'completed')
  const { system } = server.services.db
  await system.query(
    `insert into delivery_viewing (transmission_id, delivery_id, organization_id, opened_at, first_play_at, last_at, coverage, covered_ms)
      select transmission_id, id, organization_id, now(), now(), now(), '{[0,15000),[30000,45000)}', 30000 from deliveries where transmission_id = $1`,
    [made.body.id],
  )
  await system.query(`update users set deleted_at = now(), state = 'deleted' where id = $1`, [userId])
  const params = { transmissionId: made.body.id }
  const listed = await admin.call(listDeliveries, { params, query: { q: 'VIEWER' } })
  expect(listed.body.items[0]).toMatchObject({
    user: { name: 'Viewer 1' },
    coverage: [
      [0, 15_000],
      [30_000, 45_000],
    ],
    watchedMs: 30_000,
    share: 0.5,
    completedAt: null,
  })
  expect((await admin.call(listDeliveries, { params, query: { q: 'nobody' } })).body.total).toBe(0)
  expect((await admin.call(readTransmission, { params })).body).toMatchObject({
    opened: 1,
    started: 1,
    completed: 0,
  })
})

test('refuses an action that the state does not allow, and names the state', async () => {
  const [userId = ''] = await addPeople(server, org, { count: 1, prefix: 'late' })
  const made = await admin.call(createTransmission, { body: { body: 'x', videoId, userId, accountId: org } })
  const done = await until(made.body.id, 'completed')
  for (const action of ['pause', 'resume', 'cancel'] as const) {
    const params = { transmissionId: done.id }
    const refused = await admin.call(changeTransmission, { params, body: { action, version: done.version } })
    expect(refused.problem).toMatchObject({
      status: 409,
      detail: expect.stringContaining('is “Sent” now'),
    })
  }
})

test('what is sent again while the last mail settles is not overlooked', async () => {
  const { system } = server.services.db
  const [userId = ''] = await addPeople(server, org, { count: 1, prefix: 'again' })
  const made = await admin.call(createTransmission, { body: { body: 'x', videoId, userId, accountId: org } })
  const params = { transmissionId: made.body.id }
  await until(made.body.id, 'completed')
  // The sender looks away, and stands where it has found nothing left and is about to say so.
  await system.query(`update sending_guard set held_at = now(), signs = '{copied}', answer = null`)
  await system.query(`update transmissions set state = 'sending' where id = $1`, [made.body.id])
  await system.query(`update deliveries set state = 'unknown' where transmission_id = $1`, [made.body.id])
  const sender = await system.connect()
  await sender.query('begin')
  await sender.query('select from transmissions where id = $1 for update', [made.body.id])
  const [{ pid } = { pid: 0 }] = (await sender.query<{ pid: number }>('select pg_backend_pid() as pid')).rows
  const body = { decision: 'send_again', expected: 1, filter: { state: 'unknown' } } as const
  const decided = admin.call(resolveDeliveries, { params, body })
  const waits = async () =>
    (await system.query('select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [pid])).rowCount
  await expect.poll(waits).toBe(1)
  await sender.query(`update transmissions set state = 'completed' where id = $1`, [made.body.id])
  await sender.query('commit')
  sender.release()
  expect((await decided).status).toBe(200)
  const { state, counts } = (await admin.call(readTransmission, { params })).body
  expect([state, counts.queued]).toEqual(['sending', 1])
  await system.query(`update sending_guard set held_at = null, signs = null`)
  await until(made.body.id, 'completed')
})

test('lets a person decide about a delivery of which nobody knows whether it left', async () => {
  const people = await addPeople(server, org, { count: 2, prefix: 'unsure' })
  const made = await admin.call(createTransmission, {
    body: { body: 'x', videoId, accountId: org, audience: { userIds: people } },
  })
  await until(made.body.id, 'completed')
  const params = { transmissionId: made.body.id }
  const { items } = (await admin.call(listDeliveries, { params })).body
  const decide = (i: number, decision: 'send_again' | 'treat_as_failed') =>
    admin.call(resolveDelivery, { params: { ...params, deliveryId: items[i]?.id ?? '' }, body: { decision } })
  expect((await decide(0, 'send_again')).status).toBe(409)
  await server.query(`update deliveries set state = 'unknown' where transmission_id = $1`, [made.body.id])
  expect((await decide(0, 'send_again')).body.state).toBe('queued')
  expect((await decide(1, 'treat_as_failed')).body.state).toBe('rejected')
  const done = await until(made.body.id, 'completed')
  expect(done.counts).toMatchObject({ accepted: 1, rejected: 1 })
  const attempts = await server.query('select n from delivery_attempts where delivery_id = $1 order by n', [
    items[0]?.id,
  ])
  expect(attempts).toEqual([{ n: 1 }, { n: 2 }])
  const entries = await server.services.db.system.query(
    `select 1 from audit where action = 'delivery.send_again' and entity_id = $1`,
    [items[0]?.id],
  )
  expect(entries.rowCount).toBe(1)
})
