import { expect, type Page } from '@playwright/test'
import { logout } from '#contract/auth.ts'
import { newSuperadmin, type Client } from './client.ts'
import { axeFaults, signedIn } from './console.ts'
import type { Product } from './product.ts'
import { test } from './shared.ts'

let product: Product
let client: Client
let page: Page

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser, shared }) => {
  product = shared
  client = await newSuperadmin(product)
  page = await signedIn(browser, product, client)
})

test.afterAll(async () => {
  await page.context().close()
})

const html = (name: string) => page.locator('html').getAttribute(`data-${name}`)

async function expectAccessible(): Promise<void> {
  expect(await axeFaults(page)).toEqual([])
}

test('the first visit has the defaults of the specification', async () => {
  await page.goto(`${product.url}/settings`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const names = ['skin', 'bs-theme', 'topbar-color', 'menu-color', 'sidenav-size', 'sidenav-user']
  const values = await Promise.all([...names, 'layout-position', 'layout-width', 'layout'].map(html))
  expect(values).toEqual(['classic', 'light', 'light', 'dark', 'default', 'true', 'fixed', 'fluid', ''])
  await expectAccessible()
})

test('a page that opens takes the focus to its heading', async () => {
  const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
  await links.filter({ hasText: 'Organizations' }).click()
  await page.waitForURL('**/organizations')
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
})

test('the first Tab offers to skip to the content', async () => {
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.locator('main')).toBeFocused()
})

test('a session that ended elsewhere leads to sign-in and back', async () => {
  await page.goto(`${product.url}/dashboard`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await client.call(logout)
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.waitForURL('**/auth-1/sign-in?return=%2Fsettings')
})
