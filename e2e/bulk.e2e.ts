import { expect, type Page } from '@playwright/test'
import { createOrganization } from '#contract/organizations.ts'
import { createUser, listUsers } from '#contract/users.ts'
import { newSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross, rowAct, signedIn } from './console.ts'
import { openDatabase } from './database.ts'
import type { Product } from './product.ts'
import { test } from './shared.ts'

let product: Product
let client: Client
let page: Page
let orgId: string

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser, shared }) => {
  product = shared
  client = await newSuperadmin(product)
  orgId = (await client.call(createOrganization, { body: { name: 'Crowded' } })).id
  const productDatabase = await openDatabase(product)
  await productDatabase.query(
    `insert into users (organization_id, name, email)
      select $1, 'Guest ' || lpad(n::text, 3, '0'), 'guest-' || n || '@bulk.test' from generate_series(1, 300) n`,
    [orgId],
  )
  await productDatabase.close()
  page = await signedIn(browser, product, client)
})

test.afterAll(async () => {
  await page.close()
})

const list = () => `${product.url}/organizations/${orgId}/dashboard?tab=users`
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
const dialog = () => page.getByRole('dialog')
const bar = () => page.getByRole('region', { name: 'Selection' })
const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true })
const dock = () => page.locator('article[data-operation]')
const count = async (state: 'active' | 'disabled') =>
  (await client.call(listUsers, { params: { orgId }, query: { state } })).total

test('selects over pages and orders, and forgets with another filter', async () => {
  await page.goto(list())
  await box('Guest 003').check()
  await box('Guest 006').click({ modifiers: ['Shift'] })
  await expect(bar()).toContainText('4 selected')
  await button('Next page').click()
  await expect(box('Guest 026')).not.toBeChecked()
  await box('Guest 026').check()
  await expect(bar()).toContainText('5 selected')
  await button('Previous page').click()
  await expect(box('Guest 004')).toBeChecked()
  await page.getByRole('searchbox', { name: 'Search people' }).fill('guest')
  await expect(bar()).toHaveCount(0)
  await expect(box('Guest 004')).not.toBeChecked()
})

test('writes to those who are selected: picked ones, all that a search finds, and everybody but a few', async () => {
  const written = async () => {
    await button('Write to them').click()
    await expect(page).toHaveURL(/transmissions\/[^/]+\/edit/)
  }
  await page.goto(list())
  await box('Guest 003').check()
  await box('Guest 005').check()
  await written()
  await expect(page.getByText('2 people get it')).toBeVisible()
  await expect(page.getByText('Guest 003, Guest 005')).toBeVisible()
  const { total } = await client.call(listUsers, { params: { orgId }, query: { q: 'guest 1' } })
  expect(total).toBeGreaterThan(100)
  await page.goto(`${list()}&q=guest%201`)
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
  await button(`Select all ${total} matching`).click()
  await written()
  await expect(page.getByText(`${total} people get it`)).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await page.goto(list())
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
  await button('Select all 300 matching').click()
  await box('Guest 002').uncheck()
  await expect(bar()).toContainText('299 selected')
  await written()
  await expect(page.getByText('299 people get it')).toBeVisible()
  await expect(page.getByText('1 left out: your exceptions')).toBeVisible()
})

