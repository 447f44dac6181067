import { setTimeout as sleep } from 'node:timers/promises'
import { expect, type Page } from '@playwright/test'
import { readAudience } from '#contract/audience/audience.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import type { TrackBatch } from '#contract/tracking/tracks.ts'
import { newSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross } from './console.ts'
import type { Product } from './product.ts'
import { test as shared } from './shared.ts'
import { readyVideo, videoWithoutFiles } from './upload.ts'

type World = {
  product: Product
  client: Client
  page: Page
  organizationId: string
}

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const client = await newSuperadmin(product)
    const { id: organizationId } = await client.call(createOrganization, { body: { name: 'Viewing Ltd' } })
    await use({ product, client, page: await open(client), organizationId })
  },
})

const playable = ({ product, client, organizationId }: World) =>
  readyVideo({ url: product.url, client, organizationId }, { seconds: 12, width: 320 })
const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** Somebody opens the page of the video; what they hand in is what the recorder would. */
async function visitor({ product }: World, videoId: string) {
  const headers = { 'user-agent': userAgent }
  const html = await (await fetch(`${product.url}/w/video/${videoId}`, { headers })).text()
  const { playToken } = JSON.parse(/id="watch">(.*?)<\/script>/.exec(html)?.[1] ?? '{}') as {
    playToken: string
  }
  let batch = 0
  const opened = Date.now()
  return async (endMs: number, ended = false) => {
    const wall = endMs / 2
    // Nothing counts before it can have been watched.
    await sleep(opened + wall + 250 - Date.now())
    const body: TrackBatch = {
      version: 1,
      playToken,
      batch: batch++,
      elapsedMs: wall,
      spans: [[0, 0, endMs, wall, 200, 0]],
      events: [
        [0, 'impression', 0, 0, null],
        [1, 'play', 0, 0, { span: 0 }],
      ],
      state: { position: endMs, visible: true },
      ended,
    }
    const answer = await fetch(`${product.url}/api/tracks`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(answer.status).toBe(200)
  }
}

/** Has five people watch nine seconds of a video, six, or four. */
async function watched(world: World): Promise<string> {
  const videoId = await playable(world)
  const watch = async (endMs: number) => (await visitor(world, videoId))(endMs, true)
  await Promise.all([9_000, 9_000, 9_000, 6_000, 4_000].map(watch))
  await expect.poll(() => playsOf(world, videoId)).toBe(5)
  return videoId
}

const playsOf = async ({ client }: World, videoId: string) =>
  (await client.call(readAudience, { params: { videoId } })).figures.plays

const openViewing = (page: Page, videoId: string) => page.goto(`/content/${videoId}/viewing`)
const plot = (page: Page) => page.getByRole('slider', { name: 'Moment of the video' })

test('before anybody has watched, the page leads to sending the video', async ({
  world: { product, page, organizationId },
}) => {
  const videoId = await videoWithoutFiles(product, { organizationId, seconds: 12 })
  await page.goto(`/content/${videoId}`)
  await page
    .getByRole('navigation', { name: 'About this video' })
    .getByRole('link', { name: 'Viewing' })
    .click()
  await expect(page.getByRole('heading', { name: 'Nobody has watched this video yet' })).toBeVisible()
  await expect(page).toHaveTitle(/^Viewing · A real video · /)
  await expect(page.getByRole('link', { name: 'Send this video' })).toHaveAttribute(
    'href',
    new RegExp(`videoId=${videoId}`),
  )
  expect(await axeFaults(page)).toEqual([])
})

test('too few people have no curve', { tag: '@long' }, async ({ world }) => {
  const { page } = world
  const videoId = await playable(world)
  const report = await visitor(world, videoId)
  await report(4_000)
  await expect.poll(() => playsOf(world, videoId)).toBe(1)
  await openViewing(page, videoId)
  await expect(page.getByRole('heading', { name: 'Fewer than 5 people have watched' })).toBeVisible()
  await expect(plot(page)).toHaveCount(0)
})

test(
  'the plot is walked with the keyboard, reads out every second, and plays the moment',
  { tag: '@long' },
  async ({ world }) => {
    const { page } = world
    await openViewing(page, await watched(world))
    await plot(page).focus()
    await expect(plot(page)).toHaveAttribute('aria-valuetext', /^0:00: 100% of viewers \(5 of 5\)/)
    for (let n = 0; n < 5; n++) await page.keyboard.press('ArrowRight')
    await expect(plot(page)).toHaveAttribute('aria-valuetext', /^0:05: 80% of viewers \(4 of 5\)/)
    await page.keyboard.press('End')
    await expect(plot(page)).toHaveAttribute('aria-valuetext', /^0:11: 0% of viewers/)
    await page.keyboard.press('Home')
    await page.keyboard.press('PageUp')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    const time = () => page.locator('video').evaluate((video: HTMLVideoElement) => video.currentTime)
    await expect.poll(time, { timeout: 30_000 }).toBeGreaterThan(9.2)

    await page.getByText('The figures behind the plot').click()
    const row = page
      .getByRole('table', { name: /^Retention/ })
      .getByRole('row')
      .nth(6)
    await expect(row).toContainText('80%')
    await page.getByText('What these figures mean').click()
    await expect(page.getByText('more than one standard deviation')).toBeVisible()
    await page.locator('video').evaluate((video: HTMLVideoElement) => video.pause())
    expect(await axeFaults(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    await fitsAcross(page)
  },
)

test('period and order stand in the address', { tag: '@long' }, async ({ world }) => {
  const { page } = world
  await openViewing(page, await watched(world))
  await page.getByLabel('Period').selectOption('Last 7 days')
  await expect(page).toHaveURL(/period=7d/)
  await page.reload()
  await expect(page.getByLabel('Period')).toHaveValue('7d')
  await expect(plot(page)).toHaveAttribute('aria-valuetext', /of plays/)
})

test('what an administrator plays is shown as it would be recorded, and is not counted', async ({
  world,
}) => {
  const { client, page } = world
  const videoId = await playable(world)
  await page.goto(`/content/${videoId}`)
  const preview = page.getByRole('region', { name: 'Your preview' })
  await expect(preview).toContainText('it is not counted', { timeout: 30_000 })
  await page.locator('[data-player] button').first().press('k')
  await expect(preview.getByRole('img')).toHaveAccessibleName(/^Seen 0:00 to 0:0[2-9] of 0:12/, {
    timeout: 30_000,
  })
  await page.locator('[data-player] button').first().press('k')
  await expect(preview).toContainText(/of 0:12 would count/)
  expect(await axeFaults(page)).toEqual([])
  expect((await client.call(readAudience, { params: { videoId } })).figures.plays).toBe(0)
})
