import { afterEach, expect, test } from 'vitest'
import { createDraft } from '#contract/transmissions/drafts.ts'
import { listNotifications } from '#contract/notifications/notifications.ts'
import {
  changeTransmission,
  createTransmission,
  deliveryStates,
  editTransmission,
  readTransmission,
  type TransmissionAction,
} from '#contract/transmissions/transmissions.ts'
import { readWaves } from '#contract/transmissions/waves.ts'
import { addPeople } from '../../testing/audience.ts'
import { until } from '../../testing/until.ts'
import { aSendingServer, aSink } from '../../testing/worlds.ts'

const count = 130
const plan = { share: 5, waitMinutes: 60, size: 60, pauseMinutes: 30 }

const sink = await aSink()
const { server, org: orgId, admin: author, videoId } = await aSendingServer({ SMTP_URL: sink.url })
const { query } = server
const colleague = await server.person('admin', orgId)
const userIds = await addPeople(server, orgId, { count })
const body = {
  accountId: orgId,
  videoId,
  body: 'x',
  audience: { userIds },
}
afterEach(() => {
  sink.options.reply = () => undefined
})

const read = async (transmissionId: string) =>
  (await author.call(readTransmission, { params: { transmissionId } })).body
const waves = async (transmissionId: string) =>
  (await author.call(readWaves, { params: { transmissionId } })).body
const act = async (transmissionId: string, action: Exclude<TransmissionAction, 'edit'>) =>
  author.call(changeTransmission, {
    params: { transmissionId },
    body: { action, version: (await read(transmissionId)).version },
  })
const start = async () => (await author.call(createTransmission, { body: { ...body, waves: plan } })).body.id
/** Until the wave of this number has left and the next one waits. */
const rests = (id: string, number: number) =>
  until(async () => {
    const now = await waves(id)
    return now.waves.length === number && now.nextAt !== null && now
  }, 20)
const addressesOf = (id: string) =>
  query<{ address: string }>(
    `select address from deliveries where transmission_id = $1 and wave is not null order by address`,
    [id],
  )
const minutesAhead = (iso: string | null) => (Date.parse(iso ?? '') - Date.now()) / 60_000
const overdue = (id: string) =>
  query('update transmission_waves set next_at = now() where transmission_id = $1', [id])
const looked = () => new Promise((resolve) => setTimeout(resolve, 2_500))

test('a small share goes first, chosen by chance, and nothing more until the pause is over', async () => {
  const id = await start()
  const first = await rests(id, 1)
  expect(first).toMatchObject({
    waiting: count - 20,
    waves: [{ number: 1, people: 20, sent: 20, troubled: 0 }],
  })
  expect(Math.round(minutesAhead(first.nextAt))).toBe(plan.waitMinutes)
  await looked()
  const waiting = await read(id)
  expect(waiting).toMatchObject({
    state: 'sending',
    counts: { accepted: 20, queued: count - 20 },
    waves: plan,
  })
  const chosen = (await addressesOf(id)).map(({ address }) => Number(/-(\d+)@/.exec(address)?.[1]))
  // Of 130 people, 20 in a row would lie within 20 numbers.
  expect(Math.max(...chosen) - Math.min(...chosen)).toBeGreaterThan(50)
  const again = await start()
  await rests(again, 1)
  expect(await addressesOf(again)).not.toEqual(await addressesOf(id))
  await act(again, 'cancel')
  await overdue(id)
  const second = await rests(id, 2)
  expect(second).toMatchObject({ waiting: 50, waves: [{ people: 20 }, { number: 2, people: 60, sent: 60 }] })
  expect(Math.round(minutesAhead(second.nextAt))).toBe(plan.pauseMinutes)
  expect((await act(id, 'next_wave')).status).toBe(200)
  await until(async () => (await read(id)).state === 'completed', 20)
  expect((await waves(id)).waves.map(({ people }) => people)).toEqual([20, 60, 50])
  const { counts, audienceTotal } = await read(id)
  expect([counts.accepted, audienceTotal]).toEqual([count, count])
  const entries = await query<{ action: string; n: number }>(
    `select action, count(*)::int as n from audit where entity_id = $1 and action in ('transmission.wave', 'transmission.next_wave')
      group by 1 order by 1`,
    [id],
  )
  expect(entries).toEqual([
    { action: 'transmission.next_wave', n: 1 },
    { action: 'transmission.wave', n: 3 },
  ])
})

