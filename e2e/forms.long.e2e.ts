import { expect, type Page } from '@playwright/test'
import { fillTraining } from '#server/testing/training.ts'
import { newOrganization } from './client.ts'
import { axeFaults, fitsAcross } from './console.ts'
import { openDatabase } from './database.ts'
import { test as shared } from './shared.ts'

type World = { page: Page; orgId: string }

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const { client, orgId } = await newOrganization(product, 'Form Works')
    const productDatabase = await openDatabase(product)
    await fillTraining((text, values) => productDatabase.query(text, values), {
      organizationId: orgId,
      people: 3,
      videos: 5,
    })
    await productDatabase.close()
    await use({ page: await open(client), orgId })
  },
})

const fields = (page: Page) => page.locator('main [data-part=fields]').first()
const acts = (page: Page) => page.locator('main [data-part=save]')

async function open({ page, orgId }: World, path: string): Promise<void> {
  await page.goto(`${path}${path.includes('?') ? '&' : '?'}organization=${orgId}`)
  await expect(fields(page)).toBeVisible()
  // Lines of the font that stands in until then are of another height.
  await page.evaluate(() => document.fonts.ready.then(() => undefined))
}

const boxOf = async (what: ReturnType<typeof fields>) => {
  const { x = 0, y = 0, width = 0, height = 0 } = (await what.boundingBox()) ?? {}
  return { x, y, width, height }
}

test('every form is one column below its head, at the same place', async ({ world }) => {
  const { page, orgId } = world
  for (const path of [
    '/organizations/create',
    `/organizations/${orgId}/edit`,
    `/organizations/${orgId}/users/create`,
    `/organizations/${orgId}/groups/create`,
    `/organizations/${orgId}/invite`,
    '/transmissions/create',
    '/assignments/create',
    '/settings?tab=sign-in',
    '/settings',
  ]) {
    await open(world, path)
    const head = await boxOf(page.locator('main > header'))
    const { x, width } = await boxOf(fields(page))
    expect.soft({ x, width }, path).toEqual({ x: head.x, width: 560 })
  }
})

/** What lies at a point: a part of the bar, or not. */
const isOfBar = (page: Page, x: number, y: number) =>
  page.evaluate(
    ([across, down]) => document.elementFromPoint(across, down)?.closest('[data-part=save]') !== null,
    [x, y] as const,
  )

test('its acts are the last row of the card, and while that is out of sight a bar at the bottom of the window', async ({
  world,
}) => {
  const { page } = world
  await open(world, '/transmissions/create')
  const main = await boxOf(page.locator('main'))
  await expect(acts(page)).toHaveAttribute('data-stuck')
  const bar = await boxOf(acts(page))
  expect(bar.y + bar.height).toBe(800)
  // It hides what is behind it from edge to edge of the content.
  for (const x of [main.x + 2, main.x + main.width - 2]) {
    expect(await isOfBar(page, x, bar.y + 2)).toBe(true)
    expect(await isOfBar(page, x, 798)).toBe(true)
    expect(await isOfBar(page, x, bar.y - 2)).toBe(false)
  }
  const { x } = await boxOf(acts(page).getByRole('button', { name: /^Send/ }))
  expect(x).toBe((await boxOf(page.getByRole('textbox', { name: 'Message' }))).x)
  await fitsAcross(page)
  expect(await axeFaults(page)).toEqual([])
  // Whatever has the focus is seen whole.
  await page.getByRole('textbox', { name: 'Message' }).focus()
  for (let presses = 0; presses < 24; presses++) {
    await page.keyboard.press('Tab')
    const below = await page.evaluate(() => {
      const at = document.activeElement
      const bar = document.querySelector('[data-part=save]')
      if (!at || !bar || bar.contains(at) || !bar.hasAttribute('data-stuck') || !at.closest('form')) return 0
      return at.getBoundingClientRect().bottom - bar.getBoundingClientRect().top
    })
    expect(below).toBeLessThanOrEqual(0)
  }
  await page.setViewportSize({ width: 1366, height: 2400 })
  await expect(acts(page)).not.toHaveAttribute('data-stuck')
  const card = await boxOf(fields(page))
  const row = await boxOf(acts(page))
  expect(row.y + row.height).toBeCloseTo(card.y + card.height - 1, 0)
  expect(await isOfBar(page, main.x + main.width - 2, row.y + 2)).toBe(false)
})

test('what is chosen by a click stands on the middle of its words', async ({ world }) => {
  const { page } = world
  await open(world, '/assignments/create')
  // A browser owes no layout to what a closed fold holds, so each is opened before it is measured.
  const closed = page.locator('main details:not([open]) > summary')
  for (let folds = await closed.count(); folds > 0; folds--) await closed.first().click()
  await expect(closed).toHaveCount(0)
  const choices = page.locator('main .mantine-Radio-root')
  for (const choice of await choices.all()) await expect(choice).toBeVisible()
  const off = await choices.evaluateAll((choices) =>
    choices.map((choice) => {
      const [circle, words] = ['input', 'label'].map((part) => choice.querySelector(part))
      if (!circle || !words) return 'no words'
      const range = document.createRange()
      range.selectNodeContents(words)
      const [line] = range.getClientRects()
      const box = circle.getBoundingClientRect()
      const middle = (one: DOMRect | undefined) => (one ? one.y + one.height / 2 : 0)
      return box.width === 16 && Math.abs(middle(box) - middle(line)) <= 0.5 ? [] : words.textContent
    }),
  )
  expect(off.length).toBeGreaterThan(1)
  expect(off.flat()).toEqual([])
})

test('videos to choose from are one row, and all of them once that is asked for', async ({ world }) => {
  const { page, orgId } = world
  // The composer begins with the organization that was chosen before.
  await page.goto(`/transmissions?organization=${orgId}`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await open(world, '/transmissions/create')
  const videos = page.getByRole('list', { name: 'Videos that can be sent' }).getByRole('listitem')
  await expect(videos).toHaveCount(3)
  const all = page.getByRole('button', { name: 'All videos' })
  await all.press('Enter')
  await expect(videos).toHaveCount(5)
  const fewer = page.getByRole('button', { name: 'Fewer videos' })
  await expect(fewer).toBeFocused()
  await fewer.press('Enter')
  await expect(videos).toHaveCount(3)
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(videos).toHaveCount(2)
  await fitsAcross(page)
})
