import { expect, type Page } from '@playwright/test'
import { readSession } from '#contract/identity/auth.ts'
import { createTransmission } from '#contract/transmissions/transmissions.ts'
import { newAdmin, newOrganization, type Client } from './client.ts'
import { axeFaults, fitsAcross } from './console.ts'
import { test as shared } from './shared.ts'
import { readyVideo } from './upload.ts'

type World = { page: Page; superadmin: Client; admin: Client; orgId: string }

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const { client: superadmin, orgId } = await newOrganization(product, 'Pigeon Post')
    const admin = await newAdmin(product, superadmin, { orgId, name: 'Iris Admin' })
    await use({ page: await open(admin), superadmin, admin, orgId })
  },
})

const account = (page: Page) => page.getByRole('button', { name: 'Your account', exact: true })

test('who was sent nothing is told so', async ({ world: { page } }) => {
  await page.goto('/settings')
  await account(page).click()
  await page.getByRole('link', { name: /^Your messages/ }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Your messages' })).toBeFocused()
  await expect(page.getByText('No messages', { exact: true })).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
})

test('what is owed stands first, and a message is opened by the keyboard and read then', async ({
  shared,
  world: { page, superadmin, admin, orgId },
}) => {
  const { user } = await admin.call(readSession)
  const videoId = await readyVideo(
    { url: shared.url, client: superadmin, organizationId: orgId },
    { seconds: 2, width: 320 },
  )
  const send = (subject: string, more: object = {}) =>
    superadmin.call(createTransmission, {
      body: { accountId: orgId, videoId, userId: user.id, subject, body: 'Please watch.', ...more },
    })
  const dueAt = new Date(Date.now() + 5 * 86_400_000).toISOString()
  await send('For {{name}}')
  await send('With a day', { dueAt })
  await expect(async () => {
    await page.goto('/messages')
    await expect(page.getByText('Unread', { exact: true })).toHaveCount(2, { timeout: 2_000 })
  }).toPass({ timeout: 30_000 })
  await expect(page.getByRole('main').getByRole('heading', { level: 2 })).toHaveText([
    'What you have still to watch',
    'Everything that you were sent',
  ])
  await expect(page.getByText('For Iris Admin', { exact: true })).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await account(page).click()
  await expect(page.getByRole('link', { name: 'Your messages, 2 new' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('button', { name: 'Open: For Iris Admin' }).focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/w\/video\//)
  await expect(page.getByRole('heading', { name: 'A real video' })).toBeVisible()
  await page.goBack()
  await page.getByRole('switch', { name: 'Unread only' }).check()
  await expect(page.getByRole('button', { name: 'Open: With a day' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Open: For Iris Admin' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Watch: A real video' }).click()
  await expect(page).toHaveURL(/\/w\/video\//)
})
