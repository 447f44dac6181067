import { expect, type Page } from '@playwright/test'
import { logo } from '#contract/directory/logo.ts'
import { skinNames } from '#web/ui/look/skins.ts'
import { themeNames } from '#web/ui/look/tokens.ts'
import { newSuperadmin } from './client.ts'
import { axeFaults, wear } from './console.ts'
import { test as shared } from './shared.ts'

/** The frame around every page: six sizes of the side navigation, the drawer, the bar, and the box around all. */
const test = shared.extend({
  page: async ({ shared: product, open }, use) => {
    const page = await open(await newSuperadmin(product))
    await page.mouse.move(1000, 600)
    await use(page)
  },
})

const size = (page: Page, width: number, height = 800) => page.setViewportSize({ width, height })
const html = (page: Page, name: string) => page.locator('html').getAttribute(`data-${name}`)
const stored = (page: Page) => page.evaluate(() => localStorage.getItem('layout'))
const saved = async (page: Page) =>
  JSON.parse((await stored(page)) ?? '{}') as { sidenav?: Record<string, unknown> }
const body = (page: Page) =>
  page.evaluate(() => [document.body.style.overflow, document.body.style.paddingRight])
const toggle = (page: Page) => page.locator('#nav-toggle')
const backdrop = (page: Page) => page.locator('#custom-backdrop')
const side = (page: Page) => page.locator('[data-part=sidenav]')

async function go(page: Page, address: string, look: object = {}): Promise<void> {
  await page.goto('/api/health')
  await wear(page, look)
  await page.goto(address)
  await expect(page.locator('main h1')).toBeVisible()
}

/** Width of the side navigation and the left edge of the page beside it, once both stand still. */
async function expectFrame(page: Page, width: number, edge: number): Promise<void> {
  const measure = () =>
    page.evaluate(() =>
      ['[data-part=sidenav]', '[data-part=page]'].map((part) => {
        const box = document.querySelector(part)?.getBoundingClientRect()
        return Math.round((part === '[data-part=page]' ? box?.left : box?.width) ?? -1)
      }),
    )
  await expect.poll(measure).toEqual([width, edge])
}

test('the orientation decides between side navigation and bar', async ({ page }) => {
  await go(page, '/settings')
  await expect(side(page)).toBeVisible()
  await expect(page.locator('[data-part=topnav]')).toHaveCount(0)
  await expect.poll(() => html(page, 'layout')).toBe('')
  await wear(page, { orientation: 'horizontal' })
  await expect(page.locator('[data-part=topnav]')).toBeVisible()
  await expect(side(page)).toHaveCount(0)
  await expect.poll(() => html(page, 'layout')).toBe('topnav')
  await wear(page, { orientation: 'vertical' })
  await expect(side(page)).toBeVisible()
  await expect.poll(() => html(page, 'layout')).toBe('')
})

const sizes = ['default', 'compact', 'condensed', 'on-hover', 'on-hover-active', 'offcanvas'] as const

test('narrow windows force a size on every choice, and save none of it', async ({ page }) => {
  await go(page, '/settings')
  for (const chosen of sizes) {
    await size(page, 1366)
    await wear(page, { sidenav: { size: chosen } })
    const before = await stored(page)
    const middle = chosen === 'offcanvas' ? 'offcanvas' : 'condensed'
    for (const [width, expected] of [
      [767, 'offcanvas'],
      [768, middle],
      [1140, middle],
      [1141, chosen],
    ] as const) {
      await size(page, width)
      await expect.poll(() => html(page, 'sidenav-size'), `${chosen} at ${width}`).toBe(expected)
    }
    expect(await stored(page)).toBe(before)
  }
})

test('a bar becomes a drawer below 992 pixels, and the own size survives it', async ({ page }) => {
  await go(page, '/settings', { orientation: 'horizontal', sidenav: { size: 'compact' } })
  await size(page, 991)
  await expect.poll(() => html(page, 'sidenav-size')).toBe('offcanvas')
  await expect(page.locator('[data-part=topnav]')).toHaveCount(0)
  await toggle(page).click()
  await expect(page.getByRole('dialog', { name: 'Main navigation' })).toBeVisible()
  await page.keyboard.press('Escape')
  await size(page, 992)
  await expect.poll(() => html(page, 'sidenav-size')).toBe('default')
  await expect(page.locator('[data-part=topnav]')).toBeVisible()
  await wear(page, { ...(await saved(page)), orientation: 'vertical' })
  await size(page, 1366)
  await expect.poll(() => html(page, 'sidenav-size')).toBe('compact')
})

