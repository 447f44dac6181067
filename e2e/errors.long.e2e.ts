import { expect, test, type Page } from '@playwright/test'
import { createOrganization } from '#contract/directory/organizations.ts'
import { firstSuperadmin, type Client } from './client.ts'
import { askEachAlone, axeFaults, listOption, signedIn, signIn, wear } from './console.ts'
import { startProduct, type Product } from './product.ts'
import { readyVideo } from './upload.ts'

let product: Product
let client: Client
let page: Page
let videoId: string

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser }) => {
  product = await startProduct({ CONTACT_EMAIL: 'help@films.test' })
  client = await firstSuperadmin(product)
  const { id: organizationId } = await client.call(createOrganization, { body: { name: 'Acme' } })
  videoId = await readyVideo({ url: product.url, client, organizationId }, { seconds: 2, width: 320 })
  page = await (await browser.newContext()).newPage()
})

test.afterAll(async () => {
  await product.stop()
  await page.context().close()
})

const heading = () => page.getByRole('heading', { level: 1 })
const sidenav = () => page.locator('[data-part=sidenav]')
const ofOrganization = /\/api\/organizations\/7/

async function expectAccessible(): Promise<void> {
  expect(await axeFaults(page)).toEqual([])
}

/** That each page is behind the same guard is said in `web/routes.test.ts`; here one of each kind asks it. */
const guarded = [
  '/dashboard',
  '/organizations/7/users/7/edit',
  '/reports/schedules',
  '/layouts/topbars/with-tools',
]

test('a protected page asks to sign in first', async () => {
  for (const place of guarded) {
    await page.goto(product.url + place)
    await page.waitForURL((url) => url.pathname === '/auth-1/sign-in')
    const wanted = new URL(page.url()).searchParams.get('return')
    expect(wanted ?? '/dashboard').toBe(place)
  }
})

test('an address that nothing answers to is a page that says so, signed out and signed in', async () => {
  for (const address of ['/nowhere/at/all', '/auth-1/nothing', '/error/999']) {
    const answer = await page.goto(product.url + address)
    expect(answer?.status(), address).toBe(404)
    await expect(heading()).toHaveText('Page Not Found')
    await expect(sidenav()).toHaveCount(0)
    await expectAccessible()
  }
  await signIn(page, product, client)
  const answer = await page.goto(`${product.url}/nowhere/at/all`)
  expect(answer?.status()).toBe(404)
  await expect(heading()).toHaveText('Page Not Found')
  await expect(sidenav()).toBeVisible()
  await expectAccessible()
  await page.getByRole('link', { name: 'Go to the dashboard' }).click()
  await page.waitForURL('**/dashboard')
  const api = await page.request.get(`${product.url}/api/nowhere`)
  expect(api.headers()['content-type']).toContain('application/problem+json')
})

test('each failure of a call has its face, and a way on that fits', async () => {
  const answers = [
    { status: 403, code: 'forbidden', face: 'Forbidden', action: 'Go to the dashboard' },
    { status: 404, code: 'not_found', face: 'Page Not Found', action: 'Go to the dashboard' },
    { status: 408, code: 'timeout', face: 'Request Timeout', action: 'Try again' },
    { status: 400, code: 'invalid_request', face: 'Bad Request', action: 'Go to the dashboard' },
    { status: 409, code: 'conflict', face: 'Not Possible Now', action: 'Go to the dashboard' },
    { status: 410, code: 'link_expired', face: 'No Longer Here', action: 'Go to the dashboard' },
    { status: 412, code: 'precondition_failed', face: 'Changed in the Meantime', action: 'Go to' },
    { status: 413, code: 'too_large', face: 'Too Large', action: 'Go to the dashboard' },
  ]
  for (const { status, code, face, action } of answers) {
    await page.route(ofOrganization, (route) =>
      route.fulfill({
        status,
        contentType: 'application/problem+json',
        body: JSON.stringify({ type: 'about:blank', status, code, title: 'It did not work.' }),
      }),
    )
    await page.goto(`${product.url}/organizations/7/groups/9/edit`)
    await expect(heading()).toHaveText(face)
    await expect(page.getByText(`Error ${status}`, { exact: true })).toBeVisible()
    await expect(page.locator('main').locator('a, button').filter({ hasText: action })).toBeVisible()
    await expect(sidenav()).toBeVisible()
    await expectAccessible()
    await page.unroute(ofOrganization)
  }
})

