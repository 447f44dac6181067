import { expect, type Page } from '@playwright/test'
import { createField } from '#contract/fields.ts'
import { createGroup, listGroups, type Group } from '#contract/groups.ts'
import { setGroupadmin } from '#contract/members.ts'
import { createOrganization } from '#contract/organizations.ts'
import { createUser, listUsers } from '#contract/users.ts'
import { connectionLock } from '#server/platform/db/locks.ts'
import { accept, newSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross, rowMenu, signedIn } from './console.ts'
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
  orgId = (await client.call(createOrganization, { body: { name: 'Contoso' } })).id
  await client.call(createField, {
    params: { orgId },
    body: { label: 'Department', type: 'text', options: [] },
  })
  for (let n = 1; n <= 50; n += 1) await addPerson(`Person ${String(n).padStart(2, '0')}`)
  page = await signedIn(browser, product, client)
  await page.setViewportSize({ width: 1366, height: 900 })
})

test.afterAll(async () => {
  await page.close()
})

const addPerson = (name: string, department?: string) =>
  client.call(createUser, {
    params: { orgId },
    body: {
      name,
      email: `${name.toLowerCase().replaceAll(' ', '.')}@contoso.example`,
      ...(department === undefined ? {} : { customFields: { department } }),
    },
  })
const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
const tab = (name: string) =>
  page
    .getByRole('navigation', { name: 'Group', exact: true })
    .getByRole('link', { name, exact: true })
    .click()
const groupId = async (name: string) =>
  (await client.call(listGroups, { params: { orgId }, query: { q: name } })).items[0]?.id ?? ''
const openGroup = async (name: string, query = '') =>
  page.goto(`${product.url}/organizations/${orgId}/groups/${await groupId(name)}/edit${query}`)

test('takes a pasted list of sixty lines, and says of each what it means', async () => {
  await client.call(createGroup, { params: { orgId }, body: { name: 'Evening shift' } })
  await openGroup('Evening shift')
  await expect(page.getByText('Nobody is in this group yet')).toBeVisible()
  const known = Array.from(
    { length: 50 },
    (_none, n) => `person.${String(n + 1).padStart(2, '0')}@contoso.example`,
  )
  const strangers = Array.from({ length: 6 }, (_none, n) => `New ${n} <new.${n}@contoso.example>`)
  const rest = ['broken@', 'person.01@contoso.example', '4711', 'also@@wrong']
  await press('Paste a list')
  await page.getByLabel('Addresses or external IDs').fill([...known, ...strangers, ...rest].join('\n'))
  await press('Check the list')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('status')).toHaveText(
    '60 lines: 2 not an address, 7 not known here, 50 will be added, 1 twice in the list.',
  )
  await expect(dialog.getByRole('listitem').first()).toContainText('Not an address')
  expect(await axeFaults(page)).toEqual([])
  await dialog.getByRole('checkbox', { name: /Add 6 new people/ }).check()
  await press('Add 56 people')
  await expect(page.getByText('56 people were added to Evening shift.')).toBeVisible()
  // What lies under an open dialog takes no keys.
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('heading', { name: 'Members (56)' })).toBeVisible()
  await page.getByRole('searchbox', { name: 'Search members' }).fill('new 3')
  await expect(page.getByRole('rowheader')).toHaveText([/New 3/])
})

test('adds and takes out a member with the keyboard alone', async () => {
  await client.call(createGroup, { params: { orgId }, body: { name: 'Keyboard' } })
  await openGroup('Keyboard')
  await page.getByRole('combobox', { name: 'Add people' }).focus()
  await page.keyboard.type('person 07')
  await expect(page.getByRole('option')).toHaveText([/Person 07/])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Add 1 person' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Members (1)' })).toBeVisible()
  await rowMenu(page, 'Person 07').focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem').first()).toBeFocused()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toContainText('Take Person 07 out of Keyboard?')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Nobody is in this group yet')).toBeVisible()
})