test('toggle and pin switch between the rail that widens and the one that stays wide, and save it', async ({
  page,
}) => {
  await go(page, '/settings', { sidenav: { size: 'on-hover' } })
  const pin = page.getByRole('button', { name: 'Keep the menu open' })
  await toggle(page).click()
  await expect.poll(async () => (await saved(page)).sidenav?.['size']).toBe('on-hover-active')
  await expect(pin).toHaveAttribute('aria-pressed', 'true')
  await toggle(page).click()
  await expect.poll(async () => (await saved(page)).sidenav?.['size']).toBe('on-hover')
  await side(page).hover()
  // A press on what still moves ends beside it.
  await expectFrame(page, 235, 75)
  await pin.click()
  await expect.poll(async () => (await saved(page)).sidenav?.['size']).toBe('on-hover-active')
  await pin.click()
  await expect.poll(async () => (await saved(page)).sidenav?.['size']).toBe('on-hover')
  await expect(pin).toHaveAttribute('aria-pressed', 'false')
})

test('the toggle saves default and condensed; compact only makes room for now', async ({ page }) => {
  await go(page, '/settings')
  await toggle(page).click()
  await expect.poll(async () => (await saved(page)).sidenav?.['size']).toBe('condensed')
  await toggle(page).click()
  await expect.poll(async () => (await saved(page)).sidenav?.['size']).toBe('default')
  await wear(page, { sidenav: { size: 'compact' } })
  const before = await stored(page)
  await toggle(page).click()
  await expect.poll(() => html(page, 'sidenav-size')).toBe('condensed')
  await toggle(page).click()
  await expect.poll(() => html(page, 'sidenav-size')).toBe('compact')
  expect(await stored(page)).toBe(before)
})

test('each size is as wide as it says, and the page begins where it ends', async ({ page }) => {
  await go(page, '/settings')
  for (const [chosen, width] of [
    ['default', 235],
    ['compact', 160],
    ['condensed', 75],
    ['on-hover', 75],
    ['on-hover-active', 235],
  ] as const) {
    await wear(page, { sidenav: { size: chosen } })
    await expectFrame(page, width, width)
  }
  await wear(page, { sidenav: { size: 'offcanvas' } })
  await expectFrame(page, 235, 0)
  await expect(side(page)).toBeHidden()
})

test('the rail widens over the page under the mouse and with the focus, and narrows again', async ({
  page,
}) => {
  await go(page, '/settings', { sidenav: { size: 'on-hover' } })
  await expectFrame(page, 75, 75)
  const before = await page.getByRole('link', { name: 'Content', exact: true }).boundingBox()
  await side(page).hover({ position: { x: 30, y: 30 } })
  await expectFrame(page, 235, 75)
  const after = await page.getByRole('link', { name: 'Content', exact: true }).boundingBox()
  expect(after?.y).toBe(before?.y)
  const front = await page.evaluate(() => document.elementFromPoint(200, 32)?.closest('[data-part]')?.id)
  expect(front).toBe('sidenav')
  await page.getByRole('button', { name: 'Reports' }).click()
  await expect(page.getByRole('link', { name: 'Quiz Metrics' })).toBeVisible()
  await page.mouse.move(1000, 600)
  await expectFrame(page, 75, 75)
  await expect(page.getByRole('link', { name: 'Quiz Metrics' })).toBeHidden()

  await page.locator('main h1').focus()
  await page.evaluate(() => document.querySelector<HTMLElement>('a[href="#content"]')?.focus())
  await page.keyboard.press('Tab')
  await expectFrame(page, 235, 75)
  await page.keyboard.press('Escape')
  await expectFrame(page, 75, 75)
})

test('the narrow rail shows its icons in its middle, whatever is open in it', async ({ page }) => {
  await go(page, '/layouts/sidebars/on-hover')
  const middles = await side(page)
    .locator('[data-top] svg:first-child')
    .evaluateAll((icons) =>
      icons.map((icon) => icon.getBoundingClientRect()).map(({ x, width }) => x + width / 2),
    )
  expect(middles.length).toBeGreaterThan(5)
  for (const middle of middles) expect(Math.abs(middle - 37.5)).toBeLessThan(1)
})

