import { afterAll, beforeAll, expect, test } from 'vitest'
import { api } from '#contract/api.ts'
import type { EndpointDefinition } from '#contract/endpoint.ts'
import { cut } from '#contract/platform/text/text.ts'
import { isFine, openAsking, type Asking } from '../../testing/odd/odd-calls.ts'
import { isRefused, oddFor, placesOf, type Place } from '../../testing/odd/odd.ts'
import { startTestServer, type TestServer } from '../../testing/server.ts'
import { encodeCursor } from './lists/paging.ts'

let server: TestServer
let asking: Asking
beforeAll(async () => {
  server = await startTestServer()
  asking = await openAsking(server)
})
afterAll(async () => {
  console.log(`${asking.count} odd requests were answered, none by a fault of ours`)
  await server.close()
})

const named = (endpoints: readonly EndpointDefinition[]) => endpoints.map((one) => [one.name, one] as const)
const described = ({ path }: Place, by: unknown) => `${path.join('.')}: ${cut(JSON.stringify(by) ?? '', 60)}`

test.each(named(api.filter(({ body }) => body)))(
  '%s answers odd values of each field as mistakes of the sender, and names those that cannot be kept',
  async (_name, endpoint) => {
    if (!endpoint.body) return
    const { params = {}, query = {}, body } = await asking.begin(endpoint)
    for (const place of placesOf(endpoint.body, { value: body, field: '' }))
      for (const by of oddFor(place)) {
        const answer = await asking.ask(endpoint, { params, query, body: place.put(by) })
        const isWanted = !endpoint.dropsUnknown && isRefused(place, by)
        expect([described(place, by), answer, isFine(answer, isWanted ? place : undefined)]).toEqual([
          described(place, by),
          answer,
          true,
        ])
      }
  },
)

test.each(named(api.filter(({ query }) => query)))(
  '%s answers odd values of each parameter as mistakes of the sender',
  async (_name, endpoint) => {
    if (!endpoint.query) return
    const { params = {}, query = {}, body } = await asking.begin(endpoint)
    for (const place of placesOf(endpoint.query, { value: query, field: '' }))
      for (const by of oddFor(place)) {
        const sent = place.put(by) as Record<string, unknown>
        const answer = await asking.ask(endpoint, { params, query: { ...query, ...sent }, body })
        // Of half a pair there are only bytes in an address.
        const isWanted = !endpoint.dropsUnknown && isRefused(place, by) && String(by).isWellFormed()
        expect([described(place, by), answer, isFine(answer, isWanted ? place : undefined)]).toEqual([
          described(place, by),
          answer,
          true,
        ])
      }
  },
)

/** Positions in a list that nobody was given. */
const keys = [
  '0000-01-01',
  '+275760-09-13T00:00:00.000Z',
  '-000001-01-01T00:00:00Z',
  '275760',
  '9999-12-31',
  '-infinity',
  'NaN',
  '1e999',
  '1e-400',
  '0x10',
  ' ',
  '',
  '\0',
  '\uD83D',
  2 ** 53,
  null,
]
/** Whatever a list is sorted by. */
const sortsOf = (endpoint: EndpointDefinition) => {
  const { sort } = (endpoint.query as unknown as { shape: { sort?: { _zod: { values?: Set<string> } } } })
    .shape
  return [...(sort?._zod.values ?? [undefined])]
}

test.each(named(api.filter(({ query }) => query && 'shape' in query && 'after' in (query.shape as object))))(
  '%s takes no position that nobody was given for a fault of ours',
  async (_name, endpoint) => {
    const { params = {}, query = {} } = await asking.begin(endpoint)
    for (const sort of sortsOf(endpoint))
      for (const key of keys)
        for (const id of [asking.facts.userId, '\0']) {
          const sent = { ...query, ...(sort && { sort }), after: encodeCursor([key, id]) }
          const answer = await asking.ask(endpoint, { params, query: sent })
          expect([sort, key, id, answer.status < 500]).toEqual([sort, key, id, true])
        }
  },
)

const inAddress = [
  '%00',
  'a%00b',
  '%ED%A0%BD',
  '%F0%9F%98%80',
  'a%0D%0Ab',
  '%C2%85',
  '%E2%80%AE',
  'x'.repeat(400),
]

test.each(named(api.filter(({ path }) => path.includes(':'))))(
  '%s takes no odd part of its address for a fault of ours',
  async (_name, endpoint) => {
    const { params = {}, query = {}, body } = await asking.begin(endpoint)
    for (const name of Object.keys(params))
      for (const by of inAddress) {
        const answer = await asking.ask(endpoint, { params: { ...params, [name]: by }, query, body })
        expect([name, by, answer.status < 500]).toEqual([name, by, true])
      }
  },
)

const headers = ['idempotency-key', 'user-agent', 'if-match', 'x-auth-flow', 'accept-language', 'traceparent']

test.each(named(api.filter(({ method }) => method === 'POST' || method === 'PUT')))(
  '%s takes no odd header for a fault of ours',
  async (_name, endpoint) => {
    const { params = {}, query = {}, body } = await asking.begin(endpoint)
    for (const header of headers)
      for (const by of ['\u0085é\u009B', 'x'.repeat(5_000), 'de;q=1e999,\u00FF;q=NaN']) {
        const answer = await asking.ask(endpoint, { params, query, body, headers: { [header]: by } })
        expect([header, by, answer.status < 500]).toEqual([header, by, true])
      }
  },
)

test('whoever has sent all this is still there, and so is everything else', async () => {
  expect(asking.count).toBeGreaterThan(30_000)
  const superadmin = await server.person('superadmin')
  expect((await superadmin.send('GET', `/api/organizations/${asking.facts.orgId}`)).status).toBe(200)
})
