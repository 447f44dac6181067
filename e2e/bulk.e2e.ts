import { expect, type Page } from '@playwright/test'
import { createUser, listUsers } from '#contract/directory/users.ts'
import { newOrganization, type Client } from './client.ts'
import { axeFaults, fitsAcross, rowAct } from './console.ts'
import { openDatabase } from './database.ts'
import { test as shared } from './shared.ts'

type World = { page: Page; client: Client; orgId: string }

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const { client, orgId } = await newOrganization(product, 'Crowded')
    const productDatabase = await openDatabase(product)
    await productDatabase.query(
      `insert into users (organization_id, name, email)
        select $1, 'Guest ' || lpad(n::text, 3, '0'), 'guest-' || n || '@bulk.test' from generate_series(1, 300) n`,
      [orgId],
    )
    await productDatabase.close()
    await use({ page: await open(client), client, orgId })
  },
})

const list = (orgId: string) => `/organizations/${orgId}/dashboard?tab=users`
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })
const dialog = (page: Page) => page.getByRole('dialog')
const bar = (page: Page) => page.getByRole('region', { name: 'Selection' })
const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true })
const dock = (page: Page) => page.locator('article[data-operation]')
const count = async (client: Client, orgId: string, state: 'active' | 'disabled') =>
  (await client.call(listUsers, { params: { orgId }, query: { state } })).total

test('selects over pages and orders, and forgets with another filter', async ({ world: { page, orgId } }) => {
  await page.goto(list(orgId))
  await box(page, 'Guest 003').check()
  await box(page, 'Guest 006').click({ modifiers: ['Shift'] })
  await expect(bar(page)).toContainText('4 selected')
  await button(page, 'Next page').click()
  await expect(box(page, 'Guest 026')).not.toBeChecked()
  await box(page, 'Guest 026').check()
  await expect(bar(page)).toContainText('5 selected')
  await button(page, 'Previous page').click()
  await expect(box(page, 'Guest 004')).toBeChecked()
  await page.getByRole('searchbox', { name: 'Search people' }).fill('guest')
  await expect(bar(page)).toHaveCount(0)
  await expect(box(page, 'Guest 004')).not.toBeChecked()
})

test('writes to those who are selected: picked ones, all that a search finds, and everybody but a few', async ({
  world: { page, client, orgId },
}) => {
  const written = async () => {
    await button(page, 'Write to them').click()
    await expect(page).toHaveURL(/transmissions\/[^/]+\/edit/)
  }
  await page.goto(list(orgId))
  await box(page, 'Guest 003').check()
  await box(page, 'Guest 005').check()
  await written()
  await expect(page.getByText('2 people get it')).toBeVisible()
  await expect(page.getByText('Guest 003, Guest 005')).toBeVisible()
  const { total } = await client.call(listUsers, { params: { orgId }, query: { q: 'guest 1' } })
  expect(total).toBeGreaterThan(100)
  await page.goto(`${list(orgId)}&q=guest%201`)
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
  await button(page, `Select all ${total} matching`).click()
  await written()
  await expect(page.getByText(`${total} people get it`)).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await page.goto(list(orgId))
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
  await button(page, 'Select all 300 matching').click()
  await box(page, 'Guest 002').uncheck()
  await expect(bar(page)).toContainText('299 selected')
  await written()
  await expect(page.getByText('299 people get it')).toBeVisible()
  await expect(page.getByText('1 left out: your exceptions')).toBeVisible()
})

