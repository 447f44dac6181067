import { expect, type Page } from '@playwright/test'
import { createUser, listUsers, updateUser } from '#contract/directory/users.ts'
import { newOrganization, type Client } from './client.ts'
import { axeFaults, listOption, rowAct, rowMenu, wear } from './console.ts'
import { test as shared } from './shared.ts'

type World = { page: Page; client: Client; orgId: string }

const names = [
  'Ada Lovelace',
  'Annie Easley',
  'Dorothy Vaughan',
  'Grace Hopper',
  'Mary Jackson',
  'Radia Perlman',
]
const bodyOf = (name: string) => ({ name, email: `${name.split(' ')[0]?.toLowerCase()}@rows.example` })

/** The page shows the list of the people. */
const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const { client, orgId } = await newOrganization(product, 'Rows Toys')
    for (const name of names) await client.call(createUser, { params: { orgId }, body: bodyOf(name) })
    const page = await open(client)
    await page.goto(`/organizations/${orgId}/dashboard?tab=users`)
    await use({ page, client, orgId })
  },
})

const heads = (page: Page) => page.locator('thead th:not([data-part=select])').allInnerTexts()
const uniformLine = (page: Page) => page.locator('[data-part=uniform]')
const rows = (page: Page) => page.locator('tbody tr')

test('what is the same in every row is said once above the list, until a row says something else', async ({
  world: { page, client, orgId },
}) => {
  const search = page.getByRole('searchbox', { name: 'Search people' })
  await expect(uniformLine(page)).toHaveText('6 people, without a role, all active')
  expect(await heads(page)).toEqual(['Name', 'Email', 'Actions'])
  expect(await axeFaults(page)).toEqual([])
  await search.fill('ada')
  await expect(rows(page)).toHaveCount(1)
  await expect(uniformLine(page)).toHaveText('1 of 6, without a role, all active')
  expect(await heads(page)).toEqual(['Name', 'Email', 'Actions'])

  const { items } = await client.call(listUsers, { params: { orgId }, query: { q: 'mary' } })
  const params = { orgId, userId: items[0]?.id ?? '' }
  await client.call(updateUser, { params, body: { ...bodyOf('Mary Jackson'), state: 'disabled' } })
  await search.fill('mar')
  await expect(rows(page)).toContainText(['Disabled'])
  expect(await heads(page)).toEqual(['Name', 'Email', 'State', 'Actions'])
  await search.fill('grace')
  await expect(rows(page)).toContainText(['Grace Hopper'])
  expect(await heads(page)).toEqual(['Name', 'Email', 'State', 'Actions'])
  await expect(uniformLine(page)).toHaveText('1 of 6, without a role')
})

test('whoever chooses columns sees those that are the same in every row, too', async ({
  world: { page },
}) => {
  await listOption(page, 'Columns and density')
  const panel = page.getByRole('dialog', { name: 'View of the table' })
  await expect(panel.getByRole('listitem').filter({ hasText: 'Role' })).toContainText('the same in every row')
  await panel.getByRole('checkbox', { name: 'Groups' }).uncheck()
  expect(await heads(page)).toEqual(['Name', 'Email', 'Role', 'State', 'Last in console', 'Actions'])
  await expect(uniformLine(page)).toHaveCount(0)
  await panel.getByRole('button', { name: 'Reset' }).click()
  await expect.poll(() => heads(page)).toEqual(['Name', 'Email', 'Actions'])
})

test('a row is done something with from one menu, which the keyboard alone walks through', async ({
  world: { page },
}) => {
  const dots = rowMenu(page, 'Annie Easley')
  await dots.focus()
  await page.keyboard.press('Enter')
  const items = page.getByRole('menu', { name: 'Actions for Annie Easley' }).getByRole('menuitem')
  await expect(items).toHaveText(['Edit', 'Remove'])
  await expect(items.first()).toBeFocused()
  for (const theme of ['light', 'dark']) {
    await wear(page, { theme })
    expect(await axeFaults(page)).toEqual([])
  }
  await wear(page, {})
  await page.keyboard.press('ArrowDown')
  await expect(items.last()).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(items.first()).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(items).toHaveCount(0)
  await expect(dots).toBeFocused()
  await dots.click()
  await dots.click()
  await expect(items).toHaveCount(0)
  await rowAct(page, 'Annie Easley', 'Remove')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await expect(dots).toBeFocused()
})

test('a row has one button at its end, large enough for a thumb on a phone, and a page one menu', async ({
  world: { page },
}) => {
  const sizeOf = async () => {
    const { width, height } = (await rowMenu(page, 'Ada Lovelace').boundingBox()) ?? {}
    return [width, height]
  }
  expect(await sizeOf()).toEqual([32, 32])
  await expect(page.locator('tbody td:last-child > :is(button, a)')).toHaveCount(names.length)
  await page.setViewportSize({ width: 390, height: 844 })
  await expect.poll(sizeOf).toEqual([44, 44])
  await expect(page.getByRole('main').getByRole('button', { name: 'List options' })).toBeVisible()
  await expect(page.getByRole('main').getByRole('button', { name: 'More actions' })).toHaveCount(0)
})
