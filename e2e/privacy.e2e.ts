import { readFile } from 'node:fs/promises'
import { expect, type Page } from '@playwright/test'
import { createOrganization, readOrganization } from '#contract/organizations.ts'
import { createUser } from '#contract/users.ts'
import { newSuperadmin, type Client } from './client.ts'
import { axeFaults, listOption, signedIn } from './console.ts'
import type { Product } from './product.ts'
import { test } from './shared.ts'

let product: Product
let client: Client
let page: Page
let orgId: string
let rita: string

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser, shared }) => {
  product = shared
  client = await newSuperadmin(product)
  orgId = (await client.call(createOrganization, { body: { name: 'Privacy Toys' } })).id
  const body = { name: 'Rita Recipient', email: 'rita@privacy.example' }
  rita = (await client.call(createUser, { params: { orgId }, body })).id
  page = await signedIn(browser, product, client)
})
test.afterAll(async () => {
  await page.context().close()
})

const policies = async () => (await client.call(readOrganization, { params: { orgId } })).policies

test('recording only completions is asked about before it is saved, with what is lost for ever', async () => {
  await page.goto(`${product.url}/organizations/${orgId}/edit`)
  const completions = page.getByRole('radio', { name: 'Only who completed a video, and on which day' })
  const dialog = page.getByRole('dialog', { name: 'Record only completions?' })
  await completions.click()
  await expect(dialog).toContainText('Lost for ever')
  expect(await axeFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Keep recording parts' }).click()
  await expect(completions).not.toBeChecked()
  await completions.click()
  await dialog.getByRole('button', { name: 'Record only completions' }).click()
  await expect(completions).toBeChecked()
  await page.getByRole('textbox', { name: 'Smallest group' }).fill('7')
  await page
    .getByRole('textbox', { name: 'Text for viewers' })
    .fill('We keep little.\nAsk the works council.')
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect(page).toHaveURL(/dashboard/)
  expect(await policies()).toMatchObject({
    trackingMode: 'completed_only',
    smallestGroup: 7,
    consentText: 'We keep little.\nAsk the works council.',
  })
})

test('whoever goes back to recording parts reads from when on', async () => {
  await page.goto(`${product.url}/organizations/${orgId}/edit`)
  await page.getByRole('radio', { name: 'Which parts were watched, and when' }).click()
  await expect(page.getByText('stays hidden and is deleted')).toBeVisible()
  await expect(page.getByText('Nothing has been watched yet, so there is nothing to delete.')).toBeVisible()
})

test('everything that is kept about a person is one file, and its evidence can be erased with them', async () => {
  page.on('dialog', (leave) => void leave.accept())
  await page.goto(`${product.url}/organizations/${orgId}/users/${rita}?tab=data`)
  const file = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download the file' }).click()
  const data = JSON.parse(await readFile(await (await file).path(), 'utf8')) as { profile: object[] }
  expect(data.profile).toMatchObject([{ name: 'Rita Recipient' }])
  const erase = page.getByRole('region', { name: 'Erase viewing evidence' })
  await expect(erase).toContainText('No viewing of Rita Recipient is kept.')
  await expect(erase.getByRole('button', { name: 'Erase now' })).toBeDisabled()
  expect(await axeFaults(page)).toEqual([])
  await erase.getByRole('button', { name: 'Erase with the person' }).click()
  const dialog = page.getByRole('dialog', { name: 'Erase it when Rita Recipient is erased?' })
  await expect(dialog).toContainText('this cannot be undone')
  await dialog.getByRole('button', { name: 'Erase with the person' }).click()
  await expect(erase).toContainText('erased for good together with Rita Recipient')
  await erase.getByRole('button', { name: 'Keep it under a pseudonym' }).click()
  await expect(erase).toContainText('it stays under a pseudonym')
})

test('raw evidence leaves as a file, with the script that checks its figures', async () => {
  await page.goto(`${product.url}/reports/user-engagement?organization=${orgId}`)
  await listOption(page, 'Export evidence')
  const dialog = page.getByRole('dialog', { name: 'Export viewing evidence' })
  await expect(dialog.getByRole('link', { name: 'this script' })).toHaveAttribute('href', '/recompute.mjs')
  expect((await fetch(`${product.url}/recompute.mjs`)).status).toBe(200)
  expect(await axeFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Export' }).click()
  await expect(dialog.getByRole('alert')).toContainText('records only who completed a video')
})
