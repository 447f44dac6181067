import { expect, type Page } from '@playwright/test'
import { createOrganization } from '#contract/directory/organizations.ts'
import { defaultQuizSettings, publishQuiz, saveQuiz } from '#contract/quizzes/quizzes.ts'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { putLogo } from '#contract/directory/pictures.ts'
import { createTransmission } from '#contract/transmissions/transmissions.ts'
import { createUser } from '#contract/directory/users.ts'
import { updateVideo } from '#contract/videos/videos.ts'
import { choices, question } from '#server/testing/quizzes/quizzes.ts'
import { unique } from '#server/testing/unique.ts'
import { firstSuperadmin, newSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross } from './console.ts'
import { linkTo, mailsTo } from './outbox.ts'
import { reach } from './playing.ts'
import { startProduct, type Product } from './product.ts'
import { test as shared } from './shared.ts'
import { readyVideo } from './upload.ts'

const seconds = 14
/** A picture of one point. */
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const questions = [
  question({
    prompt: 'Which light means stop?',
    atMs: 4_000,
    gate: true,
    options: choices('*Red', 'Green/Green means go.'),
    whenRight: 'Well seen.',
    backToMs: 1_000,
  }),
  question({
    kind: 'multiple',
    prompt: 'Which of these are colours?',
    atMs: 8_000,
    options: choices('*Blue', 'Loud', '*Yellow'),
  }),
  question({
    kind: 'number',
    prompt: 'How many lights were there?',
    atMs: null,
    gate: true,
    points: 2,
    number: { value: 2, tolerance: 0 },
  }),
]

type World = {
  client: Client
  address: string
  email: string
  link: string
  transmissionId: string
}

/** Sends a video with questions to one person; everybody else may open it too who has its address. */
async function sent(product: Product, client: Client): Promise<World> {
  const organizationId = (await client.call(createOrganization, { body: { name: 'Acme' } })).id
  await client.call(putLogo, { params: { orgId: organizationId }, body: { data: dot } })
  const videoId = await readyVideo({ url: product.url, client, organizationId }, { seconds, width: 320 })
  await client.call(updateVideo, { params: { videoId }, body: { title: 'Red and green', privacy: 'link' } })
  const settings = { ...defaultQuizSettings, passMark: 0.6 }
  await client.call(saveQuiz, { params: { videoId }, body: { settings, questions } })
  await client.call(publishQuiz, { params: { videoId } })
  const email = `ann-${unique()}@example.test`
  await client.call(createUser, { params: { orgId: organizationId }, body: { name: 'Ann', email } })
  const audience = { everyone: true, userIds: [], groupIds: [] }
  const message = { body: 'Please watch this.', videoId, accountId: organizationId, audience }
  const { id: transmissionId } = await client.call(createTransmission, { body: message })
  return { client, address: `/w/video/${videoId}`, email, link: await linkTo(client, email), transmissionId }
}

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product }, use) => use(await sent(product, await newSuperadmin(product))),
})

const panel = (page: Page) => page.getByRole('dialog')
const asks = (page: Page, prompt: string) => panel(page).getByRole('heading', { name: prompt })
const time = (page: Page) => page.evaluate(() => document.querySelector('video')?.currentTime ?? 0)
const isPaused = (page: Page) => page.evaluate(() => document.querySelector('video')?.paused)
const set = (page: Page, change: { at?: number; rate?: number }) =>
  page.evaluate(({ at, rate }) => {
    const video = document.querySelector('video')
    if (video && rate !== undefined) video.playbackRate = rate
    if (video && at !== undefined) video.currentTime = at
  }, change)
const button = (page: Page, name: string | RegExp) => panel(page).getByRole('button', { name })

async function open(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.getByRole('button', { name: /^Play:/ }).click()
}

