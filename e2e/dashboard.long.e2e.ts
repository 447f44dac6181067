import { setTimeout as pause } from 'node:timers/promises'
import { expect, type APIResponse, type Page } from '@playwright/test'
import { readDashboardLate } from '#contract/dashboard.ts'
import { createInvitation } from '#contract/directory/invitations.ts'
import { createUser } from '#contract/directory/users.ts'
import { reportNames } from '#contract/reports/report-schedules.ts'
import { fillTraining } from '#server/testing/training.ts'
import { unique } from '#server/testing/unique.ts'
import { newAdmin, newOrganization, type Client } from './client.ts'
import { answerBell, askEachAlone, axeFaults, chip, fitsAcross } from './console.ts'
import { openDatabase, type ProductDatabase } from './database.ts'
import type { Product } from './product.ts'
import { onProductOf, test as shared } from './shared.ts'

/** An organization in which an invitation is about to end, and an import is under way. */
type World = {
  superadmin: Client
  admin: Client
  orgId: string
  /** To which the invitation went. */
  address: string
  database: ProductDatabase
}

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product }, use) => {
    const world = await worldOf(product)
    await use(world)
    await world.database.close()
  },
})

async function worldOf(product: Product): Promise<World> {
  const { client: superadmin, orgId } = await newOrganization(product, 'Tailspin Toys')
  const admin = await newAdmin(product, superadmin, { orgId, name: 'Ada Admin' })
  const address = `late-${unique()}@tailspin.example`
  const body = { organizationId: orgId, email: address, role: 'admin' as const }
  await superadmin.call(createInvitation, { body })
  const database = await openDatabase(product)
  await database.query(`update invitations set expires_at = now() + interval '1 day' where email = $1`, [
    address,
  ])
  await database.query(
    `insert into operations (organization_id, kind, state, params, total, done, created_by_name)
      values ($1, 'users.import', 'running', '{"subject":"people.csv"}', 200, 50, 'Ada Admin')`,
    [orgId],
  )
  return { superadmin, admin, orgId, address, database }
}

async function go(page: Page): Promise<void> {
  await page.goto('/dashboard')
  await expect(page).toHaveTitle('Dashboard · Sendreel')
  await expect(page.getByRole('heading', { level: 1, name: 'Nothing has been sent yet' })).toBeVisible()
}

// The figures of a whole installation are those of nobody else in this one.
onProductOf()(
  'a superadmin sees how the installation is, what is in progress, and in which organization something has to be done',
  async ({ shared: product, open }) => {
    const { superadmin, address, database } = await worldOf(product)
    const page = await open(superadmin)
    const unsealed = () => database.query('select from audit_unsealed limit 1')
    await expect.poll(async () => (await unsealed()).rowCount).toBe(0)
    await go(page)
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
    await expect(page.getByRole('rowheader')).toHaveText([address])
    expect(await axeFaults(page)).toEqual([])
    await chip(page, 'Only these: End within 2 days').click()
    await expect(page.getByRole('rowheader')).toHaveCount(2)
    await database.close()
  },
)

test('mails that could not be sent are listed where the matter leads', async ({
  open,
  world: { superadmin, orgId, database },
}) => {
  const page = await open(superadmin)
  await database.query(
    `insert into mails (organization_id, address, subject, text, state, last_error)
      values ($1, 'gone@tailspin.example', 'Your code', 'Code 123456', 'failed', '550 no such user')`,
    [orgId],
  )
  await page.goto(`/organizations/${orgId}/dashboard`)
  const todo = page.getByRole('region', { name: 'Needs attention' })
  await todo.getByRole('link', { name: 'See mails: 1 mail could not be sent in the last 24 hours' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Mails that could not be sent' })).toBeVisible()
  const mails = page.getByRole('table', { name: 'Mails that could not be sent' })
  await expect(mails.getByRole('rowheader')).toHaveText(['gone@tailspin.example'])
  await expect(mails).toContainText('550 no such user')
  await expect(mails).not.toContainText('123456')
  expect(await axeFaults(page)).toEqual([])
})

test('a part that fails leaves the others alone, and is tried again in its place', async ({
  open,
  world: { superadmin, admin, orgId },
}) => {
  for (const [who, address] of [
    [admin, '/dashboard'],
    [superadmin, `/organizations/${orgId}/dashboard`],
  ] as const) {
    const page = await open(who)
    await askEachAlone(page)
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

test('a slow part holds nothing up', async ({ open, world: { superadmin } }) => {
  const page = await open(superadmin)
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  await askEachAlone(page)
  await page.route('**/api/dashboard/attention*', async (route) => {
    await held
    await route.continue()
  })
  await page.goto('/dashboard')
  await expect(page.getByRole('region', { name: 'Installation' })).toBeVisible()
  await expect(page.getByRole('status', { name: 'Loading: Needs attention' })).toBeVisible()
  answer()
  await expect(page.getByRole('region', { name: 'Needs attention' })).toBeVisible()
})

/** How much of the page has moved since it began to load, as the browser itself counts. */
const shiftOf = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += Number(Reflect.get(entry, 'value'))
        }).observe({ type: 'layout-shift', buffered: true })
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)))
      }),
  )

