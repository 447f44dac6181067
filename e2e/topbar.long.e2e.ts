import { expect, type Page } from '@playwright/test'
import { createOrganization } from '#contract/directory/organizations.ts'
import type { Role } from '#contract/roles.ts'
import { newOrganization, newSuperadmin, type Client } from './client.ts'
import { askEachAlone, axeFaults, fitsAcross } from './console.ts'
import { onProductOf } from './shared.ts'

type World = { page: Page; client: Client }

const test = onProductOf({ PRODUCT_NAME: 'Reel & Co', PROVIDER_NAME: 'Films Ltd' }).extend<
  { world: World },
  { northwind: string }
>({
  /** The id of one of two organizations: an only one would be chosen by itself. */
  northwind: [
    async ({ shared: product }, use) => {
      const { client, orgId } = await newOrganization(product, 'Northwind')
      await client.call(createOrganization, { body: { name: 'Zenith' } })
      await use(orgId)
    },
    { scope: 'worker', auto: true },
  ],
  world: async ({ shared: product, open }, use) => {
    const client = await newSuperadmin(product)
    const page = await open(client)
    await page.goto('/settings')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await use({ page, client })
  },
})

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const explore = (page: Page) => button(page, 'Explore')
const mega = (page: Page) => page.getByRole('region', { name: 'All of Reel & Co' })
const width = (page: Page, pixels: number, height = 800) => page.setViewportSize({ width: pixels, height })
const field = (page: Page) =>
  page.getByRole('combobox', { name: 'Search Organizations, Users, Content, Transmissions' })

async function expectAccessible(page: Page): Promise<void> {
  // Fades are over at once, so that colours are judged as they stay.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect(await axeFaults(page)).toEqual([])
  await page.emulateMedia({ reducedMotion: null })
}

test('the bar has its parts in the order in which they are read', async ({ world: { page } }) => {
  const bar = page.getByRole('banner')
  const names = await bar
    .locator('a, button, input')
    .filter({ visible: true })
    .evaluateAll((all) =>
      all.map((one) => one.getAttribute('aria-label') ?? one.getAttribute('placeholder') ?? one.textContent),
    )
  expect(names).toEqual([
    'Reel & Co start page',
    'Narrow the menu',
    'Search Organizations, Users, Content, Transmissions',
    'Explore',
    'Organization: All organizations',
    'Layout customizer',
    'Switch to dark',
    'Notifications',
    'Your account',
    'Logout',
  ])
  await expect(field(page)).toHaveAttribute(
    'placeholder',
    'Search Organizations, Users, Content, Transmissions',
  )
  const lefts = await bar
    .locator('a, button, input')
    .filter({ visible: true })
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left))
  expect(lefts).toEqual(lefts.toSorted((one, other) => one - other))
})

test('the logo leads to the start, short beside the whole logo of the side navigation, else whole', async ({
  world: { page },
}) => {
  const logo = page.getByRole('link', { name: 'Reel & Co start page' })
  const box = async () => {
    const { width: wide = 0, height = 0 } = (await logo.boundingBox()) ?? {}
    return [Math.round(wide * 100) / 100, height]
  }
  await expect(logo).toHaveAttribute('href', '/')
  await expect.poll(box).toEqual([30.55, 26])
  await button(page, 'Narrow the menu').click()
  await expect.poll(box).toEqual([92.3, 26])
  await button(page, 'Widen the menu').click()
  for (const narrow of [1000, 767, 320]) {
    await width(page, narrow)
    await expect.poll(box).toEqual([92.3, 26])
  }
})

test('the search is a field from 992 px, and a button that opens it over the bar below', async ({
  world: { page },
}) => {
  await width(page, 992)
  await expect(field(page)).toBeVisible()
  await expect(button(page, 'Search')).toBeHidden()
  await width(page, 991)
  await expect(field(page)).toBeHidden()
  await button(page, 'Search').click()
  await expect(field(page)).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(field(page)).toBeHidden()
  await expect(button(page, 'Search')).toBeFocused()
  await width(page, 1366)
  await field(page).fill('acme')
  await field(page).press('Enter')
  await page.waitForURL('**/search?q=acme')
})

const titles = ['Dashboard & Analytics', 'Project Management', 'User Management']

test('the mega-menu is there from 768 px and not below', async ({ world: { page } }) => {
  await width(page, 767)
  await expect(explore(page)).toBeHidden()
  await width(page, 768)
  await expect(explore(page)).toBeVisible()
})

