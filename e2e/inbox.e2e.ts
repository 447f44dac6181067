import { expect, type Page } from '@playwright/test'
import { createInvitation } from '#contract/invitations.ts'
import { createOrganization } from '#contract/organizations.ts'
import { createTransmission } from '#contract/transmissions.ts'
import { listUsers } from '#contract/users.ts'
import { accept, newSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross, signedIn } from './console.ts'
import { test } from './shared.ts'
import { readyVideo } from './upload.ts'

let superadmin: Client
let page: Page
let organizationId: string
let userId: string
let videoId: string

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser, shared }) => {
  superadmin = await newSuperadmin(shared)
  organizationId = (await superadmin.call(createOrganization, { body: { name: 'Pigeon Post' } })).id
  const email = 'iris@pigeon.example'
  await superadmin.call(createInvitation, { body: { organizationId, email, role: 'admin' } })
  const admin = await accept(shared, superadmin, { email, name: 'Iris Admin' })
  const people = await superadmin.call(listUsers, { params: { orgId: organizationId }, query: { q: email } })
  userId = people.items[0]?.id ?? ''
  videoId = await readyVideo(
    { url: shared.url, client: superadmin, organizationId },
    { seconds: 2, width: 320 },
  )
  page = await signedIn(browser, shared, admin)
})
test.afterAll(() => page.context().close())

async function send(subject: string, more: object = {}): Promise<void> {
  await superadmin.call(createTransmission, {
    body: { accountId: organizationId, videoId, userId, subject, body: 'Please watch.', ...more },
  })
}
const account = () => page.getByRole('button', { name: 'Your account', exact: true })
const toMessages = async () => {
  await account().click()
  await page.getByRole('link', { name: /^Your messages/ }).click()
}

test('who was sent nothing is told so', async ({ shared }) => {
  await page.goto(`${shared.url}/settings`)
  await toMessages()
  await expect(page.getByRole('heading', { level: 1, name: 'Your messages' })).toBeFocused()
  await expect(page.getByText('No messages', { exact: true })).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
})

test('what is owed stands first, and a message is opened by the keyboard and read then', async ({
  shared,
}) => {
  const dueAt = new Date(Date.now() + 5 * 86_400_000).toISOString()
  await send('For {{name}}')
  await send('With a day', { dueAt })
  await expect(async () => {
    await page.goto(`${shared.url}/messages`)
    await expect(page.getByText('Unread', { exact: true })).toHaveCount(2, { timeout: 2_000 })
  }).toPass({ timeout: 30_000 })
  await expect(page.getByRole('main').getByRole('heading', { level: 2 })).toHaveText([
    'What you have still to watch',
    'Everything that you were sent',
  ])
  await expect(page.getByText('For Iris Admin', { exact: true })).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await account().click()
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
