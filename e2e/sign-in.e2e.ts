import { expect, type Page } from '@playwright/test'
import { createInvitation } from '#contract/directory/invitations.ts'
import { listOutbox } from '#contract/platform/system.ts'
import { unique } from '../server/testing/unique.ts'
import { accept, clientOf, newSuperadmin, type Client } from './client.ts'
import { press } from './console.ts'
import { onProductOf, test as shared } from './shared.ts'

/** Who may sign in, and as whom one reads the outbox of the installation. */
type World = { email: string; grace: Client }

const firstPassword = 'a reel of blue film'
const secondPassword = 'another reel of film'

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product }, use) => {
    const superadmin = await newSuperadmin(product)
    const email = `grace-${unique()}@example.test`
    await superadmin.call(createInvitation, { body: { organizationId: null, email, role: 'superadmin' } })
    const invited = { email, name: 'Grace Hopper', password: firstPassword }
    await use({ email, grace: await accept(product, superadmin, invited) })
  },
})

const password = (page: Page) => page.getByLabel('Password', { exact: true })
const again = (page: Page) => page.getByLabel('The same again', { exact: true })

type Kept = { token: string | null; user: { role: string } | null; isAuthenticated: boolean }
async function storedSession(page: Page): Promise<Kept> {
  return JSON.parse((await page.evaluate(() => localStorage.getItem('persist:auth'))) ?? '{}') as Kept
}

onProductOf()(
  'the setup link creates one administrator, who is signed in',
  async ({ page, shared: product }) => {
    await test.step('the setup link creates the first administrator, and says what is wrong with a password', async () => {
      await page.goto(product.setupUrl ?? '')
      await press(page, 'Create account')
      await expect(page.getByLabel('Name', { exact: true })).toBeFocused()
      await page.getByLabel('Name', { exact: true }).fill('Grace Hopper')
      await page.getByLabel('Email').fill('grace@example.test')
      await password(page).fill('passwordpassword')
      await again(page).fill('passwordpasswort')
      await press(page, 'Create account')
      await expect(page.getByText('The two passwords differ.')).toBeVisible()
      await again(page).fill('passwordpassword')
      await press(page, 'Create account')
      await expect(page.getByText('This password is among the most common ones.')).toBeVisible()
      await password(page).fill(firstPassword)
      await again(page).fill(firstPassword)
      await press(page, 'Create account')
      await page.waitForURL('**/dashboard')
      expect(Object.keys(await storedSession(page)).sort()).toEqual(['isAuthenticated', 'token', 'user'])
    })

    await test.step('the link has then done its work, and a valid session is forwarded from sign-in', async () => {
      await page.goto(product.setupUrl ?? '')
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('This link has done its work')
      await page.goto(`${product.url}/`)
      await page.waitForURL('**/dashboard')
    })
  },
)

test('logging out ends the session here and on the server, and Back shows nothing of it', async ({
  open,
  shared,
  world: { grace },
}) => {
  const page = await open(grace)
  await page.goto('/dashboard')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const { token } = await storedSession(page)
  await press(page, 'Logout')
  await page.waitForURL('**/auth-1/sign-in')
  expect(await storedSession(page)).toEqual({ token: null, user: null, isAuthenticated: false })
  await expect(clientOf(shared.url, token ?? '').call(listOutbox)).rejects.toThrow('401')
  await page.goBack()
  await expect(page.locator('[data-part=sidenav]')).toHaveCount(0)
})

test('a protected page asks to sign in, tells each way to fail, and goes on where one was', async ({
  page,
  shared,
  world: { email },
}) => {
  await page.goto(`${shared.url}/content?q=fire`)
  await page.waitForURL('**/auth-1/sign-in?return=%2Fcontent%3Fq%3Dfire')
  await page.getByLabel('Email').fill(email)
  await password(page).fill('not the password at all')
  await press(page, 'Sign in')
  await expect(page.getByRole('alert')).toContainText('The email or the password is not right.')
  await page.context().setOffline(true)
  await password(page).fill(firstPassword)
  await press(page, 'Sign in')
  await expect(page.getByRole('alert')).toContainText('The server cannot be reached.')
  await page.context().setOffline(false)
  await press(page, 'Sign in')
  await page.waitForURL('**/content?q=fire')
})

test('the address alone leads to a second step with the password', async ({
  page,
  shared,
  world: { email },
}) => {
  await page.goto(`${shared.url}/auth-1/sign-in`)
  await page.getByLabel('Email').fill(email)
  await press(page, 'Sign in')
  await page.waitForURL('**/auth-1/login-password')
  await expect(password(page)).toBeFocused()
  await password(page).fill(firstPassword)
  await press(page, 'Sign in')
  await page.waitForURL('**/dashboard')
})

test('a mailed code sets a new password, and ends the session that was open', async ({
  open,
  page: other,
  shared,
  world: { email, grace },
}) => {
  const page = await open(grace)
  const reader = await newSuperadmin(shared)
  await other.goto(`${shared.url}/auth-1/sign-in`)
  await other.getByRole('link', { name: 'Forgot your password?' }).click()
  await expect(other.getByRole('heading', { level: 1 })).toBeFocused()
  await other.getByLabel('Email').fill(email)
  await other.getByRole('button', { name: 'Send the code' }).click()
  await other.getByRole('link', { name: 'Enter the code' }).click()
  await expect(other.getByLabel('Code')).toBeFocused()
  // The first mail is the invitation.
  const mails = () => reader.call(listOutbox, { query: { q: email } })
  await expect.poll(async () => (await mails()).total).toBe(2)
  const { items } = await mails()
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

  await page.goto('/settings')
  await page.waitForURL('**/auth-1/sign-in?return=%2Fsettings')
})

test('no address of another site is accepted to return to', async ({ page, shared, world: { email } }) => {
  await page.goto(`${shared.url}/auth-1/sign-in?return=${encodeURIComponent('//evil.test/content')}`)
  await page.getByLabel('Email').fill(email)
  await password(page).fill(firstPassword)
  await press(page, 'Sign in')
  await page.waitForURL(`${shared.url}/dashboard`)
})
