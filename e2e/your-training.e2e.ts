import { expect, type Page } from '@playwright/test'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { revokeLink } from '#contract/transmissions/links.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import {
  createTransmission,
  listTransmissions,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import { createUser } from '#contract/directory/users.ts'
import { unique } from '#server/testing/unique.ts'
import { assigned } from './assigned.ts'
import type { Client } from './client.ts'
import { axeFaults, fitsAcross, pressMore } from './console.ts'
import { openDatabase } from './database.ts'
import type { Mailbox } from './mailbox.ts'
import { mailed, mailedLink, mailedTo } from './mailed.ts'
import { reach } from './playing.ts'
import type { Product } from './product.ts'
import { readyVideo, videoWithoutFiles } from './upload.ts'

type World = {
  mailbox: Mailbox
  product: Product
  client: Client
  orgId: string
  address: string
}

/** A page says that a code is mailed only where there is a mail server. */
const test = mailed.extend<{ world: World }>({
  world: async ({ mailbox, shared: product, superadmin: client }, use) => {
    const orgId = (await client.call(createOrganization, { body: { name: 'Köhler & Söhne' } })).id
    const address = `zoe-${unique()}@example.test`
    await client.call(createUser, { params: { orgId }, body: { name: 'Zoë Ωmega', email: address } })
    await use({ mailbox, product, client, orgId, address })
  },
})

type Message = { subject: string; videoId: string; isReminder?: boolean }

