import { beforeEach, expect, test } from 'vitest'
import { createTransmission, readTransmissionPlan } from '#contract/transmissions/transmissions.ts'
import { carefulOrganization } from '../../testing/approvals.ts'
import { addGroup } from '../../testing/audience.ts'
import { aServer } from '../../testing/worlds.ts'
import { startSending } from '../sender/send.ts'

const server = await aServer()

let w: Awaited<ReturnType<typeof carefulOrganization>>
beforeEach(async () => {
  w = await carefulOrganization(server)
})

test('up to a twentieth more leave with the approval; beyond it the list waits for another one', async () => {
  const near = await w.waiting()
  await w.approve(w.other, near)
  await w.join(w.people.slice(20, 21))
  expect(await w.work(near.id)).toMatchObject({ state: 'completed', counts: { accepted: 21 } })
  const far = await w.waiting()
  await w.approve(w.other, far, 21)
  await w.join(w.people.slice(21, 25))
  const held = await w.work(far.id)
  expect(held).toMatchObject({
    state: 'held',
    reason: 'audience_grown',
    counts: { queued: 25, accepted: 0 },
    approval: { state: 'waiting', askedFor: 25 },
  })
  expect((await w.kinds(w.author))[0]).toBe('transmission.held')
  const [asked] = await w.notificationsOf(w.other)
  expect(asked).toMatchObject({ kind: 'transmission.approval_wanted', params: { reason: 'audience_grown' } })
  expect((await w.at(w.author, held, { action: 'release' })).status).toBe(409)
  expect((await w.approve(w.author, held, 25)).status).toBe(403)
  expect((await w.approve(w.other, held, 24)).status).toBe(409)
  // Who joins now is not on the list that is approved.
  await w.join(w.people.slice(25, 30))
  const plan = await w.other.call(readTransmissionPlan, { params: { transmissionId: far.id } })
  expect(plan.body.count.recipients).toBe(25)
  expect((await w.approve(w.other, held, 25)).body.state).toBe('sending')
  expect(await w.work(far.id)).toMatchObject({ state: 'completed', counts: { accepted: 25 } })
})

test('as many, but other people, are not who was approved', async () => {
  const one = await w.waiting()
  await w.approve(w.other, one)
  await w.sql('delete from group_members where group_id = $1 and user_id = any($2)', [
    w.groupId,
    w.people.slice(0, 2),
  ])
  await w.join(w.people.slice(20, 22))
  expect(await w.work(one.id)).toMatchObject({
    state: 'held',
    reason: 'audience_grown',
    counts: { queued: 20 },
  })
})

test('another rule of a group is another audience', async () => {
  const rule = (domain: string) =>
    JSON.stringify({ match: 'all', conditions: [{ about: 'emailDomain', is: 'one_of', values: [domain] }] })
  const [group] = await w.sql<{ id: string }>(
    `insert into groups (organization_id, name, kind, rule) values ($1, 'By rule', 'rule', $2) returning id`,
    [w.org, rule('example.test')],
  )
  const made = (await w.send({ groupIds: [group?.id ?? ''] })).body
  expect(made.approval?.askedFor).toBeGreaterThanOrEqual(40)
  await w.approve(w.other, made, made.approval?.askedFor)
  await w.sql('update groups set rule = $2 where id = $1', [
    group?.id,
    rule('example.test').replace('"all"', '"any"'),
  ])
  expect(await w.work(made.id)).toMatchObject({ state: 'held', reason: 'audience_changed' })
})

test('who was few enough when it was sent and is too many when the list is made waits as well', async () => {
  const small = await addGroup(server, w.org, w.people.slice(0, 10))
  const one = (await w.send({ groupIds: [small] })).body
  expect(one.state).toBe('scheduled')
  await w.join(w.people.slice(10, 14), small)
  const held = await w.work(one.id)
  expect(held).toMatchObject({ state: 'held', reason: 'audience_grown', approval: { askedFor: 14 } })
  expect((await w.at(w.other, held, { action: 'cancel' })).body).toMatchObject({
    state: 'cancelled',
    approval: { state: 'withdrawn' },
  })
  expect(await w.mails(one.id)).toBe(0)
})

test('a time that passed while it waited is told, and nothing leaves by itself', async () => {
  const one = await w.waiting()
  const time = (hours: number) =>
    w.sql(`update transmissions set leaves_at = now() + make_interval(hours => $2) where id = $1`, [
      one.id,
      hours,
    ])
  await time(-1)
  const held = (await w.approve(w.other, one)).body
  expect(held).toMatchObject({ state: 'held', reason: 'time_passed', approval: { state: 'approved' } })
  expect((await w.work(one.id)).state).toBe('held')
  expect((await w.approve(w.other, held)).status).toBe(409)
  expect((await w.at(w.author, held, { action: 'release' })).body.state).toBe('scheduled')
  expect(await w.work(one.id)).toMatchObject({ state: 'completed', counts: { accepted: 20 } })
  const due = (
    await w.author.call(createTransmission, {
      body: {
        body: 'x',
        videoId: w.videoId,
        accountId: w.org,
        audience: { groupIds: [w.groupId] },
        dueAt: new Date(Date.now() + 60_000).toISOString(),
      },
    })
  ).body
  await w.sql(`update transmissions set due_at = now() - interval '1 minute' where id = $1`, [due.id])
  expect((await w.approve(w.other, due)).problem?.detail).toContain('should have been watched is over')
})

test('a time ahead stays the time', async () => {
  const one = await w.waiting()
  await w.sql(`update transmissions set leaves_at = now() + interval '1 day' where id = $1`, [one.id])
  expect((await w.approve(w.other, one)).body.state).toBe('scheduled')
  const sending = await startSending(server.services)
  await new Promise((resolve) => {
    setTimeout(resolve, 1_500)
  })
  await sending.stop()
  expect((await w.read(one.id)).state).toBe('scheduled')
})

test('a changed policy neither sends what waits nor spares it', async () => {
  const one = await w.waiting()
  await w.setThreshold(null)
  expect((await w.work(one.id)).state).toBe('pending_approval')
  const draft = (await w.at(w.author, one, { action: 'withdraw' })).body
  expect((await w.at(w.author, draft, { action: 'submit' })).body.state).toBe('scheduled')
  expect(await w.work(one.id)).toMatchObject({ state: 'completed' })
})
