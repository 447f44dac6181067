import { expect, type Page } from '@playwright/test'
import { login, readSession } from '#contract/identity/auth.ts'
import { entered } from '../server/testing/sign-in/entered.ts'
import { clientOf, newSuperadmin, passphrase, type Client } from './client.ts'
import { axeFaults } from './console.ts'
import { openDatabase, type ProductDatabase } from './database.ts'
import type { Product } from './product.ts'
import { test as shared } from './shared.ts'

type World = {
  product: Product
  database: ProductDatabase
  page: Page
  userId: string
  email: string
}

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const database = await openDatabase(product)
    const client = await newSuperadmin(product)
    const { user } = await client.call(readSession)
    await use({ product, database, page: await open(client), userId: user.id, email: user.email })
    await database.close()
  },
})

/** Signs the same person in once more. */
async function elsewhere({ product, email }: World): Promise<Client> {
  const stranger = clientOf(product.url, '')
  const body = { identifier: email, password: passphrase }
  return clientOf(product.url, entered(await stranger.call(login, { body })).token)
}

/** Sets in all sessions of the person what would take too long to wait for. */
const setSessions = ({ database, userId }: World, change: string) =>
  database.query(`update sessions set ${change} where user_id = $1`, [userId])

const rows = (page: Page) => page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
const proof = (page: Page) => page.getByRole('dialog', { name: 'Please confirm that it is you' })

test('another session ends after a proof of who is there, without a second click, in every tab', async ({
  world,
}) => {
  const { page } = world
  const other = await elsewhere(world)
  const second = await page.context().newPage()
  await second.goto('/dashboard')
  await expect(second.getByRole('heading', { level: 1 })).toBeVisible()
  await setSessions(world, `reauthenticated_at = now() - interval '11 minutes'`)
  await page.goto('/settings?tab=sessions')
  await expect(rows(page)).toHaveCount(2)
  expect(await axeFaults(page)).toEqual([])
  await rows(page).filter({ hasNotText: 'This one' }).getByRole('button', { name: 'Sign out' }).click()
  await expect(proof(page)).toBeVisible()
  await expect(proof(page).getByRole('textbox', { name: 'Password' })).toBeFocused()
  expect(await axeFaults(page)).toEqual([])
  await page.keyboard.type('not my password')
  await page.keyboard.press('Enter')
  await expect(proof(page).getByText('The email or the password is not right.')).toBeVisible()
  await proof(page).getByRole('textbox', { name: 'Password' }).fill(passphrase)
  await page.keyboard.press('Enter')
  await expect(proof(page)).toBeHidden()
  await expect(rows(page)).toHaveCount(1)
  await expect(page.getByText('You are signed in nowhere else.')).toBeVisible()
  await expect(other.call(readSession)).rejects.toThrow('401')
  // The proof renewed the token; the other tab goes on with the new one.
  await second.getByRole('link', { name: 'Settings', exact: true }).click()
  await expect(second.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
  await second.close()
})

test('who would rather not prove it changes nothing', async ({ world }) => {
  const { page } = world
  const other = await elsewhere(world)
  await setSessions(world, `reauthenticated_at = now() - interval '11 minutes'`)
  await page.goto('/settings?tab=sessions')
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
  await proof(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByText('Please confirm that it is you.')).toBeVisible()
  expect((await other.call(readSession)).user.email).toBe(world.email)
})

test('a locked session shows nothing in any tab until its password opens it', async ({ world }) => {
  const { product, page } = world
  const second = await page.context().newPage()
  await second.goto('/organizations')
  await expect(second.getByRole('heading', { level: 1 })).toBeVisible()
  await page.goto('/settings')
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
  await page.goto('/organizations')
  await page.waitForURL('**/auth-1/lock-screen?return=%2Forganizations')
  await page.getByLabel('Password', { exact: true }).fill('not my password')
  await page.getByRole('button', { name: 'Unlock' }).click()
  await expect(page.getByText('The email or the password is not right.')).toBeVisible()
  await page.getByLabel('Password', { exact: true }).fill(passphrase)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/organizations')
  await expect(page.getByRole('heading', { level: 1, name: 'Organizations' })).toBeVisible()
  await second.goto('/dashboard')
  await expect(second.getByRole('heading', { level: 1 })).toBeVisible()
  await second.close()
})

test('a session that is about to end asks, and stays for who is there', async ({ world }) => {
  const { database, page, userId } = world
  await setSessions(world, `last_seen_at = now(), idle_expires_at = now() + interval '100 seconds'`)
  await page.goto('/settings')
  const warning = page.getByRole('dialog', { name: 'Are you still there?' })
  await expect(warning).toBeVisible()
  await expect(warning.getByRole('timer')).toHaveText(/^1:[0-3]\d$/)
  expect(await axeFaults(page)).toEqual([])
  await setSessions(world, `last_seen_at = now() - interval '2 minutes'`)
  await warning.getByRole('button', { name: 'Stay signed in' }).click()
  await expect(warning).toBeHidden()
  const stored = await database.query(
    `select count(*)::int as n from sessions where user_id = $1 and idle_expires_at > now() + interval '50 minutes' and revoked_at is null`,
    [userId],
  )
  expect(stored.rows[0]).toEqual({ n: 1 })
})

test('its longest time cannot be put off: it says when, and then asks to sign in', async ({ world }) => {
  const { page } = world
  await setSessions(world, `expires_at = now() + interval '100 seconds'`)
  await page.clock.install()
  await page.goto('/settings')
  await page.getByRole('button', { name: 'Stay signed in' }).click()
  const last = page.getByRole('dialog', { name: 'This session ends soon' })
  await last.getByRole('button', { name: 'I understand' }).click()
  await expect(last).toBeHidden()
  await page.clock.fastForward(100_000)
  await page.waitForURL('**/auth-1/sign-in?return=%2Fsettings')
  await expect(page.getByText('Please sign in to go on where you were.')).toBeVisible()
})