test('disables all 300 over twelve pages, shows the progress after a reload, and takes it back', async () => {
  await page.goto(list())
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
  await button('Select all 300 matching').click()
  await box('Guest 002').uncheck()
  await expect(bar()).toContainText('299 selected')
  await button('Disable').click()
  await expect(dialog()).toContainText('299 people will be disabled.')
  expect(await axeFaults(page)).toEqual([])
  await button('Disable 299 people').click()
  await expect(bar()).toHaveCount(0)
  await page.reload()
  await expect(dock()).toContainText('299 changed')
  await expect.poll(() => count('disabled')).toBe(299)
  await expect(page.getByRole('row', { name: /Guest 001/ })).toContainText('Disabled')
  expect(await axeFaults(page)).toEqual([])
  await dock().getByRole('link', { name: 'See results' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Disabled 299 people' })).toBeFocused()
  await expect(page.getByRole('row', { name: /Guest 001/ })).toContainText('Changed')
  const undone = page.getByRole('combobox', { name: 'Undo' })
  await expect(undone).toHaveCount(0)
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('main').getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Undone: disabled 299 people' })).toBeVisible()
  await expect(undone).toBeVisible()
  expect(await count('active')).toBe(300)
  await page.getByRole('button', { name: 'Put this away' }).click()
  await expect(dock()).toHaveCount(0)
})

test('says who stays as they are, and offers nothing where nobody would change', async () => {
  await page.goto(list())
  await box('Guest 001').check()
  await button('Enable').click()
  await expect(dialog()).toContainText('0 people will be enabled. 1 stays unchanged:')
  await expect(dialog()).toContainText('Active already.')
  await expect(dialog().getByRole('button', { name: /Enable/ })).toHaveCount(0)
  await button('Close').click()
})

test('removes one with what it means spelled out, and brings them back from Recently removed', async () => {
  const body = { name: 'Ada Lovelace', email: 'ada@bulk.test' }
  await client.call(createUser, { params: { orgId }, body })
  await page.goto(`${list()}&q=ada`)
  await rowAct(page, 'Ada Lovelace', 'Remove')
  await expect(dialog()).toContainText('They received no message and watched nothing.')
  await expect(dialog()).toContainText('for 30 days under their name, in which this can be undone')
  expect(await axeFaults(page)).toEqual([])
  await button('Remove person').click()
  await expect(page.getByText('Nobody matches')).toBeVisible()
  await page.goto(`${product.url}/settings`)
  await page.getByRole('link', { name: 'Recently removed' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Recently removed' })).toBeVisible()
  const row = page.getByRole('row', { name: /Removed Ada Lovelace/ })
  await expect(row).toContainText('30 days')
  await expect(row).toContainText('Sue Perior')
  expect(await axeFaults(page)).toEqual([])
  await button('Undo: Removed Ada Lovelace').click()
  await expect(dock()).toContainText('1 undone')
  await expect(page.getByText('Nothing to undo')).toBeVisible()
  await expect(page.getByRole('paragraph').filter({ hasText: 'can be brought back' })).toBeVisible()
  await page.goto(`${list()}&q=ada`)
  await expect(page.getByRole('rowheader', { name: 'Ada Lovelace' })).toBeVisible()
  await rowAct(page, 'Ada Lovelace', 'Remove')
  await button('Remove person').click()
  await page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('rowheader', { name: 'Ada Lovelace' })).toBeVisible()
})

test('an outcome is told once, over other pages and reloads, waits for whoever reads it, and goes', async ({
  browser,
}) => {
  const own = await signedIn(browser, product, client)
  await own.clock.install()
  const undone = own.locator('article[data-operation]')
  const removeAndUndo = async () => {
    await own.goto(`${list()}&q=guest%20100`)
    await rowAct(own, 'Guest 100', 'Remove')
    await own.getByRole('dialog').getByRole('button', { name: 'Remove person' }).click()
    await own.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Undo' }).click()
    await expect(undone).toContainText('Undone: removed Guest 100')
    await expect(undone).toContainText('1 undone')
  }
  await removeAndUndo()
  await undone.hover()
  await own.clock.runFor(60_000)
  await expect(undone).toBeVisible()
  await own.mouse.move(600, 300)
  await own.clock.runFor(10_000)
  await expect(undone).toHaveCount(0)

  await removeAndUndo()
  await own.mouse.move(600, 300)
  await own.clock.runFor(3_000)
  await own.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).click()
  await expect(own.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
  await expect(undone).toBeVisible()
  await own.reload()
  await expect(own.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
  await own.clock.runFor(7_000)
  await expect(undone).toHaveCount(0)
  await own.context().close()
})

test('the keyboard alone selects and removes', async () => {
  await page.goto(`${list()}&q=guest%2029`)
  await box('Guest 290').focus()
  await page.keyboard.press('Space')
  await box('Guest 292').focus()
  await page.keyboard.press('Shift+Space')
  await expect(bar()).toContainText('3 selected')
  await bar().getByRole('button', { name: 'Remove' }).focus()
  await page.keyboard.press('Enter')
  await expect(dialog()).toContainText('3 people will be removed.')
  await expect(dialog()).toContainText('Guest 290, Guest 291, and Guest 292')
  await page.keyboard.press('Tab')
  await expect(button('Remove 3 people')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await expect(box('Guest 290')).toHaveCount(0)
  const here = page.getByRole('main').getByRole('region', { name: 'Begun here' })
  await expect(here).toContainText('3 removed')
  await expect(here.getByRole('button', { name: 'Undo' })).toBeVisible()
})

test('nothing scrolls sideways on a phone', { tag: '@long' }, async () => {
  // What fades in beside the list does not have its colours at once.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(list())
  await box('Guest 001').check()
  await fitsAcross(page)
  expect(await axeFaults(page)).toEqual([])
  await page.goto(`${product.url}/recently-removed`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.locator('main [data-part=bone]')).toHaveCount(0)
  await fitsAcross(page)
  expect(await axeFaults(page)).toEqual([])
})