test('nothing moves while a page with figures arrives', async ({ open, world: { admin, orgId } }) => {
  const page = await open(admin)
  // What a visit before was answered, at once: a busy server may not decide what moves.
  const answers = new Map<string, APIResponse>()
  await page.route('**/api/**', async (route) => {
    const request = route.request()
    if (request.method() !== 'GET') return route.continue()
    const response = answers.get(request.url()) ?? (await route.fetch())
    answers.set(request.url(), response)
    await route.fulfill({ response })
  })
  await answerBell(page)
  for (const width of [1366, 390]) {
    await page.setViewportSize({ width, height: 800 })
    for (const address of [
      '/dashboard',
      `/organizations/${orgId}/dashboard`,
      '/reports/account-user-activity',
    ]) {
      for (const _visit of [1, 2]) {
        await page.goto(address)
        const fresh = page.getByRole('main').getByText(/^(Updated|Complete to)/)
        await expect(fresh.filter({ visible: true }).first()).toBeVisible()
        await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0)
      }
      expect(await shiftOf(page), `${address} at ${width}`).toBeLessThanOrEqual(0.02)
    }
  }
  await page.unrouteAll({ behavior: 'wait' })
})

test('nothing moves while the parts of a page come late, whichever comes last', async ({
  open,
  world: { admin },
}) => {
  const page = await open(admin)
  await askEachAlone(page)
  let last = ''
  await page.route('**/api/dashboard**', async (route) => {
    const response = await route.fetch()
    // Later than the page waits for its parts.
    await pause(new URL(response.url()).pathname === last ? 1_800 : 1_200)
    await route.fulfill({ response })
  })
  await answerBell(page)
  for (const width of [1366, 390]) {
    await page.setViewportSize({ width, height: 800 })
    for (const part of ['', '/late', '/work', '/attention']) {
      last = `/api/dashboard${part}`
      await page.goto('/dashboard')
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Nothing has been sent yet')
      await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0)
      expect(await shiftOf(page), `${last} at ${width}`).toBeLessThanOrEqual(0.02)
    }
  }
  await page.unrouteAll({ behavior: 'wait' })
})

test('nothing moves while a report comes late', async ({ open, world: { admin } }) => {
  const page = await open(admin)
  await askEachAlone(page)
  await page.route('**/api/reports/**', async (route) => {
    const response = await route.fetch()
    await pause(1_200)
    await route.fulfill({ response })
  })
  await answerBell(page)
  for (const width of [1366, 390]) {
    await page.setViewportSize({ width, height: 800 })
    for (const name of reportNames) {
      await page.goto(`/reports/${name}`)
      await expect(page.getByText('What these figures mean')).toBeVisible()
      await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0)
      expect(await shiftOf(page), `${name} at ${width}`).toBeLessThanOrEqual(0.02)
    }
  }
  await page.unrouteAll({ behavior: 'wait' })
})

/** Whatever the page was about to ask has been asked: it asks something else behind it. */
const askedAfterAll = (page: Page) => page.evaluate(async () => void (await fetch('/api/health')))

