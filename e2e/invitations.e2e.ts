import { expect, test, type Browser, type Page } from '@playwright/test'
import { createGroup } from '#contract/groups.ts'
import { createInvitation, listInvitations, revokeInvitation } from '#contract/invitations.ts'
import { createOrganization } from '#contract/organizations.ts'
import { createUser } from '#contract/users.ts'
import { firstSuperadmin, type Client } from './client.ts'
import { axeFaults, narrow, rowAct, signedIn } from './console.ts'
import { openDatabase, type ProductDatabase } from './database.ts'
import { openMailbox, waitFor, type Mailbox } from './mailbox.ts'
import { startProduct, type Product } from './product.ts'

let mailbox: Mailbox
let product: Product
let database: ProductDatabase
let client: Client
let page: Page
let orgId: string

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser }) => {
  mailbox = await openMailbox()
  product = await startProduct({ SMTP_URL: mailbox.url })
  database = await openDatabase(product)
  client = await firstSuperadmin(product)
  orgId = (await client.call(createOrganization, { body: { name: 'Tailspin Toys' } })).id
  await client.call(createGroup, { params: { orgId }, body: { name: 'Apollo' } })
  page = await signedIn(browser, product, client)
})
test.afterAll(async () => {
  await page.context().close()
  await database.close()
  await product.stop()
  await mailbox.close()
})

const press = (name: string, on = page) => on.getByRole('button', { name, exact: true }).click()
const heading = (name: string | RegExp, on = page) => on.getByRole('heading', { name })
const dialog = () => page.getByRole('dialog')
const row = (text: string) => page.getByRole('row').filter({ hasText: text })
const linkIn = (text: string) => /https?:\/\/\S+\/auth-1\/sign-up\?invite=\S+/.exec(text)?.[0] ?? ''
const linkTo = async (address: string) => linkIn((await mailbox.to(address)).text)
/** The newest of so many mails with a link. */
const newestLink = (address: string, nth: number) =>
  waitFor(() => {
    const mails = mailbox.mails.filter(({ to, text }) => to === address && linkIn(text) !== '')
    return mails.length === nth ? linkIn(mails.at(-1)?.text ?? '') : undefined
  }, `mail number ${nth} to ${address}`)
const passphrase = 'four quiet green mornings'

async function fresh(browser: Browser, address: string): Promise<Page> {
  const opened = await (await browser.newContext()).newPage()
  await opened.goto(address)
  return opened
}

