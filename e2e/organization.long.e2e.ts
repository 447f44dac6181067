import { expect, type Page } from '@playwright/test'
import { createGroup } from '#contract/directory/groups.ts'
import { createInvitation } from '#contract/directory/invitations.ts'
import { changeOrganizationState, readOrganization } from '#contract/directory/organizations.ts'
import { createUser, readUser } from '#contract/directory/users.ts'
import { png } from '#server/testing/media/png.ts'
import { unique } from '#server/testing/unique.ts'
import { newAdmin, newOrganization, type Client } from './client.ts'
import { axeFaults, fitsAcross, press, wear } from './console.ts'
import { openDatabase } from './database.ts'
import type { Product } from './product.ts'
import { test as shared } from './shared.ts'

type World = { product: Product; superadmin: Client; admin: Client; orgId: string; name: string }

/** An organization of an administrator alone. */
const test = shared.extend<{ world: World }>({
  world: async ({ shared: product }, use) => {
    const name = `Organization Toys ${unique()}`
    const { client: superadmin, orgId } = await newOrganization(product, name)
    const admin = await newAdmin(product, superadmin, { orgId, name: 'Ada Admin' })
    await use({ product, superadmin, admin, orgId, name })
  },
})

async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}
const dashboardOf = ({ orgId }: World) => `/organizations/${orgId}/dashboard`

async function choose(page: Page, file: FilePayload): Promise<void> {
  await page.locator('main input[type=file]').first().setInputFiles(file)
}
type FilePayload = { name: string; mimeType: string; buffer: Buffer }
const pngFile = (width: number, height: number): FilePayload => ({
  name: 'logo.png',
  mimeType: 'image/png',
  buffer: png(width, height),
})

/** Adds Grace, whose address does not exist, a group without her, an invitation about to end, and lets the administrator stay away. */
async function neglect({ product, superadmin, orgId }: World): Promise<void> {
  const params = { orgId }
  const [grace, late] = [`grace-${unique()}@organization.example`, `late-${unique()}@organization.example`]
  await superadmin.call(createUser, { params, body: { name: 'Grace Hopper', email: grace } })
  await superadmin.call(createGroup, { params, body: { name: 'Night shift' } })
  await superadmin.call(createInvitation, { body: { organizationId: orgId, email: late, role: 'admin' } })
  const database = await openDatabase(product)
  await database.query(`update invitations set expires_at = now() + interval '1 day' where email = $1`, [
    late,
  ])
  await database.query(
    `update users set last_seen_at = now() - interval '200 days' where organization_id = $1 and role = 'admin'`,
    [orgId],
  )
  await database.query(
    `insert into suppressions (organization_id, address, reason) values ($1, $2, 'no_such_mailbox')`,
    [orgId, grace],
  )
  await database.close()
}

