import { expect, type Page } from '@playwright/test'
import { createGroup, listGroups, updateGroup } from '#contract/directory/groups.ts'
import { createInvitation } from '#contract/directory/invitations.ts'
import { createOrganization, listOrganizations } from '#contract/directory/organizations.ts'
import { createUser, readUser, updateUser } from '#contract/directory/users.ts'
import { accept, newSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross, rowAct, rowMenu, signedIn, wear } from './console.ts'
import type { Product } from './product.ts'
import { test } from './shared.ts'

let product: Product
let sue: Client
let page: Page
let orgId = ''
const ids: string[] = []

test.beforeAll(async ({ browser, shared }) => {
  product = shared
  sue = await newSuperadmin(product)
  orgId = (await sue.call(createOrganization, { body: { name: 'Sides Toys' } })).id
  for (const name of ['Ada Byron', 'Grace Hopper', 'Katherine Johnson', 'Mary Jackson'])
    ids.push((await sue.call(createUser, { params: { orgId }, body: bodyOf(name) })).id)
  await sue.call(createGroup, { params: { orgId }, body: { name: 'Day shift' } })
  page = await signedIn(browser, product, sue)
})
test.afterAll(async () => {
  await page.context().close()
})

const bodyOf = (name: string, more: object = {}) => ({
  name,
  email: `${name.replaceAll(' ', '.').toLowerCase()}@sides.example`,
  ...more,
})
async function list(search: string, path = `/organizations/${orgId}/dashboard`): Promise<void> {
  await page.goto(`${product.url}${path}?${search}`)
  // Keys mean something as soon as the rows are there.
  await expect(page.getByRole('rowheader').first()).toBeVisible()
}
const row = (name: string) => page.getByRole('row').filter({ hasText: name })
const panel = () => page.getByRole('dialog', { name: /^(Edit |Add |New )/ })
const field = (label: string) => panel().getByLabel(label, { exact: true })
const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
const edit = (name: string) => rowAct(page, name, 'Edit')

test('a row is edited over its list: order, selection and focus stay, and the change can be undone', async () => {
  await list('tab=users&sort=-name')
  await row('Grace Hopper').getByRole('checkbox').check()
  await edit('Katherine Johnson')
  await expect(field('Name')).toBeFocused()
  await expect(page).toHaveURL(new RegExp(`sort=-name&form=${ids[2]}`))
  expect(await axeFaults(page)).toEqual([])
  await field('Phone optional').fill('+49 30 1111')
  await field('Name').fill('Katherine Goble')
  await press('Save changes')
  await expect(panel()).toHaveCount(0)
  await expect(row('Katherine Goble')).toBeVisible()
  await expect(rowMenu(page, 'Katherine Goble')).toBeFocused()
  await expect(page).toHaveURL(/sort=-name$/)
  await expect(row('Grace Hopper').getByRole('checkbox')).toBeChecked()
  await page.getByText('Katherine Goble was saved.').hover()
  await press('Undo')
  await expect(page.getByText('Katherine Goble is as before.')).toBeVisible()
  await expect(row('Katherine Johnson')).toBeVisible()
  const params = { orgId, userId: ids[2] ?? '' }
  expect(await sue.call(readUser, { params })).toMatchObject({ name: 'Katherine Johnson', phone: null })
})

test('what somebody else has changed since is not undone', async () => {
  await list('tab=users')
  await edit('Mary Jackson')
  await field('Phone optional').fill('+49 30 2222')
  await press('Save changes')
  const saved = page.getByText('Mary Jackson was saved.')
  await expect(saved).toBeVisible()
  await saved.hover()
  const params = { orgId, userId: ids[3] ?? '' }
  await sue.call(updateUser, { params, body: bodyOf('Mary Jackson', { phone: '+49 30 3333' }) })
  await press('Undo')
  await expect(
    page.getByText('Mary Jackson was changed again meanwhile, and stays as it is now.'),
  ).toBeVisible()
  expect(await sue.call(readUser, { params })).toMatchObject({ phone: '+49 30 3333' })
})

test('the key e opens the row in focus, the help lists it, and Back asks before typed text is left', async () => {
  await list('tab=users')
  await row('Ada Byron').getByRole('checkbox').focus()
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog')).toContainText('Edit the row that has the focus')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await row('Ada Byron').getByRole('checkbox').focus()
  await page.keyboard.press('e')
  await expect(field('Name')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(panel()).toHaveCount(0)
  await expect(row('Ada Byron').getByRole('checkbox')).toBeFocused()
  await page.keyboard.press('e')
  await field('Name').fill('Ada Lovelace')
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  for (const leave of [
    () => page.keyboard.press('Escape'),
    () => page.goBack(),
    () => press('Close the form'),
    () => panel().getByRole('link', { name: 'Open as a page' }).click(),
  ]) {
    await leave()
    await expect(question).toBeVisible()
    await press('Stay')
    await expect(field('Name')).toHaveValue('Ada Lovelace')
  }
  await page.goBack()
  await press('Leave without saving')
  await expect(panel()).toHaveCount(0)
  await expect(page).toHaveURL(/dashboard\?tab=users$/)
  // What was typed waits as a draft.
  await edit('Ada Byron')
  await expect(field('Name')).toHaveValue('Ada Lovelace')
  await press('Discard')
  await expect(field('Name')).toHaveValue('Ada Byron')
})

test('a row that leaves its list gives the focus to the one that takes its place', async () => {
  await list('tab=users&state=active')
  await edit('Grace Hopper')
  await panel().getByRole('radio', { name: 'Disabled' }).check()
  await press('Save changes')
  await expect(row('Grace Hopper')).toHaveCount(0)
  await expect(rowMenu(page, 'Katherine Johnson')).toBeFocused()
  // Nobody is invited or signed in again by an undo.
  await expect(page.getByText('Grace Hopper was saved.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Undo' })).toHaveCount(0)
})

