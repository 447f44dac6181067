import { expect, type Page } from '@playwright/test'
import { readFile } from 'node:fs/promises'
import { listOperations } from '#contract/operations.ts'
import { createOrganization } from '#contract/organizations.ts'
import { createProject, listVideos } from '#contract/videos.ts'
import { listTransmissions } from '#contract/transmissions.ts'
import { newSuperadmin, type Client } from './client.ts'
import { axeFaults, chip, downloadList, fitsAcross, listOption, narrow, signedIn } from './console.ts'
import { openDatabase } from './database.ts'
import type { Product } from './product.ts'
import { test } from './shared.ts'

let product: Product
let client: Client
let page: Page
let orgId: string

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser, shared }) => {
  product = shared
  client = await newSuperadmin(product)
  orgId = (await client.call(createOrganization, { body: { name: 'Archive' } })).id
  await client.call(createProject, { body: { name: 'Shelf', organizationId: orgId } })
  const productDatabase = await openDatabase(product)
  await productDatabase.query(
    `with v as (insert into videos (organization_id, title, state)
        select $1, 'Lesson ' || lpad(n::text, 3, '0'), 'ready' from generate_series(1, 60) n returning id, title),
      n as (insert into video_versions (organization_id, video_id, number, file_name, size, duration_ms, ready_at)
        select $1, id, 1, title || '.mp4', 1000, 60000 + right(title, 3)::int * 1000, now() from v returning id, video_id)
      select count(*) from n`,
    [orgId],
  )
  await productDatabase.query(
    `update videos v set current_version_id = n.id from video_versions n where n.video_id = v.id and v.organization_id = $1`,
    [orgId],
  )
  await productDatabase.query(
    `insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience, audience_total)
      select v.organization_id, case when n <= 5 then 'completed' else 'draft' end, 'Letter ' || lpad(n::text, 2, '0'), 'b', v.id,
        v.current_version_id, u.id, 'Sue Perior', '{"userIds":[],"groupIds":[],"everyone":true}', n * 10
      from (select * from videos where title = 'Lesson 001' and organization_id = $1) v, (select id from users where role = 'superadmin' limit 1) u,
        generate_series(1, 30) n`,
    [orgId],
  )
  await productDatabase.close()
  page = await signedIn(browser, product, client)
})

test.afterAll(async () => {
  await page.close()
})

const content = (more = '') => `${product.url}/content?organization=${orgId}${more}`
const letters = (more = '') => `${product.url}/transmissions?organization=${orgId}${more}`
const removed = (more = '') => `${product.url}/recently-removed?organization=${orgId}${more}`
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
const dialog = () => page.getByRole('dialog')
const bar = () => page.getByRole('region', { name: 'Selection' })
const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true })
const dock = () => page.locator('article[data-operation]')
const header = (name: string) => page.getByRole('columnheader', { name })
const putAway = async () => {
  await page.getByRole('button', { name: 'Put this away' }).click()
  await expect(dock()).toHaveCount(0)
}
const total = async () => (await client.call(listVideos, { query: { organizationId: orgId } })).total
const fileOf = async (press: () => Promise<void>) => {
  const waiting = page.waitForEvent('download')
  await press()
  return readFile(await (await waiting).path(), 'utf8')
}

test('content is a gallery or a table, sorted, and remembered in the address and in this browser', async () => {
  await page.goto(content())
  await expect(page.getByRole('list', { name: 'Videos' })).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await button('Table').click()
  await expect(page).toHaveURL(/shape=table/)
  await expect(page.getByRole('table', { name: 'Videos' })).toBeVisible()
  await header('Length').getByRole('button').click()
  await expect(header('Length')).toHaveAttribute('aria-sort', 'ascending')
  await header('Length').getByRole('button').click()
  await expect(header('Length')).toHaveAttribute('aria-sort', 'descending')
  await expect(page).toHaveURL(/sort=-duration/)
  await expect(page.getByRole('rowheader').first()).toContainText('Lesson 060')
  expect(await axeFaults(page)).toEqual([])
  await page.goto(content())
  await expect(page.getByRole('table', { name: 'Videos' })).toBeVisible()
  await button('Gallery').click()
  await page.getByLabel('Order').selectOption('Longest first')
  await expect(page.getByRole('list', { name: 'Videos' }).getByRole('heading').first()).toHaveText(
    'Lesson 060',
  )
})

