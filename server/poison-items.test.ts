import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readSetAside, trySetAsideAgain, type AsideLoop } from '#contract/aside.ts'
import { createGroup } from '#contract/groups.ts'
import { createInvitation } from '#contract/invitations.ts'
import { changeTransmission, createTransmission, readTransmission } from '#contract/transmissions.ts'
import { addPeople, addVideo } from './testing/audience.ts'
import { daysLater } from './testing/invited.ts'
import { startTestServer, type Person, type TestServer } from './testing/server.ts'
import { unique } from './testing/unique.ts'
import { until } from './testing/until.ts'
import { healProcessing } from './videos/process.ts'
import { startWorker } from './worker.ts'

let server: TestServer
let superadmin: Person
let worker: { stop(): Promise<void> }
let owner: pg.Client

vi.setConfig({ testTimeout: 240_000 })
beforeAll(async () => {
  server = await startTestServer()
  superadmin = await server.person('superadmin')
  owner = new pg.Client({ connectionString: server.ownerUrl })
  await owner.connect()
  await owner.query(
    `create function poison() returns trigger language plpgsql as $$ begin raise 'this is poison'; end $$`,
  )
  worker = await startWorker(server.services)
})
afterAll(async () => {
  await worker.stop()
  await owner.end()
  await server.close()
})

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await server.services.db.system.query<Row>(text, values)).rows
const isThere = async (text: string, values: unknown[] = []) => (await query(text, values)).length > 0

/** From now on a row that fits fails whoever writes it; answers what mends that. */
async function poison(table: string, when: 'insert' | 'update', of: string) {
  const name = `poison_${unique().replaceAll('-', '_')}`
  await owner.query(
    `create trigger ${name} before ${when} on ${table} for each row when (${of}) execute function poison()`,
  )
  return () => owner.query(`drop trigger ${name} on ${table}`)
}

const setAside = async (loop: AsideLoop) =>
  (await superadmin.call(readSetAside)).body.items.filter((one) => one.loop === loop)

/** It is told, is tried again once it is mended, and then is no more. */
async function toldAndMended(loop: AsideLoop, mend: () => Promise<unknown>, look?: () => Promise<unknown>) {
  const found = await until(async () => (await setAside(loop))[0], 60)
  expect(found.reason).toBe('this is poison')
  await mend()
  expect((await superadmin.call(trySetAsideAgain, { params: { asideId: found.id } })).status).toBe(200)
  await look?.()
  await until(async () => (await setAside(loop)).length === 0, 60)
  return found
}

async function place() {
  const org = await server.organization()
  const admin = await server.person('admin', org)
  const videoId = await addVideo(server, org)
  const people = await addPeople(server, org, { count: 3, prefix: unique() })
  return { org, admin, videoId, people }
}
type Place = Awaited<ReturnType<typeof place>>

async function send({ org, admin, videoId }: Place, userIds: string[]): Promise<string> {
  const body = { accountId: org, videoId, body: 'Hello', audience: { userIds } }
  return (await admin.call(createTransmission, { body })).body.id
}
const stateOf = async ({ admin }: Place, transmissionId: string) =>
  (await admin.call(readTransmission, { params: { transmissionId } })).body

test('somebody who cannot be put on the list of recipients holds up nobody, is named, and is made up for', async () => {
  const at = await place()
  const [bad = ''] = at.people
  const mend = await poison('deliveries', 'insert', `new.user_id = '${bad}'`)
  const id = await send(at, at.people)
  await until(async () => (await stateOf(at, id)).counts.accepted === 2, 60)
  const found = await until(async () => (await setAside('sending'))[0], 60)
  expect(found).toMatchObject({ transmission: { id }, person: { id: bad } })
  expect((await stateOf(at, id)).state).toBe('sending')
  await toldAndMended('sending', mend, () =>
    until(async () => (await stateOf(at, id)).state === 'completed', 60),
  )
  expect(await stateOf(at, id)).toMatchObject({ counts: { accepted: 3 } })
})

test('where the only recipient cannot be listed, it is not said that there is none', async () => {
  const at = await place()
  const [bad = ''] = at.people
  const mend = await poison('deliveries', 'insert', `new.user_id = '${bad}'`)
  const id = await send(at, [bad])
  await toldAndMended('sending', mend, () =>
    until(async () => (await stateOf(at, id)).state === 'completed', 60),
  )
  expect(await stateOf(at, id)).toMatchObject({ counts: { accepted: 1 } })
})

