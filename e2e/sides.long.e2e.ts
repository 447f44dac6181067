import { expect, type Page } from '@playwright/test'
import { createGroup, updateGroup } from '#contract/directory/groups.ts'
import { createInvitation } from '#contract/directory/invitations.ts'
import { listOrganizations } from '#contract/directory/organizations.ts'
import { createUser, readUser, updateUser } from '#contract/directory/users.ts'
import { unique } from '#server/testing/unique.ts'
import { accept, newOrganization, type Client } from './client.ts'
import { axeFaults, fitsAcross, press, rowAct, rowMenu, wear } from './console.ts'
import { test as shared } from './shared.ts'

type World = {
  page: Page
  sue: Client
  orgId: string
  /** Of Ada, Grace, Katherine and Mary. */
  ids: string[]
  /** Of the only group. */
  groupId: string
}

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const { client: sue, orgId } = await newOrganization(product, 'Sides Toys')
    const params = { orgId }
    const ids: string[] = []
    for (const name of ['Ada Byron', 'Grace Hopper', 'Katherine Johnson', 'Mary Jackson'])
      ids.push((await sue.call(createUser, { params, body: bodyOf(name) })).id)
    const { id: groupId } = await sue.call(createGroup, { params, body: { name: 'Day shift' } })
    await use({ page: await open(sue), sue, orgId, ids, groupId })
  },
})

const bodyOf = (name: string, more: object = {}) => ({
  name,
  email: `${name.replaceAll(' ', '.').toLowerCase()}@sides.example`,
  ...more,
})
async function list({ page, orgId }: World, search: string): Promise<void> {
  await page.goto(`/organizations/${orgId}/dashboard?${search}`)
  // Keys mean something as soon as the rows are there.
  await expect(page.getByRole('rowheader').first()).toBeVisible()
}
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })
const panel = (page: Page) => page.getByRole('dialog', { name: /^(Edit |Add |New )/ })
const field = (page: Page, label: string) => panel(page).getByLabel(label, { exact: true })
const edit = (page: Page, name: string) => rowAct(page, name, 'Edit')

test('a row is edited over its list: order, selection and focus stay, and the change can be undone', async ({
  world,
}) => {
  const { page, sue, orgId, ids } = world
  await list(world, 'tab=users&sort=-name')
  await row(page, 'Grace Hopper').getByRole('checkbox').check()
  await edit(page, 'Katherine Johnson')
  await expect(field(page, 'Name')).toBeFocused()
  await expect(page).toHaveURL(new RegExp(`sort=-name&form=${ids[2]}`))
  expect(await axeFaults(page)).toEqual([])
  await field(page, 'Phone optional').fill('+49 30 1111')
  await field(page, 'Name').fill('Katherine Goble')
  await press(page, 'Save changes')
  await expect(panel(page)).toHaveCount(0)
  await expect(row(page, 'Katherine Goble')).toBeVisible()
  await expect(rowMenu(page, 'Katherine Goble')).toBeFocused()
  await expect(page).toHaveURL(/sort=-name$/)
  await expect(row(page, 'Grace Hopper').getByRole('checkbox')).toBeChecked()
  await page.getByText('Katherine Goble was saved.').hover()
  await press(page, 'Undo')
  await expect(page.getByText('Katherine Goble is as before.')).toBeVisible()
  await expect(row(page, 'Katherine Johnson')).toBeVisible()
  const params = { orgId, userId: ids[2] ?? '' }
  expect(await sue.call(readUser, { params })).toMatchObject({ name: 'Katherine Johnson', phone: null })
})

