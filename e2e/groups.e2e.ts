import { expect, type Page } from '@playwright/test'
import { createField } from '#contract/directory/fields.ts'
import { addGroupUsers, createGroup, readGroup, type Group } from '#contract/directory/groups.ts'
import { setGroupadmin } from '#contract/directory/members.ts'
import { createUser, updateUser } from '#contract/directory/users.ts'
import { connectionLock } from '#server/platform/db/locks.ts'
import { unique } from '../server/testing/unique.ts'
import { accept, newOrganization, type Client } from './client.ts'
import { axeFaults, fitsAcross, press, rowMenu } from './console.ts'
import { openDatabase } from './database.ts'
import { test as shared } from './shared.ts'

type World = { page: Page; client: Client; orgId: string; name: string }

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const name = `Contoso ${unique()}`
    const { client, orgId } = await newOrganization(product, name)
    await client.call(createField, {
      params: { orgId },
      body: { label: 'Department', type: 'text', options: [] },
    })
    const page = await open(client)
    await page.setViewportSize({ width: 1366, height: 900 })
    await use({ page, client, orgId, name })
  },
})

/** Fifty people of the organization. */
const fifty = Array.from({ length: 50 }, (_none, n) => `Person ${String(n + 1).padStart(2, '0')}`)

const addPerson = ({ client, orgId }: World, name: string, more: object = {}) =>
  client.call(createUser, {
    params: { orgId },
    body: { name, email: `${name.toLowerCase().replaceAll(' ', '.')}@contoso.example`, ...more },
  })

const inSales = { customFields: { department: 'Sales' } }

/** A group whose rule asks for a department; answers its id. */
async function addGroupOf({ client, orgId }: World, name: string, department: string): Promise<string> {
  const conditions = [
    { about: 'field' as const, key: 'department', is: 'one_of' as const, values: [department] },
  ]
  const body = { name, rule: { match: 'all' as const, conditions } }
  return (await client.call(createGroup, { params: { orgId }, body })).id
}

/** A group of fifty people and six who are new, chosen by hand; answers its id. */
async function addEveningShift(world: World): Promise<string> {
  const { client, orgId } = world
  const { id } = await client.call(createGroup, { params: { orgId }, body: { name: 'Evening shift' } })
  const names = [...fifty, ...Array.from({ length: 6 }, (_none, n) => `New ${n}`)]
  const people = await Promise.all(names.map((name) => addPerson(world, name)))
  const userIds = people.map((person) => person.id)
  await client.call(addGroupUsers, { params: { orgId, groupId: id }, body: { userIds } })
  return id
}

const openGroup = ({ page, orgId }: World, groupId: string, query = '') =>
  page.goto(`/organizations/${orgId}/groups/${groupId}/edit${query}`)

test('takes a pasted list of sixty lines, and says of each what it means', async ({ world }) => {
  const { page, client, orgId } = world
  await Promise.all(fifty.map((name) => addPerson(world, name)))
  const group = await client.call(createGroup, { params: { orgId }, body: { name: 'Evening shift' } })
  await openGroup(world, group.id)
  await expect(page.getByText('Nobody is in this group yet')).toBeVisible()
  const known = fifty.map((name) => `${name.toLowerCase().replace(' ', '.')}@contoso.example`)
  const strangers = Array.from({ length: 6 }, (_none, n) => `New ${n} <new.${n}@contoso.example>`)
  const others = ['broken@', 'person.01@contoso.example', '4711', 'also@@wrong']
  await press(page, 'Paste a list')
  await page.getByLabel('Addresses or external IDs').fill([...known, ...strangers, ...others].join('\n'))
  await press(page, 'Check the list')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('status')).toHaveText(
    '60 lines: 2 not an address, 7 not known here, 50 will be added, 1 twice in the list.',
  )
  await expect(dialog.getByRole('listitem').first()).toContainText('Not an address')
  expect(await axeFaults(page)).toEqual([])
  await dialog.getByRole('checkbox', { name: /Add 6 new people/ }).check()
  await press(page, 'Add 56 people')
  await expect(page.getByText('56 people were added to Evening shift.')).toBeVisible()
  // What lies under an open dialog takes no keys.
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('heading', { name: 'Members (56)' })).toBeVisible()
  await page.getByRole('searchbox', { name: 'Search members' }).fill('new 3')
  await expect(page.getByRole('rowheader')).toHaveText([/New 3/])
})

