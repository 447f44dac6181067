import { expect, type Page } from '@playwright/test'
import { listTraining, readTraining } from '#contract/matrix/training.ts'
import { fillTraining } from '#server/testing/training.ts'
import { newAdmin, newOrganization, type Client } from './client.ts'
import {
  answerBell,
  asksForItself,
  axeFaults,
  chip,
  faultsAgain,
  fitsAcross,
  listOption,
  wear,
} from './console.ts'
import { derived, openDatabase, type ProductDatabase } from './database.ts'
import { test as shared } from './shared.ts'

/** As many cells as a large organization has. Something is known of a quarter of them: filling in all takes a busy machine minutes. */
const size = { people: 1_000, videos: 200, share: 25 }
type Toys = { admin: Client; database: ProductDatabase; organizationId: string }
type World = Toys & { page: Page }

const test = shared.extend<{ world: World }, { toys: Toys }>({
  /** The tests waive for reasons of their own in it, and otherwise only read. */
  toys: [
    async ({ shared: product }, use) => {
      const { client: superadmin, orgId: organizationId } = await newOrganization(product, 'Training Toys')
      const admin = await newAdmin(product, superadmin, { orgId: organizationId, name: 'Ada Admin' })
      const database = await openDatabase(product)
      await fillTraining((text, values) => database.query(text, values), { organizationId, ...size })
      await use({ admin, database, organizationId })
      await database.close()
    },
    { scope: 'worker', timeout: 240_000 },
  ],
  world: [
    async ({ toys, open }, use) => {
      await derived(toys.database, toys.organizationId)
      const page = await open(toys.admin)
      await page.setViewportSize({ width: 1366, height: 900 })
      await use({ ...toys, page })
    },
    { timeout: 240_000 },
  ],
})

const grid = (page: Page) => page.getByRole('grid', { name: 'Training of people by videos' })
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('data-at'))

async function openMatrix(page: Page, query = ''): Promise<void> {
  await page.goto(`/reports/training-matrix${query}`)
  await expect(grid(page).getByRole('gridcell').first()).toBeVisible({ timeout: 30_000 })
}

test('draws what is in sight of 200,000 cells, asks the server twice, and has no fault', async ({
  world: { page },
}) => {
  const asked: string[] = []
  const note = (request: { url(): string }) => {
    if (asksForItself(request.url())) asked.push(request.url())
  }
  await answerBell(page)
  page.on('request', note)
  await openMatrix(page)
  await page.waitForLoadState('networkidle')
  expect(asked.length).toBeLessThanOrEqual(2)
  page.off('request', note)
  await page.unrouteAll({ behavior: 'wait' })
  await expect(grid(page)).toHaveAttribute('aria-rowcount', String(size.people + 2))
  await expect(grid(page)).toHaveAttribute('aria-colcount', String(size.videos + 1))
  const nodes = () => grid(page).evaluate((element) => element.querySelectorAll('*').length)
  expect(await nodes()).toBeLessThan(4_000)
  await grid(page).evaluate((element) => element.scrollTo(9_000, 18_000))
  await expect(page.getByRole('link', { name: 'Trainee 00500' })).toBeVisible({ timeout: 30_000 })
  await expect(page.getByRole('columnheader', { name: /Lesson 085/ })).toBeVisible()
  expect(await nodes()).toBeLessThan(4_000)
  expect(await axeFaults(page)).toEqual([])
})

test('the cells say what the server says', async ({ world: { page, admin, organizationId } }) => {
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
  await openMatrix(page, '?q=Trainee%2000007')
  const shown = await grid(page).getByRole('gridcell').allInnerTexts()
  expect(shown.length).toBeGreaterThan(5)
  expect(shown.map((text) => text.trim())).toEqual(
    Array.from(items[0]?.cells ?? '', (letter) => words[letter]).slice(0, shown.length),
  )
  const { counts } = await admin.call(readTraining, { params: { orgId: organizationId } })
  await openMatrix(page)
  await expect(page.getByRole('button', { name: /^Late/ })).toHaveText(
    `Late${counts.overdue?.toLocaleString('en-US')}`,
  )
})

