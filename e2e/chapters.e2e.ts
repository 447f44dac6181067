import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, type Page } from '@playwright/test'
import { createOrganization } from '#contract/directory/organizations.ts'
import { readChapters, saveChapters } from '#contract/videos/chapters.ts'
import { updateVideo } from '#contract/videos/videos.ts'
import { readEntries } from '#server/platform/http/pages/built.ts'
import { png } from '#server/testing/media/png.ts'
import { newSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross, press } from './console.ts'
import { test as shared } from './shared.ts'
import { readyVideo } from './upload.ts'

/** Its conversion takes long, so it is there once for all tests. */
type Film = { client: Client; organizationId: string; videoId: string }
const test = shared.extend<object, { film: Film }>({
  film: [
    async ({ shared: product }, use) => {
      const client = await newSuperadmin(product)
      const { id: organizationId } = await client.call(createOrganization, { body: { name: 'Chapters Ltd' } })
      const videoId = await readyVideo(
        { url: product.url, client, organizationId },
        { seconds: 20, width: 320 },
      )
      await client.call(updateVideo, {
        params: { videoId },
        body: { title: 'Lock out and tag out', privacy: 'link' },
      })
      await use({ client, organizationId, videoId })
    },
    { scope: 'worker', timeout: 180_000 },
  ],
})

const text = '0:00 Before you begin\n0:05 Lock out\n0:12 Tag out'
const texts = { text }
const none = { text: '' }
const second = (page: Page) => page.evaluate(() => document.querySelector('video')?.currentTime ?? -1)
const editor = (page: Page) => page.getByRole('region', { name: 'Chapters' })
const list = (page: Page) => page.getByRole('combobox', { name: 'Chapters' })

test('chapters are added where the player stands, from lines and from a file, and each mistake is told at its place', async ({
  film: { client, videoId },
  open,
}) => {
  const params = { videoId }
  await client.call(saveChapters, { params, body: none })
  const kept = async () =>
    (await client.call(readChapters, { params })).chapters.map(({ startMs, title }) => `${startMs} ${title}`)
  const page = await open(client)
  await page.goto(`/content/${videoId}`)
  await expect(editor(page)).toContainText('Viewers see them in the player and in a list.')
  await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) > 0)
  await page.evaluate(() => {
    const video = document.querySelector('video')
    if (video) video.currentTime = 5.4
  })
  await press(page, 'Add a chapter at 0:05')
  // What was added has the focus, at its place.
  await page.keyboard.type('Lock out')
  await editor(page).getByRole('textbox', { name: 'Time of chapter 1' }).fill('5:00')
  await expect(editor(page)).toContainText('The video is over by then.')
  await press(page, 'Save chapters')
  await expect(editor(page).getByRole('alert')).toContainText('Please check one field')
  expect(await kept()).toEqual([])
  await editor(page).getByRole('textbox', { name: 'Time of chapter 1' }).fill('0:05')
  await page.keyboard.press('Enter')
  await expect(page.getByText('The chapters are saved.')).toBeVisible()
  expect(await kept()).toEqual(['5000 Lock out'])
  // The player of the page has it at once, without being loaded anew.
  await expect(list(page)).toHaveValue('0')

  await press(page, 'From text or a file')
  const dialog = page.getByRole('dialog', { name: 'Chapters from text or a file' })
  const field = dialog.getByRole('textbox')
  await expect(field).toHaveValue('0:05 Lock out')
  await field.fill(`${text}\nand then`)
  await press(page, 'Take these chapters')
  await expect(dialog).toContainText('Line 4: Begin with a time, as in “3:10 Lock out”.')
  expect(await axeFaults(page)).toEqual([])
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-chapters-'))
  const file = path.join(folder, 'chapters.vtt')
  await writeFile(
    file,
    '\uFEFFWEBVTT\r\n\r\n00:00.000 --> 00:12.000\r\nBefore\r\n\r\n00:12.000 --> 00:20.000\r\nAfter\r\n',
  )
  const chooser = page.waitForEvent('filechooser')
  await dialog.getByRole('button', { name: 'Choose a file' }).press('Enter')
  await (await chooser).setFiles(file)
  await rm(folder, { recursive: true })
  await expect(dialog).toContainText('2 chapters')
  await press(page, 'Take these chapters')
  await expect(dialog).toHaveCount(0)
  // Taken, and not saved yet: what is typed outlives a reload.
  page.on('dialog', (asked) => void asked.accept())
  await page.reload()
  await expect(editor(page)).toContainText('were brought back')
  await page.getByRole('button', { name: 'Remove Before' }).click()
  await press(page, 'Save chapters')
  await expect.poll(kept).toEqual(['12000 After'])
  expect(await axeFaults(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
})

