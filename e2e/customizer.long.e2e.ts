import { expect, type Page } from '@playwright/test'
import { newSuperadmin } from './client.ts'
import { axeFaults, fitsAcross, wear } from './console.ts'
import { customizerOn, press, stored } from './customizer.ts'
import { test as shared } from './shared.ts'
import { defaults, seenBy, watchStart } from './witness.ts'

type World = { page: Page; customizer: ReturnType<typeof customizerOn> }

/** The page says nothing in its console that is an error. */
const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const page = await open(await newSuperadmin(product))
    const errors: string[] = []
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    page.on('pageerror', ({ message }) => errors.push(message))
    await page.addInitScript(watchStart)
    await use({ page, customizer: customizerOn(page) })
    expect(errors).toEqual([])
  },
})

const attribute = (page: Page, name: string) => page.locator('html').getAttribute(name)

async function go(page: Page, look: object | string | null = null): Promise<void> {
  await wear(page, look)
  await page.goto('/settings')
  await expect(page.locator('main h1')).toBeVisible()
}

test('the first visit has nine attributes before its body begins, under a policy without exceptions', async ({
  world: { page },
}) => {
  const answer = await page.goto('/settings')
  const policy = answer?.headers()['content-security-policy'] ?? ''
  const scripts = policy.split(';').find((rule) => rule.trim().startsWith('script-src '))
  expect(scripts).toContain("'self'")
  expect(scripts).not.toMatch(/unsafe|\*|https?:|data:/)
  await expect(page.locator('main h1')).toBeVisible()
  const { atBody, atContentLoaded, refused } = await seenBy(page)
  expect(atBody).toMatchObject(defaults)
  expect(atContentLoaded).toMatchObject(defaults)
  expect(refused).toEqual([])
  expect(await stored(page)).toBeNull()
})

test('the panel is fetched when somebody comes near its button, and not before', async ({
  world: { page, customizer },
}) => {
  const files: string[] = []
  page.on('request', (request) => files.push(new URL(request.url()).pathname))
  await go(page)
  await page.mouse.move(600, 500)
  expect(files.filter((file) => /\/Panel-/.test(file))).toEqual([])
  await customizer.opener.hover()
  await expect.poll(() => files.filter((file) => /\/Panel-/.test(file)).length).toBe(2)
  await expect(customizer.panel).toHaveCount(0)
})

test('it has its eight sections in order, each with its options', async ({ world: { page, customizer } }) => {
  await go(page)
  await customizer.open()
  await expect(customizer.panel.getByRole('heading', { name: 'Admin Customizer' })).toHaveCSS(
    'text-transform',
    'uppercase',
  )
  // Its own width: while it slides in, that on the screen differs by fractions.
  await expect(customizer.panel).toHaveCSS('width', '400px')
  const sections = await customizer.panel.evaluate((element) =>
    [...element.querySelectorAll('fieldset, label:has([role=switch])')].map((part) =>
      [part.querySelector('legend')?.textContent ?? part.textContent].concat(
        Array.from(part.querySelectorAll<HTMLInputElement>('[type=radio]'), ({ value }) => value),
      ),
    ),
  )
  expect(sections).toEqual([
    ['Skin', 'Classic', 'Material', 'Modern', 'SaaS', 'Flat', 'Minimal', 'Galaxy'],
    ['Colour scheme', 'Light', 'Dark', 'System'],
    ['Topbar colour', 'Light', 'Dark', 'Gray', 'Gradient'],
    ['Orientation', 'Vertical', 'Horizontal'],
    ['Sidenav colour', 'Light', 'Dark', 'Gray', 'Gradient', 'Image'],
    ['Sidebar size', 'Default', 'Compact', 'Condensed', 'On Hover', 'On Hover - Show', 'Offcanvas'],
    ['Layout position', 'Fixed', 'Scrollable'],
    ['Sidebar user info'],
  ])
})

test('arrow keys choose within a section, and Galaxy stays out of reach with its reason', async ({
  world: { page, customizer },
}) => {
  await go(page)
  await customizer.open()
  const galaxy = customizer.option('Skin', 'Galaxy')
  await expect(galaxy).toBeDisabled()
  await expect(galaxy).toHaveAccessibleDescription('Not available in this version')
  await expect(customizer.panel.getByText('Not available in this version')).toBeVisible()
  await galaxy.locator('..').click({ force: true })
  expect(await attribute(page, 'data-skin')).toBe('classic')
  await customizer.option('Skin', 'Classic').focus()
  const chosen: (string | null)[] = []
  for (let presses = 0; presses < 7; presses += 1) {
    await page.keyboard.press('ArrowDown')
    chosen.push(await attribute(page, 'data-skin'))
  }
  expect(chosen).toEqual(['material', 'modern', 'saas', 'flat', 'minimal', 'classic', 'material'])
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  expect(await attribute(page, 'data-skin')).toBe('minimal')
})

