import { expect, type Page } from '@playwright/test'
import { unique } from '#server/testing/unique.ts'
import { newOrganization, newSuperadmin, type Client } from './client.ts'
import { askEachAlone, axeFaults, listOption, signIn, wear } from './console.ts'
import { onProductOf } from './shared.ts'
import { readyVideo, videoWithoutFiles } from './upload.ts'

type World = { page: Page; client: Client; orgId: string; orgName: string }

const test = onProductOf({ CONTACT_EMAIL: 'help@films.test' }).extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const orgName = `Acme ${unique()}`
    const { client, orgId } = await newOrganization(product, orgName)
    await use({ page: await open(client), client, orgId, orgName })
  },
})

const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const sidenav = (page: Page) => page.locator('[data-part=sidenav]')
const ofOrganization = /\/api\/organizations\/7/

/** That each page is behind the same guard is said in `web/routes.test.ts`; here one of each kind asks it. */
const guarded = [
  '/dashboard',
  '/organizations/7/users/7/edit',
  '/reports/schedules',
  '/layouts/topbars/with-tools',
]

test('a protected page asks to sign in first', async ({ page }) => {
  for (const place of guarded) {
    await page.goto(place)
    await page.waitForURL((url) => url.pathname === '/auth-1/sign-in')
    const wanted = new URL(page.url()).searchParams.get('return')
    expect(wanted ?? '/dashboard').toBe(place)
  }
})

test('an address that nothing answers to is a page that says so, signed out and signed in', async ({
  page,
  shared: product,
}) => {
  for (const address of ['/nowhere/at/all', '/auth-1/nothing', '/error/999']) {
    const answer = await page.goto(address)
    expect(answer?.status(), address).toBe(404)
    await expect(heading(page)).toHaveText('Page Not Found')
    await expect(sidenav(page)).toHaveCount(0)
    expect(await axeFaults(page)).toEqual([])
  }
  await signIn(page, product, await newSuperadmin(product))
  const answer = await page.goto('/nowhere/at/all')
  expect(answer?.status()).toBe(404)
  await expect(heading(page)).toHaveText('Page Not Found')
  await expect(sidenav(page)).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('link', { name: 'Go to the dashboard' }).click()
  await page.waitForURL('**/dashboard')
  const api = await page.request.get('/api/nowhere')
  expect(api.headers()['content-type']).toContain('application/problem+json')
})

test('each failure of a call has its face, and a way on that fits', async ({ world: { page } }) => {
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
    await page.goto('/organizations/7/groups/9/edit')
    await expect(heading(page)).toHaveText(face)
    await expect(page.getByText(`Error ${status}`, { exact: true })).toBeVisible()
    await expect(page.locator('main').locator('a, button').filter({ hasText: action })).toBeVisible()
    await expect(sidenav(page)).toBeVisible()
    expect(await axeFaults(page)).toEqual([])
    await page.unroute(ofOrganization)
  }
})

test('what stands before the server and answers in its place is told from it', async ({
  world: { page },
}) => {
  for (const status of [502, 503, 504]) {
    await page.route(ofOrganization, (route) =>
      route.fulfill({ status, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }),
    )
    await page.goto('/organizations/7/groups/9/edit')
    await expect(heading(page)).toHaveText('Please Wait a Moment')
    await expect(page.getByText(/Error \d/)).toHaveCount(0)
    await expect(page.getByText('It may be starting.')).toBeVisible()
    await page.unroute(ofOrganization)
  }
})

