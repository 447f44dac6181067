import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, type Page } from '@playwright/test'
import { createOrganization } from '#contract/directory/organizations.ts'
import { updateVideo } from '#contract/videos/videos.ts'
import { makeClip } from '#server/testing/media/clips.ts'
import { newSuperadmin, type Client } from './client.ts'
import { chip, narrow } from './console.ts'
import type { Product } from './product.ts'
import { test as shared } from './shared.ts'
import { readyVideo, videoWithoutFiles } from './upload.ts'

type World = {
  product: Product
  client: Client
  page: Page
  organizationId: string
  content: string
}

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const client = await newSuperadmin(product)
    const { id: organizationId } = await client.call(createOrganization, { body: { name: 'Content' } })
    const content = `/content?organization=${organizationId}`
    const page = await open(client)
    page.on('dialog', (dialog) => void dialog.accept())
    await page.goto(content)
    await use({ product, client, page, organizationId, content })
  },
})

/** The folder of a test is removed when the test has passed. */
const file = (name: string) => test.info().outputPath(name)
const practice = (name: string) => path.join(import.meta.dirname, '../server/testing/media/video-cases', name)

async function writeMinutes(): Promise<void> {
  await writeFile(file('Minutes.mp4'), 'These are minutes of a meeting.\n'.repeat(50))
}

async function choose(page: Page, button: string | RegExp, name: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: button }).first().click()
  await (await chooser).setFiles(file(name))
}

const cardOf = (page: Page, title: string) =>
  page.getByRole('list', { name: 'Videos' }).getByRole('listitem').filter({ hasText: title })

/** So slow that there is time to interrupt. */
async function slowNetwork(page: Page, bytesPerSecond: number): Promise<void> {
  const network = await page.context().newCDPSession(page)
  await network.send('Network.enable')
  await network.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytesPerSecond,
  })
}

test('an upload goes on after a reload, with the same file only, and the video becomes ready', async ({
  world: { page, content },
}) => {
  await writeMinutes()
  const clip = { seconds: 12, width: 1280, height: 720, style: 'orbits' } as const
  await makeClip({ file: file('Fire_drill.mp4'), ...clip })
  await slowNetwork(page, 100_000)
  await choose(page, 'Upload videos', 'Fire_drill.mp4')
  const uploads = page.getByRole('region', { name: '1 upload' })
  await expect(uploads).toContainText(/[1-9]\d?% · .* of .*\/s/)
  // The card of the same video says that it is on its way; how far it is, the list of uploads alone.
  await expect(cardOf(page, 'Fire drill')).toContainText('Uploading')
  await expect(page.getByRole('progressbar')).toHaveCount(1)
  await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
  await page.getByRole('link', { name: 'Content', exact: true }).click()
  await expect(uploads).toContainText('Fire drill')

  await page.reload()
  await expect(uploads).toContainText('interrupted')
  await expect(cardOf(page, 'Fire drill')).toContainText('Upload unfinished')
  await expect(page.getByRole('progressbar')).toHaveCount(1)
  await choose(page, 'Choose file again', 'Minutes.mp4')
  await expect(page.getByText('This is another file')).toBeVisible()
  // Of one size and one name, but of other content; and the same under another name.
  const bytes = await readFile(file('Fire_drill.mp4'))
  await mkdir(file('other'))
  await writeFile(file('other/Fire_drill.mp4'), bytes.toReversed())
  await writeFile(file('Copy.mp4'), bytes)
  await choose(page, 'Choose file again', 'other/Fire_drill.mp4')
  await expect(page.getByText('is another file than “Fire_drill.mp4”')).toBeVisible()
  await page.goto(content)
  const offsets: number[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']))
  })
  await choose(page, 'Upload videos', 'Copy.mp4')
  await expect(page.getByText('“Fire drill” is uploaded')).toBeVisible({ timeout: 60_000 })
  expect(offsets[0]).toBeGreaterThan(0)
  await expect(cardOf(page, 'Fire drill')).toContainText('Ready', {
    timeout: 120_000,
  })
})

test('the video plays, with the keyboard too', async ({
  world: { product, client, page, organizationId },
}) => {
  const videoId = await readyVideo({ url: product.url, client, organizationId }, { seconds: 4, width: 320 })
  await client.call(updateVideo, { params: { videoId }, body: { title: 'Fire drill' } })
  await page.reload()
  await page.getByRole('link', { name: 'Fire drill' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Fire drill' })).toBeFocused()
  const video = page.locator('video')
  await expect(video).toHaveJSProperty('paused', true)
  await expect
    .poll(() => video.evaluate((element: HTMLVideoElement) => element.readyState))
    .toBeGreaterThan(1)
  await page.locator('[data-player] button').first().press('k')
  await expect
    .poll(() => video.evaluate((element: HTMLVideoElement) => element.currentTime))
    .toBeGreaterThan(0.5)
  await page.locator('[data-player] button').first().press('k')
  await expect(video).toHaveJSProperty('paused', true)
  await expect(page.getByRole('link', { name: 'Send this video' })).toHaveAttribute(
    'href',
    /\/transmissions\/create\?videoId=/,
  )
})

test('a changed title is saved, and a removed video is gone', async ({
  world: { product, page, organizationId, content },
}) => {
  await videoWithoutFiles(product, { organizationId, title: 'Fire drill' })
  await page.reload()
  await page.getByRole('link', { name: 'Fire drill' }).click()
  await page.getByLabel('Title').fill('Fire drill 2027')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Fire drill 2027')
  await page.getByRole('button', { name: 'Remove' }).click()
  const question = page.getByRole('dialog')
  await expect(question).toContainText('stays in the reports')
  await question.getByRole('button', { name: 'Remove video' }).click()
  await expect(page.getByText('“Fire drill 2027” is removed.')).toBeVisible()
  await page.goto(content)
  await expect(page.getByRole('heading', { name: 'No videos yet' })).toBeVisible()
})

test('a file that is not taken says why before any of it is sent', async ({ world: { page } }) => {
  await writeMinutes()
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET' && /\/api\/(videos|uploads)/.test(request.url())) sent.push(request.url())
  })
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload videos' }).first().click()
  await (await chooser).setFiles([file('Minutes.mp4'), ...['small.wmv', 'small-mpeg2.m2ts'].map(practice)])
  const uploads = page.getByRole('region', { name: '3 uploads' })
  for (const why of ['The file is not a video.', 'a Windows Media file (WMV)', 'stored as MPEG-2'])
    await expect(uploads).toContainText(why)
  await expect(uploads.getByRole('button', { name: 'Resume' })).toHaveCount(0)
  for (let left = 3; left > 0; left -= 1)
    await page
      .getByRole('button', { name: /^Cancel the upload/ })
      .first()
      .click()
  await expect(uploads).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'No videos yet' })).toBeVisible()
  expect(sent).toEqual([])
})

test('projects arrange videos and are remembered in the address', async ({ world: { page } }) => {
  await page.getByRole('button', { name: 'Projects' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('New project').fill('Safety')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await expect(dialog.getByRole('button', { name: 'Rename Safety' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await narrow(page, 'Project', 'Safety')
  await expect(page).toHaveURL(/project=/)
  await expect(page.getByRole('heading', { name: 'No video fits these filters' })).toBeVisible()
  await page.reload()
  await expect(chip(page, 'Project: Safety')).toBeVisible()
})