test('of a transmission that is cancelled nobody is made up for', async () => {
  const at = await place()
  const [bad = ''] = at.people
  const mend = await poison('deliveries', 'insert', `new.user_id = '${bad}'`)
  const id = await send(at, at.people)
  await until(async () => (await stateOf(at, id)).counts.accepted === 2, 60)
  await until(async () => (await setAside('sending'))[0], 60)
  const { version } = await stateOf(at, id)
  const body = { action: 'cancel', version } as const
  const cancelled = await at.admin.call(changeTransmission, { params: { transmissionId: id }, body })
  expect([cancelled.status, cancelled.problem]).toEqual([200, undefined])
  await toldAndMended('sending', mend)
  expect(await stateOf(at, id)).toMatchObject({ state: 'cancelled', counts: { accepted: 2 } })
})

test('a message whose worker died and that cannot be taken back keeps no other', async () => {
  const at = await place()
  const id = await send(at, at.people)
  await until(async () => (await stateOf(at, id)).state === 'completed', 60)
  const [bad = '', good = ''] = at.people
  const mend = await poison('deliveries', 'update', `new.user_id = '${bad}' and new.state = 'queued'`)
  await query(
    `update deliveries set state = 'sending', attempt = 1, lease_token = gen_random_uuid(), handed_at = null,
        lease_until = now() - interval '1 minute' where transmission_id = $1 and user_id = any($2)`,
    [id, [bad, good]],
  )
  const isBack = (user: string) => () =>
    isThere(`select from deliveries where transmission_id = $1 and user_id = $2 and state = 'queued'`, [
      id,
      user,
    ])
  await until(isBack(good), 60)
  expect(await isBack(bad)()).toBe(false)
  await toldAndMended('sending', mend, () => until(isBack(bad), 60))
})

test('an entry of the audit log that cannot be sealed waits, and the others are', async () => {
  const [bad, good] = [await place(), await place()]
  await owner.query(`create function poison_link() returns trigger language plpgsql as $$ begin
      if (select organization_id from audit where id = new.audit_id) = '${bad.org}' then raise 'this is poison'; end if;
      return new; end $$;
    create trigger poison_link before insert on audit_chain for each row execute function poison_link()`)
  for (const { admin, org } of [bad, good])
    await admin.call(createGroup, { params: { orgId: org }, body: { name: 'Night shift' } })
  const isSealed =
    ({ org }: Place) =>
    () =>
      isThere(
        `select from audit a join audit_chain c on c.audit_id = a.id where a.organization_id = $1 and a.action = 'group.created'`,
        [org],
      )
  await until(isSealed(good), 60)
  expect(await isSealed(bad)()).toBe(false)
  const file = await superadmin.send('GET', '/api/audit/export?format=jsonl')
  expect([file.status, typeof file.body]).toEqual([200, 'string'])
  expect(String(file.body)).toMatch(/"end"/)
  const mend = () => owner.query('drop trigger poison_link on audit_chain; drop function poison_link()')
  await toldAndMended('housekeeping', mend, () => until(isSealed(bad), 60))
})

test('a counter that cannot be changed keeps no other from being added up', async () => {
  const [bad, good] = [await place(), await place()]
  const isLeft = ({ org }: Place) => isThere('select from count_changes where subject = $1', [org])
  await until(async () => !(await isLeft(bad)) && !(await isLeft(good)), 60)
  const mend = await poison(
    'organizations',
    'update',
    `new.id = '${bad.org}' and new.user_count <> old.user_count`,
  )
  await addPeople(server, bad.org, { count: 1, prefix: unique() })
  await addPeople(server, good.org, { count: 1, prefix: unique() })
  await until(async () => !(await isLeft(good)), 60)
  expect(await isLeft(bad)).toBe(true)
  await toldAndMended('figures', mend, () => until(async () => !(await isLeft(bad)), 60))
})

