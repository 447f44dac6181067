import { expect, test } from 'vitest'
import { updateOrganization } from '#contract/directory/organizations.ts'
import type { SendWindow } from '#contract/transmissions/send-window.ts'
import { listTransmissions } from '#contract/transmissions/transmissions.ts'
import { addPeople } from '../testing/audience.ts'
import { planNow } from '../testing/planning.ts'
import { until } from '../testing/until.ts'
import { aSendingServer, anAssignment } from '../testing/worlds.ts'

const sending = await aSendingServer()
const { query } = sending.server
const { server, org, admin, videoId } = sending
// Where it is between eleven and one o'clock now.
const ahead = 12 - new Date().getUTCHours()
const zone = ahead === 0 ? 'UTC' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`
await query('update organizations set time_zone = $2 where id = $1', [org, zone])
const userIds = await addPeople(server, org, { count: 1 })
const assignmentId = await anAssignment(admin, {
  videoId,
  audience: { userIds },
  reminders: { daysBefore: [3], onTheDay: true, daysAfter: [], weekly: false, most: 5 },
})
await planNow(sending.server)
await until(async () => (await sent()) === 1, 20)

/** Transmissions that the assignment has made. */
async function sent(): Promise<number> {
  const { items } = (await sending.admin.call(listTransmissions)).body
  return items.filter(({ assignment }) => assignment?.id === assignmentId).length
}
async function hours(from: string, to: string): Promise<void> {
  const superadmin = await sending.server.person('superadmin')
  const sendWindow: SendWindow = { days: [1, 2, 3, 4, 5, 6, 7], from, to }
  const body = { name: 'Punctual', policies: { sendWindow } }
  expect((await superadmin.call(updateOrganization, { params: { orgId: sending.org }, body })).status).toBe(
    200,
  )
}
const remindToday = () =>
  query(
    `update obligations o set next_message_on = (now() at time zone z.time_zone)::date, messages = 1
      from organizations z where z.id = o.organization_id and o.assignment_id = $1`,
    [assignmentId],
  )

test('messages of a day leave with the hours of the organization, not at eight', async () => {
  await hours('14:00', '23:00')
  await query(
    'delete from obligation_messages where obligation_id in (select id from obligations where assignment_id = $1)',
    [assignmentId],
  )
  await remindToday()
  await planNow(sending.server)
  expect(await sent()).toBe(1)
  await hours('07:00', '23:00')
  await planNow(sending.server)
  expect(await sent()).toBe(2)
})
