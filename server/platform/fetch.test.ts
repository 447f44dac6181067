import { afterAll, beforeEach, expect, test } from 'vitest'
import { readFileSync } from 'node:fs'
import { openNameServer } from '../testing/mail/name-server.ts'
import { kind, openReceiver, type Behaviour } from '../testing/mail/webhooks.ts'
import { fetchFrom, type Outgoing } from './fetch.ts'

const host = 'provider.acme.test'
const names = await openNameServer()
const receiver = await openReceiver([host])
const env = {
  dnsServer: names.address,
  webhookHosts: new Set([`${host}:${receiver.port}`]),
  webhookCa: readFileSync(receiver.ca, 'utf8'),
}
afterAll(async () => {
  await receiver.close()
  await names.close()
})
beforeEach(() => {
  names.addressesOf = () => ['127.0.0.1']
  receiver.behave = kind
  receiver.posted.length = 0
})

const url = `https://${host}:${receiver.port}/token?a=1`
const ask = (outgoing: Partial<Outgoing> = {}) =>
  fetchFrom(env, { url, method: 'GET', mostBytes: 1_000, answerMs: 2_000, ...outgoing })

test('asks with the method, headers and body that it is given, and tells the answer whole', async () => {
  receiver.behave = (_posted, answer) =>
    void answer.writeHead(401, { 'content-type': 'text/x', 'x-it': 'is' }).end('näh')
  const found = await ask({ headers: { accept: 'text/x', authorization: 'Basic eDp5' } })
  expect(found).toMatchObject({ status: 401, isWhole: true, headers: { 'x-it': 'is' } })
  expect('body' in found && found.body.toString()).toBe('näh')
  await ask({ method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"data":{}}' })
  expect(receiver.posted).toMatchObject([
    {
      method: 'GET',
      path: '/token?a=1',
      body: '',
      headers: { accept: 'text/x', authorization: 'Basic eDp5' },
    },
    { method: 'POST', body: '{"data":{}}', headers: { host: `${host}:${receiver.port}` } },
  ])
})

test.each<[string, Behaviour, object]>([
  ['is longer than it may be', (_posted, answer) => void answer.end('x'.repeat(1_001)), { length: 1_000 }],
  [
    'comes byte by byte',
    (_posted, answer) => {
      const drip = setInterval(() => answer.write('y'), 100)
      answer.on('close', () => clearInterval(drip))
    },
    { length: expect.any(Number) },
  ],
  [
    'breaks off',
    (_posted, answer, socket) => {
      answer.writeHead(200, { 'content-length': '50' })
      answer.write('half')
      setTimeout(() => socket.destroy(), 100)
    },
    { length: 4 },
  ],
])('an answer that %s is told as far as it came, and is not whole', async (_name, behave, body) => {
  receiver.behave = behave
  const began = Date.now()
  expect(await ask({ answerMs: 1_000 })).toMatchObject({ status: 200, isWhole: false, body })
  expect(Date.now() - began).toBeLessThan(4_000)
})

test('a redirect is an answer, and is not followed', async () => {
  receiver.behave = (_posted, answer) =>
    void answer.writeHead(302, { location: `https://${host}:${receiver.port}/elsewhere` }).end()
  expect(await ask()).toMatchObject({ status: 302, isWhole: true })
  expect(receiver.posted).toHaveLength(1)
})

test.each<[string, Behaviour, string]>([
  ['says nothing', () => undefined, 'timeout'],
  ['hangs up', (_posted, _answer, socket) => void socket.destroy(), 'broken_off'],
  ['speaks something else', (_posted, _answer, socket) => void socket.end('220 mail\r\n'), 'broken_off'],
  [
    'sends a head without end',
    (_posted, _answer, socket) => void socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`),
    'broken_off',
  ],
])('who %s may have it, and no answer is told', async (_name, behave, fault) => {
  receiver.behave = behave
  expect(await ask({ answerMs: 500 })).toEqual({ fault, isHanded: true })
})

test('nothing leaves to a network of this house, to nobody, or when it may not', async () => {
  names.addressesOf = () => ['10.0.0.5']
  expect(await ask({ url: `https://other.acme.test:${receiver.port}/` })).toEqual({
    fault: 'private_address',
    isHanded: false,
  })
  names.addressesOf = () => []
  expect(await ask()).toEqual({ fault: 'unknown_host', isHanded: false })
  names.addressesOf = () => ['127.0.0.1']
  const outgoing: Outgoing = { url, method: 'GET', mostBytes: 1_000, answerMs: 2_000 }
  expect(await fetchFrom(env, outgoing, async () => false)).toEqual({ fault: 'withheld', isHanded: false })
  expect(receiver.posted).toEqual([])
})
