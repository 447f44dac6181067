import { randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { readEvidence } from '#contract/evidence/evidence.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { defaultQuizSettings, publishQuiz, saveQuiz } from '#contract/quizzes/quizzes.ts'
import { createTransmission } from '#contract/transmissions/transmissions.ts'
import { createUser } from '#contract/directory/users.ts'
import { updateVideo } from '#contract/videos/videos.ts'
import { newSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross, signIn } from './console.ts'
import { reach } from './playing.ts'
import type { Product } from './product.ts'
import { test } from './shared.ts'
import { readyVideo } from './upload.ts'

let product: Product
let client: Client
let orgId: string
let userId: string
let videoId: string
let transmissionId: string

test.beforeAll(async ({ shared }) => {
  test.setTimeout(300_000)
  product = shared
  client = await newSuperadmin(product)
  const organization = { name: 'Viewer Ltd', policies: { maxRate: 1.5 } }
  orgId = (await client.call(createOrganization, { body: organization })).id
  videoId = await readyVideo({ url: product.url, client, organizationId: orgId }, { seconds: 14, width: 320 })
  await client.call(updateVideo, { params: { videoId }, body: { title: 'Ladders', privacy: 'link' } })
  const person = { name: 'Dora Reader', email: 'dora.reader@example.test' }
  userId = (await client.call(createUser, { params: { orgId }, body: person })).id
  const audience = { everyone: true, userIds: [], groupIds: [] }
  const message = { body: 'Please watch this.', videoId, accountId: orgId, audience }
  transmissionId = (await client.call(createTransmission, { body: message })).id
})

const receipt = (page: Page) => page.getByRole('region', { name: 'What you have seen' })
const press = (page: Page) => page.getByRole('button', { name: /^Play:/ }).click()
const evidence = () => client.call(readEvidence, { params: { orgId, userId, videoId } })
const openedAt = async () =>
  (await client.call(listDeliveries, { params: { transmissionId } })).items[0]?.openedAt

/** The page of the video, as the outbox opens it for a superadmin. */
async function fromOutbox(page: Page): Promise<Page> {
  await signIn(page, product, client)
  await page.goto(`${product.url}/settings?tab=outbox&q=dora.reader`)
  const mail = page.getByRole('article')
  await expect(mail).toContainText('Its link opens as a preview')
  const [opened] = await Promise.all([
    page.waitForEvent('popup'),
    mail.getByRole('link', { name: /\/w\/video\// }).click(),
  ])
  return opened
}

test('whoever follows a link of the outbox looks at it, and counts as its recipient once they say so', async ({
  page,
}) => {
  test.setTimeout(120_000)
  const watched = await fromOutbox(page)
  const whose = watched.getByRole('region', { name: 'Whose link this is' })
  await expect(whose).toContainText('This is the personal link of Dora Reader.')
  for (const colorScheme of ['light', 'dark'] as const) {
    await watched.emulateMedia({ colorScheme })
    expect(await axeFaults(watched)).toEqual([])
  }
  await fitsAcross(watched)
  await press(watched)
  await reach(watched, 2, { pause: true })
  await watched.reload()
  await expect(whose).toBeVisible()
  expect(await openedAt()).toBeNull()
  expect((await evidence()).sessions.total).toBe(0)

  await whose.getByRole('button', { name: 'I am Dora Reader: count what I watch' }).click()
  await expect(whose).toHaveCount(0)
  await press(watched)
  await reach(watched, 2, { pause: true })
  await expect.poll(async () => (await evidence()).sessions.items[0]?.watchedMs ?? 0).toBeGreaterThan(1_500)
  expect((await evidence()).sessions.items[0]?.saidBy).not.toBeNull()
  await page.goto(`${product.url}/organizations/${orgId}/users/${userId}/videos/${videoId}`)
  await page
    .getByRole('region', { name: /session/ })
    .locator('summary')
    .first()
    .click()
  await expect(page.getByText('said on the page that they are the recipient')).toBeVisible()
})

test('the words follow the strip while it plays, and the speeds are those that count', async ({
  page,
  browser,
}) => {
  test.setTimeout(120_000)
  const link = (await fromOutbox(page)).url().replace(/&preview=.*/, '')
  const own = await (await browser.newContext()).newPage()
  await own.goto(link)
  await expect(own.getByRole('region', { name: 'Whose link this is' })).toHaveCount(0)
  await press(own)
  await own
    .getByRole('button', { name: 'Start from the beginning' })
    .click({ timeout: 2_000 })
    .catch(() => 0)
  await reach(own, 6, {})
  await expect(receipt(own)).toContainText(/You have seen (4|5)\d%/, { timeout: 1_500 })
  const speeds = own.getByRole('combobox', { name: 'Speed' })
  await expect(speeds.locator('option')).toHaveText(['0.5×', '0.75×', '1×', '1.25×', '1.5×'])
  await own.evaluate(() => {
    const video = document.querySelector('video')
    if (video) video.playbackRate = 3
  })
  await expect(receipt(own)).toContainText('What is played faster does not count')
  await own.context().close()
})

test('a question at the first instant is asked there, and again for whoever goes back to it', async ({
  browser,
}) => {
  const question = {
    points: 1,
    gate: false,
    shuffle: false,
    whenRight: null,
    whenWrong: null,
    backToMs: null,
  }
  const asked = {
    ...question,
    key: randomUUID(),
    kind: 'text',
    prompt: 'What do you expect?',
    atMs: 0,
  } as const
  const otherFields = { options: [], number: null, texts: ['Much'], teaches: null }
  const body = { settings: defaultQuizSettings, questions: [{ ...asked, ...otherFields }] }
  await client.call(saveQuiz, { params: { videoId }, body })
  await client.call(publishQuiz, { params: { videoId } })
  const page = await (await browser.newContext()).newPage()
  await page.goto(`${product.url}/w/video/${videoId}`)
  await press(page)
  const heading = page.getByRole('dialog').getByRole('heading', { name: 'What do you expect?' })
  await expect(heading).toBeVisible()
  expect(await page.evaluate(() => document.querySelector('video')?.currentTime)).toBeLessThan(1.5)
  await expect(page.getByRole('button', { name: /^Watch again from/ })).toHaveCount(0)
  await page.context().close()
})
