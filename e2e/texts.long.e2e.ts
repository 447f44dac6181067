import { expect, type Page } from '@playwright/test'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { readSession } from '#contract/identity/auth.ts'
import { listGroups } from '#contract/directory/groups.ts'
import { listOrganizations } from '#contract/directory/organizations.ts'
import { layoutPages, pages, roles, type Role } from '#contract/roles.ts'
import { listTransmissions } from '#contract/transmissions/transmissions.ts'
import { listUsers } from '#contract/directory/users.ts'
import { listVideos } from '#contract/videos/videos.ts'
import type { Client } from './client.ts'
import { drawn, follow, signIn } from './console.ts'
import { startProduct, type Product } from './product.ts'
import { reader } from './pictures/things.ts'
import { pseudoTag, writePseudo } from './pseudo.ts'
import { test as shared } from './shared.ts'
import { bracketOthers, overflow, untranslated } from './untranslated.ts'

const test = shared.extend<{ speaking: Page }, { shared: Product }>({
  /** A build in a language that nobody speaks, and the product with sample data beside it. */
  shared: [
    async ({}, use) => {
      const folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-texts-'))
      await writePseudo(folder)
      const vite = path.resolve(import.meta.dirname, '../node_modules/vite/bin/vite.js')
      const env = {
        ...process.env,
        TEXTS_FOLDER: folder,
        WEB_LANGUAGE: pseudoTag,
        WEB_FOLDER: path.join(folder, pseudoTag),
      }
      const names = { PRODUCT_NAME: '⟦P⟧', PROVIDER_NAME: '⟦Q⟧', MAIL_FROM: 'noreply@localhost' }
      await promisify(execFile)(process.execPath, [vite, 'build', '--logLevel', 'error'], { env })
      const product = await startProduct({ WEB_TEXTS: folder, ...names }, ['--demo'])
      await use(product)
      await product.stop()
      await rm(folder, { recursive: true, force: true })
    },
    { scope: 'worker', timeout: 600_000 },
  ],
  /** A page whose reader has chosen that language. */
  speaking: async ({ page, shared: product }, use) => {
    await page.context().addCookies([{ name: 'language', value: pseudoTag, url: product.url }])
    await bracketOthers(page)
    await use(page)
  },
})
test.use({ viewport: { width: 1366, height: 900 }, contextOptions: { reducedMotion: 'reduce' } })

/** The addresses of all pages that a role has, with things of the sample data, and the tabs that have addresses. */
async function addressesOf(role: Role, client: Client): Promise<string[]> {
  const { items } = await client.call(listOrganizations)
  const orgId = (items.find(({ name }) => name === 'Northwind Logistics') ?? items[0])?.id ?? ''
  const params = { orgId }
  const isAdmin = role !== 'groupadmin'
  const ids: Record<string, string | undefined> = {
    orgId,
    userId: (await client.call(listUsers, { params })).items[3]?.id,
    groupId: (await client.call(listGroups, { params })).items[0]?.id,
    videoId: isAdmin
      ? (await client.call(listVideos, { query: { organizationId: orgId } })).items[0]?.id
      : undefined,
    transmissionId: isAdmin ? (await client.call(listTransmissions)).items[0]?.id : undefined,
  }
  // Looks are the same for everybody.
  const layouts = new Set(layoutPages.slice(role === 'superadmin' ? 3 : 0).map((page) => `/layouts/${page}`))
  const tabs = [
    'security',
    'sessions',
    'organization',
    'sign-in',
    'audit',
    'fields',
    'outbox',
    'mail',
    'returns',
  ]
  return [
    ...pages
      .filter((page) => page.roles.includes(role) && !layouts.has(page.path))
      .map(({ path: page }) => page.replaceAll(/\$(\w+)/g, (_whole, name: string) => ids[name] ?? 'x')),
    ...tabs.map((tab) => `/settings?tab=${tab}`),
    ...['users', 'groups', 'invitations', 'details'].map(
      (tab) => `/organizations/${orgId}/dashboard?tab=${tab}`,
    ),
  ]
}

