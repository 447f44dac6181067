import { expect, test, type Locator, type Page } from '@playwright/test'
import { createOrganization } from '#contract/organizations.ts'
import { firstSuperadmin, type Client } from './client.ts'
import { axeFaults, followed, signedIn, wear } from './console.ts'
import { startProduct, type Product } from './product.ts'

/** The menu: what is in it, what is open and marked, and how keys and pointers move through it. */
let product: Product
let client: Client
let page: Page

test.beforeAll(async ({ browser }) => {
  product = await startProduct({ DEMO_MENU: '1' })
  client = await firstSuperadmin(product)
  page = await signedIn(browser, product, client)
})
test.afterAll(async () => {
  await page.context().close()
  await product.stop()
})
test.beforeEach(async () => {
  await page.setViewportSize({ width: 1366, height: 800 })
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await page.mouse.move(1000, 600)
})

const main = () => page.getByRole('navigation', { name: 'Main' })
const group = (name: string) => main().getByRole('button', { name, exact: true })
const link = (name: string) => main().getByRole('link', { name, exact: true })
const topGroups = () => main().locator('button[data-top]')
const openGroups = () => topGroups().and(page.locator('[aria-expanded=true]'))
async function open(address: string, look: object = {}): Promise<void> {
  await page.goto(`${product.url}/api/health`)
  await wear(page, look)
  await page.goto(product.url + address)
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

test('the menu has its items, their order and their targets', async () => {
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
  await withoutDemo(`${product.url}/settings`)
  await group('Reports').click()
  const links = await main()
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
  const metrics = main().getByRole('list', { name: 'Metrics & Analytics' })
  await expect(main().getByRole('heading', { level: 2, name: 'Metrics & Analytics' })).toBeVisible()
  await expect(metrics.getByRole('button')).toHaveText(['Reports'])
  await expect(metrics.getByRole('link')).toHaveText([...reports.map(([label]) => label), 'Training Matrix'])
})

test('each report opens from its item, which is then highlighted while its group stays open', async () => {
  await open('/settings')
  await group('Reports').click()
  for (const [label, path] of reports) {
    await link(label).click()
    await page.waitForURL(`**${path}`)
    await expect(page.getByRole('heading', { level: 1, name: label })).toBeVisible()
    await expect(page.locator('[aria-current=page]')).toHaveText([label])
    await expect(group('Reports')).toHaveAttribute('aria-expanded', 'true')
  }
})

test('exactly one link is marked, also on the pages below its own', { tag: '@long' }, async () => {
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
    await open(path)
    await expect(page.locator('#sidenav [aria-current=page]'), path).toHaveText([label])
  }
})

test('the group that holds the page is open, and no other', async () => {
  await open('/layouts/sidebars/gray')
  await expect(openGroups()).toHaveText(['Sidebars'])
  await expect(page.locator('#sidenav [aria-current=page]')).toHaveText(['Gray Menu'])
})

test('one top-level group is open at a time, and a second press closes it', async () => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await open('/dashboard')
  await group('Sidebars').click()
  await expect(openGroups()).toHaveText(['Sidebars'])
  await group('Topbars').click()
  await expect(openGroups()).toHaveText(['Topbars'])
  await expect(link('Gray Menu')).toBeHidden()
  await group('Topbars').click()
  await expect(openGroups()).toHaveCount(0)
  await group('Menu Levels').click()
  await group('Third Level').click()
  await group('Fourth Level').click()
  await expect(link('Item 2')).toBeVisible()
  await expect(openGroups()).toHaveText(['Menu Levels'])
})

test('a group takes 300 ms to open and to close, and none of it with less motion', async () => {
  await open('/dashboard')
  const panel = page.locator('[data-panel]').first()
  expect(await style(panel, 'transition-duration')).toBe('0.3s')
  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect(await style(panel, 'transition-duration')).toBe('0s')
})

const scrolled = () => page.locator('#sidenav>:last-child').evaluate(({ scrollTop }) => Math.round(scrollTop))
const last = '/layouts/topbars/with-tools'

/** A page whose clock stands still from the start; the frame is drawn, no timer has run. */
async function openStill(browserPage: Page, path: string): Promise<void> {
  await browserPage.clock.install()
  await browserPage.clock.pauseAt(new Date(Date.now() + 60_000))
  await browserPage.goto(product.url + path)
  await expectFrame(browserPage)
}

