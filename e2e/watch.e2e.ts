import { expect, type BrowserContext, type Page } from '@playwright/test'
import type { Reply } from '#contract/endpoint.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { revokeLink } from '#contract/transmissions/links.ts'
import { createTransmission } from '#contract/transmissions/transmissions.ts'
import { createUser } from '#contract/directory/users.ts'
import { readEntries } from '#server/platform/http/pages/built.ts'
import { unique } from '#server/testing/unique.ts'
import type { Debt } from '#web/recorder/wire.ts'
import { firstSuperadmin, newSuperadmin, type Client } from './client.ts'
import { openMailbox } from './mailbox.ts'
import { axeFaults, fitsAcross } from './console.ts'
import { reach } from './playing.ts'
import { linkTo } from './outbox.ts'
import { startProduct } from './product.ts'
import { test as shared } from './shared.ts'
import { readyVideo, videoWithoutFiles } from './upload.ts'

const seconds = 40
/** Its conversion takes long, so it is there once for all tests, and each sends it to a person of its own. */
type Film = { client: Client; organizationId: string; videoId: string }
type Recipient = {
  link: string
  transmissionId: string
  delivery: () => Promise<Reply<typeof listDeliveries>['items'][number]>
}

const test = shared.extend<{ recipient: Recipient }, { film: Film }>({
  film: [
    async ({ shared: product }, use) => {
      const client = await newSuperadmin(product)
      const { id: organizationId } = await client.call(createOrganization, { body: { name: 'Acme' } })
      const videoId = await readyVideo({ url: product.url, client, organizationId }, { seconds, width: 320 })
      await use({ client, organizationId, videoId })
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  recipient: async ({ film: { client, organizationId, videoId } }, use) => {
    const email = `ann-${unique()}@example.test`
    const { id: userId } = await client.call(createUser, {
      params: { orgId: organizationId },
      body: { name: 'Ann', email },
    })
    const body = { body: 'Please watch this today.', videoId, accountId: organizationId, userId }
    const { id: transmissionId } = await client.call(createTransmission, { body })
    const link = await linkTo(client, email)
    const delivery = async () => {
      const [only] = (await client.call(listDeliveries, { params: { transmissionId } })).items
      if (!only) throw new Error('nothing was delivered')
      return only
    }
    await use({ link, transmissionId, delivery })
  },
})

const until = (page: Page, second: number) =>
  page.waitForFunction((least) => (document.querySelector('video')?.currentTime ?? 0) >= least, second, {
    polling: 'raf',
  })

async function press(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Play:/ }).click()
}

/** What idle time fetches: it is counted apart, and holds nothing up. */
const filesOf = (name: string) => {
  const { file, imports } = readEntries()?.get(name) ?? { file: '', imports: [] }
  return [file, ...imports]
}
const engine = filesOf('engine')
const idle = new Set([...engine, ...filesOf('controls')])

test('before the press on play the page is small, has no media, and counts as opened once it was seen', async ({
  shared: product,
  page,
  recipient,
}) => {
  const weighed: Promise<[name: string, bytes: number]>[] = []
  page.on('requestfinished', (request) => {
    const { pathname } = new URL(request.url())
    weighed.push(request.sizes().then(({ responseBodySize }) => [pathname, responseBodySize]))
  })
  const link = recipient.link
  await (await fetch(product.url + link, { headers: { 'user-agent': 'MailScanner' } })).text()
  expect((await recipient.delivery()).openedAt).toBeNull()
  await page.goto(link)
  await expect.poll(async () => (await recipient.delivery()).openedAt).not.toBeNull()
  expect((await recipient.delivery()).firstPlayAt).toBeNull()

  const sizes = new Map(await Promise.all(weighed))
  const sum = (pattern: RegExp) =>
    [...sizes]
      .filter(([name]) => pattern.test(name) && !idle.has(name))
      .reduce((total, [, size]) => total + size, 0)
  // Of the 8 kB that such a page may have: most of it is the recorder, which has to be there before the first picture is, and before it
  // reports anything it asks whether somebody else is signed in to the console.
  expect(sum(/\.js$/)).toBeLessThanOrEqual(6_400)
  expect(sum(/./)).toBeLessThanOrEqual(80_000)
  expect([...sizes.keys()].filter((name) => /\.(m3u8|m4s|mp4)$/.test(name))).toEqual([])
})

test('the mail comes from whom the organization says', async () => {
  const mailbox = await openMailbox()
  const product = await startProduct({ SMTP_URL: mailbox.url })
  const client = await firstSuperadmin(product)
  const { id: organizationId } = await client.call(createOrganization, {
    body: { name: 'Acme', policies: { senderName: 'Acme Training' } },
  })
  const body = { name: 'Ann', email: 'ann@example.test' }
  const { id: userId } = await client.call(createUser, { params: { orgId: organizationId }, body })
  const videoId = await videoWithoutFiles(product, { organizationId })
  await client.call(createTransmission, {
    body: { body: 'Please watch this today.', videoId, accountId: organizationId, userId },
  })
  expect((await mailbox.to('ann@example.test')).from).toContain('Acme Training')
  await product.stop()
  await mailbox.close()
})

