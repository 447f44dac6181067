import { expect, test } from 'vitest'
import { api, endpointsByRoom } from '#contract/api.ts'
import { eventTypes } from '#contract/events/event-types.ts'
import { aServer } from '../testing/worlds.ts'

const server = await aServer({ PUBLIC_URL: 'https://films.test' })

async function pageAt(url: string) {
  const { statusCode, headers, body } = await server.app.inject({ url })
  return { status: statusCode, headers, body }
}

const hrefsIn = (body: string) => [...body.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href)
const first = await pageAt('/api/docs')
const pages = [...new Set(hrefsIn(first.body).filter((href) => /^\/api\/docs\/[\w-]+$/.test(href)))]

test('each subject has a page, and each call stands on one of them once', async () => {
  const bodies = await Promise.all(pages.map(async (url) => (await pageAt(url)).body))
  expect(pages.length).toBeGreaterThan(endpointsByRoom.length)
  const drawn = bodies.flatMap((body) =>
    [...body.matchAll(/<section class="call" id="(\w+)"/g)].map(([, name]) => name),
  )
  expect(drawn).toHaveLength(api.length)
  expect(new Set(drawn)).toEqual(new Set(api.map(({ name }) => name)))
})

test('every link leads somewhere', async () => {
  const texts = new Map<string, string>()
  for (const url of ['/api/docs', ...pages]) texts.set(url, (await pageAt(url)).body)
  const wrong: string[] = []
  for (const [url, body] of texts) {
    const ids = [...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(ids.length, url).toBe(new Set(ids).size)
    for (const href of hrefsIn(body)) {
      const [to = '', anchor] = href.split('#')
      if (/^(?:https:|data:|\/api\/(?:docs\/files\/|openapi\.json))/.test(href)) continue
      const target = texts.get(to === '' ? url : to)
      const isThere = target !== undefined && (anchor === undefined || target.includes(` id="${anchor}"`))
      if (!isThere) wrong.push(`${url} -> ${href}`)
    }
  }
  expect(wrong).toEqual([])
})

test('a page runs and styles nothing inline, asks no other host, and may be kept by nobody', async () => {
  for (const url of ['/api/docs', ...pages]) {
    const { status, headers, body } = await pageAt(url)
    expect(status, url).toBe(200)
    expect(body).not.toMatch(/<style|\sstyle=|<script(?![^>]* src="\/api\/docs\/)|\son\w+="/)
    expect(body).not.toMatch(/<(?!a )[^>]*(?:src|href)="(?:https?:)?\/\//)
    expect(String(headers['content-security-policy'])).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; /,
    )
    expect(headers['cache-control']).toBe('no-cache')
  }
})

test('what a page loads is there, by the hash of what it is', async () => {
  const files = [...first.body.matchAll(/(?:href|src)="(\/api\/docs\/files\/[^"]+)"/g)].map(
    ([, url = '']) => url,
  )
  expect(files).toHaveLength(2)
  for (const url of files) {
    const { status, headers } = await pageAt(url)
    expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable'])
  }
  const found = JSON.parse((await pageAt('/api/docs/calls.json')).body) as { href: string }[]
  expect(found).toHaveLength(api.length + eventTypes.length)
  expect(pages).toEqual(expect.arrayContaining(found.map(({ href }) => href.split('#')[0])))
})

test('a call says who may make it, what it takes and answers, what it may be refused with, and how to try it', async () => {
  const { body } = await pageAt('/api/docs/users')
  const call = /<section class="call" id="createUser"[^]*?<\/section>/.exec(body)?.[0] ?? ''
  expect(call).toContain('<b class="post">POST</b> <code>/api/organizations/{orgId}/users</code>')
  expect(call).toContain('superadmins, administrators')
  expect(call).toContain('<code>Idempotency-Key</code>')
  expect(call).toContain('All groups of the person that are chosen by hand;')
  expect(call).toMatch(
    /<code>name<\/code> <span class="must">required<\/span><\/th><td>text<\/td><td>1 to 200 characters</,
  )
  expect(call).toContain('<a href="#User">User</a>')
  expect(call).toContain('<b>409</b> <code>already_exists</code>')
  expect(call).toContain(
    'curl --fail-with-body -sS -X POST &quot;$SENDREEL/api/organizations/$orgId/users&quot;',
  )
  expect(body).toContain('<section class="shape" id="User">')
})

test('the first page tells the address of this installation, and where nothing is it says so', async () => {
  expect(first.body).toContain('export SENDREEL=http://localhost:3000')
  const { status, body } = await pageAt('/api/docs/nothing')
  expect(status).toBe(404)
  expect(body).toContain('There is no such page')
})
