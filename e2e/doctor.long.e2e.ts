import { expect } from '@playwright/test'
import { newSuperadmin } from './client.ts'
import { axeFaults, fitsAcross, signedIn } from './console.ts'
import { test } from './shared.ts'

test('a superadmin sees what the installation lacks and what to do, and has it checked again', async ({
  browser,
  shared,
}) => {
  const page = await signedIn(browser, shared, await newSuperadmin(shared))
  await page.goto(`${shared.url}/settings?tab=system`)
  const mail = page.getByRole('listitem').filter({ hasText: 'There is no mail server' })
  await expect(mail).toContainText('Needs attention')
  await expect(mail).toContainText('Set one up in Settings, Mail')
  await expect(page.getByRole('listitem').filter({ hasText: 'Tables' })).toContainText('Fine')
  const [answer] = await Promise.all([
    page.waitForResponse(/\/api\/system\/doctor$/),
    page.getByRole('button', { name: 'Check again' }).click(),
  ])
  expect(answer.status()).toBe(200)
  await expect(page.getByText('Everything was looked at again.')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  await page.setViewportSize({ width: 1366, height: 900 })
  await page.context().close()
})
