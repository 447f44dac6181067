import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, type APIResponse, type Page } from '@playwright/test'
import { readDashboardLate } from '#contract/dashboard.ts'
import { createInvitation } from '#contract/directory/invitations.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createUser } from '#contract/directory/users.ts'
import { fillTraining } from '#server/testing/training.ts'
import { accept, firstSuperadmin, type Client } from './client.ts'
import { answerBell, askEachAlone, axeFaults, chip, fitsAcross, signedIn } from './console.ts'
import { openDatabase, type ProductDatabase } from './database.ts'
import { startProduct, type Product } from './product.ts'

let product: Product
let superadmin: Client
let admin: Client
let page: Page
let productDatabase: ProductDatabase
let orgId: string

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser }) => {
  product = await startProduct()
  superadmin = await firstSuperadmin(product)
  const { id } = await superadmin.call(createOrganization, { body: { name: 'Tailspin Toys' } })
  orgId = id
  const invite = (email: string) =>
    superadmin.call(createInvitation, { body: { organizationId: id, email, role: 'admin' } })
  await invite('ada@tailspin.example')
  admin = await accept(product, superadmin, { email: 'ada@tailspin.example', name: 'Ada Admin' })
  await invite('late@tailspin.example')
  productDatabase = await openDatabase(product)
  await productDatabase.query(
    `update invitations set expires_at = now() + interval '1 day' where email like 'late@%'`,
  )
  await productDatabase.query(
    `insert into operations (organization_id, kind, state, params, total, done, created_by_name)
      values ($1, 'users.import', 'running', '{"subject":"people.csv"}', 200, 50, 'Ada Admin')`,
    [id],
  )
  page = await signedIn(browser, product, superadmin)
})

test.afterAll(async () => {
  await productDatabase.close()
  await product.stop()
  await page.context().close()
})

const open = async (by: Page) => {
  await by.goto(`${product.url}/dashboard`)
  await expect(by).toHaveTitle('Dashboard · Sendreel')
  await expect(by.getByRole('heading', { level: 1, name: 'Nothing has been sent yet' })).toBeVisible()
}

test('a superadmin sees how the installation is, what is in progress, and in which organization something has to be done', async () => {
  const unsealed = () => productDatabase.query('select from audit_unsealed limit 1')
  await expect.poll(async () => (await unsealed()).rowCount).toBe(0)
  await open(page)
  const installation = page.getByRole('region', { name: 'Installation' })
  await expect(installation.getByRole('listitem')).toContainText([
    'Database',
    'Background work',
    'Disk',
    'Mail',
    'Videos',
    'Uploaded files',
    'Audit log',
  ])
  await expect(installation).toContainText('All entries are sealed')
  const work = page.getByRole('region', { name: 'In progress' })
  await expect(work.getByRole('listitem')).toContainText(['Import of people: people.csv'])
  await expect(work).toContainText('50 of 200 done · Tailspin Toys')
  expect(await axeFaults(page)).toEqual([])
  const todo = page.getByRole('region', { name: 'Needs attention' })
  await expect(todo).toContainText('1 invitation ends within 2 days')
  await todo.getByRole('link', { name: 'Tailspin Toys' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Tailspin Toys' })).toBeVisible()
  await expect(page.getByRole('rowheader')).toHaveText(['late@tailspin.example'])
  expect(await axeFaults(page)).toEqual([])
  await chip(page, 'Only these: End within 2 days').click()
  await expect(page.getByRole('rowheader')).toHaveCount(2)
})

test('mails that could not be sent are listed where the matter leads', async () => {
  await productDatabase.query(
    `insert into mails (organization_id, address, subject, text, state, last_error)
      select id, 'gone@tailspin.example', 'Your code', 'Code 123456', 'failed', '550 no such user' from organizations`,
  )
  await open(page)
  const todo = page.getByRole('region', { name: 'Needs attention' })
  await todo.getByRole('link', { name: 'See mails: 1 mail could not be sent in the last 24 hours' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Mails that could not be sent' })).toBeVisible()
  const mails = page.getByRole('table', { name: 'Mails that could not be sent' })
  await expect(mails.getByRole('rowheader')).toHaveText(['gone@tailspin.example'])
  await expect(mails).toContainText('550 no such user')
  await expect(mails).not.toContainText('123456')
  expect(await axeFaults(page)).toEqual([])
  await productDatabase.query(`delete from mails where address = 'gone@tailspin.example'`)
})

test('a part that fails leaves the others alone, and is tried again in its place', async () => {
  await askEachAlone(page)
  for (const address of [`${product.url}/dashboard`, `${product.url}/organizations/${orgId}/dashboard`]) {
    await page.route('**/api/dashboard/work*', (route) => route.fulfill({ status: 500, json: {} }))
    await page.goto(address)
    const failed = page.getByRole('alert').filter({ hasText: 'In progress: not there right now' })
    await expect(failed).toBeVisible()
    await expect(page.getByRole('region', { name: 'Needs attention' })).toBeVisible()
    await expect(page.getByRole('region', { name: 'Since the beginning' })).toBeVisible()
    expect(await axeFaults(page)).toEqual([])
    await page.unroute('**/api/dashboard/work*')
    await failed.getByRole('button', { name: 'Try again' }).click()
    const work = page.getByRole('region', { name: 'In progress' })
    await expect(work).toContainText('50 of 200 done')
    await expect(failed).toHaveCount(0)
  }
})

test('a slow part holds nothing up', async () => {
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  await askEachAlone(page)
  await page.route('**/api/dashboard/attention*', async (route) => {
    await held
    await route.continue()
  })
  await page.goto(`${product.url}/dashboard`)
  await expect(page.getByRole('region', { name: 'Installation' })).toBeVisible()
  await expect(page.getByRole('status', { name: 'Loading: Needs attention' })).toBeVisible()
  answer()
  await expect(page.getByRole('region', { name: 'Needs attention' })).toBeVisible()
  await page.unroute('**/api/dashboard/attention*')
})

/** How much of the page has moved since it began to load, as the browser itself counts. */
const shiftOf = (by: Page) =>
  by.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += Number(Reflect.get(entry, 'value'))
        }).observe({ type: 'layout-shift', buffered: true })
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)))
      }),
  )