test('makes a group by a rule, which follows what is changed about a person', async () => {
  await addPerson('Ada Berg', 'Sales')
  await addPerson('Ben Dahl', 'Sales')
  await page.goto(`${product.url}/organizations/${orgId}/groups/create`)
  await page.getByLabel('Name', { exact: true }).fill('Sales')
  await page.getByRole('radio', { name: 'By a rule' }).check()
  await page
    .getByRole('combobox', { name: 'Value' })
    .or(page.getByRole('textbox', { name: 'Value' }))
    .fill('sales')
  await page.keyboard.press('Enter')
  await expect(page.getByText('2 people match')).toBeVisible()
  await expect(page.getByText('Ada Berg, Ben Dahl')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await press('Add a group')
  await expect(page.getByRole('heading', { name: 'Members (2)' })).toBeVisible()
  const people = await client.call(listUsers, { params: { orgId }, query: { q: 'ben dahl' } })
  await page.goto(`${product.url}/organizations/${orgId}/users/${people.items[0]?.id ?? ''}/edit`)
  await expect(page.getByText('By their rules also in: Sales.')).toBeVisible()
  await page.getByLabel('Department').fill('Warehouse')
  await press('Save changes')
  await expect(page.getByText('Ben Dahl was saved.')).toBeVisible()
  await openGroup('Sales')
  await expect(page.getByRole('heading', { name: 'Members (1)' })).toBeVisible()
  await expect(page.getByRole('rowheader')).toHaveText([/Ada Berg/])
})

test('shows the members of a new rule as soon as they are worked out', async () => {
  const database = await openDatabase(product)
  const held = connectionLock('ruleMembers')
  await database.query(held.wait, [orgId])
  const { id } = await client.call(createGroup, {
    params: { orgId },
    body: {
      name: 'Stock',
      rule: {
        match: 'all',
        conditions: [{ about: 'field', key: 'department', is: 'one_of', values: ['Warehouse'] }],
      },
    },
  })
  let isOver = false
  const readings = page.waitForResponse(`**/api/organizations/*/groups/${id}/users?*`)
  await openGroup('Stock')
  const earlier = await (await readings).text()
  await expect(page.getByText('The rule is being worked out')).toBeVisible()
  // What the list read while they were worked out is older than their end.
  await page.route(`**/api/organizations/*/groups/${id}/users?*`, async (route) =>
    isOver ? route.continue() : route.fulfill({ contentType: 'application/json', body: earlier }),
  )
  await page.route(`**/api/organizations/*/groups/${id}`, async (route) => {
    const response = await route.fetch()
    isOver = !((await response.json()) as Group).isSettling
    await route.fulfill({ response })
  })
  await database.query(held.release, [orgId])
  await database.close()
  await expect(page.getByRole('rowheader')).toHaveText([/Ben Dahl/])
  await page.unrouteAll({ behavior: 'wait' })
  await openGroup('Sales')
})

test('the history tells who came and left, and why', async () => {
  await tab('History')
  const lines = page.getByRole('region', { name: 'History' }).getByRole('listitem')
  await expect(lines.first()).toContainText('Ben Dahl left the group')
  await expect(lines.first()).toContainText('By the rule of the group')
  await expect(lines.last()).toContainText('The group was created')
  await expect(lines.last()).toContainText('By Sue Perior')
  expect(await axeFaults(page)).toEqual([])
  await openGroup('Evening shift', '?tab=history')
  await expect(lines.first()).toContainText('By an administrator of the installation')
})

test('says before saving who joins and who leaves', async () => {
  await openGroup('Evening shift', '?tab=details')
  await page.getByRole('radio', { name: 'By a rule' }).check()
  await page.getByLabel('About').selectOption({ label: 'Email' })
  const value = page.getByRole('combobox', { name: 'Value' }).or(page.getByRole('textbox', { name: 'Value' }))
  await value.fill('elsewhere.example')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Nobody matches')).toBeVisible()
  await expect(page.getByText(/^56 people leave the group: New 0/)).toBeVisible()
  await press('Undo changes')
  await expect(page.getByRole('radio', { name: 'People chosen by hand' })).toBeChecked()
})

test('a groupadmin manages their group and reaches no other', async ({ browser }) => {
  await addPerson('Cleo Lund')
  const email = 'gail@contoso.example'
  const gail = await client.call(createUser, {
    params: { orgId },
    body: {
      name: 'Gail Admin',
      email,
      role: 'groupadmin',
      groupIds: [await groupId('Keyboard')],
      adminGroupIds: [],
    },
  })
  const theirs = await accept(product, client, { email, name: 'Gail Admin' })
  const params = { orgId, groupId: await groupId('Keyboard'), userId: gail.id }
  await client.call(setGroupadmin, { params, body: { groupadmin: true } })
  const other = await signedIn(browser, product, theirs)
  await other.goto(`${product.url}/organizations/${orgId}/groups/${await groupId('Sales')}/edit`)
  await expect(other.getByRole('heading', { name: 'Sales' })).toHaveCount(0)
  await expect(other.getByText('Ada Berg')).toHaveCount(0)
  await other.goto(`${product.url}/organizations/${orgId}/groups/${params.groupId}/edit`)
  await expect(other.getByRole('heading', { name: 'Members (1)' })).toBeVisible()
  await other.getByRole('button', { name: 'Paste a list' }).click()
  await other.getByLabel('Addresses or external IDs').fill('cleo.lund@contoso.example')
  await other.getByRole('button', { name: 'Check the list' }).click()
  await expect(other.getByRole('dialog')).toContainText('Not known here')
  await expect(other.getByRole('dialog').getByRole('checkbox')).toHaveCount(0)
  await other.close()
})

test('keeps fields of its own, and brings a removed one back', async () => {
  await page.goto(`${product.url}/organizations/${orgId}/edit`)
  await press('Add a field')
  await page.getByLabel('Label').fill('Site')
  await page.getByRole('radio', { name: 'Choice' }).check()
  await page.getByLabel('Choices').fill('Oslo\nBergen')
  expect(await axeFaults(page)).toEqual([])
  await press('Add field')
  await expect(page.getByText('Choice: Oslo, Bergen')).toBeVisible()
  await press('Move Site up')
  await expect(
    page.getByRole('region', { name: 'Fields of people' }).getByRole('listitem').first(),
  ).toContainText('Site')
  await press('Remove Department')
  await press('Remove field')
  await expect(page.getByText(/A rule asks about this field: Sales/)).toBeVisible()
  await press('Remove Site')
  await press('Remove field')
  await press('Bring Site back')
  await expect(page.getByText('Choice: Oslo, Bergen')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
})

test('leaves out whom the message excepts', async () => {
  await page.goto(`${product.url}/transmissions/create`)
  const organization = page.getByRole('combobox', { name: 'Organization', exact: true })
  await organization.fill('Contoso')
  await page.getByRole('option', { name: /Contoso/ }).click()
  await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
  await expect(page.getByText(/\d+ people get it/)).toBeVisible()
  await page.getByText('More', { exact: true }).click()
  await page.getByRole('combobox', { name: 'Except members of' }).fill('Evening')
  await page.getByRole('option', { name: /Evening shift/ }).click()
  await expect(page.getByText('56 left out: your exceptions')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
})

test('is as wide as a phone', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  for (const query of ['', '?tab=details', '?tab=history']) {
    await openGroup('Sales', query)
    await expect(page.getByRole('heading', { level: 1, name: 'Sales' })).toBeVisible()
    await fitsAcross(page)
    expect(await axeFaults(page)).toEqual([])
  }
})
