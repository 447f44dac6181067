import { expect, test, type Page } from '@playwright/test'
import { createOrganization, listOrganizations, readOrganization } from '#contract/organizations.ts'
import { createUser } from '#contract/users.ts'
import { listTransmissions } from '#contract/transmissions.ts'
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
  const { id: organizationId } = await client.call(createOrganization, { body: { name: 'Careful Ltd' } })
  // An only organization would be chosen by itself, sooner or later than the composer is there.
  await client.call(createOrganization, { body: { name: 'Another Ltd' } })
  await client.call(createUser, {
    params: { orgId: organizationId },
    body: { name: 'Ada Lovelace', email: 'ada@careful.example' },
  })
  await readyVideo({ url: product.url, client, organizationId }, { seconds: 2, width: 320 })
  page = await signedIn(browser, product, client)
})
test.afterAll(async () => {
  await page.context().close()
  await product.stop()
})

const drafts = async () => (await client.call(listTransmissions, { query: { state: 'draft' } })).items
const message = (on = page) => on.getByRole('textbox', { name: 'Message' })
const saved = (on = page) => on.getByText(/^Saved \d/)

test('what belongs to no organization yet is not saved, which it says, and the tab asks before it closes', async () => {
  await page.goto(`${product.url}/transmissions/create`)
  await message().fill('Please watch')
  await expect(page.getByText('Not saved yet: choose an organization')).toBeVisible()
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.accept()
  })
  await page.reload()
  expect(asked).toEqual(['beforeunload'])
  page.removeAllListeners('dialog')
})

test('what is written is saved by itself, without a video, and goes on after a reload', async () => {
  await page.goto(`${product.url}/transmissions/create`)
  await page.getByRole('combobox', { name: 'Organization', exact: true }).fill('Careful')
  await page.getByRole('option', { name: 'Careful Ltd' }).click()
  expect(await drafts()).toEqual([])
  await message().fill('')
  await message().pressSequentially('Please watch', { delay: 20 })
  await expect(saved()).toBeVisible()
  await expect(message()).toBeFocused()
  await message().pressSequentially(' this.', { delay: 20 })
  await expect.poll(async () => (await drafts()).map(({ body }) => body)).toEqual(['Please watch this.'])
  expect(await axeFaults(page)).toEqual([])
  await page.reload()
  await expect(page.getByRole('heading', { level: 1, name: 'Edit “Draft without a subject”' })).toBeVisible()
  await expect(message()).toHaveValue('Please watch this.')
})

test('a page that is left at once loses nothing', async () => {
  await message().fill('Left at once')
  await page.getByRole('link', { name: 'Close' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Draft without a subject' })).toBeVisible()
  await expect.poll(async () => (await drafts()).map(({ body }) => body)).toEqual(['Left at once'])
  await page.getByRole('link', { name: 'Edit', exact: true }).click()
  await expect(message()).toHaveValue('Left at once')
})

test('a second window is told, and overwrites nothing', async () => {
  const second = await page.context().newPage()
  await second.goto(page.url())
  await message(second).fill('Of the second window')
  await expect(saved(second)).toBeVisible()
  await second.close()
  await message().fill('Of the first window')
  await expect(page.getByRole('alert')).toContainText('was changed or sent in another window')
  expect((await drafts()).map(({ body }) => body)).toEqual(['Of the second window'])
  await page.getByRole('button', { name: 'Keep mine as another draft' }).click()
  await expect(saved()).toBeVisible()
  const both = (await drafts()).map(({ body }) => body)
  expect(both.toSorted()).toEqual(['Of the first window', 'Of the second window'])
})

test('without a network it says so, and saves when that is back', async () => {
  await page.context().setOffline(true)
  await message().fill('Written on a train')
  await expect(page.getByText('Not saved: the server cannot be reached.')).toBeVisible()
  await page.context().setOffline(false)
  await expect(saved()).toBeVisible()
  expect((await drafts()).map(({ body }) => body)).toContain('Written on a train')
})

test('it is completed and sent, and another one discarded', async () => {
  await page.getByRole('button', { name: 'A real video' }).click()
  await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
  await page.getByRole('main').getByRole('button', { name: 'Send to 1 person' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send to 1 person' }).click()
  await expect(page.locator('[data-sending=scheduled]')).toBeVisible()
  const [left] = await drafts()
  expect(left?.body).toBe('Of the second window')
  await page.goto(`${product.url}/transmissions/${left?.id ?? ''}/edit`)
  await page.getByRole('button', { name: 'Discard draft' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard draft' }).click()
  await expect(page.getByText('Discarded. Nothing was sent.')).toBeVisible()
  expect(await drafts()).toEqual([])
})

test('outside the hours of the organization it waits, says until when, and leaves when somebody wants that', async () => {
  const { items } = await client.call(listOrganizations)
  const orgId = items.find(({ name }) => name === 'Careful Ltd')?.id ?? ''
  await page.goto(`${product.url}/organizations/${orgId}/edit`)
  await page.getByRole('checkbox', { name: 'Only on these days, within these hours' }).check()
  const ahead = new Date(Date.now() + 3 * 86_400_000)
  const chosen = ahead.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' })
  for (const day of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'])
    await page.getByRole('checkbox', { name: day }).setChecked(day === chosen)
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Save changes', exact: true }).click()
  await expect
    .poll(async () => (await client.call(readOrganization, { params: { orgId } })).policies.sendWindow?.from)
    .toBe('08:00')
  await page.goto(`${product.url}/transmissions`)
  await page
    .getByRole('link', { name: /A real video|video/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'Send now' }).click()
  await expect(page.getByText('Nothing leaves outside the hours of your organization.')).toBeVisible()
  await page.getByRole('button', { name: 'Send outside the hours' }).click()
  const agree = page.getByRole('dialog').getByRole('button', { name: 'Send outside the hours' })
  await expect(agree).toBeDisabled()
  await page.getByRole('checkbox', { name: 'I know that it is outside the hours' }).check()
  await agree.click()
  await expect(page.locator('[data-sending=completed]')).toBeVisible()
})