test('what somebody else has changed since is not undone', async ({ world }) => {
  const { page, sue, orgId, ids } = world
  await list(world, 'tab=users')
  await edit(page, 'Mary Jackson')
  await field(page, 'Phone optional').fill('+49 30 2222')
  await press(page, 'Save changes')
  const saved = page.getByText('Mary Jackson was saved.')
  await expect(saved).toBeVisible()
  await saved.hover()
  const params = { orgId, userId: ids[3] ?? '' }
  await sue.call(updateUser, { params, body: bodyOf('Mary Jackson', { phone: '+49 30 3333' }) })
  await press(page, 'Undo')
  await expect(
    page.getByText('Mary Jackson was changed again meanwhile, and stays as it is now.'),
  ).toBeVisible()
  expect(await sue.call(readUser, { params })).toMatchObject({ phone: '+49 30 3333' })
})

test('the key e opens the row in focus, the help lists it, and Back asks before typed text is left', async ({
  world,
}) => {
  const { page } = world
  await list(world, 'tab=users')
  await row(page, 'Ada Byron').getByRole('checkbox').focus()
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog')).toContainText('Edit the row that has the focus')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await row(page, 'Ada Byron').getByRole('checkbox').focus()
  await page.keyboard.press('e')
  await expect(field(page, 'Name')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(panel(page)).toHaveCount(0)
  await expect(row(page, 'Ada Byron').getByRole('checkbox')).toBeFocused()
  await page.keyboard.press('e')
  await field(page, 'Name').fill('Ada Lovelace')
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  for (const leave of [
    () => page.keyboard.press('Escape'),
    () => page.goBack(),
    () => press(page, 'Close the form'),
    () => panel(page).getByRole('link', { name: 'Open as a page' }).click(),
  ]) {
    await leave()
    await expect(question).toBeVisible()
    await press(page, 'Stay')
    await expect(field(page, 'Name')).toHaveValue('Ada Lovelace')
  }
  await page.goBack()
  await press(page, 'Leave without saving')
  await expect(panel(page)).toHaveCount(0)
  await expect(page).toHaveURL(/dashboard\?tab=users$/)
  // What was typed waits as a draft.
  await edit(page, 'Ada Byron')
  await expect(field(page, 'Name')).toHaveValue('Ada Lovelace')
  await press(page, 'Discard')
  await expect(field(page, 'Name')).toHaveValue('Ada Byron')
})

test('a row that leaves its list gives the focus to the one that takes its place', async ({ world }) => {
  const { page } = world
  await list(world, 'tab=users&state=active')
  await edit(page, 'Grace Hopper')
  await panel(page).getByRole('radio', { name: 'Disabled' }).check()
  await press(page, 'Save changes')
  await expect(row(page, 'Grace Hopper')).toHaveCount(0)
  await expect(rowMenu(page, 'Katherine Johnson')).toBeFocused()
  // Nobody is invited or signed in again by an undo.
  await expect(page.getByText('Grace Hopper was saved.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Undo' })).toHaveCount(0)
})

test('a link opens the form, a wrong one says so, and closing shows the list', async ({ world }) => {
  const { page, ids } = world
  await list(world, `tab=users&form=${ids[0]}`)
  await expect(field(page, 'Name')).toHaveValue('Ada Byron')
  await expect(field(page, 'Name')).toBeFocused()
  await press(page, 'Close the form')
  await expect(page).toHaveURL(/dashboard\?tab=users$/)
  await expect(rowMenu(page, 'Ada Byron')).toBeFocused()
  await list(world, 'tab=users&form=01890000-0000-7000-8000-000000000000')
  await expect(page.getByRole('dialog', { name: 'Nothing to edit' })).toContainText('does not exist')
})

test('two who edit one group are brought together in the panel as on the page', async ({ world }) => {
  const { page, sue, orgId, groupId } = world
  await list(world, 'tab=groups')
  await edit(page, 'Day shift')
  await field(page, 'Description optional').fill('From six to two')
  await sue.call(updateGroup, {
    params: { orgId, groupId },
    body: { name: 'Early shift', description: null },
  })
  await press(page, 'Save changes')
  await expect(panel(page).getByRole('region', { name: 'Changed meanwhile' })).toBeFocused()
  await expect(panel(page)).toContainText('Name: now “Early shift”. It is in the form.')
  await press(page, 'Save changes')
  await expect(row(page, 'Early shift')).toContainText('From six to two')
  // The step back to the list would end the way to the next page.
  await expect(panel(page)).toHaveCount(0)
})

