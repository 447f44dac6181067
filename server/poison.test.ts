import { createHmac } from 'node:crypto'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { discardSetAside, type AsideLoop } from '#contract/platform/aside.ts'
import { changeUsers } from '#contract/directory/bulk.ts'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { readDoctor } from '#contract/doctor/doctor.ts'
import { readMailEvents } from '#contract/transmissions/mail-events.ts'
import { listOperationRows } from '#contract/operations.ts'
import { createReportSchedule } from '#contract/reports/report-schedules.ts'
import { createTransmission, readTransmission } from '#contract/transmissions/transmissions.ts'
import { addPeople } from './testing/audience.ts'
import { endOf } from './testing/operations.ts'
import { startPoisoned, type Case, type Place } from './testing/odd/poison.ts'
import { unique } from './testing/unique.ts'
import { until } from './testing/until.ts'
import { addPlay, sent, viewer, writeLog } from './testing/viewing/viewers.ts'
import { anAssignment } from './testing/worlds.ts'
import { startPlay } from './tracking/ingest/token.ts'
import { startWorker } from './worker.ts'

const world = await startPoisoned()
const { server, superadmin, alter, query, isThere, poison, place, setAside, told } = world
let worker: { stop(): Promise<void> }

vi.setConfig({ testTimeout: 240_000 })
afterAll(async () => {
  await worker.stop()
  await world.close()
})

test('the start does not die of what cannot be tidied up, and the rest is', async () => {
  const person = await server.person(null, await server.organization())
  const session = `select 1 from sessions where user_id = $1`
  await query(`update sessions set expires_at = now() - interval '1 year' where user_id = $1`, [person.id])
  const mend = await poison('hidden_attention', 'delete', 'true')
  await query(
    `insert into hidden_attention (owner_id, kind, count, until) values ($1, 'failed_videos', 1, now() - interval '1 day')`,
    [superadmin.id],
  )
  worker = await startWorker(server.services)
  expect(await isThere(session, [person.id])).toBe(false)
  const found = await told('housekeeping')
  expect(found).toMatchObject({ item: 'hidden', reason: 'this is poison' })
  await mend()
  await world.tryAgain(found)
})

const assign = ({ admin, videoId }: Place, userIds: string[], more: object = {}) =>
  anAssignment(admin, {
    videoId,
    audience: { userIds },
    reminders: { daysBefore: [], onTheDay: false, daysAfter: [], weekly: false, most: 1 },
    escalation: null,
    ...more,
  })

async function send({ org, admin, videoId }: Place, userIds: string[]): Promise<string> {
  const body = { accountId: org, videoId, body: 'Hello', audience: { userIds } }
  return (await admin.call(createTransmission, { body })).body.id
}
const stateOf = async ({ admin }: Place, transmissionId: string) =>
  (await admin.call(readTransmission, { params: { transmissionId } })).body