test('the keyboard reaches every cell, and the focus stays while one scrolls', async ({
  world: { page },
}) => {
  await openMatrix(page)
  await grid(page).locator('[tabindex="0"]').focus()
  await expect.poll(() => focused(page)).toBe('0:0')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => focused(page)).toBe('1:1')
  await page.keyboard.press('End')
  await expect.poll(() => focused(page)).toBe(`1:${size.videos - 1}`)
  await page.keyboard.press('Home')
  await expect.poll(() => focused(page)).toBe('1:-1')
  await page.keyboard.press('Control+End')
  await expect.poll(() => focused(page)).toBe(`${size.people}:${size.videos - 1}`)
  await expect(page.getByRole('columnheader', { name: /Lesson 200/ })).toBeInViewport()
  await grid(page).evaluate((element) => element.scrollTo(0, 0))
  await expect(page.getByRole('link', { name: 'Ada Admin' })).toBeVisible()
  expect(await focused(page)).toBe(`${size.people}:${size.videos - 1}`)
  await page.keyboard.press('Control+Home')
  await expect.poll(() => focused(page)).toBe('-1:-1')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/sort=-name/)
  await expect(page.getByRole('link', { name: 'Trainee 01000' })).toBeVisible({ timeout: 30_000 })
})

test('the legend filters people and videos, and the address says so', async ({ world: { page } }) => {
  await openMatrix(page)
  await page.getByRole('button', { name: /^Late/ }).click()
  await expect(page).toHaveURL(/state=overdue/)
  await expect(grid(page)).toHaveAttribute('aria-colcount', '51')
  await expect(chip(page, 'State: Late')).toBeVisible()
  await listOption(page, 'Videos, order and look')
  await page.getByLabel('Order of people').selectOption('-overdue')
  await expect(page).toHaveURL(/sort=-overdue/)
  await page.reload()
  await expect(page.getByRole('button', { name: /^Late/ })).toHaveAttribute('aria-pressed', 'true')
  await listOption(page, 'Videos, order and look')
  await expect(page.getByLabel('Order of people')).toHaveValue('-overdue')
})

test('the videos and their order are chosen, kept in a view, and the sums say of how many they are', async ({
  world: { page },
}) => {
  await openMatrix(page)
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
  const titles = () => grid(page).getByRole('columnheader').allInnerTexts()
  const chosen = ['Lesson 005', 'Lesson 003', 'Lesson 001']
  await expect.poll(async () => (await titles()).slice(1).map((text) => text.split('\n')[0])).toEqual(chosen)
  expect(await axeFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await listOption(page, 'Saved views')
  await page.getByRole('button', { name: 'Save as a new view' }).click()
  await page.getByRole('dialog', { name: 'Save as a view' }).getByLabel('Name').fill('Three lessons')
  await page.getByRole('button', { name: 'Save view' }).click()
  await expect(page.getByRole('button', { name: 'Three lessons' })).toBeVisible()
  await openMatrix(page)
  await expect(page.getByText(/^Updated \d/)).toBeVisible()
  await listOption(page, 'Saved views')
  await page.getByRole('link', { name: /Three lessons/ }).click()
  await expect(page.getByText('You see 3 of these videos')).toBeVisible()
  await expect.poll(async () => (await titles()).slice(1).map((text) => text.split('\n')[0])).toEqual(chosen)
})

test('waives with a reason, takes it back, and takes that back', async ({ world: { page, database } }) => {
  await openMatrix(page, '?q=Trainee%2000003&state=overdue')
  const cell = grid(page).getByRole('gridcell', { name: 'Late' }).first()
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
  await expect.poll(() => given(database, 'On parental leave'), { timeout: 30_000 }).toBe(1)
})

const bar = (page: Page) => page.getByRole('region', { name: 'Selection' })
const cellAt = (page: Page, row: number, column: number) => grid(page).locator(`[data-at="${row}:${column}"]`)
const given = async (database: ProductDatabase, reason: string) =>
  (await database.query('select 1 from training_waivers where reason = $1 and ended_at is null', [reason]))
    .rowCount

test('many are waived from many at once, by pointer, without oneself, and taken back together', async ({
  world: { page, database },
}) => {
  await openMatrix(page)
  await grid(page).getByRole('checkbox', { name: 'Select Ada Admin' }).click()
  await expect(bar(page)).toContainText('1 person and 0 videos selected')
  await expect(bar(page)).toContainText('Pick videos as well')
  await grid(page)
    .getByRole('checkbox', { name: 'Select Trainee 00003' })
    .click({ modifiers: ['Shift'] })
  await cellAt(page, -1, 0).getByRole('checkbox').click()
  await cellAt(page, -1, 2)
    .getByRole('checkbox')
    .click({ modifiers: ['Shift'] })
  await expect(bar(page)).toContainText('4 people and 3 videos selected')
  await expect(cellAt(page, 2, 2)).toHaveAttribute('aria-selected', 'true')
  await expect(cellAt(page, 5, 2)).toHaveAttribute('aria-selected', 'false')
  expect(await axeFaults(page)).toEqual([])
  await bar(page).getByRole('button', { name: 'Waive…' }).click()
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
  await expect(bar(page)).toHaveCount(0)
  const count = await given(database, 'Whole shift on leave')
  expect(count).toBeGreaterThan(0)
  await card.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => given(database, 'Whole shift on leave'), { timeout: 30_000 }).toBe(0)
})