test('viewers see chapters in the player and in a list, go by keyboard, and follow a link to a moment', async ({
  film: { client, videoId },
  page,
}) => {
  const chaptersScript = readEntries()?.get('chapters')?.file ?? 'none'
  const fetched: string[] = []
  page.on('request', (request) => fetched.push(new URL(request.url()).pathname))
  await client.call(saveChapters, { params: { videoId }, body: none })
  await page.goto(`/w/video/${videoId}`, { waitUntil: 'networkidle' })
  await expect(page.getByRole('navigation', { name: 'Chapters' })).toHaveCount(0)
  expect(fetched).not.toContain(chaptersScript)

  await client.call(saveChapters, { params: { videoId }, body: texts })
  await page.goto(`/w/video/${videoId}`)
  const links = page.getByRole('navigation', { name: 'Chapters' }).getByRole('link')
  await expect(links).toHaveText(['0:00Before you begin', '0:05Lock out', '0:12Tag out'])
  await expect(list(page)).toHaveValue('0')
  await links.nth(1).click()
  await expect.poll(() => second(page)).toBeGreaterThan(5)
  expect(new URL(page.url()).hash).toBe('#t=5')
  await expect(links.nth(1)).toHaveAttribute('aria-current', 'true')
  await expect(links.nth(0)).not.toHaveAttribute('aria-current')
  await expect(list(page)).toHaveValue('1')
  await page.keyboard.press('k')
  await page.keyboard.press('n')
  await expect.poll(() => second(page)).toBeCloseTo(12, 1)
  await page.keyboard.press('p')
  await expect.poll(() => second(page)).toBeCloseTo(5, 1)
  await page.keyboard.press('n')
  await page.keyboard.press('n')
  await expect.poll(() => second(page)).toBeCloseTo(12, 1)
  await list(page).selectOption('Before you begin')
  await expect.poll(() => second(page)).toBeCloseTo(0, 1)
  const slider = page.getByRole('slider', { name: 'Position' })
  await slider.focus()
  await expect(slider).toHaveAttribute('aria-valuetext', /^0:00 · Before you begin of 0:20/)
  expect(await axeFaults(page)).toEqual([])
  for (const width of [1366, 390]) {
    await page.setViewportSize({ width, height: 800 })
    await fitsAcross(page)
  }

  await page.goto('about:blank')
  await page.goto(`/w/video/${videoId}#t=12`)
  await page.getByRole('button', { name: /^Play:/ }).click()
  await expect.poll(() => second(page)).toBeGreaterThan(12)
  await expect(page.locator('#message')).toBeEmpty()
})

test('the poster is the frame at which the player stands, or a picture, and the one before can be had back', async ({
  film: { client, videoId },
  open,
}) => {
  const page = await open(client)
  await page.goto(`/content/${videoId}`)
  const poster = page.getByRole('region', { name: 'Poster' })
  const shown = () => page.evaluate(() => document.querySelector('video')?.poster ?? '')
  await expect(poster.getByRole('button', { pressed: true })).toHaveText(
    'Chosen when it was prepared, shown now',
  )
  await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) > 0)
  await page.evaluate(() => {
    const video = document.querySelector('video')
    if (video) video.currentTime = 6.2
  })
  const before = await shown()
  await poster.getByRole('button', { name: 'Use the frame at 0:06' }).click()
  await expect(poster.getByRole('button', { pressed: true })).toHaveText('Frame at 0:06, shown now')
  // The player has it at once, and stands where it stood.
  await expect.poll(shown).not.toBe(before)
  expect(await second(page)).toBeCloseTo(6.2, 1)
  const chooser = page.waitForEvent('filechooser')
  await poster.getByRole('button', { name: 'Choose a picture' }).press('Enter')
  await (await chooser).setFiles({ name: 'own.png', mimeType: 'image/png', buffer: png(640, 360) })
  await expect(poster.getByRole('button', { pressed: true })).toHaveText(/^Picture of .*, shown now$/)
  const other = page.waitForEvent('filechooser')
  await poster.getByRole('button', { name: 'Choose a picture' }).press('Enter')
  await (
    await other
  ).setFiles({
    name: 'own.svg',
    mimeType: 'image/png',
    buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  })
  await expect(page.getByText('SVG files are not taken')).toBeVisible()
  await poster.getByRole('button', { name: 'Chosen when it was prepared' }).click()
  await expect(poster.getByRole('button', { pressed: true })).toHaveText(
    'Chosen when it was prepared, shown now',
  )
  await expect.poll(shown).toBe(before)
  expect(await axeFaults(page)).toEqual([])
})