const cases: Case[] = [
  {
    loop: 'events',
    of: 'an address of another system among others',
    async feed({ org }) {
      const [bad = '', good = ''] = (
        await query<{ id: string }>(
          `insert into event_addresses (organization_id, url, types, secret_sealed)
            select $1, 'https://' || n || '.systems.invalid/', '{person.created}', '' from generate_series(1, 2) n returning id`,
          [org],
        )
      ).map(({ id }) => id)
      const mend = await poison('event_posts', 'update', `old.address_id = '${bad}'`)
      await addPeople(server, org, { count: 1, prefix: unique() })
      const wasTried = (id: string) =>
        isThere('select from event_posts where address_id = $1 and tries > 0', [id])
      return { mend, isDone: () => wasTried(good), isMended: () => wasTried(bad) }
    },
  },
  {
    loop: 'evidence',
    of: 'a report of viewing among others of its video',
    async feed({ org }) {
      const play = await addPlay(server, org)
      const someone = () =>
        startPlay(server.services.keys, { ...play, userId: crypto.randomUUID() }, Date.now()).claims
      const [bad, good] = [someone(), someone()]
      await writeLog(server, [sent(bad, { at: 9_000, spans: [[0, 0, 8_000, 8_000, 100, 0]] })])
      await query(`update track_batches set spans = 'null' where session_id = $1`, [bad.session])
      await writeLog(server, [sent(good, { at: 9_000, spans: [[0, 0, 8_000, 8_000, 100, 0]] })])
      return {
        isDone: async () => (await viewer(server, good))?.coveredMs === 8_000,
        mend: () =>
          query(`update track_batches set spans = '[[0,0,8000,8000,100,0]]' where session_id = $1`, [
            bad.session,
          ]),
        isMended: async () => (await viewer(server, bad))?.coveredMs === 8_000,
      }
    },
  },
  {
    loop: 'figures',
    of: 'a cell of the training matrix among others of its organization',
    async feed(at) {
      const [bad = '', good = ''] = at.people
      const mend = await poison('training_cells', 'insert or update', `new.user_id = '${bad}'`)
      await assign(at, [bad, good])
      const has = (userId: string) => isThere('select 1 from training_cells where user_id = $1', [userId])
      return { mend, isDone: () => has(good), isMended: () => has(bad) }
    },
  },
  {
    loop: 'assignments',
    of: 'an assignment',
    async feed(at) {
      const [bad = '', good = ''] = at.people
      const mend = await poison('obligations', 'insert', `new.user_id = '${bad}'`)
      await assign(at, [bad])
      await assign(at, [good])
      const owes = (userId: string) => isThere('select 1 from obligations where user_id = $1', [userId])
      return { mend, isDone: () => owes(good), isMended: () => owes(bad) }
    },
  },
  {
    loop: 'assignment_messages',
    of: 'the messages of an assignment',
    async feed(at) {
      const other = await place()
      const mend = await poison('obligation_messages', 'insert', `new.organization_id = '${at.org}'`)
      await assign(at, at.people)
      await assign(other, other.people)
      const has = ({ org }: Place) =>
        isThere('select 1 from obligation_messages where organization_id = $1', [org])
      return { mend, isDone: () => has(other), isMended: () => has(at) }
    },
  },
  {
    loop: 'newcomers',
    of: 'a video of which new people had watched something',
    async feed(at) {
      const other = await place()
      const mend = await poison('obligations', 'update', `new.counted and new.video_id = '${at.videoId}'`)
      for (const one of [at, other]) {
        await assign(one, one.people)
        await until(() => isThere('select 1 from obligations where video_id = $1', [one.videoId]), 30)
        await query('update obligations set counted = false where video_id = $1', [one.videoId])
      }
      const isCounted = async ({ videoId }: Place) =>
        !(await isThere('select 1 from obligations where video_id = $1 and not counted', [videoId]))
      return { mend, isDone: () => isCounted(other), isMended: () => isCounted(at) }
    },
  },
  {
    loop: 'late_digests',
    of: 'somebody who is told who is late, among others of their organization',
    async feed(at) {
      const [late, bad, good] = [...at.people, ''] as [string, string, string]
      const others = await addPeople(server, at.org, { count: 1, prefix: unique() })
      const lateOnes = [late, others[0] ?? '']
      const mend = await poison('escalation_digests', 'insert', `new.reader_id = '${bad}'`)
      for (const [index, manager] of [bad, good].entries())
        await query('update users set manager = (select email from users where id = $2) where id = $1', [
          lateOnes[index],
          manager,
        ])
      const id = await assign(at, lateOnes, { escalation: { afterDays: 1, to: 'manager' } })
      await until(() => isThere('select 1 from obligations where assignment_id = $1', [id]), 30)
      await query(
        `update obligations set due_at = now() - interval '9 days', counts_from = now() - interval '30 days' where assignment_id = $1`,
        [id],
      )
      const isInformed = (reader: string) =>
        isThere('select 1 from escalation_digests where reader_id = $1', [reader])
      return { mend, isDone: () => isInformed(good), isMended: () => isInformed(bad) }
    },
  },
  {
    loop: 'sending',
    of: 'a transmission that cannot be prepared, among others of its organization',
    async feed(at) {
      const [one = '', two = ''] = at.people
      const bad = await send(at, [one])
      const audience = `select audience from transmissions where id = $1`
      const [was] = await query<{ audience: object }>(audience, [bad])
      await query(`update transmissions set audience = '{"userIds": 7}' where id = $1`, [bad])
      const good = await send(at, [two])
      return {
        mend: () =>
          query('update transmissions set audience = $2 where id = $1', [bad, JSON.stringify(was?.audience)]),
        isDone: async () => (await stateOf(at, good)).state === 'completed',
        isMended: async () => (await stateOf(at, bad)).state === 'completed',
      }
    },
  },
  {
    loop: 'report_schedules',
    of: 'a report by mail',
    async feed(at) {
      const other = await place()
      const schedule = async ({ admin }: Place) => {
        const body = {
          report: 'user-engagement',
          view: {},
          rhythm: 'daily',
          hour: 7,
          period: '7d',
          formats: [],
        }
        return (await admin.call(createReportSchedule, { body: body as never })).body.id
      }
      const [bad, good] = [await schedule(at), await schedule(other)]
      const mend = await poison(
        'report_schedules',
        'update',
        `new.id = '${bad}' and new.time_zone <> old.time_zone`,
      )
      await query(`update organizations set time_zone = 'Asia/Tokyo' where id = any($1)`, [
        [at.org, other.org],
      ])
      await server.services.jobs.wake('reports.send', {})
      const moved = (id: string) =>
        isThere(`select 1 from report_schedules where id = $1 and time_zone = 'Asia/Tokyo'`, [id])
      return { mend, isDone: () => moved(good), isMended: () => moved(bad) }
    },
  },
  {
    loop: 'mail_events',
    of: 'a report of the mail provider',
    async feed(at) {
      const transmission = await send(at, at.people)
      await until(async () => (await stateOf(at, transmission)).state === 'completed', 30)
      const [bad = '', good = ''] = (
        await at.admin.call(listDeliveries, { params: { transmissionId: transmission } })
      ).body.items.map(({ id }) => id)
      const mend = await poison('delivery_events', 'insert', `new.delivery_id = '${bad}'`)
      const { secret } = (await superadmin.call(readMailEvents)).body
      const now = new Date().toISOString()
      const events = [bad, good].map((deliveryId) => ({
        id: unique(),
        deliveryId,
        kind: 'delivered',
        at: now,
      }))
      const payload = JSON.stringify({ events })
      const seconds = Math.floor(Date.now() / 1_000)
      const hmac = createHmac('sha256', secret).update(`${seconds}.${payload}`).digest('hex')
      const headers = { 'content-type': 'application/json', 'x-signature': `t=${seconds},v1=${hmac}` }
      const answer = await server.app.inject({
        method: 'POST',
        url: '/api/mail-events/generic',
        payload,
        headers,
      })
      expect(answer.statusCode).toBe(200)
      const isDelivered = (id: string) =>
        isThere(`select 1 from deliveries where id = $1 and state = 'delivered'`, [id])
      return { mend, isDone: () => isDelivered(good), isMended: () => isDelivered(bad) }
    },
  },
]

