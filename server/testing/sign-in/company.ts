import { mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect } from 'vitest'
import { checkDomain, createDomain } from '#contract/identity/sign-in-domains.ts'
import { createConnection, type ConnectionInput } from '#contract/identity/sso.ts'
import type { NameServer } from '../mail/name-server.ts'
import type { Person, TestServer } from '../server.ts'
import { unique } from '../unique.ts'
import { aServer } from '../worlds.ts'
import { isOurPage, toldAt, type Visitor } from './visitor.ts'

/** Somebody whose server speaks HTTPS on this machine, under a name of their own. */
type Provider = { issuer: string; ca: Buffer; close(): Promise<void> }

/** A server that reaches these providers and asks this name server. */
export async function aServerBeside(names: NameServer, providers: readonly Provider[]): Promise<TestServer> {
  const server = await aServer(environmentFor(names, providers))
  afterAll(async () => {
    for (const provider of providers) await provider.close()
    await names.close()
  })
  return server
}

export function environmentFor(names: NameServer, providers: readonly Provider[]): Record<string, string> {
  names.addressesOf = (name) =>
    providers.some(({ issuer }) => new URL(issuer).hostname === name) ? ['127.0.0.1'] : []
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'sendreel-ca-')), 'ca.pem')
  writeFileSync(file, providers.map(({ ca }) => ca.toString('utf8')).join('\n'))
  return {
    DNS_SERVER: names.address,
    WEBHOOK_HOSTS: providers.map(({ issuer }) => new URL(issuer).host).join(','),
    WEBHOOK_CA_FILE: file,
  }
}

type Client = { issuer: string; clientId: string; clientSecret: string }
type Choices = Partial<Omit<ConnectionInput, 'issuer' | 'clientId' | 'clientSecret'>>

/** An administrator connects a provider; gives the id of the connection. */
export async function connected(admin: Person, provider: Client, more: Choices = {}): Promise<string> {
  const params = { orgId: admin.organizationId ?? '' }
  const { issuer, clientId, clientSecret } = provider
  const body = { kind: 'oidc' as const, name: 'Company', issuer, clientId, clientSecret, ...more }
  const made = await admin.call(createConnection, { params, body })
  expect([made.status, made.problem]).toEqual([201, undefined])
  return made.body.id
}

/** A domain that nobody else has, proved by its record. */
export async function provedDomain(
  names: NameServer,
  admin: Person,
  domain = `${unique()}.example.com`,
): Promise<string> {
  const params = { orgId: admin.organizationId ?? '' }
  const made = await admin.call(createDomain, { params, body: { domain } })
  expect([made.status, made.problem]).toEqual([201, undefined])
  names.zone[made.body.record.name] = [made.body.record.value]
  const checked = await admin.call(checkDomain, { params: { ...params, domainId: made.body.id }, body: {} })
  expect([checked.status, checked.body.finding]).toEqual([200, 'proved'])
  return domain
}

/** Leads a browser through the sign-in, as far as our page: what its address says. */
export async function ledBack(
  visitor: Visitor,
  connectionId: string,
  query = '',
): Promise<Record<string, string>> {
  const page = await visitor.follow(`/api/auth/sso/${connectionId}${query}`, (url) => !isOurPage(url))
  return toldAt(page.url)
}

/** The whole sign-in, to the answer of the exchange. */
export async function signedIn(visitor: Visitor, connectionId: string): Promise<Record<string, unknown>> {
  const told = await ledBack(visitor, connectionId)
  expect(told).toEqual({ flow: expect.any(String) })
  const { status, body } = await visitor.post('/api/auth/sso/exchange', { flow: told['flow'] })
  expect([status, body['code']]).toEqual([200, undefined])
  return body
}
