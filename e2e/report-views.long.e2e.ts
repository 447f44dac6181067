import { readFile } from 'node:fs/promises'
import { expect, type Page } from '@playwright/test'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createUser } from '#contract/directory/users.ts'
import { listViews } from '#contract/directory/views.ts'
import { unique } from '#server/testing/unique.ts'
import { accept, newSuperadmin, type Client } from './client.ts'
import { answerBell, axeFaults, fitsAcross, listOption, rowMenu } from './console.ts'
import { test as shared } from './shared.ts'

type World = {
  admin: Client
  organizationId: string
  page: Page
}

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const superadmin = await newSuperadmin(product)
    const organizationId = (
      await superadmin.call(createOrganization, { body: { name: 'Report Views Toys' } })
    ).id
    const params = { orgId: organizationId }
    const who = { name: 'Ada Admin', email: `ada-${unique()}@reportviews.example` }
    await superadmin.call(createUser, { params, body: { ...who, role: 'admin' } })
    await superadmin.call(createUser, {
      params,
      body: { name: 'Bo Diddley', email: 'bo@reportviews.example' },
    })
    const admin = await accept(product, superadmin, who)
    const page = await open(admin)
    await page.setViewportSize({ width: 1366, height: 900 })
    await use({ admin, organizationId, page })
  },
})

const heads = (of: Page) => of.locator('[data-part=table] thead').getByRole('columnheader')
const views = (page: Page) => page.getByRole('dialog', { name: 'Views of the list' })

const userActivity = { title: 'Account User Activity', name: 'account-user-activity' }

async function openReport(page: Page, query = '', { title, name } = userActivity): Promise<void> {
  await page.goto(`/reports/${name}${query}`)
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
  await expect(
    page
      .getByRole('link', { name: 'Bo Diddley' })
      .or(page.getByRole('complementary', { name: 'Key figures' })),
  ).not.toHaveCount(0)
}

test('the columns of a report are chosen and ordered, and the file says that it has all', async ({
  world: { page },
}) => {
  await openReport(page)
  await expect(heads(page)).toHaveText(['Name', 'Last active', 'Received', 'Opened', 'Completed', 'Watched'])
  await listOption(page, 'Columns and density')
  const panel = page.getByRole('dialog', { name: 'View of the table' })
  await panel.getByRole('checkbox', { name: 'Opened' }).uncheck()
  await panel.getByRole('button', { name: 'Move Watched up' }).click()
  await panel.getByRole('radio', { name: 'Compact' }).check()
  const chosen = ['Name', 'Last active', 'Received', 'Watched', 'Completed']
  await expect(heads(page)).toHaveText(chosen)
  await expect(page).toHaveURL(/cols=seen.received.watched.completed/)
  expect(await axeFaults(page)).toEqual([])
  await panel.getByRole('button', { name: 'Close' }).click()
  // Another visit, without a word in the address.
  await openReport(page)
  await expect(heads(page)).toHaveText(chosen)
  await expect(page.locator('[data-part=table]')).toHaveAttribute('data-density', 'compact')
  await listOption(page, 'Download')
  await expect(page.getByText(/with all columns, also those that you have left out/)).toBeVisible()
})

test('every report keeps its views, and its columns can be chosen', async ({ world: { page } }) => {
  for (const [name, title] of [
    ['user-engagement', 'User Engagement'],
    ['account-activity', 'Account Activity'],
    ['message-analytics', 'Message Analytics'],
    ['quiz-metrics', 'Quiz Metrics'],
  ] as const) {
    await openReport(page, '', { title, name })
    await listOption(page, 'Columns and density')
    await expect(page.getByRole('dialog', { name: 'View of the table' })).toBeVisible()
    await page.getByRole('button', { name: 'Back' }).click()
    await page.getByRole('button', { name: 'Saved views' }).click()
    await expect(page.getByText('No view yet.')).toBeVisible()
    await fitsAcross(page)
  }
})