test('a gate stops the video at its time, is not jumped over, and leads back after a wrong answer', async ({
  page,
  world: { address },
}) => {
  const scripts: string[] = []
  page.on('request', (request) => {
    if (/\/quiz-[^/]*\.js$/.test(request.url())) scripts.push(request.url())
  })
  await page.goto(address, { waitUntil: 'networkidle' })
  expect(scripts).toEqual([])
  await page.getByRole('button', { name: /^Play:/ }).click()
  await set(page, { rate: 2 })
  await expect(asks(page, 'Which light means stop?')).toBeFocused({ timeout: 15_000 })
  expect(scripts).toHaveLength(1)
  expect(await isPaused(page)).toBe(true)
  expect(Math.abs((await time(page)) - 4)).toBeLessThanOrEqual(0.25)
  // Not even a key of the headset goes on.
  await page.evaluate(() =>
    document
      .querySelector('video')
      ?.play()
      .catch(() => undefined),
  )
  await expect.poll(() => isPaused(page)).toBe(true)
  // Nor does any key of the player, also where the focus is on nothing.
  const stopped = await time(page)
  for (const key of ['k', 'l', 'j', 'End']) await page.keyboard.press(key)
  await asks(page, 'Which light means stop?').blur()
  await expect(page.locator('body')).toBeFocused()
  for (const key of ['k', 'l', 'j', '0']) await page.keyboard.press(key)
  expect(await isPaused(page)).toBe(true)
  expect(await time(page)).toBe(stopped)

  await panel(page).getByLabel('Green').check()
  await button(page, 'Answer').click()
  await expect(asks(page, 'That is not right.')).toBeFocused()
  await expect(panel(page)).toContainText('Green means go.')
  await expect(panel(page)).not.toContainText('Red')
  const back = page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const video = document.querySelector('video')
        video?.addEventListener('seeking', () => resolve(video.currentTime), { once: true })
      }),
  )
  await button(page, /^Watch that part again/).click()
  await expect(panel(page)).toBeHidden()
  expect(await back).toBeLessThan(2.5)
  await expect(asks(page, 'Which light means stop?')).toBeFocused({ timeout: 15_000 })
  await panel(page).getByLabel('Red').check()
  await button(page, 'Answer').click()
  await expect(panel(page)).toContainText('Well seen.')
  await set(page, { rate: 1 })
  await button(page, 'Go on').click()
  // Whoever jumps over the next question is not asked it; at its end the video would ask again.
  await reach(page, 4.3, { seek: 9 })
  await reach(page, 9.2, { pause: true })
  await expect(panel(page)).toBeHidden()

  await page.evaluate(() => sessionStorage.clear())
  await open(page, address)
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0.5)
  await set(page, { at: 12 })
  await expect(asks(page, 'Which light means stop?')).toBeFocused()
  await expect(panel(page)).toContainText('You jumped over this question.')
  await expect.poll(() => time(page)).toBeLessThan(4.3)
})

test(
  'the mail shows the logo of the organization, which whoever reads it can fetch',
  { tag: '@long' },
  async ({ request, world: { client, email } }) => {
    const [mail] = await mailsTo(client, email)
    const pictures = [...(mail?.html ?? '').matchAll(/<img src="([^"]+)"/g)].map(
      ([, address = '']) => address,
    )
    const logo = pictures.find((address) => address.includes('/pictures/')) ?? ''
    const answer = await request.get(new URL(logo).pathname + new URL(logo).search)
    expect(answer.status()).toBe(200)
    expect(answer.headers()['content-type']).toMatch(/^image\//)
  },
)

