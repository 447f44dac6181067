import { expect } from '@playwright/test'
import { newSuperadmin } from './client.ts'
import { axeFaults, fitsAcross, signedIn, wear } from './console.ts'
import { openDatabase } from './database.ts'
import { test } from './shared.ts'

test('a superadmin sees what background work has stepped over, has it tried again and gives it up', async ({
  browser,
  shared,
}) => {
  const page = await signedIn(browser, shared, await newSuperadmin(shared))
  const list = page.getByRole('table', { name: /stepped over/ })
  await page.goto(`${shared.url}/settings?tab=jobs`)
  await expect(page.getByText('Nothing is set aside')).toBeVisible()
  await page.getByText('Nothing is set aside').scrollIntoViewIfNeeded()
  const database = await openDatabase(shared)
  // Two of them are tried again in an hour, and not before.
  await database.query(
    `insert into set_aside (loop, item, reason, input, tries, first_at, next_try_at) values
      ('mail_events', 'ses 1', 'unsupported Unicode escape sequence', '{}', 4, now() - interval '2 hours', now() + interval '1 hour'),
      ('assignments', '01a22381-d0f8-79ee-b10f-56098c477349', 'invalid input value for the day by which it is due: next spring', null, 2,
        now() - interval '3 minutes', now() + interval '1 hour')`,
  )
  await expect(list.getByRole('row').filter({ hasText: 'who owes an assignment' })).toContainText('2 times')
  const report = list.getByRole('row').filter({ hasText: 'report of the mail provider' })
  for (const theme of ['light', 'dark']) {
    await wear(page, { theme })
    for (const [width, height] of [
      [390, 844],
      [1366, 900],
    ] as const) {
      await page.setViewportSize({ width, height })
      await page.getByRole('heading', { name: 'What is set aside' }).scrollIntoViewIfNeeded()
      await fitsAcross(page)
      expect(await axeFaults(page)).toEqual([])
    }
  }
  await page.goto(`${shared.url}/dashboard`)
  await expect(page.getByText('Background work stepped over 2 things')).toBeVisible()
  await page.getByRole('link', { name: 'See jobs' }).click()
  await expect(report).toContainText('unsupported Unicode escape sequence')
  await report.getByRole('button', { name: 'Discard' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('cannot be undone')
  expect(await axeFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(report).toBeVisible()
  await report.getByRole('button', { name: 'Discard' }).click()
  await dialog.getByRole('button', { name: 'Discard report' }).click()
  await expect(page.getByText('It is not tried again.').first()).toBeVisible()
  await expect(report).toBeHidden()
  await expect(list.getByRole('button', { name: 'Try again' })).toBeFocused()
  await list.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('It is tried again now.')).toBeVisible()
  const rests = await database.query(`select 1 from set_aside where next_try_at > now()`)
  expect(rests.rowCount).toBe(0)
  await database.query('delete from set_aside')
  await database.close()
  await expect(page.getByText('Nothing is set aside')).toBeVisible()
  await page.context().close()
})
