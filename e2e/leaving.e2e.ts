import { expect, type Page } from '@playwright/test'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createUser } from '#contract/directory/users.ts'
import { unique } from '#server/testing/unique.ts'
import { newSuperadmin } from './client.ts'
import { axeFaults } from './console.ts'
import { onProductOf } from './shared.ts'
import { videoWithoutFiles } from './upload.ts'

/** The page shows a message to everybody that is not sent yet. */
type World = { page: Page; organizationId: string }

/** The time in which a message can be taken back is a setting of the installation. */
const test = onProductOf({ UNDO_SECONDS: '600' }).extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const client = await newSuperadmin(product)
    const orgName = `Punctual ${unique()}`
    const { id: organizationId } = await client.call(createOrganization, {
      body: { name: orgName, timeZone: 'Europe/Berlin' },
    })
    for (const name of ['Ada Lovelace', 'Grace Hopper'])
      await client.call(createUser, {
        params: { orgId: organizationId },
        body: { name, email: `${name.split(' ')[0]}@punctual.example`.toLowerCase() },
      })
    await videoWithoutFiles(product, { organizationId })
    const page = await open(client)
    await page.goto('/transmissions/create')
    await page.getByRole('combobox', { name: 'Organization', exact: true }).fill(orgName)
    await page.getByRole('option', { name: orgName }).click()
    await page.getByRole('button', { name: 'A real video' }).click()
    await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
    await page.getByRole('textbox', { name: 'Message' }).fill('Please watch this.')
    await expect(page.getByText('2 people get it')).toBeVisible()
    await use({ page, organizationId })
  },
})

const main = (page: Page) => page.getByRole('main')
const press = (page: Page, name: string) => main(page).getByRole('button', { name, exact: true }).click()
const agree = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click()

test('what was sent counts down, is taken back, and is a draft with everything in it', async ({
  world: { page },
}) => {
  await press(page, 'Send to 2 people')
  await expect(page.getByRole('dialog')).toContainText('in the outbox')
  await agree(page, 'Send to 2 people')
  await expect(main(page)).toContainText(/Leaves in \d:\d\d\. Until then it can be taken back\./)
  expect(await axeFaults(page)).toEqual([])
  await press(page, 'Undo')
  await expect(page.getByRole('heading', { level: 1, name: /^Edit / })).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('Please watch this.')
})

test('it is scheduled for an hour where the organization is, and sent sooner when somebody wants that', async ({
  world: { page, organizationId },
}) => {
  await page.getByRole('radio', { name: 'Later' }).check()
  await press(page, 'Schedule for 2 people')
  await expect(page.locator('[data-error-summary]')).toContainText('Please choose a day and a time.')
  const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)
  await page.getByLabel('Day', { exact: true }).fill(day)
  await expect(page.getByText('The clock is that of Central European Time (Berlin).')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await press(page, 'Schedule for 2 people')
  await agree(page, 'Schedule for 2 people')
  await expect(main(page)).toContainText(
    /Leaves on .+9:00\sAM, Central European Time \(Berlin\)\. Until then nothing is sent\./,
  )
  await expect(main(page)).toContainText('2 people get it')
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await axeFaults(page)).toEqual([])
  await page.goto(`/transmissions?organization=${organizationId}`)
  await expect(page.getByRole('row', { name: /A real video/ })).toContainText('Scheduled')
  await page.setViewportSize({ width: 1366, height: 800 })
  await page.goBack()
  await press(page, 'Send now')
  await expect(page.locator('[data-sending=completed]')).toBeVisible()
})
