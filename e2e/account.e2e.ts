import { expect, test, type Browser, type Page } from '@playwright/test'
import { readAccount } from '#contract/account.ts'
import { defaultSecurity, updateSecurity } from '#contract/security.ts'
import { listOutbox } from '#contract/system.ts'
import { createOrganization } from '#contract/organizations.ts'
import { createUser } from '#contract/users.ts'
import { accept, clientOf, firstSuperadmin, passphrase, type Client } from './client.ts'
import { askEachAlone, axeFaults, fitsAcross, signedIn } from './console.ts'
import { waitFor } from './mailbox.ts'
import { startProduct, type Product } from './product.ts'

let product: Product
let superadmin: Client
let email = 'ada@example.test'
const first = 'a reel of blue film'
const second = 'another reel of film'
const third = 'the third reel of film'

test.describe.configure({ mode: 'serial' })

test.beforeAll(async () => {
  product = await startProduct()
  superadmin = await firstSuperadmin(product)
  const { id: orgId } = await superadmin.call(createOrganization, { body: { name: 'Acme' } })
  await superadmin.call(createUser, { params: { orgId }, body: { name: 'Ada Berg', email, role: 'admin' } })
  await accept(product, superadmin, { email, name: 'Ada Berg' })
})
test.afterAll(() => product.stop())

const field = (page: Page, name: string) => page.getByLabel(name, { exact: true })
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const heading = (page: Page) => page.getByRole('heading', { level: 1 })

/** Subjects of the mails to an address, newest first. */
async function mailsTo(address: string) {
  return (await superadmin.call(listOutbox, { query: { q: address } })).items.filter(
    ({ to }) => to === address,
  )
}
const subjectTo = (address: string, subject: string) =>
  waitFor(
    async () => (await mailsTo(address)).find((mail) => mail.subject.startsWith(subject)),
    `${subject} to ${address}`,
  )

async function codeTo(address: string, subject: string): Promise<string> {
  return /\b\d{6}\b/.exec((await subjectTo(address, subject)).text)?.[0] ?? ''
}

async function enter(page: Page, given: string): Promise<void> {
  await page.goto(`${product.url}/auth-1/sign-in`)
  await field(page, 'Email').fill(email)
  await field(page, 'Password').fill(given)
  await press(page, 'Sign in')
}

async function fresh(browser: Browser): Promise<Page> {
  return (await browser.newContext()).newPage()
}

let page: Page

test('a code by mail sets a password, by keyboard, with a hint about letters that are put together', async ({
  browser,
}) => {
  page = await fresh(browser)
  await page.goto(`${product.url}/auth-1/reset-password`)
  await field(page, 'Email').focus()
  await page.keyboard.type(email)
  await page.keyboard.press('Enter')
  await expect(heading(page)).toHaveText('Ask for your code')
  await expect(page.getByText('This installation sends no mail yet.')).toBeVisible()
  await expect(page.getByText(/You can ask for another code in \d+ s/)).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('link', { name: 'Enter the code' }).press('Enter')
  await expect(field(page, 'Code')).toBeFocused()
  await page.keyboard.type(await codeTo(email, 'Your code for a new password'))
  await page.keyboard.press('Enter')
  await expect(heading(page)).toHaveText('Choose a new password')
  await field(page, 'New password').fill('un cafe\u0301 noir sans sucre')
  await expect(page.getByText(/puts together of two signs/)).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await field(page, 'New password').fill('passwordpassword')
  await field(page, 'The same again').fill('passwordpassword')
  await press(page, 'Update password')
  await expect(page.getByText('This password is among the most common ones.')).toBeVisible()
  await field(page, 'New password').fill(first)
  await field(page, 'The same again').fill(first)
  await press(page, 'Update password')
  await expect(heading(page)).toHaveText('Sign in')
  await enter(page, first)
  await page.waitForURL('**/dashboard')
  expect((await mailsTo(email)).map(({ subject }) => subject)).not.toContain('New sign-in – Sendreel')
})

