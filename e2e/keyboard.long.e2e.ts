import { expect, type Page } from '@playwright/test'
import { createGroup } from '#contract/directory/groups.ts'
import { newOrganization, type Client } from './client.ts'
import { pressMore } from './console.ts'
import { test as shared } from './shared.ts'

type World = { page: Page; client: Client; orgId: string }

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const { client, orgId } = await newOrganization(product, 'Late Shift')
    const page = await open(client)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await use({ page, client, orgId })
  },
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
async function stepTo(page: Page, name: string | RegExp): Promise<string[]> {
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

test('Tab alone reaches every item of the menu, and opens a report', async ({ world: { page } }) => {
  await page.goto('/dashboard')
  await expect(page.locator('main h1')).toBeVisible()
  await stepTo(page, 'Skip to content')
  const passed = await stepTo(page, 'Reports')
  for (const item of ['Dashboard', 'Organizations', 'Content', 'Transmissions', 'Settings'])
    expect(passed).toContain(item)
  await page.keyboard.press('Enter')
  const reports = await stepTo(page, 'Quiz Metrics')
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

test('Tab alone reaches what a page can do and its tabs, behind the skip link', async ({
  world: { page, orgId },
}) => {
  await page.goto(`/organizations/${orgId}/dashboard`)
  await expect(page.getByRole('heading', { name: 'First steps' })).toBeVisible()
  await stepTo(page, 'Skip to content')
  await page.keyboard.press('Enter')
  await expect(page.locator('main')).toBeFocused()
  const passed = await stepTo(page, 'Invitations')
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

test('a dialog that was left opens again however soon its button is pressed', async ({
  world: { page, client, orgId },
}) => {
  const drivers = { params: { orgId }, body: { name: 'Drivers' } }
  const group = await client.call(createGroup, drivers)
  await page.goto(`/organizations/${orgId}/groups/${group.id}/edit`)
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

test('what is behind the three dots closes them, and its dialog gives the focus back to them', async ({
  world: { page, orgId },
}) => {
  await page.goto(`/organizations/${orgId}/dashboard`)
  await pressMore(page, 'Sign everyone out')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toHaveAccessibleName('Sign out everyone in Late Shift?')
  await dialog.getByRole('button', { name: 'Cancel' }).press('Enter')
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'More actions' })).toBeFocused()
})

test('Tab alone leads to the mega-menu, to the skins and to Logout', async ({ world: { page } }) => {
  await page.goto('/dashboard')
  await expect(page.locator('main h1')).toBeVisible()
  await stepTo(page, /^Explore/)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'User Management' })).toBeVisible()
  await stepTo(page, /^Organizations/)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('heading', { name: 'User Management' })).toBeHidden()
  await expect.poll(async () => (await page.evaluate(focused)).name).toMatch(/^Explore/)

  await stepTo(page, 'Layout customizer')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Admin Customizer' })).toBeVisible()
  await stepTo(page, /Classic/)
  await page.keyboard.press('ArrowRight')
  await expect(page.locator('html')).toHaveAttribute('data-skin', 'material')
  expect((await page.evaluate(focused)).isSeen).toBe(true)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('heading', { name: 'Admin Customizer' })).toBeHidden()
  await expect.poll(async () => (await page.evaluate(focused)).name).toBe('Layout customizer')

  await stepTo(page, 'Logout')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/auth-1/sign-in')
})
