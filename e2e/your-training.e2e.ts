import { expect, test, type Browser, type Page } from '@playwright/test'
import { changeAssignment, createAssignment, readAssignment } from '#contract/assignments.ts'
import { listDeliveries } from '#contract/deliveries.ts'
import { revokeLink } from '#contract/links.ts'
import { createOrganization } from '#contract/organizations.ts'
import { createTransmission, listTransmissions, readTransmission } from '#contract/transmissions.ts'
import { createUser } from '#contract/users.ts'
import { firstSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross, pressMore, signedIn } from './console.ts'
import { openMailbox, type Mailbox } from './mailbox.ts'
import { reach } from './playing.ts'
import { startProduct, type Product } from './product.ts'
import { readyVideo } from './upload.ts'

const seconds = 14
const address = 'zoe@example.test'

let product: Product
let mailbox: Mailbox
let client: Client
let orgId: string
let videoId: string

test.describe.configure({ mode: 'serial' })

test.beforeAll(async () => {
  test.setTimeout(300_000)
  mailbox = await openMailbox()
  product = await startProduct({ SMTP_URL: mailbox.url })
  client = await firstSuperadmin(product)
  orgId = (await client.call(createOrganization, { body: { name: 'Köhler & Söhne' } })).id
  const person = { name: 'Zoë Ωmega', email: address }
  await client.call(createUser, { params: { orgId }, body: person })
  videoId = await readyVideo({ url: product.url, client, organizationId: orgId }, { seconds, width: 320 })
})

test.afterAll(async () => {
  await product.stop()
  await mailbox.close()
})

type Audience = { everyone: boolean; viewing?: { kind: 'not_completed'; videoId: string } }

/** Sends the video; where its link leads on this product. */
async function send(subject: string, audience: Audience): Promise<{ link: string; transmissionId: string }> {
  const { id } = await client.call(createTransmission, {
    body: {
      subject,
      body: 'Please watch.',
      videoId,
      accountId: orgId,
      audience: { userIds: [], groupIds: [], ...audience },
    },
  })
  await expect
    .poll(async () => (await client.call(readTransmission, { params: { transmissionId: id } })).state, {
      timeout: 30_000,
    })
    .toBe('completed')
  const mail = mailbox.mails.findLast((one) => one.to === address && /\/w\/video\//.test(one.text))
  const link = new URL(/https?:\/\/\S*\/w\/video\/\S+/.exec(mail?.text ?? '')?.[0] ?? '')
  return { link: `${product.url}${link.pathname}${link.search}`, transmissionId: id }
}

const at = (page: Page) => page.evaluate(() => document.querySelector('video')?.currentTime ?? 0)
const missing = (page: Page) => page.locator('#missing')

/** Where the next press starts to play. */
const began = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const video = document.querySelector('video')
        const look = () => {
          if (video && !video.seeking && !video.paused) resolve(video.currentTime)
        }
        video?.addEventListener('timeupdate', look)
      }),
  )

let first: string
let reminder: string
let transmissionId: string
let assignmentId: string

test('a reminder plays what is missing, part after part, until somebody wants the whole video', async ({
  page,
  browser,
}) => {
  test.setTimeout(180_000)
  ;({ link: first } = await send('First', { everyone: true }))
  await page.goto(first)
  await expect(missing(page)).toHaveCount(0)
  await page.getByRole('button', { name: /^Play:/ }).click()
  await reach(page, 3, { seek: 6 })
  await reach(page, 8, { seek: 11 })
  await page.waitForFunction(() => document.querySelector('video')?.ended)
  const receipt = page.getByRole('region', { name: 'What you have seen' })
  await expect(receipt).toContainText('Play what is missing')
  ;({ link: reminder, transmissionId } = await send('Again', {
    everyone: true,
    viewing: { kind: 'not_completed', videoId },
  }))

  await page.goto(reminder)
  await expect(missing(page)).toHaveText(/^Missing: 0:0[23] to 0:06 and 0:0[78] to 0:11 \([67] seconds\)\.$/)
  const whole = page.getByRole('button', { name: 'Watch the whole video' })
  await expect(whole).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  const plain = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
  await plain.goto(reminder)
  await expect(missing(plain)).toHaveText(/^Missing: /)
  await plain.context().close()
  const beginning = began(page)
  await whole.click()
  expect(await beginning).toBeLessThan(1.5)
  await expect(missing(page)).toHaveCount(0)

  await page.goto(reminder)
  await expect(whole).toBeVisible()
  const start = began(page)
  await page.getByRole('button', { name: /^Play:/ }).click()
  const where = await start
  expect([where > 2, where < 6]).toEqual([true, true])
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 7.2)
  // What was seen in between is jumped over.
  await page.waitForFunction(() => {
    const video = document.querySelector('video')
    return video?.paused && video.currentTime > 10.8 && video.currentTime < 13
  })
  await expect(missing(page)).toHaveText('You have now seen everything that was missing.', {
    timeout: 20_000,
  })
  expect(await at(page)).toBeLessThan(13)
  await page.goto(reminder)
  await expect(missing(page)).toHaveCount(0)
})