test('a failure of ours shows its reference, to be copied', async ({ world: { page } }) => {
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
  await page.goto('/organizations/7/groups/9/edit')
  await expect(heading(page)).toHaveText('Something went wrong on our side.')
  await expect(page.getByText('req-4711')).toBeVisible()
  await page.getByRole('button', { name: 'Copy' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Copied' })).toBeVisible()
  // The console itself may not read the clipboard; who pastes can.
  const search = page.getByRole('combobox', { name: /^Search Organizations/ })
  await search.focus()
  await page.keyboard.press('ControlOrMeta+V')
  await expect(search).toHaveValue('req-4711')
  expect(await axeFaults(page)).toEqual([])
})

test('when the server is gone under an open console, the page says so and goes on when it is back', async ({
  world: { page, orgName },
}) => {
  await page.goto('/settings')
  await expect(heading(page)).toBeVisible()
  await page.route('**/api/**', (route) => route.abort('connectionrefused'))
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Organizations' }).click()
  await expect(page.getByRole('alert')).toContainText('The server cannot be reached')
  await expect(heading(page)).toHaveText('Organizations')
  await expect(sidenav(page)).toBeVisible()
  await expect(page.getByRole('main').getByRole('button', { name: 'Try again' })).toHaveCount(1)
  expect(await axeFaults(page)).toEqual([])
  await page.unroute('**/api/**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('rowheader', { name: orgName })).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

/** As after an update: the page of the server names other files than the ones that run here. */
async function pretendUpdate(page: Page) {
  let loads = 0
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.url().endsWith('/settings')) loads += 1
  })
  await page.route('**/assets/SettingsPage-*.js', (route) => route.fulfill({ status: 404, body: 'gone' }))
  await page.route('**/settings', async (route) => {
    if (route.request().resourceType() === 'document') return route.fallback()
    const answer = await route.fetch()
    const body = (await answer.text()).replaceAll(/\/assets\/[\w-]+\.js/g, '/assets/newer.js')
    return route.fulfill({ response: answer, body })
  })
  return {
    loads: () => loads,
    end: async () => {
      await page.unroute('**/assets/SettingsPage-*.js')
      await page.unroute('**/settings')
    },
  }
}

const openSettings = (page: Page) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).click()

test('a page whose files are gone after an update is loaded again, once and never in a loop', async ({
  world: { page },
}) => {
  await page.goto('/organizations')
  await expect(heading(page)).toHaveText('Organizations')
  const update = await pretendUpdate(page)
  await openSettings(page)
  await expect(heading(page)).toHaveText('Sendreel has been updated')
  expect(update.loads()).toBe(1)
  expect(await axeFaults(page)).toEqual([])
  await update.end()
  await page.getByRole('button', { name: 'Reload the page' }).click()
  await expect(heading(page)).toHaveText('Settings')
})

test('a part that cannot be fetched, without an update, is offered again and loads nothing by itself', async ({
  world: { page },
}) => {
  await page.goto('/organizations')
  await expect(heading(page)).toHaveText('Organizations')
  await page.route('**/assets/SettingsPage-*.js', (route) => route.abort())
  await openSettings(page)
  await expect(heading(page)).toHaveText('A part of this page is missing')
  await page.unroute('**/assets/SettingsPage-*.js')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(heading(page)).toHaveText('Settings')
})

/** What is near may be fetched before it is asked for; now it is not to be had. */
async function without(page: Page, file: string): Promise<() => Promise<void>> {
  const address = `**/assets/${file}-*.js`
  await page.route(address, (route) => route.fulfill({ status: 404, body: 'gone' }))
  return () => page.unroute(address)
}

test('a menu that cannot be fetched says so in its place, and what has been typed stays', async ({
  world: { page },
}) => {
  await without(page, 'MegaPanel')
  await page.goto('/organizations/create')
  await page.getByLabel('Name', { exact: true }).fill('Half typed')
  await page.getByRole('button', { name: 'Explore' }).click()
  await expect(page.getByRole('alert')).toContainText('This part could not be fetched.')
  await page.keyboard.press('Escape')
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Half typed')
})

const missing = (page: Page) =>
  page.getByRole('main').getByRole('alert').filter({ hasText: 'could not be fetched' })

test('a player that cannot be fetched says so in its place, and the page around it goes on', async ({
  shared: product,
  world: { page, client, orgId },
}) => {
  const where = { url: product.url, client, organizationId: orgId }
  const videoId = await readyVideo(where, { seconds: 2, width: 320 })
  const end = await without(page, 'Player')
  await page.goto(`/content/${videoId}`)
  await expect(missing(page)).toBeVisible()
  await expect(heading(page)).toHaveText('A real video')
  expect(await axeFaults(page)).toEqual([])
  await page.getByLabel('Title').fill('Half typed')
  await expect(missing(page)).toBeVisible()
  await expect(page.getByLabel('Title')).toHaveValue('Half typed')
  await page.getByLabel('Title').fill('A real video')
  await end()
  await missing(page).getByRole('button', { name: 'Reload the page' }).click()
  await expect(page.locator('[data-player]')).toBeVisible()
  await expect(missing(page)).toHaveCount(0)
})

test('a dialog that cannot be fetched says so in one, and closes to the page as it was', async ({
  shared: product,
  world: { page, orgId },
}) => {
  await videoWithoutFiles(product, { organizationId: orgId })
  const end = await without(page, 'ProjectsDialog')
  await page.goto(`/content?organization=${orgId}&q=real`)
  await page.getByRole('button', { name: 'Projects' }).click()
  const dialog = page.getByRole('dialog', { name: 'This part could not be fetched' })
  await expect(dialog).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(heading(page)).toHaveText('Content')
  await page.getByRole('button', { name: 'Projects' }).click()
  await end()
  await dialog.getByRole('button', { name: 'Reload the page' }).click()
  await expect(page.getByRole('dialog', { name: 'Projects' })).toBeVisible()
})

test('filters and views that cannot be fetched leave the list where it is', async ({
  world: { page, orgName },
}) => {
  const ends = [await without(page, 'OrganizationSelect'), await without(page, 'MenuPanel')]
  await page.goto('/settings?tab=audit')
  await page.getByRole('main').getByRole('button', { name: 'Organization: All organizations' }).click()
  await expect(missing(page)).toBeVisible()
  await expect(
    page.getByRole('main').getByText(`Sue Perior created the organization ${orgName}`),
  ).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await page.goto('/organizations')
  await page.getByRole('button', { name: 'List options' }).click()
  await expect(missing(page)).toBeVisible()
  await expect(page.getByRole('rowheader', { name: orgName })).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  for (const end of ends) await end()
  await missing(page).getByRole('button', { name: 'Reload the page' }).click()
  await listOption(page, 'Columns and density')
  await expect(page.getByRole('dialog', { name: 'View of the table' })).toBeVisible()
})

test('a mistake of a page is caught, and the menu stays', async ({ world: { page } }) => {
  await askEachAlone(page)
  await page.route('**/api/organizations?**', (route) =>
    route.fulfill({ json: { items: [null], total: 1, offset: 0, limit: 25, next: null } }),
  )
  await page.goto('/organizations')
  await expect(heading(page)).toHaveText('Internal Server Error')
  await expect(sidenav(page)).toBeVisible()
  await page.unroute('**/api/organizations?**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(heading(page)).toHaveText('Organizations')
})

test('an address that cannot be read is a page for people and a problem for programs', async ({ page }) => {
  const answer = await page.goto('/%E0%A4%A')
  expect(answer?.status()).toBe(400)
  await expect(heading(page)).toHaveText('Bad Request')
  expect(await axeFaults(page)).toEqual([])
  const api = await page.request.get('/api/%E0%A4%A')
  expect(api.status()).toBe(400)
  expect(await api.json()).toMatchObject({ code: 'invalid_request' })
})

test('maintenance names whom to write to, and each error page the way that fits', async ({
  page,
  shared: product,
}) => {
  await page.goto('/maintenance')
  await expect(page.getByRole('link', { name: 'Write to help@films.test' })).toHaveAttribute(
    'href',
    'mailto:help@films.test',
  )
  await page.goto('/error/401?return=/content')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.waitForURL('**/auth-1/sign-in?return=%2Fcontent')
  await signIn(page, product, await newSuperadmin(product))
  await page.goto('/error/500?return=/settings')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.waitForURL('**/settings')
})

test('too many requests and an answer that makes no sense are pages that say so', async ({
  world: { page },
}) => {
  const tooMany = { status: 429, contentType: 'application/problem+json' }
  const waiting = { code: 'too_many_requests', title: 'Too many', status: 429, retryAfter: 40 }
  const strange = { status: 200, contentType: 'text/html', body: '<h1>Welcome to the hotel</h1>' }
  const pages = [
    { answer: { ...tooMany, body: JSON.stringify(waiting) }, face: 'Please wait', says: 'in 40 seconds' },
    { answer: strange, face: 'The answer could not be read', says: 'may have replaced it' },
  ]
  for (const { answer, face, says } of pages) {
    await page.route(ofOrganization, (route) => route.fulfill(answer))
    await page.goto('/organizations/7/groups/9/edit')
    await expect(heading(page)).toHaveText(face)
    await expect(page.getByRole('main')).toContainText(says)
    await expect(page.getByText(/Error \d/)).toHaveCount(0)
    await expect(page.getByRole('main').getByRole('button', { name: 'Try again' })).toBeVisible()
    expect(await axeFaults(page)).toEqual([])
    await page.unroute(ofOrganization)
  }
})

test('restoring says so, waits five seconds once, and offers to try again', async ({ world: { page } }) => {
  // The time of the page goes on only as it is told.
  await page.clock.install()
  await page.clock.pauseAt(new Date(Date.now() + 60_000))
  await askEachAlone(page)
  await page.route('**/api/auth/session', () => undefined)
  await page.goto('/settings')
  const restoring = page.getByRole('status').filter({ hasText: 'Restoring your session...' })
  await expect(restoring).toBeVisible()
  await page.clock.runFor(2_500)
  await expect(restoring).toBeVisible()
  await page.clock.runFor(2_500)
  await page.clock.resume()
  await expect(heading(page)).toHaveText('The server did not answer')
  expect(new URL(page.url()).pathname).toBe('/settings')
  await page.unroute('**/api/auth/session')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(heading(page)).toHaveText('Settings')
})

test('restoring is there before any script, in the look that was chosen, and gone once restored', async ({
  world: { page },
}) => {
  await wear(page, { skin: 'saas', theme: 'dark' })
  await page.route('**/assets/*.js', () => undefined)
  await page.goto('/settings', { waitUntil: 'commit' })
  const restoring = page.getByRole('status').filter({ hasText: 'Restoring your session...' })
  await expect(restoring).toBeVisible()
  await expect(restoring).toHaveCSS('opacity', '1')
  await expect(restoring).toHaveCSS('color', 'rgb(154, 168, 161)')
  await page.unroute('**/assets/*.js')
  await page.goto('/settings')
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
  await expect(restoring).toHaveCount(0)
})
