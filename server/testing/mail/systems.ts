import { createHmac } from 'node:crypto'
import { afterAll } from 'vitest'
import { createEventAddress } from '#contract/events/event-addresses.ts'
import { eventTypes, PostedEvent, type EventType } from '#contract/events/event-types.ts'
import { startEvents } from '../../events/start.ts'
import type { Person, TestServer } from '../server.ts'
import { until } from '../until.ts'
import { aSendingServer } from '../worlds.ts'
import { openNameServer } from './name-server.ts'
import { openReceiver, type Posted } from './webhooks.ts'

const host = 'systems.acme.test'

/** A server that posts events to a system of the test's own, of whose names it knows where they lead. */
export async function aServerWithSystems(more: Record<string, string> = {}) {
  const names = await openNameServer()
  names.addressesOf = (name) => (name === host ? ['127.0.0.1'] : [])
  const receiver = await openReceiver([host])
  afterAll(async () => {
    await receiver.close()
    await names.close()
  })
  const env = {
    DNS_SERVER: names.address,
    WEBHOOK_HOSTS: `${host}:${receiver.port}`,
    WEBHOOK_CA_FILE: receiver.ca,
    ...more,
  }
  const sending = await aSendingServer(env)
  return { ...sending, env, names, receiver, url: `https://${host}:${receiver.port}/events` }
}

/** Posts what happens, until the end of the file. */
export function postEvents(server: TestServer) {
  const events = startEvents(server.services)
  afterAll(() => events.stop())
}

/** An address that is told of these; gives its id and secret. */
export async function anEventAddress(admin: Person, url: string, types: readonly EventType[] = eventTypes) {
  const params = { orgId: admin.organizationId ?? '' }
  const made = await admin.call(createEventAddress, { params, body: { url, types: [...types] } })
  if (made.status !== 201) throw new Error(JSON.stringify(made.problem))
  return { ...made.body, secret: made.body.secret ?? '' }
}

/** What was posted, as the contract describes it; fails where it is anything else. */
export const eventOf = ({ body }: Pick<Posted, 'body'>) => PostedEvent.parse(JSON.parse(body))

/** Whether it is signed with the secret, as https://www.standardwebhooks.com says. */
export function isSignedBy(secret: string, { headers, body }: Posted): boolean {
  const signed = createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
    .update([headers['webhook-id'], headers['webhook-timestamp'], body].join('.'))
    .digest('base64')
  return String(headers['webhook-signature']).split(' ').includes(`v1,${signed}`)
}

/** What waits for a while to be tried again is due now. */
export const hurryEvents = async ({ query }: TestServer) => {
  await query('update event_addresses set rests_until = null where rests_until is not null')
  await query('update event_lines set due_at = now() where token is null and due_at > now()')
}

/** Until everything that has happened is taken or set aside. */
export const eventsAreOut = ({ query }: TestServer) =>
  until(
    async () =>
      (await query('select from events where sorted_at is null union all select from event_lines')).length ===
      0,
    30,
  )
