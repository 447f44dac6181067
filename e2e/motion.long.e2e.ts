import { expect, type Page } from '@playwright/test'
import { createUser } from '#contract/directory/users.ts'
import { newOrganization } from './client.ts'
import { test as shared } from './shared.ts'

/** What changes place moves there, in 150 to 200 ms; nothing does for who asks for less motion. */

type Move = { what: string; duration: number }
type Noting = typeof globalThis & { moves: Move[] }

/** The page notes what is animated in it. */
const test = shared.extend<{ world: { page: Page; list: string } }>({
  world: async ({ shared: product, open }, use) => {
    const { client, orgId } = await newOrganization(product, 'Moving Toys')
    for (const name of ['Ada', 'Grace', 'Mary'])
      await client.call(createUser, {
        params: { orgId },
        body: { name, email: `${name.toLowerCase()}@motion.test` },
      })
    const page = await open(client)
    await page.addInitScript(() => {
      const noting = globalThis as Noting
      noting.moves = []
      const original = Object.getOwnPropertyDescriptor(Element.prototype, 'animate')
      const animate = original?.value as (
        this: Element,
        ...given: Parameters<Element['animate']>
      ) => Animation
      Element.prototype.animate = function noted(frames, options) {
        const duration = typeof options === 'object' ? Number(options.duration) : 0
        noting.moves.push({ what: this.closest('tr')?.textContent.slice(0, 40) ?? '', duration })
        return animate.call(this, frames, options)
      }
    })
    await use({ page, list: `/organizations/${orgId}/dashboard?tab=users&sort=name` })
  },
})

const moves = (page: Page) => page.evaluate(() => (globalThis as Noting).moves)
const firstRow = (page: Page) => page.locator('main tbody tr').first()

async function turnAround(page: Page): Promise<void> {
  await page.locator('main th[aria-sort] button').click()
  await expect(firstRow(page)).toContainText('Mary')
}

test('rows of a list go to their new places when it is sorted, and not when they come', async ({
  world: { page, list },
}) => {
  await page.goto(list)
  await expect(firstRow(page)).toContainText('Ada')
  expect(await moves(page)).toEqual([])
  await turnAround(page)
  const seen = await moves(page)
  // The one in the middle stays where it is.
  expect(new Set(seen.map(({ what }) => what.match(/Ada|Grace|Mary/)?.[0]))).toEqual(new Set(['Ada', 'Mary']))
  // Each cell once.
  expect(seen).toHaveLength(2 * (await firstRow(page).locator('> *').count()))
  for (const { duration } of seen) {
    expect(duration).toBeGreaterThanOrEqual(150)
    expect(duration).toBeLessThanOrEqual(200)
  }
  // And each is found where it is seen.
  for (const name of ['Mary', 'Grace', 'Ada'])
    await page.getByRole('link', { name, exact: true }).click({ trial: true })
})

test('with less motion, they are there at once', async ({ world: { page, list } }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto(list)
  await expect(firstRow(page)).toContainText('Ada')
  await turnAround(page)
  expect(await moves(page)).toEqual([])
})

test('with less motion, the wheel of a button that is at work stands in its middle', async ({
  world: { page },
}) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto('/settings?tab=system')
  const button = page.locator('section button', { hasText: 'Check again' })
  await expect(button).toBeVisible()
  await page.route('**/api/system/doctor', () => {})
  await button.click()
  const places = await Promise.all(
    [button, button.locator('.mantine-Button-loader')].map((one) => one.boundingBox()),
  )
  const [middle, wheel] = places.map((box) => box && { x: box.x + box.width / 2, y: box.y + box.height / 2 })
  expect(Math.abs((wheel?.x ?? 0) - (middle?.x ?? 9))).toBeLessThan(1.5)
  expect(Math.abs((wheel?.y ?? 0) - (middle?.y ?? 9))).toBeLessThan(1.5)
})
