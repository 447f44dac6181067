import { expect, type Page } from '@playwright/test'
import { createGroup } from '#contract/directory/groups.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createUser } from '#contract/directory/users.ts'
import { fillTraining } from '#server/testing/training.ts'
import { newOrganization, type Client } from './client.ts'
import { axeFaults, chip, fitsAcross, listOption, openFilters, question } from './console.ts'
import { openDatabase } from './database.ts'
import { test as shared } from './shared.ts'

type World = { page: Page; client: Client; orgId: string }

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const { client, orgId } = await newOrganization(product, 'Bar Works')
    const params = { orgId }
    await client.call(createGroup, { params, body: { name: 'Welders' } })
    await client.call(createUser, { params, body: { name: 'Ada Lovelace', email: 'ada@bar.example' } })
    const productDatabase = await openDatabase(product)
    await fillTraining((text, values) => productDatabase.query(text, values), {
      organizationId: orgId,
      people: 3,
      videos: 2,
    })
    await productDatabase.close()
    await use({ page: await open(client), client, orgId })
  },
})

const people = (orgId: string) => `/organizations/${orgId}/dashboard?tab=users`
const row = '[data-part=table] tbody tr:not([aria-hidden])'

/** Each list with its first row, or card. */
const lists = (orgId: string) =>
  [
    ['/organizations', row],
    [people(orgId), row],
    [`/organizations/${orgId}/dashboard?tab=groups`, row],
    [`/content?shape=gallery&organization=${orgId}`, 'ul[aria-label="Videos"] > li'],
    [`/content?shape=table&organization=${orgId}`, row],
    [`/transmissions?organization=${orgId}`, row],
    [`/reports/training-matrix?organization=${orgId}`, '[role=gridcell], main li > details'],
    [`/reports/account-user-activity?organization=${orgId}`, row],
    [`/reports/account-activity?organization=${orgId}`, row],
    [`/reports/message-analytics?organization=${orgId}`, row],
    [`/reports/user-engagement?organization=${orgId}`, row],
  ] as const

/** Pixels of a wide window: the figures of a report, and the states of the matrix, stand above its rows. */
const figuresOf = (address: string) =>
  address.startsWith('/reports/training') ? 32 : address.startsWith('/reports/') ? 152 : 0

for (const [width, height, begins] of [
  [1366, 800, 240],
  [390, 844, 300],
] as const)
  test(`the first row of every list begins within ${begins} px of a window of ${width} px, below what sums it up`, async ({
    world: { page, orgId },
  }) => {
    await page.setViewportSize({ width, height })
    for (const [address, first] of lists(orgId)) {
      const most = begins + (width > 767 ? figuresOf(address) : 0)
      await page.goto(address)
      await expect(page.locator(first).first()).toBeVisible()
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
      const top = (await page.locator(first).first().boundingBox())?.y
      expect.soft(top, address).toBeLessThanOrEqual(most)
      await fitsAcross(page)
    }
  })

test('a superadmin chooses of which organization a page tells that tells of one', async ({
  world: { page, client, orgId },
}) => {
  // The only one there is would be chosen by itself, and one that was chosen before goes along.
  await client.call(createOrganization, { body: { name: 'Quiet Bars' } })
  await page.goto('/reports/training-matrix')
  const main = page.getByRole('main')
  // Others may have made more of them than one page shows.
  await main.getByRole('searchbox', { name: 'Search organizations' }).fill('Quiet Bars')
  await main.getByRole('link', { name: 'Quiet Bars' }).click()
  await expect(main.getByText('Nobody to see yet')).toBeVisible()
  // It stays chosen for the pages that follow.
  for (const [address, seen] of [
    ['/assignments', 'Nothing is assigned yet'],
    ['/transmissions/templates', 'No templates yet'],
    ['/transmissions/barred-addresses', 'No address is barred'],
  ] as const) {
    await page.goto(address)
    await expect(main.getByText(seen)).toBeVisible()
  }
  await page.goto(`/reports/training-matrix?organization=${orgId}`)
  await expect(page.getByRole('grid')).toBeVisible()
})

test('no head of a column is cut off, whichever it is sorted by', async ({ world: { page, orgId } }) => {
  for (const [address, first] of lists(orgId).filter(([, one]) => one === row)) {
    await page.goto(address)
    await expect(page.locator(first).first()).toBeVisible()
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll('thead th[data-label]')].flatMap((head) =>
        head.scrollWidth > head.clientWidth ? [head.textContent] : [],
      ),
    )
    expect(cut, address).toEqual([])
  }
})

test('a question to a list is a chip, which opens by the keyboard, works at once, and says what is chosen', async ({
  world: { page, orgId },
}) => {
  await page.goto(people(orgId))
  const state = question(page, 'State')
  await state.press('Enter')
  const menu = page.getByRole('menu', { name: 'State' })
  await expect(menu.getByRole('menuitemradio', { name: 'All states' })).toBeFocused()
  await page.keyboard.press('End')
  await expect(menu.getByRole('menuitemradio').last()).toBeFocused()
  expect(await axeFaults(page)).toEqual([])
  await menu.getByRole('menuitemradio', { name: 'Disabled' }).press('Enter')
  await expect(menu).toBeHidden()
  await expect(state).toBeFocused()
  await expect(state).toHaveText('State: Disabled')
  await expect(page.getByText('Nobody matches')).toBeVisible()
  await state.press('Enter')
  await expect(menu.getByRole('menuitemradio', { checked: true })).toHaveText('Disabled 0')
  await expect(menu.getByRole('menuitemradio', { checked: true })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(state).toBeFocused()
  await expect(page.getByText('0 of 4', { exact: true })).toBeVisible()
  const bar = await page.getByRole('toolbar', { name: 'Filters' }).boundingBox()
  expect(bar?.height).toBeLessThan(48)
  await chip(page, 'State: Disabled').press('Enter')
  await expect(state).toBeFocused()
  await expect(page.getByRole('rowheader', { name: 'Ada Lovelace' })).toBeVisible()
  await expect(page).not.toHaveURL(/state=/)
})

test('a part of the menu opens in its place, with a way back', async ({ world: { page, orgId } }) => {
  await page.goto(people(orgId))
  await listOption(page, 'Saved views')
  const views = page.getByRole('dialog', { name: 'Views of the list' })
  await expect(views).toBeFocused()
  await views.getByRole('button', { name: 'Back' }).press('Enter')
  const menu = page.getByRole('dialog', { name: 'List options' })
  await expect(menu).toBeFocused()
  await expect(menu.getByRole('link', { name: 'Import' })).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  const faults: Error[] = []
  page.on('pageerror', (fault) => faults.push(fault))
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'List options' })).toBeFocused()
  await expect(page.locator('[popover=manual]')).toHaveText('List options')
  expect(faults).toEqual([])
})

