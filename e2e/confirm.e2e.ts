import { expect, test, type Page } from '@playwright/test'
import { createAssignment, listObligations } from '#contract/assignments.ts'
import { createOrganization } from '#contract/organizations.ts'
import { createUser } from '#contract/users.ts'
import { firstSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross, rowAct, signedIn } from './console.ts'
import { openMailbox, type Mailbox } from './mailbox.ts'
import { startProduct, type Product } from './product.ts'
import { readyVideo } from './upload.ts'

const statement = 'I have read and understood the rules for the warehouse.'
const people = [
  { name: 'Zoë Ωmega', email: 'zoe@example.test' },
  { name: 'Max Plain', email: 'max@example.test' },
]

let product: Product
let mailbox: Mailbox
let client: Client
let orgId: string
let assignmentId: string

test.describe.configure({ mode: 'serial' })

test.beforeAll(async () => {
  test.setTimeout(300_000)
  mailbox = await openMailbox()
  product = await startProduct({ SMTP_URL: mailbox.url })
  client = await firstSuperadmin(product)
  orgId = (await client.call(createOrganization, { body: { name: 'Köhler & Söhne' } })).id
  for (const body of people) await client.call(createUser, { params: { orgId }, body })
  const to = { url: product.url, client, organizationId: orgId }
  const videoId = await readyVideo(to, { seconds: 4, width: 320 })
  const made = await client.call(createAssignment, {
    params: { orgId },
    body: {
      name: 'Warehouse',
      videoId,
      audience: { everyone: true },
      requirement: 'watched',
      statement,
      due: { kind: 'after', days: 10, working: false },
      validity: null,
      countsSince: null,
      reminders: { daysBefore: [3], onTheDay: true, daysAfter: [2], weekly: true, most: 5 },
      subject: 'Warehouse',
      message: 'It concerns everybody.',
      start: true,
    },
  })
  assignmentId = made.id
})

test.afterAll(async () => {
  await product.stop()
  await mailbox.close()
})

async function linkTo(address: string): Promise<string> {
  const found = () => mailbox.mails.findLast((one) => one.to === address && /\/w\/video\//.test(one.text))
  await expect.poll(() => found() !== undefined, { timeout: 60_000 }).toBe(true)
  const link = new URL(/https?:\/\/\S*\/w\/video\/\S+/.exec(found()?.text ?? '')?.[0] ?? '')
  return `${product.url}${link.pathname}${link.search}`
}

const stateOf = async (name: string) =>
  (await client.call(listObligations, { params: { orgId, assignmentId } })).items.find(
    ({ user }) => user.name === name,
  )?.state

const asked = (page: Page) => page.getByRole('region', { name: 'Please confirm' })
const confirming = (page: Page) => asked(page).getByRole('button', { name: 'I confirm this' })

async function watch(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Play:/ }).click()
  await page.waitForFunction(() => document.querySelector('video')?.ended, undefined, { timeout: 30_000 })
}

test('once the video is watched, its sentence is confirmed with the keyboard', async ({ page }) => {
  test.setTimeout(120_000)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(await linkTo('zoe@example.test'))
  await expect(asked(page)).toContainText(statement)
  await expect(asked(page)).toContainText('You can confirm this here as soon as the rest is done.')
  await expect(confirming(page)).toBeHidden()
  await watch(page)
  await expect(confirming(page)).toBeVisible({ timeout: 20_000 })
  const receipt = page.getByRole('region', { name: 'What you have seen' })
  await expect(receipt).toContainText('Please confirm the sentence below.')
  await fitsAcross(page)
  expect(await axeFaults(page)).toEqual([])
  expect(await stateOf('Zoë Ωmega')).toBe('unconfirmed')
  await confirming(page).focus()
  await page.keyboard.press('Enter')
  await expect(asked(page)).toContainText('You confirmed this on ')
  await expect(confirming(page)).toHaveCount(0)
  expect(await axeFaults(page)).toEqual([])
  expect(await stateOf('Zoë Ωmega')).toBe('done')
})

test('no script is needed to confirm', async ({ page, browser }) => {
  test.setTimeout(120_000)
  const link = await linkTo('max@example.test')
  await page.goto(link)
  await watch(page)
  await expect(confirming(page)).toBeVisible({ timeout: 20_000 })
  const plain = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
  await plain.goto(`${link}&language=de`)
  await expect(plain.getByRole('region', { name: 'Bitte bestätigen Sie' })).toContainText(statement)
  await plain.getByRole('button', { name: 'Das bestätige ich' }).click()
  await expect(plain.getByRole('main')).toContainText('Das haben Sie am ')
  await plain.context().close()
  expect(await stateOf('Max Plain')).toBe('done')
})

test('the console says what is to be confirmed, and how it was', async ({ browser }) => {
  const page = await signedIn(browser, product, client)
  await page.goto(`${product.url}/assignments/${orgId}/${assignmentId}`)
  await expect(page.getByRole('main')).toContainText(statement)
  await rowAct(page, 'Zoë Ωmega', 'History')
  const times = page.getByRole('dialog').getByRole('list', { name: 'Times' })
  await expect(times).toContainText('version 1 of the video, by the link of “Warehouse”')
  await expect(times).toContainText(`“${statement}”`)
  expect(await axeFaults(page)).toEqual([])
  await page.context().close()
})
