import { expect, type Page } from '@playwright/test'
import { createGroup, updateGroup } from '#contract/directory/groups.ts'
import { createUser } from '#contract/directory/users.ts'
import { firstSuperadmin, newOrganization, type Client } from './client.ts'
import { axeFaults, press, pressMore, rowAct } from './console.ts'
import { onProductOf, test as shared } from './shared.ts'

type World = { page: Page; client: Client; orgId: string }

/** The page shows an organization with nobody in it. */
const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const { client, orgId } = await newOrganization(product, 'Tailspin Toys')
    const page = await open(client)
    await page.goto(`/organizations/${orgId}/dashboard`)
    await use({ page, client, orgId })
  },
})

const addPerson = ({ client, orgId }: World, name: string) =>
  client.call(createUser, {
    params: { orgId },
    body: { name, email: `${name.split(' ')[0]?.toLowerCase()}@tailspin.example` },
  })

const addGroup = async ({ client, orgId }: World, name: string) =>
  (await client.call(createGroup, { params: { orgId }, body: { name } })).id

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const go = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).first().click()
const name = (page: Page) => page.getByLabel('Name', { exact: true })
const tab = (page: Page, label: string) =>
  page.getByRole('navigation', { name: 'People and groups' }).getByRole('link', { name: label })

onProductOf()(
  'creates an organization, names what is wrong, and warns before typed text is lost',
  async ({ shared: product, open }) => {
    const page = await open(await firstSuperadmin(product))
    await page.goto('/organizations')
    await expect(page.getByText('No organization yet')).toBeVisible()
    await go(page, 'Add an organization')
    await expect(page.getByRole('dialog', { name: 'Add an organization' })).toBeVisible()
    await page.getByRole('link', { name: 'Open as a page' }).click()
    await expect(heading(page, 'Add an organization')).toBeFocused()
    await press(page, 'Add an organization')
    await expect(page.locator('[data-error-summary]')).toBeFocused()
    await expect(page.getByText('Please fill this in.').first()).toBeVisible()
    expect(await axeFaults(page)).toEqual([])
    await name(page).fill('Tailspin Toys')
    await go(page, 'Dashboard')
    await expect(page.getByRole('dialog')).toContainText('Leave without saving?')
    await press(page, 'Stay')
    await press(page, 'Add an organization')
    await expect(heading(page, 'Tailspin Toys')).toBeVisible()
    expect(await axeFaults(page)).toEqual([])
  },
)