test('a saved view keeps the table, its order and its columns', async () => {
  await page.goto(content('&shape=table&sort=title'))
  await listOption(page, 'Columns and density')
  await page.getByLabel('Compact').check()
  await page.keyboard.press('Escape')
  await listOption(page, 'Saved views')
  await button('Save as a new view').click()
  await dialog().getByLabel('Name').fill('Short rows')
  await dialog().getByRole('button', { name: 'Save view' }).click()
  await expect(button(/Short rows/)).toBeVisible()
  await page.goto(content('&shape=gallery'))
  await listOption(page, 'Saved views')
  await page.getByRole('link', { name: /Short rows/ }).click()
  await expect(page).toHaveURL(/shape=table/)
  await expect(page).toHaveURL(/sort=title/)
  await expect(page.getByRole('table', { name: 'Videos' })).toHaveAttribute('data-density', 'compact')
})

test('moves all that a search finds over its pages, tells the progress, and takes it back', async () => {
  await page.goto(content('&shape=gallery&q=lesson'))
  await box('Lesson 060').check()
  await button('Select all 60 matching').click()
  await box('Lesson 059').uncheck()
  await expect(bar()).toContainText('59 selected')
  await bar().getByRole('button', { name: 'Move', exact: true }).click()
  await expect(dialog().getByRole('button', { name: /Move \d/ })).toHaveCount(0)
  await dialog().getByLabel('Project').selectOption('Shelf')
  await expect(dialog()).toContainText('59 videos will be moved.')
  expect(await axeFaults(page)).toEqual([])
  await button('Move 59 videos').click()
  await expect(bar()).toHaveCount(0)
  await expect(dock()).toContainText('Moved 59 videos into Shelf')
  await narrow(page, 'Project', 'Shelf')
  await expect(chip(page, 'Project: Shelf')).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Pages' })).toContainText('of 59')
  // Its end is the first that is read of it again.
  await page.route('**/api/operations/*', async (route) => {
    const working = () => client.call(listOperations, { query: { show: 'working', limit: 1 } })
    await expect.poll(async () => (await working()).total).toBe(0)
    await route.continue()
  })
  await dock().getByRole('button', { name: 'Undo' }).click()
  await expect(dock()).toContainText('59 undone')
  await expect(page.getByText('No video fits these filters')).toBeVisible()
  await page.unrouteAll({ behavior: 'wait' })
  await putAway()
})

test('removes, leaves out what is being sent, and brings back or deletes for good', async () => {
  const productDatabase = await openDatabase(product)
  const letterBecomes = (state: string) =>
    productDatabase.query(
      `update transmissions set state = $2 where subject = 'Letter 30' and organization_id = $1`,
      [orgId, state],
    )
  await letterBecomes('held')
  await page.goto(content('&shape=table&sort=title'))
  await box('Lesson 001').check()
  await box('Lesson 003').click({ modifiers: ['Shift'] })
  await bar().getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(dialog()).toContainText('2 videos will be removed. 1 stays unchanged:')
  await expect(dialog()).toContainText('It is being sent, or waits for it.')
  expect(await axeFaults(page)).toEqual([])
  await button('Remove 2 videos').click()
  await expect(dock()).toContainText('2 removed, 1 skipped')
  expect(await total()).toBe(58)
  await putAway()
  await page.goto(removed())
  await box('Removed 3 videos').check()
  await bar().getByRole('button', { name: 'Undo' }).click()
  await expect(dialog()).toContainText('1 change will be undone.')
  await button('Undo 1 change').click()
  await expect.poll(total).toBe(60)
  await page.goto(content('&shape=table&sort=title'))
  await box('Lesson 004').check()
  await bar().getByRole('button', { name: 'Remove', exact: true }).click()
  await button('Remove 1 video').click()
  await expect(dock()).toContainText('1 removed')
  await putAway()
  await page.goto(removed())
  await box('Removed 1 video').check()
  await bar().getByRole('button', { name: 'Delete for good' }).click()
  await expect(dialog()).toContainText('now and for ever')
  expect(await axeFaults(page)).toEqual([])
  await button('Delete for good: 1 removal').click()
  await expect(box('Removed 1 video')).toHaveCount(0)
  expect(await total()).toBe(59)
  await letterBecomes('draft')
  await productDatabase.close()
})

