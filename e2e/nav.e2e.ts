import { expect, type Locator, type Page } from '@playwright/test'
import { createOrganization } from '#contract/directory/organizations.ts'
import { newSuperadmin, type Client } from './client.ts'
import { axeFaults, followed, wear } from './console.ts'
import { onProductOf } from './shared.ts'

type World = { page: Page; client: Client }

/** The menu: what is in it, what is open and marked, and how keys and pointers move through it. */
const test = onProductOf({ DEMO_MENU: '1' }).extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const client = await newSuperadmin(product)
    const page = await open(client)
    await page.mouse.move(1000, 600)
    await use({ page, client })
  },
})

const main = (page: Page) => page.getByRole('navigation', { name: 'Main' })
const group = (page: Page, name: string) => main(page).getByRole('button', { name, exact: true })
const link = (page: Page, name: string) => main(page).getByRole('link', { name, exact: true })
const topGroups = (page: Page) => main(page).locator('button[data-top]')
const openGroups = (page: Page) => topGroups(page).and(page.locator('[aria-expanded=true]'))
async function openPage(page: Page, address: string, look: object = {}): Promise<void> {
  await page.goto('/api/health')
  await wear(page, look)
  await page.goto(address)
  await expect(page.locator('main h1')).toBeVisible()
}

const style = (element: Locator, name: string): Promise<string> =>
  element.evaluate((node, key) => getComputedStyle(node).getPropertyValue(key), name)

const reports = [
  ['Account User Activity', '/reports/account-user-activity'],
  ['User Engagement', '/reports/user-engagement'],
  ['Account Activity', '/reports/account-activity'],
  ['Message Analytics', '/reports/message-analytics'],
  ['Quiz Metrics', '/reports/quiz-metrics'],
] as const

test('the menu has its items, their order and their targets', async ({ world: { page } }) => {
  const withoutDemo = async (url: string) => {
    await page.route(url, async (route) => {
      const answer = await route.fetch()
      const body = (await answer.text()).replace(
        'name="demo-menu" content="1"',
        'name="demo-menu" content=""',
      )
      await route.fulfill({ response: answer, body })
    })
    await page.goto(url)
    await page.unroute(url)
  }
  await withoutDemo('/settings')
  await group(page, 'Reports').click()
  const links = await main(page)
    .getByRole('link')
    .evaluateAll((all) => all.map((one) => [one.textContent, one.getAttribute('href')]))
  expect(links).toEqual([
    ['Dashboard', '/dashboard'],
    ['Organizations', '/organizations'],
    ['Content', '/content'],
    ['Transmissions', '/transmissions'],
    ['Assignments', '/assignments'],
    ['Settings', '/settings'],
    ...reports,
    ['Training Matrix', '/reports/training-matrix'],
  ])
  const metrics = main(page).getByRole('list', { name: 'Metrics & Analytics' })
  await expect(main(page).getByRole('heading', { level: 2, name: 'Metrics & Analytics' })).toBeVisible()
  await expect(metrics.getByRole('button')).toHaveText(['Reports'])
  await expect(metrics.getByRole('link')).toHaveText([...reports.map(([label]) => label), 'Training Matrix'])
})

test('each report opens from its item, which is then highlighted while its group stays open', async ({
  world: { page },
}) => {
  await openPage(page, '/settings')
  await group(page, 'Reports').click()
  for (const [label, path] of reports) {
    await link(page, label).click()
    await page.waitForURL(`**${path}`)
    await expect(page.getByRole('heading', { level: 1, name: label })).toBeVisible()
    await expect(page.locator('[aria-current=page]')).toHaveText([label])
    await expect(group(page, 'Reports')).toHaveAttribute('aria-expanded', 'true')
  }
})

test(
  'exactly one link is marked, also on the pages below its own',
  { tag: '@long' },
  async ({ world: { page, client } }) => {
    const { id } = await client.call(createOrganization, { body: { name: 'Northwind' } })
    for (const [path, label] of [
      ['/dashboard', 'Dashboard'],
      ['/organizations', 'Organizations'],
      ['/organizations/create', 'Organizations'],
      [`/organizations/${id}/edit`, 'Organizations'],
      [`/organizations/${id}/dashboard`, 'Organizations'],
      [`/organizations/${id}/users/create`, 'Organizations'],
      [`/organizations/${id}/groups/create`, 'Organizations'],
      ['/content', 'Content'],
      ['/transmissions/create', 'Transmissions'],
      ['/settings', 'Settings'],
    ] as const) {
      await openPage(page, path)
      await expect(page.locator('#sidenav [aria-current=page]'), path).toHaveText([label])
    }
  },
)

