import { expect, type Page } from '@playwright/test'
import { changeUsers } from '#contract/bulk.ts'
import { createGroup } from '#contract/groups.ts'
import { createInvitation } from '#contract/invitations.ts'
import { createOrganization } from '#contract/organizations.ts'
import { createUser } from '#contract/users.ts'
import { accept, newSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross, signedIn, wear } from './console.ts'
import type { Product } from './product.ts'
import { test } from './shared.ts'

let product: Product
let admin: Client
let page: Page
let orgId: string

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser, shared }) => {
  product = shared
  const superadmin = await newSuperadmin(product)
  orgId = (await superadmin.call(createOrganization, { body: { name: 'Notifications' } })).id
  const email = 'ada@notifications.example'
  await superadmin.call(createInvitation, { body: { organizationId: orgId, email, role: 'admin' } })
  admin = await accept(product, superadmin, { email, name: 'Ada Lovelace' })
  page = await signedIn(browser, product, admin)
})

test.afterAll(async () => {
  await page.context().close()
})

const bell = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const panel = () => page.getByRole('region', { name: 'Notifications' })

/** Something that is worked on after the answer, and told when it has ended. */
async function putIntoGroup(name: string): Promise<void> {
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

test('the bell rings by itself when work is done, and its line leads there and is read', async () => {
  await page.goto(`${product.url}/settings`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await bell('Notifications').click()
  await expect(panel()).toContainText('Nothing new')
  await page.keyboard.press('Escape')
  await putIntoGroup('Night shift')
  await bell('Notifications, 1 new').click()
  await expect(panel().getByRole('region', { name: 'Today' }).getByRole('listitem')).toHaveText([
    /Put 1 person into Night shift/,
  ])
  expect(await axeFaults(page)).toEqual([])
  await panel()
    .getByRole('link', { name: /Night shift/ })
    .click()
  await expect(page).toHaveURL(/\/recently-removed\//)
  await expect(panel()).toBeHidden()
  await expect(bell('Notifications')).toBeVisible()
})

test('all are read at once, in the other window as well', async () => {
  const other = await page.context().newPage()
  await other.goto(`${product.url}/settings`)
  await putIntoGroup('Early shift')
  await putIntoGroup('Late shift')
  await expect(other.getByRole('button', { name: 'Notifications, 2 new' })).toBeVisible()
  await bell('Notifications, 2 new').click()
  await panel().getByRole('button', { name: 'Mark all as read' }).click()
  await expect(panel().getByRole('heading', { name: 'Notifications' })).toBeFocused()
  await expect(panel().getByRole('button', { name: 'Mark all as read' })).toBeHidden()
  await expect(other.getByRole('button', { name: 'Notifications', exact: true })).toBeVisible()
  await other.close()
})

test('what came while the network was away is there when it is back', async () => {
  await page.keyboard.press('Escape')
  await page.context().setOffline(true)
  await putIntoGroup('Weekend shift')
  await page.context().setOffline(false)
  await expect(bell('Notifications, 1 new')).toBeVisible({ timeout: 15_000 })
})

test('on a phone, in the dark, nothing runs over', async () => {
  await wear(page, { theme: 'dark' })
  await page.setViewportSize({ width: 390, height: 844 })
  await bell('Notifications, 1 new').click()
  await expect(panel().getByRole('listitem')).toHaveCount(4)
  await fitsAcross(page)
  expect(await axeFaults(page)).toEqual([])
})