test('adds and takes out a member with the keyboard alone', async ({ world }) => {
  const { page, client, orgId } = world
  await addPerson(world, 'Person 07')
  const group = await client.call(createGroup, { params: { orgId }, body: { name: 'Keyboard' } })
  await openGroup(world, group.id)
  await page.getByRole('combobox', { name: 'Add people' }).focus()
  await page.keyboard.type('zzz')
  await expect(page.getByRole('option', { name: 'Nobody matches' })).toBeDisabled()
  expect(await axeFaults(page)).toEqual([])
  await page.keyboard.press('ControlOrMeta+a')
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

test('makes a group by a rule, which follows what is changed about a person', async ({ world }) => {
  const { page, orgId } = world
  await addPerson(world, 'Ada Berg', inSales)
  const ben = await addPerson(world, 'Ben Dahl', inSales)
  await page.goto(`/organizations/${orgId}/groups/create`)
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
  await press(page, 'Add a group')
  await expect(page.getByRole('heading', { name: 'Members (2)' })).toBeVisible()
  const group = page.url()
  await page.goto(`/organizations/${orgId}/users/${ben.id}/edit`)
  await expect(page.getByText('By their rules also in: Sales.')).toBeVisible()
  await page.getByLabel('Department').fill('Warehouse')
  await press(page, 'Save changes')
  await expect(page.getByText('Ben Dahl was saved.')).toBeVisible()
  await page.goto(group)
  await expect(page.getByRole('heading', { name: 'Members (1)' })).toBeVisible()
  await expect(page.getByRole('rowheader')).toHaveText([/Ada Berg/])
})

test('shows the members of a new rule as soon as they are worked out', async ({ shared, world }) => {
  const { page, orgId } = world
  await addPerson(world, 'Ben Dahl', { customFields: { department: 'Warehouse' } })
  const database = await openDatabase(shared)
  const held = connectionLock('ruleMembers')
  await database.query(held.wait, [orgId])
  const id = await addGroupOf(world, 'Stock', 'Warehouse')
  let isOver = false
  const readings = page.waitForResponse(`**/api/organizations/*/groups/${id}/users?*`)
  await openGroup(world, id)
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
})

test('the history tells who came and left, and why', async ({ world }) => {
  const { page, client, orgId } = world
  await addPerson(world, 'Ada Berg', inSales)
  const ben = await addPerson(world, 'Ben Dahl', inSales)
  const sales = await addGroupOf(world, 'Sales', 'Sales')
  const { name, email } = ben
  const isSettling = async () =>
    (await client.call(readGroup, { params: { orgId, groupId: sales } })).isSettling
  await expect.poll(isSettling).toBe(false)
  await client.call(updateUser, {
    params: { orgId, userId: ben.id },
    body: { name, email, customFields: { department: 'Warehouse' } },
  })
  await openGroup(world, sales)
  await page
    .getByRole('navigation', { name: 'Group', exact: true })
    .getByRole('link', { name: 'History', exact: true })
    .click()
  const lines = page.getByRole('region', { name: 'History' }).getByRole('listitem')
  await expect(lines.first()).toContainText('Ben Dahl left the group')
  await expect(lines.first()).toContainText('By the rule of the group')
  await expect(lines.last()).toContainText('The group was created')
  await expect(lines.last()).toContainText('By Sue Perior')
  expect(await axeFaults(page)).toEqual([])
  await openGroup(world, await addEveningShift(world), '?tab=history')
  await expect(lines.first()).toContainText('By an administrator of the installation')
})

test('says before saving who joins and who leaves', async ({ world }) => {
  const { page } = world
  await openGroup(world, await addEveningShift(world), '?tab=details')
  await page.getByRole('radio', { name: 'By a rule' }).check()
  await page.getByLabel('About').selectOption({ label: 'Email' })
  const value = page.getByRole('combobox', { name: 'Value' }).or(page.getByRole('textbox', { name: 'Value' }))
  await value.fill('elsewhere.example')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Nobody matches')).toBeVisible()
  await expect(page.getByText(/^56 people leave the group: New 0/)).toBeVisible()
  await press(page, 'Undo changes')
  await expect(page.getByRole('radio', { name: 'People chosen by hand' })).toBeChecked()
})

test('a groupadmin manages their group and reaches no other', async ({ shared, world, open }) => {
  const { client, orgId } = world
  await addPerson(world, 'Cleo Lund')
  await addPerson(world, 'Ada Berg', inSales)
  const sales = await addGroupOf(world, 'Sales', 'Sales')
  const keyboard = await client.call(createGroup, { params: { orgId }, body: { name: 'Keyboard' } })
  const email = `gail-${unique()}@contoso.example`
  const gail = await client.call(createUser, {
    params: { orgId },
    body: {
      name: 'Gail Admin',
      email,
      role: 'groupadmin',
      groupIds: [keyboard.id],
      adminGroupIds: [],
    },
  })
  const theirs = await accept(shared, client, { email, name: 'Gail Admin' })
  const params = { orgId, groupId: keyboard.id, userId: gail.id }
  await client.call(setGroupadmin, { params, body: { groupadmin: true } })
  const other = await open(theirs)
  await other.goto(`/organizations/${orgId}/groups/${sales}/edit`)
  await expect(other.getByRole('heading', { name: 'Sales' })).toHaveCount(0)
  await expect(other.getByText('Ada Berg')).toHaveCount(0)
  await other.goto(`/organizations/${orgId}/groups/${keyboard.id}/edit`)
  await expect(other.getByRole('heading', { name: 'Members (1)' })).toBeVisible()
  await other.getByRole('button', { name: 'Paste a list' }).click()
  await other.getByLabel('Addresses or external IDs').fill('cleo.lund@contoso.example')
  await other.getByRole('button', { name: 'Check the list' }).click()
  await expect(other.getByRole('dialog')).toContainText('Not known here')
  await expect(other.getByRole('dialog').getByRole('checkbox')).toHaveCount(0)
})

test('keeps fields of its own, and brings a removed one back', async ({ world }) => {
  const { page, orgId } = world
  await addGroupOf(world, 'Sales', 'Sales')
  await page.goto(`/organizations/${orgId}/edit`)
  await press(page, 'Add a field')
  await page.getByLabel('Label').fill('Site')
  await page.getByRole('radio', { name: 'Choice' }).check()
  await page.getByLabel('Choices').fill('Oslo\nBergen')
  expect(await axeFaults(page)).toEqual([])
  await press(page, 'Add field')
  await expect(page.getByText('Choice: Oslo, Bergen')).toBeVisible()
  await press(page, 'Move Site up')
  await expect(
    page.getByRole('region', { name: 'Fields of people' }).getByRole('listitem').first(),
  ).toContainText('Site')
  await press(page, 'Remove Department')
  await press(page, 'Remove field')
  await expect(page.getByText(/A rule asks about this field: Sales/)).toBeVisible()
  await press(page, 'Remove Site')
  await press(page, 'Remove field')
  await press(page, 'Bring Site back')
  await expect(page.getByText('Choice: Oslo, Bergen')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
})

test('leaves out whom the message excepts', async ({ world }) => {
  const { page, name } = world
  await addEveningShift(world)
  await addGroupOf(world, 'Sales', 'Sales')
  await page.goto('/transmissions/create')
  const organization = page.getByRole('combobox', { name: 'Organization', exact: true })
  await organization.fill(name)
  await page.getByRole('option', { name }).click()
  await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
  await expect(page.getByText(/\d+ people get it/)).toBeVisible()
  await page.getByText('More', { exact: true }).click()
  await page.getByRole('combobox', { name: 'Except members of' }).fill('Evening')
  await page.getByRole('option', { name: /Evening shift/ }).click()
  await expect(page.getByText('56 left out: your exceptions')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
})

test('is as wide as a phone', async ({ world }) => {
  const { page } = world
  const sales = await addGroupOf(world, 'Sales', 'Sales')
  await page.setViewportSize({ width: 390, height: 844 })
  for (const query of ['', '?tab=details', '?tab=history']) {
    await openGroup(world, sales, query)
    await expect(page.getByRole('heading', { level: 1, name: 'Sales' })).toBeVisible()
    await fitsAcross(page)
    expect(await axeFaults(page)).toEqual([])
  }
})
