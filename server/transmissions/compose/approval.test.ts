import { beforeEach, expect, test } from 'vitest'
import {
  createTransmission,
  listTransmissions,
  previewAudience,
  readTransmissionPlan,
  transmissionActions,
  transmissionStates,
  type TransmissionAction,
} from '#contract/transmissions/transmissions.ts'
import { reportMessages } from '#contract/reports/reports.ts'
import { carefulOrganization } from '../../testing/approvals.ts'
import { dayOf, daysAgo } from '../../testing/viewing/past.ts'
import type { Person } from '../../testing/server.ts'
import { aServer } from '../../testing/worlds.ts'

const server = await aServer()

let w: Awaited<ReturnType<typeof carefulOrganization>>
const superadmin = await server.person('superadmin')
beforeEach(async () => {
  w = await carefulOrganization(server)
})

test('without the policy nothing waits', async () => {
  await w.setThreshold(null)
  const { body } = await w.send()
  expect(body).toMatchObject({ state: 'scheduled', approval: null })
})

test('asks from one recipient more than the policy allows, and says so before', async () => {
  const ask = (count: number) =>
    w.author.call(previewAudience, {
      body: { accountId: w.org, audience: { userIds: w.people.slice(0, count) } },
    })
  expect((await ask(10)).body.approval).toBeNull()
  const { approval } = (await ask(11)).body
  expect(approval).toMatchObject({ above: 10, admins: 1, superadmins: 1 })
  expect(approval?.names).toHaveLength(1)
  expect((await w.send({ userIds: w.people.slice(0, 10) })).body.state).toBe('scheduled')
  const made = await w.send({ userIds: w.people.slice(0, 11) })
  expect([made.status, made.body.state]).toEqual([201, 'pending_approval'])
  expect(made.body.approval).toMatchObject({ state: 'waiting', askedFor: 11, decidedBy: null })
})

test('with 0 the plain call of the specification waits as well', async () => {
  const plain = () =>
    w.author.call(createTransmission, {
      body: { body: 'Hi', videoId: w.videoId, userId: w.people[0] ?? '', accountId: w.org },
    })
  expect((await plain()).body.state).toBe('scheduled')
  await w.setThreshold(0)
  expect((await plain()).body.state).toBe('pending_approval')
})

test('nothing leaves before somebody else has approved; then everything does', async () => {
  const one = await w.waiting()
  expect(await w.work(one.id)).toMatchObject({ state: 'pending_approval', audienceTotal: 0 })
  const approved = await w.approve(w.other, one)
  expect(approved.body).toMatchObject({ state: 'scheduled', approval: { state: 'approved', decidedFor: 20 } })
  expect(await w.work(one.id)).toMatchObject({ state: 'completed', counts: { accepted: 20 } })
  expect(await w.mails(one.id)).toBe(20)
})

test('its author can neither approve nor reject it, and others neither submit, withdraw nor change it', async () => {
  const one = await w.waiting()
  expect((await w.approve(w.author, one)).status).toBe(403)
  expect((await w.at(w.author, one, { action: 'reject', reason: 'no' })).status).toBe(403)
  for (const by of [w.other, superadmin]) {
    expect((await w.at(by, one, { action: 'withdraw' })).status).toBe(403)
    expect((await w.edited(by, one)).status).toBe(403)
  }
  const draft = (await w.at(w.author, one, { action: 'withdraw' })).body
  expect((await w.at(w.other, draft, { action: 'submit' })).status).toBe(403)
  expect((await w.read(one.id)).state).toBe('draft')
  await expect(
    w.sql(
      `update transmission_approvals set state = 'approved', decided_by = asked_by where transmission_id = $1`,
      [one.id],
    ),
  ).rejects.toThrow('transmission_approvals_by_another')
})

test('what a superadmin sends is approved by an administrator, and the other way round', async () => {
  const theirs = (await w.send(undefined, superadmin)).body
  expect(theirs.state).toBe('pending_approval')
  expect((await w.approve(superadmin, theirs)).status).toBe(403)
  expect((await w.approve(w.author, theirs)).body.state).toBe('scheduled')
  expect((await w.approve(superadmin, await w.waiting())).body.state).toBe('scheduled')
})

