import { expect, type Page } from '@playwright/test'
import { readEvidence } from '#contract/evidence/evidence.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createInvitation } from '#contract/directory/invitations.ts'
import { readSession } from '#contract/identity/auth.ts'
import { createTransmission } from '#contract/transmissions/transmissions.ts'
import { createUser } from '#contract/directory/users.ts'
import { unique } from '../server/testing/unique.ts'
import { accept, newSuperadmin, passphrase, type Client } from './client.ts'
import { axeFaults, fitsAcross, signIn } from './console.ts'
import { linkTo, saidTo } from './outbox.ts'
import { reach } from './playing.ts'
import type { Product } from './product.ts'
import { test } from './shared.ts'
import { readyVideo } from './upload.ts'

let product: Product
let client: Client
let orgId: string
let reader: { id: string; email: string }
let videoId: string
let link: string

test.beforeAll(async ({ shared }) => {
  product = shared
  client = await newSuperadmin(product)
  const organization = { name: 'Watchers Ltd', policies: { whoMayWatch: 'signed_in' as const } }
  orgId = (await client.call(createOrganization, { body: organization })).id
  const email = `dora-${unique()}@example.test`
  await client.call(createInvitation, { body: { organizationId: orgId, email, role: 'admin' } })
  const dora = await accept(product, client, { email, name: 'Dora Reader' })
  reader = { id: (await dora.call(readSession)).user.id, email }
  await client.call(createUser, {
    params: { orgId },
    body: { name: 'Emil Ohnezugang', email: `emil-${unique()}@example.test` },
  })
  videoId = await readyVideo({ url: product.url, client, organizationId: orgId }, { seconds: 14, width: 320 })
  const audience = { everyone: false, userIds: [reader.id], groupIds: [] }
  const message = { body: 'Please watch this.', videoId, accountId: orgId, audience }
  await client.call(createTransmission, { body: message })
  link = await linkTo(client, email)
})

const isAsked = (page: Page) =>
  expect(page.getByRole('heading', { name: 'Please sign in to watch' })).toBeVisible()

async function looksWell(page: Page, name: string): Promise<void> {
  for (const width of [1366, 390])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 768 })
      await page.emulateMedia({ colorScheme })
      await fitsAcross(page)
      expect(await axeFaults(page)).toEqual([])
      const folder = process.env['PICTURES']
      if (folder) await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png` })
    }
  await page.setViewportSize({ width: 1366, height: 768 })
}

test('the recipient signs in by password, comes back to the same link, and the evidence says so', async ({
  browser,
}) => {
  await saidTo(client, reader.email, /(you are asked to sign in to Watchers Ltd)/)
  const page = await (await browser.newContext()).newPage()
  const media: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.startsWith('/m/')) media.push(request.url())
  })
  await page.goto(product.url + link)
  await isAsked(page)
  await looksWell(page, 'gate')
  expect(media).toEqual([])
  await page.getByRole('link', { name: 'Sign in' }).press('Enter')
  await page.getByLabel('Email').fill(reader.email)
  await page.getByLabel('Password', { exact: true }).fill(passphrase)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL((url) => url.pathname + url.search === link)
  await page.getByRole('button', { name: /^Play:/ }).click()
  await reach(page, 3, { pause: true })
  const evidence = () => client.call(readEvidence, { params: { orgId, userId: reader.id, videoId } })
  await expect.poll(async () => (await evidence()).sessions.items[0]?.watchedMs ?? 0).toBeGreaterThan(1_500)
  expect((await evidence()).sessions.items[0]?.signedInBy).toEqual(['pwd'])
  await page.context().close()
})

test('whoever is signed in as somebody else is told so, and changes', async ({ page }) => {
  await signIn(page, product, await newSuperadmin(product))
  await page.goto(product.url + link)
  await isAsked(page)
  await expect(page.getByRole('status')).toContainText('You are signed in as Sue Perior')
  await looksWell(page, 'other')
  await page.getByRole('button', { name: 'Sign out, and sign in as Dora Reader' }).click()
  await page.waitForURL(/\/auth-1\/sign-in\?return=/)
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
})

test('the settings name who has no way to sign in', async ({ page }) => {
  await signIn(page, product, client)
  await page.goto(`${product.url}/organizations/${orgId}/edit`)
  await expect(page.getByText('could not watch any video')).toBeVisible()
  await expect(page.getByText('Emil Ohnezugang')).toBeVisible()
  await page.getByText('Who may watch', { exact: true }).scrollIntoViewIfNeeded()
  await looksWell(page, 'settings')
  await page.goto(`${product.url}/organizations/${orgId}/users/${reader.id}/videos/${videoId}`)
  await page
    .getByRole('region', { name: /session/ })
    .locator('summary')
    .first()
    .click()
  await expect(page.getByText('Yes, by password, beside the personal link.')).toBeVisible()
})