test('the profile is saved, shown in the frame, guarded, and kept from being overwritten', async () => {
  await page.goto(`${product.url}/settings`)
  await expect(field(page, 'Name')).toHaveValue('Ada Berg')
  await field(page, 'Name').fill('')
  await press(page, 'Save changes')
  await expect(page.getByRole('alert')).toContainText('Please fill this in.')
  await field(page, 'Name').fill('Ada Lovelace')
  await page.getByRole('link', { name: 'Dashboard' }).first().click()
  await expect(page.getByRole('dialog', { name: 'Leave without saving?' })).toBeVisible()
  await press(page, 'Stay')
  await press(page, 'Save changes')
  await expect(page.getByText('Your profile was saved.')).toBeVisible()
  await expect(page.getByRole('region', { name: 'You' })).toContainText('Ada Lovelace')
  expect(await axeFaults(page)).toEqual([])
})

test('another password: what is wrong stands at its field; this session goes on, another one ends', async ({
  browser,
}) => {
  const other = await fresh(browser)
  await enter(other, first)
  await other.waitForURL('**/dashboard')
  await subjectTo(email, 'New sign-in')
  await field(page, 'Present password').fill('not the present one')
  await field(page, 'New password').fill(second)
  await field(page, 'The same again').fill(second)
  await press(page, 'Change my password')
  await expect(page.getByText('This is not your present password.')).toBeVisible()
  await expect(field(page, 'Present password')).toBeFocused()
  await field(page, 'Present password').fill(first)
  await press(page, 'Change my password')
  await expect(page.getByText('Your password was changed. 1 other session ended.')).toBeVisible()
  await expect(field(page, 'New password')).toHaveValue('')
  await subjectTo(email, 'Your password was changed')
  await page.reload()
  await expect(field(page, 'Name')).toHaveValue('Ada Lovelace')
  await other.goto(`${product.url}/settings`)
  await other.waitForURL('**/auth-1/sign-in?return=%2Fsettings')
  await other.context().close()
})

test('another address counts after its code, and both are told', async () => {
  const address = 'ada.new@example.test'
  await field(page, 'New email address').fill('no address')
  await press(page, 'Send the code')
  await expect(page.getByText('This is not an email address.')).toBeVisible()
  await field(page, 'New email address').fill(address)
  await press(page, 'Send the code')
  await expect(field(page, 'Code')).toBeFocused()
  const code = await codeTo(address, 'Confirm your email address')
  await field(page, 'Code').fill(code === '000000' ? '000001' : '000000')
  await press(page, 'Change my address')
  await expect(page.getByText(/You have 4 tries left/)).toBeVisible()
  await field(page, 'Code').fill(code)
  await page.keyboard.press('Enter')
  await expect(page.getByText(`Your address is ${address} now.`)).toBeVisible()
  await expect(page.getByRole('region', { name: 'You' })).toContainText(address)
  await subjectTo(email, 'Your email address was changed')
  await subjectTo(address, 'Your email address was changed')
  email = address
})

