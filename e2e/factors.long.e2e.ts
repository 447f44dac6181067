import { expect, type Page } from '@playwright/test'
import { updateOrganization } from '#contract/directory/organizations.ts'
import { readSession, verifyAuthCode } from '#contract/identity/auth.ts'
import { startTotp } from '#contract/identity/factors.ts'
import { appCode, withFlow } from '#server/testing/sign-in/factors.ts'
import { firstSuperadmin, newAdmin, newOrganization, passphrase, type Client } from './client.ts'
import { axeFaults, drawn, signIn } from './console.ts'
import { openDatabase, type ProductDatabase } from './database.ts'
import { onProductOf, test as shared } from './shared.ts'

type Ada = { client: Client; superadmin: Client; orgId: string; userId: string; email: string }
type WithApp = Ada & { secret: string; codes: string[] }
type WithPasskey = WithApp & {
  page: Page
  /** Whether somebody touches the device when it is asked for its passkey; what nobody touched stays asked. */
  touch: (enabled: boolean) => Promise<unknown>
}
type PerTest = {
  database: ProductDatabase
  /** An administrator of an organization that asks everybody for a second step, who has none yet. */
  ada: Ada
  /** Ada, with an app that was set up long ago. */
  withApp: WithApp
  /** Ada, with a passkey beside the app, signed in on a page that shows both. */
  withPasskey: WithPasskey
}

const test = shared.extend<PerTest>({
  // Passkeys belong to a name, not to numbers.
  baseURL: ({ shared: product }, use) => use(product.url.replace('127.0.0.1', 'localhost')),
  database: async ({ shared: product }, use) => {
    const database = await openDatabase(product)
    await use(database)
    await database.close()
  },
  ada: async ({ shared: product }, use) => {
    const { client: superadmin, orgId } = await newOrganization(product, 'Acme')
    const client = await newAdmin(product, superadmin, { orgId, name: 'Ada Lovelace' })
    const body = { name: 'Acme', policies: { mfa: 'required' as const } }
    await superadmin.call(updateOrganization, { params: { orgId }, body })
    const { id: userId, email } = (await client.call(readSession)).user
    await use({ client, superadmin, orgId, userId, email })
  },
  withApp: async ({ ada, database }, use) => {
    const app = await addApp(ada.client)
    // As if no code of it had been used for long.
    await database.query('update totp_factors set last_step = 0 where user_id = $1', [ada.userId])
    await use({ ...ada, ...app })
  },
  withPasskey: async ({ page, baseURL: url = '', withApp }, use) => {
    const devices = await page.context().newCDPSession(page)
    await devices.send('WebAuthn.enable')
    const { authenticatorId } = await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await signIn(page, { url }, withApp.client)
    await page.goto('/settings?tab=security')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await expect(passkeys(page).getByRole('listitem')).toHaveCount(1)
    const touch = (enabled: boolean) =>
      devices.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
    await use({ ...withApp, page, touch })
  },
})

async function addApp(client: Client) {
  const { secret, flowToken } = await client.call(startTotp)
  const body = { code: appCode(secret) }
  const done = await client.call(verifyAuthCode, { body, headers: withFlow(flowToken) })
  if (done.status !== 'mfa_enrolled') throw new Error(`no app was added: ${done.status}`)
  return { secret, codes: done.recoveryCodes }
}

const passkeys = (page: Page) => page.getByRole('list', { name: 'Your passkeys' })
const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const code = (page: Page) => page.getByLabel('Code', { exact: true })
const secretOn = async (page: Page) => ((await page.locator('code').textContent()) ?? '').replaceAll(' ', '')

async function logOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Logout' }).click()
  await page.waitForURL('**/auth-1/sign-in')
}

async function givePassword(page: Page, email: string): Promise<void> {
  await page.goto('/auth-1/sign-in')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(passphrase)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('**/auth-1/two-factor')
}

