import { expect, type Page, type Request } from '@playwright/test'
import { createGroup, deleteGroup } from '#contract/directory/groups.ts'
import { createUser } from '#contract/directory/users.ts'
import { newOrganization, newSuperadmin, type Client } from './client.ts'
import { axeFaults, drawn, fitsAcross, wear } from './console.ts'
import { test as shared } from './shared.ts'

type World = { page: Page; client: Client; orgId: string; userId: string }

const test = shared.extend<{ world: World }, { harbour: Omit<World, 'page'> }>({
  /** A superadmin finds whom all organizations have, so there is one of these in the installation. */
  harbour: [
    async ({ shared: product }, use) => {
      const { client, orgId } = await newOrganization(product, 'Harbour Works')
      const person = (name: string, email: string) =>
        client.call(createUser, { params: { orgId }, body: { name, email } })
      const { id: userId } = await person('Perpetua Quayle', 'perpetua.quayle@harbour.test')
      for (const n of [1, 2, 3, 4, 5, 6, 7]) await person(`Docker ${n}`, `docker${n}@harbour.test`)
      await client.call(createGroup, { params: { orgId }, body: { name: 'Dock crew' } })
      await use({ client, orgId, userId })
    },
    { scope: 'worker' },
  ],
  world: async ({ shared: product, harbour, open }, use) => {
    await use({ ...harbour, page: await open(await newSuperadmin(product)) })
  },
})

const field = (page: Page) => page.getByRole('combobox', { name: /^Search Organizations/ })
const list = (page: Page) => page.getByRole('listbox', { name: 'Found' })
const option = (page: Page, name: string | RegExp) => list(page).getByRole('option', { name })
const recent = (page: Page) => list(page).getByRole('group', { name: 'Recent' }).getByRole('option')

async function openPage(page: Page, path = '/settings'): Promise<void> {
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).not.toContainText('Loading')
}

test('the keyboard alone leads from anywhere to the page of a person, and remembers it', async ({
  world: { page, orgId, userId },
}) => {
  await openPage(page)
  await page.keyboard.press('Control+k')
  await expect(field(page)).toBeFocused()
  await expect(option(page, /^Add an organization/)).toBeVisible()
  await page.keyboard.type('quayle')
  await expect(option(page, /^PQ|^Perpetua Quayle/)).toHaveAttribute('aria-selected', 'true')
  await expect(list(page).locator('mark').first()).toHaveText('Quayle')
  await expect(page.getByRole('status').filter({ hasText: '1 result: People 1' })).toBeAttached()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/organizations/${orgId}/users/${userId}`)
  await expect(page.getByRole('heading', { level: 1, name: 'Perpetua Quayle' })).toBeFocused()
  await expect(list(page)).toBeHidden()
  await expect(field(page)).toHaveValue('')

  await page.keyboard.press('/')
  // Not the page where one is.
  await expect(recent(page)).toHaveText([/^Settings/])
  await page.keyboard.press('Escape')
  await expect(list(page)).toBeHidden()
  await expect(field(page)).toBeFocused()
})

test('what is opened anywhere in the console is offered, the last first, and forgotten when it is gone', async ({
  world: { page, client, orgId, userId },
}) => {
  const gone = await client.call(createGroup, { params: { orgId }, body: { name: 'Gone crew' } })
  await openPage(page, `/organizations/${orgId}/groups/${gone.id}/edit`)
  await openPage(page, `/organizations/${orgId}/dashboard`)
  await openPage(page, `/organizations/${orgId}/users/${userId}/edit`)
  await openPage(page)
  await page.keyboard.press('Control+k')
  await expect(recent(page)).toHaveText([/Perpetua Quayle/, /Harbour Works/, /Gone crew.*Harbour Works/])
  await client.call(deleteGroup, { params: { orgId, groupId: gone.id } })
  await option(page, /Gone crew/).click()
  await expect(page.getByRole('link', { name: 'Go to the dashboard' })).toBeVisible()
  await page.keyboard.press('Control+k')
  await expect(recent(page).first()).toHaveText(/Settings/)
  await expect(option(page, /Gone crew/)).toHaveCount(0)
})

test('what is called exactly so comes first, and answers that come late are not shown', async ({
  world: { page },
}) => {
  await openPage(page)
  await field(page).fill('dock crew')
  await expect(list(page).getByRole('option').first()).toHaveText(/^Dock crew/)
  const late = '**/api/search?q=docker&*'
  let answer = () => {}
  const held = new Promise<void>((resolve) => (answer = resolve))
  const ended = new Promise<void>((resolve) => {
    const end = (request: Request) => request.url().includes('q=docker&') && resolve()
    page.on('requestfinished', end)
    page.on('requestfailed', end)
  })
  await page.route(late, async (route) => {
    await held
    await route.continue().catch(() => undefined)
  })
  await field(page).fill('docker')
  await page.waitForRequest(late)
  await field(page).fill('perpetua')
  await expect(option(page, /Perpetua Quayle/)).toBeVisible()
  answer()
  await ended
  await drawn(page)
  await expect(option(page, /Docker/)).toHaveCount(0)
  await expect(option(page, /Perpetua Quayle/)).toBeVisible()
  await page.unroute(late)
  await field(page).fill('setings')
  await expect(list(page).getByRole('option')).toHaveText([/^Settings/])
})

test(
  'Enter before the answer waits for it, and does not open what the former words found',
  { tag: '@long' },
  async ({ world: { page, orgId, userId } }) => {
    await openPage(page)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('docker 3')
    await expect(option(page, /Docker 3/)).toBeVisible()
    await field(page).fill('')
    await page.keyboard.type('perpetua')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/organizations/${orgId}/users/${userId}`)
  },
)

