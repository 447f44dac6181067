import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readSession } from '#contract/identity/auth.ts'
import {
  createOrganization,
  listOrganizations,
  updateOrganization,
} from '#contract/directory/organizations.ts'
import { call, follow } from './client.ts'
import { explain } from './errors.ts'
import { overcome } from './retry.ts'
import { session } from './session.ts'

let answer: RequestListener = (_request, response) => response.end()
let server: Server
let port = 0
const realFetch = globalThis.fetch

beforeAll(async () => {
  server = createServer((request, response) => answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
  // Browsers resolve relative addresses against the page; here the page is this server.
  globalThis.fetch = (address, options) =>
    realFetch(`http://127.0.0.1:${port}${typeof address === 'string' ? address : ''}`, options)
})
afterAll(() => {
  globalThis.fetch = realFetch
  server.closeAllConnections()
  server.close()
})
afterEach(() => session.apply({ type: 'signed-out' }))

function json(status: number, body: unknown, headers: Record<string, string> = {}): RequestListener {
  return (_request, response) => {
    response.writeHead(status, {
      'content-type': status < 400 ? 'application/json' : 'application/problem+json',
      ...headers,
    })
    response.end(JSON.stringify(body))
  }
}

const problem = {
  type: 'urn:x',
  title: 'Too many requests. Please wait a moment.',
  status: 429,
  code: 'too_many_requests',
}

describe('every way to fail has its own kind and message', () => {
  test('no server: network', async () => {
    answer = (request) => request.socket.destroy()
    await expect(call(readSession, {})).rejects.toMatchObject({ kind: 'network' })
  })

  test('no answer in time: timeout', async () => {
    answer = () => undefined
    await expect(call(readSession, { timeout: 100 })).rejects.toMatchObject({ kind: 'timeout' })
  })

  test.each([
    ['html in place of json', 200, 'text/html', '<h1>Welcome to the hotel</h1>'],
    ['broken json', 200, 'application/json', '{"user":'],
    ['an error page of a proxy', 502, 'text/html', '<h1>Bad Gateway</h1>'],
    ['json that explains nothing', 500, 'application/json', '{"oops":true}'],
  ])('%s: unparseable', async (...given) => {
    const [, status, type, body] = given
    answer = (_request, response) => response.writeHead(status, { 'content-type': type }).end(body)
    await expect(call(readSession, {})).rejects.toMatchObject({ kind: 'unparseable', status })
  })

  test('an explained refusal: problem, with the waiting time in words', async () => {
    answer = json(429, { ...problem, retryAfter: 30 })
    const error: unknown = await call(readSession, {}).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ kind: 'problem', status: 429, problem: { code: 'too_many_requests' } })
    expect(explain(error)).toEqual({ title: problem.title, detail: 'Try again in 30 seconds.', retry: true })
  })

  test('being called off is no error of the server', async () => {
    answer = () => undefined
    const controller = new AbortController()
    const pending = call(readSession, { signal: controller.signal })
    controller.abort(new Error('left the page'))
    await expect(pending).rejects.toThrow('left the page')
  })
})

describe('what is sent', () => {
  test('address, query without what is empty, bearer and key', async () => {
    const seen: unknown[] = []
    answer = (request, response) => {
      seen.push(
        request.method,
        request.url,
        request.headers.authorization,
        request.headers['idempotency-key'],
      )
      json(201, {})(request, response)
    }
    // Only the token matters here.
    session.apply({ type: 'signed-in', token: 'sr_1', user: {} as never })
    await call(listOrganizations, { query: { q: 'a b', offset: 25 } })
    await call(createOrganization, { body: { name: 'Acme' }, idempotencyKey: 'k1' })
    expect(seen).toEqual([
      'GET',
      '/api/organizations?q=a+b&offset=25',
      'Bearer sr_1',
      undefined,
      'POST',
      '/api/organizations',
      'Bearer sr_1',
      'k1',
    ])
  })

  test('If-Match is the version of the resource that was received', async () => {
    answer = json(200, { id: '1' }, { etag: '"v7"' })
    const received = await call(readSession, {})
    let sent: string | undefined
    answer = (request, response) => {
      sent = request.headers['if-match']
      json(200, {})(request, response)
    }
    await call(updateOrganization, { params: { orgId: '1' }, body: { name: 'Acme' }, ifMatch: received })
    expect(sent).toBe('"v7"')
  })
})

