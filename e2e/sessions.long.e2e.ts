import { expect, test, type Page } from '@playwright/test'
import { login, readSession } from '#contract/auth.ts'
import { entered } from '../server/testing/entered.ts'
import { clientOf, firstSuperadmin, passphrase, type Client } from './client.ts'
import { axeFaults, signedIn } from './console.ts'
import { openDatabase, type ProductDatabase } from './database.ts'
import { startProduct, type Product } from './product.ts'

let product: Product
let database: ProductDatabase
let client: Client
let page: Page

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser }) => {
  product = await startProduct()
  database = await openDatabase(product)
  client = await firstSuperadmin(product)
  page = await signedIn(browser, product, client)
})
test.afterAll(async () => {
  await page.context().close()
  await database.close()
  await product.stop()
})

const elsewhere = async () =>
  clientOf(
    product.url,
    entered(
      await clientOf(product.url, '').call(login, {
        body: { identifier: 'sue@example.test', password: passphrase },
      }),
    ).token,
  )
const rows = () => page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
const proof = () => page.getByRole('dialog', { name: 'Please confirm that it is you' })

test('another session ends after a proof of who is there, without a second click, in every tab', async () => {
  const other = await elsewhere()
  const second = await page.context().newPage()
  await second.goto(`${product.url}/dashboard`)
  await expect(second.getByRole('heading', { level: 1 })).toBeVisible()
  await database.query(`update sessions set reauthenticated_at = now() - interval '11 minutes'`)
  await page.goto(`${product.url}/settings?tab=sessions`)
  await expect(rows()).toHaveCount(2)
  expect(await axeFaults(page)).toEqual([])
  await rows().filter({ hasNotText: 'This one' }).getByRole('button', { name: 'Sign out' }).click()
  await expect(proof()).toBeVisible()
  await expect(proof().getByRole('textbox', { name: 'Password' })).toBeFocused()
  expect(await axeFaults(page)).toEqual([])
  await page.keyboard.type('not my password')
  await page.keyboard.press('Enter')
  await expect(proof().getByText('The email or the password is not right.')).toBeVisible()
  await proof().getByRole('textbox', { name: 'Password' }).fill(passphrase)
  await page.keyboard.press('Enter')
  await expect(proof()).toBeHidden()
  await expect(rows()).toHaveCount(1)
  await expect(page.getByText('You are signed in nowhere else.')).toBeVisible()
  await expect(other.call(readSession)).rejects.toThrow('401')
  // The proof renewed the token; the other tab goes on with the new one.
  await second.getByRole('link', { name: 'Settings', exact: true }).click()
  await expect(second.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
  await second.close()
})

test('who would rather not prove it changes nothing', async () => {
  const other = await elsewhere()
  await database.query(`update sessions set reauthenticated_at = now() - interval '11 minutes'`)
  await page.reload()
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
  await proof().getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByText('Please confirm that it is you.')).toBeVisible()
  expect((await other.call(readSession)).user.email).toBe('sue@example.test')
})

test('a locked session shows nothing in any tab until its password opens it', async () => {
  const second = await page.context().newPage()
  await second.goto(`${product.url}/organizations`)
  await expect(second.getByRole('heading', { level: 1 })).toBeVisible()
  await page.goto(`${product.url}/settings`)
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('button', { name: 'Lock the session' }).click()
  await page.waitForURL('**/auth-1/lock-screen?return=%2Fsettings')
  await second.waitForURL('**/auth-1/lock-screen?return=%2Forganizations')
  await expect(page.getByRole('heading', { name: 'The session is locked' })).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  const token = await page.evaluate(
    () => (JSON.parse(localStorage.getItem('persist:auth') ?? '{}') as { token: string }).token,
  )
  await expect(clientOf(product.url, token).call(readSession)).rejects.toThrow('423')
  await page.goto(`${product.url}/organizations`)
  await page.waitForURL('**/auth-1/lock-screen?return=%2Forganizations')
  await page.getByLabel('Password', { exact: true }).fill('not my password')
  await page.getByRole('button', { name: 'Unlock' }).click()
  await expect(page.getByText('The email or the password is not right.')).toBeVisible()
  await page.getByLabel('Password', { exact: true }).fill(passphrase)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/organizations')
  await expect(page.getByRole('heading', { level: 1, name: 'Organizations' })).toBeVisible()
  await second.goto(`${product.url}/dashboard`)
  await expect(second.getByRole('heading', { level: 1 })).toBeVisible()
  await second.close()
})

test('a session that is about to end asks, and stays for who is there', async () => {
  await database.query(
    `update sessions set last_seen_at = now(), idle_expires_at = now() + interval '100 seconds'`,
  )
  await page.goto(`${product.url}/settings`)
  const warning = page.getByRole('dialog', { name: 'Are you still there?' })
  await expect(warning).toBeVisible()
  await expect(warning.getByRole('timer')).toHaveText(/^1:[0-3]\d$/)
  expect(await axeFaults(page)).toEqual([])
  await database.query(`update sessions set last_seen_at = now() - interval '2 minutes'`)
  await warning.getByRole('button', { name: 'Stay signed in' }).click()
  await expect(warning).toBeHidden()
  const kept = await database.query(
    `select count(*)::int as n from sessions where idle_expires_at > now() + interval '50 minutes' and revoked_at is null`,
  )
  expect(kept.rows[0]).toEqual({ n: 1 })
})

test('its longest time cannot be put off: it says when, and then asks to sign in', async () => {
  await database.query(`update sessions set expires_at = now() + interval '100 seconds'`)
  await page.clock.install()
  await page.goto(`${product.url}/settings`)
  await page.getByRole('button', { name: 'Stay signed in' }).click()
  const last = page.getByRole('dialog', { name: 'This session ends soon' })
  await last.getByRole('button', { name: 'I understand' }).click()
  await expect(last).toBeHidden()
  await page.clock.fastForward(100_000)
  await page.waitForURL('**/auth-1/sign-in?return=%2Fsettings')
  await expect(page.getByText('Please sign in to go on where you were.')).toBeVisible()
})
