import { expect, test, type Page } from '@playwright/test'
import { layoutPages, type LayoutPage } from '#contract/roles.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createUser } from '#contract/directory/users.ts'
import { firstSuperadmin } from './client.ts'
import { askEachAlone, follow, signedIn, wear } from './console.ts'
import { customizerOn, press } from './customizer.ts'
import { startProduct, type Product } from './product.ts'

/** Attributes, and classes under `class`, that a page shows; nothing for those without a setting. */
const shown: Record<LayoutPage, { title: string; group?: string; has: Record<string, string> }> = {
  scrollable: { title: 'Scrollable', has: { 'data-layout-position': 'scrollable' } },
  compact: { title: 'Compact', has: {} },
  boxed: { title: 'Boxed', has: { 'data-layout-width': 'boxed', 'data-sidenav-size': 'on-hover' } },
  horizontal: { title: 'Horizontal', has: { 'data-layout': 'topnav' } },
  'sidebars/compact': { title: 'Compact Menu', has: { 'data-sidenav-size': 'compact' } },
  'sidebars/icon-view': { title: 'Icon View Menu', has: { 'data-sidenav-size': 'condensed' } },
  'sidebars/on-hover': { title: 'On Hover Menu', has: { 'data-sidenav-size': 'on-hover' } },
  'sidebars/on-hover-active': {
    title: 'On Hover Active Menu',
    has: { 'data-sidenav-size': 'on-hover-active' },
  },
  'sidebars/offcanvas': { title: 'Offcanvas Menu', has: { 'data-sidenav-size': 'offcanvas' } },
  'sidebars/no-icons-with-lines': {
    title: 'No Icons With Lines',
    has: { class: 'sidebar-no-icons sidebar-with-line' },
  },
  'sidebars/with-lines': { title: 'Sidebar With Lines', has: { class: 'sidebar-with-line' } },
  'sidebars/light': { title: 'Light Menu', has: { 'data-menu-color': 'light' } },
  'sidebars/gradient': { title: 'Gradient Menu', has: { 'data-menu-color': 'gradient' } },
  'sidebars/gray': { title: 'Gray Menu', has: { 'data-menu-color': 'gray' } },
  'sidebars/image': { title: 'Image Menu', has: { 'data-menu-color': 'image' } },
  'topbars/dark': { title: 'Dark Topbar', has: { 'data-topbar-color': 'dark' } },
  'topbars/gray': { title: 'Gray Topbar', has: { 'data-topbar-color': 'gray' } },
  'topbars/gradient': { title: 'Gradient Topbar', has: { 'data-topbar-color': 'gradient' } },
  'topbars/with-sub-items': { title: 'Topbar with Sub Items', has: {} },
  'topbars/with-tools': { title: 'Topbar with Tools', has: {} },
}

/** What this person has chosen: written as no code of ours would, so that any new writing shows. */
const localChoices =
  '{ "skin": "saas",  "theme": "light", "sidenav": {"color":"dark","size":"default","user":true}, "topBar": {"color":"light"} }'
const saved = {
  class: '',
  'data-skin': 'saas',
  'data-bs-theme': 'light',
  'data-topbar-color': 'light',
  'data-menu-color': 'dark',
  'data-sidenav-size': 'default',
  'data-sidenav-user': 'true',
  'data-layout-position': 'fixed',
  'data-layout-width': 'fluid',
  'data-layout': '',
}

let product: Product
let page: Page

test.beforeAll(async ({ browser }) => {
  product = await startProduct()
  const client = await firstSuperadmin(product)
  const { id } = await client.call(createOrganization, { body: { name: 'Northwind' } })
  const person = { name: 'Ada Lovelace', email: 'ada@example.test' }
  await client.call(createUser, { params: { orgId: id }, body: person })
  page = await signedIn(browser, product, client)
  await page.setViewportSize({ width: 1366, height: 800 })
  await wear(page, localChoices)
})
test.afterAll(async () => {
  await page.context().close()
  await product.stop()
})
test.beforeEach(async () => {
  await wear(page, localChoices)
})

const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const stored = () => page.evaluate(() => localStorage.getItem('layout'))

/** All that the document element says about the layout. */
function looks(): Promise<Record<string, string>> {
  return page.evaluate(
    (names) =>
      Object.fromEntries(names.map((name) => [name, document.documentElement.getAttribute(name) ?? ''])),
    Object.keys(saved),
  )
}

async function open(name: LayoutPage): Promise<void> {
  await page.goto(`${product.url}/layouts/${name}`)
  await expect(heading(shown[name].title)).toBeVisible()
}

test('each page shows its layout while it is open, nothing of the one before, and leaves what is saved alone', async () => {
  await page.goto(`${product.url}/dashboard`)
  await expect(heading('Nothing has been sent yet')).toBeVisible()
  for (const name of layoutPages) {
    const { title, has } = shown[name]
    await follow(page, `/layouts/${name}`)
    await expect(heading(title)).toBeVisible()
    await expect.poll(looks, name).toEqual({ ...saved, ...has })
    await expect(page.getByRole('note')).toHaveCount(1)
    const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('listitem')
    await expect(crumbs.first()).toHaveText('Home')
    await expect(crumbs.last().getByRole('link')).toHaveCount(0)
    await expect(crumbs.last()).toHaveText(name === 'topbars/with-sub-items' ? 'Sub Items' : title)
    await expect(crumbs.last()).toHaveAttribute('aria-current', 'page')
    await expect(page).toHaveTitle(`${title} · Sendreel`)
    expect(await stored(), name).toBe(localChoices)
  }
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await expect(heading('Nothing has been sent yet')).toBeVisible()
  await expect.poll(looks).toEqual(saved)
  expect(await stored()).toBe(localChoices)
})

