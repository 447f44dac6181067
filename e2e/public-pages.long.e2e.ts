import { expect, test, type Page } from '@playwright/test'
import { axeFaults, fitsAcross } from './console.ts'
import { startProduct, type Product } from './product.ts'

let product: Product

test.beforeAll(async () => {
  product = await startProduct({ PRODUCT_NAME: 'Reel & Co' })
})
test.afterAll(async () => product.stop())

const names =
  'sign-in sso sign-up reset-password new-password two-factor lock-screen success-mail login-pin login-password confirm report-mails delete-account'
const pages = names
  .split(' ')
  .map((name) => `/auth-1/${name}`)
  .concat(
    ['400', '401', '403', '404', '408', '500'].map((status) => `/error/${status}`),
    '/maintenance',
    '/landing',
  )

const skins = ['classic', 'material', 'modern', 'saas', 'flat', 'minimal']
const looks = [
  { theme: 'light', viewport: { width: 1366, height: 800 } },
  { theme: 'dark', viewport: { width: 320, height: 800 } },
]

/** A page of its own, without the menu of the console. */
async function expectAlone(page: Page, address: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 }), address).toHaveCount(1)
  await expect(page.locator('[data-part=sidenav]'), address).toHaveCount(0)
  // The steps of a flow lead to its beginning when it has not begun.
  const isStep = /\/(login-password|confirm|sso)$/.test(address)
  expect([address, ...(isStep ? ['/auth-1/sign-in'] : [])]).toContain(new URL(page.url()).pathname)
}

for (const { theme, viewport } of looks)
  test(`every public page can be read and used, ${theme}, ${viewport.width} px`, async ({ browser }) => {
    const context = await browser.newContext({ viewport })
    const page = await context.newPage()
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(error.message))
    const skinOf = Object.fromEntries(pages.map((address, index) => [address, skins[index % skins.length]]))
    await page.addInitScript(
      ({ wanted, bySkin }) => {
        const skin = bySkin[location.pathname]
        localStorage.setItem('layout', JSON.stringify({ theme: wanted, skin }))
      },
      { wanted: theme, bySkin: skinOf },
    )
    for (const address of pages) {
      await page.goto(product.url + address)
      expect(await page.locator('html').getAttribute('data-skin')).toBe(skinOf[address])
      await expectAlone(page, address)
      await expect(page).toHaveTitle(/ · Reel & Co$/)
      await expect(page.getByRole('contentinfo')).toContainText(`© ${new Date().getFullYear()} Reel & Co`)
      expect(await page.locator('html').getAttribute('data-bs-theme')).toBe(theme)
      await fitsAcross(page)
      expect(await axeFaults(page), address).toEqual([])
    }
    expect(faults).toEqual([])
    await context.close()
  })

test('a link to a video that is none is the nineteenth page of its own', async ({ page }) => {
  const address = '/w/video/x'
  const further = new Set(['/landing', '/auth-1/report-mails', '/auth-1/sso'])
  expect(pages.filter((one) => !further.has(one)).concat(address)).toHaveLength(19)
  await page.goto(product.url + address)
  await expectAlone(page, address)
  expect(await axeFaults(page)).toEqual([])
})

test('the start leads to sign-in', async ({ page }) => {
  await page.goto(product.url)
  expect(new URL(page.url()).pathname).toBe('/auth-1/sign-in')
})

test('the pictures of errors stand still, and text may be spaced out without being cut', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 })
  const spaced =
    '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }'
  for (const address of pages.filter((one) => !one.startsWith('/auth-1/'))) {
    await page.goto(product.url + address)
    await page.addStyleTag({ content: spaced })
    expect(await page.evaluate(() => document.getAnimations().length), address).toBe(0)
    const cut = await page.evaluate(() =>
      Array.from(document.querySelectorAll('main *:not(svg *)'))
        .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0)
        .map((one) => one.outerHTML.slice(0, 80)),
    )
    expect(cut, address).toEqual([])
    await fitsAcross(page)
  }
})