test('on a phone filters are a sheet that fits, and what a page can do is within reach', async ({
  world: { page, orgId },
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(people(orgId))
  const panel = await openFilters(page)
  const box = await panel.boundingBox()
  expect(box?.width).toBe(390)
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBe(844)
  await fitsAcross(page)
  expect(await axeFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  const create = await page.getByRole('link', { name: 'Add a person' }).boundingBox()
  expect(create?.height).toBeGreaterThanOrEqual(44)
  await expect(page.getByRole('button', { name: 'More actions' })).toHaveCount(0)
  // The three dots of every page stand at one place, with a list or without.
  const dots = page.getByRole('button', { name: /^(List options|More actions)$/ })
  const places = new Set<string>()
  for (const address of [`/organizations/${orgId}/dashboard`, '/transmissions', '/content', people(orgId)]) {
    await page.goto(address)
    await expect(dots).toHaveCount(1)
    places.add(JSON.stringify(await dots.boundingBox()))
  }
  expect([...places]).toEqual([JSON.stringify({ x: 330, y: 64, width: 44, height: 44 })])
  await page.getByRole('button', { name: 'List options' }).click()
  await page
    .getByRole('dialog', { name: 'List options' })
    .getByRole('link', { name: 'Edit organization' })
    .click()
  await page.waitForURL(/\/edit$/)
})

test('on a phone a row is two lines, a long address takes another, and the bar of a selection one, below the last row', async ({
  world: { page, orgId },
}) => {
  await page.setViewportSize({ width: 390, height: 500 })
  await page.goto(people(orgId))
  const rows = page.locator(row)
  await expect(rows).toHaveCount(4)
  expect((await rows.first().boundingBox())?.height).toBeLessThanOrEqual(68)
  for (const one of await rows.all()) {
    expect((await one.boundingBox())?.height).toBeLessThanOrEqual(88)
    const wider = await one
      .locator('*')
      .evaluateAll((parts) =>
        parts.filter((part) => part.clientWidth > 1 && part.scrollWidth > part.clientWidth + 1),
      )
    expect(wider).toEqual([])
  }
  await expect(rows.first()).toContainText('ada@bar.example')
  await expect(rows.first()).toContainText('Active')
  const box = page.getByRole('checkbox', { name: 'Select Ada Lovelace' })
  const target = await box.locator('..').boundingBox()
  expect(Math.min(target?.width ?? 0, target?.height ?? 0)).toBeGreaterThanOrEqual(24)
  const top = async () => (await rows.first().boundingBox())?.y
  const before = await top()
  await box.check()
  const bar = page.getByRole('region', { name: 'Selection' })
  await expect(bar).toBeVisible()
  expect(await top()).toBe(before)
  expect((await bar.boundingBox())?.height).toBeLessThanOrEqual(52)
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
  const last = await rows.last().boundingBox()
  expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual((await bar.boundingBox())?.y ?? 0)
  await fitsAcross(page)
  expect(await axeFaults(page)).toEqual([])
  await bar.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('dialog', { name: 'Actions' }).getByRole('button', { name: 'Disable' }).click()
  await expect(page.getByRole('dialog', { name: 'Disable people?' })).toBeVisible()
  await page.keyboard.press('Escape')
  await bar.getByRole('button', { name: 'Clear' }).click()
  await expect(bar).toHaveCount(0)
})

test('without a network the frame says of when the page is, and its rows do not fade', async ({
  world: { page, orgId },
}) => {
  // The styles of paper, which a page fetches when it has stood for a while, are asked for in vain.
  const offline = Promise.withResolvers<void>()
  const paper = page.waitForEvent('requestfailed', (request) => request.url().includes('/print-'))
  await page.route('**/print-*', async (route) => {
    await offline.promise
    await route.abort('internetdisconnected')
  })
  await page.goto(people(orgId))
  await expect(page.locator(row)).toHaveCount(4)
  const faults: Error[] = []
  page.on('pageerror', (fault) => faults.push(fault))
  const line = page.getByText(/^You are offline\. This is as of \d/)
  await page.context().setOffline(true)
  await expect(line).toBeVisible()
  await page.getByRole('button', { name: 'Email' }).click()
  await expect(page).toHaveURL(/sort=email/)
  await expect(page.locator('[data-stale]')).toHaveCount(0)
  await expect(page.getByRole('rowheader', { name: 'Ada Lovelace' })).toBeVisible()
  offline.resolve()
  await paper
  await page.context().setOffline(false)
  await expect(line).toHaveCount(0)
  await expect(page.locator('[aria-sort]')).toContainText('Email')
  expect(faults).toEqual([])
})
