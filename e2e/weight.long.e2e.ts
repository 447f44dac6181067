import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, test, type Page, type Request } from '@playwright/test'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createUser } from '#contract/directory/users.ts'
import { readEntries, readVerifyScript } from '#server/platform/http/pages/built.ts'
import { firstSuperadmin, type Client } from './client.ts'
import { signedIn } from './console.ts'
import { startProduct, type Product } from './product.ts'

let product: Product
let superadmin: Client
let orgId: string

test.beforeAll(async () => {
  // Of its own: pictures of organizations that other files have made would be weighed along.
  product = await startProduct()
  superadmin = await firstSuperadmin(product)
  orgId = (await superadmin.call(createOrganization, { body: { name: 'Weighed' } })).id
  for (const name of people)
    await superadmin.call(createUser, {
      params: { orgId },
      body: { name, email: `${name.toLowerCase().replace(' ', '.')}@weight.test` },
    })
})

test.afterAll(() => product.stop())

/** A page of the list. */
const people = Array.from({ length: 25 }, (_one, number) => `Person ${String.fromCodePoint(65 + number)}`)

/** What each list shows when it has come. */
const lists: [address: () => string, drawn: string][] = [
  [() => '/organizations', 'Weighed'],
  [() => `/organizations/${orgId}/dashboard?tab=users`, 'Person A'],
  [() => `/organizations/${orgId}/dashboard?tab=groups`, 'Add a group'],
  [() => '/content', 'Content'],
  [() => '/transmissions', 'Transmissions'],
]

const built = path.resolve(import.meta.dirname, '../dist/web')

/** What a page fetched before its rows were there; the question that the bell leaves open is no part of it. */
async function weighed(page: Page, address: string, drawn: string) {
  const browserItself = await page.context().newCDPSession(page)
  await browserItself.send('Network.clearBrowserCache')
  const fetched: { name: string; size: number }[] = []
  const waiting: Promise<unknown>[] = []
  const note = (request: Request) => {
    const name = request.url().replace(product.url, '')
    const sizes = request.sizes().then(({ responseBodySize }) => responseBodySize)
    waiting.push(sizes.then((size) => fetched.push({ name, size })))
  }
  page.on('requestfinished', note)
  await page.goto(product.url + address)
  await expect(page.getByRole('main').getByText(drawn).first()).toBeVisible()
  await Promise.all(waiting)
  page.off('requestfinished', note)
  const listing = [address, ...fetched.map(({ name, size }) => `${size} ${name}`)].join('\n')
  const bytesOf = (kind: RegExp) =>
    fetched.filter(({ name }) => kind.test(name)).reduce((sum, { size }) => sum + size, 0)
  return { fetched: fetched.filter(({ name }) => !/\?after=/.test(name)), bytesOf, listing }
}

test('no list needs more than 230 kB of scripts in twenty files, two calls, and twenty-five requests in all', async ({
  browser,
}) => {
  const page = await signedIn(browser, product, superadmin)
  await page.evaluate((id) => localStorage.setItem('working-organization', id), orgId)
  for (const [address, drawn] of lists) {
    const { fetched, bytesOf, listing } = await weighed(page, address(), drawn)
    const scripts = fetched.filter(({ name }) => name.endsWith('.js'))
    expect(bytesOf(/\.js$/), listing).toBeGreaterThan(100_000)
    expect(bytesOf(/\.js$/), listing).toBeLessThanOrEqual(230_000)
    expect(bytesOf(/\.css$/), listing).toBeLessThanOrEqual(18_000)
    expect(bytesOf(/\.woff2$/), listing).toBeLessThanOrEqual(40_000)
    expect(scripts.length, listing).toBeLessThanOrEqual(20)
    expect(fetched.length, listing).toBeLessThanOrEqual(25)
    // What web/first.js asks for is what the page wants, so that nothing is asked for a second time.
    const calls = fetched.filter(({ name }) => name.startsWith('/api/'))
    expect(
      calls.map(({ name }) => name.split('?')[0]),
      listing,
    ).toEqual(['/api/together', '/api/together'])
  }
  await page.context().close()
})

test('dashboards ask for all that they show in two calls, and in few requests', async ({ browser }) => {
  const page = await signedIn(browser, product, superadmin)
  for (const [address, most] of [
    ['/dashboard', 18],
    [`/organizations/${orgId}/dashboard`, 28],
  ] as const) {
    const { fetched, listing } = await weighed(page, address, 'Since the beginning')
    await expect(page.getByRole('status', { name: /^Loading/ })).toHaveCount(0)
    const calls = fetched.filter(({ name }) => name.startsWith('/api/'))
    expect(
      calls.map(({ name }) => name.split('?')[0]),
      listing,
    ).toEqual(['/api/together', '/api/together'])
    expect(fetched.length, listing).toBeLessThanOrEqual(most)
  }
  await page.context().close()
})

test('a list of 25 people has no more than 1,090 elements', async ({ browser }) => {
  const page = await signedIn(browser, product, superadmin)
  await page.goto(`${product.url}/organizations/${orgId}/dashboard?tab=users`)
  await expect(page.locator('main tbody tr')).toHaveCount(25)
  await expect(page.getByRole('main').getByText('Person Y')).toBeVisible()
  expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThanOrEqual(1_090)
  await page.context().close()
})

