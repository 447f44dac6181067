import { expect, type Page } from '@playwright/test'
import { listOrganizations, createOrganization } from '#contract/organizations.ts'
import { createUser } from '#contract/users.ts'
import { accept, newSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross, signedIn, wcag, wear } from './console.ts'
import type { Product } from './product.ts'
import { test } from './shared.ts'

let product: Product
let client: Client
let page: Page
let orgId: string
let userId: string

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser, shared }) => {
  product = shared
  client = await newSuperadmin(product)
  orgId = (await client.call(createOrganization, { body: { name: 'View As Toys' } })).id
  await client.call(createOrganization, { body: { name: 'View As Ltd' } })
  const ada = { name: 'Ada Admin', email: 'ada@viewas.example', role: 'admin' as const }
  userId = (await client.call(createUser, { params: { orgId }, body: ada })).id
  await accept(product, client, ada)
  page = await signedIn(browser, product, client)
})
test.afterAll(async () => {
  await page.context().close()
})

const banner = () => page.getByRole('region', { name: 'Viewing as somebody else' })
const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
const reason = 'Ticket 4711: a list stays empty'

test('asks for a reason, and then shows the console of that person with a banner', async () => {
  await page.goto(`${product.url}/organizations/${orgId}/users/${userId}/edit`)
  await press('View as this person')
  await expect(page.getByRole('dialog')).toContainText('View as Ada Admin?')
  await press('Start viewing')
  await expect(page.getByRole('dialog')).toContainText('This is too short.')
  expect(await axeFaults(page, wcag)).toEqual([])
  await page.getByLabel('Reason').fill(reason)
  await press('Start viewing')
  await expect(banner()).toContainText('Sue Perior, you see the console as Ada Admin does.')
  await expect(banner()).toContainText(reason)
  await expect(banner()).toContainText(/(29|30) minutes left/)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.goto(`${product.url}/organizations`)
  await expect(page.getByText('View As Toys').filter({ visible: true }).first()).toBeVisible()
  await expect(page.getByText('View As Ltd')).toHaveCount(0)
  const kept = await page.evaluate(() =>
    Object.keys(JSON.parse(localStorage.getItem('persist:auth') ?? '{}')),
  )
  expect(kept.sort()).toEqual(['isAuthenticated', 'token', 'user'])
})

test('stands in every layout without hiding anything, and on a phone', async () => {
  for (const look of [{}, { orientation: 'horizontal' }, { theme: 'dark' }]) {
    await wear(page, look)
    for (const width of [1366, 390]) {
      await page.setViewportSize({ width, height: 800 })
      const box = await banner().boundingBox()
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(800)
      const hidden = async () => {
        await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
        const foot = await page.locator('[data-part=footer]').boundingBox()
        const end = await banner().boundingBox()
        return (foot?.y ?? 0) + (foot?.height ?? 0) - (end?.y ?? 0)
      }
      await expect.poll(hidden).toBeLessThanOrEqual(1)
      await fitsAcross(page)
      expect(await axeFaults(page, wcag)).toEqual([])
    }
  }
  await wear(page, {})
  await page.setViewportSize({ width: 1366, height: 800 })
})

test('creating is not offered, and what is tried is refused in words', async () => {
  await page.goto(`${product.url}/organizations/${orgId}/dashboard?tab=users`)
  await expect(page.getByRole('rowheader', { name: 'Ada Admin' })).toBeVisible()
  await expect(page.locator('[data-create]:visible')).toHaveCount(0)
  await page.goto(`${product.url}/organizations/${orgId}/users/create`)
  await page.getByLabel('Name', { exact: true }).fill('Nobody New')
  await page.getByLabel('Email').fill('nobody@viewas.example')
  await press('Add a person')
  await expect(page.locator('[data-error-summary]')).toContainText('cannot change anything')
  await expect(banner()).toBeVisible()
})

test('another tab follows, and both are oneself again afterwards', async () => {
  const other = await page.context().newPage()
  await other.goto(`${product.url}/settings`)
  await expect(other.getByRole('region', { name: 'Viewing as somebody else' })).toBeVisible()
  page.once('dialog', (dialog) => void dialog.accept())
  await press('Stop viewing')
  await expect(page.getByRole('heading', { level: 1, name: 'Ada Admin' })).toBeVisible()
  await expect(banner()).toHaveCount(0)
  await expect(other.getByRole('region', { name: 'Viewing as somebody else' })).toHaveCount(0)
  await expect(other.getByRole('region', { name: 'You' })).toContainText('Sue Perior')
  await other.close()
  expect((await client.call(listOrganizations, { query: { q: 'View As' } })).items).toHaveLength(2)
})

test('the history of the person says who looked, and why', async () => {
  await page.getByRole('link', { name: 'History' }).click()
  const entries = page.getByRole('list', { name: 'Entries, newest first' })
  await expect(entries).toContainText('Sue Perior (viewing as Ada Admin) stopped viewing as Ada Admin')
  await expect(entries).toContainText(`Sue Perior began to view as Ada Admin: “${reason}”`)
})
