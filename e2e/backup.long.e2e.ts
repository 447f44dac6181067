import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from '@playwright/test'
import { readBackupPlan, readBackups } from '#contract/backup.ts'
import { newSuperadmin } from './client.ts'
import { axeFaults, fitsAcross, signedIn } from './console.ts'
import { test } from './shared.ts'

test('a superadmin makes a backup, sees it in the list, and has one made and checked', async ({
  browser,
  shared,
}) => {
  const superadmin = await newSuperadmin(shared)
  const page = await signedIn(browser, shared, superadmin)
  await page.goto(`${shared.url}/settings?tab=backup`)
  await expect(page.getByRole('heading', { name: 'There is no backup yet', level: 2 })).toBeVisible()
  expect(await axeFaults(page)).toEqual([])

  const start = page.getByRole('button', { name: 'Back up now' })
  await start.dblclick()
  await expect(page.getByText('A backup begins.').first()).toBeVisible()
  const rows = page.getByRole('table', { name: 'Backups, newest first' }).locator('tbody').getByRole('row')
  await expect(rows).toHaveCount(1, { timeout: 60_000 })
  await expect(rows.first()).toContainText('Everything')
  await expect(rows.first()).toContainText('Not yet')
  await expect(start).toBeEnabled()
  const folder = `${shared.dataDir}-backups`
  await expect(page.getByText(folder, { exact: true })).toBeVisible()
  expect(existsSync(path.join(folder, 'files'))).toBe(true)

  await page.getByRole('checkbox', { name: 'Back up every day' }).check()
  await page.getByLabel('Hour (UTC)').fill('25')
  await page.getByRole('button', { name: 'Save the plan' }).click()
  await expect(page.getByText('Please check one field')).toBeVisible()
  await expect(page.getByText('This number is too large.').first()).toBeVisible()
  await expect(page.getByText('From 0 to 23')).toBeVisible()
  await page.getByLabel('Hour (UTC)').fill('4')
  await page.getByRole('button', { name: 'Save the plan' }).click()
  await expect(page.getByText('The plan was saved.')).toBeVisible()
  expect(await superadmin.call(readBackupPlan)).toMatchObject({ isOn: true, hour: 4, checkEvery: 'week' })
  // The first one is checked at once.
  await expect(page.getByRole('heading', { name: 'The newest backup is being checked' })).toBeVisible({
    timeout: 30_000,
  })
  expect(await axeFaults(page)).toEqual([])
  await expect(rows.first()).not.toContainText('Not yet', { timeout: 90_000 })
  await expect(rows.first()).not.toContainText('Damaged')
  await expect(page.getByRole('heading', { name: 'Backups are made' })).toBeVisible({ timeout: 30_000 })

  expect(await axeFaults(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  const [name] = (await superadmin.call(readBackups)).items.map((item) => item.name)
  await writeFile(path.join(folder, name ?? '', 'manifest.json'), '{')
  await expect(page.getByText(`What describes these backups cannot be read: ${name}.`)).toBeVisible()
  await page.context().close()
  await rm(folder, { recursive: true })
})