describe('the end of a session', () => {
  const refusal = json(401, { type: 'urn:x', title: 'Please sign in.', status: 401, code: 'unauthenticated' })

  test('an unknown token signs out', async () => {
    session.apply({ type: 'signed-in', token: 'sr_1', user: {} as never })
    answer = refusal
    await expect(call(readSession, {})).rejects.toMatchObject({ status: 401 })
    expect(session.read().isAuthenticated).toBe(false)
    expect(session.hasExpired()).toBe(true)
  })

  test('what an old token was refused is asked for again with the new one', async () => {
    session.apply({ type: 'signed-in', token: 'sr_1', user: {} as never })
    answer = (request, response) => {
      const isOld = request.headers.authorization === 'Bearer sr_1'
      session.apply({ type: 'signed-in', token: 'sr_2', user: {} as never })
      ;(isOld ? refusal : json(200, { user: 'somebody' }))(request, response)
    }
    await expect(call(readSession, {})).resolves.toEqual({ user: 'somebody' })
    expect(session.read().token).toBe('sr_2')
  })

  test('a new token that is refused as well signs out, after one more try and no other', async () => {
    session.apply({ type: 'signed-in', token: 'sr_1', user: {} as never })
    let asked = 0
    answer = (request, response) => {
      asked += 1
      if (asked === 1) session.apply({ type: 'signed-in', token: 'sr_2', user: {} as never })
      refusal(request, response)
    }
    await expect(call(readSession, {})).rejects.toMatchObject({ status: 401 })
    expect(asked).toBe(2)
    expect(session.read().token).toBeNull()
  })
})

describe('a refusal that can be overcome', () => {
  const unproved = json(403, {
    type: 'urn:x',
    title: 'Please confirm that it is you.',
    status: 403,
    code: 'reauthentication_required',
  })

  const refusedOnce = () => {
    let asked = 0
    answer = (request, response) => {
      asked += 1
      ;(asked === 1 ? unproved : json(200, { done: true }))(request, response)
    }
    return () => asked
  }

  test('who proves who they are goes on', async () => {
    const asked = refusedOnce()
    overcome({ prove: async () => true, unlock: () => undefined })
    await expect(call(createOrganization, { body: { name: 'Acme' } })).resolves.toEqual({ done: true })
    expect(asked()).toBe(2)
  })

  test('who would rather not is refused', async () => {
    const asked = refusedOnce()
    overcome({ prove: async () => false, unlock: () => undefined })
    await expect(call(createOrganization, { body: { name: 'Acme' } })).rejects.toMatchObject({
      problem: { code: 'reauthentication_required' },
    })
    expect(asked()).toBe(1)
  })

  test('a locked session leaves for where it is opened', async () => {
    let left = 0
    overcome({ prove: async () => false, unlock: () => (left += 1) })
    answer = json(423, { type: 'urn:x', title: 'Locked.', status: 423, code: 'session_locked' })
    await expect(call(readSession, {})).rejects.toMatchObject({ status: 423 })
    expect(left).toBe(1)
  })
})

describe('next', () => {
  test('a relative address below /api is followed', async () => {
    answer = json(200, { items: [] })
    await expect(follow(listOrganizations, '/api/organizations?after=x')).resolves.toEqual({ items: [] })
  })

  test.each(['https://evil.test/api/x', '//evil.test/api/x', '/apix', '/api/\\evil', 'api/x', '/m/x'])(
    '%s is not followed',
    async (next) => {
      let asked = false
      answer = () => (asked = true)
      await expect(follow(listOrganizations, next)).rejects.toMatchObject({ kind: 'unparseable' })
      expect(asked).toBe(false)
    },
  )
})