test('an administrator asks for another password, and the sign-in says why', async ({ browser }) => {
  const { token } = JSON.parse((await page.evaluate(() => localStorage.getItem('persist:auth'))) ?? '{}') as {
    token: string
  }
  const self = await clientOf(product.url, token).call(readAccount)
  expect(self.email).toBe(email)
  const admin = await signedIn(browser, product, superadmin)
  await admin.goto(`${product.url}/organizations`)
  await admin.getByRole('link', { name: 'Acme' }).first().click()
  await admin.getByRole('link', { name: /^People/ }).click()
  await admin.getByRole('link', { name: 'Ada Lovelace', exact: true }).click()
  await admin.getByRole('link', { name: 'Edit', exact: true }).click()
  await press(admin, 'Ask for a new password')
  await admin.getByRole('dialog').getByRole('button', { name: 'Ask for a new password' }).click()
  await expect(admin.getByText('Ada Lovelace was asked to choose a new password.')).toBeVisible()
  await admin.context().close()
  await subjectTo(email, 'Please choose a new password')
  await enter(page, second)
  await expect(page.getByText('An administrator has asked you to choose a new password.')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await field(page, 'New password').fill(third)
  await field(page, 'The same again').fill(third)
  await press(page, 'Update password')
  await expect(page.getByRole('status').first()).toContainText('Your new password is set.')
  await enter(page, third)
  await page.waitForURL('**/dashboard')
})

test('an account is deleted after its address was typed, and kept by signing in', async () => {
  await page.goto(`${product.url}/settings`)
  await page.getByRole('link', { name: 'Delete my account' }).click()
  await expect(heading(page)).toHaveText('Delete your account')
  expect(await axeFaults(page)).toEqual([])
  await field(page, 'Type your email address to confirm').fill('somebody@example.test')
  await press(page, 'Delete my account')
  await expect(page.getByText('Please type the address of your account exactly.')).toBeVisible()
  await field(page, 'Type your email address to confirm').fill(email)
  await page.keyboard.press('Enter')
  await expect(heading(page)).toHaveText('Your account will be deleted')
  expect(await axeFaults(page)).toEqual([])
  await subjectTo(email, 'Your account will be deleted')
  await page.goto(`${product.url}/settings`)
  await page.waitForURL('**/auth-1/sign-in?return=%2Fsettings')
  await enter(page, third)
  await page.waitForURL('**/dashboard')
  await subjectTo(email, 'Your account stays')
})

test(
  'the last superadmin cannot leave, and is asked for the password when the last proof is old',
  { tag: '@long' },
  async ({ browser }) => {
    const own = await signedIn(browser, product, superadmin)
    await askEachAlone(own)
    await own.route('**/api/auth/session', async (route) => {
      const answer = await route.fetch()
      await route.fulfill({
        response: answer,
        json: { ...(await answer.json()), reauthenticatedUntil: null },
      })
    })
    await own.goto(`${product.url}/auth-1/delete-account`)
    await field(own, 'Password').fill(passphrase)
    await field(own, 'Type your email address to confirm').fill('sue@example.test')
    await press(own, 'Delete my account')
    await expect(own.getByRole('alert')).toContainText('You are the last superadmin who can sign in.')
    await own.unrouteAll({ behavior: 'wait' })
    superadmin = clientOf(
      product.url,
      (
        JSON.parse((await own.evaluate(() => localStorage.getItem('persist:auth'))) ?? '{}') as {
          token: string
        }
      ).token,
    )
    await own.context().close()
  },
)

test('signing in with a code is explained where it is off, and asks for a second step where it is on', async ({
  browser,
}) => {
  const other = await fresh(browser)
  await other.goto(`${product.url}/auth-1/login-pin`)
  await expect(heading(other)).toHaveText('Sign-in by code is switched off')
  expect(await axeFaults(other)).toEqual([])
  await superadmin.call(updateSecurity, { body: { ...defaultSecurity, signInCode: true } })
  await other.goto(`${product.url}/auth-1/sign-in`)
  await field(other, 'Email').focus()
  await other.getByRole('link', { name: 'Sign in with a code by mail' }).click()
  await field(other, 'Email').fill('sue@example.test')
  await press(other, 'Send the code')
  await expect(heading(other)).toHaveText('Enter the code')
  expect(await axeFaults(other)).toEqual([])
  await field(other, 'Code').fill(await codeTo('sue@example.test', 'Your code for signing in'))
  await press(other, 'Go on')
  await expect(heading(other)).toHaveText('A code alone is not enough')
  expect(await axeFaults(other)).toEqual([])
  await other.context().close()
})

const looks = [
  { theme: 'light', width: 1366 },
  { theme: 'dark', width: 390 },
] as const

for (const { theme, width } of looks)
  test(`the pages fit and can be read, ${theme}, ${width} px`, { tag: '@long' }, async ({ browser }) => {
    const own = await signedIn(browser, product, superadmin)
    await own.setViewportSize({ width, height: 844 })
    await own.evaluate((look) => localStorage.setItem('layout', JSON.stringify({ theme: look })), theme)
    for (const address of ['/settings', '/auth-1/delete-account', '/auth-1/login-pin']) {
      await own.goto(product.url + address)
      await expect(heading(own)).toBeVisible()
      if (address === '/settings') await expect(field(own, 'Name')).toBeVisible()
      await fitsAcross(own)
      expect(await axeFaults(own), address).toEqual([])
      const folder = process.env['PICTURES']
      if (folder)
        await own.screenshot({
          path: `${folder}/${address.replaceAll('/', '_')}-${theme}.png`,
          fullPage: true,
        })
    }
    await own.context().close()
  })
