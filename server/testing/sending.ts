import { createTransmission, readTransmission } from '#contract/transmissions/transmissions.ts'
import { startSending } from '../transmissions/sender/send.ts'
import { addPeople, addVideo } from './audience.ts'
import { startTestServer } from './server.ts'
import { unique } from './unique.ts'
import { until } from './until.ts'

export type SendingServer = Awaited<ReturnType<typeof startSendingServer>>

/** A server that sends, an organization in it, its administrator, and a video to be sent. */
export async function startSendingServer(
  environment: Record<string, string> = {},
  prepare?: (ownerUrl: string) => Promise<void>,
) {
  const server = await startTestServer(environment, prepare)
  const org = await server.organization()
  const admin = await server.person('admin', org)
  const videoId = await addVideo(server, org)
  const sending = await startSending(server.services)
  return {
    server,
    org,
    admin,
    videoId,
    stop: () => sending.stop(),
    async close() {
      await sending.stop()
      await server.close()
    },
  }
}

/** Sends the video to somebody new, and waits until the mail is written: who got it, what it says, and where its link leads. */
export async function sendToOne({ server, org, admin, videoId }: SendingServer, more: object = {}) {
  const [userId = ''] = await addPeople(server, org, { count: 1, prefix: unique() })
  const made = await admin.call(createTransmission, {
    body: { body: 'Hello', videoId, userId, accountId: org, ...more },
  })
  const params = { transmissionId: made.body.id }
  await until(async () => (await admin.call(readTransmission, { params })).body.state === 'completed', 30)
  const written = await server.services.db.system.query<{ deliveryId: string; text: string; html: string }>(
    `select d.id as "deliveryId", m.text, m.html from mails m join deliveries d on d.id = m.delivery_id
      where d.transmission_id = $1`,
    [made.body.id],
  )
  const { deliveryId = '', text = '', html = '' } = written.rows[0] ?? {}
  const [, link = ''] = /(\/w\/video\/\S+)/.exec(text) ?? []
  return { transmissionId: made.body.id, userId, deliveryId, text, html, link }
}
