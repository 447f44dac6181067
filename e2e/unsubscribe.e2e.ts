import { expect, test } from '@playwright/test'
import { createOrganization } from '#contract/organizations.ts'
import { createTransmission } from '#contract/transmissions.ts'
import { createUser } from '#contract/users.ts'
import { firstSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross, signedIn } from './console.ts'
import { openMailbox, type Mailbox } from './mailbox.ts'
import { startProduct, type Product } from './product.ts'
import { readyVideo } from './upload.ts'

let product: Product
let mailbox: Mailbox
let client: Client
let orgId: string
let address: string

test.describe.configure({ mode: 'serial' })

test.beforeAll(async () => {
  test.setTimeout(300_000)
  mailbox = await openMailbox()
  product = await startProduct({ SMTP_URL: mailbox.url })
  client = await firstSuperadmin(product)
  orgId = (await client.call(createOrganization, { body: { name: 'Quiet Ltd' } })).id
  const { id: userId } = await client.call(createUser, {
    params: { orgId },
    body: { name: 'Ada Lovelace', email: 'ada@quiet.example' },
  })
  const videoId = await readyVideo(
    { url: product.url, client, organizationId: orgId },
    { seconds: 3, width: 320 },
  )
  await client.call(createTransmission, { body: { body: 'Hello', videoId, userId, accountId: orgId } })
  const mail = await mailbox.to('ada@quiet.example')
  const found = new URL(/https?:\/\/\S*\/w\/unsubscribe\S+/.exec(mail.text)?.[0] ?? '')
  address = `${product.url}${found.pathname}${found.search}`
})

test.afterAll(async () => {
  await product.stop()
  await mailbox.close()
})

test('a reader is asked, unsubscribes and comes back with the keyboard alone', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(address)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Messages of Quiet Ltd')
  await expect(page.getByRole('status')).toHaveCount(0)
  expect(await axeFaults(page)).toEqual([])
  await fitsAcross(page)
  await page.getByRole('button', { name: 'Unsubscribe' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('status')).toContainText('You have unsubscribed from messages of Quiet Ltd.')
  expect(await axeFaults(page)).toEqual([])
  await page.reload()
  await expect(page.getByRole('status')).toContainText('You have unsubscribed from messages of Quiet Ltd.')
  await page.getByRole('button', { name: 'Get them again' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('status')).toHaveText('You get the messages of Quiet Ltd again.')
  await page.getByRole('button', { name: 'Unsubscribe' }).click()
})

test('the console says so', async ({ browser }) => {
  const page = await signedIn(browser, product, client)
  await page.goto(`${product.url}/transmissions/barred-addresses?organization=${orgId}`)
  const row = page.getByRole('row', { name: /ada@quiet\.example/ })
  await expect(row.getByText('Unsubscribed')).toHaveAccessibleDescription(
    'Its reader unsubscribed. What they owe is sent all the same.',
  )
  await page.context().close()
})