test('the group that holds the page is open, and no other', async ({ world: { page } }) => {
  await openPage(page, '/layouts/sidebars/gray')
  await expect(openGroups(page)).toHaveText(['Sidebars'])
  await expect(page.locator('#sidenav [aria-current=page]')).toHaveText(['Gray Menu'])
})

test('one top-level group is open at a time, and a second press closes it', async ({ world: { page } }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await openPage(page, '/dashboard')
  await group(page, 'Sidebars').click()
  await expect(openGroups(page)).toHaveText(['Sidebars'])
  await group(page, 'Topbars').click()
  await expect(openGroups(page)).toHaveText(['Topbars'])
  await expect(link(page, 'Gray Menu')).toBeHidden()
  await group(page, 'Topbars').click()
  await expect(openGroups(page)).toHaveCount(0)
  await group(page, 'Menu Levels').click()
  await group(page, 'Third Level').click()
  await group(page, 'Fourth Level').click()
  await expect(link(page, 'Item 2')).toBeVisible()
  await expect(openGroups(page)).toHaveText(['Menu Levels'])
})

test('a group takes 300 ms to open and to close, and none of it with less motion', async ({
  world: { page },
}) => {
  await openPage(page, '/dashboard')
  const panel = page.locator('[data-panel]').first()
  expect(await style(panel, 'transition-duration')).toBe('0.3s')
  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect(await style(panel, 'transition-duration')).toBe('0s')
})

const scrolled = (page: Page) =>
  page.locator('#sidenav>:last-child').evaluate(({ scrollTop }) => Math.round(scrollTop))
const last = '/layouts/topbars/with-tools'

/** A page whose clock stands still from the start; the frame is drawn, no timer has run. */
async function openStill(page: Page, path: string): Promise<void> {
  await page.clock.install()
  await page.clock.pauseAt(new Date(Date.now() + 60_000))
  await page.goto(path)
  await expectFrame(page)
}

async function expectFrame(page: Page): Promise<void> {
  await expect(page.locator('#sidenav [aria-current=page]')).toHaveCount(1)
  await followed(page)
}

test(
  'the active link is brought into view: after 100 ms, over 500 ms, unless somebody scrolls',
  { tag: '@long' },
  async ({ world: { page } }) => {
    await page.setViewportSize({ width: 1366, height: 420 })
    await openStill(page, last)
    await page.clock.runFor(90)
    expect(await scrolled(page)).toBe(0)
    await page.clock.runFor(260)
    const half = await scrolled(page)
    await page.clock.runFor(266)
    const end = await scrolled(page)
    expect(half).toBeGreaterThan(0)
    expect(half).toBeLessThan(end)
    await expect(page.locator('#sidenav [aria-current=page]')).toBeInViewport({ ratio: 1 })
    await page.clock.runFor(1_000)
    expect(await scrolled(page)).toBe(end)

    await page.reload()
    await expectFrame(page)
    await page.clock.runFor(300)
    await page.locator('#sidenav>:last-child').dispatchEvent('wheel')
    const stopped = await scrolled(page)
    await page.clock.runFor(1_000)
    expect(await scrolled(page)).toBe(stopped)
    expect(stopped).toBeLessThan(end)

    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.reload()
    await expectFrame(page)
    await page.clock.runFor(90)
    expect(await scrolled(page)).toBe(0)
    await page.clock.runFor(30)
    expect(await scrolled(page)).toBe(end)
  },
)

