import { afterAll, beforeAll, expect, test } from 'vitest'
import { api } from '#contract/api.ts'
import { createUser, readUser, updateUser } from '#contract/users.ts'
import { isFine, openAsking, type Asking } from '../../testing/odd-calls.ts'
import { atLimit, beyondNumbers, days, isRefused, placesOf, type Place } from '../../testing/odd.ts'
import { startTestServer, type Person, type TestServer } from '../../testing/server.ts'

let server: TestServer
let asking: Asking
let admin: Person
beforeAll(async () => {
  server = await startTestServer()
  asking = await openAsking(server)
  admin = await server.person('admin', asking.facts.orgId)
})
afterAll(() => server.close())

/** One of each kind; the rest is asked in `odd.long.test.ts`. */
function fewFor({ kind, most }: Place, n: number): unknown[] {
  if (kind === 'text') return [n % 2 === 0 ? 'a\0b' : 'a\uD83Db', n % 3 === 0 ? atLimit(most)[1] : 'a\u0007b']
  if (kind === 'day' || kind === 'instant')
    return [days[n % days.length], `${days[n % days.length]}T00:00:00Z`]
  return kind === 'number' ? [n % 2 === 0 ? 2 ** 53 : beyondNumbers] : []
}

test('of every field of every call, text that cannot be kept is refused by its name, and nothing odd is a fault of ours', async () => {
  for (const endpoint of api)
    for (const part of ['query', 'body'] as const) {
      const schema = endpoint[part]
      if (!schema) continue
      const input = await asking.begin(endpoint)
      const places = [...placesOf(schema, { value: input[part], field: '' })]
      for (const [n, place] of places.entries())
        for (const by of fewFor(place, n)) {
          if (part === 'query' && !String(by).isWellFormed()) continue
          const sent = { ...input, [part]: { ...input[part], ...(place.put(by) as object) } }
          const answer = await asking.ask(endpoint, sent)
          const about = [endpoint.name, place.path.join('.'), by]
          const isWanted = !endpoint.dropsUnknown && isRefused(place, by)
          const isRight = isFine(answer, isWanted ? place : undefined)
          expect([...about, answer.status, answer.problem?.fields, isRight]).toEqual([
            ...about,
            answer.status,
            answer.problem?.fields,
            true,
          ])
        }
    }
  expect(asking.count).toBeGreaterThan(800)
}, 120_000)

test('a name of whole signs is kept as it is up to the limit, and one of earlier times is read and can be mended', async () => {
  const { orgId } = asking.facts
  const name = `${'x'.repeat(198)}😀`
  const made = await admin.call(createUser, {
    params: { orgId },
    body: { name, email: 'signs@example.test', groupIds: [] },
  })
  expect([made.status, made.body.name]).toEqual([201, name])
  const params = { orgId, userId: made.body.id }
  await server.services.db.system.query(`update users set name = E'Ada\\u0007\\nLovelace' where id = $1`, [
    made.body.id,
  ])
  const read = await admin.call(readUser, { params })
  expect([read.status, read.body.name]).toEqual([200, 'Ada\u0007\nLovelace'])
  const put = (given: string) =>
    admin.call(updateUser, { params, body: { name: given, email: 'signs@example.test', phone: '1' } })
  expect((await put(read.body.name)).problem?.fields).toEqual({ name: ['hidden_characters'] })
  expect((await put('Ada Lovelace')).status).toBe(200)
})