test('a report goes along as a workbook or as pages, by keyboard as well', async ({ world: { page } }) => {
  await openReport(page, '', { title: 'User Engagement', name: 'user-engagement' })
  const button = page.getByRole('button', { name: 'List options' })
  const menu = page.getByRole('dialog', { name: 'Download' })
  const openMenu = async () => {
    await button.press('Enter')
    await page.getByRole('button', { name: 'Download', exact: true }).press('Enter')
    await expect(menu).toBeVisible()
  }
  await openMenu()
  await page.keyboard.press('Escape')
  await expect(menu).toBeHidden()
  await expect(button).toBeFocused()
  for (const [format, ending, beginning] of [
    ['Excel', 'xlsx', 'PK'],
    ['PDF', 'pdf', '%PDF'],
  ] as const) {
    const download = page.waitForEvent('download')
    await openMenu()
    await menu.getByRole('button', { name: format }).focus()
    await page.keyboard.press('Enter')
    const saved = await download
    expect(saved.suggestedFilename()).toMatch(new RegExp(`^user-engagement-.*\\.${ending}$`))
    expect(await readFile(await saved.path(), 'latin1')).toMatch(new RegExp(`^${beginning}`))
    await expect(menu).toBeHidden()
    await expect(button).toBeFocused()
  }
  await openMenu()
  expect(await axeFaults(page)).toEqual([])
  await fitsAcross(page)
})

