import { expect, type Page } from '@playwright/test'
import { createOrganization } from '#contract/organizations.ts'
import { createUser } from '#contract/users.ts'
import { newSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross, signedIn } from './console.ts'
import { test } from './shared.ts'
import { readyVideo } from './upload.ts'

let client: Client
let page: Page
let organizationId: string

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser, shared }) => {
  client = await newSuperadmin(shared)
  const made = await client.call(createOrganization, { body: { name: 'Semaphore Ltd' } })
  organizationId = made.id
  await client.call(createUser, {
    params: { orgId: organizationId },
    body: { name: 'Ada Lovelace', email: 'ada@semaphore.example' },
  })
  await readyVideo({ url: shared.url, client, organizationId }, { seconds: 2, width: 320 })
  page = await signedIn(browser, shared, client)
})
test.afterAll(() => page.context().close())

const card = () => page.getByRole('region', { name: 'SMS and chat' })
const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
const agree = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click()

test('an address for SMS and chat is named, its secret is told once, and a test says what came back', async ({
  shared,
}) => {
  await page.goto(`${shared.url}/organizations/${organizationId}/edit`)
  const address = card().getByLabel('Address that messages are posted to')
  await address.fill('https://127.0.0.1/')
  await press('Save the address')
  await expect(card()).toContainText('This address is not one of the internet')
  await address.fill('https://hooks.semaphore.invalid/in')
  await press('Save the address')
  await expect(card().locator('code')).toHaveText(/^whsec_/)
  const secret = (await card().locator('code').textContent()) ?? ''
  expect(await axeFaults(page)).toEqual([])
  await press('Send a test')
  await expect(card()).toContainText('There is no such name, or the DNS does not answer.')
  await press('I have kept it')
  await page.reload()
  await expect(card()).toContainText('https://hooks.semaphore.invalid/in')
  await expect(page.getByText(secret)).toHaveCount(0)
  await press('Replace the secret')
  await agree('Replace the secret')
  await expect(card().locator('code')).toHaveText(/^whsec_/)
  await expect(card()).toContainText('messages are signed with the secret before as well')
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  await page.setViewportSize({ width: 1280, height: 800 })
})

test('where there is one, the composer asks how it reaches people', async ({ shared }) => {
  await page.goto(`${shared.url}/transmissions/create`)
  await page.getByRole('combobox', { name: 'Organization', exact: true }).fill('Semaph')
  await page.getByRole('option', { name: 'Semaphore Ltd' }).click()
  await page.getByRole('button', { name: 'A real video' }).click()
  await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
  await page.getByRole('radio', { name: 'By SMS or chat' }).check()
  await page.getByRole('textbox', { name: 'Message' }).fill('Please watch this.')
  await expect(page.getByText('1 person gets it')).toBeVisible()
  await expect(page.getByText(/^Saved/)).toBeVisible()
  await page.reload()
  await expect(page.getByRole('radio', { name: 'By SMS or chat' })).toBeChecked()
  expect(await axeFaults(page)).toEqual([])
  await press('Send to 1 person')
  await expect(page.getByRole('dialog')).toContainText('posted to the address')
  await agree('Send to 1 person')
  await expect(page.getByRole('main')).toContainText(', by SMS or chat')
})

test('without one everything goes by mail again', async ({ shared }) => {
  await page.goto(`${shared.url}/organizations/${organizationId}/edit`)
  await press('Remove the address')
  await agree('Remove the address')
  await expect(card()).toContainText('Name an address of your SMS or chat provider')
})