const publicPages = [
  ...'sign-in sso sign-up reset-password new-password two-factor lock-screen success-mail login-pin login-password confirm report-mails delete-account'
    .split(' ')
    .map((name) => `/auth-1/${name}`),
  ...['400', '401', '403', '404', '408', '500'].map((status) => `/error/${status}`),
  '/maintenance',
  '/landing',
]

/** What follows the width of the window needs a moment; what is too wide stays so. */
async function tooWideFor(page: Page): Promise<string | undefined> {
  let found: string | undefined
  const look = async () => (found = await overflow(page))
  await expect
    .poll(look)
    .toBeUndefined()
    .catch(() => undefined)
  return found
}

/** Loads a page. */
async function load(page: Page, address: string): Promise<void> {
  await page.goto(address, { waitUntil: 'domcontentloaded' })
  await page.locator('h1').first().waitFor()
}

type Go = typeof load

/** What a page says that is not in the catalogue, and where it does not fit. */
async function faultsOf(page: Page, address: string, go: Go = load): Promise<string[]> {
  await page.setViewportSize({ width: 1366, height: 900 })
  await go(page, address)
  await expect(page.locator('main [data-part=bone], .restoring')).toHaveCount(0)
  const found = await untranslated(page)
  const tooWide = [await tooWideFor(page)]
  await page.setViewportSize({ width: 390, height: 844 })
  tooWide.push(await tooWideFor(page))
  return [...found, ...tooWide.flatMap((one) => one ?? [])].map((fault) => `${address}: ${fault}`)
}

for (const role of roles)
  test(`everything that the console says to a ${role} comes from the catalogue, and longer words have room`, async ({
    speaking: page,
    shared: product,
  }) => {
    const client = await reader(product, role)
    await signIn(page, product, client)
    const faults: string[] = []
    const [first = '', ...others] = await addressesOf(role, client)
    faults.push(...(await faultsOf(page, first)))
    for (const address of others) faults.push(...(await faultsOf(page, address, follow)))
    expect(faults).toEqual([])
  })

test('so does what public pages say, which are drawn before a script has run', async ({ speaking: page }) => {
  const faults: string[] = []
  for (const address of publicPages) faults.push(...(await faultsOf(page, address)))
  expect(faults).toEqual([])
})

test('parts that open on demand speak it too', async ({ speaking: page, shared: product }) => {
  const client = await reader(product, 'admin')
  await signIn(page, product, client)
  await page.goto('/dashboard')
  await page.locator('main h1').waitFor()
  const faults: string[] = []
  for (const open of ['Control+k', '?']) {
    const seen = () => page.locator('body :visible').count()
    const before = await seen()
    await page.keyboard.press(open)
    await expect.poll(seen).toBeGreaterThan(before)
    await expect(page.locator('[data-part=bone], [aria-busy=true]')).toHaveCount(0)
    await drawn(page)
    faults.push(...(await untranslated(page)).map((fault) => `${open}: ${fault}`))
    await page.keyboard.press('Escape')
  }
  expect(faults).toEqual([])
})

