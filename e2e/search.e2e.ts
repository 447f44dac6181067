import { expect, type Page, type Request } from '@playwright/test'
import { createGroup, deleteGroup } from '#contract/groups.ts'
import { createOrganization } from '#contract/organizations.ts'
import { createUser } from '#contract/users.ts'
import { newSuperadmin, type Client } from './client.ts'
import { axeFaults, drawn, fitsAcross, signedIn } from './console.ts'
import type { Product } from './product.ts'
import { test } from './shared.ts'

let product: Product
let client: Client
let page: Page
let orgId: string
let userId: string

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser, shared }) => {
  product = shared
  client = await newSuperadmin(product)
  orgId = (await client.call(createOrganization, { body: { name: 'Harbour Works' } })).id
  const person = (name: string, email: string) =>
    client.call(createUser, { params: { orgId }, body: { name, email } })
  userId = (await person('Perpetua Quayle', 'perpetua.quayle@harbour.test')).id
  for (const n of [1, 2, 3, 4, 5, 6, 7]) await person(`Docker ${n}`, `docker${n}@harbour.test`)
  await client.call(createGroup, { params: { orgId }, body: { name: 'Dock crew' } })
  page = await signedIn(browser, product, client)
})

test.afterAll(async () => {
  await page.context().close()
})

const field = () => page.getByRole('combobox', { name: /^Search Organizations/ })
const list = () => page.getByRole('listbox', { name: 'Found' })
const option = (name: string | RegExp) => list().getByRole('option', { name })
const recent = () => list().getByRole('group', { name: 'Recent' }).getByRole('option')
const width = (pixels: number) => page.setViewportSize({ width: pixels, height: 844 })

async function open(path = '/settings'): Promise<void> {
  await page.goto(product.url + path)
  await expect(page.getByRole('heading', { level: 1 })).not.toContainText('Loading')
}

test('the keyboard alone leads from anywhere to the page of a person, and remembers it', async () => {
  await width(1366)
  await open()
  await page.keyboard.press('Control+k')
  await expect(field()).toBeFocused()
  await expect(option(/^Add an organization/)).toBeVisible()
  await page.keyboard.type('quayle')
  await expect(option(/^PQ|^Perpetua Quayle/)).toHaveAttribute('aria-selected', 'true')
  await expect(list().locator('mark').first()).toHaveText('Quayle')
  await expect(page.getByRole('status').filter({ hasText: '1 result: People 1' })).toBeAttached()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/organizations/${orgId}/users/${userId}`)
  await expect(page.getByRole('heading', { level: 1, name: 'Perpetua Quayle' })).toBeFocused()
  await expect(list()).toBeHidden()
  await expect(field()).toHaveValue('')

  await page.keyboard.press('/')
  // Not the page where one is.
  await expect(recent()).toHaveText([/^Settings/])
  await page.keyboard.press('Escape')
  await expect(list()).toBeHidden()
  await expect(field()).toBeFocused()
})

test('what is opened anywhere in the console is offered, the last first, and forgotten when it is gone', async () => {
  const gone = await client.call(createGroup, { params: { orgId }, body: { name: 'Gone crew' } })
  await open(`/organizations/${orgId}/groups/${gone.id}/edit`)
  await open(`/organizations/${orgId}/dashboard`)
  await open(`/organizations/${orgId}/users/${userId}/edit`)
  await open()
  await page.keyboard.press('Control+k')
  await expect(recent()).toHaveText([/Perpetua Quayle/, /Harbour Works/, /Gone crew.*Harbour Works/])
  await client.call(deleteGroup, { params: { orgId, groupId: gone.id } })
  await option(/Gone crew/).click()
  await expect(page.getByRole('link', { name: 'Go to the dashboard' })).toBeVisible()
  await page.keyboard.press('Control+k')
  await expect(recent().first()).toHaveText(/Settings/)
  await expect(option(/Gone crew/)).toHaveCount(0)
})

test('what is called exactly so comes first, and answers that come late are not shown', async () => {
  await open()
  await field().fill('dock crew')
  await expect(list().getByRole('option').first()).toHaveText(/^Dock crew/)
  const late = '**/api/search?q=docker&*'
  let answer = () => {}
  const held = new Promise<void>((resolve) => (answer = resolve))
  const ended = new Promise<void>((resolve) => {
    const end = (request: Request) => request.url().includes('q=docker&') && resolve()
    page.on('requestfinished', end)
    page.on('requestfailed', end)
  })
  await page.route(late, async (route) => {
    await held
    await route.continue().catch(() => undefined)
  })
  await field().fill('docker')
  await page.waitForRequest(late)
  await field().fill('perpetua')
  await expect(option(/Perpetua Quayle/)).toBeVisible()
  answer()
  await ended
  await drawn(page)
  await expect(option(/Docker/)).toHaveCount(0)
  await expect(option(/Perpetua Quayle/)).toBeVisible()
  await page.unroute(late)
  await field().fill('setings')
  await expect(list().getByRole('option')).toHaveText([/^Settings/])
})

test(
  'Enter before the answer waits for it, and does not open what the former words found',
  { tag: '@long' },
  async () => {
    await open()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('docker 3')
    await expect(option(/Docker 3/)).toBeVisible()
    await field().fill('')
    await page.keyboard.type('perpetua')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/organizations/${orgId}/users/${userId}`)
  },
)