test('"System" follows the device live, and is never an attribute itself', async ({
  world: { page, customizer },
}) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await go(page)
  await customizer.open()
  await press(customizer.option('Colour scheme', 'System'))
  await expect(page.locator('html')).toHaveAttribute('data-bs-theme', 'dark')
  await page.emulateMedia({ colorScheme: 'light' })
  await expect(page.locator('html')).toHaveAttribute('data-bs-theme', 'light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect(page.locator('html')).toHaveAttribute('data-bs-theme', 'dark')
  const live = await seenBy(page)
  await page.reload()
  await expect(page.locator('main h1')).toBeVisible()
  const again = await seenBy(page)
  expect(again.atBody['data-bs-theme']).toBe('dark')
  expect(live.themes).toContain('light')
  expect([...new Set([...live.themes, ...again.themes])].toSorted()).toEqual(['dark', 'light'])
})

const everything = {
  skin: 'saas',
  theme: 'dark',
  orientation: 'vertical',
  sidenav: { size: 'condensed', color: 'gray', user: false, isMobileMenuOpen: false },
  topBar: { color: 'gradient' },
  position: 'scrollable',
  width: 'boxed',
}

test('Reset brings the defaults and says so, stays open, and can be undone', async ({
  world: { page, customizer },
}) => {
  for (const saved of [everything, { ...everything, orientation: 'horizontal' }]) {
    await go(page, saved)
    await customizer.open()
    const reset = customizer.panel.getByRole('button', { name: 'Reset' })
    await reset.click()
    await expect(customizer.panel.getByRole('status')).toHaveText('Defaults restored')
    for (const [name, value] of Object.entries(defaults)) expect(await attribute(page, name)).toBe(value)
    expect(await stored(page)).toEqual({
      skin: 'classic',
      theme: 'light',
      orientation: 'vertical',
      sidenav: { size: 'default', color: 'dark', user: true, isMobileMenuOpen: false },
      topBar: { color: 'light' },
      position: 'fixed',
      width: 'fluid',
    })
    await expect(customizer.panel).toBeVisible()
    await customizer.panel.getByRole('button', { name: 'Undo' }).click()
    await expect(customizer.panel.getByRole('status')).toHaveText('Your choices are back')
    await expect(reset).toBeFocused()
    expect(await stored(page)).toEqual(saved)
    await expect(customizer.panel.getByRole('button', { name: 'Undo' })).toHaveCount(0)
  }
})

test('a choice after a reset takes the way back away', async ({ world: { page, customizer } }) => {
  await go(page, everything)
  await customizer.open()
  await customizer.panel.getByRole('button', { name: 'Reset' }).click()
  await expect(customizer.panel.getByRole('button', { name: 'Undo' })).toBeVisible()
  await press(customizer.option('Skin', 'Flat'))
  await expect(customizer.panel.getByRole('button', { name: 'Undo' })).toHaveCount(0)
})

test('its button opens and closes it; so do keys, buttons and the page beside it, and the focus returns', async ({
  world: { page, customizer },
}) => {
  await go(page)
  await expect(customizer.opener).toHaveAttribute('aria-expanded', 'false')
  const ways: Record<string, () => Promise<void>> = {
    opener: () => customizer.opener.click(),
    Escape: () => page.keyboard.press('Escape'),
    Close: () => customizer.panel.getByRole('button', { name: 'Close', exact: true }).click(),
    cross: () => customizer.panel.getByRole('button', { name: 'Close the customizer' }).click(),
    beside: () => page.locator('main h1').click(),
  }
  for (const [name, close] of Object.entries(ways)) {
    await customizer.open()
    await expect(customizer.opener).toHaveAttribute('aria-expanded', 'true')
    await expect(customizer.panel.getByRole('button', { name: 'Close the customizer' })).toBeFocused()
    await close()
    await expect(customizer.panel, name).toBeHidden()
    await expect(customizer.opener, name).toBeFocused()
    await expect(customizer.opener).toHaveAttribute('aria-expanded', 'false')
  }
  await customizer.open()
  await page.getByRole('combobox', { name: /^Search Organizations/ }).click()
  await expect(customizer.panel).toBeHidden()
  await expect(page.getByRole('combobox', { name: /^Search Organizations/ })).toBeFocused()
  await customizer.opener.focus()
  await page.keyboard.press('Enter')
  await expect(customizer.panel).toBeVisible()
  await page.keyboard.press('Shift+Tab')
  await expect(customizer.panel).toBeHidden()
})

test('the page beside it answers to pointer and wheel while it is open', async ({
  world: { page, customizer },
}) => {
  await go(page, { position: 'scrollable' })
  await page.setViewportSize({ width: 1366, height: 500 })
  await customizer.open()
  await page.mouse.move(600, 300)
  await page.mouse.wheel(0, 300)
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0)
  await expect(customizer.panel).toBeVisible()
  expect(
    await page.evaluate(() => document.elementFromPoint(100, 300)?.closest('[data-part=sidenav]') !== null),
  ).toBe(true)
})

