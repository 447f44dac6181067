import { expect, test, type CDPSession, type Page } from '@playwright/test'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createUser } from '#contract/directory/users.ts'
import { appCode } from '../server/testing/factors.ts'
import { firstSuperadmin, passphrase, type Client } from './client.ts'
import { axeFaults, signedIn } from './console.ts'
import { openDatabase, type ProductDatabase } from './database.ts'
import { startProduct, type Product } from './product.ts'

let product: Product
let database: ProductDatabase
let client: Client
let page: Page
let devices: CDPSession
/** Passkeys belong to a name, not to numbers. */
let address: string
let authenticatorId: string
let orgId: string
let userId: string
let secret: string
let codes: string[] = []
const email = 'ada@example.test'

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser }) => {
  product = await startProduct()
  address = product.url.replace('127.0.0.1', 'localhost')
  database = await openDatabase(product)
  client = await firstSuperadmin(product)
  const policies = { mfa: 'required' as const }
  orgId = (await client.call(createOrganization, { body: { name: 'Acme', policies } })).id
  const body = { name: 'Ada Lovelace', email, role: 'admin' as const }
  userId = (await client.call(createUser, { params: { orgId }, body })).id
  await database.query(
    `update users set state = 'active', password_hash = (select password_hash from users where email = 'sue@example.test')
      where id = $1`,
    [userId],
  )
  page = await (await browser.newContext()).newPage()
  devices = await page.context().newCDPSession(page)
})
test.afterAll(async () => {
  await page.context().close()
  await database.close()
  await product.stop()
})

const heading = () => page.getByRole('heading', { level: 1 })
const signInPage = () => page.goto(`${address}/auth-1/sign-in`)
const secretOn = async (where: Page) =>
  ((await where.locator('code').textContent()) ?? '').replaceAll(' ', '')

async function logOut(): Promise<void> {
  await page.getByRole('button', { name: 'Logout' }).click()
  await page.waitForURL('**/auth-1/sign-in')
}

async function givePassword(): Promise<void> {
  await signInPage()
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(passphrase)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('**/auth-1/two-factor')
}

/** Whether somebody touches the device when it is asked for its passkey; what nobody touched stays asked. */
const touch = (enabled: boolean) =>
  devices.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
const asked = () => page.waitForResponse('**/api/auth/passkeys/options')

/** As if no code of an app had been used for long. */
const letAppsRest = () => database.query('update totp_factors set last_step = 0')