test('Enter before the list itself is there opens what it finds, as Enter on the suggestion does', async () => {
  let answer = () => {}
  const held = new Promise<void>((resolve) => (answer = resolve))
  const part = '**/assets/Palette-*.js'
  await page.route(part, async (route) => {
    await held
    await route.continue()
  })
  await open()
  const fetched = page.waitForRequest(part)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('quayle')
  await fetched
  await page.keyboard.press('Enter')
  answer()
  await page.waitForURL(`**/organizations/${orgId}/users/${userId}`)
  await page.unroute(part)
  await expect(field()).toHaveValue('')
})

test('arrows go around, Ctrl with Enter opens a tab of its own', { tag: '@long' }, async () => {
  await open()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('dock')
  const options = list().getByRole('option')
  await expect(options.first()).toHaveAttribute('aria-selected', 'true')
  await expect(options.first()).toHaveText(/Docker 1/)
  await page.keyboard.press('ArrowUp')
  await expect(options.last()).toHaveAttribute('aria-selected', 'true')
  await expect(options.last()).toHaveText('All results for “dock”')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await expect(options.nth(1)).toHaveAttribute('aria-selected', 'true')
  const id = await options.nth(1).getAttribute('id')
  await expect(field()).toHaveAttribute('aria-activedescendant', id ?? '')
  const [tab] = await Promise.all([page.context().waitForEvent('page'), page.keyboard.press('Control+Enter')])
  await expect(tab.getByRole('heading', { level: 1, name: 'Docker 2' })).toBeVisible()
  await tab.close()
  await expect(page).toHaveURL(/\/settings$/)
})

test('slips are forgiven, and pages and actions are found by other words too', async () => {
  await open()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('perpteua qayle')
  await expect(option(/Perpetua Quayle/)).toBeVisible()
  await expect(page.getByText('This comes nearest')).toBeVisible()
  await field().fill('dark th')
  await expect(option(/^Dark theme/)).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('data-bs-theme', 'dark')
  await field().fill('send')
  await option(/^Add a transmission/).click()
  await page.waitForURL('**/transmissions/create')
})

test('an address of the console leads to what it shows', { tag: '@long' }, async () => {
  await open()
  await field().fill(`https://console.example/organizations/${orgId}/users/${userId}/edit`)
  await expect(list().getByRole('option').first()).toHaveText(/Perpetua Quayle/)
  await field().fill(`${product.url}/transmissions`)
  await expect(list().getByRole('option').first()).toHaveText(/^Transmissions/)
})