test('the drawer locks the page as the specification says, and gives everything back', async ({ page }) => {
  await go(page, '/settings')
  await size(page, 767)
  await toggle(page).click()
  await expect(backdrop(page)).toBeVisible()
  await expect.poll(() => body(page)).toEqual(['hidden', ''])
  await page.keyboard.press('Escape')
  await expect(backdrop(page)).toHaveCount(0)

  await wear(page, { sidenav: { size: 'offcanvas' } })
  await size(page, 768)
  await page.evaluate(() => document.querySelector('main')?.setAttribute('style', 'min-height:3000px'))
  await toggle(page).click()
  await expect.poll(() => body(page)).toEqual(['hidden', '15px'])
  await page.mouse.move(600, 400)
  await page.mouse.wheel(0, 500)
  expect(await page.evaluate(() => scrollY)).toBe(0)
  expect(await backdrop(page).evaluate((node) => getComputedStyle(node).transitionDuration)).toBe('0.3s')
  await page.mouse.click(600, 400)
  await expect(side(page)).toBeHidden()
  await expect(backdrop(page)).toHaveCount(0)
  await expect.poll(() => body(page)).toEqual(['', ''])
  await page.mouse.wheel(0, 500)
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(500)
})

test('the drawer closes when the window grows, when a link is followed and by its button', async ({
  page,
}) => {
  await size(page, 390, 844)
  await go(page, '/settings')
  await toggle(page).click()
  await expect(backdrop(page)).toBeVisible()
  await size(page, 1300)
  await expect(backdrop(page)).toHaveCount(0)
  await expect.poll(() => body(page)).toEqual(['', ''])
  await size(page, 390, 844)
  await expect(side(page)).toBeHidden()
  await toggle(page).click()
  await page.getByRole('link', { name: 'Organizations', exact: true }).click()
  await page.waitForURL('**/organizations')
  await expect(backdrop(page)).toHaveCount(0)
  await toggle(page).click()
  await page.goBack()
  await page.waitForURL('**/settings')
  await expect(backdrop(page)).toHaveCount(0)
  await toggle(page).click()
  await side(page).getByRole('button', { name: 'Close the menu' }).click()
  await expect(backdrop(page)).toHaveCount(0)
  await expect(toggle(page)).toBeFocused()
})

test('that the drawer is open is saved while it is, and forgotten by a reload', async ({ page }) => {
  await size(page, 390, 844)
  await go(page, '/settings')
  await toggle(page).click()
  await expect.poll(async () => (await saved(page)).sidenav?.['isMobileMenuOpen']).toBe(true)
  await page.reload()
  await expect(page.locator('main h1')).toBeVisible()
  await expect(side(page)).toBeHidden()
  await expect(page.locator('html')).not.toHaveClass(/sidebar-enable/)
  await toggle(page).click()
  await expect(side(page)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect.poll(async () => (await saved(page)).sidenav?.['isMobileMenuOpen']).toBe(false)
})

test('the drawer keeps the focus for thirty steps either way, and the rest is out of reach', async ({
  page,
}) => {
  await size(page, 390, 844)
  await go(page, '/settings')
  await toggle(page).click()
  await expect(side(page).getByRole('button', { name: 'Close the menu' })).toBeFocused()
  await expect(page.locator('[data-part=page]')).toHaveAttribute('inert', '')
  expect(await axeFaults(page)).toEqual([])
  const seen = new Set<string>()
  for (const key of ['Tab', 'Shift+Tab']) {
    for (let step = 0; step < 30; step += 1) {
      await page.keyboard.press(key)
      const at = await page.evaluate(() => {
        const active = document.activeElement
        return active?.closest('#sidenav') ? (active.textContent ?? '') + active.ariaLabel : 'outside'
      })
      seen.add(at)
    }
  }
  expect(seen.has('outside')).toBe(false)
  expect(seen.size).toBeGreaterThanOrEqual(9)
  await page.keyboard.press('Escape')
  await expect(toggle(page)).toBeFocused()
})

test('scrollable lets bar and menu go with the page from 992 pixels; fixed keeps them', async ({ page }) => {
  await go(page, '/settings')
  const tops = async () => {
    await page.evaluate(() => {
      document.querySelector('main')?.setAttribute('style', 'min-height:3000px')
      scrollTo(0, 500)
    })
    return page.evaluate(() =>
      ['[data-part=topbar]', '[data-part=sidenav]'].map((part) =>
        Math.round(document.querySelector(part)?.getBoundingClientRect().top ?? -1),
      ),
    )
  }
  expect(await tops()).toEqual([0, 0])
  await wear(page, { position: 'scrollable' })
  expect(await tops()).toEqual([-500, -500])
  await size(page, 991)
  await expect.poll(tops).toEqual([0, 0])
})

test('boxed is 1340 pixels wide and centred from 1400, with all of the frame inside', async ({ page }) => {
  const edges = () =>
    page.evaluate(() => {
      const box = (part: string) => document.querySelector(part)?.getBoundingClientRect()
      const shell = box('[data-part=shell]')
      return [shell?.left, shell?.right, (box('[data-part=sidenav]')?.left ?? -1) - (shell?.left ?? 0) <= 1]
    })
  for (const [address, look] of [
    ['/settings', { width: 'boxed' }],
    ['/layouts/boxed', {}],
  ] as const) {
    await go(page, address, look)
    await size(page, 1500)
    await expect.poll(edges).toEqual([80, 1420, true])
    const bar = await page.locator('[data-part=topbar]').boundingBox()
    expect(Math.round((bar?.x ?? 0) + (bar?.width ?? 0))).toBeLessThanOrEqual(1420)
    await size(page, 1399)
    await expect.poll(edges).toEqual([0, 1399, true])
  }
})

test('with less motion nothing of the frame moves', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await size(page, 390, 844)
  await go(page, '/settings')
  await toggle(page).click()
  const moving = await page.evaluate(() =>
    Array.from(document.querySelectorAll('#sidenav, #sidenav *, [data-part=page], #custom-backdrop'))
      .map((node) => getComputedStyle(node))
      .flatMap(({ transitionDuration, animationDuration, animationName }) => [
        transitionDuration,
        animationName === 'none' ? '0s' : animationDuration,
      ])
      .filter((time) => Number.parseFloat(time) > 0),
  )
  expect(moving).toEqual([])
})