test('a sign-in that asks for a second step sets up an app, by keyboard alone', async () => {
  await signInPage()
  await page.getByLabel('Email').focus()
  await page.keyboard.type(email)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type(passphrase)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/auth-1/two-factor')
  await expect(heading()).toHaveText('Add a second step')
  await expect(page.getByRole('img', { name: /^QR code/ })).toBeVisible()
  await expect(page.getByLabel('Code', { exact: true })).toBeFocused()
  expect(await axeFaults(page)).toEqual([])
  secret = await secretOn(page)
  await page.keyboard.type(appCode(secret))
  await expect(heading()).toHaveText('Save your recovery codes')
  await expect(heading()).toBeFocused()
  codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allTextContents()
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

test('the next sign-in asks for the app, and says how many tries are left', async () => {
  await logOut()
  await letAppsRest()
  await givePassword()
  await expect(heading()).toHaveText('Enter the code')
  expect(await axeFaults(page)).toEqual([])
  await page.getByLabel('Code', { exact: true }).pressSequentially(appCode(secret, -5))
  await expect(page.getByRole('alert')).toContainText('You have 4 tries left.')
  await expect(page.getByLabel('Code', { exact: true })).toHaveValue('')
  await page.getByLabel('Code', { exact: true }).pressSequentially(appCode(secret))
  await page.waitForURL('**/dashboard')
})

test('the second step begins anew when its window was lost', async () => {
  await logOut()
  await givePassword()
  await page.reload()
  await expect(heading()).toHaveText('Please sign in again')
  await page.getByRole('link', { name: 'Start again' }).click()
  await expect(heading()).toHaveText('Sign in')
})

test('a recovery code lets in once, and the settings count what is left', async () => {
  await givePassword()
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await expect(page.getByLabel('Recovery code')).toBeFocused()
  expect(await axeFaults(page)).toEqual([])
  await page.getByLabel('Recovery code').fill((codes[0] ?? '').toLowerCase())
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('**/dashboard')
  await page.goto(`${address}/settings?tab=security`)
  await expect(page.getByText('9 left')).toBeVisible()
})

test('a passkey is added, named and used to prove who is there', async () => {
  await devices.send('WebAuthn.enable')
  const added = await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  authenticatorId = added.authenticatorId
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const list = page.getByRole('list', { name: 'Your passkeys' })
  await expect(list.getByRole('listitem')).toHaveCount(1)
  await page.getByRole('button', { name: /^Rename/ }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Laptop')
  await page.getByRole('button', { name: 'Save name' }).click()
  await expect(list.getByText('Laptop')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
})

test('the last factor stays where one is required', async () => {
  await page.getByRole('button', { name: 'Remove app' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove app' }).click()
  await expect(page.getByRole('button', { name: 'Set up an app' })).toBeVisible()
  await page.getByRole('button', { name: 'Remove Laptop' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove passkey' }).click()
  await expect(page.getByText('Your account must have a second step.', { exact: false }).last()).toBeVisible()
  await expect(page.getByRole('list', { name: 'Your passkeys' })).toContainText('Laptop')
})

test('the passkey is the second step after the password', async () => {
  await touch(false)
  await logOut()
  await givePassword()
  await expect(heading()).toHaveText('Use your passkey')
  expect(await axeFaults(page)).toEqual([])
  await touch(true)
  await page.getByRole('button', { name: 'Use passkey' }).click()
  await page.waitForURL('**/dashboard')
})

test('the passkey alone signs in, by its button', async () => {
  await touch(false)
  await logOut()
  // As in a browser that has passkeys, but no list of them below fields.
  await page.evaluate(() => {
    PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)
  })
  await touch(true)
  const byButton = asked()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await byButton
  await page.waitForURL('**/dashboard')
})

test('the passkey alone signs in, from the list below the field', async () => {
  await touch(false)
  await logOut()
  await expect(page.getByLabel('Email')).toHaveAttribute('autocomplete', 'username webauthn')
  await touch(true)
  await page.getByLabel('Email').click()
  await page.waitForURL('**/dashboard')
})

test('a list that the browser refuses is not spoken of, a button that it refuses is', async ({ browser }) => {
  const refused = await (await browser.newContext()).newPage()
  await refused.addInitScript(() => {
    navigator.credentials.get = () => {
      document.documentElement.dataset['refused'] = 'yes'
      return Promise.reject(new DOMException('not here', 'UnknownError'))
    }
  })
  await refused.goto(`${address}/auth-1/sign-in`)
  await refused.getByLabel('Email').click()
  await refused.locator('[data-refused]').waitFor()
  await refused.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
  )
  await expect(refused.getByText('The passkey could not be used')).toHaveCount(0)
  await refused.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(refused.getByText('The passkey could not be used')).toBeVisible()
  await refused.context().close()
})

test('the passkey unlocks, and proves who is there', async () => {
  await page.goto(`${address}/auth-1/lock-screen?return=%2Fsettings%3Ftab%3Dsecurity`)
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
  await page.getByRole('button', { name: 'Done' }).click()
})

test('an administrator resets the second step of somebody, after a second step of their own', async ({
  browser,
}) => {
  const admin = await signedIn(browser, product, client)
  await admin.goto(`${product.url}/dashboard`)
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

  await admin.goto(`${product.url}/organizations/${orgId}/users/${userId}/edit`)
  await admin.getByRole('button', { name: 'Reset second step' }).click()
  const dialog = admin.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Reset second step' }).click()
  await expect(dialog.getByText('Please fill this in.')).toBeVisible()
  expect(await axeFaults(admin)).toEqual([])
  await dialog.getByLabel('Reason').fill('Lost the laptop')
  await dialog.getByRole('button', { name: 'Reset second step' }).click()
  await expect(admin.getByText('The second step of Ada Lovelace was reset.')).toBeVisible()
  await admin.context().close()

  await touch(false)
  await page.reload()
  await page.waitForURL('**/auth-1/sign-in**')
  await givePassword()
  await expect(heading()).toHaveText('Add a second step')
  await touch(true)
  await page.getByRole('button', { name: 'Use a passkey instead' }).click()
  await expect(heading()).toHaveText('Save your recovery codes')
  await page.getByLabel('I have saved them').check()
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.waitForURL('**/dashboard')
})

test('a superadmin sees whom a stricter policy would ask, and changes it', async ({ browser }) => {
  const admin = await signedIn(browser, product, client)
  await admin.goto(`${product.url}/settings?tab=sign-in`)
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
  await admin.context().close()
})