test('an empty organization shows the way to the first message: each step leads to its page and marks the button to press there', async ({
  world,
  open,
}) => {
  const { superadmin, orgId } = world
  const page = await open(superadmin)
  await visit(page, dashboardOf(world))
  await expect(page.getByRole('heading', { name: 'First steps' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Add people' })).toHaveAttribute('aria-current', 'step')
  expect(await axeFaults(page)).toEqual([])
  for (const [step, button, address] of [
    ['Add people', 'Add a person', `/organizations/${orgId}/dashboard?tab=users`],
    ['Add a group', 'Add a group', `/organizations/${orgId}/dashboard?tab=groups`],
    ['Upload a video', 'Upload videos', `/content?organization=${orgId}`],
    ['Send it', 'Add a transmission', `/transmissions?organization=${orgId}`],
  ] as const) {
    await visit(page, dashboardOf(world))
    await page.getByRole('link', { name: step }).click()
    await page.waitForURL(address)
    const marked = page.locator('main [data-marked]')
    await expect(marked).toHaveText(button)
    await expect(marked).toBeFocused()
    await expect(marked).toHaveCSS('outline-style', 'solid')
  }
})

test('an administrator who is alone in it is offered to import people', async ({ world, open }) => {
  const page = await open(world.admin)
  await visit(page, '/organizations')
  await page.waitForURL(`**${dashboardOf(world)}`)
  await page.getByRole('link', { name: /^People/ }).click()
  await page.getByRole('link', { name: 'Import people' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Import people' })).toBeFocused()
})

test('a logo is shown before it is saved, then in the console; what is no picture is refused in words', async ({
  world,
  open,
}) => {
  const { superadmin, orgId, name } = world
  const page = await open(superadmin)
  const dialog = page.getByRole('dialog')
  await visit(page, `/organizations/${orgId}/edit`)
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')
  await choose(page, { name: 'x.svg', mimeType: 'image/svg+xml', buffer: svg })
  await expect(dialog.getByRole('alert')).toContainText('can hold programs')
  await press(page, 'Close')
  await choose(page, { name: 'x.png', mimeType: 'image/png', buffer: Buffer.from('no picture') })
  await expect(dialog.getByRole('alert')).toContainText('no picture that can be read')
  await press(page, 'Close')

  await choose(page, pngFile(600, 200))
  await expect(dialog.getByRole('img', { name: 'The logo on black' })).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  expect((await superadmin.call(readOrganization, { params: { orgId } })).logo).toBeNull()

  await choose(page, pngFile(600, 200))
  await press(page, 'Save picture')
  await expect(page.getByRole('img', { name: `Logo of ${name}` })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Change picture' })).toBeFocused()
  await visit(page, dashboardOf(world))
  const shown = page.locator('img[data-logo]')
  await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(320)
  await visit(page, `/organizations?q=${encodeURIComponent(name)}`)
  await expect(page.getByRole('row', { name }).locator('[data-part=mark] img')).toBeVisible()
})

test('a face is cut with the keyboard alone, and goes when its owner says so', async ({ world, open }) => {
  const page = await open(world.admin)
  await visit(page, '/settings')
  await choose(page, pngFile(300, 200))
  const size = page.getByRole('slider', { name: 'Size' })
  await size.focus()
  for (let n = 0; n < 10; n += 1) await page.keyboard.press('ArrowRight')
  await expect(size).toHaveValue('10')
  await page.getByRole('slider', { name: 'Top to bottom' }).press('Home')
  expect(await axeFaults(page)).toEqual([])
  await press(page, 'Save picture')
  const face = page.locator('button[aria-label="Your account"] img')
  await expect(face).toBeVisible()
  await press(page, 'Remove picture')
  await expect(face).toHaveCount(0)
})

test('an admin gives a person a face, which the list of users shows', async ({ world, open }) => {
  const { admin, orgId } = world
  const body = { name: 'Grace Hopper', email: 'grace@organization.example' }
  const { id: userId } = await admin.call(createUser, { params: { orgId }, body })
  const page = await open(admin)
  await visit(page, `/organizations/${orgId}/users/${userId}/edit`)
  await choose(page, pngFile(100, 100))
  await press(page, 'Save picture')
  await expect(page.getByRole('button', { name: 'Change picture' })).toBeVisible()
  const { avatar } = await admin.call(readUser, { params: { orgId, userId } })
  await visit(page, `${dashboardOf(world)}?tab=users`)
  await expect(page.locator(`img[src="/api/pictures/${avatar}"]`)).toBeVisible()
})

test('policies are explained in parts, checked, and changed by the organization’s own admins', async ({
  world: { admin, orgId },
  open,
}) => {
  const page = await open(admin)
  await visit(page, '/settings?tab=organization')
  for (const part of ['Signing in', 'Viewing', 'Privacy', 'Sending'])
    await expect(page.getByRole('group', { name: part })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Archive' })).toHaveCount(0)
  await page.getByLabel('Answers go to').fill('nowhere')
  await press(page, 'Save changes')
  await expect(page.locator('[data-error-summary]')).toContainText('Answers go to')
  await page.getByLabel('Answers go to').fill('help@organization.example')
  await page.getByLabel('Name of the sender').fill('Organization Training')
  await page.getByLabel('Messages in a minute').fill('120')
  await page.getByLabel('Own color').fill('#2f80ed')
  await expect(page.getByText('Darkened a little, so that white text can be read.')).toBeVisible()
  await page.getByRole('radio', { name: 'Violet' }).check()
  await expect(page.getByText('Darkened')).toHaveCount(0)
  const zone = page.getByRole('combobox', { name: 'Time zone' })
  await zone.fill('new york')
  await expect(page.getByRole('option', { name: /Eastern Time \(New York\).*\d\d:\d\d/ })).toBeVisible()
  await zone.press('ArrowDown')
  await zone.press('Enter')
  expect(await axeFaults(page)).toEqual([])
  await press(page, 'Save changes')
  await expect(page.getByText('Your organization was saved.')).toBeVisible()
  const { accentColor, timeZone, policies } = await admin.call(readOrganization, { params: { orgId } })
  expect(timeZone).toBe('America/New_York')
  expect(accentColor).toBe('#4f3790')
  expect(policies).toMatchObject({
    senderName: 'Organization Training',
    replyTo: 'help@organization.example',
    sendPerMinute: 120,
  })
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
})

test('the dashboard says what needs attention, and leads to where it is done', async ({ world, open }) => {
  await neglect(world)
  const page = await open(world.superadmin)
  await visit(page, dashboardOf(world))
  const todo = page.getByRole('region', { name: 'Needs attention' })
  await expect(todo.getByRole('listitem')).toContainText([
    '1 invitation ends within 2 days',
    '1 administrator has not been here for 90 days',
    '1 person has an address that does not exist',
    '1 person is in no group',
  ])
  expect(await axeFaults(page)).toEqual([])
  await todo.getByRole('link', { name: /See invitations/ }).click()
  await expect(page.getByRole('rowheader', { name: /^late-.*@organization\.example/ })).toBeVisible()
  await page.goBack()
  await page.getByRole('link', { name: 'Administrators: 1' }).click()
  await expect(page.getByRole('rowheader')).toHaveText(['Ada Admin'])
  await expect(page).toHaveURL(/tab=users/)
})

test('archiving spells out what it means, says so on every visit, and can be taken back', async ({
  world,
  open,
}) => {
  const { superadmin, admin, orgId, name } = world
  const params = { orgId }
  const page = await open(superadmin)
  const dialog = page.getByRole('dialog')
  await visit(page, `/organizations/${orgId}/edit`)
  await press(page, 'Archive')
  await expect(dialog).toContainText(`Archive ${name}?`)
  await expect(dialog).toContainText('signed out at once')
  await expect(dialog).toContainText('all evidence of viewing stay')
  expect(await axeFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Archive', exact: true }).click()
  await expect(page.getByText(`${name} is archived.`)).toBeVisible()
  await expect(admin.call(readOrganization, { params })).rejects.toThrow('401')

  await visit(page, dashboardOf(world))
  const banner = page.getByRole('region', { name: 'This organization is archived' })
  await expect(banner).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await banner.getByRole('button', { name: 'Activate' }).click()
  await dialog.getByRole('button', { name: 'Activate', exact: true }).click()
  await expect(banner).toHaveCount(0)
  expect((await superadmin.call(readOrganization, { params })).state).toBe('active')
  await superadmin.call(changeOrganizationState, { params, body: { state: 'suspended' } })
  await visit(page, dashboardOf(world))
  await expect(page.getByRole('region', { name: 'This organization is suspended' })).toBeVisible()
})

test('everything fits on a phone, light and dark', async ({ world, open }) => {
  await neglect(world)
  const page = await open(world.superadmin)
  await page.setViewportSize({ width: 390, height: 844 })
  for (const theme of ['light', 'dark'])
    for (const path of [dashboardOf(world), `/organizations/${world.orgId}/edit`]) {
      await wear(page, { theme })
      await visit(page, path)
      await fitsAcross(page)
      expect(await axeFaults(page)).toEqual([])
    }
})
