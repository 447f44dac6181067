import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, test, type Browser, type Locator, type Page } from '@playwright/test'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { readTransmission } from '#contract/transmissions/transmissions.ts'
import { makeClip } from '#server/testing/media/clips.ts'
import { clientOf, passphrase } from './client.ts'
import { openMailbox, waitFor, type Mailbox } from './mailbox.ts'
import { rowAct } from './console.ts'
import { startProduct } from './product.ts'

const seconds = 24

test('from the setup link to what a recipient has watched', async ({ browser, context, page }) => {
  test.slow()
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-clip-'))
  const clip = path.join(folder, 'Forklift check.mp4')
  await makeClip({ file: clip, seconds, width: 640, height: 360, style: 'gear', title: 'Forklift check' })
  const mailbox = await openMailbox()
  const product = await startProduct({ SMTP_URL: mailbox.url })

  await test.step('the setup link creates the first superadmin, who can then sign in', async () => {
    await page.goto(product.setupUrl ?? '')
    await page.getByLabel('Name', { exact: true }).fill('Sue Perior')
    await page.getByLabel('Email').fill('sue@example.test')
    await page.getByLabel('Password', { exact: true }).fill(passphrase)
    await page.getByLabel('The same again').fill(passphrase)
    await page.getByRole('button', { name: 'Create account' }).click()
    await expect(page).toHaveURL(/\/dashboard$/)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()

    await page.getByRole('button', { name: 'Logout' }).click()
    await expect(page).toHaveURL(/\/auth-1\/sign-in/)
    await page.getByLabel('Email').fill('sue@example.test')
    await page.getByLabel('Password', { exact: true }).fill(passphrase)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page).toHaveURL(/\/dashboard$/)
  })

  await test.step('an organization, users with and without a role, and a group are created, edited and removed', async () => {
    await openByMenu(page, 'Organizations')
    await page.getByRole('link', { name: 'Add an organization' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Acme Logistics')
    await page.getByRole('button', { name: 'Add an organization' }).click()
    await page.getByRole('button', { name: 'Open it' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Acme Logistics' })).toBeVisible()

    await addUser(page, { name: 'Rita Recipient', email: 'rita@example.test' })
    await addUser(page, { name: 'Rob Recipient', email: 'rob@example.test' })
    await addUser(page, { name: 'Anna Admin', email: 'anna@example.test', role: /^Admin/ })
    await addUser(page, { name: 'Gone Tomorrow', email: 'gone@example.test' })

    await open(page, 'Rob Recipient')
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Name', { exact: true }).fill('Robert Recipient')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Robert Recipient' })).toBeVisible()
    await page.goBack()
    await expect(row(page, 'Robert Recipient')).toBeVisible()

    await rowAct(page, 'Gone Tomorrow', 'Remove')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /remove/i })
      .click()
    await expect(row(page, 'Gone Tomorrow')).toHaveCount(0)

    await page
      .getByRole('navigation', { name: 'People and groups' })
      .getByRole('link', { name: /groups/i })
      .click()
    await page.getByRole('link', { name: 'Add a group' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Warehouse')
    await page.getByRole('button', { name: 'Add a group' }).click()
    await page.getByRole('button', { name: 'Choose members' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Warehouse' })).toBeVisible()
    await pick(page, 'Add people', 'Rita Recipient')
    await pick(page, 'Add people', 'Robert Recipient')
    await page.getByRole('button', { name: 'Add 2 people' }).click()
    await expect(row(page, 'Rita Recipient')).toBeVisible()
    await expect(row(page, 'Robert Recipient')).toBeVisible()
  })

  await test.step('a video is uploaded over a reload, converted, and plays in the console', async () => {
    await openByMenu(page, 'Content')
    await expect(page.getByRole('button', { name: 'Organization: Acme Logistics' })).toBeVisible()
    const network = await context.newCDPSession(page)
    await network.send('Network.enable')
    const slow = { offline: false, latency: 5, downloadThroughput: -1, uploadThroughput: 60_000 }
    await network.send('Network.emulateNetworkConditions', slow)
    await choose(page, clip)
    await expect(page.getByRole('region', { name: '1 upload' })).toContainText(/[1-9]\d?% · /)
    page.once('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await network.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 })
    await choose(page, clip)
    const card = page.getByRole('link', { name: /Forklift check/ }).first()
    await expect(card).toBeVisible({ timeout: 30_000 })
    await card.click()
    await expect(page.getByText('Ready', { exact: true }).first()).toBeVisible({ timeout: 90_000 })
    await page.reload()
    const video = page.locator('video').first()
    await expect
      .poll(() => video.evaluate((element: HTMLVideoElement) => element.readyState))
      .toBeGreaterThan(0)
    await playFor(page, video, 1)
  })

  await test.step('a transmission goes to a group, and the mail carries a personal link', async () => {
    await openByMenu(page, 'Transmissions')
    await page.getByRole('link', { name: 'Add a transmission' }).first().click()
    await pick(page, 'Organization', 'Acme Logistics')
    await page.getByRole('button', { name: /Forklift check/ }).click()
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Please watch this before Friday.')
    await pick(page, 'Groups', 'Warehouse')
    await page.keyboard.press('Escape')
    const send = page.getByRole('button', { name: 'Send to 2 people' })
    await expect(send).toBeVisible()
    await send.click()
    await page.getByRole('dialog').getByRole('button', { name: /send/i }).click()
    await expect(page).toHaveURL(/\/transmissions\/[0-9a-f-]{36}/)
    await mailbox.to('rita@example.test')
    await mailbox.to('rob@example.test')
    expect(mailbox.mails.filter((mail) => mail.to === 'rita@example.test')).toHaveLength(1)
    expect(
      mailbox.mails.some((mail) => mail.to === 'anna@example.test' && mail.text.includes('/w/video/')),
    ).toBe(false)
    await expect(row(page, 'Rita Recipient')).toBeVisible()
  })

  await test.step('what a recipient plays is shown by name to within 0.3 seconds; what they skip is not', async () => {
    const { phone, played } = await watchAsRita(browser, mailbox)
    const total = played.reduce((sum, [from, to]) => sum + to - from, 0)

    const strip = row(page, 'Rita Recipient').getByRole('img', { name: /Seen/ })
    await expect(strip).toBeVisible({ timeout: 20_000 })

    const token = await page.evaluate(
      () => JSON.parse(localStorage.getItem('persist:auth') ?? '{}').token as string,
    )
    const transmissionId = page.url().match(/transmissions\/([0-9a-f-]{36})/)?.[1] ?? ''
    const client = clientOf(product.url, token)
    const delivered = async () => {
      const { items } = await client.call(listDeliveries, { params: { transmissionId } })
      return items.find((delivery) => delivery.user.email === 'rita@example.test')
    }
    const rita = await waitFor(async () => {
      const found = await delivered()
      return found && Math.abs((found.watchedMs ?? 0) - total) <= 300 ? found : undefined
    }, `${total} ms of evidence`)
    await phone.close()
    expect(rita.openedAt).not.toBeNull()
    expect(rita.completedAt).toBeNull()
    expect(rita.coverage).toHaveLength(played.length)
    for (const [i, [from, to]] of played.entries()) {
      expect(Math.abs((rita.coverage?.[i]?.[0] ?? 0) - from)).toBeLessThanOrEqual(300)
      expect(Math.abs((rita.coverage?.[i]?.[1] ?? 0) - to)).toBeLessThanOrEqual(300)
    }
    const { video } = await client.call(readTransmission, { params: { transmissionId } })
    expect(Math.abs((video?.durationMs ?? 0) - seconds * 1_000)).toBeLessThanOrEqual(100)
    // The page refreshes by itself; a last report may still add some milliseconds.
    await expect(async () => {
      const share = ((await delivered())?.watchedMs ?? 0) / (video?.durationMs ?? 0)
      await expect(row(page, 'Rita Recipient')).toContainText(`${Math.floor(share * 100)}%`, {
        timeout: 2_000,
      })
    }).toPass({ timeout: 15_000 })
    await expect(row(page, 'Robert Recipient').getByText('Not opened')).toBeVisible()
  })

  await context.close()
  await product.stop()
  await mailbox.close()
  await rm(folder, { recursive: true, force: true })
})

/** Watches two parts on a phone, without any account; gives the parts in media milliseconds. */
async function watchAsRita(browser: Browser, mailbox: Mailbox) {
  const mail = await mailbox.to('rita@example.test')
  const link = /https?:\/\/\S+\/w\/video\/\S+/.exec(mail.text)?.[0] ?? ''
  const phone = await browser.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  })
  const watching = await phone.newPage()
  await watching.goto(link)
  await watching.getByRole('button', { name: /^Play:/ }).click()
  const video = watching.locator('video')
  const first = await playFor(watching, video, 4)
  await video.evaluate(
    (element: HTMLVideoElement) =>
      new Promise((resolve) => {
        element.addEventListener('seeked', resolve, { once: true })
        element.currentTime = 12
      }),
  )
  const second = await playFor(watching, video, 5)
  return { phone, played: [first, second] }
}

/** Plays for about `duration` seconds of media and pauses; gives where it began and where it stopped, in milliseconds. */
async function playFor(where: Page, video: Locator, duration: number): Promise<[number, number]> {
  const from = await video.evaluate(async (element: HTMLVideoElement) => {
    const at = element.paused ? element.currentTime : 0
    await element.play().catch((error: unknown) => {
      // The press before may just have brought the engine, which begins to play by itself.
      if (!(error instanceof DOMException && error.name === 'AbortError')) throw error
    })
    return at
  })
  await where.waitForFunction(
    ([least]) => (document.querySelector('video')?.currentTime ?? 0) >= (least ?? 0),
    [from + duration],
    { timeout: 60_000 },
  )
  const to = await video.evaluate((element: HTMLVideoElement) => {
    element.pause()
    return element.currentTime
  })
  return [from * 1_000, to * 1_000]
}

async function openByMenu(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
}

function row(page: Page, name: string): Locator {
  return page.getByRole('row').filter({ hasText: name })
}

async function open(page: Page, name: string): Promise<void> {
  await row(page, name).getByRole('link', { name, exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText(name)
}

type Person = { name: string; email: string; role?: RegExp }

async function addUser(page: Page, { name, email, role }: Person): Promise<void> {
  await page.getByRole('link', { name: 'Add a person' }).first().click()
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Email').fill(email)
  if (role) await page.getByRole('radio', { name: role }).check()
  await page.getByRole('button', { name: 'Add a person' }).click()
  await expect(row(page, name)).toBeVisible()
}

/** Chooses one of the suggestions of a search field. */
async function pick(page: Page, label: string, option: string): Promise<void> {
  await page
    .getByRole('combobox', { name: label, exact: true })
    .or(page.getByRole('textbox', { name: label, exact: true }))
    .first()
    .fill(option)
  await page.getByRole('option', { name: option }).first().click()
}

async function choose(page: Page, file: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload videos' }).click()
  await (await chooser).setFiles(file)
}
