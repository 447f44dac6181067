import { expect, type Page } from '@playwright/test'
import { deleteCaption, readCaptions } from '#contract/videos/captions.ts'
import { readEntries } from '#server/platform/http/pages/built.ts'
import { axeFaults, fitsAcross, press } from './console.ts'
import { aFilm, type Film } from './film.ts'
import { test as shared } from './shared.ts'

const test = shared.extend<object, { film: Film & { url: string } }>({
  film: [
    async ({ shared: product }, use) => {
      const film = await aFilm(product, 'Lock out and tag out')
      await use({ ...film, url: product.url })
    },
    { scope: 'worker', timeout: 180_000 },
  ],
})

const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
const german = file('film.de.srt', '1\r\n00:00:00,500 --> 00:00:19,500\r\nZuerst <i>abschalten</i>\r\n')
const english = file('film.en.vtt', 'WEBVTT\n\n00:00.500 --> 00:19.500\nFirst switch it off\n')
const described = file('film.vtt', 'WEBVTT\n\n00:00.000 --> 00:19.900\nA hand on a red switch\n')

const section = (page: Page) => page.getByRole('region', { name: 'Captions' })

async function choose(page: Page, given: typeof german): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('dialog').getByRole('button', { name: 'Choose a VTT or SRT file' }).press('Enter')
  await (await chooser).setFiles(given)
}

/** What the browser shows of its tracks right now. */
const showing = (page: Page) =>
  page.evaluate(() =>
    Array.from(document.querySelector('video')?.textTracks ?? [])
      .filter(({ mode }) => mode === 'showing')
      .map(
        ({ label, activeCues }) =>
          `${label}: ${Array.from(activeCues ?? [], (cue) => (cue as VTTCue).text).join()}`,
      ),
  )
const times = (page: Page) =>
  page.evaluate(() =>
    Array.from(document.querySelector('video')?.textTracks ?? []).flatMap(({ cues }) =>
      Array.from(cues ?? [], ({ startTime, endTime }) => [startTime, endTime]),
    ),
  )

const lines = (page: Page) =>
  page.evaluate(() =>
    Array.from(document.querySelector('video')?.textTracks ?? []).flatMap(({ cues }) =>
      Array.from(cues ?? [], (cue) => (cue instanceof VTTCue ? cue.line : undefined)),
    ),
  )

async function clear({ client, videoId }: Film): Promise<void> {
  const { items } = await client.call(readCaptions, { params: { videoId } })
  for (const { language, kind } of items)
    await client.call(deleteCaption, { params: { videoId, language }, query: { kind } })
}

