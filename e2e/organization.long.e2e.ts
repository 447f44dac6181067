import { expect, type Page } from '@playwright/test'
import { createGroup } from '#contract/directory/groups.ts'
import { createInvitation } from '#contract/directory/invitations.ts'
import {
  changeOrganizationState,
  createOrganization,
  readOrganization,
} from '#contract/directory/organizations.ts'
import { createUser, readUser } from '#contract/directory/users.ts'
import { accept, newSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross, signedIn, wear } from './console.ts'
import { openDatabase } from './database.ts'
import type { Product } from './product.ts'
import { test } from './shared.ts'

let product: Product
let superadmin: Client
let admin: Client
let page: Page
let orgId: string

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser, shared }) => {
  product = shared
  superadmin = await newSuperadmin(product)
  orgId = (await superadmin.call(createOrganization, { body: { name: 'Organization Toys' } })).id
  await superadmin.call(createInvitation, {
    body: { organizationId: orgId, email: 'ada@organization.example', role: 'admin' },
  })
  admin = await accept(product, superadmin, { email: 'ada@organization.example', name: 'Ada Admin' })
  page = await signedIn(browser, product, superadmin)
})

test.afterAll(async () => {
  await page.context().close()
})

const open = async (path: string, by: Page = page) => {
  await by.goto(`${product.url}${path}`)
  await expect(by.getByRole('heading', { level: 1 })).toBeVisible()
}
const press = (name: string, by: Page = page) => by.getByRole('button', { name, exact: true }).click()
const dialog = () => page.getByRole('dialog')
const dashboard = () => `/organizations/${orgId}/dashboard`
const params = () => ({ orgId })

/** A picture as somebody would draw one: wide, with a transparent ground. */
const logo = (by: Page, [width, height]: [number, number]) =>
  by.evaluate(
    ([w, h]) => {
      const canvas = document.createElement('canvas')
      Object.assign(canvas, { width: w, height: h })
      const context = canvas.getContext('2d')
      if (context) {
        context.fillStyle = '#c2410c'
        context.beginPath()
        context.arc((w ?? 0) / 2, (h ?? 0) / 2, (h ?? 0) / 2, 0, 7)
        context.fill()
      }
      return canvas.toDataURL('image/png').split(',')[1] ?? ''
    },
    [width, height],
  )

const choose = async (file: { name: string; mimeType: string; buffer: Buffer }, by: Page = page) => {
  await by.locator('main input[type=file]').first().setInputFiles(file)
}
const pngFile = async (size: [number, number], by: Page = page) => ({
  name: 'logo.png',
  mimeType: 'image/png',
  buffer: Buffer.from(await logo(by, size), 'base64'),
})