/** Picks some of what a page lists, opens each change in bulk, and makes one of them. */
async function inBulk(page: Page, address: string, [boxes, made]: [string[], number]): Promise<string[]> {
  // On a phone what can be done stands behind a button.
  await page.setViewportSize({ width: 1366, height: 900 })
  await page.goto(address)
  for (const box of boxes) await page.locator(box).first().check()
  // Those that open a dialog: a file is handed over, and a message is begun on a page of its own.
  const acts = page.locator(
    '[data-part=selection] > div button:not(:has(.tabler-icon-download, .tabler-icon-pencil))',
  )
  await acts.first().waitFor()
  const faults = await untranslated(page)
  const dialog = page.getByRole('dialog')
  const open = async (at: number) => {
    // The word of a job may lie over the bar.
    await acts.nth(at).press('Enter')
    await dialog.waitFor()
    for (const choice of await dialog.locator('select').all())
      await choice.selectOption({ index: (await choice.locator('option').count()) - 1 })
    for (const field of await dialog.locator('textarea').all()) await field.fill('⟦Because⟧')
    await expect(dialog.locator('[data-part=bone]')).toHaveCount(0)
    faults.push(...(await untranslated(page)))
  }
  const count = await acts.count()
  for (let at = 0; at < count; at++) {
    await open(at)
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
  }
  await open(made)
  // Where nothing would change, there is nothing to make, and the dialog says so.
  const isPossible = /^[1-9]/.test((await dialog.getByRole('status').locator('strong').textContent()) ?? '')
  await dialog.locator('footer button').last().click()
  await expect(dialog).toHaveCount(0)
  if (isPossible) await page.locator('[data-part=toast]').first().waitFor()
  faults.push(...(await untranslated(page)))
  return faults.map((fault) => `${address} in bulk: ${fault}`)
}

const rows = ['tbody tr:nth-child(2) input[type=checkbox]', 'tbody tr:nth-child(3) input[type=checkbox]']

test('changes in bulk of each kind of list, and the jobs that they become, speak it', async ({
  speaking: page,
  shared: product,
}) => {
  const client = await reader(product, 'admin')
  await signIn(page, product, client)
  const orgId = (await client.call(readSession)).user.organizationId
  const picks = ['columnheader', 'rowheader'].flatMap((head) =>
    [1, 2, 3].map((at) => `[role=grid] [role=${head}] input >> nth=${at}`),
  )
  const faults = [
    ...(await inBulk(page, '/reports/training-matrix', [picks, 1])),
    ...(await inBulk(page, '/content?shape=table', [rows, 2])),
    ...(await inBulk(page, '/transmissions', [rows, 0])),
    ...(await inBulk(page, `/organizations/${orgId}/dashboard?tab=groups`, [rows.slice(1), 0])),
    ...(await inBulk(page, `/organizations/${orgId}/dashboard?tab=users`, [rows, 4])),
  ]
  await page.goto('/recently-removed')
  const job = page.locator('main tbody a[href*="/recently-removed/"]').first()
  faults.push(...(await faultsOf(page, (await job.getAttribute('href')) ?? '')))
  faults.push(...(await inBulk(page, '/recently-removed', [rows.slice(0, 1), 0])))
  await signIn(page, product, await reader(product, 'superadmin'))
  const others = `tbody tr:not(:has(a[href*="${orgId}"])) input[type=checkbox]`
  faults.push(...(await inBulk(page, '/organizations', [[others], 1])))
  faults.push(...(await faultsOf(page, '/recently-removed')))
  expect(faults).toEqual([])
})

test('a reader gets the language of their browser, and keeps the one that they choose', async ({
  shared: product,
  open,
}) => {
  const page = await open(await reader(product, 'admin'))
  const language = () => page.locator('html').getAttribute('lang')
  await page.goto('/dashboard')
  expect(await language()).toBe('en-US')
  await page.locator('[aria-controls=customizer]').first().click()
  const choice = page.getByRole('combobox', { name: 'Language' })
  await choice.selectOption(pseudoTag)
  await expect(page.locator('html')).toHaveAttribute('lang', pseudoTag)
  await expect(page.locator('main h1')).toContainText('⟦')
  await page.reload()
  expect(await language()).toBe(pseudoTag)
  await page.goto('/auth-1/sign-in')
  expect(await language()).toBe(pseudoTag)
  const asked = await fetch(`${product.url}/auth-1/sign-in`, {
    headers: { 'accept-language': `fr, ${pseudoTag}` },
  })
  expect(await asked.text()).toContain(`<html lang="${pseudoTag}" dir="ltr">`)
  expect(asked.headers.get('vary')).toContain('accept-language')
})