test('another organization, and groupadmins, do not get near it', async () => {
  const one = await w.waiting()
  const stranger = await server.person('admin', await server.organization())
  const groupadmin = await server.person('groupadmin', w.org)
  const tries = (by: Person) =>
    Promise.all([
      w.approve(by, one),
      w.at(by, one, { action: 'reject', reason: 'no' }),
      w.at(by, one, { action: 'withdraw' }),
      w.at(by, one, { action: 'cancel' }),
      w.edited(by, one),
      by.call(readTransmissionPlan, { params: { transmissionId: one.id } }),
    ])
  expect((await tries(stranger)).map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404])
  expect((await tries(groupadmin)).map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403])
  expect(await w.kinds(stranger)).toEqual([])
  expect(await w.kinds(groupadmin)).toEqual([])
  expect(await w.read(one.id)).toMatchObject({ state: 'pending_approval', version: one.version })
})

test('of two approvers at once, or of two clicks, one decides', async () => {
  for (const rivals of [
    [w.other, superadmin],
    [w.other, w.other],
  ]) {
    const one = await w.waiting()
    const answers = await Promise.all(rivals.map((by) => w.approve(by, one)))
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409])
    const [approvals] = await w.sql<{ n: string }>(
      `select count(*) as n from transmission_approvals where transmission_id = $1 and state = 'approved'`,
      [one.id],
    )
    expect(approvals?.n).toBe('1')
    const entries = await w.sql(
      `select 1 from audit where entity_id = $1 and action = 'transmission.approved'`,
      [one.id],
    )
    expect(entries).toHaveLength(1)
  }
})

test('approving and rejecting at once leaves one of both, whole', async () => {
  const one = await w.waiting()
  await Promise.all([
    w.approve(w.other, one),
    w.at(superadmin, one, { action: 'reject', reason: 'Too many' }),
  ])
  const { state, approval } = await w.read(one.id)
  expect([
    ['scheduled', 'approved'],
    ['draft', 'rejected'],
  ]).toContainEqual([state, approval?.state])
})

test('a rejection needs a reason, which its author reads; corrected, it asks again', async () => {
  const one = await w.waiting()
  expect((await w.at(w.other, one, { action: 'reject' })).problem?.fields).toEqual({ reason: ['required'] })
  expect((await w.at(w.other, one, { action: 'reject', reason: '  ' })).problem?.fields).toEqual({
    reason: ['required'],
  })
  const draft = (await w.at(w.other, one, { action: 'reject', reason: 'The day is wrong.' })).body
  expect(draft).toMatchObject({
    state: 'draft',
    approval: { state: 'rejected', reason: 'The day is wrong.' },
  })
  expect(await w.notificationsOf(w.author)).toMatchObject([
    { kind: 'transmission.rejected', note: 'The day is wrong.' },
  ])
  const better = (await w.edited(w.author, draft)).body
  const again = (await w.at(w.author, better, { action: 'submit' })).body
  expect(again).toMatchObject({
    state: 'pending_approval',
    body: 'Other words.',
    approval: { state: 'waiting' },
  })
  expect((await w.approve(w.other, again)).status).toBe(200)
})

test('keeps the day on which it was written, and counts for the day on which it is let go', async () => {
  const one = await w.waiting()
  expect([one.releasedAt, (await w.send({ userIds: w.people.slice(0, 1) })).body.releasedAt]).toEqual([
    null,
    expect.any(String),
  ])
  const long = `${dayOf(daysAgo(40))}T09:00:00.000Z`
  await w.sql(`update transmissions set created_at = $2 where id = $1`, [one.id, long])
  const approved = (await w.approve(w.other, one)).body
  expect(approved).toMatchObject({ createdAt: long })
  expect(approved.releasedAt?.slice(0, 10)).toBe(dayOf(new Date()))
  await w.work(one.id)
  const sent = async (from: number, to: number) => {
    const query = { from: dayOf(daysAgo(from)), to: dayOf(daysAgo(to)), transmissionId: one.id }
    const { body } = await w.author.call(reportMessages, { query })
    return [body.transmissions.value, body.recipients.value]
  }
  expect([await sent(50, 30), await sent(3, 0)]).toEqual([
    [0, 0],
    [1, 20],
  ])
  // The newest of the list is what was let go last.
  expect((await w.author.call(listTransmissions)).body.items[0]?.id).toBe(one.id)
})