for (const address of ['/auth-1/sign-in', '/landing'])
  test(`${address} is light: four requests, 80 kB of scripts, 110 kB in all`, async ({ page }) => {
    const weighed: Promise<{ address: string; bytes: number }>[] = []
    page.on('requestfinished', (request) => {
      const sizes = request.sizes()
      weighed.push(sizes.then(({ responseBodySize: bytes }) => ({ address: request.url(), bytes })))
    })
    const answer = await page.goto(product.url + address, { waitUntil: 'networkidle' })
    expect(answer?.status()).toBe(200)
    const loaded = await Promise.all(weighed)
    const sum = (list: typeof loaded) => list.reduce((total, { bytes }) => total + bytes, 0)
    const own = loaded.filter(({ address }) => address.startsWith('http'))
    expect(own.filter((one) => !one.address.startsWith(product.url))).toEqual([])
    expect(own.length).toBeLessThanOrEqual(4)
    expect(sum(own.filter(({ address }) => address.endsWith('.js')))).toBeLessThanOrEqual(80_000)
    expect(sum(own)).toBeLessThanOrEqual(110_000)
    expect(sum(own)).toBeGreaterThan(20_000)
  })

/** The pages that hardly anybody sees first have a script of their own. */
const latePages = '**/assets/LatePages-*.js'

test('sign-in fetches the pages behind it once somebody is there, and the next one is there at once', async ({
  page,
}) => {
  await page.goto(`${product.url}/auth-1/sign-in`)
  const fetched = page.waitForEvent('requestfinished', (request) => /\/LatePages-/.test(request.url()))
  await Promise.all([fetched, page.getByLabel('Email').focus()])
  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Set a new password' })).toBeFocused()
  await page.context().setOffline(false)
})

test('a drawn page stands while its script is on the way, and takes over what is there', async ({ page }) => {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route(latePages, async (route) => {
    await held
    await route.continue()
  })
  await page.goto(`${product.url}/auth-1/reset-password`, { waitUntil: 'commit' })
  const email = page.getByLabel('Email')
  await expect(email).toBeVisible()
  const drawn = await email.elementHandle()
  release()
  await page.waitForResponse(latePages)
  await page.getByRole('button', { name: 'Send the code' }).click()
  await expect(page.getByText('Please fill this in.')).toBeVisible()
  expect(await drawn?.evaluate((one) => one.isConnected)).toBe(true)
  expect(faults).toEqual([])
})

for (const address of ['/auth-1/two-factor', '/auth-1/lock-screen', '/auth-1/sign-in'])
  test(`a page that cannot be fetched says so, and is there after a reload, from ${address}`, async ({
    page,
  }) => {
    await page.route(latePages, (route) => route.fulfill({ status: 404, body: 'gone' }))
    await page.goto(product.url + address)
    if (address.endsWith('sign-in')) await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await expect(
      page.getByRole('heading', { level: 1, name: 'This page could not be fetched' }),
    ).toBeFocused()
    await expect(page.getByRole('alert')).toBeVisible()
    expect(await axeFaults(page)).toEqual([])
    await page.unroute(latePages)
    await page.getByRole('button', { name: 'Reload the page' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(
      /Please sign in again|Nobody is signed in|Set a new password/,
    )
  })

test('sign-in is there before any script has run, and what is typed into it stays out of the address', async ({
  page,
}) => {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/assets/*.js', async (route) => {
    await held
    await route.continue()
  })
  await page.goto(`${product.url}/auth-1/sign-in`, { waitUntil: 'commit' })
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible()
  await page.getByLabel('Email').fill('quick@example.test')
  await page.getByLabel('Password', { exact: true }).fill('quicker than the script')
  await page.getByLabel('Password', { exact: true }).press('Enter')
  release()
  await page.waitForLoadState('networkidle')
  expect(new URL(page.url()).search).toBe('')
  await expect(page.getByLabel('Email')).toHaveValue('quick@example.test')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText('The email or the password is not right.')
})