describe.each(cases)('$loop steps over $of', (one) => {
  test('tells it, goes on with what is behind, and makes it up once it is mended', async () => {
    expect((await world.stepsOver(one)).reason).not.toBe('')
  })
})

test('a link that cannot be made is settled as rejected, and the transmission is completed', async () => {
  const at = await place()
  const [first] = at.people
  const mend = await poison(
    'transmissions',
    'update',
    `new.organization_id = '${at.org}' and new.state = 'sending'`,
  )
  const id = await send(at, at.people)
  await until(() => isThere(`select 1 from set_aside where item = $1`, [id]), 30)
  await mend()
  const lost = `create function lose_link() returns trigger language plpgsql as $$ begin
      if new.user_id = '${first}' then new.link_hash := '\\x00'::bytea; end if; return new; end $$;
    create trigger lose_link before insert on deliveries for each row execute function lose_link()`
  await alter(lost)
  await query(`update set_aside set next_try_at = now() where item = $1`, [id])
  await until(async () => (await stateOf(at, id)).state === 'completed', 60)
  await alter('drop trigger lose_link on deliveries; drop function lose_link()')
  expect((await stateOf(at, id)).counts).toMatchObject({ accepted: 2, rejected: 1 })
  const { items } = (await at.admin.call(listDeliveries, { params: { transmissionId: id } })).body
  expect(items.find(({ state }) => state === 'rejected')?.reason).toBe('link_lost')
})

test('one row of a change of many that fails is told, and all others are changed', async () => {
  const at = await place()
  const people = await addPeople(server, at.org, { count: 700, prefix: unique() })
  const [, , , bad = ''] = people
  const mend = await poison('users', 'update', `new.id = '${bad}'`)
  const body = { selection: { userIds: people }, do: { action: 'change', state: 'disabled' } }
  const begun = await at.admin.call(changeUsers, { params: { orgId: at.org }, body: body as never })
  expect([begun.status, begun.problem]).toEqual([202, undefined])
  const done = await endOf(at.admin, begun.body.id)
  await mend()
  expect([done.state, done.counts]).toEqual(['done', { changed: 699, failed: 1 }])
  const { items } = (
    await at.admin.call(listOperationRows, { params: { operationId: done.id }, query: { outcome: 'failed' } })
  ).body
  expect(items.map(({ reason }) => reason)).toEqual(['unexpected'])
})

test('a job whose payload is odd fails by itself, and those behind it are done', async () => {
  const at = await place()
  await query(
    `insert into pgboss.job (name, data, policy) select 'operation.run', d::jsonb, 'standard' from unnest($1::text[]) d`,
    [['null', '7', '"x"', '{"operationId": "nobody"}', '[]']],
  )
  const body = { selection: { userIds: at.people }, do: { action: 'change', state: 'disabled' } }
  const begun = await at.admin.call(changeUsers, { params: { orgId: at.org }, body: body as never })
  expect([begun.status, begun.problem]).toEqual([202, undefined])
  expect((await endOf(at.admin, begun.body.id)).state).toBe('done')
})

test('the doctor tells what is set aside; what comes back by itself is not discarded, a report of a mail is', async () => {
  const state = async () =>
    (await superadmin.call(readDoctor)).body.findings.find(({ check }) => check === 'set_aside')?.code
  const put = (loop: AsideLoop) =>
    query(
      `insert into set_aside (loop, item, reason, tries, next_try_at) values ($1, 'x', 'odd', 2, now() + interval '1 hour')`,
      [loop],
    )
  expect(await state()).toBe('nothing_aside')
  await put('mail_events')
  await put('assignments')
  expect(await state()).toBe('something_aside')
  const discard = async (loop: AsideLoop) =>
    (await superadmin.call(discardSetAside, { params: { asideId: (await told(loop)).id } })).status
  expect([await discard('mail_events'), await discard('assignments')]).toEqual([200, 409])
  expect([(await setAside('mail_events')).length, (await setAside('assignments')).length]).toEqual([0, 1])
  await query('delete from set_aside')
})