test('nothing moves while a page with figures arrives', async ({ browser }) => {
  const own = await signedIn(browser, product, admin)
  // What a visit before was answered, at once: a busy server may not decide what moves.
  const answers = new Map<string, APIResponse>()
  await own.route('**/api/**', async (route) => {
    const request = route.request()
    if (request.method() !== 'GET') return route.continue()
    const response = answers.get(request.url()) ?? (await route.fetch())
    answers.set(request.url(), response)
    await route.fulfill({ response })
  })
  await answerBell(own)
  for (const width of [1366, 390]) {
    await own.setViewportSize({ width, height: 800 })
    for (const address of [
      '/dashboard',
      `/organizations/${orgId}/dashboard`,
      '/reports/account-user-activity',
    ]) {
      for (const _visit of [1, 2]) {
        await own.goto(product.url + address)
        const fresh = own.getByRole('main').getByText(/^(Updated|Complete to)/)
        await expect(fresh.filter({ visible: true }).first()).toBeVisible()
        await expect(own.getByRole('status', { name: 'Loading' })).toHaveCount(0)
      }
      expect(await shiftOf(own), `${address} at ${width}`).toBeLessThanOrEqual(0.02)
    }
  }
  await own.unrouteAll({ behavior: 'wait' })
  await own.context().close()
})

test('nothing moves while the parts of a page come late, whichever comes last', async ({ browser }) => {
  const own = await signedIn(browser, product, admin)
  await askEachAlone(own)
  let last = ''
  await own.route('**/api/dashboard**', async (route) => {
    const response = await route.fetch()
    // Later than the page waits for its parts.
    await pause(new URL(response.url()).pathname === last ? 1_800 : 1_200)
    await route.fulfill({ response })
  })
  await answerBell(own)
  for (const width of [1366, 390]) {
    await own.setViewportSize({ width, height: 800 })
    for (const part of ['', '/late', '/work', '/attention']) {
      last = `/api/dashboard${part}`
      await own.goto(`${product.url}/dashboard`)
      await expect(own.getByRole('heading', { level: 1 })).toHaveText('Nothing has been sent yet')
      await expect(own.getByRole('status', { name: 'Loading' })).toHaveCount(0)
      expect(await shiftOf(own), `${last} at ${width}`).toBeLessThanOrEqual(0.02)
    }
  }
  await own.unrouteAll({ behavior: 'wait' })
  await own.context().close()
})

test('the page looks again by itself, and in a hidden tab at nothing', async ({ browser }) => {
  const own = await signedIn(browser, product, admin)
  const asked = { work: 0, attention: 0 }
  own.on('request', (request) => {
    if (request.url().includes('/api/dashboard/work')) asked.work += 1
    if (request.url().includes('/api/dashboard/attention')) asked.attention += 1
  })
  await answerBell(own)
  await askEachAlone(own)
  await own.clock.install()
  await own.goto(`${product.url}/organizations/${orgId}/dashboard`)
  await expect(own.getByRole('region', { name: 'In progress' })).toBeVisible()
  await expect(own.getByRole('region', { name: 'Needs attention' })).toBeVisible()
  const first = { ...asked }
  const now = () => own.evaluate(() => Date.now())
  const began = await now()
  for (let n = 0; n < 5; n += 1) {
    await own.clock.fastForward(11_000)
    await expect.poll(() => asked.work).toBeGreaterThan(first.work + n)
  }
  await expect.poll(() => asked.attention).toBeGreaterThan(first.attention)
  await own.clock.fastForward(31_000)
  await expect.poll(() => asked.attention).toBeGreaterThan(first.attention + 1)
  // The clock of the page goes on while the test waits; one more was on its way when it began to count.
  expect(asked.attention - first.attention).toBeLessThanOrEqual(
    Math.floor(((await now()) - began) / 30_000) + 1,
  )
  await own.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  await own.waitForTimeout(500)
  const before = { ...asked }
  await own.clock.fastForward(300_000)
  await own.waitForTimeout(500)
  expect(asked).toEqual(before)
  await own.context().close()
})