/** Sends the video, and answers where the personal link leads. */
async function send(
  { mailbox, client, orgId, address }: World,
  { subject, videoId, isReminder = false }: Message,
): Promise<{ link: string; transmissionId: string }> {
  const viewing = isReminder ? { viewing: { kind: 'not_completed' as const, videoId } } : {}
  const audience = { everyone: true, userIds: [], groupIds: [], ...viewing }
  const { id } = await client.call(createTransmission, {
    body: { subject, body: 'Please watch.', videoId, accountId: orgId, audience },
  })
  await expect
    .poll(async () => (await client.call(readTransmission, { params: { transmissionId: id } })).state, {
      timeout: 30_000,
    })
    .toBe('completed')
  return { link: await mailedLink(mailbox, address), transmissionId: id }
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

test('a reminder plays what is missing, part after part, until somebody wants the whole video', async ({
  page,
  browser,
  world,
}) => {
  const to = { url: world.product.url, client: world.client, organizationId: world.orgId }
  const videoId = await readyVideo(to, { seconds: 14, width: 320 })
  await page.goto((await send(world, { subject: 'First', videoId })).link)
  await expect(missing(page)).toHaveCount(0)
  await page.getByRole('button', { name: /^Play:/ }).click()
  await reach(page, 3, { seek: 6 })
  await reach(page, 8, { seek: 11 })
  await page.waitForFunction(() => document.querySelector('video')?.ended)
  const receipt = page.getByRole('region', { name: 'What you have seen' })
  await expect(receipt).toContainText('Play what is missing')
  const { link: reminder } = await send(world, { subject: 'Again', videoId, isReminder: true })

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

async function faultsOf(page: Page): Promise<void> {
  await fitsAcross(page)
  expect(await axeFaults(page)).toEqual([])
}

test('“Your training” opens on one device, says what waits there alone, and closes with the link that opened it', async ({
  browser,
  world,
}) => {
  const { mailbox, product, client, orgId, address } = world
  const videoId = await videoWithoutFiles(product, { organizationId: orgId })
  // They have seen all of it.
  const database = await openDatabase(product)
  await database.query(
    `insert into viewer_videos (version_id, viewer_key, organization_id, video_id, user_id, coverage, plays, first_at, last_at, completed_at)
      select v.current_version_id, 'recipient:' || u.id, $1, v.id, u.id, '{[0,60000)}', 1, now(), now(), now()
      from users u join videos v on v.organization_id = u.organization_id where u.organization_id = $1`,
    [orgId],
  )
  await database.close()
  const { link: first } = await send(world, { subject: 'First', videoId })
  const { link: reminder, transmissionId } = await send(world, { subject: 'Again', videoId })
  const page = await (await browser.newContext({ ...looks[0], javaScriptEnabled: false })).newPage()

  await test.step('a device is opened with a mailed code, without scripts, and says what waits and what is done', async () => {
    await page.goto(reminder)
    await page.getByRole('link', { name: 'Your training' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your training')
    await expect(page.getByRole('main')).toContainText('A real video')
    await expect(page.getByRole('main')).not.toContainText('Waiting for you')
    await page.getByRole('button', { name: 'Mail me a code' }).click()
    await expect(page.getByRole('status')).toContainText('A code was written to z•••@example.test.')
    const right = await mailedTo(mailbox, address, /type this code into that page:\s+(\d{6})/)
    await page.getByLabel('Code').fill(right === '000000' ? '000001' : '000000')
    await page.getByRole('button', { name: 'Open your training' }).click()
    await expect(page.getByRole('status')).toContainText('This code is not right.')
    await page.getByLabel('Code').fill(right)
    await page.getByRole('button', { name: 'Open your training' }).click()
    await expect(page).toHaveURL('/w/me')
    await expect(page.getByRole('region', { name: 'Waiting for you' })).toContainText(
      'Nothing is waiting for you.',
    )

    await assigned(client, { orgId, videoId, name: 'Fire safety' })
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
  })

  await test.step('the same link on another device shows none of it, in every look', async () => {
    for (const look of looks) {
      const other = await (await browser.newContext(look)).newPage()
      await other.goto(reminder.replace(/\/w\/video\/[^?]+/, '/w/me'))
      await expect(other.getByRole('main')).toContainText('The video of this link')
      await expect(other.getByRole('main')).not.toContainText('Fire safety')
      await faultsOf(other)
      await other.getByRole('link', { name: 'Deutsch' }).click()
      await expect(other.getByRole('heading', { level: 1 })).toHaveText('Ihre Schulungen')
      await other.context().close()
    }
  })

  await test.step('the open page fits and can be read in every look, and hands out certificate and data', async () => {
    const cookies = await page.context().cookies()
    for (const look of looks) {
      const context = await browser.newContext(look)
      await context.addCookies(cookies)
      const again = await context.newPage()
      await again.goto('/w/me')
      await expect(again.getByRole('region', { name: 'Waiting for you' })).toContainText('Fire safety')
      await faultsOf(again)
      const [file] = await Promise.all([
        again.waitForEvent('download'),
        again.getByRole('button', { name: 'Download your data' }).click(),
      ])
      expect(file.suggestedFilename()).toMatch(/^your-data-.*\.json$/)
      await context.close()
    }
  })

  await test.step('it closes with the link that opened it', async () => {
    const { items } = await client.call(listDeliveries, { params: { transmissionId } })
    const deliveryId = items[0]?.id ?? ''
    await client.call(revokeLink, { params: { transmissionId, deliveryId }, body: { reason: 'Passed on' } })
    await page.goto('/w/me')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('This page needs your personal link')
    await page.goto(first.replace(/\/w\/video\/[^?]+/, '/w/me'))
    await expect(page.getByRole('main')).not.toContainText('Fire safety')
  })
  await page.context().close()
})

test('an administrator prints a card, and the ledger says who hands it over', async ({
  world: { product, client, orgId },
  open,
}) => {
  const videoId = await videoWithoutFiles(product, { organizationId: orgId })
  const assignmentId = await assigned(client, { orgId, videoId, name: 'Fire safety' })
  const page = await open(client)
  await page.goto(`/assignments/${orgId}/${assignmentId}`)
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
  await page.goto(`/transmissions/${items[0]?.id ?? ''}`)
  await expect(page.getByRole('main')).toContainText('Handed over')
})
