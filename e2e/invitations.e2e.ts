import { expect, type Browser, type Page } from '@playwright/test'
import { createGroup, listGroups } from '#contract/directory/groups.ts'
import { createInvitation, listInvitations, revokeInvitation } from '#contract/directory/invitations.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createUser } from '#contract/directory/users.ts'
import { unique } from '#server/testing/unique.ts'
import { axeFaults, narrow, press, rowAct } from './console.ts'
import { openDatabase } from './database.ts'
import { waitFor, type Mailbox } from './mailbox.ts'
import { mailed } from './mailed.ts'

type World = {
  page: Page
  orgId: string
  orgName: string
}

/** The console says when the mail server has taken an invitation. */
const test = mailed.extend<{ world: World }>({
  world: async ({ superadmin, open }, use) => {
    const orgName = `Tailspin ${unique()}`
    const orgId = (await superadmin.call(createOrganization, { body: { name: orgName } })).id
    await superadmin.call(createGroup, { params: { orgId }, body: { name: 'Apollo' } })
    await use({ page: await open(superadmin), orgId, orgName })
  },
})

/** No other test writes to this address. */
const addressOf = (name: string) => `${name}-${unique()}@example.test`
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name })
const dialog = (page: Page) => page.getByRole('dialog')
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
const linkIn = (text: string) => /https?:\/\/\S+\/auth-1\/sign-up\?invite=\S+/.exec(text)?.[0] ?? ''
const linkTo = async (mailbox: Mailbox, address: string) => linkIn((await mailbox.to(address)).text)
/** The newest of so many mails with a link. */
const newestLink = (mailbox: Mailbox, address: string, nth: number) =>
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

