import { expect, test } from 'vitest'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import {
  createTransmission,
  previewAudience,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import { addGroup, addPeople, addVideo } from '../../testing/audience.ts'
import { aSendingServer } from '../../testing/worlds.ts'

const sending = await aSendingServer()
const { server, org: accountId, admin } = sending

test('everybody in a group with a rule except a group and a person: the preview and the mails agree', async () => {
  const people = await addPeople(server, accountId, { count: 6 })
  const [contractor = '', lone = ''] = people
  const contractors = await addGroup(server, accountId, [contractor])
  const made = await server.query<{ id: string }>(
    `insert into groups (organization_id, name, kind, rule) values ($1, 'Warehouse', 'rule', $2) returning id`,
    [
      accountId,
      JSON.stringify({ match: 'all', conditions: [{ about: 'role', is: 'one_of', values: ['none'] }] }),
    ],
  )
  const audience = {
    groupIds: [made[0]?.id ?? ''],
    userIds: [contractor],
    exceptGroupIds: [contractors],
    exceptUserIds: [lone],
  }
  // Nobody has worked the rule out before: counting does.
  const preview = await admin.call(previewAudience, { body: { accountId, audience } })
  expect(preview.body).toMatchObject({ recipients: 4, excepted: 2, overlaps: 0 })
  const videoId = await addVideo(server, accountId)
  const sent = await admin.call(createTransmission, { body: { accountId, videoId, body: 'x', audience } })
  const params = { transmissionId: sent.body.id }
  await expect
    .poll(async () => (await admin.call(readTransmission, { params })).body.state, { timeout: 20_000 })
    .toBe('completed')
  const { items } = (await admin.call(listDeliveries, { params })).body
  expect(items.map(({ user }) => user.id).sort()).toEqual(people.slice(2).sort())
})

test('refuses exceptions that name nobody, or people of others', async () => {
  const [stranger = ''] = await addPeople(server, await server.organization(), { count: 1 })
  const audience = { everyone: true, exceptUserIds: [stranger], exceptGroupIds: [crypto.randomUUID()] }
  const videoId = await addVideo(server, accountId)
  const refused = await admin.call(createTransmission, { body: { accountId, videoId, body: 'x', audience } })
  expect(refused.problem?.fields).toEqual({
    'audience.exceptUserIds': ['not_found'],
    'audience.exceptGroupIds': ['not_found'],
  })
})
