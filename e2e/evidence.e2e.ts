import { expect, type Page } from '@playwright/test'
import { readEvidence, type Evidence } from '#contract/evidence/evidence.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { createTransmission } from '#contract/transmissions/transmissions.ts'
import { createUser } from '#contract/directory/users.ts'
import { unique } from '#server/testing/unique.ts'
import { newSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross, wear } from './console.ts'
import { linkTo } from './outbox.ts'
import { reach } from './playing.ts'
import { test as shared } from './shared.ts'
import { readyVideo } from './upload.ts'

const seconds = 30

type World = {
  client: Client
  page: Page
  params: { orgId: string; userId: string; videoId: string }
  link: string
}

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const client = await newSuperadmin(product)
    const orgId = (await client.call(createOrganization, { body: { name: 'Acme' } })).id
    const where = { url: product.url, client, organizationId: orgId }
    const videoId = await readyVideo(where, { seconds, width: 426 })
    const email = `ida-${unique()}@example.test`
    const body = { name: 'Ida Interrupted', email }
    const userId = (await client.call(createUser, { params: { orgId }, body })).id
    const audience = { everyone: false, userIds: [userId], groupIds: [] }
    await client.call(createTransmission, {
      body: { body: 'Please watch this today.', videoId, accountId: orgId, audience },
    })
    const link = await linkTo(client, email)
    await use({ client, page: await open(client), params: { orgId, userId, videoId }, link })
  },
})

/** Plays two parts of the video as somebody does who jumps ahead; gives what was played, in milliseconds. */
async function watchTwoParts(watching: Page, link: string): Promise<[[number, number], [number, number]]> {
  await watching.goto(link)
  await watching.getByRole('button', { name: /^Play:/ }).click()
  const left = await reach(watching, 3, { seek: 20 })
  const stopped = await reach(watching, 23, { pause: true })
  return [
    [0, left],
    [20_000, stopped],
  ]
}

