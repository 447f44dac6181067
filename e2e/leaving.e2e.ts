import { expect, test, type Page } from '@playwright/test'
import { createOrganization } from '#contract/organizations.ts'
import { createUser } from '#contract/users.ts'
import { firstSuperadmin, type Client } from './client.ts'
import { axeFaults, signedIn } from './console.ts'
import { startProduct, type Product } from './product.ts'
import { readyVideo } from './upload.ts'

let product: Product
let client: Client
let page: Page

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser }) => {
  product = await startProduct({ UNDO_SECONDS: '600' })
  client = await firstSuperadmin(product)
  const { id: organizationId } = await client.call(createOrganization, {
    body: { name: 'Punctual Ltd', timeZone: 'Europe/Berlin' },
  })
  for (const name of ['Ada Lovelace', 'Grace Hopper'])
    await client.call(createUser, {
      params: { orgId: organizationId },
      body: { name, email: `${name.split(' ')[0]}@punctual.example`.toLowerCase() },
    })
  await readyVideo({ url: product.url, client, organizationId }, { seconds: 2, width: 320 })
  page = await signedIn(browser, product, client)
})
test.afterAll(async () => {
  await page.context().close()
  await product.stop()
})

async function write(): Promise<void> {
  await page.goto(`${product.url}/transmissions/create`)
  await page.getByRole('combobox', { name: 'Organization', exact: true }).fill('Punct')
  await page.getByRole('option', { name: 'Punctual Ltd' }).click()
  await page.getByRole('button', { name: 'A real video' }).click()
  await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
  await page.getByRole('textbox', { name: 'Message' }).fill('Please watch this.')
  await expect(page.getByText('2 people get it')).toBeVisible()
}
const main = () => page.getByRole('main')
const press = (name: string) => main().getByRole('button', { name, exact: true }).click()
const agree = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click()

test('what was sent counts down, is taken back, and is a draft with everything in it', async () => {
  await write()
  await press('Send to 2 people')
  await expect(page.getByRole('dialog')).toContainText('in the outbox')
  await agree('Send to 2 people')
  await expect(main()).toContainText(/Leaves in \d:\d\d\. Until then it can be taken back\./)
  expect(await axeFaults(page)).toEqual([])
  await press('Undo')
  await expect(page.getByRole('heading', { level: 1, name: /^Edit / })).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('Please watch this.')
})

test('it is scheduled for an hour where the organization is, and sent sooner when somebody wants that', async () => {
  await page.getByRole('radio', { name: 'Later' }).check()
  await press('Schedule for 2 people')
  await expect(page.locator('[data-error-summary]')).toContainText('Please choose a day and a time.')
  const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)
  await page.getByLabel('Day', { exact: true }).fill(day)
  await expect(page.getByText('The clock is that of Central European Time (Berlin).')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await press('Schedule for 2 people')
  await agree('Schedule for 2 people')
  await expect(main()).toContainText(
    /Leaves on .+9:00\sAM, Central European Time \(Berlin\)\. Until then nothing is sent\./,
  )
  await expect(main()).toContainText('2 people get it')
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await axeFaults(page)).toEqual([])
  await page.goto(`${product.url}/transmissions`)
  await expect(page.getByRole('row', { name: /A real video/ })).toContainText('Scheduled')
  await page.setViewportSize({ width: 1366, height: 800 })
  await page.goBack()
  await press('Send now')
  await expect(page.locator('[data-sending=completed]')).toBeVisible()
})