test('pasted addresses are looked at before anything is sent, and each says what has become of it', async () => {
  await client.call(createUser, { params: { orgId }, body: { name: 'Rita', email: 'rita@example.test' } })
  await page.goto(`${product.url}/organizations/${orgId}/dashboard?tab=invitations`)
  await expect(page.getByText('Nobody was invited yet')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('link', { name: 'Invite people' }).first().click()
  await expect(heading('Invite people')).toBeFocused()
  await press('Check addresses')
  await expect(page.getByText('Please fill this in.').first()).toBeVisible()
  await page
    .getByLabel('Email addresses')
    .fill('Ada Berg <ada@example.test>, bob@example.test\nrita@example.test\nnonsense\nADA@example.test')
  await page.getByRole('radio', { name: 'Group administrator' }).check()
  await page.getByRole('combobox', { name: /Groups/ }).fill('apo')
  await page.getByRole('option', { name: 'Apollo' }).click()
  await page.keyboard.press('Escape')
  expect(await axeFaults(page)).toEqual([])
  await press('Check addresses')
  await expect(heading('3 invitations to send')).toBeFocused()
  await expect(row('nonsense')).toContainText('Not an address')
  await expect(row('rita@example.test')).toContainText('Is here already, gets the role')
  await expect(page.getByRole('row').filter({ hasText: 'Twice in the list' })).toHaveCount(1)
  expect(mailbox.mails).toEqual([])
  expect(await axeFaults(page)).toEqual([])
  await press('Send 3 invitations')
  await expect(heading('3 invitations sent')).toBeFocused()
  await expect(row('bob@example.test')).toContainText('Invited')
  await page.getByRole('link', { name: 'Show all invitations' }).click()
  await expect(row('ada@example.test')).toContainText('Pending')
  await expect(async () => {
    await page.reload()
    await expect(row('ada@example.test')).toContainText('Sent', { timeout: 2_000 })
  }).toPass()
  expect(await axeFaults(page)).toEqual([])
})

test('whoever is invited chooses a password by keyboard alone, and lands in the console with the role', async ({
  browser,
}) => {
  const guest = await fresh(browser, await linkTo('ada@example.test'))
  await expect(heading('Join Tailspin Toys', guest)).toBeVisible()
  await expect(guest.getByText('invites you as group administrator, with the group Apollo')).toBeVisible()
  await expect(guest.getByLabel('Email')).toHaveValue('ada@example.test')
  await expect(guest.getByLabel('Email')).not.toBeEditable()
  await expect(guest.getByLabel('Name')).toHaveValue('Ada Berg')
  expect(await axeFaults(guest)).toEqual([])
  await guest.getByLabel('Name').focus()
  await guest.keyboard.press('Tab')
  await guest.keyboard.press('Tab')
  await guest.keyboard.type('too short')
  await guest.keyboard.press('Enter')
  await expect(guest.getByLabel('Password', { exact: true })).toBeFocused()
  await expect(guest.getByText('Use at least 15 characters').first()).toBeVisible()
  await guest.keyboard.press('ControlOrMeta+a')
  await guest.keyboard.type(passphrase)
  await expect(guest.getByRole('status').filter({ hasText: 'Strong' })).toBeVisible()
  await guest.keyboard.press('Tab')
  await guest.keyboard.press('Tab')
  await guest.keyboard.type(passphrase)
  await guest.keyboard.press('Enter')
  await guest.waitForURL('**/dashboard')
  await expect(heading(/./, guest).first()).toBeVisible()
  // A list with one row would say nothing: whoever has one organization comes to it.
  await guest.goto(`${product.url}/organizations`)
  await guest.waitForURL(`**/organizations/${orgId}/dashboard`)
  await expect(guest.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link')).toHaveCount(0)
  await guest.getByRole('link', { name: 'Invitations' }).click()
  await guest.getByRole('link', { name: 'Invite people' }).first().click()
  await expect(guest.getByRole('combobox', { name: 'Groups' })).toBeVisible()
  await guest.getByLabel('Email addresses').fill('carl@example.test')
  await press('Check addresses', guest)
  await expect(guest.getByText('Please fill this in.').first()).toBeVisible()
  await guest.context().close()
  const told = await mailbox.to('sue@example.test')
  expect(told.subject).toBe('Ada Berg has accepted your invitation')
  const again = await fresh(browser, await linkTo('ada@example.test'))
  await expect(heading('This invitation was accepted already', again)).toBeVisible()
  await expect(again.getByRole('link', { name: 'Sign in' })).toBeVisible()
  expect(await axeFaults(again)).toEqual([])
  await again.context().close()
})

test('an invitation is taken back after a question, and given back by inviting again', async ({
  browser,
}) => {
  await page.goto(`${product.url}/organizations/${orgId}/dashboard?tab=invitations`)
  const former = await linkTo('bob@example.test')
  await rowAct(page, 'bob@example.test', 'Take back')
  await expect(dialog()).toContainText('stops working at once')
  await press('Take back')
  await expect(row('bob@example.test')).toContainText('Taken back')
  const guest = await fresh(browser, former)
  await expect(heading('This invitation was taken back', guest)).toBeVisible()
  await expect(guest.getByText('Ask Sue Perior (Tailspin Toys) to invite you again.')).toBeVisible()
  expect(await axeFaults(guest)).toEqual([])
  await rowAct(page, 'bob@example.test', 'Invite again')
  await dialog().getByRole('button', { name: 'Invite again' }).click()
  await expect(row('bob@example.test')).toContainText('Pending')
  const link = await newestLink('bob@example.test', 2)
  expect(link).not.toBe(former)
  await guest.goto(former)
  await expect(heading('This link is no longer valid', guest)).toBeVisible()
  await guest.goto(link)
  await expect(heading('Join Tailspin Toys', guest)).toBeVisible()
  await database.query(`update invitations set expires_at = now() where email = 'bob@example.test'`)
  await guest.getByLabel('Name').fill('Bob')
  await guest.getByLabel('Password', { exact: true }).fill(passphrase)
  await guest.getByLabel('The same again').fill(passphrase)
  await press('Accept the invitation', guest)
  await expect(heading('This invitation has expired', guest)).toBeVisible()
  expect(await axeFaults(guest)).toEqual([])
  await guest.context().close()
  await narrow(page, 'State', 'expired')
  await expect(page).toHaveURL(/state=expired/)
  await expect(row('bob@example.test')).toContainText('Expired')
  await expect(row('rita@example.test')).toHaveCount(0)
})

test(
  'a browser that is signed in as somebody else says so, and signs out before going on',
  { tag: '@long' },
  async () => {
    const email = 'dora@example.test'
    await client.call(createInvitation, { body: { organizationId: orgId, email, role: 'admin' } })
    const link = await linkTo(email)
    const other = await page.context().newPage()
    await other.goto(link)
    await expect(heading('You are signed in as somebody else', other)).toBeVisible()
    expect(await axeFaults(other)).toEqual([])
    await expect(other.getByRole('link', { name: 'Stay signed in as sue@example.test' })).toBeVisible()
    await other.close()
    const { items } = await client.call(listInvitations, { query: { q: email } })
    await client.call(revokeInvitation, { params: { invitationId: items[0]?.id ?? '' } })
  },
)

test(
  'an address with an account is led to signing in, and signing up without an invitation is explained',
  { tag: '@long' },
  async ({ browser }) => {
    const email = 'emil@example.test'
    await client.call(createInvitation, { body: { organizationId: orgId, email, role: 'admin' } })
    const link = await linkTo(email)
    // Who has chosen a password has proved the mailbox.
    await database.query(
      `insert into users (organization_id, name, email, role, password_hash) values ($1, 'Emil', $2, 'groupadmin', 'chosen')`,
      [orgId, email],
    )
    const guest = await fresh(browser, link)
    await expect(heading('You have an account already', guest)).toBeVisible()
    await guest.getByRole('link', { name: 'Sign in' }).click()
    await guest.waitForURL('**/auth-1/sign-in')
    await guest.goto(`${product.url}/auth-1/sign-up`)
    await expect(guest.getByText('open sign-up is switched off')).toBeVisible()
    await guest.context().close()
  },
)

test('a person who was created with a role is sent another invitation from their page', async () => {
  const email = 'fritz@example.test'
  const body = { name: 'Fritz', email, role: 'admin' as const }
  const { id } = await client.call(createUser, { params: { orgId }, body })
  const former = await linkTo(email)
  await page.goto(`${product.url}/organizations/${orgId}/users/${id}/edit`)
  await press('Resend invitation')
  await expect(page.getByText(`A new invitation to ${email} is on its way.`)).toBeVisible()
  expect(await newestLink(email, 2)).not.toBe(former)
})

test('superadmins are invited from the list of organizations', { tag: '@long' }, async () => {
  await page.goto(`${product.url}/organizations`)
  await page.getByRole('link', { name: 'Invite a superadmin' }).click()
  await expect(heading('Invited superadmins')).toBeFocused()
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('link', { name: 'Invite a superadmin' }).first().click()
  await page.getByLabel('Email addresses').fill('gerd@example.test')
  await press('Check addresses')
  await press('Send 1 invitation')
  await page.getByRole('link', { name: 'Show all invitations' }).click()
  await expect(row('gerd@example.test')).toContainText('Superadmin')
  expect((await mailbox.to('gerd@example.test')).text).toContain('administer the whole installation')
})
