import { expect, test, type Page } from '@playwright/test'
import { listGroups, updateGroup } from '#contract/groups.ts'
import { listOrganizations } from '#contract/organizations.ts'
import { firstSuperadmin, type Client } from './client.ts'
import { axeFaults, pressMore, rowAct, signedIn } from './console.ts'
import { startProduct, type Product } from './product.ts'

let product: Product
let client: Client
let page: Page

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser }) => {
  product = await startProduct()
  client = await firstSuperadmin(product)
  page = await signedIn(browser, product, client)
})

test.afterAll(async () => {
  await page.close()
  await product.stop()
})

const heading = (name: string) => page.getByRole('heading', { level: 1, name })
const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
const go = (name: string) => page.getByRole('link', { name, exact: true }).first().click()
const name = () => page.getByLabel('Name', { exact: true })
const tab = (label: string) =>
  page.getByRole('navigation', { name: 'People and groups' }).getByRole('link', { name: label })

/** No mistake that a checker can find on the page as it stands. */
async function expectAccessible(): Promise<void> {
  expect(await axeFaults(page)).toEqual([])
}

test('creates an organization, names what is wrong, and warns before typed text is lost', async () => {
  await page.goto(`${product.url}/organizations`)
  await expect(page.getByText('No organization yet')).toBeVisible()
  await go('Add an organization')
  await expect(page.getByRole('dialog', { name: 'Add an organization' })).toBeVisible()
  await page.getByRole('link', { name: 'Open as a page' }).click()
  await expect(heading('Add an organization')).toBeFocused()
  await press('Add an organization')
  await expect(page.locator('[data-error-summary]')).toBeFocused()
  await expect(page.getByText('Please fill this in.').first()).toBeVisible()
  await expectAccessible()
  await name().fill('Tailspin Toys')
  await go('Dashboard')
  await expect(page.getByRole('dialog')).toContainText('Leave without saving?')
  await press('Stay')
  await press('Add an organization')
  await expect(heading('Tailspin Toys')).toBeVisible()
  await expectAccessible()
})

test('an organization with nobody in it offers to add somebody, and to import people', async () => {
  await tab('People').click()
  await expect(page.getByRole('heading', { name: 'Nobody here yet' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Add a person' })).toHaveCount(2)
  await go('Import people')
  await expect(heading('Import people')).toBeFocused()
  await page.goBack()
  await tab('Overview').click()
})

test('adds a recipient and a group administrator, and says when an email is taken', async () => {
  await go('Add a person')
  await name().fill('Margaret Hamilton')
  await page.getByLabel('Email').fill('margaret@tailspin.example')
  await press('Add a person')
  await expect(page.getByRole('rowheader', { name: 'Margaret Hamilton' })).toBeVisible()
  await go('Add a person')
  await name().fill('Katherine Johnson')
  await page.getByLabel('Email').fill('margaret@tailspin.example')
  await press('Add a person')
  await expect(page.getByText('This is taken already.').first()).toBeVisible()
  await page.getByLabel('Email').fill('katherine@tailspin.example')
  await page.getByRole('radio', { name: 'Group administrator' }).check()
  await press('Add a person')
  await expect(page.getByRole('row', { name: /Katherine Johnson/ })).toContainText('Invited')
})

test('creates a group, finds a user for it, and takes them out again', async () => {
  await tab('Groups').click()
  await expect(page.locator('[aria-current=page]', { hasText: /^(People|Groups) \d/ })).toHaveText([
    'Groups 0',
  ])
  await go('Add a group')
  await name().fill('Apollo')
  await press('Add a group')
  await press('Choose members')
  await expect(heading('Apollo')).toBeVisible()
  await page.getByRole('combobox', { name: 'Add people' }).fill('marg')
  await page.getByRole('option', { name: /Margaret/ }).click()
  await page.keyboard.press('Escape')
  await press('Add 1 person')
  await expect(page.getByRole('heading', { name: 'Members (1)' })).toBeVisible()
  await expectAccessible()
  await rowAct(page, 'Margaret Hamilton', 'Take out of the group')
  await expectAccessible()
  await press('Take out')
  await expect(page.getByText('Nobody is in this group yet')).toBeVisible()
})

/** What a second administrator does meanwhile. */
async function renameElsewhere(title: string): Promise<void> {
  const organization = (await client.call(listOrganizations)).items[0]
  const params = { orgId: organization?.id ?? '' }
  const group = (await client.call(listGroups, { params })).items[0]
  await client.call(updateGroup, { params: { ...params, groupId: group?.id ?? '' }, body: { name: title } })
}

const groupTab = (label: string) =>
  page.getByRole('navigation', { name: 'Group', exact: true }).getByRole('link', { name: label }).click()

test('lets the second of two editors choose whose version stays', async () => {
  await groupTab('Details')
  await renameElsewhere('Apollo 11')
  await name().fill('Mine')
  await press('Save changes')
  await page.getByRole('radio', { name: 'Take theirs' }).check()
  await expect(name()).toHaveValue('Apollo 11')
  await renameElsewhere('Apollo 12')
  await name().fill('Mine')
  await press('Save changes')
  await expect(page.getByRole('region', { name: 'Changed meanwhile' })).toContainText('Apollo 12')
  await page.getByRole('radio', { name: 'Keep mine' }).check()
  await press('Save changes')
  await expect(page.getByRole('rowheader', { name: 'Mine' })).toBeVisible()
  await rowAct(page, 'Mine', 'Edit')
  await page.getByLabel('Description').fill('Saved once more, with no false alarm')
  await press('Save changes')
  await expect(page.getByRole('row', { name: /no false alarm/ })).toBeVisible()
})

test('asks by name before it removes, and keeps search and order in the address', async () => {
  await rowAct(page, 'Mine', 'Remove')
  await expect(page.getByRole('dialog')).toContainText('Remove Mine?')
  await press('Remove group')
  await expect(page.getByText('No group yet')).toBeVisible()
  await tab('People').click()
  await page.getByRole('button', { name: 'Email', exact: true }).click()
  await page.getByRole('searchbox', { name: 'Search people' }).fill('margaret')
  await expect(page).toHaveURL(/q=margaret/)
  await expect(page).toHaveURL(/sort=email/)
  await page.reload()
  await expect(page.getByRole('searchbox', { name: 'Search people' })).toHaveValue('margaret')
  await expect(page.getByRole('columnheader', { name: 'Email' })).toHaveAttribute('aria-sort', 'ascending')
  await expect(page.getByRole('rowheader')).toContainText(['Margaret Hamilton'])
  await rowAct(page, 'Margaret Hamilton', 'Edit')
  await go('Open as a page')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Margaret Hamilton')
  await pressMore(page, 'Remove person')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove person' }).click()
  await expect(page.getByRole('row', { name: /Katherine Johnson/ })).toBeVisible()
})
