import { listEventAddresses } from '#contract/events/event-addresses.ts'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { listAssignments } from '#contract/assignments/assignments.ts'
import { login } from '#contract/identity/auth.ts'
import { listCertificates } from '#contract/evidence/certificates.ts'
import { listDeliveries, type WatchedState } from '#contract/transmissions/deliveries.ts'
import type { Reply } from '#contract/endpoint.ts'
import { listGroups } from '#contract/directory/groups.ts'
import { listOrganizations } from '#contract/directory/organizations.ts'
import { listTransmissions, type Transmission } from '#contract/transmissions/transmissions.ts'
import { listUsers } from '#contract/directory/users.ts'
import { createConnection, createSystemConnection } from '#contract/identity/sso.ts'
import { keysOf } from '#server/platform/keys.ts'
import { demoPassphrase } from '#server/sample/demo.ts'
import { entered } from '#server/testing/sign-in/entered.ts'
import { linkHash, personalLink } from '#server/transmissions/recipients/link.ts'
import { clientOf, type Client } from '../client.ts'
import type { Product } from '../product.ts'
import { mailsOf } from './mails.ts'
import type { Ids, Personal } from './pages.ts'

/** Whoever signs in to the demo by the name of their role. */
export async function reader(product: Product, name: string): Promise<Client> {
  const body = { identifier: `${name}@demo.test`, password: demoPassphrase }
  const { token } = entered(await clientOf(product.url, '').call(login, { body }))
  return clientOf(product.url, token)
}

/** One of everything, with something to see: the transmission that most people have opened, and somebody who is under way in it. */
export async function thingsOf(product: Product, client: Client): Promise<{ ids: Ids; personal: Personal }> {
  const organization = first((await client.call(listOrganizations)).items)
  const params = { orgId: organization.id }
  const group = first((await client.call(listGroups, { params })).items)
  const sent = await mostOpened(client)
  const deliveries = await client.call(listDeliveries, { params: { transmissionId: sent.id } })
  const partly = deliveries.items.find(({ share }) => share !== null && share > 0.1 && share < 0.9)
  const delivery = partly ?? first(deliveries.items)
  const secret = await readFile(path.join(product.dataDir, 'secret-key'), 'utf8')
  const keys = keysOf(secret.trim())
  const linkOf = ({ transmission, delivery }: Reached) =>
    personalLink(keys, {
      publicUrl: '',
      videoId: transmission.video?.id ?? '',
      deliveryId: delivery.id,
      linkHash: linkHash(keys, delivery.id).toString('hex'),
    })
  const assignments = await client.call(listAssignments, { params })
  const { id: assignmentId } = first(assignments.items.filter(({ counts }) => counts.overdue > 0))
  const systems = await client.call(listEventAddresses, { params: { orgId: organization.id } })
  const connection = {
    kind: 'oidc',
    name: 'Northwind ID',
    issuer: 'https://id.northwind.example',
    clientId: 'sendreel',
    clientSecret: 'a secret of the provider',
  } as const
  const { id: connectionId } = await client.call(createConnection, { params, body: connection })
  const superadmin = await reader(product, 'superadmin')
  const { id: systemConnectionId } = await superadmin.call(createSystemConnection, { body: connection })
  const ids = {
    connectionId,
    language: 'de',
    systemConnectionId,
    orgId: organization.id,
    userId: delivery.user.id,
    groupId: group.id,
    videoId: sent.video?.id ?? '',
    transmissionId: sent.id,
    assignmentId,
    eventAddressId: systems.items[0]?.id ?? '',
    operationId: '',
  }
  const orgMails = { orgId: organization.id, videoId: ids.videoId }
  const personal: Personal = {
    links: {
      watch: linkOf({ transmission: sent, delivery }),
      halfway: linkOf(await reached(client, 'part')),
      late: linkOf(await reached(client, 'unopened')),
      failed: linkOf(await reached(client, 'failed')),
    },
    mails: await mailsOf(client, orgMails),
    certificate: await certificateOf(product, client, organization.id),
  }
  return { ids, personal }
}

type Reached = {
  transmission: Pick<Transmission, 'id' | 'video'>
  delivery: Reply<typeof listDeliveries>['items'][number]
}

/** Somebody whose day has passed and with whom it stands so, by a link that still leads on. */
async function reached(client: Client, watched: WatchedState): Promise<Reached> {
  const { items } = await client.call(listTransmissions, { query: { limit: 100 } })
  const due = items.filter(({ dueAt, video }) => video && dueAt !== null && Date.parse(dueAt) < Date.now())
  for (const transmission of due) {
    const params = { transmissionId: transmission.id }
    const found = await client.call(listDeliveries, { params, query: { watched } })
    const delivery = found.items.find(({ state }) => state === 'accepted')
    if (delivery) return { transmission, delivery }
  }
  throw new Error(`The demo has nobody who is late and "${watched}"`)
}

/** The newest certificate of the first person of the organization who has one. */
async function certificateOf(product: Product, client: Client, orgId: string): Promise<Uint8Array> {
  const { items } = await client.call(listUsers, { params: { orgId }, query: { limit: 100 } })
  for (const { id: userId } of items) {
    const [one] = (await client.call(listCertificates, { params: { orgId, userId } })).items
    if (!one) continue
    const address = `${product.url}/api/organizations/${orgId}/users/${userId}/certificates/${one.id}/file`
    const answer = await fetch(address, { headers: { authorization: `Bearer ${client.token}` } })
    return new Uint8Array(await answer.arrayBuffer())
  }
  throw new Error('The demo has no certificate')
}

/** The transmission that most people have opened. */
export async function mostOpened(client: Client) {
  const { items } = await client.call(listTransmissions)
  return first(items.toSorted((one, other) => other.opened - one.opened))
}

function first<Item>(items: readonly Item[]): Item {
  const [item] = items
  if (item === undefined) throw new Error('The demo has nothing of the kind')
  return item
}