test('a sign-in that asks for a second step sets up an app, by keyboard alone', async ({ page, ada }) => {
  await page.goto('/auth-1/sign-in')
  await page.getByLabel('Email').focus()
  await page.keyboard.type(ada.email)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type(passphrase)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/auth-1/two-factor')
  await expect(heading(page)).toHaveText('Add a second step')
  await expect(page.getByRole('img', { name: /^QR code/ })).toBeVisible()
  await expect(code(page)).toBeFocused()
  expect(await axeFaults(page)).toEqual([])
  await page.keyboard.type(appCode(await secretOn(page)))
  await expect(heading(page)).toHaveText('Save your recovery codes')
  await expect(heading(page)).toBeFocused()
  const codes = await page
    .getByRole('list', { name: 'Recovery codes' })
    .getByRole('listitem')
    .allTextContents()
  expect(codes).toHaveLength(10)
  expect(await axeFaults(page)).toEqual([])
  const saving = page.waitForEvent('download')
  for (let n = 0; n < 2; n += 1) await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Download' })).toBeFocused()
  await page.keyboard.press('Enter')
  expect((await saving).suggestedFilename()).toBe('sendreel-recovery-codes.txt')
  await expect(page.getByRole('button', { name: 'Go on' })).toBeDisabled()
  for (let n = 0; n < 2; n += 1) await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/dashboard')
  await expect(page.getByRole('heading', { name: 'Protect your account' })).toHaveCount(0)
})

test('the next sign-in asks for the app, and says how many tries are left', async ({
  page,
  withApp: { email, secret },
}) => {
  await givePassword(page, email)
  await expect(heading(page)).toHaveText('Enter the code')
  expect(await axeFaults(page)).toEqual([])
  await code(page).pressSequentially(appCode(secret, -5))
  await expect(page.getByRole('alert')).toContainText('You have 4 tries left.')
  await expect(code(page)).toHaveValue('')
  await code(page).pressSequentially(appCode(secret))
  await page.waitForURL('**/dashboard')
})

test('the second step begins anew when its window was lost', async ({ page, withApp: { email } }) => {
  await givePassword(page, email)
  await page.reload()
  await expect(heading(page)).toHaveText('Please sign in again')
  await page.getByRole('link', { name: 'Start again' }).click()
  await expect(heading(page)).toHaveText('Sign in')
})

test('a recovery code lets in once, and the settings count what is left', async ({
  page,
  withApp: { email, codes },
}) => {
  await givePassword(page, email)
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await expect(page.getByLabel('Recovery code')).toBeFocused()
  expect(await axeFaults(page)).toEqual([])
  await page.getByLabel('Recovery code').fill((codes[0] ?? '').toLowerCase())
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('**/dashboard')
  await page.goto('/settings?tab=security')
  await expect(page.getByText('9 left')).toBeVisible()
})