test(
  'nothing found says what to try, and a server that does not answer can be asked again',
  { tag: '@long' },
  async () => {
    await open()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('zzqqxx')
    await expect(page.getByText('Nothing found for “zzqqxx”')).toBeVisible()
    await page.route('**/api/search?*', (route) => route.fulfill({ status: 503, body: '' }))
    await field().fill('perpetua')
    await expect(page.getByText('The search did not answer.')).toBeVisible()
    await page.unroute('**/api/search?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(option(/Perpetua Quayle/)).toBeVisible()
  },
)

test('the page of all results has a tab for each kind, and its address says what is shown', async () => {
  await open()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('dock')
  await option(/^All results/).click()
  await page.waitForURL('**/search?q=dock')
  await expect(page.getByRole('region', { name: 'People' }).getByRole('listitem')).toHaveCount(5)
  await page.getByRole('link', { name: 'Show all 7 in People' }).click()
  await page.waitForURL('**/search?q=dock&kind=user')
  await expect(page.getByRole('region', { name: 'People' }).getByRole('listitem')).toHaveCount(7)
  await expect(page.getByRole('region', { name: 'Groups' })).toHaveCount(0)
  const tabs = page.getByRole('navigation', { name: 'What is shown' })
  await expect(tabs.locator('[aria-current=page]')).toHaveText('People')
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('link', { name: 'Content', exact: true }).last().click()
  await expect(page.getByText('Nothing found for “dock” in Content')).toBeVisible()
})

test('on a phone it is a sheet of the whole height', { tag: '@long' }, async () => {
  await width(390)
  await open()
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await expect(field()).toBeFocused()
  await page.keyboard.type('dock')
  await expect(option(/Dock crew/)).toBeVisible()
  const edges = async () => {
    const box = await page.locator('#bar-search > :has([role=listbox])').boundingBox()
    return [box?.x, box?.width, Math.round((box?.y ?? 0) + (box?.height ?? 0))]
  }
  await expect.poll(edges).toEqual([0, 390, 844])
  await fitsAcross(page)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect(await axeFaults(page)).toEqual([])
  await page.emulateMedia({ reducedMotion: null })
  await page.keyboard.press('Escape')
  await expect(field()).toBeHidden()
  await expect(page.getByRole('button', { name: 'Search', exact: true })).toBeFocused()
})

test('the list has no faults of accessibility, in light and dark', { tag: '@long' }, async () => {
  await width(1366)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  for (const theme of ['light', 'dark']) {
    await page.evaluate((one) => localStorage.setItem('layout', JSON.stringify({ theme: one })), theme)
    await open()
    await page.keyboard.press('Control+k')
    await expect(list()).toBeVisible()
    expect(await axeFaults(page)).toEqual([])
    await page.keyboard.type('dock')
    await expect(option(/Dock crew/)).toBeVisible()
    expect(await axeFaults(page)).toEqual([])
  }
})

test(
  'what was opened is forgotten when asked to, and when somebody signs out',
  { tag: '@long' },
  async () => {
    const kept = () =>
      page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('visits:')))
    await open()
    await expect.poll(kept).toHaveLength(1)
    await page.keyboard.press('Control+k')
    await page.getByRole('button', { name: 'Forget it' }).click()
    await expect(list().getByRole('group', { name: 'Recent' })).toHaveCount(0)
    expect(await kept()).toEqual([])
    await page.keyboard.type('quayle')
    await option(/Perpetua Quayle/).click()
    await page.waitForURL(`**/users/${userId}`)
    await expect.poll(kept).toHaveLength(1)
    await page.getByRole('button', { name: 'Logout' }).click()
    await page.waitForURL('**/auth-1/sign-in')
    expect(await kept()).toEqual([])
  },
)
