import { expect, test, type Page } from '@playwright/test'
import { listOutbox } from '#contract/system.ts'
import { clientOf } from './client.ts'
import { startProduct, type Product } from './product.ts'

let product: Product
let page: Page
const email = 'grace@example.test'
const firstPassword = 'a reel of blue film'
const secondPassword = 'another reel of film'

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser }) => {
  product = await startProduct()
  page = await browser.newPage()
})

test.afterAll(async () => {
  await page.close()
  await product.stop()
})

const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
const password = () => page.getByLabel('Password', { exact: true })
const again = () => page.getByLabel('The same again', { exact: true })

type Kept = { token: string | null; user: { role: string } | null; isAuthenticated: boolean }
async function kept(): Promise<Kept> {
  return JSON.parse((await page.evaluate(() => localStorage.getItem('persist:auth'))) ?? '{}') as Kept
}

test('the setup link creates the first administrator, and says what is wrong with a password', async () => {
  await page.goto(product.setupUrl ?? '')
  await press('Create account')
  await expect(page.getByLabel('Name', { exact: true })).toBeFocused()
  await page.getByLabel('Name', { exact: true }).fill('Grace Hopper')
  await page.getByLabel('Email').fill(email)
  await password().fill('passwordpassword')
  await again().fill('passwordpasswort')
  await press('Create account')
  await expect(page.getByText('The two passwords differ.')).toBeVisible()
  await again().fill('passwordpassword')
  await press('Create account')
  await expect(page.getByText('This password is among the most common ones.')).toBeVisible()
  await password().fill(firstPassword)
  await again().fill(firstPassword)
  await press('Create account')
  await page.waitForURL('**/dashboard')
  expect(Object.keys(await kept()).sort()).toEqual(['isAuthenticated', 'token', 'user'])
})

test('the link has then done its work, and a valid session is forwarded from sign-in', async () => {
  await page.goto(product.setupUrl ?? '')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('This link has done its work')
  await page.goto(`${product.url}/`)
  await page.waitForURL('**/dashboard')
})

test('logging out ends the session here and on the server, and Back shows nothing of it', async () => {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const { token } = await kept()
  await press('Logout')
  await page.waitForURL('**/auth-1/sign-in')
  expect(await kept()).toEqual({ token: null, user: null, isAuthenticated: false })
  await expect(clientOf(product.url, token ?? '').call(listOutbox)).rejects.toThrow('401')
  await page.goBack()
  await expect(page.locator('[data-part=sidenav]')).toHaveCount(0)
})

test('a protected page asks to sign in, tells each way to fail, and goes on where one was', async () => {
  await page.goto(`${product.url}/content?q=fire`)
  await page.waitForURL('**/auth-1/sign-in?return=%2Fcontent%3Fq%3Dfire')
  await page.getByLabel('Email').fill(email)
  await password().fill('not the password at all')
  await press('Sign in')
  await expect(page.getByRole('alert')).toContainText('The email or the password is not right.')
  await page.context().setOffline(true)
  await password().fill(firstPassword)
  await press('Sign in')
  await expect(page.getByRole('alert')).toContainText('The server cannot be reached.')
  await page.context().setOffline(false)
  await press('Sign in')
  await page.waitForURL('**/content?q=fire')
})

test('the address alone leads to a second step with the password', async () => {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await press('Logout')
  await page.waitForURL('**/auth-1/sign-in')
  await page.getByLabel('Email').fill(email)
  await press('Sign in')
  await page.waitForURL('**/auth-1/login-password')
  await expect(password()).toBeFocused()
  await password().fill(firstPassword)
  await press('Sign in')
  await page.waitForURL('**/dashboard')
})

test('a mailed code sets a new password, and ends the session that was open', async ({ browser }) => {
  const reader = clientOf(product.url, (await kept()).token ?? '')
  const other = await browser.newPage()
  await other.goto(`${product.url}/auth-1/sign-in`)
  await other.getByRole('link', { name: 'Forgot your password?' }).click()
  await expect(other.getByRole('heading', { level: 1 })).toBeFocused()
  await other.getByLabel('Email').fill(email)
  await other.getByRole('button', { name: 'Send the code' }).click()
  await other.getByRole('link', { name: 'Enter the code' }).click()
  await expect(other.getByLabel('Code')).toBeFocused()
  await expect.poll(async () => (await reader.call(listOutbox)).total).toBe(1)
  const { items } = await reader.call(listOutbox)
  const [, head = '', tail = ''] = /\b(\d{3}) ?(\d{3})\b/.exec(items[0]?.text ?? '') ?? []
  await other.getByLabel('Code').pressSequentially(`${head} ${tail}`)
  await other.getByRole('button', { name: 'Go on' }).click()
  await other.getByLabel('New password').fill(secondPassword)
  await other.getByLabel('The same again').fill(secondPassword)
  await other.getByRole('button', { name: 'Update password' }).click()
  await expect(other.getByRole('status').first()).toContainText('Your new password is set.')
  await other.getByLabel('Email').fill(email)
  await other.getByLabel('Password', { exact: true }).fill(secondPassword)
  await other.getByRole('button', { name: 'Sign in' }).click()
  await other.waitForURL('**/dashboard')
  await other.close()

  await page.goto(`${product.url}/settings`)
  await page.waitForURL('**/auth-1/sign-in?return=%2Fsettings')
})

test('no address of another site is accepted to return to', async () => {
  await page.goto(`${product.url}/auth-1/sign-in?return=${encodeURIComponent('//evil.test/content')}`)
  await page.getByLabel('Email').fill(email)
  await password().fill(secondPassword)
  await press('Sign in')
  await page.waitForURL(`${product.url}/dashboard`)
})
