import { acceptInvitation } from '#contract/identity/acceptance.ts'
import { verifyPassword } from '#contract/identity/auth.ts'
import { setUp } from '#contract/identity/setup.ts'
import type { Body, EndpointDefinition, Reply } from '#contract/endpoint.ts'
import { createInvitation } from '#contract/directory/invitations.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { listOutbox } from '#contract/platform/system.ts'
import { sender } from '../client/send.ts'
import { entered } from '../server/testing/sign-in/entered.ts'
import type { Product } from './product.ts'
import { unique } from '../server/testing/unique.ts'

type Input<E extends EndpointDefinition> = {
  params?: Record<string, string>
  query?: Record<string, string | number>
  body?: Body<E>
  headers?: Record<string, string>
}

/** The API as a program would use it; refused calls throw with what the server said. */
export type Client = {
  token: string
  call<E extends EndpointDefinition>(endpoint: E, input?: Input<E>): Promise<Reply<E>>
}

export function clientOf(url: string, token: string): Client {
  // A test is to see what is refused for a moment only.
  const send = sender({ url, key: token, retries: 0, timeout: 600_000 })
  return {
    token,
    // The server checks its replies against the same contract.
    call: async <E extends EndpointDefinition>(endpoint: E, input: Input<E> = {}) =>
      (await send({ ...endpoint, isIdempotent: true }, input)) as Reply<E>,
  }
}

export const passphrase = 'correct horse battery staple'
const firstEmail = 'sue@example.test'

/** Creates the first superadmin with the printed link. */
export async function firstSuperadmin(product: Pick<Product, 'url' | 'setupUrl'>): Promise<Client> {
  const setup = new URL(product.setupUrl ?? '').searchParams.get('setup') ?? ''
  const created = await clientOf(product.url, '').call(setUp, {
    body: { setup, name: 'Sue Perior', email: firstEmail, password: passphrase, sample: false },
  })
  return clientOf(product.url, created.token)
}

const firsts = new WeakMap<Product, Client>()

/** A superadmin of the caller's own in a product that others may be using: invited by the first, who signs out for nobody. */
export async function newSuperadmin(product: Product): Promise<Client> {
  const known = firsts.get(product)
  // What the first proved when the product was set up may be too long ago by now.
  const first = known ? await proveAgain(product, known) : await firstSuperadmin(product)
  firsts.set(product, first)
  const email = `sue-${unique()}@example.test`
  await first.call(createInvitation, { body: { organizationId: null, email, role: 'superadmin' } })
  return accept(product, first, { email, name: 'Sue Perior' })
}

async function proveAgain(product: Product, first: Client): Promise<Client> {
  const proof = await first.call(verifyPassword, { body: { identifier: firstEmail, password: passphrase } })
  if (proof.status !== 'reauthenticated') throw new Error(`not proved again: ${proof.status}`)
  return clientOf(product.url, proof.token)
}

/** An organization of the caller's own, and a superadmin who made it. */
export async function newOrganization(
  product: Product,
  name: string,
): Promise<{ client: Client; orgId: string }> {
  const client = await newSuperadmin(product)
  return { client, orgId: (await client.call(createOrganization, { body: { name } })).id }
}

/** An administrator of an organization, whom a superadmin has invited. */
export async function newAdmin(
  product: Product,
  superadmin: Client,
  { orgId, name }: { orgId: string; name: string },
): Promise<Client> {
  const email = `${unique()}@example.test`
  await superadmin.call(createInvitation, { body: { organizationId: orgId, email, role: 'admin' } })
  return accept(product, superadmin, { email, name })
}

type Invited = { email: string; name: string; password?: string }

/** Whoever was invited accepts, with the link from the newest mail that rests in the outbox. */
export async function accept(product: Product, superadmin: Client, invited: Invited): Promise<Client> {
  const { email, name, password = passphrase } = invited
  const { items } = await superadmin.call(listOutbox, { query: { q: email } })
  const token = items.map(({ text }) => /sign-up\?invite=(\S+)/.exec(text)?.[1]).find(Boolean) ?? ''
  const body = { name, password }
  const accepted = await clientOf(product.url, '').call(acceptInvitation, { params: { token }, body })
  return clientOf(product.url, entered(accepted).token)
}
