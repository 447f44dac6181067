import { expect, type Page } from '@playwright/test'
import { readEntries } from '#server/platform/http/pages/built.ts'
import { axeFaults, fitsAcross } from './console.ts'
import { openDatabase } from './database.ts'
import { aFilm, type Film } from './film.ts'
import { test as shared } from './shared.ts'

const test = shared.extend<object, { film: Film }>({
  film: [
    async ({ shared: product }, use) => {
      const film = await aFilm(product, 'At the press')
      const { client, videoId } = film
      const put = async (tag: string, texts: readonly string[]) => {
        const cues = texts.map(
          (text, at) =>
            `00:${String(at * 2).padStart(2, '0')}.000 --> 00:${String(at * 2 + 1).padStart(2, '0')}.900\n${text}\n`,
        )
        const answer = await fetch(`${product.url}/api/videos/${videoId}/captions/${tag}`, {
          method: 'PUT',
          headers: { authorization: `Bearer ${client.token}`, 'content-type': 'text/vtt' },
          body: `WEBVTT\n\n${cues.join('\n')}`,
        })
        expect(answer.status).toBe(200)
      }
      await put('en', [
        'Good morning',
        'Walk to the press',
        'Lock out the <b>turbine</b>',
        'Try it',
        'Begin',
        'Wait',
        'Wait',
        'Go on',
        'Unlock',
        'Goodbye',
      ])
      await put('de', ['Guten Morgen', 'Zur Presse', 'Die Turbine sperren'])
      await use(film)
    },
    { scope: 'worker', timeout: 180_000 },
  ],
})

const transcript = (page: Page) => page.getByRole('region', { name: 'Transcript' })
const line = (page: Page, text: string | RegExp) =>
  transcript(page).getByRole('listitem').getByRole('button', { name: text })
const second = (page: Page) =>
  page.evaluate(() => Math.floor(document.querySelector('video')?.currentTime ?? 0))

test('viewers read along, seek, search, copy and print, and nothing of it is fetched before they ask', async ({
  film,
  page,
  shared: product,
}) => {
  const script = readEntries()?.get('transcript')?.file ?? 'none'
  const fetched: string[] = []
  page.on('request', (request) => fetched.push(new URL(request.url()).pathname))
  await page.goto(`/w/video/${film.videoId}`, { waitUntil: 'networkidle' })
  expect(fetched).not.toContain(script)
  expect(fetched.filter((one) => one.endsWith('.vtt') && one.includes('captions'))).toEqual([])
  await page.getByRole('button', { name: 'Transcript' }).press('Enter')
  await expect(transcript(page).getByRole('heading')).toBeFocused()
  await expect(line(page, /Lock out the turbine/)).toBeVisible()
  expect(fetched).toContain(script)
  expect(await axeFaults(page)).toEqual([])

  await line(page, /Lock out/).click()
  await expect.poll(() => second(page), { timeout: 15_000 }).toBeGreaterThanOrEqual(4)
  // It goes along.
  await expect(line(page, /Begin/)).toHaveAttribute('aria-current', 'true', { timeout: 15_000 })
  await page.evaluate(() => document.querySelector('video')?.pause())
  await line(page, /Lock out/).focus()
  await page.keyboard.press('ArrowDown')
  await expect(line(page, /Try it/)).toBeFocused()
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await expect.poll(() => second(page)).toBeLessThan(4)
  await page.evaluate(() => document.querySelector('video')?.pause())
  // A seek like any other, and told as one.
  const database = await openDatabase(product)
  const seeks = async () => {
    const { rows } = await database.query(
      `select e.data from play_events e join play_sessions s on s.id = e.session_id where s.video_id = $1 and e.type = 'seek'`,
      [film.videoId],
    )
    return rows.length
  }
  await expect.poll(seeks, { timeout: 20_000 }).toBeGreaterThan(0)
  await database.close()

  const find = transcript(page).getByRole('searchbox', { name: 'Find in the transcript' })
  await find.fill('LOCK')
  await expect(transcript(page).getByRole('listitem')).toHaveCount(2)
  await expect(transcript(page).getByRole('status')).toHaveText('Places with these words: 2')
  await find.fill('')
  await transcript(page).getByRole('combobox', { name: 'Language' }).selectOption('Deutsch')
  await expect(line(page, 'Guten Morgen')).toBeVisible()
  // The page may write there, and nobody may read.
  await page.evaluate(() =>
    Object.assign(navigator.clipboard, {
      writeText: async (copied: string) => void Object.assign(window, { copied }),
    }),
  )
  await transcript(page).getByRole('button', { name: 'Copy' }).click()
  await expect(transcript(page).getByRole('status')).toHaveText('The transcript is copied.')
  expect(await page.evaluate(() => Reflect.get(window, 'copied'))).toBe(
    '0:00 Guten Morgen\n0:02 Zur Presse\n0:04 Die Turbine sperren',
  )

  for (const width of [1366, 390]) {
    await page.setViewportSize({ width, height: 800 })
    await fitsAcross(page)
  }
  await page.evaluate(() =>
    Object.assign(window, {
      print: () => Object.assign(window, { printed: document.documentElement.dataset['prints'] }),
    }),
  )
  await transcript(page).getByRole('button', { name: 'Print' }).click()
  await page.emulateMedia({ media: 'print' })
  await expect(page.locator('video')).toBeHidden()
  await expect(transcript(page).getByRole('heading')).toHaveText('Transcript: At the press')
  await expect(transcript(page).getByRole('searchbox')).toBeHidden()
  await page.emulateMedia({ media: 'screen' })
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')))
  await transcript(page).getByRole('button', { name: 'Close the transcript' }).click()
  await expect(page.getByRole('button', { name: 'Transcript' })).toBeFocused()
})

test('in the console a video is found by what is said, and opens at that second, with its text', async ({
  film,
  open,
}) => {
  const page = await open(film.client)
  await page.goto('/content?q=turbin')
  await page
    .getByRole('list', { name: 'Said in it' })
    .getByRole('link', { name: /Lock out the turbine/ })
    .click()
  await page.waitForURL(`**/content/${film.videoId}#t=4`)
  await expect.poll(() => second(page), { timeout: 15_000 }).toBeGreaterThanOrEqual(4)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('goodbye')
  await page.getByRole('option', { name: /At the press.*Goodbye.*Said at 0:18/ }).click()
  await page.waitForURL(`**/content/${film.videoId}#t=18`)
  await expect.poll(() => second(page), { timeout: 15_000 }).toBeGreaterThanOrEqual(18)

  await page.getByRole('button', { name: 'Transcript' }).click()
  await expect(line(page, /Walk to the press/)).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await line(page, /Walk to the press/).press('Enter')
  await expect.poll(() => second(page), { timeout: 15_000 }).toBeLessThan(10)
  for (const width of [1366, 390]) {
    await page.setViewportSize({ width, height: 844 })
    await fitsAcross(page)
  }
  await transcript(page).getByRole('button', { name: 'Close the transcript' }).click()
  await expect(page.getByRole('button', { name: 'Transcript' })).toBeFocused()
})