test('pasted addresses are looked at before anything is sent, and each says what has become of it', async ({
  mailbox,
  superadmin,
  world: { page, orgId },
}) => {
  const [ada, bob, rita] = [addressOf('ada'), addressOf('bob'), addressOf('rita')]
  await superadmin.call(createUser, { params: { orgId }, body: { name: 'Rita', email: rita } })
  await page.goto(`/organizations/${orgId}/dashboard?tab=invitations`)
  await expect(page.getByText('Nobody was invited yet')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('link', { name: 'Invite people' }).first().click()
  await expect(heading(page, 'Invite people')).toBeFocused()
  await press(page, 'Check addresses')
  await expect(page.getByText('Please fill this in.').first()).toBeVisible()
  await page
    .getByLabel('Email addresses')
    .fill(`Ada Berg <${ada}>, ${bob}\n${rita}\nnonsense\n${ada.toUpperCase()}`)
  await page.getByRole('radio', { name: 'Group administrator' }).check()
  await page.getByRole('combobox', { name: /Groups/ }).fill('apo')
  await page.getByRole('option', { name: 'Apollo' }).click()
  await page.keyboard.press('Escape')
  expect(await axeFaults(page)).toEqual([])
  await press(page, 'Check addresses')
  await expect(heading(page, '3 invitations to send')).toBeFocused()
  await expect(row(page, 'nonsense')).toContainText('Not an address')
  await expect(row(page, rita)).toContainText('Is here already, gets the role')
  await expect(page.getByRole('row').filter({ hasText: 'Twice in the list' })).toHaveCount(1)
  expect(mailbox.mails.filter(({ to }) => [ada, bob, rita].includes(to))).toEqual([])
  expect(await axeFaults(page)).toEqual([])
  await press(page, 'Send 3 invitations')
  await expect(heading(page, '3 invitations sent')).toBeFocused()
  await expect(row(page, bob)).toContainText('Invited')
  await page.getByRole('link', { name: 'Show all invitations' }).click()
  await expect(row(page, ada)).toContainText('Pending')
  await expect(async () => {
    await page.reload()
    await expect(row(page, ada)).toContainText('Sent', { timeout: 2_000 })
  }).toPass()
  expect(await axeFaults(page)).toEqual([])
})

test('whoever is invited chooses a password by keyboard alone, and lands in the console with the role', async ({
  browser,
  mailbox,
  superadmin,
  world: { orgId, orgName },
}) => {
  const email = addressOf('ada')
  const { items: groups } = await superadmin.call(listGroups, { params: { orgId } })
  const body = { organizationId: orgId, email, name: 'Ada Berg', role: 'groupadmin' as const }
  await superadmin.call(createInvitation, { body: { ...body, groupIds: groups.map(({ id }) => id) } })
  const guest = await fresh(browser, await linkTo(mailbox, email))
  await expect(heading(guest, `Join ${orgName}`)).toBeVisible()
  await expect(guest.getByText('invites you as group administrator, with the group Apollo')).toBeVisible()
  await expect(guest.getByLabel('Email')).toHaveValue(email)
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
  await expect(heading(guest, /./).first()).toBeVisible()
  // A list with one row would say nothing: whoever has one organization comes to it.
  await guest.goto('/organizations')
  await guest.waitForURL(`**/organizations/${orgId}/dashboard`)
  await expect(guest.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link')).toHaveCount(0)
  await guest.getByRole('link', { name: 'Invitations' }).click()
  await guest.getByRole('link', { name: 'Invite people' }).first().click()
  await expect(guest.getByRole('combobox', { name: 'Groups' })).toBeVisible()
  await guest.getByLabel('Email addresses').fill('carl@example.test')
  await press(guest, 'Check addresses')
  await expect(guest.getByText('Please fill this in.').first()).toBeVisible()
  await guest.context().close()
  await expect
    .poll(() => mailbox.mails.filter(({ to }) => to === 'sue@example.test').map(({ subject }) => subject))
    .toContain('Ada Berg has accepted your invitation')
  const again = await fresh(browser, await linkTo(mailbox, email))
  await expect(heading(again, 'This invitation was accepted already')).toBeVisible()
  await expect(again.getByRole('link', { name: 'Sign in' })).toBeVisible()
  expect(await axeFaults(again)).toEqual([])
  await again.context().close()
})

test('an invitation is taken back after a question, and given back by inviting again', async ({
  browser,
  shared: product,
  mailbox,
  superadmin,
  world: { page, orgId, orgName },
}) => {
  const [bob, rita] = [addressOf('bob'), addressOf('rita')]
  for (const email of [bob, rita])
    await superadmin.call(createInvitation, { body: { organizationId: orgId, email, role: 'admin' } })
  await page.goto(`/organizations/${orgId}/dashboard?tab=invitations`)
  const former = await linkTo(mailbox, bob)
  await rowAct(page, bob, 'Take back')
  await expect(dialog(page)).toContainText('stops working at once')
  await press(page, 'Take back')
  await expect(row(page, bob)).toContainText('Taken back')
  const guest = await fresh(browser, former)
  await expect(heading(guest, 'This invitation was taken back')).toBeVisible()
  await expect(guest.getByText(`Ask Sue Perior (${orgName}) to invite you again.`)).toBeVisible()
  expect(await axeFaults(guest)).toEqual([])
  await rowAct(page, bob, 'Invite again')
  await dialog(page).getByRole('button', { name: 'Invite again' }).click()
  await expect(row(page, bob)).toContainText('Pending')
  const link = await newestLink(mailbox, bob, 2)
  expect(link).not.toBe(former)
  await guest.goto(former)
  await expect(heading(guest, 'This link is no longer valid')).toBeVisible()
  await guest.goto(link)
  await expect(heading(guest, `Join ${orgName}`)).toBeVisible()
  const database = await openDatabase(product)
  await database.query('update invitations set expires_at = now() where email = $1', [bob])
  await database.close()
  await guest.getByLabel('Name').fill('Bob')
  await guest.getByLabel('Password', { exact: true }).fill(passphrase)
  await guest.getByLabel('The same again').fill(passphrase)
  await press(guest, 'Accept the invitation')
  await expect(heading(guest, 'This invitation has expired')).toBeVisible()
  expect(await axeFaults(guest)).toEqual([])
  await guest.context().close()
  await narrow(page, 'State', 'expired')
  await expect(page).toHaveURL(/state=expired/)
  await expect(row(page, bob)).toContainText('Expired')
  await expect(row(page, rita)).toHaveCount(0)
})

test(
  'a browser that is signed in as somebody else says so, and signs out before going on',
  { tag: '@long' },
  async ({ mailbox, superadmin, world: { page, orgId } }) => {
    const email = addressOf('dora')
    await superadmin.call(createInvitation, { body: { organizationId: orgId, email, role: 'admin' } })
    const link = await linkTo(mailbox, email)
    const other = await page.context().newPage()
    await other.goto(link)
    await expect(heading(other, 'You are signed in as somebody else')).toBeVisible()
    expect(await axeFaults(other)).toEqual([])
    await expect(other.getByRole('link', { name: 'Stay signed in as sue@example.test' })).toBeVisible()
    await other.close()
    const { items } = await superadmin.call(listInvitations, { query: { q: email } })
    await superadmin.call(revokeInvitation, { params: { invitationId: items[0]?.id ?? '' } })
  },
)

test(
  'an address with an account is led to signing in, and signing up without an invitation is explained',
  { tag: '@long' },
  async ({ browser, shared: product, mailbox, superadmin, world: { orgId } }) => {
    const email = addressOf('emil')
    await superadmin.call(createInvitation, { body: { organizationId: orgId, email, role: 'admin' } })
    const link = await linkTo(mailbox, email)
    // Who has chosen a password has proved the mailbox.
    const database = await openDatabase(product)
    await database.query(
      `insert into users (organization_id, name, email, role, password_hash) values ($1, 'Emil', $2, 'groupadmin', 'chosen')`,
      [orgId, email],
    )
    await database.close()
    const guest = await fresh(browser, link)
    await expect(heading(guest, 'You have an account already')).toBeVisible()
    await guest.getByRole('link', { name: 'Sign in' }).click()
    await guest.waitForURL('**/auth-1/sign-in')
    await guest.goto('/auth-1/sign-up')
    await expect(guest.getByText('open sign-up is switched off')).toBeVisible()
    await guest.context().close()
  },
)

test('a person who was created with a role is sent another invitation from their page', async ({
  mailbox,
  superadmin,
  world: { page, orgId },
}) => {
  const email = addressOf('fritz')
  const body = { name: 'Fritz', email, role: 'admin' as const }
  const { id } = await superadmin.call(createUser, { params: { orgId }, body })
  const former = await linkTo(mailbox, email)
  await page.goto(`/organizations/${orgId}/users/${id}/edit`)
  await press(page, 'Resend invitation')
  await expect(page.getByText(`A new invitation to ${email} is on its way.`)).toBeVisible()
  expect(await newestLink(mailbox, email, 2)).not.toBe(former)
})

test(
  'superadmins are invited from the list of organizations',
  { tag: '@long' },
  async ({ mailbox, world: { page } }) => {
    const email = addressOf('gerd')
    await page.goto('/organizations')
    await page.getByRole('link', { name: 'Invite a superadmin' }).click()
    await expect(heading(page, 'Invited superadmins')).toBeFocused()
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('link', { name: 'Invite a superadmin' }).first().click()
    await page.getByLabel('Email addresses').fill(email)
    await press(page, 'Check addresses')
    await press(page, 'Send 1 invitation')
    await page.getByRole('link', { name: 'Show all invitations' }).click()
    await expect(row(page, email)).toContainText('Superadmin')
    expect((await mailbox.to(email)).text).toContain('administer the whole installation')
  },
)
