import { expect, type Page } from '@playwright/test'
import { readAccount } from '#contract/identity/account.ts'
import { defaultSecurity, updateSecurity } from '#contract/identity/security.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createUser } from '#contract/directory/users.ts'
import { unique } from '#server/testing/unique.ts'
import { accept, clientOf, firstSuperadmin, newSuperadmin, passphrase, type Client } from './client.ts'
import { askEachAlone, axeFaults, fitsAcross, press, signedIn } from './console.ts'
import { waitFor } from './mailbox.ts'
import { mailsTo } from './outbox.ts'
import { startProduct } from './product.ts'
import { test as shared } from './shared.ts'

const first = 'a reel of blue film'
const second = 'another reel of film'
const third = 'the third reel of film'

type World = {
  superadmin: Client
  ada: Client
  email: string
  orgName: string
}

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product }, use) => {
    const superadmin = await newSuperadmin(product)
    const orgName = `Acme ${unique()}`
    const { id: orgId } = await superadmin.call(createOrganization, { body: { name: orgName } })
    const person = { name: 'Ada Berg', email: `ada-${unique()}@example.test` }
    await superadmin.call(createUser, { params: { orgId }, body: { ...person, role: 'admin' } })
    await use({
      superadmin,
      ada: await accept(product, superadmin, person),
      email: person.email,
      orgName,
    })
  },
})

const field = (page: Page, name: string) => page.getByLabel(name, { exact: true })
const heading = (page: Page) => page.getByRole('heading', { level: 1 })

const subjectTo = (superadmin: Client, address: string, subject: string) =>
  waitFor(
    async () => (await mailsTo(superadmin, address)).find((mail) => mail.subject.startsWith(subject)),
    `${subject} to ${address}`,
  )

async function codeTo(superadmin: Client, address: string, subject: string): Promise<string> {
  return /\b\d{6}\b/.exec((await subjectTo(superadmin, address, subject)).text)?.[0] ?? ''
}

async function enter(page: Page, email: string, given: string): Promise<void> {
  await page.goto('/auth-1/sign-in')
  await field(page, 'Email').fill(email)
  await field(page, 'Password').fill(given)
  await press(page, 'Sign in')
}

test('a code by mail sets a password, by keyboard, with a hint about letters that are put together', async ({
  page,
  world: { superadmin, email },
}) => {
  await page.goto('/auth-1/reset-password')
  await field(page, 'Email').focus()
  await page.keyboard.type(email)
  await page.keyboard.press('Enter')
  await expect(heading(page)).toHaveText('Ask for your code')
  await expect(page.getByText('This installation sends no mail yet.')).toBeVisible()
  await expect(page.getByText(/You can ask for another code in \d+ s/)).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('link', { name: 'Enter the code' }).press('Enter')
  await expect(field(page, 'Code')).toBeFocused()
  await page.keyboard.type(await codeTo(superadmin, email, 'Your code for a new password'))
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
  await enter(page, email, first)
  await page.waitForURL('**/dashboard')
  expect((await mailsTo(superadmin, email)).map(({ subject }) => subject)).not.toContain(
    'New sign-in – Sendreel',
  )
})

test('the profile is saved, shown in the frame, guarded, and kept from being overwritten', async ({
  world: { ada },
  open,
}) => {
  const page = await open(ada)
  await page.goto('/settings')
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
  page: other,
  world: { superadmin, ada, email },
  open,
}) => {
  const page = await open(ada)
  await page.goto('/settings')
  await enter(other, email, passphrase)
  await other.waitForURL('**/dashboard')
  await subjectTo(superadmin, email, 'New sign-in')
  await field(page, 'Present password').fill('not the present one')
  await field(page, 'New password').fill(second)
  await field(page, 'The same again').fill(second)
  await press(page, 'Change my password')
  await expect(page.getByText('This is not your present password.')).toBeVisible()
  await expect(field(page, 'Present password')).toBeFocused()
  await field(page, 'Present password').fill(passphrase)
  await press(page, 'Change my password')
  await expect(page.getByText('Your password was changed. 1 other session ended.')).toBeVisible()
  await expect(field(page, 'New password')).toHaveValue('')
  await subjectTo(superadmin, email, 'Your password was changed')
  await page.reload()
  await expect(field(page, 'Name')).toHaveValue('Ada Berg')
  await other.goto('/settings')
  await other.waitForURL('**/auth-1/sign-in?return=%2Fsettings')
})

