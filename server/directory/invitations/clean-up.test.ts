import { beforeEach, expect, test } from 'vitest'
import { openInvitation } from '#contract/identity/acceptance.ts'
import { createInvitation, resendInvitation } from '#contract/directory/invitations.ts'
import { daysLater, invitedTokens } from '../../testing/mail/invited.ts'
import type { Person } from '../../testing/server.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'
import { cleanUpInvitations } from './clean-up.ts'

const server = await aServer()

let orgId: string
let admin: Person
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
})

const invite = async () => {
  const email = `${crypto.randomUUID()}@example.test`
  const body = { organizationId: orgId, email, role: 'admin' as const }
  return (await admin.call(createInvitation, { body })).body
}
const { query: read } = server
const actionsOf = async (id: string) =>
  (await read('select action from audit where entity_id = $1 order by id', [id])).map(({ action }) => action)
const everywhere = () => Promise.all([1, 2, 3, 4].map(() => cleanUpInvitations(server.services)))

test('writes down what has expired, once, with an entry each', async () => {
  const [late, open] = [await invite(), await invite()]
  await daysLater(server, late.email, 7)
  await everywhere()
  expect(await read('select state from invitations where id = $1', [late.id])).toEqual([{ state: 'expired' }])
  expect(await read('select state from invitations where id = $1', [open.id])).toEqual([{ state: 'pending' }])
  expect(await actionsOf(late.id)).toEqual(['invitation.sent', 'invitation.expired'])
})

test('reminds on the fifth day, exactly once, and with the same link', async () => {
  const [due, early] = [await invite(), await invite()]
  await daysLater(server, early.email, 4)
  const before = await invitedTokens(server, due.email)
  await daysLater(server, due.email, 5)
  await everywhere()
  await cleanUpInvitations(server.services)
  const after = await invitedTokens(server, due.email)
  expect(before).toHaveLength(1)
  expect(after).toEqual([before[0], before[0]])
  expect(await invitedTokens(server, early.email)).toHaveLength(1)
  expect(await actionsOf(due.id)).toEqual(['invitation.sent', 'invitation.reminded'])
  const opened = await server.call(openInvitation, { params: { token: after[0] ?? '' } })
  expect(opened.body).toMatchObject({ email: due.email })
})

test('who is invited again is reminded again', async () => {
  const invitation = await invite()
  for (const times of [1, 2]) {
    await daysLater(server, invitation.email, 5)
    await cleanUpInvitations(server.services)
    await cleanUpInvitations(server.services)
    expect(await invitedTokens(server, invitation.email)).toHaveLength(times * 2)
    await admin.call(resendInvitation, { params: { invitationId: invitation.id } })
  }
})

test('reminds nobody of an organization that is switched off', async () => {
  const invitation = await invite()
  await daysLater(server, invitation.email, 5)
  await read(`update organizations set state = 'suspended' where id = $1`, [orgId])
  await cleanUpInvitations(server.services)
  expect(await invitedTokens(server, invitation.email)).toHaveLength(1)
})
