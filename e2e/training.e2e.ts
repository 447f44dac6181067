import { expect, type Page } from '@playwright/test'
import { createOrganization } from '#contract/organizations.ts'
import { createUser } from '#contract/users.ts'
import { listTraining, readTraining } from '#contract/training.ts'
import { fillTraining } from '#server/testing/training.ts'
import { accept, newSuperadmin, type Client } from './client.ts'
import {
  answerBell,
  asksForItself,
  axeFaults,
  chip,
  faultsAgain,
  fitsAcross,
  listOption,
  signedIn,
  wear,
} from './console.ts'
import { derived, openDatabase, type ProductDatabase } from './database.ts'
import type { Product } from './product.ts'
import { test } from './shared.ts'

/** As many cells as a large organization has. Something is known of a quarter of them: filling in all takes a busy machine minutes. */
const size = { people: 1_000, videos: 200, share: 25 }
let product: Product
let superadmin: Client
let admin: Client
let productDatabase: ProductDatabase
let organizationId: string
let page: Page

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser, shared }) => {
  test.setTimeout(240_000)
  product = shared
  superadmin = await newSuperadmin(product)
  organizationId = (await superadmin.call(createOrganization, { body: { name: 'Training Toys' } })).id
  const who = { name: 'Ada Admin', email: 'ada@training.example' }
  await superadmin.call(createUser, { params: { orgId: organizationId }, body: { ...who, role: 'admin' } })
  admin = await accept(product, superadmin, who)
  productDatabase = await openDatabase(product)
  await fillTraining((text, values) => productDatabase.query(text, values), { organizationId, ...size })
  await derived(productDatabase, organizationId)
  page = await signedIn(browser, product, admin)
  await page.setViewportSize({ width: 1366, height: 900 })
})

test.afterAll(async () => {
  // What holds the product comes first: a page that was never opened fails here, and ends nothing else.
  await productDatabase.close()
  await page.close()
})

const grid = () => page.getByRole('grid', { name: 'Training of people by videos' })
const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-at'))

async function open(query = ''): Promise<void> {
  await page.goto(`${product.url}/reports/training-matrix${query}`)
  await expect(grid().getByRole('gridcell').first()).toBeVisible({ timeout: 30_000 })
}

test('draws what is in sight of 200,000 cells, asks the server twice, and has no fault', async () => {
  const asked: string[] = []
  const note = (request: { url(): string }) => {
    if (asksForItself(request.url())) asked.push(request.url())
  }
  await answerBell(page)
  page.on('request', note)
  await open()
  await page.waitForLoadState('networkidle')
  expect(asked.length).toBeLessThanOrEqual(2)
  page.off('request', note)
  await page.unrouteAll({ behavior: 'wait' })
  await expect(grid()).toHaveAttribute('aria-rowcount', String(size.people + 2))
  await expect(grid()).toHaveAttribute('aria-colcount', String(size.videos + 1))
  const nodes = () => grid().evaluate((element) => element.querySelectorAll('*').length)
  expect(await nodes()).toBeLessThan(4_000)
  await grid().evaluate((element) => element.scrollTo(9_000, 18_000))
  await expect(page.getByRole('link', { name: 'Trainee 00500' })).toBeVisible({ timeout: 30_000 })
  await expect(page.getByRole('columnheader', { name: /Lesson 085/ })).toBeVisible()
  expect(await nodes()).toBeLessThan(4_000)
  expect(await axeFaults(page)).toEqual([])
})

test('the cells say what the server says', async () => {
  const { videoIds, items } = await admin.call(listTraining, {
    params: { orgId: organizationId },
    query: { q: 'Trainee 00007' },
  })
  const words: Record<string, string> = {
    p: 'Passed',
    c: 'Completed',
    w: 'Waived',
    o: 'Late',
    s: 'Started',
    d: 'Delivered',
    a: 'Assigned',
    '-': '–',
  }
  expect(videoIds).toHaveLength(size.videos)
  await open('?q=Trainee%2000007')
  const shown = await grid().getByRole('gridcell').allInnerTexts()
  expect(shown.length).toBeGreaterThan(5)
  expect(shown.map((text) => text.trim())).toEqual(
    Array.from(items[0]?.cells ?? '', (letter) => words[letter]).slice(0, shown.length),
  )
  const { counts } = await admin.call(readTraining, { params: { orgId: organizationId } })
  await open()
  await expect(page.getByRole('button', { name: /^Late/ })).toHaveText(
    `Late${counts.overdue?.toLocaleString('en-US')}`,
  )
})

