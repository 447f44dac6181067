import { expect, type Page } from '@playwright/test'
import { layoutPages, type LayoutPage } from '#contract/roles.ts'
import { newAdmin, newOrganization, newSuperadmin } from './client.ts'
import { askEachAlone, follow, wear } from './console.ts'
import { customizerOn, press } from './customizer.ts'
import { test as shared } from './shared.ts'

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

const test = shared.extend({
  page: async ({ shared: product, open }, use) => {
    const page = await open(await newSuperadmin(product))
    await wear(page, localChoices)
    await use(page)
  },
})

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const stored = (page: Page) => page.evaluate(() => localStorage.getItem('layout'))

/** All that the document element says about the layout. */
function looks(page: Page): Promise<Record<string, string>> {
  return page.evaluate(
    (names) =>
      Object.fromEntries(names.map((name) => [name, document.documentElement.getAttribute(name) ?? ''])),
    Object.keys(saved),
  )
}

async function go(page: Page, name: LayoutPage): Promise<void> {
  await page.goto(`/layouts/${name}`)
  await expect(heading(page, shown[name].title)).toBeVisible()
}

test('each page shows its layout while it is open, nothing of the one before, and leaves what is saved alone', async ({
  page,
}) => {
  await page.goto('/dashboard')
  await expect(page).toHaveTitle('Dashboard · Sendreel')
  for (const name of layoutPages) {
    const { title, has } = shown[name]
    await follow(page, `/layouts/${name}`)
    await expect(heading(page, title)).toBeVisible()
    await expect.poll(() => looks(page), name).toEqual({ ...saved, ...has })
    await expect(page.getByRole('note')).toHaveCount(1)
    const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('listitem')
    await expect(crumbs.first()).toHaveText('Home')
    await expect(crumbs.last().getByRole('link')).toHaveCount(0)
    await expect(crumbs.last()).toHaveText(name === 'topbars/with-sub-items' ? 'Sub Items' : title)
    await expect(crumbs.last()).toHaveAttribute('aria-current', 'page')
    await expect(page).toHaveTitle(`${title} · Sendreel`)
    expect(await stored(page), name).toBe(localChoices)
  }
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await expect(page).toHaveTitle('Dashboard · Sendreel')
  await expect.poll(() => looks(page)).toEqual(saved)
  expect(await stored(page)).toBe(localChoices)
})

test('nothing of one page is left on the next, forwards and back', async ({ page }) => {
  await go(page, 'boxed')
  for (const name of ['sidebars/no-icons-with-lines', 'horizontal', 'topbars/dark'] as const) {
    await follow(page, `/layouts/${name}`)
    await expect(heading(page, shown[name].title)).toBeVisible()
    await expect.poll(() => looks(page)).toEqual({ ...saved, ...shown[name].has })
  }
  await page.goBack()
  await expect(heading(page, 'Horizontal')).toBeVisible()
  await expect.poll(() => looks(page)).toEqual({ ...saved, ...shown.horizontal.has })
  expect(await stored(page)).toBe(localChoices)
})

test('an address that is not among them says so, in the saved layout', async ({ page }) => {
  await page.goto('/layouts/sidebars/pink')
  await expect(heading(page, 'Page Not Found')).toBeVisible()
  await expect.poll(() => looks(page)).toEqual(saved)
})

test('after a reload the layout is there together with the frame, before the page’s own data', async ({
  page,
}) => {
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
  await page.goto('/layouts/horizontal')
  await expect(page.locator('[data-part=shell]')).toBeAttached()
  expect(await page.evaluate(() => (globalThis as unknown as { atFrame: string }).atFrame)).toBe('topnav')
  await expect(heading(page, 'Horizontal')).toHaveCount(0)
  release()
  await expect(heading(page, 'Horizontal')).toBeVisible()
})

test('a choice made on such a page is saved, and wins over the page', async ({ page }) => {
  await go(page, 'sidebars/gray')
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
  expect(JSON.parse((await stored(page)) ?? '')).toMatchObject({ sidenav: { color: 'light' } })
})

test('compact: the title as wide as the page, the content in a column', async ({ page }) => {
  await page.setViewportSize({ width: 1700, height: 800 })
  await go(page, 'compact')
  await expect.poll(async () => (await page.getByRole('note').boundingBox())?.width).toBe(1140)
  expect((await page.locator('main > header').boundingBox())?.width).toBeGreaterThan(1300)
})

test('scrollable: there is something to scroll', async ({ page }) => {
  await go(page, 'scrollable')
  expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBeGreaterThan(
    1_000,
  )
  await expect(page.getByRole('table', { name: /last 30 days/ }).getByRole('row')).toHaveCount(31)
})

test('a title with sub-items greets and leads on', async ({ page }) => {
  await go(page, 'topbars/with-sub-items')
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

test('a title with tools counts, reads again, and shows the days that are asked for', async ({
  shared: product,
  open,
}) => {
  const { client, orgId } = await newOrganization(product, 'Northwind')
  const page = await open(await newAdmin(product, client, { orgId, name: 'Ada Lovelace' }))
  await go(page, 'topbars/with-tools')
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