test('captions are added, refused with their line, replaced, downloaded and removed on the page of the video', async ({
  film,
  open,
}) => {
  await clear(film)
  const page = await open(film.client)
  await page.goto(`/content/${film.videoId}`)
  await expect(section(page)).toContainText('WCAG 1.2.2')
  await section(page).getByRole('button', { name: 'Add captions' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Add captions' })
  await press(page, 'Add')
  await expect(dialog).toContainText('Please choose the file.')
  await choose(page, file('film.fr.vtt', 'WEBVTT\n\n00:02.000 --> 00:01.000\nx'))
  await expect(dialog.getByLabel('Language')).toHaveValue('fr')
  await press(page, 'Add')
  await expect(dialog.getByRole('alert')).toContainText('Line 3: This caption ends before it has begun.')
  expect(await axeFaults(page)).toEqual([])
  await choose(page, german)
  await dialog.getByLabel('Language').selectOption('de')
  await press(page, 'Add')
  await expect(dialog).toHaveCount(0)
  await expect(section(page).getByRole('row', { name: /German/ })).toContainText('film.de.srt')

  await section(page).getByLabel('Shown from the start').selectOption({ label: 'German, Captions' })
  await expect(page.getByText('German, Captions: shown from the start.')).toBeVisible()
  // The player of the page has them at once.
  await expect.poll(() => showing(page)).toEqual([expect.stringMatching(/^Deutsch:/)])

  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Actions for German, Captions' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Download as VTT' }).press('Enter')
  expect((await saved).suggestedFilename()).toBe('de-captions.vtt')
  await page.getByRole('button', { name: 'Actions for German, Captions' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Replace by a file' }).press('Enter')
  await choose(
    page,
    file('second.vtt', 'WEBVTT\n\n00:01.000 --> 00:02.000\nOne\n\n00:03.000 --> 00:04.000\nTwo'),
  )
  await page.getByRole('dialog').getByRole('button', { name: 'Replace', exact: true }).press('Enter')
  await expect(section(page).getByRole('row', { name: /German/ })).toContainText('second.vtt')
  expect(await axeFaults(page)).toEqual([])
  for (const width of [1366, 390]) {
    await page.setViewportSize({ width, height: 844 })
    await fitsAcross(page)
  }
  await page.getByRole('button', { name: 'Actions for German, Captions' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Remove' }).press('Enter')
  await press(page, 'Remove captions')
  await expect(section(page)).toContainText('This video has no captions')
})

test('readers choose language, size, colors and place, by keyboard, and their browser keeps it', async ({
  film,
  page,
}) => {
  const script = readEntries()?.get('captions')?.file ?? 'none'
  const fetched: string[] = []
  page.on('request', (request) => fetched.push(new URL(request.url()).pathname))
  await clear(film)
  const address = `/w/video/${film.videoId}`
  await page.goto(address, { waitUntil: 'networkidle' })
  expect(fetched).not.toContain(script)
  expect(await page.locator('track').count()).toBe(0)

  const put = async (tag: string, kind: string, given: typeof german) => {
    const address = `${film.url}/api/videos/${film.videoId}/captions/${tag}?kind=${kind}`
    const type = given.name.endsWith('.srt') ? 'application/x-subrip' : 'text/vtt'
    const headers = { authorization: `Bearer ${film.client.token}`, 'content-type': type }
    expect(
      (await fetch(address, { method: 'PUT', headers, body: new Uint8Array(given.buffer) })).status,
    ).toBe(200)
  }
  await put('de', 'captions', german)
  await put('en', 'captions', english)
  await put('en', 'descriptions', described)
  await page.goto(address)
  const list = page.getByRole('combobox', { name: 'Captions' })
  // Before the engine: nothing has been played.
  await expect(list).toHaveValue('')
  await list.selectOption('Deutsch')
  await expect.poll(() => times(page)).toContainEqual([0.5, 19.5])
  await page.getByRole('button', { name: /^Play:/ }).click()
  await expect.poll(() => showing(page), { timeout: 15_000 }).toEqual(['Deutsch: Zuerst <i>abschalten</i>'])
  await page.keyboard.press('c')
  await expect(page.getByText('Captions off')).toBeAttached()
  expect(await showing(page)).toEqual([])
  await page.keyboard.press('c')
  await expect(page.getByText('Captions: Deutsch')).toBeAttached()

  await page.getByRole('button', { name: 'How captions look' }).press('Enter')
  const settings = page.getByRole('dialog', { name: 'How captions look' })
  await settings.getByLabel('Size').selectOption('Very large')
  await settings.getByLabel('Colors').selectOption('Yellow on black')
  await settings.getByLabel('Place').selectOption('Above')
  expect(await lines(page)).toContain(0)
  expect(await axeFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(settings).toBeHidden()
  await page.getByRole('combobox', { name: 'Description of the picture, read aloud' }).selectOption('English')
  await expect(page.getByRole('status').filter({ hasText: 'A hand on a red switch' })).toBeAttached()

  await page.reload()
  await expect(list).toHaveValue('Deutsch')
  await page.getByRole('button', { name: 'How captions look' }).press('Enter')
  await expect(settings.getByLabel('Size')).toHaveValue('largest')
  for (const width of [1366, 390]) {
    await page.setViewportSize({ width, height: 800 })
    await fitsAcross(page)
  }
})
