import { AxeBuilder } from '@axe-core/playwright'
import { expect, test } from '@playwright/test'
import { startProduct, type Product } from './product.ts'

let product: Product

test.beforeAll(async () => {
  product = await startProduct({ PRODUCT_NAME: 'Reel & Co' })
})
test.afterAll(async () => product.stop())

const names =
  'sign-in sign-up reset-password new-password two-factor lock-screen success-mail login-pin login-password confirm delete-account'
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
      await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
      await expect(page).toHaveTitle(/ · Reel & Co$/)
      await expect(page.getByRole('contentinfo')).toContainText(`© ${new Date().getFullYear()} Reel & Co`)
      expect(await page.locator('html').getAttribute('data-bs-theme')).toBe(theme)
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), address).toBe(
        true,
      )
      const { violations } = await new AxeBuilder({ page }).analyze()
      expect(violations.map(({ id, nodes }) => [address, id, nodes[0]?.target])).toEqual([])
    }
    expect(faults).toEqual([])
    await context.close()
  })

test('each of the 19 public addresses is a page of its own, signed out', async ({ page }) => {
  const addresses = pages.filter((address) => address !== '/landing').concat('/w/video/x')
  expect(addresses).toHaveLength(19)
  for (const address of addresses) {
    await page.goto(product.url + address)
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
    await expect(page.locator('[data-part=sidenav]')).toHaveCount(0)
    // The steps of a flow lead to its beginning when it has not begun.
    const isStep = /\/(login-password|confirm)$/.test(address)
    expect([address, ...(isStep ? ['/auth-1/sign-in'] : [])]).toContain(new URL(page.url()).pathname)
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(violations.map(({ id, nodes }) => [address, id, nodes[0]?.target])).toEqual([])
  }
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
    expect(await page.evaluate(() => document.documentElement.scrollWidth), address).toBe(320)
  }
})

for (const address of ['/auth-1/sign-in', '/landing'])
  test(`${address} is light: four requests, 85 kB of scripts, 110 kB in all`, async ({ page }) => {
    const loaded: { address: string; bytes: number }[] = []
    page.on('requestfinished', async (request) => {
      const address = request.url()
      loaded.push({ address, bytes: 0 })
      const { responseBodySize } = await request.sizes()
      const entry = loaded.find((one) => one.address === address)
      if (entry) entry.bytes = responseBodySize
    })
    await page.goto(product.url + address, { waitUntil: 'networkidle' })
    const sum = (list: typeof loaded) => list.reduce((total, { bytes }) => total + bytes, 0)
    const own = loaded.filter(({ address }) => address.startsWith('http'))
    expect(own.filter((one) => !one.address.startsWith(product.url))).toEqual([])
    expect(own.length).toBeLessThanOrEqual(4)
    expect(sum(own.filter(({ address }) => address.endsWith('.js')))).toBeLessThanOrEqual(85_000)
    expect(sum(own)).toBeLessThanOrEqual(110_000)
    expect(sum(own)).toBeGreaterThan(20_000)
  })

test('sign-in is there before any script has run', async ({ browser }) => {
  const page = await browser.newPage({ javaScriptEnabled: false })
  await page.goto(`${product.url}/auth-1/sign-in`)
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible()
  await expect(page.getByLabel('Email')).toBeVisible()
  await page.close()
})