test('one person after another is added over the list, and what is wrong is named first', async ({
  world,
}) => {
  const { page } = world
  await list(world, 'tab=users')
  await page.keyboard.press('n')
  await expect(field(page, 'Name')).toBeFocused()
  await press(page, 'Add a person')
  await expect(panel(page).locator('[data-error-summary]')).toBeFocused()
  await field(page, 'Name').fill('Dorothy Vaughan')
  await field(page, 'Email').fill('dorothy@sides.example')
  await press(page, 'Save and add another')
  await expect(panel(page).getByRole('status').first()).toHaveText('Dorothy Vaughan was added.')
  await expect(field(page, 'Name')).toBeFocused()
  await expect(field(page, 'Name')).toHaveValue('')
  await field(page, 'Name').fill('Annie Easley')
  await field(page, 'Email').fill('annie@sides.example')
  await page.keyboard.press('Enter')
  await expect(panel(page)).toHaveCount(0)
  await expect(row(page, 'Annie Easley')).toBeVisible()
  await expect(row(page, 'Dorothy Vaughan')).toBeVisible()
})

test('groups and organizations are added over their lists, too', async ({ world }) => {
  const { page, sue } = world
  await list(world, 'tab=groups')
  await page.keyboard.press('n')
  await field(page, 'Name').fill('Night shift')
  await press(page, 'Add a group')
  await expect(row(page, 'Night shift')).toBeVisible()
  await press(page, 'Choose members')
  await expect(page.getByRole('heading', { level: 1, name: 'Night shift' })).toBeVisible()

  const wingtip = `Wingtip ${unique()}`
  await page.goto('/organizations?sort=-name')
  await expect(page.getByRole('rowheader').first()).toBeVisible()
  await page.keyboard.press('n')
  await field(page, 'Name').fill(wingtip)
  await press(page, 'Save and add another')
  await expect(panel(page).getByRole('status').first()).toHaveText(`${wingtip} was created.`)
  await press(page, 'Cancel')
  await expect(row(page, wingtip)).toBeVisible()
  await edit(page, wingtip)
  await field(page, 'Domain optional').fill('wingtip.example')
  await press(page, 'Save changes')
  await expect(panel(page)).toHaveCount(0)
  const { items } = await sue.call(listOrganizations, { query: { q: wingtip } })
  expect(items).toEqual([expect.objectContaining({ name: wingtip, domain: 'wingtip.example' })])
})

test('on a phone the form has the whole screen, in both themes without a fault', async ({ world }) => {
  const { page, ids } = world
  await page.setViewportSize({ width: 390, height: 844 })
  for (const theme of ['light', 'dark']) {
    await list(world, `tab=users&form=${ids[0]}`)
    await wear(page, { theme })
    await expect(field(page, 'Name')).toBeVisible()
    await expect.poll(async () => (await panel(page).boundingBox())?.width).toBe(390)
    await fitsAcross(page)
    expect(await axeFaults(page)).toEqual([])
  }
})

test('who administers groups edits them here, and nobody else', async ({ shared: product, world, open }) => {
  const { sue, orgId, ids, groupId } = world
  const email = `gil-${unique()}@sides.example`
  await sue.call(createInvitation, {
    body: { organizationId: orgId, email, role: 'groupadmin', groupIds: [groupId] },
  })
  const page = await open(await accept(product, sue, { email, name: 'Gil' }))
  await list({ ...world, page }, `tab=users&form=${ids[0]}`)
  await expect(page.getByRole('rowheader', { name: 'Gil' })).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await list({ ...world, page }, 'tab=groups')
  await edit(page, 'Day shift')
  await expect(field(page, 'Name')).toBeFocused()
})
