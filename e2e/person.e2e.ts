import { expect, type Page } from '@playwright/test'
import { barAddress } from '#contract/transmissions/barred-addresses.ts'
import { addGroupUsers, createGroup } from '#contract/directory/groups.ts'
import { createUser } from '#contract/directory/users.ts'
import { unique } from '../server/testing/unique.ts'
import { accept, newOrganization, type Client } from './client.ts'
import { axeFaults, fitsAcross, wear } from './console.ts'
import { test as shared } from './shared.ts'

type World = { page: Page; client: Client; orgId: string; rita: string; groupadmin: Client }

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const { client, orgId } = await newOrganization(product, 'Person Toys')
    const params = { orgId }
    const group = await client.call(createGroup, { params, body: { name: 'Drivers' } })
    const other = await client.call(createGroup, { params, body: { name: 'Office' } })
    const body = { name: 'Rita Recipient', email: 'rita@person.example' }
    const { id: rita } = await client.call(createUser, { params, body })
    for (const { id } of [group, other])
      await client.call(addGroupUsers, { params: { orgId, groupId: id }, body: { userIds: [rita] } })
    const gus = {
      name: 'Gus Groups',
      email: `gus-${unique()}@person.example`,
      role: 'groupadmin' as const,
      groupIds: [group.id],
    }
    await client.call(createUser, { params, body: gus })
    const groupadmin = await accept(product, client, gus)
    await use({ page: await open(client), client, orgId, rita, groupadmin })
  },
})

const at = ({ orgId, rita }: World, tab: string) => `/organizations/${orgId}/users/${rita}${tab}`

test('the name of a person leads to everything that is known about them', async ({
  world: { page, orgId },
}) => {
  await page.goto(`/organizations/${orgId}/dashboard?tab=users`)
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

test('why somebody sees another person, asked and answered by keyboard alone', async ({
  world: { page, orgId },
}) => {
  await page.goto(`/organizations/${orgId}/dashboard?role=groupadmin`)
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

test('a groupadmin sees what concerns their groups and nothing else', async ({ world, open }) => {
  const page = await open(world.groupadmin)
  await page.goto(at(world, '?tab=history'))
  const history = page.getByRole('region', { name: 'History' })
  await expect(history).toContainText('Came into the group Drivers')
  await expect(page.locator('main')).not.toContainText('Office')
  await expect(history.getByRole('button', { name: 'Account' })).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Edit' })).toHaveCount(0)
  await page.goto(at(world, '?tab=access'))
  await expect(page.getByRole('region', { name: 'Groups', exact: true })).toContainText('Drivers')
  await expect(page.locator('main')).not.toContainText('Office')
})

test('what keeps messages from a person is said where it is asked what they receive', async ({
  world,
  open,
}) => {
  const { page, client, orgId } = world
  const params = { orgId }
  const receives = page.getByRole('region', { name: 'What they receive' })
  await page.goto(at(world, '?tab=access'))
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
  const theirs = await open(world.groupadmin)
  await theirs.goto(at(world, '?tab=access'))
  await expect(theirs.getByRole('region', { name: 'What they receive' })).not.toContainText('is barred')
})

test('stands in light and dark, and on a phone', { tag: '@long' }, async ({ world }) => {
  const { page } = world
  for (const tab of ['', '?tab=history', '?tab=access'])
    for (const theme of ['light', 'dark']) {
      await page.setViewportSize({ width: theme === 'dark' ? 390 : 1366, height: 844 })
      await page.goto(at(world, tab))
      await wear(page, { theme })
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      expect(await axeFaults(page), `${tab} ${theme}`).toEqual([])
      await fitsAcross(page)
    }
})