test('it fades for 300 ms, and not at all for who asks for less motion', async ({
  world: { page, customizer },
}) => {
  await go(page)
  await customizer.open()
  await expect(customizer.panel).toHaveCSS('transition-duration', '0.3s')
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const slow = await customizer.panel.evaluate((element) =>
    [element, ...element.querySelectorAll('*')]
      .filter((part) => {
        const { transitionDuration, animationName } = getComputedStyle(part)
        return (
          animationName !== 'none' ||
          transitionDuration.split(',').some((time) => Number.parseFloat(time) > 0.02)
        )
      })
      .map(({ className }) => className),
  )
  expect(slow).toEqual([])
})

test('what belongs to the side navigation is absent in horizontal orientation', async ({
  world: { page, customizer },
}) => {
  await go(page, { orientation: 'horizontal' })
  await customizer.open()
  await expect(customizer.panel.getByRole('group')).toHaveCount(5)
  await expect(customizer.section('Sidebar size')).toHaveCount(0)
  await expect(customizer.section('Layout position')).toHaveCount(0)
  await expect(customizer.panel.getByRole('switch')).toHaveCount(0)
  await press(customizer.option('Orientation', 'Vertical'))
  await expect(customizer.panel.getByRole('group')).toHaveCount(7)
  await expect(customizer.panel.getByRole('switch')).toBeVisible()
})

test('it shows what is saved, and says where the width of the window decides', async ({
  world: { page, customizer },
}) => {
  await go(page, { sidenav: { size: 'compact' } })
  await customizer.open()
  await expect(customizer.option('Sidebar size', 'Compact')).toBeChecked()
  const limit = customizer.section('Sidebar size').getByText('Limited by the window width')
  await expect(limit).toHaveCount(0)
  for (const width of [1140, 767, 390]) {
    await page.setViewportSize({ width, height: 800 })
    await expect(limit).toBeVisible()
    await expect(customizer.option('Sidebar size', 'Compact')).toBeChecked()
  }
  await page.setViewportSize({ width: 1366, height: 800 })
  await expect(limit).toHaveCount(0)
})

test('only the font of the skin in use is fetched, also with all skins in view', async ({
  shared: product,
  open,
}) => {
  const client = await newSuperadmin(product)
  const files = {
    classic: 'open-sans',
    material: 'roboto',
    modern: 'poppins',
    saas: 'inter',
    flat: 'nunito',
    minimal: 'ibm-plex-sans',
  }
  for (const [skin, file] of Object.entries(files)) {
    const fresh = await open(client)
    const fonts: string[] = []
    fresh.on('request', (request) => {
      if (request.resourceType() === 'font') fonts.push(new URL(request.url()).pathname)
    })
    await wear(fresh, { skin })
    await fresh.goto('/settings')
    await fresh.getByRole('button', { name: 'Layout customizer' }).click()
    await expect(fresh.getByRole('radio', { name: 'Minimal' })).toBeAttached()
    await fresh.evaluate(() => document.fonts.ready)
    expect(fonts.length, skin).toBeGreaterThan(0)
    expect(fonts.filter((address) => !address.includes(`/${file}-`))).toEqual([])
  }
})

const broken = [
  'no json at all {',
  '[]',
  '"galaxy"',
  '{"skin":"galaxy","theme":"pink","orientation":7,"sidenav":{"size":"huge","color":null,"user":"yes"}}',
  '{"sidenav":null,"topBar":[],"position":{},"width":"endless"}',
]
for (const text of broken)
  test(`what is kept may be broken: ${text.slice(0, 32)}`, async ({ world: { page } }) => {
    await go(page, text)
    expect((await seenBy(page)).atBody).toMatchObject(defaults)
    for (const [name, value] of Object.entries(defaults)) expect(await attribute(page, name)).toBe(value)
  })

test('a choice in one tab is shown in the other', async ({ world: { page, customizer } }) => {
  await go(page)
  const other = await page.context().newPage()
  await other.goto('/settings')
  await expect(other.locator('main h1')).toBeVisible()
  await customizer.open()
  await press(customizer.option('Skin', 'Modern'))
  await press(customizer.option('Sidenav colour', 'Gradient'))
  await expect(other.locator('html')).toHaveAttribute('data-skin', 'modern')
  await expect(other.locator('html')).toHaveAttribute('data-menu-color', 'gradient')
})

test('it is accessible, and fits on every window', async ({ world: { page, customizer } }) => {
  for (const [width, height, theme] of [
    [1366, 800, 'light'],
    [390, 844, 'dark'],
    [320, 256, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height })
    await go(page, { theme })
    await customizer.open()
    expect(await axeFaults(page), `${width} ${theme}`).toEqual([])
    await fitsAcross(page)
    const box = await customizer.panel.boundingBox()
    expect(box?.x).toBeGreaterThanOrEqual(width < 456 ? 55 : 900)
    const close = customizer.panel.getByRole('button', { name: 'Close', exact: true })
    await close.scrollIntoViewIfNeeded()
    await close.click()
    await expect(customizer.panel).toBeHidden()
  }
})