test('the page looks again by itself, and in a hidden tab at nothing', async ({
  open,
  world: { admin, orgId },
}) => {
  const page = await open(admin)
  const asked = { work: 0, attention: 0 }
  page.on('request', (request) => {
    if (request.url().includes('/api/dashboard/work')) asked.work += 1
    if (request.url().includes('/api/dashboard/attention')) asked.attention += 1
  })
  await answerBell(page)
  await askEachAlone(page)
  await page.clock.install()
  await page.goto(`/organizations/${orgId}/dashboard`)
  await expect(page.getByRole('region', { name: 'In progress' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Needs attention' })).toBeVisible()
  const first = { ...asked }
  const now = () => page.evaluate(() => Date.now())
  const began = await now()
  for (let n = 0; n < 5; n += 1) {
    await page.clock.fastForward(11_000)
    await expect.poll(() => asked.work).toBeGreaterThan(first.work + n)
  }
  await expect.poll(() => asked.attention).toBeGreaterThan(first.attention)
  await page.clock.fastForward(31_000)
  await expect.poll(() => asked.attention).toBeGreaterThan(first.attention + 1)
  // The clock of the page goes on while the test waits; one more was on its way when it began to count.
  expect(asked.attention - first.attention).toBeLessThanOrEqual(
    Math.floor(((await now()) - began) / 30_000) + 1,
  )
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  await askedAfterAll(page)
  const before = { ...asked }
  await page.clock.fastForward(300_000)
  await askedAfterAll(page)
  expect(asked).toEqual(before)
})

test('the first steps can be left and resumed where they were', async ({
  open,
  world: { superadmin, admin, orgId },
}) => {
  const body = { name: 'Grace Hopper', email: 'grace@tailspin.example' }
  await superadmin.call(createUser, { params: { orgId }, body })
  const page = await open(admin)
  await go(page)
  const tour = page.getByRole('region', { name: 'First steps' })
  await expect(tour).toContainText('1 of 4 done')
  await expect(tour.getByRole('link', { name: 'Add a group' })).toHaveAttribute('aria-current', 'step')
  await tour.getByRole('button', { name: 'Leave for now' }).click()
  await expect(tour.getByRole('button', { name: 'Resume' })).toBeFocused()
  await expect(tour.getByRole('listitem')).toHaveCount(0)
  await page.reload()
  await expect(tour).toContainText('1 of 4 done, next: add a group')
  expect(await axeFaults(page)).toEqual([])
  await tour.getByRole('button', { name: 'Resume' }).click()
  await expect(tour.getByRole('button', { name: 'Leave for now' })).toBeFocused()
  await tour.getByRole('link', { name: 'Add a group' }).click()
  await expect(page).toHaveURL(/\?tab=groups$/)
  // The address is there before the page; the step that leads to it is called like the button that is marked there.
  const marked = page.locator('main [data-marked]')
  await expect(marked).toHaveText('Add a group')
  await expect(marked).toBeFocused()
  await expect(marked).toHaveCSS('outline', /solid 3px$/)
  await page.keyboard.press('Tab')
  await expect(marked).toHaveCount(0)
})

test('what one has hidden stays hidden from oneself, and comes back when asked for', async ({
  open,
  world: { superadmin, admin, orgId },
}) => {
  const page = await open(admin)
  await page.setViewportSize({ width: 390, height: 844 })
  await go(page)
  await expect(page.getByRole('region', { name: 'Installation' })).toHaveCount(0)
  const todo = page.getByRole('region', { name: 'Needs attention' })
  await todo.getByRole('button', { name: /^Hide for a week: 1 invitation/ }).click()
  await expect(todo.getByText('1 hidden')).toBeVisible()
  const other = await open(superadmin)
  await other.goto(`/organizations/${orgId}/dashboard`)
  await expect(other.getByRole('button', { name: /^Hide for a week: 1 invitation/ })).toBeVisible()
  await page.reload()
  await todo.getByText('1 hidden').click()
  expect(await axeFaults(page)).toEqual([])
  await fitsAcross(page)
  await todo.getByRole('button', { name: /^Show again: 1 invitation/ }).click()
  await expect(todo.getByRole('link', { name: /See invitations/ })).toBeVisible()
})

test('the headline says who is late, and leads to them, to each person and to each training', async ({
  open,
  world: { admin, orgId, database },
}) => {
  await fillTraining((text, values) => database.query(text, values), {
    organizationId: orgId,
    people: 30,
    videos: 8,
  })
  const { people, trainings, items } = await admin.call(readDashboardLate)
  const [training] = items
  const { title = '', id: videoId } = training ?? {}
  const { name = '' } = training?.people[0] ?? {}
  expect(training?.late).toBeGreaterThan(4)
  const answer = `${people} people are late with ${trainings} trainings`
  const page = await open(admin)
  const matter = page.getByRole('article', { name: title })
  for (const width of [1366, 390]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto('/dashboard')
    await expect(page.getByRole('heading', { level: 1, name: answer })).toBeVisible()
    await expect(page).toHaveTitle('Dashboard · Sendreel')
    await expect(matter).toContainText(`${training?.late} late, due`)
    await expect(matter.getByRole('img', { name: /seen/i }).first()).toBeVisible()
    expect(await axeFaults(page)).toEqual([])
    await fitsAcross(page)
  }
  await matter.getByRole('link', { name }).click()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
  await page.goBack()
  await matter.getByRole('link', { name: title }).first().click()
  await expect(page).toHaveURL(new RegExp(`training-matrix.*open=${videoId}`))
  await page.goBack()
  await page.getByRole('link', { name: `See ${people} people` }).click()
  await expect(page).toHaveURL(/training-matrix.*state=overdue/)
  await page.goto(`/organizations/${orgId}/dashboard`)
  await expect(page.getByRole('heading', { level: 2, name: answer })).toBeVisible()
  await database.query(
    `update transmissions set due_at = now() + interval '1 day' where organization_id = $1`,
    [orgId],
  )
  await page.goto('/dashboard')
  await expect(page.getByRole('heading', { level: 1, name: 'Everyone is up to date' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Who is late' })).toHaveCount(0)
})