test('what stands before the server and answers in its place is told from it', async () => {
  for (const status of [502, 503, 504]) {
    await page.route(ofOrganization, (route) =>
      route.fulfill({ status, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }),
    )
    await page.goto(`${product.url}/organizations/7/groups/9/edit`)
    await expect(heading()).toHaveText('Please Wait a Moment')
    await expect(page.getByText(/Error \d/)).toHaveCount(0)
    await expect(page.getByText('It may be starting.')).toBeVisible()
    await page.unroute(ofOrganization)
  }
})

test('a failure of ours shows its reference, to be copied', async () => {
  await page.context().grantPermissions(['clipboard-write'])
  await page.route(ofOrganization, (route) =>
    route.fulfill({
      status: 500,
      contentType: 'application/problem+json',
      body: JSON.stringify({
        type: 'about:blank',
        status: 500,
        code: 'internal',
        title: 'Something went wrong on our side.',
        requestId: 'req-4711',
      }),
    }),
  )
  await page.goto(`${product.url}/organizations/7/groups/9/edit`)
  await expect(heading()).toHaveText('Something went wrong on our side.')
  await expect(page.getByText('req-4711')).toBeVisible()
  await page.getByRole('button', { name: 'Copy' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Copied' })).toBeVisible()
  // The console itself may not read the clipboard; who pastes can.
  const search = page.getByRole('combobox', { name: /^Search Organizations/ })
  await search.focus()
  await page.keyboard.press('ControlOrMeta+V')
  await expect(search).toHaveValue('req-4711')
  await search.fill('')
  await expectAccessible()
  await page.unroute(ofOrganization)
})

test('when the server is gone under an open console, the page says so and goes on when it is back', async () => {
  await page.goto(`${product.url}/settings`)
  await expect(heading()).toBeVisible()
  await page.route('**/api/**', (route) => route.abort('connectionrefused'))
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Organizations' }).click()
  await expect(page.getByRole('alert')).toContainText('The server cannot be reached')
  await expect(heading()).toHaveText('Organizations')
  await expect(sidenav()).toBeVisible()
  await expect(page.getByRole('main').getByRole('button', { name: 'Try again' })).toHaveCount(1)
  await expectAccessible()
  await page.unroute('**/api/**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('rowheader', { name: 'Acme' })).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

/** As after an update: the page of the server names other files than the ones that run here. */
async function pretendUpdate(): Promise<{ loads: () => number; end: () => Promise<void> }> {
  let loads = 0
  const count = (frame: { url: () => string }) => {
    if (frame.url().endsWith('/settings')) loads += 1
  }
  await page.route('**/assets/SettingsPage-*.js', (route) => route.fulfill({ status: 404, body: 'gone' }))
  await page.route('**/settings', async (route) => {
    if (route.request().resourceType() === 'document') return route.fallback()
    const answer = await route.fetch()
    const body = (await answer.text()).replaceAll(/\/assets\/[\w-]+\.js/g, '/assets/newer.js')
    return route.fulfill({ response: answer, body })
  })
  page.on('request', (request) => {
    if (request.isNavigationRequest()) count({ url: () => request.url() })
  })
  return {
    loads: () => loads,
    end: async () => {
      await page.unroute('**/assets/SettingsPage-*.js')
      await page.unroute('**/settings')
    },
  }
}

const openSettings = () =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).click()

test('a page whose files are gone after an update is loaded again, once and never in a loop', async () => {
  await page.goto(`${product.url}/organizations`)
  await expect(heading()).toHaveText('Organizations')
  const update = await pretendUpdate()
  await openSettings()
  await expect(heading()).toHaveText('Sendreel has been updated')
  expect(update.loads()).toBe(1)
  await expectAccessible()
  await update.end()
  await page.getByRole('button', { name: 'Reload the page' }).click()
  await expect(heading()).toHaveText('Settings')
})

test('a part that cannot be fetched, without an update, is offered again and loads nothing by itself', async () => {
  await page.evaluate(() => sessionStorage.clear())
  await page.goto(`${product.url}/organizations`)
  await expect(heading()).toHaveText('Organizations')
  await page.route('**/assets/SettingsPage-*.js', (route) => route.abort())
  await openSettings()
  await expect(heading()).toHaveText('A part of this page is missing')
  await page.unroute('**/assets/SettingsPage-*.js')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(heading()).toHaveText('Settings')
})

test('a menu that cannot be fetched says so in its place, and what has been typed stays', async () => {
  await page.route('**/assets/MegaPanel-*.js', (route) => route.fulfill({ status: 404, body: 'gone' }))
  await page.goto(`${product.url}/organizations/create`)
  await page.getByLabel('Name', { exact: true }).fill('Half typed')
  await page.getByRole('button', { name: 'Explore' }).click()
  await expect(page.getByRole('alert')).toContainText('This part could not be fetched.')
  await page.keyboard.press('Escape')
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Half typed')
  await page.unroute('**/assets/MegaPanel-*.js')
  page.once('dialog', (dialog) => void dialog.accept())
})

const missing = () => page.getByRole('main').getByRole('alert').filter({ hasText: 'could not be fetched' })

/** What is near may be fetched before it is asked for; now it is not to be had. */
async function without(file: string): Promise<() => Promise<void>> {
  const address = `**/assets/${file}-*.js`
  await page.route(address, (route) => route.fulfill({ status: 404, body: 'gone' }))
  return () => page.unroute(address)
}

test('a player that cannot be fetched says so in its place, and the page around it goes on', async () => {
  const end = await without('Player')
  await page.goto(`${product.url}/content/${videoId}`)
  await expect(missing()).toBeVisible()
  await expect(heading()).toHaveText('A real video')
  await expectAccessible()
  await page.getByLabel('Title').fill('Half typed')
  await expect(missing()).toBeVisible()
  await expect(page.getByLabel('Title')).toHaveValue('Half typed')
  await page.getByLabel('Title').fill('A real video')
  await end()
  await missing().getByRole('button', { name: 'Reload the page' }).click()
  await expect(page.locator('[data-player]')).toBeVisible()
  await expect(missing()).toHaveCount(0)
})

test('a dialog that cannot be fetched says so in one, and closes to the page as it was', async () => {
  const end = await without('ProjectsDialog')
  await page.goto(`${product.url}/content?q=real`)
  await page.getByRole('button', { name: 'Projects' }).click()
  const dialog = page.getByRole('dialog', { name: 'This part could not be fetched' })
  await expect(dialog).toBeVisible()
  await expectAccessible()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(heading()).toHaveText('Content')
  await page.getByRole('button', { name: 'Projects' }).click()
  await end()
  await dialog.getByRole('button', { name: 'Reload the page' }).click()
  await expect(page.getByRole('dialog', { name: 'Projects' })).toBeVisible()
})

test('filters and views that cannot be fetched leave the list where it is', async () => {
  const ends = [await without('OrganizationSelect'), await without('MenuPanel')]
  await page.goto(`${product.url}/settings?tab=audit`)
  await page.getByRole('main').getByRole('button', { name: 'Organization: All organizations' }).click()
  await expect(missing()).toBeVisible()
  await expect(page.getByRole('main').getByText('Sue Perior created the organization Acme')).toBeVisible()
  await expectAccessible()
  await page.goto(`${product.url}/organizations`)
  await page.getByRole('button', { name: 'List options' }).click()
  await expect(missing()).toBeVisible()
  await expect(page.getByRole('rowheader', { name: 'Acme' })).toBeVisible()
  await expectAccessible()
  for (const end of ends) await end()
  await missing().getByRole('button', { name: 'Reload the page' }).click()
  await listOption(page, 'Columns and density')
  await expect(page.getByRole('dialog', { name: 'View of the table' })).toBeVisible()
})

test('a mistake of a page is caught, and the menu stays', async () => {
  await signIn(page, product, client)
  await askEachAlone(page)
  await page.route('**/api/organizations?**', (route) =>
    route.fulfill({ json: { items: [null], total: 1, offset: 0, limit: 25, next: null } }),
  )
  await page.goto(`${product.url}/organizations`)
  await expect(heading()).toHaveText('Internal Server Error')
  await expect(sidenav()).toBeVisible()
  await page.unroute('**/api/organizations?**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(heading()).toHaveText('Organizations')
})

test('an address that cannot be read is a page for people and a problem for programs', async () => {
  const answer = await page.goto(`${product.url}/%E0%A4%A`)
  expect(answer?.status()).toBe(400)
  await expect(heading()).toHaveText('Bad Request')
  await expectAccessible()
  const api = await page.request.get(`${product.url}/api/%E0%A4%A`)
  expect(api.status()).toBe(400)
  expect(await api.json()).toMatchObject({ code: 'invalid_request' })
})

test('maintenance names whom to write to, and each error page the way that fits', async () => {
  await page.goto(`${product.url}/maintenance`)
  await expect(page.getByRole('link', { name: 'Write to help@films.test' })).toHaveAttribute(
    'href',
    'mailto:help@films.test',
  )
  // Who is signed in would be led on at once.
  await page.evaluate(() => localStorage.removeItem('persist:auth'))
  await page.goto(`${product.url}/error/401?return=/content`)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.waitForURL('**/auth-1/sign-in?return=%2Fcontent')
  await signIn(page, product, client)
  await page.goto(`${product.url}/error/500?return=/settings`)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.waitForURL('**/settings')
})

test('too many requests and an answer that makes no sense are pages that say so', async () => {
  const tooMany = { status: 429, contentType: 'application/problem+json' }
  const waiting = { code: 'too_many_requests', title: 'Too many', status: 429, retryAfter: 40 }
  const strange = { status: 200, contentType: 'text/html', body: '<h1>Welcome to the hotel</h1>' }
  const pages = [
    { answer: { ...tooMany, body: JSON.stringify(waiting) }, face: 'Please wait', says: 'in 40 seconds' },
    { answer: strange, face: 'The answer could not be read', says: 'may have replaced it' },
  ]
  for (const { answer, face, says } of pages) {
    await page.route(ofOrganization, (route) => route.fulfill(answer))
    await page.goto(`${product.url}/organizations/7/groups/9/edit`)
    await expect(heading()).toHaveText(face)
    await expect(page.getByRole('main')).toContainText(says)
    await expect(page.getByText(/Error \d/)).toHaveCount(0)
    await expect(page.getByRole('main').getByRole('button', { name: 'Try again' })).toBeVisible()
    await expectAccessible()
    await page.unroute(ofOrganization)
  }
})

test('restoring says so, waits five seconds once, and offers to try again', async ({ browser }) => {
  const other = await signedIn(browser, product, client)
  // The time of the page goes on only as it is told.
  await other.clock.install()
  await other.clock.pauseAt(new Date(Date.now() + 60_000))
  await askEachAlone(other)
  await other.route('**/api/auth/session', () => undefined)
  await other.goto(`${product.url}/settings`)
  const restoring = other.getByRole('status').filter({ hasText: 'Restoring your session...' })
  await expect(restoring).toBeVisible()
  await other.clock.runFor(2_500)
  await expect(restoring).toBeVisible()
  await other.clock.runFor(2_500)
  await other.clock.resume()
  const title = other.getByRole('heading', { level: 1 })
  await expect(title).toHaveText('The server did not answer')
  expect(other.url()).toBe(`${product.url}/settings`)
  await other.unroute('**/api/auth/session')
  await other.getByRole('button', { name: 'Try again' }).click()
  await expect(title).toHaveText('Settings')
  await other.context().close()
})

test('restoring is there before any script, in the look that was chosen, and gone once restored', async ({
  browser,
}) => {
  const other = await signedIn(browser, product, client)
  await wear(other, { skin: 'saas', theme: 'dark' })
  await other.route('**/assets/*.js', () => undefined)
  await other.goto(`${product.url}/settings`, { waitUntil: 'commit' })
  const restoring = other.getByRole('status').filter({ hasText: 'Restoring your session...' })
  await expect(restoring).toBeVisible()
  await expect(restoring).toHaveCSS('opacity', '1')
  await expect(restoring).toHaveCSS('color', 'rgb(154, 168, 161)')
  await other.unroute('**/assets/*.js')
  await other.goto(`${product.url}/settings`)
  await expect(other.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
  await expect(restoring).toHaveCount(0)
  await other.context().close()
})