test('every kind of item is what it says', async ({ world: { page } }) => {
  await openPage(page, '/dashboard')
  const title = main(page).getByRole('heading', { name: 'Layouts' })
  expect(await title.evaluate((node) => [node.tagName, node.tabIndex, node.closest('a, button')])).toEqual([
    'H2',
    -1,
    null,
  ])
  const badge = link(page, 'Landing New').locator('[data-tone]')
  await expect(badge).toHaveText('New')
  const success = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'))
    probe.style.color = 'var(--c-success)'
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  })
  expect(await style(badge, 'color')).toBe(success)

  const disabled = link(page, 'Disabled Menu')
  await expect(disabled).toBeDisabled()
  await expect(disabled).toHaveAccessibleDescription('Not available')
  await disabled.evaluate((node) => node.focus())
  await expect(disabled).not.toBeFocused()
  await expect(disabled).not.toHaveAttribute('href')
  await disabled.click({ force: true })
  expect(new URL(page.url()).pathname).toBe('/dashboard')

  const special = link(page, 'Special Menu')
  const filled = await page.evaluate(() =>
    getComputedStyle(document.documentElement).getPropertyValue('--c-primary-filled'),
  )
  expect(filled).toBe('#0c7562')
  expect(await style(special, 'background-color')).toBe('rgb(12, 117, 98)')
  expect(await style(special, 'color')).toBe('rgb(255, 255, 255)')
})

test('the keyboard reaches every item, opens and closes groups, and skips what is disabled', async ({
  world: { page },
}) => {
  await openPage(page, '/dashboard')
  await link(page, 'Dashboard').focus()
  await page.keyboard.press('ArrowDown')
  await expect(link(page, 'Organizations')).toBeFocused()
  await page.keyboard.press('End')
  await expect(link(page, 'Special Menu')).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await expect(group(page, 'Menu Levels')).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(group(page, 'Menu Levels')).toHaveAttribute('aria-expanded', 'true')
  await page.keyboard.press('ArrowRight')
  await expect(link(page, 'Second Level')).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(group(page, 'Third Level')).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('ArrowDown')
  await expect(link(page, 'Item 1')).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  await expect(group(page, 'Third Level')).toBeFocused()
  await expect(group(page, 'Third Level')).toHaveAttribute('aria-expanded', 'false')
  await page.keyboard.press('ArrowLeft')
  await expect(group(page, 'Menu Levels')).toBeFocused()
  await expect(group(page, 'Menu Levels')).toHaveAttribute('aria-expanded', 'false')
  await page.keyboard.press('Space')
  await expect(group(page, 'Menu Levels')).toHaveAttribute('aria-expanded', 'true')
  await page.keyboard.press('Home')
  await expect(link(page, 'Dashboard')).toBeFocused()
  await expect(link(page, 'Dashboard')).toHaveCSS('outline-width', '2px')
})

test(
  'in the rail every item keeps its name; groups fly out for the mouse, the focus and a tap',
  { tag: '@long' },
  async ({ world: { page } }) => {
    await openPage(page, '/dashboard', { sidenav: { size: 'condensed' } })
    expect(await axeFaults(page)).toEqual([])
    await expect(link(page, 'Organizations')).toBeVisible()
    const panel = page.locator('#sidenav [data-panel]:visible')

    await group(page, 'Topbars').hover()
    await expect(link(page, 'Dark Topbar')).toBeVisible()
    await link(page, 'Gray Topbar').hover()
    await expect(panel).toHaveCount(1)
    await page.keyboard.press('Escape')
    await expect(panel).toHaveCount(0)
    await page.mouse.move(1000, 600)

    await link(page, 'Settings').focus()
    await page.keyboard.press('ArrowDown')
    await expect(group(page, 'Reports')).toBeFocused()
    await expect(link(page, 'Quiz Metrics')).toBeVisible()
    expect(await axeFaults(page)).toEqual([])
    await page.keyboard.press('ArrowRight')
    await expect(link(page, 'Account User Activity')).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(group(page, 'Reports')).toBeFocused()
    await expect(panel).toHaveCount(0)

    await group(page, 'Menu Levels').hover()
    await group(page, 'Third Level').hover()
    await group(page, 'Fourth Level').hover()
    await expect(link(page, 'Item 2')).toBeVisible()
    const boxes = await panel.evaluateAll((all) =>
      all.map((one) => one.getBoundingClientRect()).map(({ left, right }) => [left, right]),
    )
    expect(boxes.map(([left = 0], depth) => left >= (boxes[depth - 1]?.[1] ?? 75) - 24)).toEqual([
      true,
      true,
      true,
    ])
  },
)

