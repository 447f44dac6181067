import { expect, type Page } from '@playwright/test'
import { createGroup } from '#contract/directory/groups.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { newSuperadmin, type Client } from './client.ts'
import { pressMore, signedIn } from './console.ts'
import type { Product } from './product.ts'
import { test } from './shared.ts'

let product: Product
let client: Client
let page: Page

test.beforeAll(async ({ browser, shared }) => {
  product = shared
  client = await newSuperadmin(product)
  page = await signedIn(browser, product, client)
  await page.setViewportSize({ width: 1366, height: 800 })
  await page.emulateMedia({ reducedMotion: 'reduce' })
})
test.afterAll(async () => {
  await page.context().close()
})

/** Runs in the page: the name of what has the focus, and whether one sees that it has. */
function focused() {
  const element = document.activeElement
  if (!element || element === document.body) return { name: '', isSeen: true }
  const label =
    element.getAttribute('aria-label') ?? element.closest('label')?.textContent ?? element.textContent
  // A choice shows the focus on the card around it.
  const places = [element, element.closest('label'), element.parentElement]
  const isSeen = places.some((place) => {
    if (!place) return false
    const { outlineStyle, outlineWidth } = getComputedStyle(place)
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2
  })
  return { name: label.trim().replaceAll(/\s+/g, ' '), isSeen }
}

/** Presses Tab alone until the focus is on what is called so; every step on the way has to show where it is. */
async function stepTo(name: string | RegExp): Promise<string[]> {
  const passed: string[] = []
  for (let step = 0; step < 60; step++) {
    await page.keyboard.press('Tab')
    const stop = await page.evaluate(focused)
    expect(stop.isSeen, `the focus on “${stop.name}” is seen`).toBe(true)
    passed.push(stop.name)
    if (typeof name === 'string' ? stop.name === name : name.test(stop.name)) return passed
  }
  throw new Error(`no ${String(name)} among ${passed.join(', ')}`)
}

test('Tab alone reaches every item of the menu, and opens a report', async () => {
  await page.goto(`${product.url}/dashboard`)
  await expect(page.locator('main h1')).toBeVisible()
  await stepTo('Skip to content')
  const passed = await stepTo('Reports')
  for (const item of ['Dashboard', 'Organizations', 'Content', 'Transmissions', 'Settings'])
    expect(passed).toContain(item)
  await page.keyboard.press('Enter')
  const reports = await stepTo('Quiz Metrics')
  expect(reports).toEqual([
    'Account User Activity',
    'User Engagement',
    'Account Activity',
    'Message Analytics',
    'Quiz Metrics',
  ])
  await page.keyboard.press('Enter')
  await page.waitForURL('**/reports/quiz-metrics')
  await expect(page.getByRole('heading', { level: 1, name: 'Quiz Metrics' })).toBeFocused()
})

test('Tab alone reaches what a page can do and its tabs, behind the skip link', async () => {
  const { id } = await client.call(createOrganization, { body: { name: 'Day Shift' } })
  await page.goto(`${product.url}/organizations/${id}/dashboard`)
  await expect(page.getByRole('heading', { name: 'First steps' })).toBeVisible()
  await stepTo('Skip to content')
  await page.keyboard.press('Enter')
  await expect(page.locator('main')).toBeFocused()
  const passed = await stepTo('Invitations')
  expect(passed).toEqual([
    'Organizations',
    'Edit organization',
    'Add a person',
    'More actions',
    'Overview',
    'People 0',
    'Groups 0',
    'Invitations',
  ])
})

test('a dialog that was left opens again however soon its button is pressed', async () => {
  const { id } = await client.call(createOrganization, { body: { name: 'Night Shift' } })
  const params = { orgId: id }
  const group = await client.call(createGroup, { params, body: { name: 'Drivers' } })
  await page.goto(`${product.url}/organizations/${id}/groups/${group.id}/edit`)
  const dialog = page.getByRole('dialog', { name: 'Remove Drivers?' })
  const button = page.getByRole('button', { name: 'Remove group' })
  await button.press('Enter')
  await expect(dialog).toBeVisible()
  // The page is busy, so that both keys wait for it.
  const busy = page.evaluate(() => {
    const end = performance.now() + 500
    while (performance.now() < end);
  })
  await Promise.all([busy, page.keyboard.press('Escape'), page.keyboard.press('Enter')])
  await expect(dialog).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).press('Enter')
  await expect(dialog).toHaveCount(0)
  await expect(button).toBeFocused()
})

test('what is behind the three dots closes them, and its dialog gives the focus back to them', async () => {
  const { id } = await client.call(createOrganization, { body: { name: 'Late Shift' } })
  await page.goto(`${product.url}/organizations/${id}/dashboard`)
  await pressMore(page, 'Sign everyone out')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toHaveAccessibleName('Sign out everyone in Late Shift?')
  await dialog.getByRole('button', { name: 'Cancel' }).press('Enter')
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'More actions' })).toBeFocused()
})

test('Tab alone leads to the mega-menu, to the skins and to Logout', async () => {
  await page.goto(`${product.url}/dashboard`)
  await expect(page.locator('main h1')).toBeVisible()
  await stepTo(/^Explore/)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'User Management' })).toBeVisible()
  await stepTo(/^Organizations/)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('heading', { name: 'User Management' })).toBeHidden()
  await expect.poll(async () => (await page.evaluate(focused)).name).toMatch(/^Explore/)

  await stepTo('Layout customizer')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Admin Customizer' })).toBeVisible()
  await stepTo(/Classic/)
  await page.keyboard.press('ArrowRight')
  await expect(page.locator('html')).toHaveAttribute('data-skin', 'material')
  expect((await page.evaluate(focused)).isSeen).toBe(true)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('heading', { name: 'Admin Customizer' })).toBeHidden()
  await expect.poll(async () => (await page.evaluate(focused)).name).toBe('Layout customizer')

  await stepTo('Logout')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/auth-1/sign-in')
})