test('a view keeps a period that moves along, and says so', async ({
  world: { admin, organizationId, page },
}) => {
  await openReport(page, '?density=compact&cols=seen.received.watched.completed')
  await listOption(page, 'Saved views')
  await views(page).getByRole('button', { name: 'Save as a new view' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save as a view' })
  await expect(dialog).toContainText('the last 30 days, counted from the day on which somebody opens it')
  await dialog.getByLabel('Name').fill('This month')
  await dialog.getByRole('button', { name: 'Save view' }).click()
  await expect(page.getByRole('button', { name: 'This month' })).toBeVisible()
  await expect(page).toHaveURL(/period=30d/)
  const { items } = await admin.call(listViews, { query: { list: 'account-user-activity', organizationId } })
  expect(items.map(({ search }) => search)).toEqual([
    { period: '30d', density: 'compact', cols: 'seen.received.watched.completed' },
  ])
  await page.getByLabel('Period').selectOption('90d')
  await expect(page.getByRole('button', { name: 'This month changed' })).toBeVisible()
  await page.getByRole('button', { name: 'This month changed' }).click()
  await views(page)
    .getByRole('link', { name: /This month/ })
    .click()
  await expect(page.getByLabel('Period')).toHaveValue('30d')
})

test('a view of chosen days keeps these days, and says so', async ({ world: { page } }) => {
  await openReport(page, '?from=2026-01-05&to=2026-01-06')
  await listOption(page, 'Saved views')
  await views(page).getByRole('button', { name: 'Save as a new view' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save as a view' })
  await expect(dialog).toContainText('these days: Jan 5, 2026 to Jan 6, 2026')
  await dialog.getByLabel('Name').fill('The audit')
  await dialog.getByRole('button', { name: 'Save view' }).click()
  await expect(page.getByRole('button', { name: 'The audit' })).toBeVisible()
  await expect(page).toHaveURL(/from=2026-01-05/)
})

test('a report by mail begins with the days of the view that is open', async ({ world: { page } }) => {
  await openReport(page, '?period=90d')
  await listOption(page, 'Saved views')
  await views(page).getByRole('button', { name: 'Save as a new view' }).click()
  await page.getByRole('dialog', { name: 'Save as a view' }).getByLabel('Name').fill('Quarter')
  await page.getByRole('button', { name: 'Save view' }).click()
  await expect(page.getByRole('button', { name: 'Quarter' })).toBeVisible()
  await listOption(page, 'Send by mail')
  await expect(page.getByRole('dialog').getByLabel('Over')).toHaveValue('90d')
})

test('old figures stay while there is no connection, with the time that is true of them', async ({
  world: { page },
}) => {
  await openReport(page)
  await expect(page.getByText(/^Complete to \d/)).toBeVisible()
  await page.route('**/api/reports/**', (route) => route.abort())
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(page.locator('[data-part=fresh]')).toContainText(
    /Not updated since \d+:\d+ [AP]M: no connection/,
  )
  await expect(page.locator('[data-part=fresh] [role=status]')).toHaveText(
    /^Not updated since .*: no connection\.$/,
  )
  await expect(page.getByRole('link', { name: 'Bo Diddley' })).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await page.unroute('**/api/reports/**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText(/^Complete to \d/)).toBeVisible()
  await expect(page.locator('[data-part=fresh] [role=status]')).toHaveText(/^Updated at /)
  // The page has one clock.
  await expect(
    page
      .getByRole('main')
      .locator('time')
      .filter({ hasText: /\d:\d\d/, visible: true }),
  ).toHaveCount(1)
})

test('filters stay where their figures could not be read', async ({ world: { page } }) => {
  await openReport(page)
  await page.route('**/api/reports/**', (route) => route.fulfill({ status: 400, json: {} }))
  await page.getByLabel('Period').selectOption('12m')
  await expect(page.getByRole('alert')).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.unroute('**/api/reports/**')
  await page.getByLabel('Period').selectOption('30d')
  await expect(page.getByRole('link', { name: 'Bo Diddley' })).toBeVisible()
})

test('dashboards say when they were read, and go on where the connection comes back', async ({
  world: { page: own },
}) => {
  await answerBell(own)
  await own.clock.install()
  await own.goto('/dashboard')
  const fresh = own.locator('[data-part=fresh]')
  await expect(fresh).toContainText(/Updated \d/)
  await expect(fresh.getByRole('button')).toHaveCount(0)
  await own.route('**/api/dashboard/**', (route) => route.abort())
  await own.clock.runFor(40_000)
  await expect(fresh).toContainText(/Not updated since .*: no connection/)
  await expect(own.getByRole('region', { name: 'In progress' })).toBeVisible()
  await own.unroute('**/api/dashboard/**')
  // In steps shorter than the patience with a server: the clock runs faster than its answers come.
  await expect(async () => {
    await own.clock.runFor(5_000)
    await expect(fresh).toContainText(/Updated \d/, { timeout: 700 })
  }).toPass({ timeout: 60_000 })
  await expect(fresh.getByRole('status')).toHaveText(/^Updated at /)
})

test('words beside what they are about are shown to pointer, keyboard and finger, and put away with Escape', async ({
  browser,
  world: { organizationId, page },
}) => {
  await openReport(page)
  const tip = page.locator('[popover=manual]')
  const person = page.getByRole('link', { name: 'Bo Diddley' })
  await person.focus()
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Tab')
  await expect(tip).toBeVisible()
  await expect(tip).toHaveText('bo@reportviews.example')
  await expect(person).toHaveAccessibleDescription('bo@reportviews.example')
  await page.keyboard.press('Escape')
  await expect(tip).toBeHidden()
  // The exact time stands behind "now" alone: the arrow keys lead to it along its row.
  const time = page.locator('[data-part=table] tbody tr time[data-tip]').first()
  await time.locator('xpath=ancestor::tr').getByRole('link').first().focus()
  await page.keyboard.press('ArrowRight')
  await expect(time).toBeFocused()
  await expect(tip).toBeVisible()
  expect(await axeFaults(page)).toEqual([])

  const context = await browser.newContext({ hasTouch: true, viewport: { width: 390, height: 844 } })
  const phone = await context.newPage()
  const stored = await page.evaluate(() => localStorage.getItem('persist:auth') ?? '')
  await phone.goto('/api/health')
  await phone.evaluate((text) => localStorage.setItem('persist:auth', text), stored)
  await phone.goto(`/organizations/${organizationId}/dashboard?tab=users`)
  const badge = phone.locator('[data-part=table] [data-part=badge]').first()
  await badge.tap()
  await expect(phone.locator('[popover=manual]')).toBeVisible()
  // A button is pressed by a finger that taps; one that stays is told what it does.
  const dots = rowMenu(phone, /^Actions for /).first()
  await dots.scrollIntoViewIfNeeded()
  const { x = 0, y = 0 } = (await dots.boundingBox()) ?? {}
  const touch = (type: 'touchStart' | 'touchEnd') => ({
    type,
    touchPoints: type === 'touchEnd' ? [] : [{ x: x + 8, y: y + 8 }],
  })
  const hand = await context.newCDPSession(phone)
  await hand.send('Input.dispatchTouchEvent', touch('touchStart'))
  await expect(phone.locator('[popover=manual]')).toHaveText('Actions')
  await hand.send('Input.dispatchTouchEvent', touch('touchEnd'))
  await expect(phone.locator('[popover=manual]')).toHaveText('Actions')
  await expect(phone.getByRole('menu')).toHaveCount(0)
  await context.close()
})