test('the mega-menu greets, and has three columns of pages that exist', async ({ world: { page } }) => {
  await expect(explore(page)).toHaveAttribute('aria-expanded', 'false')
  await explore(page).click()
  await expect(explore(page)).toHaveAttribute('aria-expanded', 'true')
  await expect(mega(page).getByRole('heading', { level: 2 })).toHaveText('Welcome to Reel & Co')
  await expect(mega(page).getByRole('heading', { level: 3 })).toHaveText(titles)
  await expectAccessible(page)
  const links = await mega(page)
    .getByRole('link')
    .evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''))
  expect(links.length).toBeGreaterThanOrEqual(11)
  expect(new Set(links).size).toBe(links.length)
  expect(links.filter((one) => !one.startsWith('/'))).toEqual([])
  await page.keyboard.press('Escape')
  await expect(mega(page)).toBeHidden()
  await expect(explore(page)).toBeFocused()
  await expect(explore(page)).toHaveAttribute('aria-expanded', 'false')
})

test('the mega-menu is at most 380 px high, and what scrolls in a short window is a stop of its own', async ({
  world: { page },
}) => {
  await explore(page).click()
  const height = async () => (await mega(page).boundingBox())?.height ?? 0
  await expect(mega(page).getByRole('link').first()).toBeVisible()
  await expect.poll(height).toBeGreaterThan(200)
  expect(await height()).toBeLessThanOrEqual(380)
  await width(page, 1366, 300)
  const inner = mega(page).locator('xpath=./div')
  await expect(inner).toHaveAttribute('tabindex', '0')
  expect(await inner.evaluate((box) => box.scrollHeight > box.clientHeight)).toBe(true)
  expect((await mega(page).boundingBox())?.y ?? 0).toBeGreaterThan(0)
  await explore(page).focus()
  await page.keyboard.press('Tab')
  await expect(inner).toBeFocused()
})

test('following a link, tabbing out and a press outside close the mega-menu', async ({ world: { page } }) => {
  await explore(page).click()
  await mega(page)
    .getByRole('link', { name: /^Organizations/ })
    .click()
  await page.waitForURL('**/organizations')
  await expect(mega(page)).toBeHidden()
  await expect(page.getByRole('heading', { level: 1, name: 'Organizations' })).toBeFocused()

  await explore(page).click()
  await mega(page).getByRole('link').last().focus()
  await page.keyboard.press('Tab')
  await expect(mega(page)).toBeHidden()
  // Behind its panel comes what stands beside its button.
  await expect(button(page, 'Organization: All organizations')).toBeFocused()

  await explore(page).click()
  await expect(mega(page)).toBeVisible()
  await page.locator('main').click({ position: { x: 600, y: 600 } })
  await expect(mega(page)).toBeHidden()
})

test('the panels of the bar fade within 300 ms, and at once with reduced motion', async ({
  world: { page },
}) => {
  const seconds = (id: string) =>
    page.locator(id).evaluate((panel) => {
      const { transitionProperty, transitionDuration } = getComputedStyle(panel)
      if (transitionProperty === 'none') return 0
      const at = transitionProperty.split(', ').indexOf('opacity')
      return Number.parseFloat(transitionDuration.split(', ')[at] ?? 'none')
    })
  for (const id of ['#bar-mega', '#bar-notices', '#bar-account']) expect(await seconds(id)).toBe(0.3)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  for (const id of ['#bar-mega', '#bar-notices', '#bar-account'])
    expect(await seconds(id)).toBeLessThanOrEqual(0.02)
})

test('the mega-menu shows what the role may open', async ({ world: { client }, northwind, open }) => {
  const linksOf = async (role: Role) => {
    const other = await open(client)
    await askEachAlone(other)
    await other.route('**/api/auth/session', async (route) => {
      const answer = await route.fetch()
      const body = (await answer.json()) as { user: object }
      await route.fulfill({
        response: answer,
        json: { ...body, user: { ...body.user, role, organizationId: northwind } },
      })
    })
    await other.goto('/settings')
    await expect(other.getByText('Page Not Found')).toHaveCount(0)
    await other.getByRole('button', { name: 'Explore' }).click()
    const links = other.getByRole('region', { name: 'All of Reel & Co' }).getByRole('link')
    await expect(links.first()).toBeVisible()
    const columns = await other
      .getByRole('region', { name: 'All of Reel & Co' })
      .locator('section')
      .evaluateAll((all) =>
        all.map(
          (one) =>
            [
              one.querySelector('h3')?.textContent ?? '',
              [...one.querySelectorAll('a')].map((link) => link.getAttribute('href') ?? ''),
            ] as const,
        ),
      )
    await other.unrouteAll({ behavior: 'wait' })
    expect(columns.map(([title]) => title)).toEqual(titles)
    expect(columns.filter(([, hrefs]) => hrefs.length === 0)).toEqual([])
    const hrefs = columns.flatMap(([, some]) => some)
    expect(new Set(hrefs).size).toBe(hrefs.length)
    return { hrefs, ofProjects: columns[1]?.[1] }
  }
  const own = `/organizations/${northwind}`
  const { hrefs: admin } = await linksOf('admin')
  expect(admin).toEqual(expect.arrayContaining([`${own}/dashboard`, `${own}/users/create`, '/content']))
  expect(admin).not.toContain('/organizations/create')
  const { hrefs: groupadmin, ofProjects } = await linksOf('groupadmin')
  expect(ofProjects).toEqual(['/reports/training-matrix', '/reports/user-engagement'])
  expect(groupadmin).toEqual(expect.arrayContaining([`${own}/dashboard`, `${own}/groups/create`]))
  for (const hidden of ['/content', '/transmissions', '/transmissions/create', `${own}/users/create`])
    expect(groupadmin).not.toContain(hidden)
})

