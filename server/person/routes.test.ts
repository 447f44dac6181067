import { expect, test } from 'vitest'
import { addGroupUsers, createGroup, removeGroupUser } from '#contract/directory/groups.ts'
import { explainVisibility, listPersonHistory, readPersonAccess } from '#contract/person/person.ts'
import { createTransmission } from '#contract/transmissions/transmissions.ts'
import { readUser, updateUser } from '#contract/directory/users.ts'
import { addVideo } from '../testing/audience.ts'
import type { Person } from '../testing/server.ts'
import { aServer, anOrganization } from '../testing/worlds.ts'

const server = await aServer()
const { orgId, admin } = await anOrganization(server)

const at = (userId: string) => ({ params: { orgId, userId } })
const run = (text: string, values: unknown[]) => server.services.db.system.query(text, values)

async function group(name: string, userIds: string[]): Promise<string> {
  const { body } = await admin.call(createGroup, { params: { orgId }, body: { name } })
  if (userIds.length > 0)
    await admin.call(addGroupUsers, { params: { orgId, groupId: body.id }, body: { userIds } })
  return body.id
}

async function administering(groupId: string): Promise<Person> {
  const person = await server.person('groupadmin', orgId)
  await run(
    'insert into group_members (organization_id, group_id, user_id, groupadmin) values ($1, $2, $3, true)',
    [orgId, groupId, person.id],
  )
  return person
}

/** As the sender leaves it: worked out, handed over. */
async function prepared(transmissionId: string, userId: string): Promise<string> {
  const made = await run(
    `with d as (insert into deliveries (transmission_id, organization_id, user_id, address, state, accepted_at)
        values ($1, $2, $3::uuid, $3::uuid || '@example.test', 'accepted', now()) returning id)
     select id from d`,
    [transmissionId, orgId, userId],
  )
  await run('update transmissions set prepared_at = now() where id = $1', [transmissionId])
  return String(made.rows[0]?.['id'])
}

test('tells what was sent to a person, and through which group they were reached at that time', async () => {
  const { id } = await server.person(null, orgId)
  const [inside, left] = [await group('Inside', [id]), await group('Left since', [id])]
  const videoId = await addVideo(server, orgId, 'Fire drill')
  const body = { body: 'Please watch', videoId, accountId: orgId, subject: 'Watch this' }
  const sent = await admin.call(createTransmission, {
    body: { ...body, audience: { userIds: [id], groupIds: [inside, left] } },
  })
  await prepared(sent.body.id, id)
  await admin.call(removeGroupUser, { params: { orgId, groupId: left, userId: id } })
  const history = await admin.call(listPersonHistory, { ...at(id), query: { kind: 'transmission' } })
  expect(history.body.items).toMatchObject([
    {
      kind: 'transmission',
      transmission: { id: sent.body.id, subject: 'Watch this' },
      video: { title: 'Fire drill' },
      state: 'accepted',
      ways: expect.arrayContaining([
        { by: 'name' },
        { by: 'group', group: { id: inside, name: 'Inside' }, since: expect.any(String) },
        { by: 'group', group: { id: left, name: 'Left since' }, since: expect.any(String) },
      ]),
    },
  ])
  const why = await admin.call(explainVisibility, { ...at(id), query: { about: 'video', id: videoId } })
  expect(why.body).toMatchObject({
    may: true,
    name: 'Fire drill',
    reasons: [{ code: 'personal_link', transmission: { id: sent.body.id } }, { code: 'open_to_everybody' }],
  })
})

test('a group that was joined only after the sending was no way into the audience', async () => {
  const { id } = await server.person(null, orgId)
  const late = await group('Late', [])
  const videoId = await addVideo(server, orgId)
  const sent = await admin.call(createTransmission, {
    body: { body: 'Watch', videoId, accountId: orgId, audience: { userIds: [id], groupIds: [late] } },
  })
  await prepared(sent.body.id, id)
  await admin.call(addGroupUsers, { params: { orgId, groupId: late }, body: { userIds: [id] } })
  const history = await admin.call(listPersonHistory, { ...at(id), query: { kind: 'transmission' } })
  expect(history.body.items).toMatchObject([{ ways: [{ by: 'name' }] }])
})