test('another address counts after its code, and both are told', async ({
  shared: product,
  world: { superadmin, ada, email },
  open,
}) => {
  const address = `ada.new-${unique()}@example.test`
  const page = await open(ada)
  await page.goto('/settings')
  await field(page, 'New email address').fill('no address')
  await press(page, 'Send the code')
  await expect(page.getByText('This is not an email address.')).toBeVisible()
  await field(page, 'New email address').fill(address)
  await press(page, 'Send the code')
  await expect(field(page, 'Code')).toBeFocused()
  const code = await codeTo(superadmin, address, 'Confirm your email address')
  await field(page, 'Code').fill(code === '000000' ? '000001' : '000000')
  await press(page, 'Change my address')
  await expect(page.getByText(/You have 4 tries left/)).toBeVisible()
  await field(page, 'Code').fill(code)
  await page.keyboard.press('Enter')
  await expect(page.getByText(`Your address is ${address} now.`)).toBeVisible()
  await expect(page.getByRole('region', { name: 'You' })).toContainText(address)
  await subjectTo(superadmin, email, 'Your email address was changed')
  await subjectTo(superadmin, address, 'Your email address was changed')
  const { token } = JSON.parse((await page.evaluate(() => localStorage.getItem('persist:auth'))) ?? '{}') as {
    token: string
  }
  expect((await clientOf(product.url, token).call(readAccount)).email).toBe(address)
})

test('an administrator asks for another password, and the sign-in says why', async ({
  world: { superadmin, ada, email, orgName },
  open,
}) => {
  const page = await open(ada)
  const admin = await open(superadmin)
  await admin.goto(`/organizations?q=${orgName}`)
  await admin.getByRole('link', { name: orgName }).first().click()
  await admin.getByRole('link', { name: /^People/ }).click()
  await admin.getByRole('link', { name: 'Ada Berg', exact: true }).click()
  await admin.getByRole('link', { name: 'Edit', exact: true }).click()
  await press(admin, 'Ask for a new password')
  await admin.getByRole('dialog').getByRole('button', { name: 'Ask for a new password' }).click()
  await expect(admin.getByText('Ada Berg was asked to choose a new password.')).toBeVisible()
  await subjectTo(superadmin, email, 'Please choose a new password')
  await enter(page, email, passphrase)
  await expect(page.getByText('An administrator has asked you to choose a new password.')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await field(page, 'New password').fill(third)
  await field(page, 'The same again').fill(third)
  await press(page, 'Update password')
  await expect(page.getByRole('status').first()).toContainText('Your new password is set.')
  await enter(page, email, third)
  await page.waitForURL('**/dashboard')
})

test('an account is deleted after its address was typed, and kept by signing in', async ({
  world: { superadmin, ada, email },
  open,
}) => {
  const page = await open(ada)
  await page.goto('/settings')
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
  await subjectTo(superadmin, email, 'Your account will be deleted')
  await page.goto('/settings')
  await page.waitForURL('**/auth-1/sign-in?return=%2Fsettings')
  await enter(page, email, passphrase)
  await page.waitForURL('**/dashboard')
  await subjectTo(superadmin, email, 'Your account stays')
})

test(
  'the last superadmin cannot leave, and is asked for the password when the last proof is old',
  { tag: '@long' },
  async ({ browser }) => {
    const product = await startProduct()
    const own = await signedIn(browser, product, await firstSuperadmin(product))
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
    await product.stop()
    await own.context().close()
  },
)

test(
  'signing in with a code is explained where it is off, and asks for a second step where it is on',
  { tag: '@long' },
  async ({ page: other }) => {
    const product = await startProduct()
    const superadmin = await firstSuperadmin(product)
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
    await field(other, 'Code').fill(await codeTo(superadmin, 'sue@example.test', 'Your code for signing in'))
    await press(other, 'Go on')
    await expect(heading(other)).toHaveText('A code alone is not enough')
    expect(await axeFaults(other)).toEqual([])
    await product.stop()
  },
)

const looks = [
  { theme: 'light', width: 1366 },
  { theme: 'dark', width: 390 },
] as const

for (const { theme, width } of looks)
  test(
    `the pages fit and can be read, ${theme}, ${width} px`,
    { tag: '@long' },
    async ({ shared: product, open }) => {
      const own = await open(await newSuperadmin(product))
      await own.setViewportSize({ width, height: 844 })
      await own.evaluate((look) => localStorage.setItem('layout', JSON.stringify({ theme: look })), theme)
      for (const address of ['/settings', '/auth-1/delete-account', '/auth-1/login-pin']) {
        await own.goto(address)
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
    },
  )