test('an edit voids what was asked for: the old version can no longer be approved', async () => {
  const one = await w.waiting()
  const draft = (await w.edited(w.author, one)).body
  expect(draft).toMatchObject({ state: 'draft', approval: { state: 'withdrawn' } })
  expect((await w.approve(w.other, one)).status).toBe(409)
  const again = (await w.at(w.author, draft, { action: 'submit' })).body
  // What the approver has on the screen is the text of before.
  expect((await w.approve(w.other, { ...again, version: one.version })).status).toBe(409)
  expect((await w.edited(w.author, one)).status).toBe(409)
  const few = { groupIds: [], userIds: w.people.slice(0, 3) }
  const small = (await w.edited(w.author, again, { audience: few })).body
  expect((await w.at(w.author, small, { action: 'submit' })).body.state).toBe('scheduled')
  expect(await w.work(one.id)).toMatchObject({ state: 'completed', counts: { accepted: 3 } })
})

test('is given for the people who were shown, and refused when they have become more', async () => {
  const one = await w.waiting()
  const plan = () => w.other.call(readTransmissionPlan, { params: { transmissionId: one.id } })
  expect((await plan()).body).toMatchObject({
    count: { recipients: 20 },
    groups: [{ id: w.groupId }],
    approvers: { admins: 1, superadmins: 1 },
    mail: { subject: one.subject },
  })
  expect((await w.at(w.other, one, { action: 'approve' })).problem?.fields).toEqual({
    recipients: ['required'],
  })
  await w.join(w.people.slice(20, 21))
  expect((await w.approve(w.other, one, 20)).problem?.detail).toContain('reaches 21 people')
  expect((await plan()).body.count.recipients).toBe(21)
  expect((await w.approve(w.other, one, 21)).body.approval).toMatchObject({ askedFor: 20, decidedFor: 21 })
})

test('everybody who may approve is told, nobody else; afterwards nobody has to look any more', async () => {
  const recipient = await server.person(null, w.org)
  const one = await w.waiting()
  for (const by of [w.other, superadmin]) {
    const [first] = await w.notificationsOf(by)
    expect(first).toMatchObject({
      kind: 'transmission.approval_wanted',
      entityId: one.id,
      params: { total: 20 },
      readAt: null,
    })
  }
  expect(await w.kinds(w.author)).toEqual([])
  expect(recipient.id).not.toBe('')
  await w.approve(w.other, one)
  expect((await w.notificationsOf(superadmin))[0]?.readAt).not.toBeNull()
  expect(await w.kinds(w.author)).toEqual(['transmission.approved'])
  const [before] = await w.sql<{ state: string }>(
    `select before->>'state' as state from audit where entity_id = $1 and action = 'transmission.approved'`,
    [one.id],
  )
  expect(before?.state).toBe('pending_approval')
})

test('the video, the organization and the recipients are looked at again', async () => {
  const one = await w.waiting()
  await w.sql(`update videos set state = 'failed' where id = $1`, [w.videoId])
  expect((await w.approve(w.other, one)).problem?.code).toBe('not_ready')
  await w.sql(`update videos set state = 'ready' where id = $1`, [w.videoId])
  await w.sql(`delete from group_members where group_id = $1`, [w.groupId])
  expect((await w.approve(w.other, one)).problem?.code).toBe('no_recipients')
  await w.join(w.people.slice(0, 15))
  await w.sql(`update organizations set state = 'suspended' where id = $1`, [w.org])
  expect((await w.approve(superadmin, one)).problem?.code).toBe('conflict')
  await w.sql(`update organizations set state = 'active' where id = $1`, [w.org])
  expect((await w.approve(w.other, one)).status).toBe(200)
})

test('no action is possible in a state that the table does not name for it', async () => {
  const { id } = await w.waiting()
  const actions = Object.keys(transmissionActions) as TransmissionAction[]
  for (const state of transmissionStates)
    for (const action of actions) {
      const from = transmissionActions[action]
      if (from.some((one) => one === state)) continue
      await w.sql(
        `update transmissions set state = $2, state_reason = 'audience_grown', prepared_at = null where id = $1`,
        [id, state],
      )
      const one = await w.read(id)
      const isTheirs = action === 'approve' || action === 'reject'
      const by = isTheirs ? w.other : w.author
      const { status } =
        action === 'edit'
          ? await w.edited(by, one)
          : await w.at(by, one, { action, reason: 'x', recipients: 20 })
      expect([state, action, status]).toEqual([state, action, 409])
      expect((await w.read(id)).version).toBe(one.version)
    }
})

test('is found in the list by its state', async () => {
  const one = await w.waiting()
  const { body } = await w.other.call(listTransmissions, { query: { state: 'pending_approval' } })
  expect(body.items).toMatchObject([{ id: one.id, approval: { askedFor: 20 } }])
})