const looks = [
  { colorScheme: 'light', viewport: { width: 1366, height: 800 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const

async function opened(browser: Browser, look: (typeof looks)[number]): Promise<Page> {
  const context = await browser.newContext({ ...look, javaScriptEnabled: false })
  return context.newPage()
}

/** The code that is mailed from now on. */
async function code(before: number): Promise<string> {
  const found = () =>
    mailbox.mails.slice(before).map(({ text }) => /type this code into that page:\s+(\d{6})/.exec(text)?.[1])
  await expect.poll(() => found().length).toBeGreaterThan(0)
  return found().at(-1) ?? ''
}

async function faultsOf(page: Page): Promise<void> {
  await fitsAcross(page)
  expect(await axeFaults(page)).toEqual([])
}

let closing: Page

test('a device is opened with a mailed code, without scripts, and says what waits and what is done', async ({
  browser,
}) => {
  test.setTimeout(120_000)
  const page = await opened(browser, looks[0])
  await page.goto(reminder)
  await page.getByRole('link', { name: 'Your training' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your training')
  await expect(page.getByRole('main')).toContainText('A real video')
  await expect(page.getByRole('main')).not.toContainText('Waiting for you')
  const before = mailbox.mails.length
  await page.getByRole('button', { name: 'Mail me a code' }).click()
  await expect(page.getByRole('status')).toContainText('A code was written to z•••@example.test.')
  const right = await code(before)
  await page.getByLabel('Code').fill(right === '000000' ? '000001' : '000000')
  await page.getByRole('button', { name: 'Open your training' }).click()
  await expect(page.getByRole('status')).toContainText('This code is not right.')
  await page.getByLabel('Code').fill(right)
  await page.getByRole('button', { name: 'Open your training' }).click()
  await expect(page).toHaveURL(`${product.url}/w/me`)
  await expect(page.getByRole('region', { name: 'Waiting for you' })).toContainText(
    'Nothing is waiting for you.',
  )

  const made = await client.call(createAssignment, {
    params: { orgId },
    body: {
      name: 'Fire safety',
      videoId,
      audience: { everyone: true },
      requirement: 'watched',
      due: { kind: 'after', days: 10, working: false },
      validity: null,
      countsSince: null,
      reminders: { daysBefore: [3], onTheDay: true, daysAfter: [2], weekly: true, most: 5 },
      subject: 'Fire safety',
      message: 'It concerns everybody.',
      start: true,
    },
  })
  assignmentId = made.id
  const waiting = page.getByRole('region', { name: 'Waiting for you' })
  await expect
    .poll(
      async () => {
        await page.reload()
        return waiting.innerText()
      },
      { timeout: 60_000 },
    )
    .toContain('Fire safety')
  await expect(waiting.getByRole('link', { name: 'Watch the video: A real video' })).toBeVisible()
  await waiting.getByRole('link', { name: /Watch the video/ }).click()
  await expect(page).toHaveURL(/\/w\/video\//)
  const { version } = await client.call(readAssignment, { params: { orgId, assignmentId } })
  await client.call(changeAssignment, {
    params: { orgId, assignmentId },
    body: { action: 'pause', version },
  })
  closing = page
})

test('the same link on another device shows none of it, in every look', async ({ browser }) => {
  for (const look of looks) {
    const page = await (await browser.newContext(look)).newPage()
    await page.goto(reminder.replace(/\/w\/video\/[^?]+/, '/w/me'))
    await expect(page.getByRole('main')).toContainText('The video of this link')
    await expect(page.getByRole('main')).not.toContainText('Fire safety')
    await faultsOf(page)
    await page.getByRole('link', { name: 'Deutsch' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Ihre Schulungen')
    await page.context().close()
  }
})

test('the open page fits and can be read in every look, and hands out certificate and data', async ({
  browser,
}) => {
  const cookies = await closing.context().cookies()
  for (const look of looks) {
    const context = await browser.newContext(look)
    await context.addCookies(cookies)
    const page = await context.newPage()
    await page.goto(`${product.url}/w/me`)
    await expect(page.getByRole('region', { name: 'Waiting for you' })).toContainText('Fire safety')
    await faultsOf(page)
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download your data' }).click(),
    ])
    expect(file.suggestedFilename()).toMatch(/^your-data-.*\.json$/)
    await context.close()
  }
})

test('it closes with the link that opened it', async () => {
  const { items } = await client.call(listDeliveries, { params: { transmissionId } })
  const deliveryId = items[0]?.id ?? ''
  await client.call(revokeLink, { params: { transmissionId, deliveryId }, body: { reason: 'Passed on' } })
  await closing.goto(`${product.url}/w/me`)
  await expect(closing.getByRole('heading', { level: 1 })).toHaveText('This page needs your personal link')
  await closing.goto(first.replace(/\/w\/video\/[^?]+/, '/w/me'))
  await expect(closing.getByRole('main')).not.toContainText('Fire safety')
  await closing.context().close()
})

test('an administrator prints a card, and the ledger says who hands it over', async ({ browser }) => {
  test.setTimeout(120_000)
  const params = { orgId, assignmentId }
  const { version } = await client.call(readAssignment, { params })
  await client.call(changeAssignment, { params, body: { action: 'resume', version } })
  const page = await signedIn(browser, product, client)
  await page.goto(`${product.url}/assignments/${orgId}/${assignmentId}`)
  await pressMore(page, 'Print cards')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'Some of them' }).check()
  await dialog.getByRole('button', { name: 'Make the file' }).click()
  await expect(dialog).toContainText('Please choose at least one person.')
  await dialog.getByRole('checkbox', { name: 'Zoë Ωmega' }).check()
  await expect(dialog).toContainText('1 person is chosen')
  expect(await axeFaults(page)).toEqual([])
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Make the file' }).click(),
  ])
  expect(file.suggestedFilename()).toMatch(/^cards-.*\.pdf$/)
  await expect(dialog).toHaveCount(0)
  const { items } = await client.call(listTransmissions, { query: { organizationId: orgId, limit: 1 } })
  await page.goto(`${product.url}/transmissions/${items[0]?.id ?? ''}`)
  await expect(page.getByRole('main')).toContainText('Handed over')
  await page.context().close()
})