test('the evidence of what somebody watched is read, walked over, unfolded, and reached from the list of recipients', async ({
  page: watching,
  world: { client, page, params, link },
}) => {
  const read = () => client.call(readEvidence, { params })

  await test.step('shows exactly what a real person watched of a real video, proven by what was handed out', async () => {
    const played = await watchTwoParts(watching, link)
    const [, [, stopped]] = played
    const lastEnd = async () => (await read()).versions[0]?.lanes.watched.at(-1)?.[1] ?? 0
    // The report before the last one lacks what was played since.
    await expect.poll(async () => Math.abs((await lastEnd()) - stopped)).toBeLessThanOrEqual(300)
    await expect.poll(async () => (await read()).state).toBe('proven')
    const { versions, sessions }: Evidence = await read()
    const { watched = [], missing = [], served = [] } = versions[0]?.lanes ?? {}
    expect(watched).toHaveLength(2)
    expect(missing).toHaveLength(2)
    for (const [n, [start, end]] of played.entries()) {
      expect(Math.abs((watched[n]?.[0] ?? -1) - start)).toBeLessThanOrEqual(300)
      expect(Math.abs((watched[n]?.[1] ?? -1) - end)).toBeLessThanOrEqual(300)
      // Whole segments, which hold what was played.
      expect(served.some(([a, b]) => a <= start && b >= end)).toBe(true)
    }
    expect(sessions.items).toMatchObject([{ state: 'proven', isReported: true, unserved: [] }])

    await page.goto(`/organizations/${params.orgId}/users/${params.userId}`)
    await page.getByRole('region', { name: 'Videos' }).getByRole('link', { name: 'A real video' }).click()
    const answer = page.getByRole('heading', { level: 1, name: /^Ida Interrupted has seen \d+% of it$/ })
    await expect(answer).toBeFocused()
    await expect(page).toHaveTitle(/^A real video · /)
    const main = page.locator('main')
    await expect(main).toContainText('Proven')
    const why = page.getByRole('region', { name: /^Why \d+%$/ })
    await expect(why).toContainText(/Ida Interrupted has seen \S+ s of 30 s/)
    await expect(why).toContainText(/0:03(\.\d)? to 0:20/)
    await expect(why).toContainText('95% has not been reached.')
  })

  await test.step('is walked over by keyboard, and has a table behind the plot', async () => {
    const plot = page.getByRole('slider', { name: 'Moment of A real video' })
    await plot.focus()
    await page.keyboard.press('Home')
    await expect(plot).toHaveAttribute('aria-valuetext', '0:00: seen, handed out')
    await page.keyboard.press('ArrowRight')
    await expect(plot).toHaveAttribute('aria-valuetext', /^0:03(\.\d)?: missing/)
    await page.keyboard.press('End')
    await expect(plot).toHaveAttribute('aria-valuetext', '0:30: the end')
    await page.getByText('All parts as a table').focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('row', { name: /^Seen 0:20 0:23/ })).toBeVisible()
  })

  await test.step('each session unfolds to its stretches', async () => {
    const session = page
      .getByRole('region', { name: /session/ })
      .locator('details')
      .first()
    await session.locator('summary').focus()
    await page.keyboard.press('Enter')
    await expect(session.getByRole('table', { name: 'Stretches that were played' })).toContainText(
      'All of it',
    )
    await expect(session).toContainText(/Handed out\s*0:00 to/)
  })

  await test.step('stands in light and dark, and on a phone', async () => {
    for (const theme of ['light', 'dark']) {
      await page.setViewportSize({ width: theme === 'dark' ? 390 : 1366, height: 844 })
      await wear(page, { theme })
      expect(await axeFaults(page), theme).toEqual([])
      await fitsAcross(page)
    }
  })

  await test.step('the list of recipients leads to the evidence of each', async () => {
    await page.setViewportSize({ width: 1366, height: 844 })
    const id = await page.locator('details a[href*="/transmissions/"]').first().getAttribute('href')
    await page.goto(id ?? '')
    const transmissionId = (id ?? '').split('/').at(-1) ?? ''
    expect((await client.call(listDeliveries, { params: { transmissionId } })).items).toHaveLength(1)
    await page.getByRole('link', { name: 'Ida Interrupted' }).click()
    await expect(page.getByRole('heading', { level: 1, name: /^Ida Interrupted has seen/ })).toBeVisible()
  })
})

test('says why reports with the sign of a program do not count, and lets an administrator decide', async ({
  browser,
  world: { client, page, params, link },
}) => {
  const read = () => client.call(readEvidence, { params })
  const context = await browser.newContext({ userAgent: 'Mozilla/5.0 (X11; Linux x86_64) MailScanner/2' })
  const watching = await context.newPage()
  await watchTwoParts(watching, link)
  await expect(watching.locator('#receipt')).toContainText('Your browser calls itself a program')
  await context.close()
  await expect.poll(async () => (await read()).sessions.total).toBe(1)
  await page.goto(`/organizations/${params.orgId}/users/${params.userId}/videos/${params.videoId}`)
  await expect(page.getByText('Nothing of what was reported counts.')).toBeVisible()
  await expect(page.getByText('has seen nothing of it that counts')).toBeVisible()
  const session = page
    .getByRole('region', { name: /session/ })
    .locator('details')
    .first()
  await expect(session).toContainText('Program')
  await session.locator('summary').click()
  await expect(session).toContainText(
    'a browser that calls itself a program: “Mozilla/5.0 (X11; Linux x86_64) MailScanner/2”',
  )
  await session.getByRole('button', { name: 'A person watched' }).click()
  await page.getByLabel('Reason').fill('They were seen watching.')
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Let it count' }).click()
  await expect(session).toContainText('They were seen watching.')
  await expect(session).toContainText('because an administrator decided that a person watched')
  await session.getByRole('button', { name: 'Take the decision back' }).click()
  await expect(session.getByRole('button', { name: 'A person watched' })).toBeVisible()
})