async function expectFrame(browserPage: Page): Promise<void> {
  await expect(browserPage.locator('#sidenav [aria-current=page]')).toHaveCount(1)
  await followed(browserPage)
}

test(
  'the active link is brought into view: after 100 ms, over 500 ms, unless somebody scrolls',
  { tag: '@long' },
  async ({ browser }) => {
    const shared = page
    page = await signedIn(browser, product, client)
    await page.setViewportSize({ width: 1366, height: 420 })
    await openStill(page, last)
    await page.clock.runFor(90)
    expect(await scrolled()).toBe(0)
    await page.clock.runFor(260)
    const half = await scrolled()
    await page.clock.runFor(266)
    const end = await scrolled()
    expect(half).toBeGreaterThan(0)
    expect(half).toBeLessThan(end)
    await expect(page.locator('#sidenav [aria-current=page]')).toBeInViewport({ ratio: 1 })
    await page.clock.runFor(1_000)
    expect(await scrolled()).toBe(end)

    await page.reload()
    await expectFrame(page)
    await page.clock.runFor(300)
    await page.locator('#sidenav>:last-child').dispatchEvent('wheel')
    const stopped = await scrolled()
    await page.clock.runFor(1_000)
    expect(await scrolled()).toBe(stopped)
    expect(stopped).toBeLessThan(end)

    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.reload()
    await expectFrame(page)
    await page.clock.runFor(90)
    expect(await scrolled()).toBe(0)
    await page.clock.runFor(30)
    expect(await scrolled()).toBe(end)
    await page.context().close()
    page = shared
  },
)

test('every kind of item is what it says', async () => {
  await open('/dashboard')
  const title = main().getByRole('heading', { name: 'Layouts' })
  expect(await title.evaluate((node) => [node.tagName, node.tabIndex, node.closest('a, button')])).toEqual([
    'H2',
    -1,
    null,
  ])
  const badge = link('Landing New').locator('[data-tone]')
  await expect(badge).toHaveText('New')
  const success = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'))
    probe.style.color = 'var(--c-success)'
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  })
  expect(await style(badge, 'color')).toBe(success)

  const disabled = link('Disabled Menu')
  await expect(disabled).toBeDisabled()
  await expect(disabled).toHaveAccessibleDescription('Not available')
  await disabled.evaluate((node) => node.focus())
  await expect(disabled).not.toBeFocused()
  await expect(disabled).not.toHaveAttribute('href')
  await disabled.click({ force: true })
  expect(new URL(page.url()).pathname).toBe('/dashboard')

  const special = link('Special Menu')
  const filled = await page.evaluate(() =>
    getComputedStyle(document.documentElement).getPropertyValue('--c-primary-filled'),
  )
  expect(filled).toBe('#0c7562')
  expect(await style(special, 'background-color')).toBe('rgb(12, 117, 98)')
  expect(await style(special, 'color')).toBe('rgb(255, 255, 255)')
})

test('the keyboard reaches every item, opens and closes groups, and skips what is disabled', async () => {
  await open('/dashboard')
  await link('Dashboard').focus()
  await page.keyboard.press('ArrowDown')
  await expect(link('Organizations')).toBeFocused()
  await page.keyboard.press('End')
  await expect(link('Special Menu')).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await expect(group('Menu Levels')).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(group('Menu Levels')).toHaveAttribute('aria-expanded', 'true')
  await page.keyboard.press('ArrowRight')
  await expect(link('Second Level')).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(group('Third Level')).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('ArrowDown')
  await expect(link('Item 1')).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  await expect(group('Third Level')).toBeFocused()
  await expect(group('Third Level')).toHaveAttribute('aria-expanded', 'false')
  await page.keyboard.press('ArrowLeft')
  await expect(group('Menu Levels')).toBeFocused()
  await expect(group('Menu Levels')).toHaveAttribute('aria-expanded', 'false')
  await page.keyboard.press('Space')
  await expect(group('Menu Levels')).toHaveAttribute('aria-expanded', 'true')
  await page.keyboard.press('Home')
  await expect(link('Dashboard')).toBeFocused()
  await expect(link('Dashboard')).toHaveCSS('outline-width', '2px')
})

