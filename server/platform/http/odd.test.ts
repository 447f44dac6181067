import type { InjectOptions } from 'fastify'
import { expect, test } from 'vitest'
import { api } from '#contract/api.ts'
import { createUser, readUser, updateUser } from '#contract/directory/users.ts'
import { isFine, openAsking } from '../../testing/odd/odd-calls.ts'
import { atLimit, beyondNumbers, days, isRefused, placesOf, type Place } from '../../testing/odd/odd.ts'
import { aServer } from '../../testing/worlds.ts'
import { startPlay } from '../../tracking/ingest/token.ts'
import { signMedia } from './pages/media-link.ts'

const server = await aServer()
const asking = await openAsking(server)
const admin = await server.person('admin', asking.facts.orgId)

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

test('no page outside of the API takes an odd address, form or cookie for a fault of ours', async () => {
  const { videoId, versionId } = asking.facts
  const { token } = startPlay(server.services.keys, {
    org: asking.facts.orgId,
    video: videoId,
    version: versionId,
    durMs: 60_000,
    kind: 'recipient',
    userId: asking.facts.userId,
    maxRate: 2,
    theta: 0.9,
  })
  const media = signMedia(server.services.keys, {
    organizationId: asking.facts.orgId,
    videoId,
    versionId,
    seconds: 60,
  })
  const odd = [
    '%00',
    'a%00b',
    '%ED%A0%BD',
    '%F0%9F%98%80',
    '%0D%0A',
    '%C2%85',
    'x'.repeat(43),
    'x'.repeat(3_000),
    `${token}%00`,
  ]
  const addresses = (by: string) => [
    ...['/w/me', '/w/unsubscribe'].flatMap((page) => [
      `${page}?d=${by}`,
      `${page}?d=${by}&d=${by}`,
      `${page}?language=${by}`,
    ]),
    ...['d', 'preview', 'language'].map((name) => `/w/video/${videoId}?${name}=${by}`),
    `/w/video/${by}`,
    `/verify?language=${by}`,
    `/verify?save=${by}`,
    `/${by}`,
    `/assets/${by}`,
    `/api/${by}`,
    `/m/${by}/${videoId}/${versionId}/a.ts`,
    `/m/${media}/${videoId}/${versionId}/${by}.ts`,
    `/m/${media}/${videoId}/${versionId}/v/${by}.m3u8`,
  ]
  let count = 0
  const ask = async (options: InjectOptions) => {
    count += 1
    const { statusCode } = await server.app.inject(options)
    expect([options.method, options.url, options.payload, statusCode < 500]).toEqual([
      options.method,
      options.url,
      options.payload,
      true,
    ])
  }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const by of odd) {
    for (const url of addresses(by)) await ask({ method: 'GET', url })
    for (const page of ['code', 'open', 'pin', 'confirm', 'forget'])
      for (const name of ['d', 'flow', 'code', 'video', 'obligation'])
        await ask({
          method: 'POST',
          url: `/w/me/${page}`,
          headers: form,
          payload: `${name}=${by}&${name}=${by}`,
        })
    for (const url of ['/w/unsubscribe', '/w/unsubscribe/undo'])
      await ask({ method: 'POST', url: `${url}?d=${by}`, headers: form, payload: by })
    for (const method of ['HEAD', 'PATCH'] as const)
      await ask({
        method,
        url: `/api/uploads/${by}`,
        headers: {
          authorization: `Bearer ${admin.token}`,
          'upload-metadata': `filename ${by}`,
          'upload-offset': by,
        },
      })
    for (const cookie of [`device=${by}`, `language=${by}`, `__Host-device=${by}`])
      await ask({ method: 'GET', url: '/w/me', headers: { cookie } })
  }
  expect(count).toBeGreaterThan(400)
})