test('the keyboard reaches every cell, and the focus stays while one scrolls', async () => {
  await open()
  await grid().locator('[tabindex="0"]').focus()
  await expect.poll(focused).toBe('0:0')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowDown')
  await expect.poll(focused).toBe('1:1')
  await page.keyboard.press('End')
  await expect.poll(focused).toBe(`1:${size.videos - 1}`)
  await page.keyboard.press('Home')
  await expect.poll(focused).toBe('1:-1')
  await page.keyboard.press('Control+End')
  await expect.poll(focused).toBe(`${size.people}:${size.videos - 1}`)
  await expect(page.getByRole('columnheader', { name: /Lesson 200/ })).toBeInViewport()
  await grid().evaluate((element) => element.scrollTo(0, 0))
  await expect(page.getByRole('link', { name: 'Ada Admin' })).toBeVisible()
  expect(await focused()).toBe(`${size.people}:${size.videos - 1}`)
  await page.keyboard.press('Control+Home')
  await expect.poll(focused).toBe('-1:-1')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/sort=-name/)
  await expect(page.getByRole('link', { name: 'Trainee 01000' })).toBeVisible({ timeout: 30_000 })
})

test('the legend filters people and videos, and the address says so', async () => {
  await open()
  await page.getByRole('button', { name: /^Late/ }).click()
  await expect(page).toHaveURL(/state=overdue/)
  await expect(grid()).toHaveAttribute('aria-colcount', '51')
  await expect(chip(page, 'State: Late')).toBeVisible()
  await listOption(page, 'Videos, order and look')
  await page.getByLabel('Order of people').selectOption('-overdue')
  await expect(page).toHaveURL(/sort=-overdue/)
  await page.reload()
  await expect(page.getByRole('button', { name: /^Late/ })).toHaveAttribute('aria-pressed', 'true')
  await listOption(page, 'Videos, order and look')
  await expect(page.getByLabel('Order of people')).toHaveValue('-overdue')
})

