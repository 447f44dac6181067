import { expect, type Page } from '@playwright/test'
import { newAdmin, newOrganization, type Client } from './client.ts'
import { axeFaults, chip, fitsAcross, listOption, narrow, openFilters } from './console.ts'
import { openDatabase } from './database.ts'
import { test as shared } from './shared.ts'

type World = { page: Page; address: (search?: string) => string }
/** Two administrators of an organization of so many people, whom the tests only read. */
type Crowd = { orgId: string; first: Client; second: Client }

const people = 10_120

const test = shared.extend<{ world: World }, { crowd: Crowd }>({
  /** So many people in one organization, whom the tests only read. */
  crowd: [
    async ({ shared: product }, use) => {
      const { client, orgId } = await newOrganization(product, 'Lists Toys')
      const productDatabase = await openDatabase(product)
      await productDatabase.query(
        `insert into users (organization_id, name, email, state, last_seen_at)
          select $1::uuid, 'Person ' || lpad(n::text, 5, '0'), 'person-' || n || '@lists.test',
            case when n % 100 = 0 then 'disabled' else 'active' end, case when n <= 3 then now() end
          from generate_series(1, $2::int) n
          union all select $1::uuid, 'Ada Lovelace', 'ada@lists.test', 'active', null`,
        [orgId, people],
      )
      await productDatabase.query(
        `with p as (insert into projects (organization_id, name) values ($1, 'Safety') returning id),
          v as (insert into videos (organization_id, project_id, title, state) select $1, id, 'Fire drill', 'ready' from p returning id)
          insert into viewer_videos (version_id, viewer_key, organization_id, video_id, user_id, first_at, last_at, completed_at)
          select v.id, 'recipient:' || u.id, $1, v.id, u.id, now(), now(), now() from v, users u where u.name like 'Person 0000_' and u.organization_id = $1`,
        [orgId],
      )
      await productDatabase.close()
      await use({
        orgId,
        first: await newAdmin(product, client, { orgId, name: 'Zoe first' }),
        second: await newAdmin(product, client, { orgId, name: 'Zoe second' }),
      })
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  world: async ({ crowd: { orgId, first }, open }, use) => {
    const page = await open(first)
    await page.setViewportSize({ width: 1366, height: 900 })
    await use({
      page,
      address: (search = '?tab=users') => `/organizations/${orgId}/dashboard${search}`,
    })
  },
})

const names = (page: Page) => page.locator('tbody th')
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })
const pager = (page: Page) => page.getByRole('navigation', { name: 'Pages' })

test('finds whom somebody has mistyped, and says that it is not an exact match', async ({
  world: { page, address },
}) => {
  await page.goto(address())
  const searchBox = page.getByRole('searchbox', { name: 'Search people' })
  await expect(names(page).first()).toHaveText(/Ada Lovelace/)
  await searchBox.fill('Lovelcae Aad')
  await expect(page.getByText('No exact match for “Lovelcae Aad”. These are similar.')).toBeVisible()
  await expect(names(page)).toHaveText([/Ada Lovelace/])
  await searchBox.fill('lovelace')
  await expect(page.getByText('No exact match')).toHaveCount(0)
  await expect(names(page)).toHaveText([/Ada Lovelace/])
  await page.getByRole('button', { name: 'Clear the search' }).click()
})