test('in idle time the engine comes, and runs with the press; where data are saved, it comes with the press', async ({
  browser,
  recipient,
}) => {
  const link = recipient.link
  for (const saves of [false, true]) {
    const page = await (await browser.newContext()).newPage()
    await page.addInitScript((saveData) => {
      Object.defineProperty(navigator, 'connection', { value: { saveData } })
      const attach = URL.createObjectURL.bind(URL)
      URL.createObjectURL = (thing) => {
        document.documentElement.dataset['attached'] = 'yes'
        return attach(thing)
      }
    }, saves)
    const fetched: string[] = []
    page.on('requestfinished', (request) => fetched.push(new URL(request.url()).pathname))
    await page.goto(link, { waitUntil: 'networkidle' })
    // Behind what the page itself does when it is idle.
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
    await page.waitForLoadState('networkidle')
    await expect
      .poll(() => fetched.filter((name) => engine.includes(name)).length)
      .toBe(saves ? 0 : engine.length)
    expect(fetched.filter((name) => /\.(m3u8|m4s|mp4)$/.test(name))).toEqual([])
    await expect(page.locator('html')).not.toHaveAttribute('data-attached')
    await press(page)
    await until(page, 0.1)
    await expect(page.locator('html')).toHaveAttribute('data-attached', 'yes')
    expect(fetched.filter((name) => engine.includes(name)).length).toBe(engine.length)
    await page.context().close()
  }
})

test('what was played is what is credited, to three tenths of a second', async ({ page, recipient }) => {
  await page.goto(recipient.link)
  await press(page)
  const played: [number, number][] = []
  played.push([0, await reach(page, 4, { seek: 12 })])
  played.push([12_000, await reach(page, 15, { pause: true })])
  // It stands until that is recorded, which counts as nothing.
  await expect.poll(async () => (await recipient.delivery()).coverage?.at(-1)?.[1]).toBeGreaterThan(14_500)
  await page.evaluate(() => {
    const video = document.querySelector('video')
    if (!video) throw new Error('no video')
    video.currentTime = 20
    video.playbackRate = 2
    return video.play()
  })
  played.push([20_000, await reach(page, 25, { rate: 1, seek: 35 })])
  await page.waitForFunction(() => document.querySelector('video')?.ended)
  played.push([35_000, seconds * 1_000])
  const heard = await page.evaluate(
    () =>
      (document.querySelector('video') as { webkitAudioDecodedByteCount?: number } | null)
        ?.webkitAudioDecodedByteCount,
  )
  expect(heard).toBeGreaterThan(0)

  await expect.poll(async () => (await recipient.delivery()).coverage?.at(-1)?.[1]).toBeGreaterThan(39_700)
  const { coverage, completedAt } = await recipient.delivery()
  expect(coverage).toHaveLength(played.length)
  for (const [n, [start, end]] of played.entries()) {
    expect(Math.abs((coverage?.[n]?.[0] ?? 0) - start)).toBeLessThanOrEqual(300)
    expect(Math.abs((coverage?.[n]?.[1] ?? 0) - end)).toBeLessThanOrEqual(300)
  }
  expect(completedAt).toBeNull()
})

test(
  'what was played without a network is handed in at the next visit',
  { tag: '@long' },
  async ({ context, recipient }) => {
    const link = recipient.link
    const page = await context.newPage()
    await page.goto(link)
    await press(page)
    await until(page, 3)
    await expect.poll(async () => (await recipient.delivery()).firstPlayAt).not.toBeNull()
    await context.setOffline(true)
    const left = await reach(page, 7, { pause: true })
    // A report that failed before the pause has left a copy that ends earlier.
    await expect.poll(async () => (await debts(page))[0]?.spans.at(-1)?.[2]).toBeGreaterThan(left - 300)
    await page.close()
    await context.setOffline(false)
    expect((await recipient.delivery()).watchedMs).toBeLessThan(left - 1_000)
    await revisit(context, link)
    await expect.poll(async () => (await recipient.delivery()).watchedMs).toBeGreaterThan(left - 300)
    expect((await recipient.delivery()).coverage).toHaveLength(1)
  },
)

function debts(page: Page): Promise<Debt[]> {
  return page.evaluate(
    () =>
      new Promise<Debt[]>((resolve) => {
        const opening = indexedDB.open('watch')
        opening.addEventListener('success', () => {
          const asked = opening.result.transaction('debts').objectStore('debts').getAll()
          asked.addEventListener('success', () => resolve(asked.result))
        })
      }),
  )
}

async function revisit(context: BrowserContext, link: string): Promise<void> {
  const page = await context.newPage()
  await page.goto(link)
  await expect.poll(() => debts(page)).toEqual([])
}

test(
  'leaving in the midst of playing loses nothing',
  { tag: '@long' },
  async ({ page, context, recipient }) => {
    const link = recipient.link
    await page.goto(link)
    await press(page)
    await until(page, 6.5)
    const left = await page.evaluate(() => (document.querySelector('video')?.currentTime ?? 0) * 1000)
    await page.close({ runBeforeUnload: true })
    await expect.poll(async () => (await recipient.delivery()).watchedMs).toBeGreaterThan(left - 300)
    const next = await context.newPage()
    await next.goto(link)
    await press(next)
    await expect(next.locator('#message')).toContainText('Continuing at 0:0')
    await next.getByRole('button', { name: 'Start from the beginning' }).click()
    await next.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 9) < 3)
  },
)

