import { expect, type Page } from '@playwright/test'
import { barAddress } from '#contract/barred-addresses.ts'
import { addGroupUsers, createGroup } from '#contract/groups.ts'
import { createOrganization } from '#contract/organizations.ts'
import { createUser } from '#contract/users.ts'
import { accept, newSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross, signedIn, wear } from './console.ts'
import type { Product } from './product.ts'
import { test } from './shared.ts'

let product: Product
let client: Client
let page: Page
let groupadmin: Page
let orgId: string
let rita: string

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser, shared }) => {
  product = shared
  client = await newSuperadmin(product)
  orgId = (await client.call(createOrganization, { body: { name: 'Person Toys' } })).id
  const params = { orgId }
  const group = await client.call(createGroup, { params, body: { name: 'Drivers' } })
  const other = await client.call(createGroup, { params, body: { name: 'Office' } })
  rita = (
    await client.call(createUser, {
      params,
      body: { name: 'Rita Recipient', email: 'rita@person.example' },
    })
  ).id
  for (const { id } of [group, other])
    await client.call(addGroupUsers, { params: { orgId, groupId: id }, body: { userIds: [rita] } })
  const gus = {
    name: 'Gus Groups',
    email: 'gus@person.example',
    role: 'groupadmin' as const,
    groupIds: [group.id],
  }
  await client.call(createUser, { params, body: gus })
  page = await signedIn(browser, product, client)
  groupadmin = await signedIn(browser, product, await accept(product, client, gus))
})
test.afterAll(async () => {
  await Promise.all([page, groupadmin].map((one) => one.context().close()))
})

const at = (userId: string, tab = '') => `${product.url}/organizations/${orgId}/users/${userId}${tab}`

test('the name of a person leads to everything that is known about them', async () => {
  await page.goto(`${product.url}/organizations/${orgId}/dashboard?tab=users`)
  await page.getByRole('link', { name: 'Rita Recipient', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Rita Recipient' })).toBeFocused()
  await expect(page.getByRole('region', { name: 'Videos' })).toContainText(
    'Rita Recipient has got no video yet',
  )
  await page.getByRole('link', { name: 'History' }).click()
  const history = page.getByRole('region', { name: 'History' })
  await expect(history).toContainText('Came into the group Drivers, by')
  await expect(history).toContainText('added Rita Recipient')
  await history.getByRole('button', { name: 'Watched' }).click()
  await expect(page).toHaveURL(/kind=viewing/)
  await expect(history).toContainText('Rita Recipient has not watched anything yet')
  await history.getByRole('button', { name: 'Groups', exact: true }).click()
  await expect(history).not.toContainText('added Rita Recipient')
})

test('why somebody sees another person, asked and answered by keyboard alone', async () => {
  await page.goto(`${product.url}/organizations/${orgId}/dashboard?role=groupadmin`)
  await page.getByRole('link', { name: 'Gus Groups', exact: true }).click()
  await page.getByRole('link', { name: 'What they see and receive' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'In the console' })).toContainText(
    'can enter: group administrator since',
  )
  await expect(page.getByRole('region', { name: 'Groups', exact: true })).toContainText(
    'Administers it since',
  )
  await page.getByRole('combobox', { name: 'Which one' }).focus()
  await page.keyboard.type('rita')
  await expect(page.getByRole('option', { name: 'Rita Recipient' })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  const answer = page.getByRole('status').filter({ hasText: 'Rita' })
  await expect(answer).toContainText('Yes. Gus Groups sees Rita Recipient.')
  await expect(answer).toContainText(
    'Gus Groups administers the group Drivers, which has them as a member. Since',
  )
  expect(await axeFaults(page)).toEqual([])
})

test('a groupadmin sees what concerns their groups and nothing else', async () => {
  await groupadmin.goto(at(rita, '?tab=history'))
  const history = groupadmin.getByRole('region', { name: 'History' })
  await expect(history).toContainText('Came into the group Drivers')
  await expect(groupadmin.locator('main')).not.toContainText('Office')
  await expect(history.getByRole('button', { name: 'Account' })).toHaveCount(0)
  await expect(groupadmin.getByRole('link', { name: 'Edit' })).toHaveCount(0)
  await groupadmin.goto(at(rita, '?tab=access'))
  await expect(groupadmin.getByRole('region', { name: 'Groups', exact: true })).toContainText('Drivers')
  await expect(groupadmin.locator('main')).not.toContainText('Office')
})

test('what keeps messages from a person is said where it is asked what they receive', async () => {
  const params = { orgId }
  const receives = page.getByRole('region', { name: 'What they receive' })
  await page.goto(at(rita, '?tab=access'))
  await expect(receives).toBeVisible()
  await expect(receives).not.toContainText('is barred')
  await client.call(barAddress, { params, body: { address: 'rita@person.example', reason: 'On leave' } })
  await client.call(barAddress, { params, body: { address: 'rita@person.example', reason: 'unsubscribed' } })
  await page.reload()
  await expect(receives).toContainText('rita@person.example is barred: On leave')
  await expect(receives).toContainText('Its reader unsubscribed.')
  expect(await axeFaults(page)).toEqual([])
  await receives.getByRole('link', { name: 'See barred addresses' }).click()
  await expect(page.getByRole('row', { name: /rita@person.example/ })).toHaveCount(2)
  await groupadmin.goto(at(rita, '?tab=access'))
  await expect(groupadmin.getByRole('region', { name: 'What they receive' })).not.toContainText('is barred')
})

test('stands in light and dark, and on a phone', { tag: '@long' }, async () => {
  for (const tab of ['', '?tab=history', '?tab=access'])
    for (const theme of ['light', 'dark']) {
      await page.setViewportSize({ width: theme === 'dark' ? 390 : 1366, height: 844 })
      await page.goto(at(rita, tab))
      await wear(page, { theme })
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      expect(await axeFaults(page), `${tab} ${theme}`).toEqual([])
      await fitsAcross(page)
    }
})