test(
  'in the rail every item keeps its name; groups fly out for the mouse, the focus and a tap',
  { tag: '@long' },
  async () => {
    await open('/dashboard', { sidenav: { size: 'condensed' } })
    expect(await axeFaults(page)).toEqual([])
    await expect(link('Organizations')).toBeVisible()
    const panel = page.locator('#sidenav [data-panel]:visible')

    await group('Topbars').hover()
    await expect(link('Dark Topbar')).toBeVisible()
    await link('Gray Topbar').hover()
    await expect(panel).toHaveCount(1)
    await page.keyboard.press('Escape')
    await expect(panel).toHaveCount(0)
    await page.mouse.move(1000, 600)

    await link('Settings').focus()
    await page.keyboard.press('ArrowDown')
    await expect(group('Reports')).toBeFocused()
    await expect(link('Quiz Metrics')).toBeVisible()
    expect(await axeFaults(page)).toEqual([])
    await page.keyboard.press('ArrowRight')
    await expect(link('Account User Activity')).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(group('Reports')).toBeFocused()
    await expect(panel).toHaveCount(0)

    await group('Menu Levels').hover()
    await group('Third Level').hover()
    await group('Fourth Level').hover()
    await expect(link('Item 2')).toBeVisible()
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

test('what flies out stays whole where the rail is longer than the window', { tag: '@long' }, async () => {
  await page.setViewportSize({ width: 1366, height: 420 })
  await open('/dashboard', { sidenav: { size: 'condensed' } })
  await group('Menu Levels').scrollIntoViewIfNeeded()
  await group('Menu Levels').hover()
  await expect(link('Second Level')).toBeInViewport({ ratio: 1 })
  await group('Authentication').hover()
  await link('Delete Account').scrollIntoViewIfNeeded()
  await expect(link('Delete Account')).toBeInViewport({ ratio: 1 })
})

test(
  'a tap opens what flies out of the rail, and a tap beside it closes it',
  { tag: '@long' },
  async ({ browser }) => {
    const context = await browser.newContext({
      hasTouch: true,
      isMobile: true,
      viewport: { width: 1000, height: 800 },
      storageState: await page.context().storageState(),
    })
    const tablet = await context.newPage()
    await tablet.goto(`${product.url}/dashboard`)
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
  async () => {
    await open('/reports/user-engagement', { orientation: 'horizontal' })
    await expect(page.locator('[data-part=topnav] [aria-current=page]')).toHaveCount(1)
    const metrics = group('Metrics & Analytics')
    await metrics.hover()
    await expect(metrics).toHaveAttribute('aria-expanded', 'false')
    await metrics.click()
    await expect(metrics).toHaveAttribute('aria-expanded', 'true')
    await group('Reports').click()
    await expect(link('Quiz Metrics')).toBeVisible()
    expect(await axeFaults(page)).toEqual([])
    const [second, third] = await page
      .locator('[data-part=topnav] [data-panel]:visible')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left))
    expect(third).toBeGreaterThan((second ?? 0) + 100)
    await page.keyboard.press('Escape')
    await expect(group('Reports')).toBeFocused()
    await expect(link('Quiz Metrics')).toBeHidden()
    await page.keyboard.press('Escape')
    await expect(metrics).toBeFocused()
    await expect(metrics).toHaveAttribute('aria-expanded', 'false')
    await page.keyboard.press('Enter')
    await expect(group('Reports')).toBeVisible()
    await page.locator('main').click()
    await expect(metrics).toHaveAttribute('aria-expanded', 'false')
    await metrics.press('ArrowDown')
    await metrics.press('ArrowDown')
    await expect(group('Reports')).toBeFocused()
    await page.keyboard.press('Space')
    await link('Message Analytics').click()
    await page.waitForURL('**/reports/message-analytics*')
    await expect(metrics).toHaveAttribute('aria-expanded', 'false')
  },
)

test('classes of the page leave out the icons and draw lines', { tag: '@long' }, async () => {
  await open('/layouts/sidebars/no-icons-with-lines')
  await expect(link('Dashboard').locator('svg')).toBeHidden()
  const line = await link('Gray Menu').evaluate((node) => {
    const list = node.closest('ul') ?? node
    return getComputedStyle(list, '::before').borderInlineStartStyle
  })
  expect(line).toBe('dashed')
  await open('/layouts/sidebars/with-lines')
  await expect(link('Dashboard').locator('svg')).toBeVisible()
  await link('Dashboard').click()
  await expect(page.locator('html')).not.toHaveClass(/sidebar-with-line/)
})
