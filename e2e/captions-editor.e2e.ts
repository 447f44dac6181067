import { expect, type Page } from '@playwright/test'
import { deleteCaption, readCaptions } from '#contract/videos/captions.ts'
import { readCues, saveCues, type EditedCue } from '#contract/videos/cues.ts'
import { axeFaults, fitsAcross, press, rowAct } from './console.ts'
import { aFilm, type Film } from './film.ts'
import { test as shared } from './shared.ts'

const test = shared.extend<object, { film: Film }>({
  film: [
    async ({ shared: product }, use) => {
      const film = await aFilm(product, 'Lock out')
      await use(film)
    },
    { scope: 'worker', timeout: 180_000 },
  ],
})

async function clear({ client, videoId }: Film): Promise<void> {
  const { items } = await client.call(readCaptions, { params: { videoId } })
  for (const { language, kind } of items)
    await client.call(deleteCaption, { params: { videoId, language }, query: { kind } })
}

const address = (videoId: string) => ({ params: { videoId, language: 'de' } })
const cue = (at: number): EditedCue => ({
  key: `c${at}`,
  id: '',
  startMs: at * 2_700,
  endMs: at * 2_700 + 2_500,
  settings: '',
  text: `Caption ${at} of a long film`,
})
const told = async ({ client, videoId }: Film) =>
  (await client.call(readCues, address(videoId))).cues.map(
    ({ startMs, endMs, text }) => `${startMs}-${endMs} ${text}`,
  )

const text = (page: Page, number: number) =>
  page.getByRole('textbox', { name: `Text of caption ${number}`, exact: true })
const time = (page: Page, part: 'Start' | 'End', number: number) =>
  page.getByRole('textbox', { name: `${part} of caption ${number}`, exact: true })
const saved = (page: Page) => expect(page.getByText('Saved', { exact: true })).toBeVisible()

test('captions are written from nothing by keyboard alone: split, merged, shifted, replaced, taken back and proof-read', async ({
  film,
  open,
}) => {
  await clear(film)
  const page = await open(film.client)
  await page.goto(`/content/${film.videoId}`)
  await press(page, 'Write captions')
  const dialog = page.getByRole('dialog', { name: 'Write captions' })
  await dialog.getByLabel('Language').selectOption('de')
  await press(page, 'Begin')
  await expect(page.getByText('No captions yet')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])

  await page.keyboard.press('Alt+n')
  await expect(text(page, 1)).toBeFocused()
  await page.keyboard.type('Zuerst abschalten & dann sperren')
  await page.keyboard.press('Shift+Tab')
  await expect(time(page, 'End', 1)).toBeFocused()
  await time(page, 'End', 1).fill('0:04.123')
  await page.keyboard.press('Enter')
  await time(page, 'End', 1).fill('0:00')
  await expect(time(page, 'End', 1)).toHaveAttribute('aria-invalid', 'true')
  await page.keyboard.press('Escape')
  await expect(time(page, 'End', 1)).toHaveValue('0:04.123')
  await saved(page)
  expect(await told(film)).toEqual(['0-4123 Zuerst abschalten &amp; dann sperren'])

  await page.keyboard.press('Tab')
  await page.keyboard.press('Control+Home')
  for (let at = 0; at < 'Zuerst abschalten'.length; at += 1) await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Control+Enter')
  await expect(text(page, 1)).toHaveValue('Zuerst abschalten')
  await expect(text(page, 2)).toHaveValue('& dann sperren')
  await expect(text(page, 2)).toBeFocused()
  await page.keyboard.press('Alt+ArrowUp')
  await expect(text(page, 1)).toBeFocused()
  await page.keyboard.press('Alt+m')
  await expect(text(page, 1)).toHaveValue('Zuerst abschalten & dann sperren')
  await page.keyboard.press('Control+z')
  await expect(text(page, 2)).toHaveValue('& dann sperren')

  await page.keyboard.press('Alt+ArrowDown')
  await page.keyboard.press('Alt+s')
  await page.getByRole('textbox', { name: 'Seconds' }).fill('1,5')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(time(page, 'End', 2)).toHaveValue('0:05.623')

  await page.keyboard.press('Alt+h')
  await page.getByRole('textbox', { name: 'Find' }).fill('ABSCHALTEN')
  await expect(page.getByText('Found 1 time in 1 caption.')).toBeVisible()
  await page.getByRole('textbox', { name: 'Replace by' }).fill('ausschalten')
  expect(await axeFaults(page)).toEqual([])
  await page.keyboard.press('Enter')
  await expect(text(page, 1)).toHaveValue('Zuerst ausschalten')
  await page.keyboard.press('Control+z')
  await expect(text(page, 1)).toHaveValue('Zuerst abschalten')
  await page.keyboard.press('Control+Shift+z')
  await expect(text(page, 1)).toHaveValue('Zuerst ausschalten')

  await text(page, 2).focus()
  await page.keyboard.press('Alt+r')
  await expect(text(page, 2)).toHaveCount(0)
  await page.keyboard.press('Control+z')
  await expect(text(page, 2)).toHaveValue('& dann sperren')

  await press(page, 'Mark as proof-read')
  await expect(page.getByText('They are marked as proof-read.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Read them again' })).toBeVisible()
  expect(await told(film)).toEqual([
    expect.stringMatching(/^0-\d+ Zuerst ausschalten$/),
    expect.stringMatching(/^\d+-5623 &amp; dann sperren$/),
  ])
  const { items } = await film.client.call(readCaptions, { params: { videoId: film.videoId } })
  expect(items).toMatchObject([{ cues: 2, proofRead: { at: expect.any(String) } }])
  await text(page, 1).press('End')
  await page.keyboard.type('!')
  await saved(page)
  await expect(page.getByRole('button', { name: 'Mark as proof-read' })).toBeVisible()

  expect(await axeFaults(page)).toEqual([])
  for (const width of [1366, 390]) {
    await page.setViewportSize({ width, height: 844 })
    await fitsAcross(page)
  }
})