test('a passkey is added and named', async ({ withPasskey: { page } }) => {
  await page.getByRole('button', { name: /^Rename/ }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Laptop')
  await page.getByRole('button', { name: 'Save name' }).click()
  await expect(passkeys(page).getByText('Laptop')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
})

test('the last factor stays where one is required', async ({ withPasskey: { page } }) => {
  await page.getByRole('button', { name: 'Remove app' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove app' }).click()
  await expect(page.getByRole('button', { name: 'Set up an app' })).toBeVisible()
  await passkeys(page)
    .getByRole('button', { name: /^Remove/ })
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove passkey' }).click()
  await expect(page.getByText('Your account must have a second step.', { exact: false }).last()).toBeVisible()
  await expect(passkeys(page).getByRole('listitem')).toHaveCount(1)
})

test('the passkey is the second step after the password', async ({ withPasskey: { page, touch, email } }) => {
  await touch(false)
  await logOut(page)
  await givePassword(page, email)
  await expect(heading(page)).toHaveText('Use your passkey')
  expect(await axeFaults(page)).toEqual([])
  await touch(true)
  await page.getByRole('button', { name: 'Use passkey' }).click()
  await page.waitForURL('**/dashboard')
})

test('the passkey alone signs in, by its button', async ({ withPasskey: { page, touch } }) => {
  await touch(false)
  await logOut(page)
  // As in a browser that has passkeys, but no list of them below fields.
  await page.evaluate(() => {
    PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)
  })
  await touch(true)
  const byButton = page.waitForResponse('**/api/auth/passkeys/options')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await byButton
  await page.waitForURL('**/dashboard')
})

test('the passkey alone signs in, from the list below the field', async ({
  withPasskey: { page, touch },
}) => {
  await touch(false)
  await logOut(page)
  await expect(page.getByLabel('Email')).toHaveAttribute('autocomplete', 'username webauthn')
  await touch(true)
  await page.getByLabel('Email').click()
  await page.waitForURL('**/dashboard')
})

test('a list that the browser refuses is not spoken of, a button that it refuses is', async ({ page }) => {
  await page.addInitScript(() => {
    navigator.credentials.get = () => {
      document.documentElement.dataset['refused'] = 'yes'
      return Promise.reject(new DOMException('not here', 'UnknownError'))
    }
  })
  await page.goto('/auth-1/sign-in')
  await page.getByLabel('Email').click()
  await page.locator('[data-refused]').waitFor()
  await drawn(page)
  await expect(page.getByText('The passkey could not be used')).toHaveCount(0)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page.getByText('The passkey could not be used')).toBeVisible()
})

test('the passkey unlocks, and proves who is there', async ({ database, withPasskey: { page, userId } }) => {
  await page.goto('/auth-1/lock-screen?return=%2Fsettings%3Ftab%3Dsecurity')
  await page.getByRole('button', { name: 'Unlock with a passkey' }).click()
  await page.waitForURL('**/settings?tab=security')
  await expect(page.getByRole('button', { name: 'Make new codes' })).toBeVisible()
  await database.query(
    `update sessions set reauthenticated_at = now() - interval '11 minutes' where user_id = $1`,
    [userId],
  )
  await page.getByRole('button', { name: 'Make new codes' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Make new codes' }).click()
  const proof = page.getByRole('dialog', { name: 'Please confirm that it is you' })
  await expect(proof).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await proof.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(proof).toBeHidden()
  await expect(page.getByLabel('I have saved them')).toBeVisible()
  await page.getByLabel('I have saved them').check()
})

test('an administrator resets the second step of somebody, after a second step of their own', async ({
  open,
  withPasskey: { page, touch, superadmin, orgId, userId, email },
}) => {
  const admin = await open(superadmin)
  await admin.goto('/dashboard')
  await admin.getByRole('link', { name: 'Add a second step' }).click()
  await admin.getByRole('button', { name: 'Set up an app' }).click()
  const own = await secretOn(admin)
  expect(await axeFaults(admin)).toEqual([])
  await admin.getByRole('dialog').getByLabel('Code', { exact: true }).fill(appCode(own))
  await admin.getByRole('button', { name: 'Confirm' }).click()
  await admin.getByLabel('I have saved them').check()
  expect(await axeFaults(admin)).toEqual([])
  await admin.getByRole('button', { name: 'Done' }).click()
  await expect(admin.getByText('10 left')).toBeVisible()

  await admin.goto(`/organizations/${orgId}/users/${userId}/edit`)
  await admin.getByRole('button', { name: 'Reset second step' }).click()
  const dialog = admin.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Reset second step' }).click()
  await expect(dialog.getByText('Please fill this in.')).toBeVisible()
  expect(await axeFaults(admin)).toEqual([])
  await dialog.getByLabel('Reason').fill('Lost the laptop')
  await dialog.getByRole('button', { name: 'Reset second step' }).click()
  await expect(admin.getByText('The second step of Ada Lovelace was reset.')).toBeVisible()

  await touch(false)
  await page.reload()
  await page.waitForURL('**/auth-1/sign-in**')
  await givePassword(page, email)
  await expect(heading(page)).toHaveText('Add a second step')
  await touch(true)
  await page.getByRole('button', { name: 'Use a passkey instead' }).click()
  await expect(heading(page)).toHaveText('Save your recovery codes')
  await page.getByLabel('I have saved them').check()
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.waitForURL('**/dashboard')
})

onProductOf()(
  'a superadmin sees whom a stricter policy would ask, and changes it',
  async ({ shared: product, open }) => {
    const client = await firstSuperadmin(product)
    await addApp(client)
    const admin = await open(client)
    await admin.goto('/settings?tab=sign-in')
    await expect(admin.getByRole('radio', { name: 'As each person likes' })).toBeChecked()
    await expect(
      admin.getByText('Superadmins and administrators need one; 0 people have none yet.', { exact: false }),
    ).toBeVisible()
    await admin.getByRole('radio', { name: 'For administrators' }).check()
    expect(await axeFaults(admin)).toEqual([])
    await admin.getByRole('button', { name: 'Save changes' }).click()
    await expect(admin.getByText('What signing in asks for was saved.')).toBeVisible()
    await admin.reload()
    await expect(admin.getByRole('radio', { name: 'For administrators' })).toBeChecked()
  },
)