test('an organization with nobody in it offers to add somebody, and to import people', async ({
  world: { page },
}) => {
  await tab(page, 'People').click()
  await expect(page.getByRole('heading', { name: 'Nobody here yet' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Add a person' })).toHaveCount(2)
  await go(page, 'Import people')
  await expect(heading(page, 'Import people')).toBeFocused()
  await page.goBack()
  await tab(page, 'Overview').click()
})

test('adds a recipient and a group administrator, and says when an email is taken', async ({
  world: { page },
}) => {
  await go(page, 'Add a person')
  await name(page).fill('Margaret Hamilton')
  await page.getByLabel('Email').fill('margaret@tailspin.example')
  await press(page, 'Add a person')
  await expect(page.getByRole('rowheader', { name: 'Margaret Hamilton' })).toBeVisible()
  await go(page, 'Add a person')
  await name(page).fill('Katherine Johnson')
  await page.getByLabel('Email').fill('margaret@tailspin.example')
  await press(page, 'Add a person')
  await expect(page.getByText('This is taken already.').first()).toBeVisible()
  await page.getByLabel('Email').fill('katherine@tailspin.example')
  await page.getByRole('radio', { name: 'Group administrator' }).check()
  await press(page, 'Add a person')
  await expect(page.getByRole('row', { name: /Katherine Johnson/ })).toContainText('Invited')
})

test('creates a group, finds a user for it, and takes them out again', async ({ world }) => {
  const { page } = world
  await addPerson(world, 'Margaret Hamilton')
  await tab(page, 'Groups').click()
  await expect(page.locator('[aria-current=page]', { hasText: /^(People|Groups) \d/ })).toHaveText([
    'Groups 0',
  ])
  await go(page, 'Add a group')
  await name(page).fill('Apollo')
  await press(page, 'Add a group')
  await press(page, 'Choose members')
  await expect(heading(page, 'Apollo')).toBeVisible()
  await page.getByRole('combobox', { name: 'Add people' }).fill('marg')
  await page.getByRole('option', { name: /Margaret/ }).click()
  await page.keyboard.press('Escape')
  await press(page, 'Add 1 person')
  await expect(page.getByRole('heading', { name: 'Members (1)' })).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await rowAct(page, 'Margaret Hamilton', 'Take out of the group')
  expect(await axeFaults(page)).toEqual([])
  await press(page, 'Take out')
  await expect(page.getByText('Nobody is in this group yet')).toBeVisible()
})

test('lets the second of two editors choose whose version stays', async ({ world }) => {
  const { page, client, orgId } = world
  const groupId = await addGroup(world, 'Apollo')
  /** What a second administrator does meanwhile. */
  const renameElsewhere = (title: string) =>
    client.call(updateGroup, { params: { orgId, groupId }, body: { name: title } })
  await page.goto(`/organizations/${orgId}/groups/${groupId}/edit`)
  await page
    .getByRole('navigation', { name: 'Group', exact: true })
    .getByRole('link', { name: 'Details' })
    .click()
  await renameElsewhere('Apollo 11')
  await name(page).fill('Mine')
  await press(page, 'Save changes')
  await page.getByRole('radio', { name: 'Take theirs' }).check()
  await expect(name(page)).toHaveValue('Apollo 11')
  await renameElsewhere('Apollo 12')
  await name(page).fill('Mine')
  await press(page, 'Save changes')
  await expect(page.getByRole('region', { name: 'Changed meanwhile' })).toContainText('Apollo 12')
  await page.getByRole('radio', { name: 'Keep mine' }).check()
  await press(page, 'Save changes')
  await expect(page.getByRole('rowheader', { name: 'Mine' })).toBeVisible()
  await rowAct(page, 'Mine', 'Edit')
  await page.getByLabel('Description').fill('Saved once more, with no false alarm')
  await press(page, 'Save changes')
  await expect(page.getByRole('row', { name: /no false alarm/ })).toBeVisible()
})

test('asks by name before it removes, and keeps search and order in the address', async ({ world }) => {
  const { page, orgId } = world
  for (const person of ['Margaret Hamilton', 'Katherine Johnson']) await addPerson(world, person)
  await addGroup(world, 'Mine')
  await page.goto(`/organizations/${orgId}/dashboard?tab=groups`)
  await rowAct(page, 'Mine', 'Remove')
  await expect(page.getByRole('dialog')).toContainText('Remove Mine?')
  await press(page, 'Remove group')
  await expect(page.getByText('No group yet')).toBeVisible()
  await tab(page, 'People').click()
  await page.getByRole('button', { name: 'Email', exact: true }).click()
  await page.getByRole('searchbox', { name: 'Search people' }).fill('margaret')
  await expect(page).toHaveURL(/q=margaret/)
  await expect(page).toHaveURL(/sort=email/)
  await page.reload()
  await expect(page.getByRole('searchbox', { name: 'Search people' })).toHaveValue('margaret')
  await expect(page.getByRole('columnheader', { name: 'Email' })).toHaveAttribute('aria-sort', 'ascending')
  await expect(page.getByRole('rowheader')).toContainText(['Margaret Hamilton'])
  await rowAct(page, 'Margaret Hamilton', 'Edit')
  await go(page, 'Open as a page')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Margaret Hamilton')
  await pressMore(page, 'Remove person')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove person' }).click()
  await expect(page.getByRole('row', { name: /Katherine Johnson/ })).toBeVisible()
})