test('Enter before the list itself is there opens what it finds, as Enter on the suggestion does', async ({
  world: { page, orgId, userId },
}) => {
  let answer = () => {}
  const held = new Promise<void>((resolve) => (answer = resolve))
  const part = '**/assets/Palette-*.js'
  await page.route(part, async (route) => {
    await held
    await route.continue()
  })
  await openPage(page)
  const fetched = page.waitForRequest(part)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('quayle')
  await fetched
  await page.keyboard.press('Enter')
  answer()
  await page.waitForURL(`**/organizations/${orgId}/users/${userId}`)
  await page.unroute(part)
  await expect(field(page)).toHaveValue('')
})

test(
  'arrows go around, Ctrl with Enter opens a tab of its own',
  { tag: '@long' },
  async ({ world: { page } }) => {
    await openPage(page)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('dock')
    const options = list(page).getByRole('option')
    await expect(options.first()).toHaveAttribute('aria-selected', 'true')
    await expect(options.first()).toHaveText(/Docker 1/)
    await page.keyboard.press('ArrowUp')
    await expect(options.last()).toHaveAttribute('aria-selected', 'true')
    await expect(options.last()).toHaveText('All results for “dock”')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await expect(options.nth(1)).toHaveAttribute('aria-selected', 'true')
    const id = await options.nth(1).getAttribute('id')
    await expect(field(page)).toHaveAttribute('aria-activedescendant', id ?? '')
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.keyboard.press('Control+Enter'),
    ])
    await expect(tab.getByRole('heading', { level: 1, name: 'Docker 2' })).toBeVisible()
    await tab.close()
    await expect(page).toHaveURL(/\/settings$/)
  },
)

test('slips are forgiven, and pages and actions are found by other words too', async ({
  world: { page },
}) => {
  await openPage(page)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('perpteua qayle')
  await expect(option(page, /Perpetua Quayle/)).toBeVisible()
  await expect(page.getByText('This comes nearest')).toBeVisible()
  await field(page).fill('dark th')
  await expect(option(page, /^Dark theme/)).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('data-bs-theme', 'dark')
  await field(page).fill('send')
  await option(page, /^Add a transmission/).click()
  await page.waitForURL('**/transmissions/create')
})

