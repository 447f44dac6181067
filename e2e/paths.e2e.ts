import { expect, test, type Page } from '@playwright/test'
import { createOrganization } from '#contract/organizations.ts'
import { createUser } from '#contract/users.ts'
import { updateVideo } from '#contract/videos.ts'
import { firstSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross, pressMore, signedIn } from './console.ts'
import { openMailbox, type Mailbox } from './mailbox.ts'
import { startProduct, type Product } from './product.ts'
import { readyVideo } from './upload.ts'

let product: Product
let mailbox: Mailbox
let client: Client
let page: Page
let orgId: string

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser }) => {
  test.setTimeout(300_000)
  mailbox = await openMailbox()
  product = await startProduct({ SMTP_URL: mailbox.url })
  client = await firstSuperadmin(product)
  orgId = (await client.call(createOrganization, { body: { name: 'Step by Step Ltd' } })).id
  for (const name of ['Ada Lovelace', 'Grace Hopper'])
    await client.call(createUser, {
      params: { orgId },
      body: { name, email: `${name.split(' ')[0]}@steps.example`.toLowerCase() },
    })
  const to = { url: product.url, client, organizationId: orgId }
  for (const title of ['First aid', 'Fire safety', 'Ladders']) {
    const videoId = await readyVideo(to, { seconds: 3, width: 320 })
    await client.call(updateVideo, { params: { videoId }, body: { title } })
  }
  page = await signedIn(browser, product, client)
})

test.afterAll(async () => {
  await page.context().close()
  await product.stop()
  await mailbox.close()
})

const main = () => page.getByRole('main')
const button = (name: string) => main().getByRole('button', { name, exact: true })
async function press(name: string): Promise<void> {
  await button(name).focus()
  await page.keyboard.press('Enter')
}
const group = (name: string) => main().getByRole('group', { name, exact: true })
const choose = async (video: string, title: string) => {
  await group(video)
    .getByRole('button', { name: new RegExp(`^${title}`) })
    .focus()
  await page.keyboard.press('Enter')
}
const unfold = (title: string) => main().locator('summary').filter({ hasText: title }).click()
const assign = async () => {
  await press('Assign')
  await page.getByRole('dialog').getByRole('button', { name: 'Assign', exact: true }).click()
}
const steps = () => page.getByRole('region', { name: 'Path' }).getByRole('listitem')
const mailsTo = (address: string, subject: string) =>
  mailbox.mails.filter((one) => one.to === address && one.text.includes(subject))

test('several videos are put after each other with the keyboard alone', async () => {
  test.setTimeout(120_000)
  await page.goto(`${product.url}/assignments/create`)
  await page.getByRole('combobox', { name: 'Organization', exact: true }).fill('Step by')
  await page.getByRole('option', { name: 'Step by Step Ltd' }).click()
  await unfold('More')
  await page.getByRole('textbox', { name: 'Name optional', exact: true }).fill('Fire safety, every year')
  await choose('Video', 'Fire safety')
  await press('Add a further video')
  await press('Assign')
  await expect(page.locator('[data-error-summary]')).toContainText('Please choose a video.')
  await choose('Video 2', 'Ladders')
  await press('Add a further video')
  await choose('Video 3', 'First aid')
  await expect(button('Move “First aid” down')).toHaveAttribute('aria-disabled', 'true')
  await press('Move “First aid” up')
  await expect(button('Move “First aid” up')).toBeFocused()
  await expect(page.getByRole('textbox', { name: 'Name of video 2' })).toHaveValue('First aid')
  await press('Remove “Ladders”')
  await expect(button('Add a further video')).toBeFocused()
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
  await expect(main()).toContainText('2 people have to see it.')
  await assign()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Fire safety, every year')
  await expect(steps()).toHaveCount(2)
  await expect(steps().first().locator('[aria-current]')).toHaveText('Fire safety, every year')
  await expect(steps().first()).toContainText('2 Assigned', { timeout: 30_000 })
  await expect(steps().last()).toContainText('Nobody has started yet.')
  expect(await axeFaults(page)).toEqual([])
})

