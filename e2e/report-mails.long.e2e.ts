import { expect, type Page } from '@playwright/test'
import { createOrganization } from '#contract/directory/organizations.ts'
import { listOutbox } from '#contract/platform/system.ts'
import { unique } from '#server/testing/unique.ts'
import { newSuperadmin } from './client.ts'
import { answerBell, axeFaults, fitsAcross, listOption, rowAct } from './console.ts'
import { test } from './shared.ts'

/** Nothing that a checker finds, and nothing to the side of a narrow phone. */
async function expectSound(page: Page): Promise<void> {
  expect(await axeFaults(page)).toEqual([])
  await page.setViewportSize({ width: 320, height: 800 })
  await fitsAcross(page)
  await page.setViewportSize({ width: 1366, height: 800 })
}

test('a report comes by mail: to oneself, to somebody who agreed, at once, and with a link to the same days', async ({
  browser,
  shared: product,
  open,
}) => {
  const client = await newSuperadmin(product)
  const orgName = `Report Mails ${unique()}`
  const { id } = await client.call(createOrganization, { body: { name: orgName } })
  const mails = async () => (await client.call(listOutbox, { query: { q: orgName } })).items
  const page = await open(client)
  await answerBell(page)
  await page.goto(`/reports/user-engagement?organization=${id}&sort=title`)

  await test.step('a report is sent by mail every month, as the dialog says', async () => {
    await listOption(page, 'Send by mail')
    const dialog = page.getByRole('dialog', { name: 'Send User Engagement by mail' })
    await expect(dialog.getByRole('status')).toContainText(
      /The next one comes on Monday, .+ at 7:00 AM, Coordinated Universal Time \(UTC\)/,
    )
    await dialog.getByLabel('How often').selectOption('monthly')
    await expect(dialog.getByLabel('Over')).toHaveValue('month')
    await dialog.getByLabel('On', { exact: true }).selectOption('15')
    await dialog.getByLabel('At', { exact: true }).selectOption('18')
    await expect(dialog.getByRole('status')).toContainText(
      / 15, \d{4} at 6:00 PM, Coordinated Universal Time \(UTC\), over \w+ 1, /,
    )
    await expect(dialog.getByRole('status')).toContainText(/sue-\w+@example\.test alone/)
    await dialog.getByRole('checkbox', { name: 'CSV' }).check()
    await expectSound(page)
    await dialog.getByRole('button', { name: 'Send by mail' }).click()
    await expect(page.getByText('comes by mail: monthly on day 15 at 18:00.')).toBeVisible()
  })

  await test.step('a further address is asked, agrees on a page of its own, and ends it there', async () => {
    const address = `reader-${unique()}@report-mails.test`
    await page.goto('/reports/schedules')
    const row = page.getByRole('row').filter({ hasText: orgName })
    await rowAct(row, /^Actions for /, 'Edit')
    const dialog = page.getByRole('dialog', { name: 'Edit User Engagement by mail' })
    await dialog.getByLabel('Also to').fill('reader')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(dialog.getByRole('alert')).toHaveText('“reader” is not an email address.')
    await dialog.getByLabel('Also to').fill(address)
    await expect(dialog.getByRole('status')).toContainText('and to 1 further address')
    await expect(dialog.getByRole('status')).toContainText(`Days and hours are those of ${orgName}`)
    await expectSound(page)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(row).toContainText('Also to 1 (1 waiting)')

    const [ask] = (await client.call(listOutbox, { query: { q: address } })).items
    const link = /https?:\/\/\S+\/auth-1\/report-mails#\S+/.exec(ask?.text ?? '')?.[0] ?? ''
    const context = await browser.newContext({ viewport: { width: 320, height: 800 } })
    const outside = await context.newPage()
    await outside.goto(link)
    await expect(outside.getByRole('heading', { name: 'Do you want this report?' })).toBeVisible()
    await expect(outside.getByText(`User Engagement of ${orgName} to ${address}`)).toBeVisible()
    await fitsAcross(outside)
    expect(await axeFaults(outside)).toEqual([])
    await outside.getByRole('button', { name: 'Receive it' }).click()
    await expect(outside.getByRole('heading', { name: 'You get this report' })).toBeVisible()
    await page.reload()
    await rowAct(row, /^Actions for /, 'Edit')
    await expect(dialog.getByRole('list', { name: 'Who has agreed' })).toContainText(`Confirmed ${address}`)
    await dialog.getByRole('button', { name: 'Cancel' }).click()

    await outside.getByRole('button', { name: 'Stop these mails' }).click()
    await expect(outside.getByRole('heading', { name: 'You do not get this report' })).toBeVisible()
    await outside.goto('/auth-1/report-mails#gone.gone')
    await outside.reload()
    await expect(outside.getByRole('heading', { name: 'This link is no longer valid' })).toBeVisible()
    await context.close()
  })

  await test.step('the list sends one now, changes, pauses, and removes with a way back', async () => {
    await page.goto('/settings')
    await page.getByRole('link', { name: 'Reports by mail' }).click()
    const row = page.getByRole('row').filter({ hasText: orgName })
    await expect(row).toContainText('Monthly on day 15 at 18:00, last month')
    await expect(row).toContainText('Active')
    await expectSound(page)

    await rowAct(row, /^Actions for /, 'Send now')
    await expect(page.getByText('rests in the outbox, because no mail server is set up.')).toBeVisible()
    const [mail] = await mails()
    expect(mail?.subject).toMatch(new RegExp(`^User Engagement, .+ – ${orgName}$`))
    expect(mail?.attachments.map(({ name }) => name)).toEqual([
      expect.stringMatching(/^user-engagement-.+\.csv$/),
    ])
    await expect(row.locator('[data-label="Last sent"]')).toHaveText('just now')

    await rowAct(row, /^Actions for /, 'Edit')
    const dialog = page.getByRole('dialog', { name: 'Edit User Engagement by mail' })
    await dialog.getByLabel('How often').selectOption('daily')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(row).toContainText('Daily at 18:00, 1 day')

    await rowAct(row, /^Actions for /, 'Pause')
    await expect(row).toContainText('Paused')
    await rowAct(row, /^Actions for /, 'Resume')
    await expect(row).toContainText('Active')

    await rowAct(row, /^Actions for /, 'Remove')
    await expect(page.getByRole('heading', { name: 'No report comes by mail yet' })).toBeVisible()
    await expectSound(page)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(row).toContainText('Daily at 18:00')
  })

  await test.step('the link in the mail opens the report with the same filters over exactly these days', async () => {
    const [mail] = await mails()
    const link = /https?:\/\/\S+\/reports\/user-engagement\S+/.exec(mail?.text ?? '')?.[0] ?? ''
    await page.goto(link)
    await expect(page.getByRole('heading', { level: 1, name: 'User Engagement' })).toBeVisible()
    const { searchParams } = new URL(link)
    await expect(page.getByLabel('First day')).toHaveValue(searchParams.get('from') ?? '')
    await expect(page.getByLabel('Last day')).toHaveValue(searchParams.get('to') ?? '')
    expect(new URL(page.url()).searchParams.get('sort')).toBe('title')
  })
})