test('the page is where it will be as soon as it is drawn', async ({ page }) => {
  for (const look of [{}, { sidenav: { size: 'condensed' } }, { orientation: 'horizontal' }]) {
    await go(page, '/settings', look)
    const shift = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let sum = 0
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) {
              const sources: { node?: Node }[] = Reflect.get(entry, 'sources') ?? []
              const isFrame = sources.some(
                ({ node }) =>
                  node instanceof Element &&
                  node.closest('[data-part=sidenav], [data-part=topbar], [data-part=topnav]') !== null,
              )
              if (isFrame) sum += Number(Reflect.get(entry, 'value'))
            }
          }).observe({ type: 'layout-shift', buffered: true })
          requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)))
        }),
    )
    expect(shift).toBe(0)
  }
})

test('both logos lead where they should, and have the size of the specification', async ({ page }) => {
  const side = page.getByRole('link', { name: 'Sendreel dashboard' })
  const top = page.getByRole('link', { name: 'Sendreel start page' })
  for (const [size, sideWidth, topWidth] of [
    ['default', 92.3, 30.55],
    ['condensed', 30.55, undefined],
    ['offcanvas', 92.3, 92.3],
  ] as const) {
    await go(page, '/settings', { sidenav: { size } })
    if (size === 'offcanvas') await page.locator('#nav-toggle').click()
    expect(await side.getAttribute('href')).toBe('/dashboard')
    expect(await top.getAttribute('href')).toBe('/')
    for (const [logo, width] of [
      [side, sideWidth],
      [top, topWidth],
    ] as const) {
      const box = await logo.boundingBox()
      expect(Math.abs((box?.height ?? 0) - 26)).toBeLessThanOrEqual(0.1)
      if (width) expect(Math.abs((box?.width ?? 0) - width)).toBeLessThanOrEqual(0.1)
    }
  }
})

test('the name in the logo is whole in every skin and theme, and already where somebody signs in', async ({
  page,
}) => {
  await go(page, '/settings', { sidenav: { size: 'default' } })
  const side = page.getByRole('link', { name: 'Sendreel dashboard' })
  for (const skin of skinNames)
    for (const theme of themeNames) {
      await wear(page, { skin, theme })
      const [box, name] = [await side.boundingBox(), await side.locator('path').last().boundingBox()]
      const ends = [box, name].map((one) => (one?.x ?? 0) + (one?.width ?? 0))
      expect(name?.width, `${skin} ${theme}`).toBeGreaterThan(55)
      expect(ends[1], `${skin} ${theme}`).toBeLessThanOrEqual(ends[0] ?? 0)
    }
  const signIn = await page.request.get('/auth-1/sign-in')
  expect(await signIn.text()).toContain(logo.name)
})

test('the person is shown with a menu whose entries work, unless the choice says no', async ({ page }) => {
  await go(page, '/dashboard')
  const box = page.locator('#sidenav > :has(> [popovertarget])')
  await expect(box).toContainText('Sue Perior')
  await expect(box).toContainText('Superadmin')
  await box.getByRole('button', { name: 'Account menu' }).click()
  await expect(box.getByText('Welcome, Sue Perior')).toBeVisible()
  await box.getByRole('link', { name: 'Profile' }).click()
  await page.waitForURL('**/settings')
  await expect(box.getByText('Welcome, Sue Perior')).toBeHidden()
  await wear(page, { sidenav: { user: false } })
  await expect(box).toHaveCount(0)
})
