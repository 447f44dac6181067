import { readFile } from 'node:fs/promises'
import { expect, type Locator, type Page } from '@playwright/test'
import { createGroup } from '#contract/directory/groups.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { listUserActivity } from '#contract/reports/reports.ts'
import { createTransmission } from '#contract/transmissions/transmissions.ts'
import { createUser } from '#contract/directory/users.ts'
import { unique } from '#server/testing/unique.ts'
import { accept, newSuperadmin, type Client } from './client.ts'
import {
  answerBell,
  asksForItself,
  axeFaults,
  chip,
  fitsAcross,
  listOption,
  narrow,
  question,
  wear,
} from './console.ts'
import { derived, openDatabase } from './database.ts'
import { linkTo } from './outbox.ts'
import { test as shared } from './shared.ts'
import { readyVideo } from './upload.ts'

type Sent = {
  client: Client
  organizationId: string
  orgName: string
  /** Nothing has happened in the organization of this name. */
  quietName: string
  margaretsEmail: string
  gusEmail: string
}

const test = shared.extend<{ page: Page }, { sent: Sent }>({
  /** Two people get a video; Margaret watches all of it. Gus administers the group that she is in. */
  sent: [
    async ({ browser, shared: product }, use) => {
      const client = await newSuperadmin(product)
      const [orgName, quietName] = [`Reports Toys ${unique()}`, `Quiet Reports ${unique()}`]
      const { id: organizationId } = await client.call(createOrganization, { body: { name: orgName } })
      await client.call(createOrganization, { body: { name: quietName } })
      const videoId = await readyVideo(
        { url: product.url, client, organizationId },
        { seconds: 2, width: 320 },
      )
      const [margaretsEmail, gusEmail] = [
        `margaret-${unique()}@reports.example`,
        `gus-${unique()}@reports.example`,
      ]
      const sent = { client, organizationId, orgName, quietName, margaretsEmail, gusEmail }
      await send(sent, videoId)
      const watching = await (await browser.newContext()).newPage()
      await watching.goto(product.url + (await linkTo(client, margaretsEmail)))
      await watch(watching, sent)
      const productDatabase = await openDatabase(product)
      // As if there were a mail server: what rests in the outbox is counted as sent nowhere.
      await productDatabase.query('update deliveries set provider_ref = null where organization_id = $1', [
        organizationId,
      ])
      await derived(productDatabase, organizationId)
      await productDatabase.close()
      await use(sent)
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  page: async ({ sent, open }, use) => use(await open(sent.client)),
})

async function send(
  { client, organizationId, margaretsEmail, gusEmail }: Sent,
  videoId: string,
): Promise<void> {
  const params = { orgId: organizationId }
  const { id: groupId } = await client.call(createGroup, { params, body: { name: 'Apollo' } })
  const add = async (body: Parameters<typeof addUser>[0]) => (await addUser(body)).id
  const addUser = (body: { name: string; email: string; role?: 'groupadmin'; groupIds?: string[] }) =>
    client.call(createUser, { params, body })
  const userIds = [
    await add({ name: 'Margaret Hamilton', email: margaretsEmail, groupIds: [groupId] }),
    await add({ name: 'Katherine Johnson', email: 'katherine@reports.example' }),
  ]
  await add({ name: 'Gus Grissom', email: gusEmail, role: 'groupadmin', groupIds: [groupId] })
  const audience = { userIds, groupIds: [], everyone: false }
  const body = { body: 'Please watch.', subject: 'Launch', accountId: organizationId, videoId, audience }
  await client.call(createTransmission, { body })
}

/** Plays the video to its end, and waits until the evidence has been counted. */
async function watch(watching: Page, { client, organizationId }: Sent): Promise<void> {
  await watching.getByRole('button', { name: /^Play:/ }).click()
  await watching.waitForFunction(() => document.querySelector('video')?.ended)
  const completed = async () =>
    (await client.call(listUserActivity, { query: { organizationId, sort: '-completed' } })).items[0]
      ?.completed
  await expect.poll(completed, { timeout: 30_000 }).toBe(1)
  await watching.context().close()
}

/** Opens a report of the organization by its address; but for the name of that, the page itself asks the server no more than twice. */
async function openReport(where: Page, address: string, title: string): Promise<void> {
  // What the page before is still asking for is not this one's.
  await where.goto('about:blank')
  await answerBell(where)
  const asked: string[] = []
  where.on('request', (request) => {
    const address = request.url()
    if (asksForItself(address) && !/\/organizations\/[^/]+$/.test(address)) asked.push(address)
  })
  await where.goto(`/reports/${address}`)
  await expect(where.getByRole('heading', { level: 1, name: title })).toBeVisible()
  await where.waitForLoadState('networkidle')
  expect(asked.length).toBeLessThanOrEqual(2)
  where.removeAllListeners('request')
}

/** No mistake that a checker can find, with the meanings unfolded, and nothing to the side of a narrow phone. */
async function expectSound(where: Page): Promise<void> {
  const meanings = where.getByText('What these figures mean')
  if ((await meanings.count()) > 0) await meanings.click()
  expect(await axeFaults(where)).toEqual([])
  await where.setViewportSize({ width: 320, height: 800 })
  // The menu steps aside a moment after the window has changed.
  await fitsAcross(where)
  await where.setViewportSize({ width: 1366, height: 800 })
}

const row = (where: Page, name: string): Locator => where.getByRole('row').filter({ hasText: name })
/** Of the list; the plot has a table of its own behind it. */
const names = (where: Page): Locator => where.locator('[data-part=table]').getByRole('rowheader')
/** What stands below the headings of these columns. */
async function cells(where: Page, name: string, columns: string[]): Promise<string[]> {
  return Promise.all(
    columns.map((column) => row(where, name).locator(`[data-label="${column}"]`).innerText()),
  )
}
const figure = (where: Page, label: string): Locator => where.getByRole('group', { name: label, exact: true })

test('Account User Activity tells who got, opened and completed what', async ({ page, sent }) => {
  await openReport(page, `account-user-activity?organization=${sent.organizationId}`, 'Account User Activity')
  const columns = ['Received', 'Opened', 'Completed', 'Watched']
  expect(await cells(page, 'Margaret Hamilton', columns)).toEqual(['1', '1', '1', '2 s'])
  expect(await cells(page, 'Katherine Johnson', columns)).toEqual(['1', '–', '–', '–'])
  await expect(figure(page, 'Active people')).toContainText(/^Active people\s*1\s*33% of 3 people/)
  await expect(figure(page, 'Opened')).toContainText('50% of 2 messages')
  await expectSound(page)
  await page.getByRole('button', { name: 'Name' }).click()
  await expect(page).toHaveURL(/sort=name/)
  await expect(names(page).first()).toHaveText('Gus Grissom')
  await page.getByRole('searchbox', { name: 'Search people' }).fill('marg')
  await expect(names(page)).toHaveText(['Margaret Hamilton'])
  await page.getByRole('link', { name: 'Margaret Hamilton' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Margaret Hamilton')
  await expect(page).toHaveURL(/\/organizations\/[0-9a-f-]{36}\/users\/[0-9a-f-]{36}$/)
})

test('User Engagement tells how much of a video was seen', async ({ page, sent }) => {
  await openReport(page, `user-engagement?organization=${sent.organizationId}`, 'User Engagement')
  const columns = ['Completed', 'Rewatched', 'Watched']
  expect(await cells(page, 'A real video', columns)).toEqual(['1', '–', '2 s'])
  await expect(page.getByRole('link', { name: 'People: A real video, 1', exact: true })).toBeVisible()
  await expect(page.getByText('1 viewer saw 100% of what they opened in 2 s.')).toBeVisible()
  await expect(figure(page, 'Completed')).toContainText('100% of 1 viewing by now')
  await expectSound(page)
  await page.getByRole('link', { name: 'A real video', exact: true }).click()
  await expect(page).toHaveURL(/\/content\/[0-9a-f-]{36}$/)
})

test('Account Activity tells who did what, and finds it again', async ({ page, sent }) => {
  await openReport(page, `account-activity?organization=${sent.organizationId}`, 'Account Activity')
  expect(await cells(page, 'Created a group', ['Who', 'To what'])).toEqual(['Sue Perior', 'Apollo'])
  await expectSound(page)
  await narrow(page, 'Action', 'transmission.create')
  await expect(page).toHaveURL(/action=transmission.create/)
  await expect(names(page)).toHaveText(['Created a transmission'])
  await page.getByRole('searchbox', { name: 'Search by who did it' }).fill('nobody')
  await expect(page.getByText('No action matches')).toBeVisible()
  await page.getByRole('button', { name: 'Show all actions' }).click()
  await expect(page.getByRole('row', { name: /Added a person/ })).toHaveCount(3)
})

test('Message Analytics follows a transmission to the last second', async ({ page, sent }) => {
  await openReport(page, `message-analytics?organization=${sent.organizationId}`, 'Message Analytics')
  const columns = ['Opened', 'Started', 'Completed']
  expect(await cells(page, 'Launch', columns)).toEqual(['1 50%', '1 50%', '1 50%'])
  await expect(page.getByRole('link', { name: 'People: Launch, 2 of 2', exact: true })).toBeVisible()
  await expectSound(page)
  await page.getByRole('link', { name: 'Launch', exact: true }).click()
  await expect(page).toHaveURL(/\/transmissions\/[0-9a-f-]{36}$/)
})

test('Quiz Metrics says that there is nothing to count yet', async ({ page, sent }) => {
  await openReport(page, `quiz-metrics?period=12m&organization=${sent.organizationId}`, 'Quiz Metrics')
  await expect(page.getByText('No questions were answered in this period')).toBeVisible()
  await expectSound(page)
  await page.getByRole('link', { name: 'Go to content' }).click()
  await expect(page).toHaveURL(/\/content\?organization=[0-9a-f-]{36}$/)
})

test('the period and the organization stand in the address, and an empty report says what to do', async ({
  page,
  sent,
}) => {
  await openReport(page, `message-analytics?organization=${sent.organizationId}`, 'Message Analytics')
  await page.getByLabel('Period').selectOption('12m')
  await expect(page).toHaveURL(/period=12m/)
  await expect(page.getByRole('slider', { name: 'Sent per month' })).toBeVisible()
  await page.getByLabel('Period').selectOption('7d')
  await page.getByRole('button', { name: `Organization: ${sent.orgName}` }).click()
  await page.getByRole('button', { name: sent.quietName, exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Nothing was sent in this period' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('button', { name: `Organization: ${sent.quietName}` })).toBeVisible()
  await expectSound(page)
  await page.getByRole('button', { name: 'Show the last 12 months' }).click()
  await expect(page.getByRole('link', { name: 'Add a transmission' })).toBeVisible()
  // What was chosen goes along, until it is chosen otherwise.
  await page.getByRole('link', { name: 'Content', exact: true }).click()
  await expect(page).toHaveURL(/content\?organization=/)
  await expect(page.getByText('No videos yet')).toBeVisible()
  await page.getByRole('button', { name: `Organization: ${sent.quietName}` }).click()
  await page.getByRole('button', { name: 'All organizations', exact: true }).click()
  await expect(page).toHaveURL(/content$/)
  await page.getByRole('button', { name: 'Organization: All organizations' }).click()
  await page.getByRole('button', { name: sent.orgName, exact: true }).click()
  await expect(page.getByRole('list', { name: 'Videos' }).getByRole('listitem')).toHaveCount(1)
})

test('a figure says what it means and how it compares, and the plot is walked through by keyboard', async ({
  page,
  sent,
}) => {
  await openReport(page, `user-engagement?period=7d&organization=${sent.organizationId}`, 'User Engagement')
  const viewers = figure(page, 'Viewers')
  await expect(viewers).toContainText('None before')
  await expect(viewers.getByText('Different people who played')).toBeHidden()
  await viewers.locator('summary').click()
  await expect(viewers.getByText('Different people who played')).toBeVisible()
  const plot = page.getByRole('slider', { name: 'Time watched per day' })
  await plot.focus()
  await expect(plot).toHaveAttribute('aria-valuetext', /: 2 s; in the period before: 0 s\. Completed: 1$/)
  await plot.press('ArrowLeft')
  await expect(plot).toHaveAttribute('aria-valuetext', /: 0 s; in the period before: 0 s\. Completed: 0$/)
  // The same day is marked in every plot, and stays so on the way to another.
  const other = page.getByRole('slider', { name: 'Completed per day' })
  await expect(other).toHaveAttribute('aria-valuenow', '5')
  await expect(figure(page, 'Completed').getByText(/^\w+ \d+: 0 \(before: 0\)$/)).toBeVisible()
  await other.focus()
  await other.press('End')
  await expect(plot).toHaveAttribute('aria-valuenow', '6')
  await expect(figure(page, 'Time watched').getByText(/^\w+ \d+: 2 s \(before: 0 s\)$/)).toBeVisible()
  await page.getByText('Show the days as a table').click()
  const table = page.getByRole('region', { name: 'The figures of each day, as a table' }).getByRole('row')
  await expect(table).toHaveCount(8)
  await expect(table.first()).toHaveText(/^DayTime watchedTime watched beforeCompleted/)
  await expect(table.last()).toContainText('2 s')
  await expect(page.getByText(/^Complete to/).first()).toBeVisible()
  await expectSound(page)
})

test('what a picture says is shown to the focus and to the pointer, and put away with Escape', async ({
  page,
  sent,
}) => {
  await openReport(page, `user-engagement?period=7d&organization=${sent.organizationId}`, 'User Engagement')
  const watched = figure(page, 'Time watched')
  const hint = watched.getByText('Repeats counted', { exact: true })
  const reading = watched.getByText(/^\w+ \d+: 2 s \(before: 0 s\)$/)
  await page.getByRole('slider', { name: 'Time watched per day' }).focus()
  await expect(reading).toBeVisible()
  await expect(hint).toBeHidden()
  await page.keyboard.press('Escape')
  await expect(reading).toBeHidden()
  await expect(hint).toBeVisible()
  const bar = page.getByRole('table').getByRole('img').first()
  const words = page.locator('[popover=manual]')
  await bar.focus()
  await expect(words).toBeVisible()
  await expect(words).toHaveText(/^\d+%$/)
  await page.keyboard.press('Escape')
  await expect(words).toBeHidden()
  await bar.blur()
  await bar.hover()
  await expect(words).toBeVisible()
  await words.hover()
  await expect(words).toBeVisible()
  await page.getByRole('heading', { level: 1 }).hover()
  await expect(words).toBeHidden()
})

test('a trend on the page of an organization is walked over by keyboard, and a table says the same', async ({
  page,
  sent,
}) => {
  await page.goto(`/organizations/${sent.organizationId}/dashboard`)
  const trend = page.getByRole('slider', { name: 'Active people per day' })
  await trend.focus()
  await expect(trend).toHaveAttribute('aria-valuetext', /^\w+ \d+: 1$/)
  await trend.press('ArrowLeft')
  await expect(trend).toHaveAttribute('aria-valuetext', /^\w+ \d+: 0$/)
  await trend.press('Home')
  await expect(trend).toHaveAttribute('aria-valuenow', '0')
  await page.getByText('Show the days as a table').click()
  const table = page.getByRole('region', { name: 'The last 30 days, as a table' })
  await expect(table.getByRole('row')).toHaveCount(31)
  await expect(table.getByRole('columnheader').first()).toHaveText('Day')
  await expect(table.getByRole('row').last()).toContainText('1')
  expect(await axeFaults(page)).toEqual([])
})

test('where the device decides about colours, bars and lines are still there', async ({ page, sent }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await openReport(page, `user-engagement?period=7d&organization=${sent.organizationId}`, 'User Engagement')
  const bar = page.getByRole('slider', { name: 'Time watched per day' }).locator('rect').first()
  const fill = await bar.evaluate((one) => getComputedStyle(one).fill)
  const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  expect(fill).not.toBe(ground)
})

test('paper has who, when and what, is white in the dark, and nothing to press', async ({ page, sent }) => {
  await openReport(page, `user-engagement?period=90d&organization=${sent.organizationId}`, 'User Engagement')
  await wear(page, { theme: 'dark' })
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByText(/^Sendreel, \w+ \d.*, for /)).toBeVisible()
  await expect(page.getByLabel('Period')).toBeVisible()
  await expect(page.getByRole('slider', { name: 'Time watched per day' })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeHidden()
  await expect(page.getByText(`Organization: ${sent.orgName}`)).toBeVisible()
  await expect(page.locator('main').getByRole('button').filter({ visible: true })).toHaveCount(0)
  const ink = await page
    .getByRole('heading', { level: 1 })
    .evaluate((heading) => getComputedStyle(heading).color)
  expect(ink).toBe('rgb(0, 0, 0)')
})

test('what a report is narrowed to stands in the address, and leads to people and their evidence', async ({
  page,
  sent,
}) => {
  await openReport(page, `user-engagement?organization=${sent.organizationId}`, 'User Engagement')
  await question(page, 'Group').click()
  await page.getByRole('button', { name: 'Group: All groups' }).click()
  await page.getByRole('option', { name: /^Apollo/ }).click()
  await expect(page).toHaveURL(/group=[0-9a-f-]{36}/)
  await page.reload()
  await expect(chip(page, 'Group: Apollo')).toBeVisible()
  await expectSound(page)
  await page.getByRole('link', { name: 'People: A real video' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Account User Activity' })).toBeVisible()
  await expect(page).toHaveURL(/group=.*video=|video=.*group=/)
  await expect(names(page).first()).toHaveText('Margaret Hamilton')
  await expect(chip(page, 'Video: A real video')).toBeVisible()
  await page.locator('[data-tip="What Margaret Hamilton watched"]').click()
  await expect(page).toHaveURL(/\/users\/[0-9a-f-]{36}\/videos\/[0-9a-f-]{36}$/)
  await page.goBack()
  await page.getByRole('button', { name: 'Clear all' }).click()
  await expect(names(page)).toHaveCount(3)
})

test('days to choose, and a file with the same rows', async ({ page, sent }) => {
  await openReport(page, `account-user-activity?organization=${sent.organizationId}`, 'Account User Activity')
  await page.getByLabel('Period').selectOption('Days to choose')
  await page.getByLabel('First day').fill('2026-01-05')
  await page.getByLabel('Last day').fill('2026-01-06')
  await expect(page).toHaveURL(/from=2026-01-05&to=2026-01-06/)
  await expect(page.getByText('Jan 5, 2026 to Jan 6, 2026')).toBeVisible()
  await expect(figure(page, 'Active people')).toContainText(/^Active people\s*0\s*0% of 3 people/)
  // Of nothing there is no course to draw.
  await expect(page.getByRole('slider')).toHaveCount(0)
  await expectSound(page)
  await page.getByLabel('Period').selectOption('30d')
  await expect(page).not.toHaveURL(/from=/)
  await page.getByRole('searchbox', { name: 'Search people' }).fill('marg')
  await expect(names(page)).toHaveText(['Margaret Hamilton'])
  const download = page.waitForEvent('download')
  await listOption(page, 'Download')
  await page.getByRole('dialog', { name: 'Download' }).getByRole('button', { name: 'CSV' }).click()
  const saved = await download
  expect(saved.suggestedFilename()).toMatch(/^account-user-activity-.*\.csv$/)
  const lines = (await readFile(await saved.path(), 'utf8')).trim().split('\r\n')
  expect(lines).toHaveLength(2)
  const { items } = await sent.client.call(listUserActivity, {
    query: { organizationId: sent.organizationId, period: '30d', q: 'marg' },
  })
  const seconds = (items[0]?.watchedMs ?? 0) / 1_000
  expect(seconds).toBeGreaterThan(1.7)
  expect(lines[1]).toMatch(
    new RegExp(`^Margaret Hamilton,${sent.margaretsEmail},${sent.orgName},.*,1,1,1,${seconds}`),
  )
})

test('a groupadmin sees the members of their groups alone', async ({ shared: product, sent, open }) => {
  const { client, gusEmail } = sent
  const own = await open(await accept(product, client, { email: gusEmail, name: 'Gus Grissom' }))
  await openReport(own, 'account-user-activity', 'Account User Activity')
  await expect(names(own)).toHaveText(['Gus Grissom', 'Margaret Hamilton'])
  await expectSound(own)
  await openReport(own, 'user-engagement', 'User Engagement')
  await expect(row(own, 'A real video')).toBeVisible()
  await expectSound(own)
  await openReport(own, 'message-analytics', 'Message Analytics')
  expect(await cells(own, 'Launch', ['Opened'])).toEqual(['1 100%'])
  await expect(row(own, 'Launch')).toContainText('1 of 1')
  await expectSound(own)
  await openReport(own, 'quiz-metrics?period=12m', 'Quiz Metrics')
  await expect(own.getByRole('link', { name: 'Go to User Engagement' })).toBeVisible()
  await own.goto('/reports/account-activity')
  await expect(own).toHaveURL(/\/dashboard$/)
})