test('the same by keyboard alone', { tag: '@long' }, async ({ world: { page, database } }) => {
  await openMatrix(page, '?q=Trainee&sort=-name')
  await cellAt(page, -1, -1).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Space')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Shift+Space')
  await expect(bar(page)).toContainText('3 people and 0 videos selected')
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => focused(page)).toBe('2:0')
  await page.keyboard.press('Control+Space')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Shift+Space')
  await expect(bar(page)).toContainText('4 people and 1 video selected')
  await page.keyboard.press('Shift+Space')
  await expect(bar(page)).toContainText('3 people and 1 video selected')
  await bar(page).getByRole('button', { name: 'Waive…' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByLabel('Reason').fill('Three by keyboard')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Waive \d/ })
    .focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => given(database, 'Three by keyboard'), { timeout: 30_000 }).toBeGreaterThan(0)
  // What lies under an open dialog takes no focus.
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(bar(page)).toHaveCount(0)
  // A range over rows that have not been in sight.
  await cellAt(page, 0, -1).focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Control+End')
  await page.keyboard.press('Home')
  await expect.poll(() => focused(page)).toBe('999:-1')
  await expect(grid(page).getByRole('checkbox', { name: 'Select Trainee 00001' })).toBeVisible({
    timeout: 30_000,
  })
  await page.keyboard.press('Shift+Space')
  await expect(bar(page)).toContainText('1,000 people and 0 videos selected', { timeout: 30_000 })
  await bar(page).getByRole('button', { name: 'Clear' }).click()
  await expect(bar(page)).toHaveCount(0)
})

test('closing the panel leads back to its cell', { tag: '@long' }, async ({ world: { page } }) => {
  await openMatrix(page, '?q=Trainee%2000004')
  await grid(page).locator('[tabindex="0"]').focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect.poll(() => focused(page)).toBe('0:1')
})

test('saves both forms of the file in each format', async ({ world: { page } }) => {
  await openMatrix(page, '?q=Trainee%2000005')
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

test(
  'every state stays readable in every skin and both themes',
  { tag: '@long' },
  async ({ world: { page } }) => {
    // The word of a job fades in when it likes; half there, it has no colour to judge.
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await openMatrix(page, '?look=words')
    expect(await axeFaults(page, ['wcag2aa'])).toEqual([])
    const colours = { rules: ['color-contrast'], parts: ['body'] }
    for (const skin of ['classic', 'material', 'modern', 'saas', 'flat', 'minimal'])
      for (const theme of ['light', 'dark']) {
        await wear(page, { skin, theme })
        expect([skin, theme, await faultsAgain(page, colours)]).toEqual([skin, theme, []])
      }
  },
)

test(
  'paper has every video and the people who are there, and says who is left out',
  { tag: '@long' },
  async ({ world: { page } }) => {
    await openMatrix(page)
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
    await expect(grid(page)).toBeHidden()
    await page.evaluate(() => dispatchEvent(new Event('afterprint')))
    await page.emulateMedia({ media: 'screen' })
    await expect(tables).toHaveCount(0)
  },
)

test(
  'read from right to left, the grid begins at the right and nothing lies to the side',
  { tag: '@long' },
  async ({ world: { page } }) => {
    await openMatrix(page)
    await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'))
    for (const width of [320, 1366]) {
      await page.setViewportSize({ width, height: 900 })
      await fitsAcross(page)
    }
    const [name, cell] = [
      await grid(page).getByRole('rowheader').first().boundingBox(),
      await grid(page).getByRole('gridcell').first().boundingBox(),
    ]
    expect(name?.x).toBeGreaterThan(cell?.x ?? 0)
    await grid(page).locator('[tabindex="0"]').focus()
    await expect.poll(() => focused(page)).toBe('0:0')
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => focused(page)).toBe('0:1')
  },
)

test(
  'a phone lists people with their videos, and nothing lies to the side',
  { tag: '@long' },
  async ({ world: { page } }) => {
    await page.setViewportSize({ width: 320, height: 800 })
    await page.goto('/reports/training-matrix')
    const person = page.locator('details').filter({ hasText: 'Trainee 00001' })
    await person.locator('summary').click()
    await expect(person.getByRole('button', { name: /Lesson 001|Lesson 002/ }).first()).toBeVisible()
    await fitsAcross(page)
    expect(await axeFaults(page)).toEqual([])
  },
)
