import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, type Page } from '@playwright/test'
import { createGroup } from '#contract/directory/groups.ts'
import { createUser, updateUser } from '#contract/directory/users.ts'
import { newOrganization, type Client } from './client.ts'
import { axeFaults, chip, fitsAcross, listOption, narrow, question, wcag, wear } from './console.ts'
import { test as shared } from './shared.ts'

type World = { page: Page; orgId: string }
type Toys = { client: Client; orgId: string }

const test = shared.extend<{ world: World }, { toys: Toys }>({
  /** What happened here happened once in the installation: the log is that of all its organizations. */
  toys: [
    async ({ shared: product }, use) => {
      const { client, orgId } = await newOrganization(product, 'Audit Toys')
      const bob = { name: 'Bob Jones', email: 'bob@audit.example', role: 'groupadmin' as const }
      const { id: userId } = await client.call(createUser, { params: { orgId }, body: bob })
      await client.call(updateUser, { params: { orgId, userId }, body: { ...bob, role: 'admin' } })
      await client.call(createGroup, { params: { orgId }, body: { name: 'Drivers' } })
      await use({ client, orgId })
    },
    { scope: 'worker' },
  ],
  world: async ({ toys: { client, orgId }, open }, use) => {
    const page = await open(client)
    await page.goto('/settings?tab=audit')
    await use({ page, orgId })
  },
})

const entries = (page: Page) =>
  page.getByRole('list', { name: 'Entries, newest first' }).getByRole('listitem')

test('tells in sentences what happened, and what changed', async ({ world: { page } }) => {
  const change = entries(page).filter({
    hasText: 'Sue Perior changed the role of Bob Jones from group administrator to administrator',
  })
  await expect(change).toHaveCount(1)
  await change.locator('summary').focus()
  await page.keyboard.press('Enter')
  const row = change.getByRole('row', { name: /^Role/ })
  await expect(row).toContainText('Group administrator')
  await expect(row).toContainText('Administrator')
  await expect(change.getByRole('row')).toHaveCount(2)
  await expect(change).toContainText('127.0.0.0/24')
  await expect(page.getByText('All sealed')).toBeVisible()
  expect(await axeFaults(page, wcag)).toEqual([])
})

test('finds by words, by kind and by thing, and the address keeps it', async ({ world: { page, orgId } }) => {
  // Other files act on the same product.
  await page.goto(`/settings?tab=audit&organization=${orgId}`)
  await page.getByRole('searchbox', { name: 'Search the audit log' }).fill('drivers')
  await expect(entries(page)).toHaveCount(1)
  await expect(entries(page)).toContainText('Sue Perior created the group Drivers')
  await page.getByRole('searchbox', { name: 'Search the audit log' }).fill('')
  await narrow(page, 'Kind of action', 'user.')
  await expect(entries(page)).toHaveCount(2)
  await page.reload()
  await expect(entries(page)).toHaveCount(2)
  await entries(page).last().locator('summary').click()
  await page.getByRole('button', { name: 'Everything about Bob Jones' }).click()
  await chip(page, 'About: Bob Jones').click()
  await expect(chip(page, 'About: Bob Jones')).toHaveCount(0)
  await narrow(page, 'Kind of action', 'Everything')
  await question(page, 'From').click()
  const from = page.getByRole('dialog', { name: 'From' }).getByLabel('From')
  await from.fill('2099-01-01')
  await expect(page.getByText('No entry matches')).toBeVisible()
  await from.fill('')
  await expect(entries(page).first()).toBeVisible()
})

function verify(dataDir: string, ...args: string[]): Promise<{ code: number; said: string }> {
  const command = path.resolve(import.meta.dirname, '../server/platform/audit/command.ts')
  const env = { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir }
  return new Promise((resolve) => {
    execFile(process.execPath, [command, ...args], { env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, said: `${out}${err}` }),
    )
  })
}

test('the exported file, and the database of the running product, verify by the noted link', async ({
  shared,
  world: { page },
}) => {
  await expect(page.getByText('All sealed')).toBeVisible()
  const noted = (await page.getByRole('region', { name: 'Chain' }).locator('code').textContent()) ?? ''
  const coming = page.waitForEvent('download')
  await listOption(page, 'Export to verify')
  const download = await coming
  expect(download.suggestedFilename()).toMatch(/^audit-.*\.jsonl$/)
  const file = await download.path()
  expect(await readFile(file, 'utf8')).toContain('Bob Jones')
  const said = await verify(shared.dataDir, file, '--head', noted)
  expect(said.said).toContain('All is well')
  expect(said.code).toBe(0)
  expect(await verify(shared.dataDir, '--head', noted)).toMatchObject({ code: 0 })
  expect(await verify(shared.dataDir, '--head', noted.replace(/^\d+/, '99'))).toMatchObject({ code: 1 })
})

test('CSV, in the console of a phone and in the dark', async ({ world: { page } }) => {
  const exports = entries(page).filter({ hasText: 'Sue Perior exported the audit log' })
  await expect(entries(page).first()).toBeVisible()
  const before = await exports.count()
  const coming = page.waitForEvent('download')
  await listOption(page, 'Export CSV')
  expect(await readFile(await (await coming).path(), 'utf8')).toContain('user.changed')
  await page.reload()
  await expect(exports).toHaveCount(before + 1)
  await wear(page, { theme: 'dark' })
  await page.setViewportSize({ width: 390, height: 800 })
  await fitsAcross(page)
  expect(await axeFaults(page, wcag)).toEqual([])
})

test('leads from an organization to its history', async ({ world: { page, orgId } }) => {
  await page.goto(`/organizations/${orgId}/edit`)
  await page.getByRole('link', { name: 'History' }).click()
  await expect(chip(page, 'About: Audit Toys')).toBeVisible()
  await expect(entries(page)).toHaveCount(1)
})