test('an empty organization shows the way to the first message', async () => {
  await open(dashboard())
  await expect(page.getByRole('heading', { name: 'First steps' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Add people' })).toHaveAttribute('aria-current', 'step')
  expect(await axeFaults(page)).toEqual([])
})

test('an administrator who is alone in it is offered to import people', async ({ browser }) => {
  const own = await signedIn(browser, product, admin)
  await open('/organizations', own)
  await own.waitForURL(`**${dashboard()}`)
  await own.getByRole('link', { name: /^People/ }).click()
  await own.getByRole('link', { name: 'Import people' }).click()
  await expect(own.getByRole('heading', { level: 1, name: 'Import people' })).toBeFocused()
  await own.context().close()
})

test('each first step leads to its page and marks the button to press there', async () => {
  for (const [step, button, address] of [
    ['Add people', 'Add a person', `/organizations/${orgId}/dashboard?tab=users`],
    ['Add a group', 'Add a group', `/organizations/${orgId}/dashboard?tab=groups`],
    ['Upload a video', 'Upload videos', `/content?organization=${orgId}`],
    ['Send it', 'Add a transmission', `/transmissions?organization=${orgId}`],
  ] as const) {
    await open(dashboard())
    await page.getByRole('link', { name: step }).click()
    await page.waitForURL(product.url + address)
    const marked = page.locator('main [data-marked]')
    await expect(marked).toHaveText(button)
    await expect(marked).toBeFocused()
    await expect(marked).toHaveCSS('outline-width', '3px')
  }
})

test('a logo is shown before it is saved, then in the console; what is no picture is refused in words', async () => {
  await open(`/organizations/${orgId}/edit`)
  await choose({
    name: 'x.svg',
    mimeType: 'image/svg+xml',
    buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  })
  await expect(dialog().getByRole('alert')).toContainText('can hold programs')
  await press('Close')
  await choose({ name: 'x.png', mimeType: 'image/png', buffer: Buffer.from('no picture') })
  await expect(dialog().getByRole('alert')).toContainText('no picture that can be read')
  await press('Close')

  await choose(await pngFile([600, 200]))
  await expect(dialog().getByRole('img', { name: 'The logo on black' })).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  expect((await superadmin.call(readOrganization, { params: params() })).logo).toBeNull()

  await choose(await pngFile([600, 200]))
  await press('Save picture')
  await expect(page.getByRole('img', { name: 'Logo of Organization Toys' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Change picture' })).toBeFocused()
  await open(dashboard())
  const shown = page.locator('img[data-logo]')
  await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(320)
  await open('/organizations')
  await expect(page.locator('[data-part=mark] img')).toBeVisible()
})

test('a face is cut with the keyboard alone, and goes when its owner says so', async ({ browser }) => {
  const own = await signedIn(browser, product, admin)
  await open('/settings', own)
  await choose(await pngFile([300, 200], own), own)
  const size = own.getByRole('slider', { name: 'Size' })
  await size.focus()
  for (let n = 0; n < 10; n += 1) await own.keyboard.press('ArrowRight')
  await expect(size).toHaveValue('10')
  await own.getByRole('slider', { name: 'Top to bottom' }).press('Home')
  expect(await axeFaults(own)).toEqual([])
  await press('Save picture', own)
  await expect(own.locator('button[aria-label="Your account"] img')).toBeVisible()
  await press('Remove picture', own)
  await expect(own.locator('button[aria-label="Your account"] img')).toHaveCount(0)
  await own.context().close()
})

test('an admin gives a person a face, which the list of users shows', async ({ browser }) => {
  const body = { name: 'Grace Hopper', email: 'grace@organization.example' }
  const { id: userId } = await superadmin.call(createUser, { params: params(), body })
  const own = await signedIn(browser, product, admin)
  await open(`/organizations/${orgId}/users/${userId}/edit`, own)
  await choose(await pngFile([100, 100], own), own)
  await press('Save picture', own)
  await expect(own.getByRole('button', { name: 'Change picture' })).toBeVisible()
  const { avatar } = await admin.call(readUser, { params: { orgId, userId } })
  await open(`${dashboard()}?tab=users`, own)
  await expect(own.locator(`img[src="/api/pictures/${avatar}"]`)).toBeVisible()
  await own.context().close()
})

test('policies are explained in parts, checked, and changed by the organization’s own admins', async ({
  browser,
}) => {
  const own = await signedIn(browser, product, admin)
  await open('/settings?tab=organization', own)
  for (const part of ['Signing in', 'Viewing', 'Privacy', 'Sending'])
    await expect(own.getByRole('group', { name: part })).toBeVisible()
  await expect(own.getByRole('button', { name: 'Archive' })).toHaveCount(0)
  await own.getByLabel('Answers go to').fill('nowhere')
  await press('Save changes', own)
  await expect(own.locator('[data-error-summary]')).toContainText('Answers go to')
  await own.getByLabel('Answers go to').fill('help@organization.example')
  await own.getByLabel('Name of the sender').fill('Organization Training')
  await own.getByLabel('Messages in a minute').fill('120')
  await own.getByLabel('Own color').fill('#2f80ed')
  await expect(own.getByText('Darkened a little, so that white text can be read.')).toBeVisible()
  await own.getByRole('radio', { name: 'Violet' }).check()
  await expect(own.getByText('Darkened')).toHaveCount(0)
  const zone = own.getByRole('combobox', { name: 'Time zone' })
  await zone.fill('new york')
  await expect(own.getByRole('option', { name: /Eastern Time \(New York\).*\d\d:\d\d/ })).toBeVisible()
  await zone.press('ArrowDown')
  await zone.press('Enter')
  expect(await axeFaults(own)).toEqual([])
  await press('Save changes', own)
  await expect(own.getByText('Your organization was saved.')).toBeVisible()
  const { accentColor, timeZone, policies } = await admin.call(readOrganization, { params: params() })
  expect(timeZone).toBe('America/New_York')
  expect(accentColor).toBe('#4f3790')
  expect(policies).toMatchObject({
    senderName: 'Organization Training',
    replyTo: 'help@organization.example',
    sendPerMinute: 120,
  })
  await own.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(own)
  await own.context().close()
})

test('the dashboard says what needs attention, and leads to where it is done', async () => {
  const database = await openDatabase(product)
  await superadmin.call(createGroup, { params: params(), body: { name: 'Night shift' } })
  await superadmin.call(createInvitation, {
    body: { organizationId: orgId, email: 'late@organization.example', role: 'admin' },
  })
  await database.query(
    `update invitations set expires_at = now() + interval '1 day' where email like 'late@%'`,
  )
  await database.query(
    `update users set last_seen_at = now() - interval '200 days' where email = 'ada@organization.example'`,
  )
  await database.query(
    `insert into suppressions (organization_id, address, reason) values ($1, 'grace@organization.example', 'no_such_mailbox')`,
    [orgId],
  )
  await database.close()
  await open(dashboard())
  const todo = page.getByRole('region', { name: 'Needs attention' })
  await expect(todo.getByRole('listitem')).toContainText([
    '1 invitation ends within 2 days',
    '1 administrator has not been here for 90 days',
    '1 person has an address that does not exist',
    '1 person is in no group',
  ])
  expect(await axeFaults(page)).toEqual([])
  await todo.getByRole('link', { name: /See invitations/ }).click()
  await expect(page.getByRole('rowheader', { name: 'late@organization.example' })).toBeVisible()
  await page.goBack()
  await page.getByRole('link', { name: 'Administrators: 1' }).click()
  await expect(page.getByRole('rowheader')).toHaveText(['Ada Admin'])
  await expect(page).toHaveURL(/tab=users/)
})

test('archiving spells out what it means, says so on every visit, and can be taken back', async ({
  browser,
}) => {
  await open(`/organizations/${orgId}/edit`)
  await press('Archive')
  await expect(dialog()).toContainText('Archive Organization Toys?')
  await expect(dialog()).toContainText('signed out at once')
  await expect(dialog()).toContainText('all evidence of viewing stay')
  expect(await axeFaults(page)).toEqual([])
  await dialog().getByRole('button', { name: 'Archive', exact: true }).click()
  await expect(page.getByText('Organization Toys is archived.')).toBeVisible()
  await expect(admin.call(readOrganization, { params: params() })).rejects.toThrow('401')

  await open(dashboard())
  const banner = page.getByRole('region', { name: 'This organization is archived' })
  await expect(banner).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await banner.getByRole('button', { name: 'Activate' }).click()
  await dialog().getByRole('button', { name: 'Activate', exact: true }).click()
  await expect(banner).toHaveCount(0)
  expect((await superadmin.call(readOrganization, { params: params() })).state).toBe('active')
  await superadmin.call(changeOrganizationState, { params: params(), body: { state: 'suspended' } })
  const other = await signedIn(browser, product, superadmin)
  await open(dashboard(), other)
  await expect(other.getByRole('region', { name: 'This organization is suspended' })).toBeVisible()
  await other.context().close()
  await superadmin.call(changeOrganizationState, { params: params(), body: { state: 'active' } })
})

test('everything fits on a phone, light and dark', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  for (const theme of ['light', 'dark'])
    for (const path of [dashboard(), `/organizations/${orgId}/edit`]) {
      await wear(page, { theme })
      await open(path)
      await fitsAcross(page)
      expect(await axeFaults(page)).toEqual([])
    }
})
