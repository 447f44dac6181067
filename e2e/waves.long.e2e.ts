import { expect, type Page } from '@playwright/test'
import { createOrganization, updateOrganization } from '#contract/directory/organizations.ts'
import {
  createTransmission,
  listTransmissions,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import { listUsers, readUser } from '#contract/directory/users.ts'
import { unique } from '#server/testing/unique.ts'
import { newSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross } from './console.ts'
import { openDatabase } from './database.ts'
import type { Product } from './product.ts'
import { test as shared } from './shared.ts'
import { videoWithoutFiles } from './upload.ts'

const people = 150

type World = {
  product: Product
  client: Client
  page: Page
  orgId: string
  orgName: string
  videoId: string
}

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const client = await newSuperadmin(product)
    const orgName = `Careful ${unique()}`
    const organization = { name: orgName, timeZone: 'Europe/Berlin' }
    const { id: orgId } = await client.call(createOrganization, { body: organization })
    const database = await openDatabase(product)
    await database.query(
      `insert into users (organization_id, name, email)
      select $1, 'Guest ' || n, 'guest-' || n || '@careful.example' from generate_series(1, $2::int) n`,
      [orgId, people],
    )
    await database.close()
    const videoId = await videoWithoutFiles(product, { organizationId: orgId })
    await use({ product, client, page: await open(client), orgId, orgName, videoId })
  },
})

const main = (page: Page) => page.getByRole('main')
const inWaves = (page: Page) => page.getByRole('checkbox', { name: 'Send in waves' })