test('a wave of which too many are refused is the last one, until somebody has looked at it', async () => {
  let refused = 0
  sink.options.reply = (step) => (step === 'rcpt' && refused++ < 2 ? '550 5.7.1 not from you' : undefined)
  const id = await start()
  const first = await rests(id, 1)
  expect(first.waves).toMatchObject([{ sent: 18, troubled: 2, isTroubled: false }])
  expect((await act(id, 'next_wave')).status).toBe(200)
  await until(async () => (await read(id)).state === 'paused', 20)
  expect(await read(id)).toMatchObject({
    reason: 'wave_troubled',
    counts: { queued: count - 20, rejected: 2 },
  })
  expect((await waves(id)).waves).toMatchObject([{ isTroubled: true }])
  const { items } = (await colleague.call(listNotifications)).body
  expect(items[0]).toMatchObject({ kind: 'transmission.paused', params: { reason: 'wave_troubled' } })
  expect((await act(id, 'next_wave')).status).toBe(409)
  expect((await act(id, 'resume')).status).toBe(200)
  const second = await rests(id, 2)
  expect(second.waves).toMatchObject([{ isTroubled: true }, { people: 60, sent: 60, isTroubled: false }])
  await overdue(id)
  await until(async () => (await read(id)).state === 'completed', 20)
})

test('one refusal of twenty stops nothing, one complaint does', async () => {
  let refused = 0
  sink.options.reply = (step) => (step === 'rcpt' && refused++ < 1 ? '550 5.7.1 not from you' : undefined)
  const id = await start()
  await rests(id, 1)
  await overdue(id)
  await rests(id, 2)
  await query(
    `insert into delivery_events (source, event_id, organization_id, transmission_id, delivery_id, kind, is_permanent, at)
      select 'generic', gen_random_uuid()::text, organization_id, transmission_id, id, 'complained', false, now()
      from deliveries where transmission_id = $1 and wave = 2 and state = 'accepted' limit 1`,
    [id],
  )
  await overdue(id)
  await until(async () => (await read(id)).state === 'paused', 20)
  expect((await read(id)).reason).toBe('wave_troubled')
  expect((await act(id, 'cancel')).status).toBe(200)
  const { counts, audienceTotal } = await read(id)
  expect(deliveryStates.reduce((total, state) => total + counts[state], 0)).toBe(audienceTotal)
  expect(counts.cancelled).toBe(50)
})

test('paused between two waves it stays where it is, and waits on when it is resumed', async () => {
  const id = await start()
  const first = await rests(id, 1)
  await act(id, 'pause')
  await overdue(id)
  await looked()
  expect(await read(id)).toMatchObject({ state: 'paused', counts: { accepted: 20 } })
  await query('update transmission_waves set next_at = $2 where transmission_id = $1', [id, first.nextAt])
  await act(id, 'resume')
  await looked()
  expect(await waves(id)).toMatchObject({ waiting: count - 20, nextAt: first.nextAt })
  await act(id, 'cancel')
})

test('plans that are none are refused, and others see nothing of it', async () => {
  const send = async (waves: object) =>
    (await author.call(createTransmission, { body: { ...body, waves: { ...plan, ...waves } } })).problem
      ?.fields
  expect(Object.keys((await send({ share: 0 })) ?? {})).toEqual(['waves.share'])
  expect(Object.keys((await send({ share: 51 })) ?? {})).toEqual(['waves.share'])
  expect(Object.keys((await send({ waitMinutes: 1 })) ?? {})).toEqual(['waves.waitMinutes'])
  expect(Object.keys((await send({ size: 1.5 })) ?? {})).toEqual(['waves.size'])
  const id = (await author.call(createTransmission, { body })).body.id
  expect(await waves(id)).toEqual({ id, waves: [], zones: [], waiting: 0, nextAt: null })
  await until(async () => (await read(id)).state === 'completed', 20)
  const stranger = await server.person('admin', await server.organization())
  expect((await stranger.call(readWaves, { params: { transmissionId: id } })).status).toBe(404)
})

test('too few for waves are refused, in a new one, in a draft that is sent, and as soon as the audience is changed', async () => {
  const { userIds } = body.audience
  const of = (some: number) => ({ ...body, audience: { userIds: userIds.slice(0, some) }, waves: plan })
  const refused = {
    status: 422,
    problem: { code: 'too_few_for_waves', fields: { waves: ['too_few_for_waves'] } },
  }
  expect(await author.call(createTransmission, { body: of(99) })).toMatchObject(refused)
  const few = (await author.call(createDraft, { body: of(99) })).body
  const submit = { action: 'submit', version: few.version } as const
  expect(
    await author.call(changeTransmission, { params: { transmissionId: few.id }, body: submit }),
  ).toMatchObject(refused)
  const enough = (await author.call(createDraft, { body: of(100) })).body
  const params = { transmissionId: enough.id }
  const { accountId: _same, ...content } = of(99)
  const edit = { ...content, version: enough.version }
  expect(await author.call(editTransmission, { params, body: edit })).toMatchObject(refused)
  expect((await act(enough.id, 'submit')).status).toBe(200)
})