test('an invitation that cannot be ended or reminded of keeps no other', async () => {
  const { org, admin } = await place()
  const invite = async (days: number) => {
    const email = `${unique()}@example.test`
    const body = { organizationId: org, email, role: 'admin' as const }
    const { id } = (await admin.call(createInvitation, { body })).body
    await daysLater(server, email, days)
    return id
  }
  const [badEnd, end] = [await invite(7), await invite(7)]
  const [badReminder, reminder] = [await invite(5), await invite(5)]
  const mends = [
    await poison('invitations', 'update', `new.id = '${badEnd}' and new.state = 'expired'`),
    await poison('invitations', 'update', `new.id = '${badReminder}' and new.reminded_at is not null`),
  ]
  await server.services.jobs.wake('housekeeping', {})
  const isDone = (ids: string[]) => async () =>
    (
      await query(
        `select from invitations where id = any($1) and (state = 'expired' or reminded_at is not null)`,
        [ids],
      )
    ).length === ids.length
  await until(isDone([end, reminder]), 60)
  const found = await until(async () => {
    const items = await setAside('housekeeping')
    return items.length === 2 && items
  }, 60)
  for (const mend of mends) await mend()
  for (const { id } of found)
    expect((await superadmin.call(trySetAsideAgain, { params: { asideId: id } })).status).toBe(200)
  await until(isDone([badEnd, badReminder]), 60)
  await until(async () => (await setAside('housekeeping')).length === 0, 60)
})

test('a mail that was interrupted and cannot be given up keeps no other', async () => {
  const add = async () => {
    const [mail] = await query<{ id: string }>(
      `insert into mails (address, subject, text, state, attempt, due_at)
        values ('somebody@example.test', 'Hello', 'Hello', 'sending', 1, now() - interval '1 minute') returning id`,
    )
    return mail?.id ?? ''
  }
  const [bad, good] = [await add(), await add()]
  const mend = await poison('mails', 'update', `new.id = '${bad}' and new.state = 'failed'`)
  const isGivenUp = (id: string) => () =>
    isThere(`select from mails where id = $1 and state = 'failed'`, [id])
  await server.services.jobs.wake('mail.send', {})
  await until(isGivenUp(good), 60)
  expect(await isGivenUp(bad)()).toBe(false)
  await toldAndMended('housekeeping', mend, async () => {
    await server.services.jobs.wake('mail.send', {})
    await until(isGivenUp(bad), 60)
  })
})

test('a video whose conversion cannot be begun again keeps no other', async () => {
  const { org } = await place()
  const add = async () => {
    const videoId = await addVideo(server, org)
    await query('update videos set current_version_id = null where id = $1', [videoId])
    await query(
      `update video_versions set uploaded_at = now() - interval '1 hour', ready_at = null where video_id = $1`,
      [videoId],
    )
    await query(
      `update videos set state = 'processing', updated_at = now() - interval '1 hour' where id = $1`,
      [videoId],
    )
    return videoId
  }
  const [bad, good] = [await add(), await add()]
  const mend = await poison('pgboss.job', 'insert', `new.data->>'videoId' = '${bad}'`)
  const isQueued = (id: string) => () =>
    isThere(`select from pgboss.job where name = 'video.probe' and data->>'videoId' = $1`, [id])
  await expect(healProcessing(server.services)).rejects.toThrow(/poison|Failed query/)
  expect(await isQueued(good)()).toBe(true)
  const found = await toldAndMended('uploads', mend, async () => {
    await healProcessing(server.services)
    expect(await isQueued(bad)()).toBe(true)
  })
  expect(found.video).toMatchObject({ id: bad })
})

test('evidence of a person that cannot be erased keeps that of no other', async () => {
  const { org, people } = await place()
  const [bad = '', good = ''] = people
  await query('update users set erased_at = now() where id = any($1)', [[bad, good]])
  const mend = await poison('evidence_erasures', 'update', `new.user_id = '${bad}'`)
  await query('insert into evidence_erasures (organization_id, user_id) select $1, unnest($2::uuid[])', [
    org,
    [bad, good],
  ])
  const isErased = (user: string) => () =>
    isThere('select from evidence_erasures where user_id = $1 and done_at is not null', [user])
  await server.services.jobs.wake('housekeeping', {})
  await until(isErased(good), 60)
  expect(await isErased(bad)()).toBe(false)
  await toldAndMended('housekeeping', mend, () => until(isErased(bad), 60))
})
