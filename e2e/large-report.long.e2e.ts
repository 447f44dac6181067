import { expect } from '@playwright/test'
import { createOrganization } from '#contract/directory/organizations.ts'
import { newSuperadmin } from './client.ts'
import { axeFaults, fitsAcross, signedIn } from './console.ts'
import { openDatabase } from './database.ts'
import { test } from './shared.ts'

test('a report with very much to count says so, and appears by itself', async ({ browser, shared }) => {
  const client = await newSuperadmin(shared)
  const { id } = await client.call(createOrganization, { body: { name: 'Large Toys' } })
  const page = await signedIn(browser, shared, client)
  const database = await openDatabase(shared)
  // As if reading the days took very long.
  await database.query('begin; lock table viewer_days in access exclusive mode')
  await page.goto(`${shared.url}/reports/user-engagement?period=12m&organization=${id}`)
  const waiting = page.getByRole('status').filter({ hasText: 'These figures are being worked out' })
  await expect(waiting).toContainText('They appear here by themselves')
  await expect(page.getByRole('combobox', { name: 'Period' })).toBeEnabled()
  expect(await axeFaults(page)).toEqual([])
  await page.setViewportSize({ width: 320, height: 800 })
  await fitsAcross(page)
  await database.query('rollback')
  await expect(page.getByRole('heading', { name: 'Nobody watched a video in this period' })).toBeVisible({
    timeout: 60_000,
  })
  await expect(waiting).toHaveCount(0)
  await database.close()
  await page.close()
})
