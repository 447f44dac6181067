import { expect, type Page } from '@playwright/test'
import { logout } from '#contract/identity/auth.ts'
import { newSuperadmin } from './client.ts'
import { axeFaults } from './console.ts'
import { test } from './shared.ts'

const heading = (page: Page) => page.getByRole('heading', { level: 1 })

test('the first visit has the defaults of the specification', async ({ shared, open }) => {
  const page = await open(await newSuperadmin(shared))
  await page.goto('/settings')
  await expect(heading(page)).toBeVisible()
  const html = (name: string) => page.locator('html').getAttribute(`data-${name}`)
  const names = ['skin', 'bs-theme', 'topbar-color', 'menu-color', 'sidenav-size', 'sidenav-user']
  const values = await Promise.all([...names, 'layout-position', 'layout-width', 'layout'].map(html))
  expect(values).toEqual(['classic', 'light', 'light', 'dark', 'default', 'true', 'fixed', 'fluid', ''])
  expect(await axeFaults(page)).toEqual([])
})

test('a page that opens takes the focus to its heading', async ({ shared, open }) => {
  const page = await open(await newSuperadmin(shared))
  await page.goto('/settings')
  const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
  await links.filter({ hasText: 'Organizations' }).click()
  await page.waitForURL('**/organizations')
  await expect(heading(page)).toBeFocused()
})

test('the first Tab offers to skip to the content', async ({ shared, open }) => {
  const page = await open(await newSuperadmin(shared))
  await page.goto('/organizations')
  await expect(heading(page)).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.locator('main')).toBeFocused()
})

test('a session that ended elsewhere leads to sign-in and back', async ({ shared, open }) => {
  const client = await newSuperadmin(shared)
  const page = await open(client)
  await page.goto('/dashboard')
  await expect(heading(page)).toBeVisible()
  await client.call(logout)
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.waitForURL('**/auth-1/sign-in?return=%2Fsettings')
})
