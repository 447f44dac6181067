import { afterAll, beforeEach, expect, test } from 'vitest'
import { readWebhook, testWebhook, updateWebhook } from '#contract/transmissions/webhooks.ts'
import { openNameServer } from '../testing/mail/name-server.ts'
import { startTestServer } from '../testing/server.ts'
import { openReceiver } from '../testing/mail/webhooks.ts'

const host = 'hook.acme.test'

const names = await openNameServer()
const receiver = await openReceiver([host, 'public.acme.test'])
const server = await startTestServer({
  DNS_SERVER: names.address,
  WEBHOOK_HOSTS: `${host}:${receiver.port}`,
  WEBHOOK_CA_FILE: receiver.ca,
})
const params = { orgId: await server.organization() }
const admin = await server.person('admin', params.orgId)
afterAll(async () => {
  await server.close()
  await receiver.close()
  await names.close()
})
beforeEach(async () => {
  await server.query('delete from webhooks')
  await server.query('delete from attempts')
})

const choose = (url: string) => admin.call(updateWebhook, { params, body: { url } })
const attempt = async () => (await admin.call(testWebhook, { params, body: {} })).body

test.each([
  'http://hooks.example.org/',
  'https://me:secret@hooks.example.org/',
  'https://hooks.example.org/#part',
  'ftp://hooks.example.org/',
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://017700000001/',
  'https://[::1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://[64:ff9b::a00:1]/',
  'https://[fe80::1]/',
  'https://[fd00::1]/',
  'https://169.254.169.254/latest/meta-data',
  'https://100.64.0.1/',
  'https://224.0.0.1/',
  'https://hooks.example.org:25/',
  'https://hooks.example.org:80/',
  'https://',
  'https://hooks.example.org\\@127.0.0.1/',
])('%s is refused as it is', async (url) => {
  expect((await choose(url)).status).toBe(422)
  expect((await admin.call(readWebhook, { params })).body.webhook).toBeNull()
})

test.each([
  ['127.0.0.1'],
  ['::1'],
  ['169.254.169.254'],
  ['::ffff:10.0.0.1'],
  ['10.1.2.3'],
  ['0.0.0.0'],
  ['fd12::1'],
  ['2002:7f00:1::1'],
  ['192.0.2.1', '127.0.0.1'],
])('a name that leads to %s is not connected to', async (...addresses) => {
  names.addressesOf = () => addresses
  const lines = receiver.lines
  await choose(`https://public.acme.test:${receiver.port}/`)
  expect(await attempt()).toEqual({ result: 'private_address', status: null, answer: null })
  expect(receiver.lines).toBe(lines)
})

test('a name that leads elsewhere between looking and connecting gains nothing', async () => {
  // One question for each kind of address; the second time it leads to this machine.
  let questions = 0
  names.addressesOf = () => (++questions <= 2 ? ['203.0.112.1'] : ['127.0.0.1'])
  const lines = receiver.lines
  await choose(`https://public.acme.test:${receiver.port}/`)
  const found = await attempt()
  expect(['timeout', 'no_connection']).toContain(found.result)
  expect(questions).toBe(2)
  expect((await attempt()).result).toBe('private_address')
  expect(receiver.lines).toBe(lines)
})

test('only a certificate for that very name is taken', async () => {
  names.addressesOf = () => ['127.0.0.1']
  server.services.env.webhookHosts = new Set([`other.acme.test:${receiver.port}`])
  await choose(`https://other.acme.test:${receiver.port}/`)
  expect((await attempt()).result).toBe('certificate')
  expect(receiver.posted).toEqual([])
  server.services.env.webhookHosts = new Set([`${host}:${receiver.port}`])
})
