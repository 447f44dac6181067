import { expect, type Page } from '@playwright/test'
import { changeUsers } from '#contract/directory/bulk.ts'
import { createGroup } from '#contract/directory/groups.ts'
import { createUser } from '#contract/directory/users.ts'
import { newAdmin, newOrganization, type Client } from './client.ts'
import { axeFaults, fitsAcross, wear } from './console.ts'
import { test as shared } from './shared.ts'

type World = { page: Page; admin: Client; orgId: string }

/** The page shows the settings of an administrator. */
const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const { client: superadmin, orgId } = await newOrganization(product, 'Notifications')
    const admin = await newAdmin(product, superadmin, { orgId, name: 'Ada Lovelace' })
    const page = await open(admin)
    await page.goto('/settings')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await use({ page, admin, orgId })
  },
})

const bell = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const panel = (page: Page) => page.getByRole('region', { name: 'Notifications' })

/** Something that is worked on after the answer, and told when it has ended. */
async function putIntoGroup({ admin, orgId }: World, name: string): Promise<void> {
  const group = await admin.call(createGroup, { params: { orgId }, body: { name } })
  const person = await admin.call(createUser, {
    params: { orgId },
    body: {
      name: `Pat of ${name}`,
      email: `${name.replaceAll(' ', '.')}@notifications.example`.toLowerCase(),
    },
  })
  await admin.call(changeUsers, {
    params: { orgId },
    body: { selection: { userIds: [person.id] }, do: { action: 'add_to_group', groupId: group.id } },
  })
}

test('the bell rings by itself when work is done, and its line leads there and is read', async ({
  world,
}) => {
  const { page } = world
  await bell(page, 'Notifications').click()
  await expect(panel(page)).toContainText('Nothing new')
  await page.keyboard.press('Escape')
  await putIntoGroup(world, 'Night shift')
  await bell(page, 'Notifications, 1 new').click()
  await expect(panel(page).getByRole('region', { name: 'Today' }).getByRole('listitem')).toHaveText([
    /Put 1 person into Night shift/,
  ])
  expect(await axeFaults(page)).toEqual([])
  await panel(page)
    .getByRole('link', { name: /Night shift/ })
    .click()
  await expect(page).toHaveURL(/\/recently-removed\//)
  await expect(panel(page)).toBeHidden()
  await expect(bell(page, 'Notifications')).toBeVisible()
})

test('all are read at once, in the other window as well', async ({ world }) => {
  const { page } = world
  const other = await page.context().newPage()
  await other.goto('/settings')
  await putIntoGroup(world, 'Early shift')
  await putIntoGroup(world, 'Late shift')
  await expect(other.getByRole('button', { name: 'Notifications, 2 new' })).toBeVisible()
  await bell(page, 'Notifications, 2 new').click()
  await panel(page).getByRole('button', { name: 'Mark all as read' }).click()
  await expect(panel(page).getByRole('heading', { name: 'Notifications' })).toBeFocused()
  await expect(panel(page).getByRole('button', { name: 'Mark all as read' })).toBeHidden()
  await expect(other.getByRole('button', { name: 'Notifications', exact: true })).toBeVisible()
})

test('what came while the network was away is there when it is back', async ({ world }) => {
  const { page } = world
  await page.context().setOffline(true)
  await putIntoGroup(world, 'Weekend shift')
  await page.context().setOffline(false)
  await expect(bell(page, 'Notifications, 1 new')).toBeVisible({ timeout: 15_000 })
})

test('on a phone, in the dark, nothing runs over', async ({ world }) => {
  const { page } = world
  for (const shift of ['Night', 'Early', 'Late']) await putIntoGroup(world, `${shift} shift`)
  await bell(page, 'Notifications, 3 new').click()
  await panel(page).getByRole('button', { name: 'Mark all as read' }).click()
  await page.keyboard.press('Escape')
  await putIntoGroup(world, 'Weekend shift')
  await wear(page, { theme: 'dark' })
  await page.setViewportSize({ width: 390, height: 844 })
  await bell(page, 'Notifications, 1 new').click()
  await expect(panel(page).getByRole('listitem')).toHaveCount(4)
  await fitsAcross(page)
  expect(await axeFaults(page)).toEqual([])
})