test(
  'by keyboard alone: put off, answered at the end, passed, and completed after every gate',
  { tag: '@long' },
  async ({ page, world: { client, link, transmissionId } }) => {
    const delivery = async () => (await client.call(listDeliveries, { params: { transmissionId } })).items[0]
    await page.goto(link)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect(asks(page, 'Which light means stop?')).toBeFocused({ timeout: 15_000 })
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    await press('Tab', 'Space', 'Enter')
    await expect(asks(page, 'That is right.')).toBeFocused()
    await press('Tab', 'Enter')
    await expect(asks(page, 'Which of these are colours?')).toBeFocused({ timeout: 15_000 })
    await press('Tab', 'Tab', 'Tab', 'Tab')
    await press('Enter')
    await expect(panel(page)).toContainText('Please choose at least one answer.')
    await expect(panel(page).getByLabel('Blue')).toBeFocused()
    await press('Tab', 'Tab', 'Tab', 'Tab')
    await expect(button(page, 'Not now')).toBeFocused()
    await press('Enter')
    await expect(page.getByRole('button', { name: 'Answer the one you put off' })).toBeVisible()

    await expect(asks(page, 'Which of these are colours?')).toBeFocused({ timeout: 20_000 })
    expect(await page.evaluate(() => document.querySelector('video')?.ended)).toBe(true)
    await press('Tab', 'Space', 'Enter')
    await expect(asks(page, 'That is not right.')).toBeFocused()
    await press('Tab', 'Enter')
    await expect(asks(page, 'How many lights were there?')).toBeFocused()
    await expect.poll(async () => (await delivery())?.coverage?.at(-1)?.[1]).toBeGreaterThan(13_500)
    expect((await delivery())?.completedAt).toBeNull()
    const receipt = page.locator('section[aria-label="What you have seen"]')
    await expect(receipt).toContainText('One question is still open.', { timeout: 20_000 })
    await press('Tab')
    await page.keyboard.type('two')
    await press('Enter')
    await expect(panel(page)).toContainText('This is not a number.')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('2')
    await press('Enter')
    await expect(asks(page, 'That is right.')).toBeFocused()
    await press('Tab', 'Enter')
    await expect(asks(page, 'You have passed.')).toBeFocused()
    await expect(panel(page)).toContainText('3.5 of 4 points, that is 87.5%. To pass, 60% are needed.')
    await expect.poll(async () => (await delivery())?.completedAt).not.toBeNull()

    await page.reload()
    await expect(receipt).toContainText('Completed on ')
    await expect(receipt).not.toContainText('still open')
    await page.getByRole('button', { name: /^Play:/ }).click()
    await expect(page.getByRole('button', { name: 'Show the result' })).toBeVisible()
    await expect(panel(page)).toBeHidden()
  },
)

test(
  'an answer without a network is kept, through a reload too, and counts once',
  { tag: '@long' },
  async ({ page }) => {
    const product = await startProduct()
    const address = product.url + (await sent(product, await firstSuperadmin(product))).address
    await open(page, address)
    await expect(asks(page, 'Which light means stop?')).toBeFocused({ timeout: 15_000 })
    await page.route('**/answers', (route) => route.abort())
    await panel(page).getByLabel('Red').check()
    await button(page, 'Answer').click()
    await expect(panel(page)).toContainText('The connection is lost. Your answer is kept here')
    await page.unroute('**/answers')
    await open(page, address)
    await expect(page.getByText('1 of 3 questions answered.')).toBeVisible({ timeout: 15_000 })
    await reach(page, 4.5, { pause: true })
    await expect(panel(page)).toBeHidden()

    // What was acknowledged survives the end of the server.
    await product.kill()
    await product.restart()
    await open(page, address)
    await expect(page.getByText('1 of 3 questions answered.')).toBeVisible({ timeout: 15_000 })
    await product.stop()
  },
)

test(
  'an answer in whose middle the server dies is kept, and counts once',
  { tag: '@long' },
  async ({ page }) => {
    const product = await startProduct()
    const address = product.url + (await sent(product, await firstSuperadmin(product))).address
    await open(page, address)
    await expect(asks(page, 'Which light means stop?')).toBeFocused({ timeout: 15_000 })
    const asked: string[] = []
    await page.route('**/answers', async (route) => {
      const path = new URL(route.request().url()).pathname
      asked.push(path)
      const going = route.continue()
      if (asked.length === 1) await product.kill()
      await going
    })
    await panel(page).getByLabel('Red').check()
    await button(page, 'Answer').click()
    await expect(panel(page)).toContainText('Your answer is kept here', { timeout: 20_000 })
    await product.restart()
    await open(page, address)
    await expect(page.getByText('1 of 3 questions answered.')).toBeVisible({ timeout: 20_000 })
    await reach(page, 4.5, { pause: true })
    await expect(panel(page)).toBeHidden()
    await page.unrouteAll({ behavior: 'wait' })
    await product.stop()
  },
)

for (const colorScheme of ['light', 'dark'] as const)
  for (const width of [390, 1366])
    test(
      `questions and results are for everybody: ${colorScheme}, ${width} px`,
      { tag: '@long' },
      async ({ page, world: { address } }) => {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 800 })
        await open(page, address)
        await expect(asks(page, 'Which light means stop?')).toBeFocused({ timeout: 15_000 })
        const look = async () => {
          expect(await axeFaults(page)).toEqual([])
          await fitsAcross(page)
        }
        await look()
        await panel(page).getByLabel('Green').check()
        await button(page, 'Answer').click()
        await expect(asks(page, 'That is not right.')).toBeFocused()
        await look()
      },
    )
