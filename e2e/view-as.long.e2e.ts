import { expect, type Page } from '@playwright/test'
import { listOrganizations, createOrganization } from '#contract/directory/organizations.ts'
import { createUser } from '#contract/directory/users.ts'
import { unique } from '#server/testing/unique.ts'
import { accept, newSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross, press, wcag, wear } from './console.ts'
import { test as shared } from './shared.ts'

type World = {
  client: Client
  page: Page
  /** The names of both organizations begin with it. */
  orgNames: string
  orgId: string
  userId: string
}

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const client = await newSuperadmin(product)
    const orgNames = `View As ${unique()}`
    const orgId = (await client.call(createOrganization, { body: { name: `${orgNames} Toys` } })).id
    await client.call(createOrganization, { body: { name: `${orgNames} Ltd` } })
    const ada = { name: 'Ada Admin', email: `ada-${unique()}@viewas.example`, role: 'admin' as const }
    const userId = (await client.call(createUser, { params: { orgId }, body: ada })).id
    await accept(product, client, ada)
    await use({ client, page: await open(client), orgNames, orgId, userId })
  },
})

const banner = (page: Page) => page.getByRole('region', { name: 'Viewing as somebody else' })
const reason = 'Ticket 4711: a list stays empty'

async function startViewing({ page, orgId, userId }: World): Promise<void> {
  await page.goto(`/organizations/${orgId}/users/${userId}/edit`)
  await press(page, 'View as this person')
  await page.getByLabel('Reason').fill(reason)
  await press(page, 'Start viewing')
  await expect(banner(page)).toContainText(reason)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

test('asks for a reason, and then shows the console of that person with a banner', async ({
  world: { page, orgNames, orgId, userId },
}) => {
  await page.goto(`/organizations/${orgId}/users/${userId}/edit`)
  await press(page, 'View as this person')
  await expect(page.getByRole('dialog')).toContainText('View as Ada Admin?')
  await press(page, 'Start viewing')
  await expect(page.getByRole('dialog')).toContainText('This is too short.')
  expect(await axeFaults(page, wcag)).toEqual([])
  await page.getByLabel('Reason').fill(reason)
  await press(page, 'Start viewing')
  await expect(banner(page)).toContainText('Sue Perior, you see the console as Ada Admin does.')
  await expect(banner(page)).toContainText(reason)
  await expect(banner(page)).toContainText(/(29|30) minutes left/)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.goto('/organizations')
  await expect(page.getByText(`${orgNames} Toys`).filter({ visible: true }).first()).toBeVisible()
  await expect(page.getByText(`${orgNames} Ltd`)).toHaveCount(0)
  const stored = await page.evaluate(() =>
    Object.keys(JSON.parse(localStorage.getItem('persist:auth') ?? '{}')),
  )
  expect(stored.sort()).toEqual(['isAuthenticated', 'token', 'user'])
})

test('stands in every layout without hiding anything, and on a phone', async ({ world }) => {
  const { page } = world
  await startViewing(world)
  for (const look of [{}, { orientation: 'horizontal' }, { theme: 'dark' }]) {
    await wear(page, look)
    for (const width of [1366, 390]) {
      await page.setViewportSize({ width, height: 800 })
      const box = await banner(page).boundingBox()
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(800)
      const hidden = async () => {
        await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
        const foot = await page.locator('[data-part=footer]').boundingBox()
        const end = await banner(page).boundingBox()
        return (foot?.y ?? 0) + (foot?.height ?? 0) - (end?.y ?? 0)
      }
      await expect.poll(hidden).toBeLessThanOrEqual(1)
      await fitsAcross(page)
      expect(await axeFaults(page, wcag)).toEqual([])
    }
  }
})

test('creating is not offered, and what is tried is refused in words', async ({ world }) => {
  const { page, orgId } = world
  await startViewing(world)
  await page.goto(`/organizations/${orgId}/dashboard?tab=users`)
  await expect(page.getByRole('rowheader', { name: 'Ada Admin' })).toBeVisible()
  await expect(page.locator('[data-create]:visible')).toHaveCount(0)
  await page.goto(`/organizations/${orgId}/users/create`)
  await page.getByLabel('Name', { exact: true }).fill('Nobody New')
  await page.getByLabel('Email').fill('nobody@viewas.example')
  await press(page, 'Add a person')
  await expect(page.locator('[data-error-summary]')).toContainText('cannot change anything')
  await expect(banner(page)).toBeVisible()
})

test('viewing ends in every tab, and stands in the history', async ({ world }) => {
  const { client, page, orgNames } = world
  await startViewing(world)

  await test.step('another tab follows, and both are oneself again afterwards', async () => {
    const other = await page.context().newPage()
    await other.goto('/settings')
    await expect(other.getByRole('region', { name: 'Viewing as somebody else' })).toBeVisible()
    page.once('dialog', (dialog) => void dialog.accept())
    await press(page, 'Stop viewing')
    await expect(page.getByRole('heading', { level: 1, name: 'Ada Admin' })).toBeVisible()
    await expect(banner(page)).toHaveCount(0)
    await expect(other.getByRole('region', { name: 'Viewing as somebody else' })).toHaveCount(0)
    await expect(other.getByRole('region', { name: 'You' })).toContainText('Sue Perior')
    await other.close()
    expect((await client.call(listOrganizations, { query: { q: orgNames } })).items).toHaveLength(2)
  })

  await test.step('the history of the person says who looked, and why', async () => {
    await page.getByRole('link', { name: 'History' }).click()
    const entries = page.getByRole('list', { name: 'Entries, newest first' })
    await expect(entries).toContainText('Sue Perior (viewing as Ada Admin) stopped viewing as Ada Admin')
    await expect(entries).toContainText(`Sue Perior began to view as Ada Admin: “${reason}”`)
  })
})
