import { expect } from '@playwright/test'
import { listTransmissions } from '#contract/transmissions/transmissions.ts'
import { fillTraining } from '#server/testing/training.ts'
import { newOrganization } from './client.ts'
import { axeFaults } from './console.ts'
import { openDatabase } from './database.ts'
import { onProductOf } from './shared.ts'

/** On an installation of its own, all of whose sending is held. */
const test = onProductOf()

test('a superadmin says what happened, what was open is marked, and the uncertain mails are settled together', async ({
  shared: product,
  open,
}) => {
  const { client, orgId: organizationId } = await newOrganization(product, 'Tailspin Toys')
  const productDatabase = await openDatabase(product)
  const fill = (text: string, values?: unknown[]) => productDatabase.query(text, values)
  await fillTraining(fill, { organizationId, people: 8, videos: 1 })
  // As it is where some of the mails had not left when the backup was made.
  await productDatabase.query(`update sending_guard set held_at = now(), signs = '{copied}'`)
  await productDatabase.query(`update transmissions set state = 'sending'`)
  await productDatabase.query(`update deliveries set state = 'queued', accepted_at = null`)
  await productDatabase.close()
  const [sent] = (await client.call(listTransmissions)).items
  const page = await open(client)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const dialog = page.getByRole('dialog')

  await page.goto('/dashboard')
  await expect(page.getByText('Sending is held: this installation may be a copy')).toBeVisible()
  await page.getByRole('link', { name: 'Say what happened' }).click()
  await expect(page.getByRole('heading', { name: /^Sending is held since/ })).toBeVisible()
  await expect(page.getByText('The folder of data is not the one that this database knows')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await press('It was restored or copied')
  await dialog.getByRole('button', { name: 'Mark them as uncertain' }).click()
  await expect(page.getByRole('heading', { name: 'Nothing is held' })).toBeVisible({ timeout: 60_000 })

  await page.goto(`/transmissions/${sent?.id}`)
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
  await expect(dialog).toContainText('nothing is sent again')
  await dialog.getByRole('button', { name: `Treat ${count} mails as failed` }).click()
  await expect(page.getByText(`${count} mails now count as failed.`)).toBeVisible()
  await expect(bar).toHaveCount(0)
  await expect(page.getByText('No recipient matches')).toBeVisible()
})