for (const colorScheme of ['light', 'dark'] as const)
  for (const width of [320, 1366])
    test(
      `nothing stands in anybody's way: ${colorScheme}, ${width} px`,
      { tag: '@long' },
      async ({ page, recipient }) => {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 700 })
        for (const address of [recipient.link, '/w/video/unknown']) {
          await page.goto(address)
          expect(await axeFaults(page)).toEqual([])
          await fitsAcross(page)
        }
      },
    )

test('plays by keyboard alone', async ({ page, recipient }) => {
  await page.goto(recipient.link)
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: /^Play:/ })).toBeFocused()
  await page.keyboard.press('Enter')
  await until(page, 0.5)
  await expect(page.getByRole('button', { name: 'Pause', exact: true })).toBeFocused()
  await page.keyboard.press('Space')
  await page.waitForFunction(() => document.querySelector('video')?.paused)
})

test(
  'a link that is taken back while it plays ends the playing, and the page says so',
  { tag: '@long' },
  async ({ page, film, recipient }) => {
    await page.goto(recipient.link)
    await press(page)
    await until(page, 1)
    const params = { transmissionId: recipient.transmissionId, deliveryId: (await recipient.delivery()).id }
    await film.client.call(revokeLink, { params, body: { reason: 'It was passed on.' } })
    await expect(page.locator('#message')).toHaveText(/This link does not work any more/, { timeout: 60_000 })
    await expect(page.locator('video')).toHaveCount(0)
    await expect(page.getByRole('button', { name: /^Play/ })).toHaveCount(0)
    expect(await axeFaults(page)).toEqual([])
  },
)

test('own controls take the place of those of the browser, by mouse, by keyboard and on a telephone', async ({
  page,
  recipient,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(recipient.link)
  const controls = page.getByRole('group', { name: 'Player' })
  const position = page.getByRole('slider', { name: 'Position' })
  await press(page)
  await until(page, 0.1)
  await expect(position).toBeVisible()
  await expect(page.locator('video')).not.toHaveAttribute('controls')
  for (const one of await controls.locator('button:visible, select:visible').all()) {
    const box = await one.boundingBox()
    expect(Math.min(box?.height ?? 0, box?.width ?? 0)).toBeGreaterThanOrEqual(44)
  }
  await fitsAcross(page)
  await controls.getByRole('button', { name: 'Pause' }).click()
  const time = () => page.locator('video').evaluate((video: HTMLVideoElement) => video.currentTime)
  await position.focus()
  await page.keyboard.press('Home')
  await expect.poll(time).toBe(0)
  await page.keyboard.press('5')
  await expect(position).toHaveAttribute('aria-valuetext', /^0:(19|20) of 0:40/)
  await page.keyboard.press('j')
  await expect.poll(time).toBeLessThan(11)
  await page.keyboard.press('>')
  await expect(page.locator('video')).toHaveJSProperty('playbackRate', 1.25)
  await controls.getByLabel('Speed').selectOption('1.5')
  await expect(page.locator('video')).toHaveJSProperty('playbackRate', 1.5)
  await position.focus()
  await page.keyboard.press('m')
  await expect(controls.getByRole('button', { name: 'Unmute' })).toBeVisible()
  const box = await position.boundingBox()
  if (!box) throw new Error('no strip')
  await page.mouse.click(box.x + 2, box.y + box.height / 2)
  await expect.poll(time).toBeLessThan(1)
  expect(await axeFaults(page)).toEqual([])
  // The speed is kept by this browser for the next video.
  await page.reload()
  await press(page)
  await expect(controls.getByLabel('Speed')).toHaveValue('1.5')
})

test('where the script of the controls does not come, those of the browser stay', async ({
  page,
  recipient,
}) => {
  await page.route(`**${filesOf('controls')[0]}`, (route) => route.abort())
  await page.goto(recipient.link)
  await press(page)
  await until(page, 0.1)
  await expect(page.locator('#controls')).toHaveCount(0)
  await expect(page.locator('video')).toHaveAttribute('controls')
})

test(
  'a page whose timers starve for seconds loses nothing of what is played',
  { tag: '@long' },
  async ({ page, recipient }) => {
    await page.goto(recipient.link)
    await press(page)
    await until(page, 0.1)
    await page.evaluate(() => {
      const timer = setInterval(() => {
        for (const end = performance.now() + 2_500; performance.now() < end;);
        if (document.querySelector('video')?.ended) clearInterval(timer)
      }, 60)
    })
    await page.waitForFunction(() => document.querySelector('video')?.ended, undefined, { timeout: 120_000 })
    await expect.poll(async () => (await recipient.delivery()).completedAt).not.toBeNull()
    expect((await recipient.delivery()).share).toBeGreaterThanOrEqual(0.99)
  },
)