test('many people are written to wave by wave', async ({ world: { page, orgName } }) => {
  await test.step('many people are written to in waves, which the composer offers, keeps and asks about', async () => {
    await page.goto('/transmissions/create')
    await page.getByRole('combobox', { name: 'Organization', exact: true }).fill(orgName)
    await page.getByRole('option', { name: orgName }).click()
    await page.getByRole('button', { name: 'A real video' }).click()
    await page.getByRole('textbox', { name: 'Message' }).fill('Please watch this.')
    await expect(inWaves(page)).toHaveCount(0)
    await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
    await inWaves(page).focus()
    await page.keyboard.press('Space')
    await expect(page.getByText('20 people get it first.')).toBeVisible()
    await page.getByLabel('First', { exact: true }).selectOption('20% of them')
    await expect(page.getByText('30 people get it first.')).toBeVisible()
    await page.getByLabel('Then', { exact: true }).selectOption('100 at a time')
    const saved = page.waitForResponse(
      (one) => one.request().postData()?.includes('"pauseMinutes":15') === true && one.ok(),
    )
    await page.getByLabel('Between two waves').selectOption('15 minutes')
    expect(await axeFaults(page)).toEqual([])
    await saved
    // Only then does a reload go on with the draft, and not with a new one.
    await expect(page).toHaveURL(/[?&]draft=/)
    await page.reload()
    await expect(inWaves(page)).toBeChecked()
    await expect(page.getByLabel('Between two waves')).toHaveValue('15')
    await page.setViewportSize({ width: 390, height: 844 })
    await fitsAcross(page)
    expect(await axeFaults(page)).toEqual([])
    await main(page)
      .getByRole('button', { name: `Send to ${people} people` })
      .click()
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText('First 20% of the people, chosen by chance; 1 hour later')
    await dialog.getByRole('button', { name: `Send to ${people} people` }).click()
  })

  await test.step('its page says when the next one begins, has it begin sooner, and stops', async () => {
    await expect(main(page)).toContainText('Wave 1 has left. The next one begins on')
    await expect(main(page)).toContainText('120 people wait for a later wave.')
    await fitsAcross(page)
    expect(await axeFaults(page)).toEqual([])
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('button', { name: 'Start the next wave now' }).focus()
    await page.keyboard.press('Enter')
    await expect(main(page)).toContainText('Wave 2 has left.')
    await expect(page.getByRole('row', { name: /Wave 2 100/ })).toBeVisible()
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await expect(page.locator('[data-sending=paused]')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Start the next wave now' })).toHaveCount(0)
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('button', { name: 'Start the next wave now' }).click()
    await expect(page.locator('[data-sending=completed]')).toBeVisible()
    await expect(page.getByRole('row', { name: /Wave 3 20/ })).toBeVisible()
  })
})

test('what is stopped half-way is asked about after a day, and can be written in other words to the rest', async ({
  world: { product, client, page, orgId, videoId },
}) => {
  const params = { transmissionId: '' }
  const waves = { share: 1, waitMinutes: 60, size: 100, pauseMinutes: 60 }
  const message = { accountId: orgId, videoId, subject: 'A misprint', body: 'Please wach.' }
  const sent = await client.call(createTransmission, {
    body: { ...message, audience: { everyone: true }, waves },
  })
  params.transmissionId = sent.id
  const state = async () => (await client.call(readTransmission, { params })).counts
  await expect.poll(async () => (await state()).accepted, { timeout: 30_000 }).toBe(20)
  await page.goto(`/transmissions/${sent.id}`)
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(page.locator('[data-sending=paused]')).toBeVisible()
  const database = await openDatabase(product)
  await database.query(`update transmissions set updated_at = now() - interval '2 days' where id = $1`, [
    sent.id,
  ])
  await database.close()
  await page.reload()
  await page.getByRole('button', { name: 'Resume' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('It has stood still since')
  await expect(dialog).toContainText('130 mails would leave now')
  expect(await axeFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  expect((await state()).accepted).toBe(20)
  await page.getByRole('button', { name: 'Cancel sending' }).click()
  await dialog.getByRole('button', { name: 'Cancel sending' }).click()
  await expect(main(page)).toContainText('130 mails were cancelled before they left')
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('link', { name: 'Write to them' }).click()
  await page.getByRole('textbox', { name: 'Message' }).fill('Please watch.')
  await main(page).getByRole('button', { name: 'Send to 130 people' }).click()
  await dialog.getByRole('button', { name: 'Send to 130 people' }).click()
  await expect(page.locator('[data-sending=completed]')).toBeVisible()
  await expect(main(page)).toContainText('whose mail was cancelled before it left')
})

test('people elsewhere get it at an hour of their own, which the composer counts by zone', async ({
  world: { client, page, orgId, orgName },
}) => {
  const { items } = await client.call(listUsers, { params: { orgId }, query: { q: 'Guest 7' } })
  const guest = items.find(({ name }) => name === 'Guest 7')
  await page.goto(`/organizations/${orgId}/users/${guest?.id ?? ''}/edit`)
  await page.getByRole('combobox', { name: /^Time zone/ }).fill('tokyo')
  await page.getByRole('option', { name: /Tokyo/ }).click()
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Save changes' }).click()
  const params = { orgId, userId: guest?.id ?? '' }
  await expect.poll(async () => (await client.call(readUser, { params })).timeZone).toBe('Asia/Tokyo')
  await page.goto(`/organizations/${orgId}/users/${params.userId}`)
  await expect(main(page)).toContainText('(Tokyo)')
  await page.goto('/transmissions/create')
  await page.getByRole('combobox', { name: 'Organization', exact: true }).fill(orgName)
  await page.getByRole('option', { name: orgName }).click()
  await page.getByRole('button', { name: 'A real video' }).click()
  await page.getByRole('textbox', { name: 'Message' }).fill('Good morning.')
  await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
  await inWaves(page).check()
  await page.getByRole('radio', { name: 'Later' }).check()
  // Two days ahead, so that the hour has come nowhere yet.
  await page
    .getByLabel('Day', { exact: true })
    .fill(new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10))
  await page.getByRole('checkbox', { name: 'At this hour in each person’s own time zone' }).focus()
  await page.keyboard.press('Space')
  await expect(inWaves(page)).toHaveCount(0)
  await expect(page.getByRole('row', { name: /\(Tokyo\) 1 / })).toBeVisible()
  await expect(page.getByRole('row', { name: new RegExp(`\\(Berlin\\) ${people - 1} `) })).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  expect(await axeFaults(page)).toEqual([])
  await expect(page.getByText(/^Saved \d/)).toBeVisible()
  await page.reload()
  await expect(
    page.getByRole('checkbox', { name: 'At this hour in each person’s own time zone' }),
  ).toBeChecked()
  await main(page)
    .getByRole('button', { name: `Schedule for ${people} people` })
    .click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: `Schedule for ${people} people` })
    .click()
  await expect(main(page)).toContainText('Each person gets it at the chosen hour on their own clock.')
  await fitsAcross(page)
})

test('what is urgent does not wait for the hours of the organization', async ({
  world: { client, page, orgId, orgName },
}) => {
  const day = ((new Date().getUTCDay() + 2) % 7) + 1
  const sendWindow = { days: [day], from: '08:00', to: '09:00' }
  await client.call(updateOrganization, {
    params: { orgId },
    body: { name: orgName, policies: { sendWindow } },
  })
  await page.goto('/transmissions/create')
  await page.getByRole('combobox', { name: 'Organization', exact: true }).fill(orgName)
  await page.getByRole('option', { name: orgName }).click()
  await page.getByRole('button', { name: 'A real video' }).click()
  await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
  await page.getByRole('textbox', { name: 'Message' }).fill('Leave the building.')
  await page.getByRole('checkbox', { name: 'Send outside the hours too' }).check()
  await main(page)
    .getByRole('button', { name: `Send to ${people} people` })
    .click()
  await expect(page.getByRole('dialog')).not.toContainText('outside the hours')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: `Send to ${people} people` })
    .click()
  await expect(page.locator('[data-sending=completed]')).toBeVisible()
  const { items } = await client.call(listTransmissions, { query: { organizationId: orgId } })
  expect(items.filter(({ outsideHours }) => outsideHours).map(({ body }) => body)).toEqual([
    'Leave the building.',
  ])
})
