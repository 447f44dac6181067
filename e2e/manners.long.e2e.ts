import { expect, type Page } from '@playwright/test'
import { createUser } from '#contract/directory/users.ts'
import { unique } from '#server/testing/unique.ts'
import { newOrganization } from './client.ts'
import { axeFaults, fitsAcross, listOption, rowAct, rowMenu } from './console.ts'
import { test as shared } from './shared.ts'

type World = { page: Page; orgId: string; orgName: string }

/** The page shows the people of the organization. */
const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const orgName = `Manners ${unique()}`
    const { client, orgId } = await newOrganization(product, orgName)
    for (const name of ['Ada Lovelace', 'Grace Hopper', 'Annie Easley']) {
      const email = `${name.split(' ')[0]?.toLowerCase()}@manners.example`
      await client.call(createUser, { params: { orgId }, body: { name, email } })
    }
    const page = await open(client)
    await showPeople(page, orgId)
    await use({ page, orgId, orgName })
  },
})

const go = async (page: Page, path: string) => {
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}
async function showPeople(page: Page, orgId: string): Promise<void> {
  await go(page, `/organizations/${orgId}/dashboard?tab=users`)
  await expect(page.getByRole('rowheader', { name: 'Ada Lovelace' })).toBeVisible()
}
const heads = (page: Page) => page.locator('thead th:not([data-part=select])').allInnerTexts()
const rowHeight = (page: Page) =>
  page
    .getByRole('row', { name: /Ada Lovelace/ })
    .evaluate((row) => Math.round(row.getBoundingClientRect().height))
const options = (page: Page) => page.getByRole('button', { name: 'List options' })
const panel = (page: Page) => page.getByRole('dialog', { name: 'View of the table' })
const help = (page: Page) => page.getByRole('dialog', { name: 'Keyboard shortcuts' })

test('rows are as high as their reader likes, in every table and after a reload', async ({
  world: { page, orgId },
}) => {
  await expect.poll(() => rowHeight(page)).toBe(44)
  await listOption(page, 'Columns and density')
  await expect(panel(page)).toBeFocused()
  expect(await axeFaults(page)).toEqual([])
  await panel(page).getByLabel('Wide').check()
  await expect.poll(() => rowHeight(page)).toBe(52)
  await panel(page).getByLabel('Compact').check()
  await expect.poll(() => rowHeight(page)).toBe(32)
  await page.reload()
  await expect.poll(() => rowHeight(page)).toBe(32)
  const other = await page.context().newPage()
  await other.goto('/organizations')
  await listOption(other, 'Columns and density')
  await other.getByLabel('Normal').check()
  // The address of a page says how it looks; one that says nothing follows the last choice.
  expect(await rowHeight(page)).toBe(32)
  await showPeople(page, orgId)
  await expect.poll(() => rowHeight(page)).toBe(44)
})

test('what stands above a list takes one line of a window of 1366 px', async ({ world: { page } }) => {
  const bar = await page.getByRole('toolbar', { name: 'Filters' }).boundingBox()
  expect(bar?.height).toBeLessThan(48)
})

test('columns are left out and moved by keyboard, stay so, and come back', async ({
  world: { page, orgId, orgName },
}) => {
  const before = await heads(page)
  expect(before.slice(0, 4)).toEqual(['Name', 'Email', 'Role', 'State'])
  await listOption(page, 'Columns and density')
  await panel(page).getByRole('checkbox', { name: 'Role' }).uncheck()
  const up = panel(page).getByRole('button', { name: 'Move State up' })
  await up.focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await expect(up).toBeFocused()
  await expect(panel(page).getByRole('status')).toHaveText('State is now number 1 of 8.')
  await expect(up).toHaveAccessibleDescription('This is the first')
  await expect.poll(() => heads(page)).toEqual(['Name', 'State', 'Email', ...before.slice(4)])
  await page.keyboard.press('Escape')
  await expect(panel(page)).toBeHidden()
  await expect(options(page)).toBeFocused()
  await page.reload()
  await expect.poll(() => heads(page)).toEqual(['Name', 'State', 'Email', ...before.slice(4)])
  // Of one row every column is drawn, however many organizations other tests have made.
  await go(page, `/organizations?q=${orgName}`)
  await expect.poll(async () => (await heads(page)).slice(0, 2)).toEqual(['Name', 'State'])
  await showPeople(page, orgId)
  await listOption(page, 'Columns and density')
  await panel(page).getByRole('button', { name: 'Reset' }).click()
  await expect.poll(() => heads(page)).toEqual(before)
})

