import { listNotifications, type Notification } from '#contract/notifications/notifications.ts'
import { updateOrganizationSettings } from '#contract/directory/organizations.ts'
import {
  changeTransmission,
  createTransmission,
  editTransmission,
  readTransmission,
  type Transmission,
  type TransmissionAction,
} from '#contract/transmissions/transmissions.ts'
import { startSending } from '../transmissions/sender/send.ts'
import { addGroup, addPeople, addVideo } from './audience.ts'
import type { Person, TestServer } from './server.ts'
import { unique } from './unique.ts'

type Step = { action: Exclude<TransmissionAction, 'edit'>; reason?: string; recipients?: number }

/** An organization in which more than ten recipients need approval, with two administrators and a group of twenty. */
export async function carefulOrganization(server: TestServer) {
  const org = await server.organization()
  const author = await server.person('admin', org)
  const other = await server.person('admin', org)
  const videoId = await addVideo(server, org)
  const people = await addPeople(server, org, { count: 40, prefix: unique() })
  const groupId = await addGroup(server, org, people.slice(0, 20))

  const sql = async <Row>(text: string, values: unknown[] = []) =>
    (await server.services.db.system.query(text, values)).rows as Row[]
  const setThreshold = (approvalThreshold: number | null) =>
    author.call(updateOrganizationSettings, {
      params: { orgId: org },
      body: { name: 'Careful', policies: { approvalThreshold } },
    })
  const send = (audience: object = { groupIds: [groupId] }, by = author) =>
    by.call(createTransmission, { body: { body: 'Please watch.', videoId, accountId: org, audience } })
  const read = async (id: string): Promise<Transmission> =>
    (await author.call(readTransmission, { params: { transmissionId: id } })).body
  const at = (by: Person, { id, version }: Transmission, step: Step) =>
    by.call(changeTransmission, { params: { transmissionId: id }, body: { version, ...step } })
  const notificationsOf = async (by: Person): Promise<Notification[]> =>
    (await by.call(listNotifications)).body.items

  await setThreshold(10)
  return {
    org,
    author,
    other,
    videoId,
    people,
    groupId,
    sql,
    setThreshold,
    send,
    read,
    at,
    notificationsOf,
    /** Something that waits for approval, for twenty people. */
    waiting: async () => (await send()).body,
    approve: (by: Person, one: Transmission, recipients = 20) =>
      at(by, one, { action: 'approve', recipients }),
    kinds: async (by: Person) => (await notificationsOf(by)).map(({ kind }) => kind),
    edited: (by: Person, one: Transmission, more: object = {}) =>
      by.call(editTransmission, {
        params: { transmissionId: one.id },
        body: {
          version: one.version,
          body: 'Other words.',
          videoId,
          audience: { groupIds: [groupId] },
          ...more,
        },
      }),
    join: (ids: readonly string[], group = groupId) =>
      sql(
        'insert into group_members (organization_id, group_id, user_id) select $1, $2, unnest($3::uuid[])',
        [org, group, ids],
      ),
    mails: async (id: string) =>
      (
        await sql(
          `select 1 from mails m join deliveries d on d.id = m.delivery_id where d.transmission_id = $1`,
          [id],
        )
      ).length,
    /** Works until nothing is left to do, or somebody has to decide. */
    async work(id: string): Promise<Transmission> {
      const sending = await startSending(server.services)
      try {
        for (const began = Date.now(); Date.now() - began < 30_000;) {
          const one = await read(id)
          if (!['scheduled', 'preparing', 'sending'].includes(one.state)) return one
          await new Promise((resolve) => {
            setTimeout(resolve, 30)
          })
        }
        throw new Error('it did not come to rest')
      } finally {
        await sending.stop()
      }
    },
  }
}