test('filters by what is asked for now and then, and takes each filter away again', async ({
  world: { page, address },
}) => {
  await page.goto(address())
  await narrow(page, 'Last in console', 'within7')
  const dialog = await openFilters(page)
  await dialog.getByRole('combobox', { name: 'Has not completed' }).fill('fire')
  await page.getByRole('option', { name: 'Fire drill' }).click()
  await expect(dialog.getByRole('combobox', { name: 'Has not completed' })).toHaveValue('Fire drill')
  expect(await axeFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(dialog).toBeHidden()
  await expect(button(page, 'More filters')).toBeFocused()
  // The first three were seen and have watched it; both administrators were seen and have not.
  await expect(names(page)).toHaveText([/Zoe first/, /Zoe second/])
  await expect(button(page, 'Last in console: In the last 7 days')).toBeVisible()
  await expect(page.getByText(new RegExp(`^2 of ${(people + 3).toLocaleString('en-US')}(,|$)`))).toBeVisible()
  await chip(page, 'Has not completed: Fire drill').press('Enter')
  await expect(names(page)).toHaveCount(5)
  await expect(button(page, 'More filters')).toBeFocused()
  await narrow(page, 'Role', 'none')
  await expect(names(page)).toHaveText([/Person 00001/, /Person 00002/, /Person 00003/])
  expect(await axeFaults(page)).toEqual([])
  await button(page, 'Clear all').click()
  await expect(names(page)).toHaveCount(25)
  expect(new URL(page.url()).search).toBe('?tab=users')
})

test('keeps order, filters, rows, density and columns in the address, which shows the same elsewhere', async ({
  world: { page, address },
  crowd,
  open,
}) => {
  await page.goto(address())
  await narrow(page, 'State', 'disabled')
  await button(page, 'Name').click()
  await page.getByLabel('Rows on a page').selectOption('50')
  await listOption(page, 'Columns and density')
  const panel = page.getByRole('dialog', { name: 'View of the table' })
  await panel.getByRole('radio', { name: 'Compact' }).check({ force: true })
  await panel.getByRole('checkbox', { name: 'Groups' }).uncheck()
  await panel.getByRole('checkbox', { name: 'External ID' }).check()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(pager(page)).toContainText('51–100 of 101')
  const shown = async (on: Page) => {
    await expect(on.locator('tbody tr')).toHaveCount(50)
    // The rows of the page before stay until those of the next are there.
    await expect(names(on).first()).toContainText('Person 05100')
    return {
      names: await names(on).allTextContents(),
      columns: await on.locator('thead th:not([data-part=select])').allTextContents(),
      density: await on.locator('[data-part=table]').getAttribute('data-density'),
    }
  }
  const here = await shown(page)
  expect(here.columns).toEqual([
    'Name',
    'Email',
    'Role',
    'State',
    'Last in console',
    'External ID',
    'Actions',
  ])
  expect(here).toMatchObject({ density: 'compact' })
  const colleague = await open(crowd.second)
  await colleague.setViewportSize({ width: 1366, height: 900 })
  await colleague.goto(page.url())
  expect(await shown(colleague)).toEqual(here)
  await page.reload()
  expect(await shown(page)).toEqual(here)
  await page.goBack()
  await expect(pager(page)).toContainText('1–50 of 101')
  await page.goForward()
  expect(await shown(page)).toEqual(here)
  await listOption(page, 'Columns and density')
  await page.getByRole('dialog', { name: 'View of the table' }).getByRole('button', { name: 'Reset' }).click()
  await expect(page.locator('[data-part=table]')).toHaveAttribute('data-density', 'normal')
})

test('a view is saved, shared with a colleague, renamed and removed', async ({
  world: { page, address },
  crowd,
  open,
}) => {
  const panel = page.getByRole('dialog', { name: 'Views of the list' })
  await test.step('saves a view, says when it is changed, and shows a shared one to a colleague', async () => {
    await page.goto(address('?state=disabled&sort=-name'))
    await listOption(page, 'Saved views')
    await expect(panel).toContainText('No view yet')
    await panel.getByRole('button', { name: 'Save as a new view' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save as a view' })
    await dialog.getByLabel('Name').fill('Gone')
    await dialog.getByLabel('Who sees it').selectOption('shared')
    expect(await axeFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save view' }).click()
    await expect(button(page, 'Gone')).toBeVisible()
    await narrow(page, 'State', 'active')
    await expect(button(page, 'Gone changed')).toBeVisible()
    const colleague = await open(crowd.second)
    await colleague.goto(address())
    await listOption(colleague, 'Saved views')
    await expect(colleague.getByRole('link', { name: /Gone/ })).toContainText('Shared by Zoe first')
    await expect(colleague.getByRole('button', { name: /Rename or share/ })).toHaveCount(0)
    expect(await axeFaults(colleague)).toEqual([])
    await colleague.getByRole('link', { name: /Gone/ }).click()
    await expect(names(colleague).first()).toHaveText(/Person 10100/)
    await expect(colleague.getByRole('button', { name: 'Gone', exact: true })).toBeVisible()
  })

  await test.step('updates, renames and removes a view with the keyboard alone', async () => {
    await button(page, 'Gone changed').focus()
    await page.keyboard.press('Enter')
    await panel.getByRole('button', { name: 'Update this view' }).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByText('Gone shows this from now on.')).toBeVisible()
    await panel.getByRole('button', { name: 'Rename or share Gone' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Rename or share Gone' })
    await dialog.getByLabel('Name').fill('Still here')
    await page.keyboard.press('Enter')
    await expect(dialog).toHaveCount(0)
    await expect(button(page, 'Still here')).toBeVisible()
    await button(page, 'Still here').press('Enter')
    await panel.getByRole('button', { name: 'Remove Still here' }).press('Enter')
    await page.getByRole('button', { name: 'Remove view' }).press('Enter')
    await expect(button(page, 'Still here')).toHaveCount(0)
  })
})

test('goes on beyond 10,000 people, and back', { tag: '@long' }, async ({ world: { page, address } }) => {
  await page.goto(address('?offset=9975'))
  await expect(pager(page)).toContainText(`9,976–10,000 of ${(people + 3).toLocaleString('en-US')}`)
  const seen: string[][] = []
  for (const first of ['10,001', '10,026', '10,051']) {
    await button(page, 'Next page').click()
    await expect(pager(page)).toContainText(`${first}–`)
    await expect(page.locator('[data-stale]')).toHaveCount(0)
    seen.push(await names(page).allTextContents())
  }
  expect(new Set(seen.flat()).size).toBe(75)
  await page.reload()
  await expect(names(page)).toHaveText(seen[2] ?? [])
  for (const [at, first] of [
    [1, '10,026'],
    [0, '10,001'],
  ] as const) {
    await button(page, 'Previous page').click()
    await expect(pager(page)).toContainText(`${first}–`)
    await expect(names(page)).toHaveText(seen[at] ?? [])
  }
})

test('fits a phone, with its filters and views', { tag: '@long' }, async ({ world: { page, address } }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(address('?state=disabled&seen=never'))
  await expect(names(page)).toHaveCount(25)
  await fitsAcross(page)
  const panel = await openFilters(page)
  await expect(panel.getByLabel('Last in console')).toHaveValue('never')
  await fitsAcross(page)
  expect(await axeFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await listOption(page, 'Saved views')
  await expect(page.getByRole('dialog', { name: 'Views of the list' })).toBeVisible()
  await fitsAcross(page)
  expect(await axeFaults(page)).toEqual([])
})