test('one press changes between light and dark, and the person’s menu follows the device', async ({
  world: { page },
}) => {
  const expectTheme = (theme: string) => expect(page.locator('html')).toHaveAttribute('data-bs-theme', theme)
  await button(page, 'Switch to dark').click()
  await expectTheme('dark')
  await button(page, 'Your account').click()
  await expect(page.getByLabel('Dark', { exact: true })).toBeChecked()
  await expectAccessible(page)
  await page.getByLabel('System', { exact: true }).check()
  await page.emulateMedia({ colorScheme: 'light' })
  await expectTheme('light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectTheme('dark')
  await page.reload()
  await expectTheme('dark')
  await button(page, 'Switch to light').click()
  await expectTheme('light')
})

test('the bell keeps the messages of this visit, counts the new ones, and forgets them when asked to', async ({
  world: { page },
}) => {
  const panel = page.getByRole('region', { name: 'Notifications' })
  await button(page, 'Notifications').click()
  await expect(panel).toContainText('Nothing new')
  await page.keyboard.press('Escape')
  await explore(page).click()
  await mega(page)
    .getByRole('link', { name: /^Add an organization/ })
    .click()
  // The settings, which stay until the next page is there, have a field of that name as well.
  await expect(page.getByRole('heading', { level: 1, name: 'Add an organization' })).toBeFocused()
  await page.getByLabel('Name', { exact: true }).fill('Umbrella')
  await page.getByRole('button', { name: 'Add an organization' }).click()
  // What is open closes on the way to another page.
  await expect(page.getByRole('heading', { level: 1, name: 'Umbrella' })).toBeFocused()
  await button(page, 'Notifications, 1 new').click()
  await expect(panel.getByRole('listitem')).toHaveText([/Umbrella was created\.\s*just now/])
  await expectAccessible(page)
  await expect(button(page, 'Notifications')).toBeVisible()
  await panel.getByRole('button', { name: 'Clear' }).click()
  await expect(panel).toContainText('Nothing new')
  await page.keyboard.press('Escape')
  await expect(button(page, 'Notifications')).toBeFocused()
})

test('at 320 px nothing is lost and nothing runs over', async ({ world: { page } }) => {
  await width(page, 320, 640)
  await fitsAcross(page)
  const bar = page.getByRole('banner')
  for (const one of await bar.locator('a, button').filter({ visible: true }).all()) {
    const { x = -1, width: wide = 0, height = 0 } = (await one.boundingBox()) ?? {}
    expect(x).toBeGreaterThanOrEqual(0)
    expect(x + wide).toBeLessThanOrEqual(320)
    expect(Math.min(wide, height)).toBeGreaterThanOrEqual(24)
  }
  await button(page, 'Your account').click()
  const account = page.getByRole('region', { name: 'Your account' })
  await expect(account.getByRole('radio')).toHaveCount(3)
  await expect(bar.getByRole('button', { name: 'Logout' })).toBeVisible()
  await expectAccessible(page)
})

test('in forced colours the focus and what is open can be seen', async ({ world: { page } }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  const outline = () =>
    explore(page).evaluate((one) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(one)
      return [outlineStyle, outlineWidth]
    })
  await explore(page).click()
  await expect(mega(page)).toBeVisible()
  await expect.poll(outline).toEqual(['solid', '2px'])
  await page.keyboard.press('Escape')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Tab')
  await expect(explore(page)).toBeFocused()
  await expect.poll(outline).toEqual(['solid', '2px'])
})

test('the footer has the year of the clock, the product and its provider', async ({ world: { page } }) => {
  await page.clock.setFixedTime(new Date('2031-07-01T12:00:00Z'))
  await page.goto('/settings')
  await expect(page.getByRole('contentinfo')).toHaveText('© 2031 Reel & Co - by Films Ltd')
})

test('Logout clears the session and leads to sign-in, and Back shows nothing that is protected', async ({
  world: { page },
}) => {
  await page.goto('/organizations')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).click()
  await page.waitForURL('**/settings')
  await button(page, 'Logout').click()
  await page.waitForURL('**/auth-1/sign-in')
  const stored = await page.evaluate(() =>
    Object.entries(localStorage).filter(([key]) => key.startsWith('persist:auth')),
  )
  expect(stored.map(([, text]) => JSON.parse(text) as unknown)).toEqual([
    { token: null, user: null, isAuthenticated: false },
  ])
  await page.goBack()
  await page.waitForURL('**/auth-1/sign-in**')
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible()
  await expect(page.locator('[data-part=sidenav]')).toHaveCount(0)
})