test('a first answer that cannot be had, or is for another token, is asked for as ever', async ({
  browser,
}) => {
  const page = await signedIn(browser, product, superadmin)
  const calls: string[] = []
  page.on('requestfinished', (request) => calls.push(request.url().replace(product.url, '')))
  await page.route('**/api/together?*', (route) => route.abort())
  await page.goto(`${product.url}/organizations`)
  await expect(page.getByRole('main').getByText('Weighed').first()).toBeVisible()
  expect(calls.some((address) => address.startsWith('/api/organizations?sort=name'))).toBe(true)
  expect(calls).toContain('/api/auth/session')
  await page.unroute('**/api/together?*')
  // The token has ended: the first answers say so, and the page is left for signing in.
  await page.evaluate(() => {
    const stored = JSON.parse(localStorage.getItem('persist:auth') ?? '{}') as object
    localStorage.setItem('persist:auth', JSON.stringify({ ...stored, token: 'x'.repeat(43) }))
  })
  await page.goto(`${product.url}/organizations`)
  await page.waitForURL('**/auth-1/sign-in*')
  await page.context().close()
})

test('a transmission needs no more than 68 kB in sixteen files beside those of all pages', () => {
  const list = readFileSync(path.join(built, '.vite/pages.json'), 'utf8')
  const files = (JSON.parse(list) as Record<string, string[]>)['/transmissions/$transmissionId'] ?? []
  const sizes = files
    .map((one) => path.join(built, one))
    .map((one) => sizeOf(`${one}.br`) ?? sizeOf(one) ?? 0)
  const listing = files.map((one, at) => `${sizes[at]} ${one}`).join('\n')
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  expect(bytes, listing).toBeGreaterThan(5_000)
  expect(bytes, listing).toBeLessThanOrEqual(68_000)
  expect(files.length, listing).toBeLessThanOrEqual(16)
})

test('a page names the files of the tab that it opens with', async () => {
  const namedAt = async (search: string) => {
    const answer = await fetch(`${product.url}/organizations/${crypto.randomUUID()}/dashboard${search}`)
    return [...(await answer.text()).matchAll(/href="\/assets\/(\w+)-[^"]*\.js"/g)].map(([, name]) => name)
  }
  const lists = new Set(['UserList', 'GroupList', 'InvitationList', 'Overview'])
  const listsAt = async (search: string) => (await namedAt(search)).filter((name) => lists.has(name ?? ''))
  expect(await listsAt('?tab=users')).toEqual(['UserList'])
  expect(await listsAt('?tab=groups&group=1')).toEqual(['GroupList'])
  for (const search of ['', '?tab=overview', '?tab=nothing'])
    expect(await listsAt(search)).toEqual(['Overview'])
})

const sizeOf = (file: string) => (existsSync(file) ? statSync(file).size : undefined)

test('a video may be played after 8 kB of scripts in two files, and the page that verifies works alone', () => {
  const entryOf = (name: string) => readEntries()?.get(name) ?? { file: '', imports: [''] }
  const { file, imports } = entryOf('watch')
  const sizes = [file, ...imports].map((one) => statSync(path.join(built, `${one}.br`)).size)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(8_000)
  expect(sizes.length).toBeLessThanOrEqual(2)
  // What is fetched while it plays brings nothing of the console along.
  const ours = new Set(['clock', 'controls', 'recorder', 'words'])
  for (const name of ['controls', 'own', 'quiz', 'receipt']) {
    const names = entryOf(name).imports.map((one) => /^\/assets\/(\w+)-[\w-]{8}\.js$/.exec(one)?.[1] ?? one)
    expect(names).toContain('words')
    expect(names.filter((one) => !ours.has(one))).toEqual([])
  }
  // Its script is written into the page, and saved with it.
  expect(readVerifyScript()).not.toMatch(/\bimport\s*[{("'`]/)
})

test('public pages bring nothing of the console along, and no files import one another in a circle', () => {
  type File = { name?: string; imports?: string[]; dynamicImports?: string[] }
  const files = JSON.parse(readFileSync(path.join(built, '.vite/manifest.json'), 'utf8')) as Record<
    string,
    File
  >
  const walk = (name: string, next: (file: File) => string[], found = new Set<string>()) => {
    for (const one of next(files[name] ?? {})) if (!found.has(one)) walk(one, next, found.add(one))
    return found
  }
  const ofPublicPages = walk('public.html', ({ imports = [], dynamicImports = [] }) =>
    imports.concat(dynamicImports),
  )
  const names = [...ofPublicPages].map((one) => files[one]?.name)
  expect(names).toEqual(expect.arrayContaining(['base', 'late', 'LatePages', 'passkeys']))
  expect(names.filter((name) => ['ui', 'lists', 'figures'].includes(name ?? ''))).toEqual([])
  const circles = Object.keys(files).filter((one) => walk(one, ({ imports = [] }) => imports).has(one))
  expect(circles).toEqual([])
})
