import { expect, test, type Page } from '@playwright/test'
import { createOrganization } from '#contract/directory/organizations.ts'
import { listTransmissions } from '#contract/transmissions/transmissions.ts'
import { fillTraining } from '#server/testing/training.ts'
import { firstSuperadmin } from './client.ts'
import { axeFaults, signedIn } from './console.ts'
import { openDatabase } from './database.ts'
import { startProduct, type Product } from './product.ts'

/** What a superadmin does with an installation that holds sending, up to the last uncertain mail. */
let product: Product
let page: Page
let transmissionId: string

test.beforeAll(async ({ browser }) => {
  product = await startProduct()
  const client = await firstSuperadmin(product)
  const { id: organizationId } = await client.call(createOrganization, { body: { name: 'Tailspin Toys' } })
  const productDatabase = await openDatabase(product)
  const fill = (text: string, values?: unknown[]) => productDatabase.query(text, values)
  await fillTraining(fill, { organizationId, people: 8, videos: 1 })
  // As it is where some of the mails had not left when the backup was made.
  await productDatabase.query(`update sending_guard set held_at = now(), signs = '{copied}'`)
  await productDatabase.query(`update transmissions set state = 'sending'`)
  await productDatabase.query(`update deliveries set state = 'queued', accepted_at = null`)
  await productDatabase.close()
  const { items } = await client.call(listTransmissions)
  transmissionId = items[0]?.id ?? ''
  page = await signedIn(browser, product, client)
})
test.afterAll(async () => {
  await page.context().close()
  await product.stop()
})

const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
const dialog = () => page.getByRole('dialog')

test('it asks what happened, marks what was open, and the uncertain mails are settled together', async () => {
  await page.goto(`${product.url}/dashboard`)
  await expect(page.getByText('Sending is held: this installation may be a copy')).toBeVisible()
  await page.getByRole('link', { name: 'Say what happened' }).click()
  await expect(page.getByRole('heading', { name: /^Sending is held since/ })).toBeVisible()
  await expect(page.getByText('The folder of data is not the one that this database knows')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await press('It was restored or copied')
  await dialog().getByRole('button', { name: 'Mark them as uncertain' }).click()
  await expect(page.getByRole('heading', { name: 'Nothing is held' })).toBeVisible({ timeout: 60_000 })

  await page.goto(`${product.url}/transmissions/${transmissionId}`)
  await page.getByRole('link', { name: /^Show (it|them) and decide$|^and decide$/ }).click()
  await expect(page).toHaveURL(/state=unknown/)
  const rows = page.getByRole('table', { name: /^Recipients/ }).getByRole('rowheader')
  await expect(rows.first()).toBeVisible()
  await expect(page.locator('[data-stale]')).toHaveCount(0)
  const count = await rows.count()
  expect(count).toBeGreaterThan(1)
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
  const bar = page.getByRole('region', { name: 'Selection' })
  await expect(bar).toContainText(`${count} selected`)
  expect(await axeFaults(page)).toEqual([])
  await bar.getByRole('button', { name: 'Treat as failed' }).click()
  await expect(dialog()).toContainText('nothing is sent again')
  await dialog()
    .getByRole('button', { name: `Treat ${count} mails as failed` })
    .click()
  await expect(page.getByText(`${count} mails now count as failed.`)).toBeVisible()
  await expect(bar).toHaveCount(0)
  await expect(page.getByText('No recipient matches')).toBeVisible()
})