test('on a small phone the panel lies inside the page', async ({ world: { page, orgId } }) => {
  await page.setViewportSize({ width: 320, height: 640 })
  await showPeople(page, orgId)
  await listOption(page, 'Columns and density')
  await expect(panel(page)).toBeVisible()
  const box = await panel(page).boundingBox()
  expect(box?.x).toBeGreaterThanOrEqual(0)
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(320)
  await fitsAcross(page)
  expect(await axeFaults(page)).toEqual([])
})

test('keys lead to pages, to the search and to what the page creates', async ({ world: { page } }) => {
  await page.keyboard.press('g')
  await page.keyboard.press('o')
  await page.waitForURL('**/organizations')
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await page.keyboard.press('/')
  const field = page.getByRole('combobox', { name: /^Search Organizations/ })
  await expect(field).toBeFocused()
  await page.keyboard.type('gdn?')
  await expect(field).toHaveValue('gdn?')
  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('Control+g')
  await page.keyboard.press('d')
  await page.keyboard.press('n')
  await page.waitForURL('**/organizations?form=new')
  await page.keyboard.press('Escape')
})

test('the list of keys opens, says what they do, and gives the focus back', async ({ world: { page } }) => {
  await options(page).focus()
  await page.keyboard.press('?')
  await expect(help(page)).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await page.keyboard.press('g')
  await page.keyboard.press('s')
  await page.keyboard.press('Escape')
  await expect(help(page)).toBeHidden()
  await expect(options(page)).toBeFocused()
  await page.waitForURL('**/dashboard?*')
})

test('single keys can be switched off for good, and on again', async ({ world: { page } }) => {
  await page.keyboard.press('?')
  // The only key that this page has of its own.
  await expect(help(page)).toContainText('Edit the row that has the focus')
  await help(page).getByRole('switch').uncheck()
  await help(page).getByRole('button', { name: 'Close' }).click()
  await page.reload()
  await expect(page.getByRole('rowheader', { name: 'Ada Lovelace' })).toBeVisible()
  await page.keyboard.press('n')
  await page.keyboard.press('?')
  await expect(help(page)).toBeHidden()
  await go(page, '/settings')
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
  await help(page).getByRole('switch').check()
  await help(page).getByRole('button', { name: 'Close' }).click()
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  await page.waitForURL('**/dashboard')
})

test('after a dialog the focus is where it was, or on the row that took its place', async ({
  world: { page },
}) => {
  const remove = (name: string) => rowAct(page, name, 'Remove')
  await remove('Annie Easley')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await expect(rowMenu(page, 'Annie Easley')).toBeFocused()
  await remove('Annie Easley')
  await page.keyboard.press('Escape')
  await expect(rowMenu(page, 'Annie Easley')).toBeFocused()
  await remove('Annie Easley')
  await page.getByRole('button', { name: 'Remove person' }).click()
  await expect(page.getByRole('rowheader', { name: 'Annie Easley' })).toBeHidden()
  await expect(rowMenu(page, 'Grace Hopper')).toBeFocused()
})

test('on paper there are a date and all columns, and nothing to press', async ({ world: { page } }) => {
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByText(/^Sendreel, \w+ \d/)).toBeVisible()
  for (const control of ['List options', 'Logout', 'Actions for Ada Lovelace'])
    await expect(page.getByRole('button', { name: control, exact: true })).toBeHidden()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeHidden()
  await expect(page.getByRole('combobox', { name: /^Search Organizations/ })).toBeHidden()
  await page.setViewportSize({ width: 700, height: 1000 })
  await expect(page.getByRole('columnheader', { name: 'Last in console' })).toBeVisible()
})

test('read from right to left, nothing runs over the edge', async ({ world: { page, orgId } }) => {
  for (const path of [
    `/organizations/${orgId}/dashboard`,
    `/organizations/${orgId}/dashboard?tab=users`,
    `/organizations/${orgId}/users/create`,
    '/dashboard',
  ]) {
    await go(page, path)
    await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'))
    for (const width of [320, 1366]) {
      await page.setViewportSize({ width, height: 800 })
      await fitsAcross(page)
      // The way down to the page stands before its title.
      const heading = await page.locator('main [data-part=crumbs] a, main h1').first().boundingBox()
      // Forms, with their heads, stand in the middle of the page.
      const head = await page.locator('main > header').boundingBox()
      expect((heading?.x ?? 0) + (heading?.width ?? 0)).toBeGreaterThan(
        (head?.x ?? 0) + (head?.width ?? 0) - 40,
      )
    }
  }
})
