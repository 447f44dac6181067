import { expect, test, type Page } from '@playwright/test'
import { createInvitation } from '#contract/invitations.ts'
import { createOrganization } from '#contract/organizations.ts'
import { accept, firstSuperadmin, type Client } from './client.ts'
import { axeFaults, signedIn } from './console.ts'
import { openDatabase } from './database.ts'
import { startProduct, type Product } from './product.ts'

let product: Product
let superadmin: Client
let admin: Client
let page: Page

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser }) => {
  product = await startProduct()
  superadmin = await firstSuperadmin(product)
  const { id } = await superadmin.call(createOrganization, { body: { name: 'Tailspin Toys' } })
  const invite = (email: string) =>
    superadmin.call(createInvitation, { body: { organizationId: id, email, role: 'admin' } })
  await invite('ada@tailspin.example')
  admin = await accept(product, superadmin, { email: 'ada@tailspin.example', name: 'Ada Admin' })
  await invite('late@tailspin.example')
  const database = await openDatabase(product)
  await database.query(
    `update invitations set expires_at = now() + interval '1 day' where email like 'late@%'`,
  )
  await database.query(
    `insert into operations (organization_id, kind, state, params, total, done, created_by_name)
      values ($1, 'users.import', 'running', '{"subject":"people.csv"}', 200, 50, 'Ada Admin')`,
    [id],
  )
  await database.close()
  page = await signedIn(browser, product, superadmin)
})

test.afterAll(async () => {
  await page.context().close()
  await product.stop()
})

const open = async (by: Page) => {
  await by.goto(`${product.url}/dashboard`)
  await expect(by.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible()
}

test('a superadmin sees how the installation is, what is in progress, and in which organization something has to be done', async () => {
  await open(page)
  const installation = page.getByRole('region', { name: 'Installation' })
  await expect(installation.getByRole('listitem')).toContainText([
    'Database',
    'Background work',
    'Disk',
    'Mail',
    'Videos',
    'Audit log',
  ])
  const work = page.getByRole('region', { name: 'In progress' })
  await expect(work.getByRole('listitem')).toContainText(['Import of people: people.csv'])
  await expect(work).toContainText('50 of 200 done · Tailspin Toys')
  expect(await axeFaults(page)).toEqual([])
  const todo = page.getByRole('region', { name: 'Needs attention' })
  await expect(todo).toContainText('1 invitation ends within 2 days')
  await todo.getByRole('link', { name: 'Tailspin Toys' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Tailspin Toys' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Needs attention' })).toContainText(
    '1 invitation ends within 2 days',
  )
})

test('what one has hidden stays hidden from oneself, and comes back when asked for', async ({ browser }) => {
  const own = await signedIn(browser, product, admin)
  await own.setViewportSize({ width: 390, height: 844 })
  await open(own)
  await expect(own.getByRole('region', { name: 'Installation' })).toHaveCount(0)
  const todo = own.getByRole('region', { name: 'Needs attention' })
  await todo.getByRole('button', { name: /^Hide for a week: 1 invitation/ }).click()
  await expect(todo.getByText('1 hidden')).toBeVisible()
  await own.reload()
  await todo.getByText('1 hidden').click()
  expect(await axeFaults(own)).toEqual([])
  expect(await own.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await todo.getByRole('button', { name: /^Show again: 1 invitation/ }).click()
  await expect(todo.getByRole('link', { name: /See invitations/ })).toBeVisible()
  await own.context().close()
  await open(page)
  await expect(page.getByRole('button', { name: /^Hide for a week: 1 invitation/ })).toBeVisible()
})