test(
  'disables all 300 over twelve pages, shows the progress after a reload, and takes it back',
  { tag: '@long' },
  async ({ world: { page, client, orgId } }) => {
    await page.goto(list(orgId))
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
    await button(page, 'Select all 300 matching').click()
    await box(page, 'Guest 002').uncheck()
    await expect(bar(page)).toContainText('299 selected')
    await button(page, 'Disable').click()
    await expect(dialog(page)).toContainText('299 people will be disabled.')
    expect(await axeFaults(page)).toEqual([])
    await button(page, 'Disable 299 people').click()
    await expect(bar(page)).toHaveCount(0)
    await page.reload()
    await expect(dock(page)).toContainText('299 changed')
    await expect.poll(() => count(client, orgId, 'disabled')).toBe(299)
    await expect(page.getByRole('row', { name: /Guest 001/ })).toContainText('Disabled')
    expect(await axeFaults(page)).toEqual([])
    await dock(page).getByRole('link', { name: 'See results' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Disabled 299 people' })).toBeFocused()
    await expect(page.getByRole('row', { name: /Guest 001/ })).toContainText('Changed')
    const undone = page.getByRole('combobox', { name: 'Undo' })
    await expect(undone).toHaveCount(0)
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('main').getByRole('button', { name: 'Undo' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Undone: disabled 299 people' })).toBeVisible()
    await expect(undone).toBeVisible()
    expect(await count(client, orgId, 'active')).toBe(300)
    await page.getByRole('button', { name: 'Put this away' }).click()
    await expect(dock(page)).toHaveCount(0)
  },
)

test('says who stays as they are, and offers nothing where nobody would change', async ({
  world: { page, orgId },
}) => {
  await page.goto(list(orgId))
  await box(page, 'Guest 001').check()
  await button(page, 'Enable').click()
  await expect(dialog(page)).toContainText('0 people will be enabled. 1 stays unchanged:')
  await expect(dialog(page)).toContainText('Active already.')
  await expect(dialog(page).getByRole('button', { name: /Enable/ })).toHaveCount(0)
  await button(page, 'Close').click()
})

test(
  'removes one with what it means spelled out, and brings them back from Recently removed',
  { tag: '@long' },
  async ({ world: { page, client, orgId } }) => {
    const body = { name: 'Ada Lovelace', email: 'ada@bulk.test' }
    await client.call(createUser, { params: { orgId }, body })
    await page.goto(`${list(orgId)}&q=ada`)
    await rowAct(page, 'Ada Lovelace', 'Remove')
    await expect(dialog(page)).toContainText('They received no message and watched nothing.')
    await expect(dialog(page)).toContainText('for 30 days under their name, in which this can be undone')
    expect(await axeFaults(page)).toEqual([])
    await button(page, 'Remove person').click()
    await expect(page.getByText('Nobody matches')).toBeVisible()
    await page.goto('/settings')
    await page.getByRole('link', { name: 'Recently removed' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Recently removed' })).toBeVisible()
    const row = page.getByRole('row', { name: /Removed Ada Lovelace/ })
    await expect(row).toContainText('30 days')
    await expect(row).toContainText('Sue Perior')
    expect(await axeFaults(page)).toEqual([])
    await button(page, 'Undo: Removed Ada Lovelace').click()
    await expect(dock(page)).toContainText('1 undone')
    await expect(page.getByText('Nothing to undo')).toBeVisible()
    await expect(page.getByRole('paragraph').filter({ hasText: 'can be brought back' })).toBeVisible()
    await page.goto(`${list(orgId)}&q=ada`)
    await expect(page.getByRole('rowheader', { name: 'Ada Lovelace' })).toBeVisible()
    await rowAct(page, 'Ada Lovelace', 'Remove')
    await button(page, 'Remove person').click()
    await page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Undo' }).click()
    await expect(page.getByRole('rowheader', { name: 'Ada Lovelace' })).toBeVisible()
  },
)

test('an outcome is told once, over other pages and reloads, waits for whoever reads it, and goes', async ({
  world: { page, orgId },
}) => {
  await page.clock.install()
  const removeAndUndo = async () => {
    await page.goto(`${list(orgId)}&q=guest%20100`)
    await rowAct(page, 'Guest 100', 'Remove')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove person' }).click()
    await page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Undo' }).click()
    await expect(dock(page)).toContainText('Undone: removed Guest 100')
    await expect(dock(page)).toContainText('1 undone')
  }
  await removeAndUndo()
  await dock(page).hover()
  await page.clock.runFor(60_000)
  await expect(dock(page)).toBeVisible()
  await page.mouse.move(600, 300)
  await page.clock.runFor(10_000)
  await expect(dock(page)).toHaveCount(0)

  await removeAndUndo()
  await page.mouse.move(600, 300)
  await page.clock.runFor(3_000)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
  await expect(dock(page)).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
  await page.clock.runFor(7_000)
  await expect(dock(page)).toHaveCount(0)
})

test('the keyboard alone selects and removes', async ({ world: { page, orgId } }) => {
  await page.goto(`${list(orgId)}&q=guest%2029`)
  await box(page, 'Guest 290').focus()
  await page.keyboard.press('Space')
  await box(page, 'Guest 292').focus()
  await page.keyboard.press('Shift+Space')
  await expect(bar(page)).toContainText('3 selected')
  await bar(page).getByRole('button', { name: 'Remove' }).focus()
  await page.keyboard.press('Enter')
  await expect(dialog(page)).toContainText('3 people will be removed.')
  await expect(dialog(page)).toContainText('Guest 290, Guest 291, and Guest 292')
  await page.keyboard.press('Tab')
  await expect(button(page, 'Remove 3 people')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await expect(box(page, 'Guest 290')).toHaveCount(0)
  const here = page.getByRole('main').getByRole('region', { name: 'Begun here' })
  await expect(here).toContainText('3 removed')
  await expect(here.getByRole('button', { name: 'Undo' })).toBeVisible()
})

test('nothing scrolls sideways on a phone', { tag: '@long' }, async ({ world: { page, orgId } }) => {
  // What fades in beside the list does not have its colours at once.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(list(orgId))
  await box(page, 'Guest 001').check()
  await fitsAcross(page)
  expect(await axeFaults(page)).toEqual([])
  await page.goto('/recently-removed')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.locator('main [data-part=bone]')).toHaveCount(0)
  await fitsAcross(page)
  expect(await axeFaults(page)).toEqual([])
})
