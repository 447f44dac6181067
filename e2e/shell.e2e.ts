import { AxeBuilder } from '@axe-core/playwright'
import { expect, test, type Page } from '@playwright/test'
import { logout, readSession } from '#contract/auth.ts'
import { firstSuperadmin, type Client } from './client.ts'
import { startProduct, type Product } from './product.ts'

let product: Product
let client: Client
let page: Page

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser }) => {
  product = await startProduct()
  client = await firstSuperadmin(product)
  const { user } = await client.call(readSession)
  const context = await browser.newContext()
  page = await context.newPage()
  await page.goto(`${product.url}/auth-1/sign-in`)
  await page.evaluate(
    (kept) => localStorage.setItem('persist:auth', kept),
    JSON.stringify({ token: client.token, user, isAuthenticated: true }),
  )
})

test.afterAll(async () => {
  await page.context().close()
  await product.stop()
})

const html = (name: string) => page.locator('html').getAttribute(`data-${name}`)
const wide = () => page.setViewportSize({ width: 1366, height: 800 })
const phone = () => page.setViewportSize({ width: 390, height: 844 })
const stored = () => page.evaluate(() => localStorage.getItem('layout'))

async function expectAccessible(): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations.map(({ id, nodes }) => [id, nodes[0]?.target])).toEqual([])
}

test('the first visit has the defaults of the specification', async () => {
  await page.goto(`${product.url}/settings`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const names = ['skin', 'bs-theme', 'topbar-color', 'menu-color', 'sidenav-size', 'sidenav-user']
  const values = await Promise.all([...names, 'layout-position', 'layout-width', 'layout'].map(html))
  expect(values).toEqual(['classic', 'light', 'light', 'dark', 'default', 'true', 'fixed', 'fluid', ''])
  await expectAccessible()
})

test('the menu has its items in order, and marks the one that is open', async () => {
  const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
  await expect(links).toHaveText([
    'Dashboard',
    'Organizations',
    'Content',
    'Transmissions',
    'Settings',
    'Account User Activity',
    'User Engagement',
    'Account Activity',
    'Message Analytics',
    'Quiz Metrics',
  ])
  await expect(page.locator('.nav [aria-current=page]')).toHaveText(['Settings'])
  await links.filter({ hasText: 'Organizations' }).click()
  await page.waitForURL('**/organizations')
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await expect(page.locator('.nav [aria-current=page]')).toHaveText(['Organizations'])
})

test('the first Tab offers to skip to the content', async () => {
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.locator('main')).toBeFocused()
})

test('the width narrows the menu without saving it; the toggle saves on wide windows', async () => {
  for (const [width, size] of [
    [767, 'offcanvas'],
    [768, 'condensed'],
    [1140, 'condensed'],
    [1141, 'default'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 })
    await expect.poll(() => html('sidenav-size')).toBe(size)
  }
  expect(await stored()).toBeNull()
  await wide()
  await page.getByRole('button', { name: 'Narrow the menu' }).click()
  await page.reload()
  expect(await html('sidenav-size')).toBe('condensed')
  await page.getByRole('button', { name: 'Widen the menu' }).click()
  expect(await html('sidenav-size')).toBe('default')
})

test('the theme is chosen, kept over a reload, and follows the device when asked to', async () => {
  await page.getByRole('button', { name: 'Colour scheme' }).click()
  await page.getByLabel('Dark').check()
  expect(await html('bs-theme')).toBe('dark')
  await expectAccessible()
  await page.getByLabel('Like this device').check()
  await page.emulateMedia({ colorScheme: 'light' })
  await expect.poll(() => html('bs-theme')).toBe('light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(() => html('bs-theme')).toBe('dark')
  await page.reload()
  expect(await html('bs-theme')).toBe('dark')
  await page.emulateMedia({ colorScheme: 'light' })
})

test('on a phone the menu lies over the page, keeps the focus, and gives everything back', async () => {
  await phone()
  await page.reload()
  const toggle = page.locator('#nav-toggle')
  await toggle.click()
  await expect(page.getByRole('dialog', { name: 'Main navigation' })).toBeVisible()
  expect(await page.evaluate(() => document.body.style.overflow)).toBe('hidden')
  await expectAccessible()
  for (const key of ['Tab', 'Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab', 'Tab', 'Tab']) {
    await page.keyboard.press(key)
    expect(await page.evaluate(() => document.activeElement?.closest('#sidenav') !== null)).toBe(true)
  }
  await page.keyboard.press('Escape')
  await expect(toggle).toBeFocused()
  expect(await page.evaluate(() => document.body.style.overflow)).toBe('')
  await toggle.click()
  await page.locator('#custom-backdrop').click({ position: { x: 380, y: 400 } })
  await expect(page.locator('#custom-backdrop')).toHaveCount(0)
  await toggle.click()
  await page.locator('.nav').getByRole('link', { name: 'Settings' }).click()
  await page.waitForURL('**/settings')
  await expect(page.locator('#custom-backdrop')).toHaveCount(0)
  await toggle.click()
  await wide()
  await expect(page.locator('#custom-backdrop')).toHaveCount(0)
  expect(await page.evaluate(() => document.body.style.overflow)).toBe('')
})

test('the search leads to the list that fits', async () => {
  const field = page.getByRole('searchbox', { name: 'Search Organizations, Users, Content, Transmissions' })
  await field.fill('acme')
  await field.press('Enter')
  await page.waitForURL('**/organizations?q=acme')
})

test('an address that does not exist says so', async () => {
  await page.goto(`${product.url}/nowhere/at/all`)
  await expect(page.getByRole('heading', { level: 1, name: 'Page Not Found' })).toBeVisible()
  await expectAccessible()
})

test('restoring a session says so, and leads to sign-in after five seconds without an answer', async () => {
  await page.route('**/api/auth/session', () => undefined)
  const start = Date.now()
  await page.goto(`${product.url}/settings`)
  await expect(page.getByText('Restoring your session...')).toBeVisible()
  await page.waitForURL('**/auth-1/sign-in?return=%2Fsettings')
  expect(Date.now() - start).toBeGreaterThan(4_500)
  await page.unroute('**/api/auth/session')
})

test('a session that ended elsewhere leads to sign-in and back', async () => {
  await page.goto(`${product.url}/dashboard`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await client.call(logout)
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.waitForURL('**/auth-1/sign-in?return=%2Fsettings')
})