test('whoever has done the first one is asked for the second, and nobody else', async ({ browser }) => {
  test.setTimeout(240_000)
  const found = () => mailbox.mails.find((one) => one.to === 'ada@steps.example')
  await expect.poll(() => found() !== undefined, { timeout: 60_000 }).toBe(true)
  const link = new URL(/https?:\/\/\S*\/w\/video\/\S+/.exec(found()?.text ?? '')?.[0] ?? '')
  const reader = await (await browser.newContext()).newPage()
  await reader.goto(`${product.url}${link.pathname}${link.search}`)
  await reader.getByRole('button', { name: /^Play:/ }).click()
  await reader.waitForFunction(() => document.querySelector('video')?.ended, undefined, { timeout: 30_000 })
  await reader.context().close()
  await expect(steps().first()).toContainText('1 Completed', { timeout: 60_000 })
  await steps().last().getByRole('link', { name: 'First aid' }).click()
  await expect(steps().last()).toContainText('1 Assigned', { timeout: 90_000 })
  await expect(steps().last()).toContainText(
    '1 person has not started: they have yet to complete “Fire safety, every year”.',
  )
  await expect(page.getByRole('row', { name: /Ada Lovelace/ })).toBeVisible()
  await expect.poll(() => mailsTo('ada@steps.example', 'First aid').length, { timeout: 60_000 }).toBe(1)
  expect(mailsTo('grace@steps.example', 'First aid')).toHaveLength(0)
  expect(await axeFaults(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  await page.setViewportSize({ width: 1280, height: 800 })
})

test('the next video takes people and terms over, and says who begins when', async () => {
  test.setTimeout(120_000)
  await pressMore(page, 'Add the next video')
  await expect(
    page.getByRole('radio', { name: 'Once people have completed another assignment' }),
  ).toBeChecked()
  await expect(page.getByRole('combobox', { name: 'Which one' })).toHaveValue('First aid')
  await unfold('More')
  await page.getByRole('textbox', { name: 'Name optional', exact: true }).fill('Ladders')
  await choose('Video', 'Ladders')
  await expect(main()).toContainText('2 people: 0 begin now, 2 once they have completed “First aid”.')
  expect(await axeFaults(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  await page.setViewportSize({ width: 1280, height: 800 })
  await assign()
  await expect(steps()).toHaveCount(3)
  await expect(main()).toContainText('Once people have completed “First aid”')
  await steps().nth(1).getByRole('link', { name: 'First aid' }).click()
  await pressMore(page, 'End')
  await expect(page.getByRole('dialog')).toContainText('“Ladders” waits for it')
  await page.getByRole('dialog').getByRole('button', { name: 'Keep it' }).click()
  await page.goto(`${product.url}/assignments?organization=${orgId}`)
  await expect(page.getByRole('row', { name: /Ladders/ })).toContainText('after First aid')
  expect(await axeFaults(page)).toEqual([])
})

test('a path that was saved as a draft is started with one press', async () => {
  test.setTimeout(120_000)
  await page.goto(`${product.url}/assignments/create`)
  await page.getByRole('combobox', { name: 'Organization', exact: true }).fill('Step by')
  await page.getByRole('option', { name: 'Step by Step Ltd' }).click()
  await unfold('More')
  await page.getByRole('textbox', { name: 'Name optional', exact: true }).fill('For newcomers')
  await choose('Video', 'Fire safety')
  await press('Add a further video')
  await choose('Video 2', 'Ladders')
  await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
  await expect(main()).toContainText('2 people have to see it.')
  await press('Save as draft')
  await expect(steps().last()).toContainText('Nobody begins before it is started.')
  await expect(button('Start this one')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  await page.setViewportSize({ width: 1280, height: 800 })
  await press('Start all steps')
  await expect(page.getByRole('dialog')).toContainText('Start “Fire safety” to 2 people?')
  await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click()
  await expect(steps().first()).toContainText('Active')
  await expect(steps().last()).toContainText('Active')
  await expect(button('Start all steps')).toHaveCount(0)
})