test('the videos and their order are chosen, kept in a view, and the sums say of how many they are', async () => {
  await open()
  await listOption(page, 'Videos, order and look')
  const panel = page.getByRole('dialog', { name: 'Videos, order and look' })
  await panel.getByRole('searchbox', { name: 'Find a video' }).fill('Lesson 00')
  await panel.getByRole('checkbox', { name: 'Lesson 002' }).uncheck()
  await expect(page).toHaveURL(/cols=not\.[\da-f]{12}$/)
  await expect(page.getByText(`You see ${size.videos - 1} of these videos`)).toBeVisible()
  await panel.getByRole('radio', { name: /^Only those/ }).check()
  await panel.getByRole('button', { name: 'Untick all' }).click()
  await expect(page.getByRole('heading', { name: 'No video is chosen' })).toBeVisible()
  for (const title of ['Lesson 003', 'Lesson 001', 'Lesson 005'])
    await panel.getByRole('checkbox', { name: title }).check()
  await panel.getByRole('button', { name: 'Move Lesson 005 to the start' }).click()
  const titles = () => grid().getByRole('columnheader').allInnerTexts()
  const chosen = ['Lesson 005', 'Lesson 003', 'Lesson 001']
  await expect.poll(async () => (await titles()).slice(1).map((text) => text.split('\n')[0])).toEqual(chosen)
  expect(await axeFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await listOption(page, 'Saved views')
  await page.getByRole('button', { name: 'Save as a new view' }).click()
  await page.getByRole('dialog', { name: 'Save as a view' }).getByLabel('Name').fill('Three lessons')
  await page.getByRole('button', { name: 'Save view' }).click()
  await expect(page.getByRole('button', { name: 'Three lessons' })).toBeVisible()
  await open()
  await expect(page.getByText(/^Updated \d/)).toBeVisible()
  await listOption(page, 'Saved views')
  await page.getByRole('link', { name: /Three lessons/ }).click()
  await expect(page.getByText('You see 3 of these videos')).toBeVisible()
  await expect.poll(async () => (await titles()).slice(1).map((text) => text.split('\n')[0])).toEqual(chosen)
})

test('waives with a reason, takes it back, and takes that back', async () => {
  // The columns chosen before are remembered.
  await page.evaluate(() => localStorage.removeItem('training-videos'))
  await open('?q=Trainee%2000003&state=overdue')
  const cell = grid().getByRole('gridcell', { name: 'Late' }).first()
  await cell.click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('Messages')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Waive' }).click()
  await dialog.getByRole('button', { name: 'Waive' }).click()
  await expect(dialog.getByText('Please fill this in.')).toBeVisible()
  await dialog.getByLabel('Reason').fill('On parental leave')
  await dialog.getByRole('button', { name: 'Waive' }).click()
  await expect(dialog.getByText('“On parental leave”')).toBeVisible()
  await dialog.getByRole('button', { name: 'Take the waiver back' }).click()
  await expect(dialog).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  const held = async () =>
    (
      await productDatabase.query('select 1 from training_waivers where reason = $1 and ended_at is null', [
        'On parental leave',
      ])
    ).rowCount
  await expect.poll(held, { timeout: 30_000 }).toBe(1)
})

const bar = () => page.getByRole('region', { name: 'Selection' })
const cellAt = (row: number, column: number) => grid().locator(`[data-at="${row}:${column}"]`)
const given = async (reason: string) =>
  (
    await productDatabase.query('select 1 from training_waivers where reason = $1 and ended_at is null', [
      reason,
    ])
  ).rowCount

test('many are waived from many at once, by pointer, without oneself, and taken back together', async () => {
  await open()
  await grid().getByRole('checkbox', { name: 'Select Ada Admin' }).click()
  await expect(bar()).toContainText('1 person and 0 videos selected')
  await expect(bar()).toContainText('Pick videos as well')
  await grid()
    .getByRole('checkbox', { name: 'Select Trainee 00003' })
    .click({ modifiers: ['Shift'] })
  await cellAt(-1, 0).getByRole('checkbox').click()
  await cellAt(-1, 2)
    .getByRole('checkbox')
    .click({ modifiers: ['Shift'] })
  await expect(bar()).toContainText('4 people and 3 videos selected')
  await expect(cellAt(2, 2)).toHaveAttribute('aria-selected', 'true')
  await expect(cellAt(5, 2)).toHaveAttribute('aria-selected', 'false')
  expect(await axeFaults(page)).toEqual([])
  await bar().getByRole('button', { name: 'Waive…' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('You are left out: nobody waives themselves.')
  await expect(dialog).toContainText('3: This is yourself.')
  expect(await axeFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: /^Waive \d+ trainings?$/ }).click()
  await expect(dialog.getByText('Please fill this in.')).toBeVisible()
  await dialog.getByLabel('Reason').fill('Whole shift on leave')
  await dialog.getByRole('button', { name: /^Waive \d+ trainings?$/ }).click()
  const card = page.getByRole('article').filter({ hasText: /^Waived 12 trainings/ })
  await expect(card).toBeVisible({ timeout: 30_000 })
  await expect(bar()).toHaveCount(0)
  const count = await given('Whole shift on leave')
  expect(count).toBeGreaterThan(0)
  await card.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => given('Whole shift on leave'), { timeout: 30_000 }).toBe(0)
})

test('the same by keyboard alone', { tag: '@long' }, async () => {
  await open('?q=Trainee')
  await cellAt(-1, -1).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Space')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Shift+Space')
  await expect(bar()).toContainText('3 people and 0 videos selected')
  await page.keyboard.press('ArrowRight')
  await expect.poll(focused).toBe('2:0')
  await page.keyboard.press('Control+Space')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Shift+Space')
  await expect(bar()).toContainText('4 people and 1 video selected')
  await page.keyboard.press('Shift+Space')
  await expect(bar()).toContainText('3 people and 1 video selected')
  await bar().getByRole('button', { name: 'Waive…' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByLabel('Reason').fill('Three by keyboard')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Waive \d/ })
    .focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => given('Three by keyboard'), { timeout: 30_000 }).toBeGreaterThan(0)
  // What lies under an open dialog takes no focus.
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(bar()).toHaveCount(0)
  // A range over rows that have not been in sight.
  await cellAt(0, -1).focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Control+End')
  await page.keyboard.press('Home')
  await expect.poll(focused).toBe('999:-1')
  await expect(grid().getByRole('checkbox', { name: 'Select Trainee 01000' })).toBeVisible({
    timeout: 30_000,
  })
  await page.keyboard.press('Shift+Space')
  await expect(bar()).toContainText('1,000 people and 0 videos selected', { timeout: 30_000 })
  await bar().getByRole('button', { name: 'Clear' }).click()
  await expect(bar()).toHaveCount(0)
})

