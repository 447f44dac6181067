import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { trySetAsideAgain, type AsideLoop } from '#contract/platform/aside.ts'
import { createGroup } from '#contract/directory/groups.ts'
import { createInvitation } from '#contract/directory/invitations.ts'
import {
  changeTransmission,
  createTransmission,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import { addPeople, addVideo } from './testing/audience.ts'
import { daysLater } from './testing/mail/invited.ts'
import { startPoisoned, type Place } from './testing/odd/poison.ts'
import { unique } from './testing/unique.ts'
import { until } from './testing/until.ts'
import { healProcessing } from './videos/process.ts'
import { startWorker } from './worker.ts'

vi.setConfig({ testTimeout: 240_000 })

let world: Awaited<ReturnType<typeof startPoisoned>>
let worker: { stop(): Promise<void> }
beforeAll(async () => {
  world = await startPoisoned()
  worker = await startWorker(world.server.services)
})
afterAll(async () => {
  await worker.stop()
  await world.close()
})

/** It is told, is tried again once it is mended, and then is no more. */
async function toldAndMended(loop: AsideLoop, mend: () => Promise<unknown>, look?: () => Promise<unknown>) {
  const found = await world.told(loop)
  expect(found.reason).toBe('this is poison')
  await mend()
  expect((await world.superadmin.call(trySetAsideAgain, { params: { asideId: found.id } })).status).toBe(200)
  await look?.()
  await until(async () => (await world.setAside(loop)).length === 0, 60)
  return found
}

async function send({ org, admin, videoId }: Place, userIds: string[]): Promise<string> {
  const body = { accountId: org, videoId, body: 'Hello', audience: { userIds } }
  return (await admin.call(createTransmission, { body })).body.id
}
const stateOf = async ({ admin }: Place, transmissionId: string) =>
  (await admin.call(readTransmission, { params: { transmissionId } })).body

test('somebody who cannot be put on the list of recipients holds up nobody, is named, and is made up for', async () => {
  const at = await world.place()
  const [bad = ''] = at.people
  const mend = await world.poison('deliveries', 'insert', `new.user_id = '${bad}'`)
  const id = await send(at, at.people)
  await until(async () => (await stateOf(at, id)).counts.accepted === 2, 60)
  const found = await until(async () => (await world.setAside('sending'))[0], 60)
  expect(found).toMatchObject({ transmission: { id }, person: { id: bad } })
  const { state, unlisted } = await stateOf(at, id)
  expect([state, unlisted.map((one) => one.id)]).toEqual(['sending', [bad]])
  await toldAndMended('sending', mend, () =>
    until(async () => (await stateOf(at, id)).state === 'completed', 60),
  )
  expect(await stateOf(at, id)).toMatchObject({ counts: { accepted: 3 }, unlisted: [] })
})

test('where the only recipient cannot be listed, it is not said that there is none', async () => {
  const at = await world.place()
  const [bad = ''] = at.people
  const mend = await world.poison('deliveries', 'insert', `new.user_id = '${bad}'`)
  const id = await send(at, [bad])
  await toldAndMended('sending', mend, () =>
    until(async () => (await stateOf(at, id)).state === 'completed', 60),
  )
  expect(await stateOf(at, id)).toMatchObject({ counts: { accepted: 1 } })
})

test('of a transmission that is cancelled nobody is made up for', async () => {
  const at = await world.place()
  const [bad = ''] = at.people
  const mend = await world.poison('deliveries', 'insert', `new.user_id = '${bad}'`)
  const id = await send(at, at.people)
  await until(async () => (await stateOf(at, id)).counts.accepted === 2, 60)
  await until(async () => (await world.setAside('sending'))[0], 60)
  const { version } = await stateOf(at, id)
  const body = { action: 'cancel', version } as const
  const cancelled = await at.admin.call(changeTransmission, { params: { transmissionId: id }, body })
  expect([cancelled.status, cancelled.problem]).toEqual([200, undefined])
  await toldAndMended('sending', mend)
  expect(await stateOf(at, id)).toMatchObject({ state: 'cancelled', counts: { accepted: 2 } })
})

test('a message whose worker died and that cannot be taken back keeps no other', async () => {
  const at = await world.place()
  const id = await send(at, at.people)
  await until(async () => (await stateOf(at, id)).state === 'completed', 60)
  const [bad = '', good = ''] = at.people
  const mend = await world.poison('deliveries', 'update', `new.user_id = '${bad}' and new.state = 'queued'`)
  await world.query(
    `update deliveries set state = 'sending', attempt = 1, lease_token = gen_random_uuid(), handed_at = null,
        lease_until = now() - interval '1 minute' where transmission_id = $1 and user_id = any($2)`,
    [id, [bad, good]],
  )
  const isBack = (user: string) => () =>
    world.isThere(`select from deliveries where transmission_id = $1 and user_id = $2 and state = 'queued'`, [
      id,
      user,
    ])
  await until(isBack(good), 60)
  expect(await isBack(bad)()).toBe(false)
  await toldAndMended('sending', mend, () => until(isBack(bad), 60))
})

test('an entry of the audit log that cannot be sealed waits, and the others are', async () => {
  const [bad, good] = [await world.place(), await world.place()]
  await world.alter(`create function poison_link() returns trigger language plpgsql as $$ begin
      if (select organization_id from audit where id = new.audit_id) = '${bad.org}' then raise 'this is poison'; end if;
      return new; end $$;
    create trigger poison_link before insert on audit_chain for each row execute function poison_link()`)
  for (const { admin, org } of [bad, good])
    await admin.call(createGroup, { params: { orgId: org }, body: { name: 'Night shift' } })
  const isSealed =
    ({ org }: Place) =>
    () =>
      world.isThere(
        `select from audit a join audit_chain c on c.audit_id = a.id where a.organization_id = $1 and a.action = 'group.created'`,
        [org],
      )
  await until(isSealed(good), 60)
  expect(await isSealed(bad)()).toBe(false)
  const file = await world.superadmin.send('GET', '/api/audit/export?format=jsonl')
  expect([file.status, typeof file.body]).toEqual([200, 'string'])
  expect(String(file.body)).toMatch(/"end"/)
  const mend = () => world.alter('drop trigger poison_link on audit_chain; drop function poison_link()')
  await toldAndMended('housekeeping', mend, () => until(isSealed(bad), 60))
})

test('a counter that cannot be changed keeps no other from being added up', async () => {
  const [bad, good] = [await world.place(), await world.place()]
  const isLeft = ({ org }: Place) => world.isThere('select from count_changes where subject = $1', [org])
  await until(async () => !(await isLeft(bad)) && !(await isLeft(good)), 60)
  const mend = await world.poison(
    'organizations',
    'update',
    `new.id = '${bad.org}' and new.user_count <> old.user_count`,
  )
  await addPeople(world.server, bad.org, { count: 1, prefix: unique() })
  await addPeople(world.server, good.org, { count: 1, prefix: unique() })
  await until(async () => !(await isLeft(good)), 60)
  expect(await isLeft(bad)).toBe(true)
  await toldAndMended('figures', mend, () => until(async () => !(await isLeft(bad)), 60))
})

test('an invitation that cannot be ended or reminded of keeps no other', async () => {
  const { org, admin } = await world.place()
  const invite = async (days: number) => {
    const email = `${unique()}@example.test`
    const body = { organizationId: org, email, role: 'admin' as const }
    const { id } = (await admin.call(createInvitation, { body })).body
    await daysLater(world.server, email, days)
    return id
  }
  const [badEnd, end] = [await invite(7), await invite(7)]
  const [badReminder, reminder] = [await invite(5), await invite(5)]
  const mends = [
    await world.poison('invitations', 'update', `new.id = '${badEnd}' and new.state = 'expired'`),
    await world.poison('invitations', 'update', `new.id = '${badReminder}' and new.reminded_at is not null`),
  ]
  await world.server.services.jobs.wake('housekeeping', {})
  const isDone = (ids: string[]) => async () =>
    (
      await world.query(
        `select from invitations where id = any($1) and (state = 'expired' or reminded_at is not null)`,
        [ids],
      )
    ).length === ids.length
  await until(isDone([end, reminder]), 60)
  const found = await until(async () => {
    const items = await world.setAside('housekeeping')
    return items.length === 2 && items
  }, 60)
  for (const mend of mends) await mend()
  for (const { id } of found)
    expect((await world.superadmin.call(trySetAsideAgain, { params: { asideId: id } })).status).toBe(200)
  await until(isDone([badEnd, badReminder]), 60)
  await until(async () => (await world.setAside('housekeeping')).length === 0, 60)
})

test('a video whose conversion cannot be begun again keeps no other', async () => {
  const { org } = await world.place()
  const add = async () => {
    const videoId = await addVideo(world.server, org)
    await world.query('update videos set current_version_id = null where id = $1', [videoId])
    await world.query(
      `update video_versions set uploaded_at = now() - interval '1 hour', ready_at = null where video_id = $1`,
      [videoId],
    )
    await world.query(
      `update videos set state = 'processing', updated_at = now() - interval '1 hour' where id = $1`,
      [videoId],
    )
    return videoId
  }
  const [bad, good] = [await add(), await add()]
  const mend = await world.poison('pgboss.job', 'insert', `new.data->>'videoId' = '${bad}'`)
  const isQueued = (id: string) => () =>
    world.isThere(`select from pgboss.job where name = 'video.probe' and data->>'videoId' = $1`, [id])
  await expect(healProcessing(world.server.services)).rejects.toThrow(/poison|Failed query/)
  expect(await isQueued(good)()).toBe(true)
  const found = await toldAndMended('uploads', mend, async () => {
    await healProcessing(world.server.services)
    expect(await isQueued(bad)()).toBe(true)
  })
  expect(found.video).toMatchObject({ id: bad })
})