test('the history holds every kind, newest first, and pages without losing or repeating anything', async () => {
  const person = await server.person(null, orgId)
  const groupId = await group('History', [person.id])
  const { body: user } = await admin.call(readUser, at(person.id))
  await admin.call(updateUser, { ...at(person.id), body: { name: 'Renamed', email: user.email } })
  const videoId = await addVideo(server, orgId)
  const sent = await admin.call(createTransmission, {
    body: { body: 'Watch', videoId, accountId: orgId, userId: person.id },
  })
  const deliveryId = await prepared(sent.body.id, person.id)
  await run(
    `insert into play_sessions (id, organization_id, video_id, version_id, transmission_id, delivery_id, user_id, viewer_key,
        started_at, last_at, duration_ms, watch_ms, coverage, user_agent)
      select gen_random_uuid(), $1, $2, current_version_id, $3, $4, $5::uuid, 'recipient:' || $5::uuid, now(), now(), 60000, 9000, '{[0,9000)}',
        'Mozilla/5.0 (Windows NT 10.0) Firefox/140.0' from videos where id = $2`,
    [orgId, videoId, sent.body.id, deliveryId, person.id],
  )
  await admin.call(removeGroupUser, { params: { orgId, groupId, userId: person.id } })
  const { body: whole } = await admin.call(listPersonHistory, at(person.id))
  expect(whole.items.map(({ kind }) => kind)).toEqual(['group', 'viewing', 'transmission', 'change', 'group'])
  expect(whole.items).toMatchObject([
    { change: 'removed', cause: 'manual', group: { name: 'History' } },
    { watchedMs: 9_000, coverage: [[0, 9_000]], browser: { browser: 'Firefox', system: 'Windows' } },
    {},
    { action: 'user.changed', actor: { id: admin.id } },
    { change: 'added' },
  ])
  const pages: string[] = []
  let next: string | null = `/api/organizations/${orgId}/users/${person.id}/history?limit=2`
  while (next !== null) {
    const answer = await admin.send('GET', next)
    const body = answer.body as typeof whole
    pages.push(...body.items.map(({ id }) => id))
    next = body.next
  }
  expect(pages).toEqual(whole.items.map(({ id }) => id))
})

test('a groupadmin learns nothing of other groups, nothing from the audit, and nothing of strangers', async () => {
  const person = await server.person(null, orgId)
  const [mine, other] = [await group('Mine', [person.id]), await group('Not mine', [person.id])]
  const groupadmin = await administering(mine)
  await admin.call(updateUser, { ...at(person.id), body: { name: 'Changed', email: person.email } })
  const { body: history } = await groupadmin.call(listPersonHistory, at(person.id))
  expect(history.items).toMatchObject([{ kind: 'group', group: { id: mine } }])
  const { body: access } = await groupadmin.call(readPersonAccess, at(person.id))
  expect(access.groups.map(({ id }) => id)).toEqual([mine])
  const stranger = await server.person(null, orgId)
  for (const endpoint of [listPersonHistory, readPersonAccess])
    expect((await groupadmin.call<typeof endpoint>(endpoint, at(stranger.id))).status).toBe(404)
  for (const [about, id] of [
    ['group', other],
    ['user', stranger.id],
    ['video', await addVideo(server, orgId)],
  ] as const)
    expect(
      (await groupadmin.call(explainVisibility, { ...at(person.id), query: { about, id } })).status,
    ).toBe(404)
})

test('says since when a right holds, and what keeps somebody out', async () => {
  const person = await server.person(null, orgId)
  const groupId = await group('Since', [person.id])
  const groupadmin = await administering(groupId)
  await run(`update group_members set created_at = '2020-01-01' where group_id = $1`, [groupId])
  const why = await admin.call(explainVisibility, {
    ...at(groupadmin.id),
    query: { about: 'user', id: person.id },
  })
  expect(why.body).toMatchObject({
    may: true,
    reasons: [{ code: 'administers_group_of', group: { id: groupId, name: 'Since' } }],
  })
  const own = await admin.call(explainVisibility, {
    ...at(groupadmin.id),
    query: { about: 'group', id: groupId },
  })
  expect(own.body).toMatchObject({
    may: true,
    name: 'Since',
    reasons: [{ code: 'administers_group', group: { id: groupId, name: 'Since' } }],
  })
  // The right began when the mark was set, however long the membership is.
  expect(new Date(why.body.reasons[0]?.since ?? 0).getFullYear()).toBeGreaterThan(2020)
  const { body: access } = await admin.call(readPersonAccess, at(groupadmin.id))
  expect(access).toMatchObject({
    role: 'groupadmin',
    blockedReason: null,
    groups: [{ administersSince: expect.any(String) }],
  })
  await run(`update users set state = 'disabled' where id = $1`, [groupadmin.id])
  const out = await admin.call(explainVisibility, {
    ...at(groupadmin.id),
    query: { about: 'user', id: person.id },
  })
  expect(out.body).toMatchObject({ may: false, reasons: [{ code: 'cannot_enter' }] })
  expect((await admin.call(readPersonAccess, at(groupadmin.id))).body.blockedReason).toBe('disabled')
  expect((await admin.call(readPersonAccess, at(person.id))).body.blockedReason).toBe('recipient')
})