test(
  'what flies out stays whole where the rail is longer than the window',
  { tag: '@long' },
  async ({ world: { page } }) => {
    await page.setViewportSize({ width: 1366, height: 420 })
    await openPage(page, '/dashboard', { sidenav: { size: 'condensed' } })
    await group(page, 'Menu Levels').scrollIntoViewIfNeeded()
    await group(page, 'Menu Levels').hover()
    await expect(link(page, 'Second Level')).toBeInViewport({ ratio: 1 })
    await group(page, 'Authentication').hover()
    await link(page, 'Delete Account').scrollIntoViewIfNeeded()
    await expect(link(page, 'Delete Account')).toBeInViewport({ ratio: 1 })
  },
)

test(
  'a tap opens what flies out of the rail, and a tap beside it closes it',
  { tag: '@long' },
  async ({ browser, shared, world: { page } }) => {
    const context = await browser.newContext({
      baseURL: shared.url,
      hasTouch: true,
      isMobile: true,
      viewport: { width: 1000, height: 800 },
      storageState: await page.context().storageState(),
    })
    const tablet = await context.newPage()
    await tablet.goto('/dashboard')
    const button = tablet.getByRole('button', { name: 'Reports', exact: true })
    await button.tap()
    await expect(button).toHaveAttribute('aria-expanded', 'true')
    await expect(tablet.getByRole('link', { name: 'Quiz Metrics' })).toBeVisible()
    await button.tap()
    await expect(button).toHaveAttribute('aria-expanded', 'false')
    await button.tap()
    await tablet.locator('main h1').tap()
    await expect(button).toHaveAttribute('aria-expanded', 'false')
    await context.close()
  },
)

test(
  'the bar opens its groups when they are pressed, the third level beside the second',
  { tag: '@long' },
  async ({ world: { page } }) => {
    await openPage(page, '/reports/user-engagement', { orientation: 'horizontal' })
    await expect(page.locator('[data-part=topnav] [aria-current=page]')).toHaveCount(1)
    const metrics = group(page, 'Metrics & Analytics')
    await metrics.hover()
    await expect(metrics).toHaveAttribute('aria-expanded', 'false')
    await metrics.click()
    await expect(metrics).toHaveAttribute('aria-expanded', 'true')
    await group(page, 'Reports').click()
    await expect(link(page, 'Quiz Metrics')).toBeVisible()
    expect(await axeFaults(page)).toEqual([])
    const [second, third] = await page
      .locator('[data-part=topnav] [data-panel]:visible')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left))
    expect(third).toBeGreaterThan((second ?? 0) + 100)
    await page.keyboard.press('Escape')
    await expect(group(page, 'Reports')).toBeFocused()
    await expect(link(page, 'Quiz Metrics')).toBeHidden()
    await page.keyboard.press('Escape')
    await expect(metrics).toBeFocused()
    await expect(metrics).toHaveAttribute('aria-expanded', 'false')
    await page.keyboard.press('Enter')
    await expect(group(page, 'Reports')).toBeVisible()
    await page.locator('main').click()
    await expect(metrics).toHaveAttribute('aria-expanded', 'false')
    await metrics.press('ArrowDown')
    await metrics.press('ArrowDown')
    await expect(group(page, 'Reports')).toBeFocused()
    await page.keyboard.press('Space')
    await link(page, 'Message Analytics').click()
    await page.waitForURL('**/reports/message-analytics*')
    await expect(metrics).toHaveAttribute('aria-expanded', 'false')
  },
)

test(
  'classes of the page leave out the icons and draw lines',
  { tag: '@long' },
  async ({ world: { page } }) => {
    await openPage(page, '/layouts/sidebars/no-icons-with-lines')
    await expect(link(page, 'Dashboard').locator('svg')).toBeHidden()
    const line = await link(page, 'Gray Menu').evaluate((node) => {
      const list = node.closest('ul') ?? node
      return getComputedStyle(list, '::before').borderInlineStartStyle
    })
    expect(line).toBe('dashed')
    await openPage(page, '/layouts/sidebars/with-lines')
    await expect(link(page, 'Dashboard').locator('svg')).toBeVisible()
    await link(page, 'Dashboard').click()
    await expect(page.locator('html')).not.toHaveClass(/sidebar-with-line/)
  },
)