test('closing the panel leads back to its cell', { tag: '@long' }, async () => {
  await open('?q=Trainee%2000004')
  await grid().locator('[tabindex="0"]').focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect.poll(focused).toBe('0:1')
})

test('saves both forms of the file in each format', async () => {
  await open('?q=Trainee%2000005')
  for (const [form, button, name] of [
    ['Matrix', 'CSV', /training-matrix-.*\.csv/],
    ['Matrix', 'Excel', /training-matrix-.*\.xlsx/],
    ['Details', 'CSV', /training-cells-.*\.csv/],
    ['Details', 'PDF', /training-cells-.*\.pdf/],
  ] as const) {
    const saving = page.waitForEvent('download')
    await listOption(page, 'Download')
    await page.getByRole('region', { name: form }).getByRole('button', { name: button }).click()
    expect((await saving).suggestedFilename()).toMatch(name)
    await expect(page.getByRole('region', { name: form })).toBeHidden()
  }
})

test('every state stays readable in every skin and both themes', { tag: '@long' }, async () => {
  // The word of a job fades in when it likes; half there, it has no colour to judge.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await open('?look=words')
  expect(await axeFaults(page, ['wcag2aa'])).toEqual([])
  const colours = { rules: ['color-contrast'], parts: ['body'] }
  for (const skin of ['classic', 'material', 'modern', 'saas', 'flat', 'minimal'])
    for (const theme of ['light', 'dark']) {
      await wear(page, { skin, theme })
      expect([skin, theme, await faultsAgain(page, colours)]).toEqual([skin, theme, []])
    }
  await wear(page, null)
  await page.emulateMedia({ reducedMotion: null })
})

test(
  'paper has every video and the people who are there, and says who is left out',
  { tag: '@long' },
  async () => {
    await open()
    const tables = page.locator('main table')
    const blocks = Math.ceil(size.videos / 32)
    // What is printed has to stand as soon as printing begins: it waits for nothing.
    const drawn = await page.evaluate(() => {
      dispatchEvent(new Event('beforeprint'))
      return document.querySelectorAll('main table').length
    })
    expect(drawn).toBe(blocks)
    await page.emulateMedia({ media: 'print' })
    await expect(tables.first()).toBeVisible()
    await expect(tables.first().locator('tbody tr')).toHaveCount(100)
    await expect(tables.last().locator('thead th').last()).toHaveText('Lesson 200')
    await expect(page.getByText('These are the first 100 of 1,001 people.')).toBeVisible()
    await expect(grid()).toBeHidden()
    await page.evaluate(() => dispatchEvent(new Event('afterprint')))
    await page.emulateMedia({ media: 'screen' })
    await expect(tables).toHaveCount(0)
  },
)

test(
  'read from right to left, the grid begins at the right and nothing lies to the side',
  { tag: '@long' },
  async () => {
    await open()
    await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'))
    for (const width of [320, 1366]) {
      await page.setViewportSize({ width, height: 900 })
      await fitsAcross(page)
    }
    const [name, cell] = [
      await grid().getByRole('rowheader').first().boundingBox(),
      await grid().getByRole('gridcell').first().boundingBox(),
    ]
    expect(name?.x).toBeGreaterThan(cell?.x ?? 0)
    await grid().locator('[tabindex="0"]').focus()
    await expect.poll(focused).toBe('0:0')
    await page.keyboard.press('ArrowLeft')
    await expect.poll(focused).toBe('0:1')
    await page.evaluate(() => document.documentElement.removeAttribute('dir'))
  },
)

test('a phone lists people with their videos, and nothing lies to the side', { tag: '@long' }, async () => {
  await page.setViewportSize({ width: 320, height: 800 })
  await page.goto(`${product.url}/reports/training-matrix`)
  const person = page.locator('details').filter({ hasText: 'Trainee 00001' })
  await person.locator('summary').click()
  await expect(person.getByRole('button', { name: /Lesson 001|Lesson 002/ }).first()).toBeVisible()
  await fitsAcross(page)
  expect(await axeFaults(page)).toEqual([])
  await page.setViewportSize({ width: 1366, height: 900 })
})
