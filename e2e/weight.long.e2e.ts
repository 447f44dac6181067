import { statSync } from 'node:fs'
import path from 'node:path'
import { expect } from '@playwright/test'
import { createOrganization } from '#contract/organizations.ts'
import { createUser } from '#contract/users.ts'
import { readEntries } from '#server/tracking/built.ts'
import { newSuperadmin, type Client } from './client.ts'
import { signedIn } from './console.ts'
import type { Product } from './product.ts'
import { test } from './shared.ts'

let product: Product
let superadmin: Client
let orgId: string

test.beforeAll(async ({ shared }) => {
  product = shared
  superadmin = await newSuperadmin(product)
  orgId = (await superadmin.call(createOrganization, { body: { name: 'Weighed' } })).id
  await superadmin.call(createUser, {
    params: { orgId },
    body: { name: 'Ada Lovelace', email: 'ada@weight.test' },
  })
})

/** What each list shows when it has come. */
const lists: [address: () => string, drawn: string][] = [
  [() => '/organizations?q=Weighed', 'Weighed'],
  [() => `/organizations/${orgId}/dashboard?tab=users`, 'Ada Lovelace'],
  [() => `/organizations/${orgId}/dashboard?tab=groups`, 'Create group'],
  [() => '/content', 'Content'],
  [() => '/transmissions', 'Transmissions'],
]

test('no list fetches more than 200 kB of scripts, in at most twelve files', async ({ browser }) => {
  const page = await signedIn(browser, product, superadmin)
  const scripts: { size: number; name: string }[] = []
  const waiting: Promise<unknown>[] = []
  page.on('requestfinished', (request) => {
    if (!request.url().endsWith('.js')) return
    const sizes = request.sizes().then(({ responseBodySize }) => responseBodySize)
    waiting.push(sizes.then((size) => scripts.push({ size, name: request.url() })))
  })
  for (const [address, drawn] of lists) {
    const browserItself = await page.context().newCDPSession(page)
    await browserItself.send('Network.clearBrowserCache')
    scripts.length = 0
    await page.goto(product.url + address())
    await expect(page.getByRole('main').getByText(drawn).first()).toBeVisible()
    await Promise.all(waiting)
    const kilobytes = scripts.reduce((sum, { size }) => sum + size, 0) / 1000
    const told = [address(), ...scripts.map(({ name, size }) => `${size} ${name}`)].join('\n')
    expect(kilobytes, told).toBeGreaterThan(100)
    expect(kilobytes, told).toBeLessThanOrEqual(200)
    expect(scripts.length, told).toBeLessThanOrEqual(12)
  }
  await page.context().close()
})

test('a video may be played after 8 kB of scripts in two files, and the page that verifies works alone', () => {
  const built = path.resolve(import.meta.dirname, '../dist/web')
  const entryOf = (name: string) => readEntries()?.get(name) ?? { file: '', imports: [''] }
  const { file, imports } = entryOf('watch')
  const sizes = [file, ...imports].map((one) => statSync(path.join(built, `${one}.br`)).size)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(8_000)
  expect(sizes.length).toBeLessThanOrEqual(2)
  // Its script is written into the page, and saved with it.
  expect(entryOf('verify').imports).toEqual([])
})