test('a link opens the form, a wrong one says so, and closing shows the list', async () => {
  await list(`tab=users&form=${ids[0]}`)
  await expect(field('Name')).toHaveValue('Ada Byron')
  await expect(field('Name')).toBeFocused()
  await press('Close the form')
  await expect(page).toHaveURL(/dashboard\?tab=users$/)
  await expect(rowMenu(page, 'Ada Byron')).toBeFocused()
  await list('tab=users&form=01890000-0000-7000-8000-000000000000')
  await expect(page.getByRole('dialog', { name: 'Nothing to edit' })).toContainText('does not exist')
})

test('two who edit one group are brought together in the panel as on the page', async () => {
  await list('tab=groups')
  await edit('Day shift')
  await field('Description optional').fill('From six to two')
  const group = (await sue.call(listGroups, { params: { orgId } })).items[0]
  await sue.call(updateGroup, {
    params: { orgId, groupId: group?.id ?? '' },
    body: { name: 'Early shift', description: null },
  })
  await press('Save changes')
  await expect(panel().getByRole('region', { name: 'Changed meanwhile' })).toBeFocused()
  await expect(panel()).toContainText('Name: now “Early shift”. It is in the form.')
  await press('Save changes')
  await expect(row('Early shift')).toContainText('From six to two')
  // The step back to the list would end the way to the next page.
  await expect(panel()).toHaveCount(0)
})

test('one person after another is added over the list, and what is wrong is named first', async () => {
  await list('tab=users')
  await page.keyboard.press('n')
  await expect(field('Name')).toBeFocused()
  await press('Add a person')
  await expect(panel().locator('[data-error-summary]')).toBeFocused()
  await field('Name').fill('Dorothy Vaughan')
  await field('Email').fill('dorothy@sides.example')
  await press('Save and add another')
  await expect(panel().getByRole('status').first()).toHaveText('Dorothy Vaughan was added.')
  await expect(field('Name')).toBeFocused()
  await expect(field('Name')).toHaveValue('')
  await field('Name').fill('Annie Easley')
  await field('Email').fill('annie@sides.example')
  await page.keyboard.press('Enter')
  await expect(panel()).toHaveCount(0)
  await expect(row('Annie Easley')).toBeVisible()
  await expect(row('Dorothy Vaughan')).toBeVisible()
})

test('groups and organizations are added over their lists, too', async () => {
  await list('tab=groups')
  await page.keyboard.press('n')
  await field('Name').fill('Night shift')
  await press('Add a group')
  await expect(row('Night shift')).toBeVisible()
  await press('Choose members')
  await expect(page.getByRole('heading', { level: 1, name: 'Night shift' })).toBeVisible()
  await list('sort=-name', '/organizations')
  await page.keyboard.press('n')
  await field('Name').fill('Wingtip')
  await press('Save and add another')
  await expect(panel().getByRole('status').first()).toHaveText('Wingtip was created.')
  await press('Cancel')
  await expect(row('Wingtip')).toBeVisible()
  await edit('Wingtip')
  await field('Domain optional').fill('wingtip.example')
  await press('Save changes')
  await expect(panel()).toHaveCount(0)
  const { items } = await sue.call(listOrganizations, { query: { q: 'Wingtip' } })
  expect(items.find(({ name }) => name === 'Wingtip')).toMatchObject({ domain: 'wingtip.example' })
})

test('on a phone the form has the whole screen, in both themes without a fault', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  for (const theme of ['light', 'dark']) {
    await list(`tab=users&form=${ids[0]}`)
    await wear(page, { theme })
    await expect(field('Name')).toBeVisible()
    await expect.poll(async () => (await panel().boundingBox())?.width).toBe(390)
    await fitsAcross(page)
    expect(await axeFaults(page)).toEqual([])
  }
  await page.setViewportSize({ width: 1366, height: 900 })
  await wear(page, {})
})

test('who administers groups edits them here, and nobody else', async ({ browser }) => {
  const groups = (await sue.call(listGroups, { params: { orgId } })).items
  const email = 'gil@sides.example'
  await sue.call(createInvitation, {
    body: {
      organizationId: orgId,
      email,
      role: 'groupadmin',
      groupIds: groups.slice(0, 1).map(({ id }) => id),
    },
  })
  const gil = await accept(product, sue, { email, name: 'Gil' })
  const own = await signedIn(browser, product, gil)
  await own.goto(`${product.url}/organizations/${orgId}/dashboard?tab=users&form=${ids[0]}`)
  await expect(own.getByRole('rowheader', { name: 'Gil' })).toBeVisible()
  await expect(own.getByRole('dialog')).toHaveCount(0)
  await own.goto(`${product.url}/organizations/${orgId}/dashboard?tab=groups`)
  await rowAct(own, /^Actions for /, 'Edit')
  await expect(own.getByRole('dialog', { name: /^Edit / }).getByLabel('Name', { exact: true })).toBeFocused()
  await own.context().close()
})