test('the first steps can be left and resumed where they were', async ({ browser }) => {
  const body = { name: 'Grace Hopper', email: 'grace@tailspin.example' }
  await superadmin.call(createUser, { params: { orgId }, body })
  const own = await signedIn(browser, product, admin)
  await open(own)
  const tour = own.getByRole('region', { name: 'First steps' })
  await expect(tour).toContainText('1 of 4 done')
  await expect(tour.getByRole('link', { name: 'Add a group' })).toHaveAttribute('aria-current', 'step')
  await tour.getByRole('button', { name: 'Leave for now' }).click()
  await expect(tour.getByRole('button', { name: 'Resume' })).toBeFocused()
  await expect(tour.getByRole('listitem')).toHaveCount(0)
  await own.reload()
  await expect(tour).toContainText('1 of 4 done, next: add a group')
  expect(await axeFaults(own)).toEqual([])
  await tour.getByRole('button', { name: 'Resume' }).click()
  await expect(tour.getByRole('button', { name: 'Leave for now' })).toBeFocused()
  await tour.getByRole('link', { name: 'Add a group' }).click()
  await expect(own).toHaveURL(/\?tab=groups$/)
  const create = own.getByRole('link', { name: 'Add a group' }).first()
  await expect(create).toBeFocused()
  await expect(create).toHaveCSS('outline-width', '3px')
  await create.press('Tab')
  await expect(create).not.toHaveAttribute('data-marked')
  await own.context().close()
})

test('what one has hidden stays hidden from oneself, and comes back when asked for', async ({ browser }) => {
  const own = await signedIn(browser, product, admin)
  await own.setViewportSize({ width: 390, height: 844 })
  await open(own)
  await expect(own.getByRole('region', { name: 'Installation' })).toHaveCount(0)
  const todo = own.getByRole('region', { name: 'Needs attention' })
  await todo.getByRole('button', { name: /^Hide for a week: 1 invitation/ }).click()
  await expect(todo.getByText('1 hidden')).toBeVisible()
  await own.reload()
  await todo.getByText('1 hidden').click()
  expect(await axeFaults(own)).toEqual([])
  await fitsAcross(own)
  await todo.getByRole('button', { name: /^Show again: 1 invitation/ }).click()
  await expect(todo.getByRole('link', { name: /See invitations/ })).toBeVisible()
  await own.context().close()
  await open(page)
  await expect(page.getByRole('button', { name: /^Hide for a week: 1 invitation/ })).toBeVisible()
})

test('the headline says who is late, and leads to them, to each person and to each training', async ({
  browser,
}) => {
  const late = await superadmin.call(createOrganization, { body: { name: 'Fabrikam' } })
  await superadmin.call(createInvitation, {
    body: { organizationId: late.id, email: 'flo@fabrikam.example', role: 'admin' },
  })
  const flo = await accept(product, superadmin, { email: 'flo@fabrikam.example', name: 'Flo Admin' })
  await fillTraining((text, values) => productDatabase.query(text, values), {
    organizationId: late.id,
    people: 30,
    videos: 8,
  })
  const { people, trainings, items } = await flo.call(readDashboardLate)
  const [training] = items
  const { title = '', id: videoId } = training ?? {}
  const { name = '' } = training?.people[0] ?? {}
  expect(training?.late).toBeGreaterThan(4)
  const answer = `${people} people are late with ${trainings} trainings`
  const own = await signedIn(browser, product, flo)
  const matter = own.getByRole('article', { name: title })
  for (const width of [1366, 390]) {
    await own.setViewportSize({ width, height: 800 })
    await own.goto(`${product.url}/dashboard`)
    await expect(own.getByRole('heading', { level: 1, name: answer })).toBeVisible()
    await expect(own).toHaveTitle('Dashboard · Sendreel')
    await expect(matter).toContainText(`${training?.late} late, due`)
    await expect(matter.getByRole('img', { name: /seen/i }).first()).toBeVisible()
    expect(await axeFaults(own)).toEqual([])
    await fitsAcross(own)
  }
  await matter.getByRole('link', { name }).click()
  await expect(own.getByRole('heading', { level: 1, name })).toBeVisible()
  await own.goBack()
  await matter.getByRole('link', { name: title }).first().click()
  await expect(own).toHaveURL(new RegExp(`training-matrix.*open=${videoId}`))
  await own.goBack()
  await own.getByRole('link', { name: `See ${people} people` }).click()
  await expect(own).toHaveURL(/training-matrix.*state=overdue/)
  await own.goto(`${product.url}/organizations/${late.id}/dashboard`)
  await expect(own.getByRole('heading', { level: 2, name: answer })).toBeVisible()
  await productDatabase.query(
    `update transmissions set due_at = now() + interval '1 day' where organization_id = $1`,
    [late.id],
  )
  await own.goto(`${product.url}/dashboard`)
  await expect(own.getByRole('heading', { level: 1, name: 'Everyone is up to date' })).toBeVisible()
  await expect(own.getByRole('region', { name: 'Who is late' })).toHaveCount(0)
  await own.context().close()
})