test('the caption that plays is marked, shown in the picture, and can be divided where the video stands', async ({
  film,
  open,
}) => {
  await clear(film)
  const cues = [0, 1, 2].map(cue)
  await film.client.call(saveCues, { ...address(film.videoId), body: { cues } })
  const page = await open(film.client)
  await page.goto(`/content/${film.videoId}/captions/de`)
  await page.getByRole('button', { name: 'Play from caption 2', exact: true }).press('Enter')
  const playing = page.getByRole('listitem').filter({ has: text(page, 2) })
  await expect(playing).toHaveAttribute('aria-current', 'true', { timeout: 15_000 })
  await page.evaluate(() => document.querySelector('video')?.pause())
  await page.evaluate(() => {
    const video = document.querySelector('video')
    if (video) video.currentTime = 3.9
  })
  const showing = () =>
    page.evaluate(() =>
      Array.from(document.querySelector('video')?.textTracks ?? []).flatMap(({ activeCues }) =>
        Array.from(activeCues ?? [], (one) => (one as VTTCue).text),
      ),
    )
  await expect.poll(showing).toEqual(['Caption 1 of a long film'])
  await text(page, 2).focus()
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('Control+Enter')
  await expect(time(page, 'Start', 3)).toHaveValue('0:03.900')
  await saved(page)
})

test('two people who write at once both keep everything, and removed captions come back', async ({
  film,
  open,
}) => {
  await clear(film)
  const cues = [0, 1, 2].map(cue)
  await film.client.call(saveCues, { ...address(film.videoId), body: { cues } })
  const page = await open(film.client)
  await page.goto(`/content/${film.videoId}/captions/de`)
  await expect(text(page, 1)).toBeVisible()
  await film.client.call(saveCues, {
    ...address(film.videoId),
    body: { cues: [cue(0), cue(1), { ...cue(2), text: 'Theirs' }] },
  })
  await text(page, 1).fill('Mine')
  await expect(page.getByRole('region', { name: 'Changed meanwhile' })).toContainText('now “Theirs”')
  await saved(page)
  expect((await told(film)).map((one) => one.replace(/^\S+ /, ''))).toEqual([
    'Mine',
    'Caption 1 of a long film',
    'Theirs',
  ])

  await page.goto(`/content/${film.videoId}`)
  await rowAct(page, 'German, Captions', 'Remove')
  await press(page, 'Remove captions')
  await press(page, 'Undo')
  await expect(page.getByRole('row', { name: /German/ })).toBeVisible({ timeout: 15_000 })
  expect(await told(film)).toHaveLength(3)
})

test(
  'what is typed without a network is kept through a reload, and saved as soon as there is one',
  { tag: '@long' },
  async ({ film, open }) => {
    await clear(film)
    await film.client.call(saveCues, { ...address(film.videoId), body: { cues: [0, 1].map(cue) } })
    const page = await open(film.client)
    await page.goto(`/content/${film.videoId}/captions/de`)
    await expect(text(page, 2)).toBeVisible()
    // The page itself can be had again, and nothing can be saved.
    await page.route('**/captions/de/cues*', (route) =>
      route.request().method() === 'PUT' ? route.abort('internetdisconnected') : route.fallback(),
    )
    await text(page, 2).fill('Typed in a tunnel')
    await expect(page.getByText(/^Not saved: /)).toBeVisible()
    expect((await told(film))[1]).toContain('Caption 1 of a long film')
    await page.reload()
    await expect(text(page, 2)).toHaveValue('Typed in a tunnel')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await saved(page)
    expect((await told(film))[1]).toContain('Typed in a tunnel')
  },
)

test(
  'of 4,000 captions a few are drawn, wherever the list stands',
  { tag: '@long' },
  async ({ film, open }) => {
    await clear(film)
    const cues = Array.from({ length: 4_000 }, (_, at) => cue(at))
    await film.client.call(saveCues, { ...address(film.videoId), body: { cues } })
    const page = await open(film.client)
    await page.goto(`/content/${film.videoId}/captions/de`)
    const rows = page.locator('[data-cue]')
    await expect(text(page, 1)).toBeVisible()
    expect(await rows.count()).toBeLessThan(40)
    const box = page.getByRole('list', { name: 'Captions in their order' }).locator('..')
    await box.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    await expect(text(page, 4_000)).toBeVisible()
    expect(await rows.count()).toBeLessThan(40)
    await text(page, 4_000).fill('The last')
    await saved(page)
    await text(page, 4_000).press('Alt+ArrowUp')
    await expect(text(page, 3_999)).toBeFocused()
    await box.evaluate((element) => element.scrollTo(0, 0))
    // The focus stays where it was, out of sight.
    await expect(text(page, 3_999)).toBeFocused()
    await page.keyboard.type('!')
    await saved(page)
    expect(await rows.count()).toBeLessThan(40)
    const list = await film.client.call(readCues, address(film.videoId))
    expect(list.cues.slice(-2).map(({ text: words }) => words)).toEqual([
      expect.stringContaining('!'),
      'The last',
    ])
  },
)