test('Recently removed keeps views of its own, with their density', async () => {
  await page.goto(removed('&show=all&about=removed&density=compact'))
  await listOption(page, 'Saved views')
  await button('Save as a new view').click()
  await dialog().getByLabel('Name').fill('What went')
  await dialog().getByRole('button', { name: 'Save view' }).click()
  await page.goto(removed())
  await listOption(page, 'Saved views')
  await page.getByRole('link', { name: /What went/ }).click()
  await expect(chip(page, 'What: Removed')).toBeVisible()
  await expect(page.getByRole('table')).toHaveAttribute('data-density', 'compact')
  await expect(button(/What went/)).toBeVisible()
})

test('transmissions are sorted by their headers, and cancelled over their pages with what stays named', async () => {
  await page.goto(letters())
  await header('Recipients').getByRole('button').click()
  await expect(header('Recipients')).toHaveAttribute('aria-sort', 'ascending')
  await expect(page.getByRole('rowheader').first()).toContainText('Letter 01')
  await header('State').getByRole('button').click()
  await expect(page).toHaveURL(/sort=state/)
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
  await button('Select all 30 matching').click()
  await button('Cancel sending').click()
  await expect(dialog()).toContainText('25 transmissions will be cancelled. 5 stay unchanged:')
  await expect(dialog()).toContainText('5: Sent already.')
  expect(await axeFaults(page)).toEqual([])
  await button('Cancel 25 transmissions').click()
  await expect(dock()).toContainText('25 changed, 5 skipped')
  const cancelled = async () =>
    (await client.call(listTransmissions, { query: { organizationId: orgId, state: 'cancelled' } })).total
  expect(await cancelled()).toBe(25)
  await dock().getByRole('button', { name: 'Undo' }).click()
  await expect(dock()).toContainText('25 undone')
  expect(await cancelled()).toBe(0)
  await putAway()
})

test('exports the list as the filters find it, or what is selected', async () => {
  await page.goto(letters('&state=completed&sort=subject'))
  const all = await fileOf(() => downloadList(page, 'CSV'))
  expect(all.match(/Letter \d\d/g)).toEqual(['Letter 01', 'Letter 02', 'Letter 03', 'Letter 04', 'Letter 05'])
  await box('Letter 02').check()
  const some = await fileOf(async () => {
    await bar().getByRole('button', { name: 'Download' }).click()
    await page.getByRole('dialog', { name: 'Download' }).getByText('CSV', { exact: true }).click()
  })
  expect(some.match(/Letter \d\d/g)).toEqual(['Letter 02'])
  await page.goto(content('&q=lesson+05&sort=title'))
  const videos = await fileOf(() => downloadList(page, 'CSV'))
  // Words are found anywhere: 005 is one of them.
  expect(videos.match(/^Lesson \d+/gm)).toHaveLength(11)
})

test('nothing scrolls sideways on a phone, and without an organization nothing is offered that would not work', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  for (const address of [
    content('&shape=gallery'),
    content('&shape=table'),
    letters(),
    removed('&show=all'),
  ]) {
    await page.goto(address)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await page
      .getByRole('checkbox', { name: /^Select (?!all)/ })
      .first()
      .check()
    await expect(bar()).toBeVisible()
    await fitsAcross(page)
    expect(await axeFaults(page)).toEqual([])
  }
  // Where there is only one, it is chosen by itself.
  await client.call(createOrganization, { body: { name: 'Another archive' } })
  await page.goto(`${product.url}/transmissions`)
  await button('Organization: Archive').click()
  await button('All organizations').click()
  await expect(page.getByText('Choose an organization to change several.')).toBeVisible()
  await expect(page.getByRole('checkbox')).toHaveCount(0)
})