test(
  'an address of the console leads to what it shows',
  { tag: '@long' },
  async ({ shared, world: { page, orgId, userId } }) => {
    await openPage(page)
    await field(page).fill(`https://console.example/organizations/${orgId}/users/${userId}/edit`)
    await expect(list(page).getByRole('option').first()).toHaveText(/Perpetua Quayle/)
    await field(page).fill(`${shared.url}/transmissions`)
    await expect(list(page).getByRole('option').first()).toHaveText(/^Transmissions/)
  },
)

test(
  'nothing found says what to try, and a server that does not answer can be asked again',
  { tag: '@long' },
  async ({ world: { page } }) => {
    await openPage(page)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('zzqqxx')
    await expect(page.getByText('Nothing found for “zzqqxx”')).toBeVisible()
    await page.route('**/api/search?*', (route) => route.fulfill({ status: 503, body: '' }))
    await field(page).fill('perpetua')
    await expect(page.getByText('The search did not answer.')).toBeVisible()
    await page.unroute('**/api/search?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(option(page, /Perpetua Quayle/)).toBeVisible()
  },
)

test('the page of all results has a tab for each kind, and its address says what is shown', async ({
  world: { page },
}) => {
  await openPage(page)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('dock')
  await option(page, /^All results/).click()
  await page.waitForURL('**/search?q=dock')
  await expect(page.getByRole('region', { name: 'People' }).getByRole('listitem')).toHaveCount(5)
  await page.getByRole('link', { name: 'Show all 7 in People' }).click()
  await page.waitForURL('**/search?q=dock&kind=user')
  await expect(page.getByRole('region', { name: 'People' }).getByRole('listitem')).toHaveCount(7)
  await expect(page.getByRole('region', { name: 'Groups' })).toHaveCount(0)
  const tabs = page.getByRole('navigation', { name: 'What is shown' })
  await expect(tabs.locator('[aria-current=page]')).toHaveText('People')
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('link', { name: 'Content', exact: true }).last().click()
  await expect(page.getByText('Nothing found for “dock” in Content')).toBeVisible()
})

test('on a phone it is a sheet of the whole height', { tag: '@long' }, async ({ world: { page } }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await openPage(page)
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await expect(field(page)).toBeFocused()
  await page.keyboard.type('dock')
  await expect(option(page, /Dock crew/)).toBeVisible()
  const edges = async () => {
    const box = await page.locator('#bar-search > :has([role=listbox])').boundingBox()
    return [box?.x, box?.width, Math.round((box?.y ?? 0) + (box?.height ?? 0))]
  }
  await expect.poll(edges).toEqual([0, 390, 844])
  await fitsAcross(page)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect(await axeFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(field(page)).toBeHidden()
  await expect(page.getByRole('button', { name: 'Search', exact: true })).toBeFocused()
})

test(
  'the list has no faults of accessibility, in light and dark',
  { tag: '@long' },
  async ({ world: { page } }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    for (const theme of ['light', 'dark']) {
      await openPage(page)
      await wear(page, { theme })
      await page.keyboard.press('Control+k')
      await expect(list(page)).toBeVisible()
      expect(await axeFaults(page)).toEqual([])
      await page.keyboard.type('dock')
      await expect(option(page, /Dock crew/)).toBeVisible()
      expect(await axeFaults(page)).toEqual([])
    }
  },
)

test(
  'what was opened is forgotten when asked to, and when somebody signs out',
  { tag: '@long' },
  async ({ world: { page, userId } }) => {
    const stored = () =>
      page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('visits:')))
    await openPage(page)
    await expect.poll(stored).toHaveLength(1)
    await page.keyboard.press('Control+k')
    await page.getByRole('button', { name: 'Forget it' }).click()
    await expect(list(page).getByRole('group', { name: 'Recent' })).toHaveCount(0)
    expect(await stored()).toEqual([])
    await page.keyboard.type('quayle')
    await option(page, /Perpetua Quayle/).click()
    await page.waitForURL(`**/users/${userId}`)
    await expect.poll(stored).toHaveLength(1)
    await page.getByRole('button', { name: 'Logout' }).click()
    await page.waitForURL('**/auth-1/sign-in')
    expect(await stored()).toEqual([])
  },
)
