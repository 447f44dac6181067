import { expect, type Page } from '@playwright/test'
import { newSuperadmin } from './client.ts'
import { signedIn } from './console.ts'
import type { Product } from './product.ts'
import { test } from './shared.ts'

let product: Product
let page: Page

test.beforeAll(async ({ browser, shared }) => {
  product = shared
  page = await signedIn(browser, product, await newSuperadmin(product))
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

/** Steps on until the focus is on what is called so; every step on the way has to show where it is. */
async function tabTo(name: string | RegExp): Promise<string[]> {
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

test('the keyboard alone reaches every item of the menu, and opens a report', async () => {
  await page.goto(`${product.url}/dashboard`)
  await expect(page.locator('main h1')).toBeVisible()
  await tabTo('Skip to content')
  const passed = await tabTo('Reports')
  for (const item of ['Dashboard', 'Organizations', 'Content', 'Transmissions', 'Settings'])
    expect(passed).toContain(item)
  await page.keyboard.press('Enter')
  const reports = await tabTo('Quiz Metrics')
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

test('the keyboard alone opens the mega-menu, changes the skin and signs out', async () => {
  await page.goto(`${product.url}/dashboard`)
  await expect(page.locator('main h1')).toBeVisible()
  await tabTo(/^Explore/)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'User Management' })).toBeVisible()
  await tabTo(/^Organizations/)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('heading', { name: 'User Management' })).toBeHidden()
  expect((await page.evaluate(focused)).name).toMatch(/^Explore/)

  await tabTo('Layout customizer')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Admin Customizer' })).toBeVisible()
  await tabTo(/Classic/)
  await page.keyboard.press('ArrowRight')
  await expect(page.locator('html')).toHaveAttribute('data-skin', 'material')
  expect((await page.evaluate(focused)).isSeen).toBe(true)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('heading', { name: 'Admin Customizer' })).toBeHidden()
  expect((await page.evaluate(focused)).name).toBe('Layout customizer')

  await tabTo('Logout')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/auth-1/sign-in')
})