test('nothing of one page is left on the next, forwards and back', async () => {
  await open('boxed')
  for (const name of ['sidebars/no-icons-with-lines', 'horizontal', 'topbars/dark'] as const) {
    await follow(page, `/layouts/${name}`)
    await expect(heading(shown[name].title)).toBeVisible()
    await expect.poll(looks).toEqual({ ...saved, ...shown[name].has })
  }
  await page.goBack()
  await expect(heading('Horizontal')).toBeVisible()
  await expect.poll(looks).toEqual({ ...saved, ...shown.horizontal.has })
  expect(await stored()).toBe(localChoices)
})

test('an address that is not among them says so, in the saved layout', async () => {
  await page.goto(`${product.url}/layouts/sidebars/pink`)
  await expect(heading('Page Not Found')).toBeVisible()
  await expect.poll(looks).toEqual(saved)
})

test('after a reload the layout is there together with the frame, before the page’s own data', async () => {
  // The first moment at which anything but "Restoring your session..." can be seen.
  await page.addInitScript(() => {
    new MutationObserver((_records, observer) => {
      if (!document.querySelector('[data-part=shell]')) return
      observer.disconnect()
      Object.assign(globalThis, { atFrame: document.documentElement.dataset['layout'] })
    }).observe(document, { childList: true, subtree: true })
  })
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await askEachAlone(page)
  await page.route('**/api/dashboard', async (route) => {
    await held
    await route.continue()
  })
  await page.goto(`${product.url}/layouts/horizontal`)
  await expect(page.locator('[data-part=shell]')).toBeAttached()
  expect(await page.evaluate(() => (globalThis as unknown as { atFrame: string }).atFrame)).toBe('topnav')
  await expect(heading('Horizontal')).toHaveCount(0)
  release()
  await expect(heading('Horizontal')).toBeVisible()
  await page.unroute('**/api/dashboard')
})

test('a choice made on such a page is saved, and wins over the page', async () => {
  await open('sidebars/gray')
  const customizer = customizerOn(page)
  await customizer.open()
  const colours = customizer.section('Sidenav colour')
  await expect(customizer.option('Sidenav colour', 'Dark')).toBeChecked()
  await expect(colours.getByText('This page shows Gray while it is open.')).toBeVisible()
  await press(customizer.option('Sidenav colour', 'Dark'))
  await expect(page.locator('html')).toHaveAttribute('data-menu-color', 'dark')
  await expect(colours.getByText('This page shows')).toHaveCount(0)
  await press(customizer.option('Sidenav colour', 'Light'))
  await expect(page.locator('html')).toHaveAttribute('data-menu-color', 'light')
  expect(JSON.parse((await stored()) ?? '')).toMatchObject({ sidenav: { color: 'light' } })
})

test('boxed: 1340 pixels in the middle of 1500, and the whole width of 1399', async () => {
  const box = () => page.locator('[data-part=shell]').boundingBox()
  await page.setViewportSize({ width: 1500, height: 800 })
  await open('boxed')
  await expect.poll(box).toMatchObject({ x: 80, width: 1340 })
  await page.setViewportSize({ width: 1399, height: 800 })
  await expect.poll(box).toMatchObject({ x: 0, width: 1399 })
  await page.setViewportSize({ width: 1366, height: 800 })
})

test('compact: the title as wide as the page, the content in a column', async () => {
  await page.setViewportSize({ width: 1700, height: 800 })
  await open('compact')
  await expect.poll(async () => (await page.getByRole('note').boundingBox())?.width).toBe(1140)
  expect((await page.locator('main > header').boundingBox())?.width).toBeGreaterThan(1300)
  await page.setViewportSize({ width: 1366, height: 800 })
})

test('scrollable: there is something to scroll', async () => {
  await open('scrollable')
  expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBeGreaterThan(
    1_000,
  )
  await expect(page.getByRole('table', { name: /last 30 days/ }).getByRole('row')).toHaveCount(31)
})

test('a title with sub-items greets and leads on', async () => {
  await open('topbars/with-sub-items')
  await expect(page.getByText(/^Good (morning|afternoon|evening), Sue Perior\.$/)).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('listitem')).toHaveText([
    'Home',
    'Topbar',
    'Sub Items',
  ])
  await page.getByRole('link', { name: 'Your profile' }).last().click()
  await page.waitForURL('**/settings')
  await page.goBack()
  await page.getByRole('link', { name: 'Add New organization' }).click()
  await page.waitForURL('**/organizations/create')
})

test('a title with tools counts, reads again, and shows the days that are asked for', async () => {
  await open('topbars/with-tools')
  await expect(page.locator('main > header p:not([hidden])')).toContainText('0 messages')
  await expect(page.locator('main > header p:not([hidden])')).toContainText('1 person')
  const answer = page.waitForResponse('**/api/dashboard*')
  await page.getByRole('button', { name: 'Refresh the figures' }).click()
  expect((await answer).ok()).toBe(true)
  await expect(page.getByText('The figures are up to date')).toBeVisible()
  const range = page.getByRole('group', { name: 'Days to show' })
  await expect(page.getByText('on 30 days')).toBeVisible()
  const last = await range.getByLabel('to').inputValue()
  await range.getByLabel('From').fill(last)
  await expect(page.getByText('on 1 day')).toBeVisible()
  await page.evaluate(() => {
    globalThis.print = () => document.body.setAttribute('data-printed', '')
  })
  await page.getByRole('button', { name: 'Print this page' }).click()
  await expect(page.locator('body')).toHaveAttribute('data-printed', '')
})
