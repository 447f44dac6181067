import { randomUUID } from 'node:crypto'
import { verifyAuthCode, login } from '#contract/identity/auth.ts'
import type { Body, EndpointDefinition, Reply } from '#contract/endpoint.ts'
import { startTotp } from '#contract/identity/factors.ts'
import { createField, listFields } from '#contract/directory/fields.ts'
import { createGroup, listGroups } from '#contract/directory/groups.ts'
import {
  createImport,
  readImport,
  rehearseImport,
  startImport,
  updateImport,
} from '#contract/imports/imports.ts'
import { createInvitation, listInvitations } from '#contract/directory/invitations.ts'
import {
  createReportSchedule,
  listReportSchedules,
  pauseReportSchedule,
} from '#contract/reports/report-schedules.ts'
import { listUsers } from '#contract/directory/users.ts'
import { createView, listViews } from '#contract/directory/views.ts'
import { appCode } from '#server/testing/sign-in/factors.ts'
import { until } from '#server/testing/until.ts'
import { accept, passphrase, type Client } from '../e2e/client.ts'
import type { Product } from '../e2e/product.ts'

/** An administrator who signs in with an app as second factor; its secret lies sealed in the tables. */
export type WithApp = { email: string; appSecret: string }

/** What people set up beside content: fields, an import, a group by rule, views, schedules, invitations, a second factor. */
export async function arrange(product: Product, client: Client, orgId: string): Promise<WithApp> {
  const params = { orgId }
  const site = await client.call(createField, {
    params,
    body: { label: 'Site', type: 'choice', options: ['Berlin', 'Hamburg'] },
  })
  await importPeople(client, orgId, site.key)
  await client.call(createGroup, {
    params,
    body: {
      name: 'Berlin',
      rule: {
        match: 'all',
        conditions: [{ about: 'field', key: site.key, is: 'one_of', values: ['Berlin'] }],
      },
    },
  })
  await until(async () => (await client.call(listGroups, { params })).items.every((one) => !one.isSettling))
  await client.call(createView, {
    body: { list: 'users', organizationId: orgId, name: 'Ours', search: { q: 'berlin' }, shared: true },
  })
  const { id: scheduleId } = await client.call(createReportSchedule, {
    body: {
      report: 'user-engagement',
      view: { organizationId: orgId },
      rhythm: 'monthly',
      hour: 7,
      period: '30d',
      formats: ['csv'],
    },
  })
  // Otherwise it would go on sending whenever the installation runs again.
  await client.call(pauseReportSchedule, { params: { scheduleId } })
  const open = { organizationId: orgId, email: 'open@example.test', role: 'admin' as const }
  await client.call(createInvitation, { body: open })
  return enrol(product, client, { ...open, email: 'app@example.test' })
}

async function importPeople(client: Client, orgId: string, key: string): Promise<void> {
  const content = 'Name;Email;Site\nIda In;ida@example.test;Berlin\nIvo In;ivo@example.test;Hamburg\n'
  const body = { fileName: 'people.csv', content }
  const { id, options } = await client.call(createImport, { params: { orgId }, body })
  const params = { orgId, importId: id }
  const mapping = { '0': 'name', '1': 'email', '2': `field:${key}` }
  await client.call(updateImport, { params, body: { mapping, options } })
  await until(async () => {
    const { rehearsed, total } = await client.call(rehearseImport, { params })
    return rehearsed === total
  })
  await client.call(startImport, { params })
  await until(async () => (await client.call(readImport, { params })).state === 'done')
}

type Invited = { organizationId: string; email: string; role: 'admin' }

async function enrol(product: Product, client: Client, body: Invited): Promise<WithApp> {
  await client.call(createInvitation, { body })
  const { token } = await accept(product, client, { email: body.email, name: 'Ari App' })
  const { secret, flowToken } = await inFlow(product.url, startTotp, { token })
  await inFlow(product.url, verifyAuthCode, { token, flowToken, body: { code: appCode(secret) } })
  return { email: body.email, appSecret: secret }
}

type Flow<E extends EndpointDefinition> = { token?: string; flowToken?: string; body?: Body<E> }

/** A step of a sign-in, which a plain client does not know. */
async function inFlow<E extends EndpointDefinition>(
  url: string,
  endpoint: E,
  { token, flowToken, body }: Flow<E>,
): Promise<Reply<E>> {
  const answer = await fetch(`${url}/api${endpoint.path}`, {
    method: endpoint.method,
    headers: {
      'idempotency-key': randomUUID(),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(flowToken === undefined ? {} : { 'x-auth-flow': flowToken }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${endpoint.name}: ${answer.status} ${text}`)
  // The server checks its replies against the same contract.
  return JSON.parse(text) as Reply<E>
}

/** How a sign-in with password and app ends. */
export async function signInWithApp(url: string, { email, appSecret }: WithApp): Promise<string> {
  const first = await inFlow(url, login, { body: { identifier: email, password: passphrase } })
  if (first.status !== 'mfa_required') return first.status
  const { flowToken } = first
  return (await inFlow(url, verifyAuthCode, { flowToken, body: { code: appCode(appSecret) } })).status
}

/** The same, as the API tells of it. Whether an invitation has expired depends on the day. */
export async function readArranged(client: Client, orgId: string): Promise<object> {
  const params = { orgId }
  const fields = await client.call(listFields, { params })
  const groups = await client.call(listGroups, { params, query: { kind: 'rule' } })
  const imported = await client.call(listUsers, { params, query: { q: 'example.test', sort: 'name' } })
  const views = await client.call(listViews, { query: { list: 'users', organizationId: orgId } })
  const schedules = await client.call(listReportSchedules)
  const invitations = await client.call(listInvitations, { query: { organizationId: orgId } })
  return {
    fields: fields.items.map(({ key, label, type, options }) => ({ key, label, type, options })),
    groupsByRule: groups.items.map(({ name, rule, memberCount }) => ({ name, rule, memberCount })),
    people: imported.items.map(({ name, email, role, customFields }) => ({
      name,
      email,
      role,
      customFields,
    })),
    views: views.items.map(({ name, search, shared }) => ({ name, search, shared })),
    schedules: schedules.items.map(({ report, view, rhythm, hour, period, formats, pauseReason }) => ({
      report,
      view,
      rhythm,
      hour,
      period,
      formats,
      pauseReason,
    })),
    invitations: invitations.items.map(({ email, role, acceptedAt }) => ({ email, role, acceptedAt })),
  }
}
