import { expect, type Page } from '@playwright/test'
import { readFile } from 'node:fs/promises'
import { listOperations } from '#contract/operations.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createProject, deleteVideo, listVideos } from '#contract/videos/videos.ts'
import { listTransmissions } from '#contract/transmissions/transmissions.ts'
import { unique } from '#server/testing/unique.ts'
import { newSuperadmin, type Client } from './client.ts'
import { axeFaults, chip, downloadList, fitsAcross, listOption, narrow } from './console.ts'
import { openDatabase } from './database.ts'
import type { Product } from './product.ts'
import { test as shared } from './shared.ts'

type World = {
  product: Product
  client: Client
  page: Page
  orgId: string
  orgName: string
}

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const client = await newSuperadmin(product)
    const orgName = `Archive ${unique()}`
    const orgId = (await client.call(createOrganization, { body: { name: orgName } })).id
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
    await use({ product, client, page: await open(client), orgId, orgName })
  },
})

const content = ({ orgId }: World, more = '') => `/content?organization=${orgId}${more}`
const letters = ({ orgId }: World, more = '') => `/transmissions?organization=${orgId}${more}`
const removed = ({ orgId }: World, more = '') => `/recently-removed?organization=${orgId}${more}`
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })
const dialog = (page: Page) => page.getByRole('dialog')
const bar = (page: Page) => page.getByRole('region', { name: 'Selection' })
const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true })
const dock = (page: Page) => page.locator('article[data-operation]')
const header = (page: Page, name: string) => page.getByRole('columnheader', { name })
const putAway = async (page: Page) => {
  await page.getByRole('button', { name: 'Put this away' }).click()
  await expect(dock(page)).toHaveCount(0)
}
const total = async ({ client, orgId }: World) =>
  (await client.call(listVideos, { query: { organizationId: orgId } })).total
const removeOne = async ({ client, orgId }: World) => {
  const { items } = await client.call(listVideos, { query: { organizationId: orgId, limit: 1 } })
  await client.call(deleteVideo, { params: { videoId: items[0]?.id ?? '' } })
}
const fileOf = async (page: Page, press: () => Promise<void>) => {
  const waiting = page.waitForEvent('download')
  await press()
  return readFile(await (await waiting).path(), 'utf8')
}

test('content is a gallery or a table, sorted, and remembered in the address and in this browser', async ({
  world,
}) => {
  const { page } = world
  await page.goto(content(world))
  await expect(page.getByRole('list', { name: 'Videos' })).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await button(page, 'Table').click()
  await expect(page).toHaveURL(/shape=table/)
  await expect(page.getByRole('table', { name: 'Videos' })).toBeVisible()
  await header(page, 'Length').getByRole('button').click()
  await expect(header(page, 'Length')).toHaveAttribute('aria-sort', 'ascending')
  await header(page, 'Length').getByRole('button').click()
  await expect(header(page, 'Length')).toHaveAttribute('aria-sort', 'descending')
  await expect(page).toHaveURL(/sort=-duration/)
  await expect(page.getByRole('rowheader').first()).toContainText('Lesson 060')
  expect(await axeFaults(page)).toEqual([])
  await page.goto(content(world))
  await expect(page.getByRole('table', { name: 'Videos' })).toBeVisible()
  await button(page, 'Gallery').click()
  await page.getByLabel('Order').selectOption('Longest first')
  await expect(page.getByRole('list', { name: 'Videos' }).getByRole('heading').first()).toHaveText(
    'Lesson 060',
  )
})

test('a saved view keeps the table, its order and its columns', async ({ world }) => {
  const { page } = world
  await page.goto(content(world, '&shape=table&sort=title'))
  await listOption(page, 'Columns and density')
  await page.getByLabel('Compact').check()
  await page.keyboard.press('Escape')
  await listOption(page, 'Saved views')
  await button(page, 'Save as a new view').click()
  await dialog(page).getByLabel('Name').fill('Short rows')
  await dialog(page).getByRole('button', { name: 'Save view' }).click()
  await expect(button(page, /Short rows/)).toBeVisible()
  await page.goto(content(world, '&shape=gallery'))
  await listOption(page, 'Saved views')
  await page.getByRole('link', { name: /Short rows/ }).click()
  await expect(page).toHaveURL(/shape=table/)
  await expect(page).toHaveURL(/sort=title/)
  await expect(page.getByRole('table', { name: 'Videos' })).toHaveAttribute('data-density', 'compact')
})

test('moves all that a search finds over its pages, tells the progress, and takes it back', async ({
  world,
}) => {
  const { client, page, orgId } = world
  await page.goto(content(world, '&shape=gallery&q=lesson&sort=-duration'))
  await box(page, 'Lesson 060').check()
  await button(page, 'Select all 60 matching').click()
  await box(page, 'Lesson 059').uncheck()
  await expect(bar(page)).toContainText('59 selected')
  await bar(page).getByRole('button', { name: 'Move', exact: true }).click()
  await expect(dialog(page).getByRole('button', { name: /Move \d/ })).toHaveCount(0)
  await dialog(page).getByLabel('Project').selectOption('Shelf')
  await expect(dialog(page)).toContainText('59 videos will be moved.')
  expect(await axeFaults(page)).toEqual([])
  await button(page, 'Move 59 videos').click()
  await expect(bar(page)).toHaveCount(0)
  await expect(dock(page)).toContainText('Moved 59 videos into Shelf')
  await narrow(page, 'Project', 'Shelf')
  await expect(chip(page, 'Project: Shelf')).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Pages' })).toContainText('of 59')
  // Its end is the first that is read of it again.
  await page.route('**/api/operations/*', async (route) => {
    const working = () =>
      client.call(listOperations, { query: { organizationId: orgId, show: 'working', limit: 1 } })
    await expect.poll(async () => (await working()).total).toBe(0)
    await route.continue()
  })
  await dock(page).getByRole('button', { name: 'Undo' }).click()
  await expect(dock(page)).toContainText('59 undone')
  await expect(page.getByText('No video fits these filters')).toBeVisible()
  await page.unrouteAll({ behavior: 'wait' })
  await putAway(page)
})

test('removes, leaves out what is being sent, and brings back or deletes for good', async ({ world }) => {
  const { product, page, orgId } = world
  const productDatabase = await openDatabase(product)
  await productDatabase.query(
    `update transmissions set state = 'held' where subject = 'Letter 30' and organization_id = $1`,
    [orgId],
  )
  await productDatabase.close()
  await page.goto(content(world, '&shape=table&sort=title'))
  await box(page, 'Lesson 001').check()
  await box(page, 'Lesson 003').click({ modifiers: ['Shift'] })
  await bar(page).getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(dialog(page)).toContainText('2 videos will be removed. 1 stays unchanged:')
  await expect(dialog(page)).toContainText('It is being sent, or waits for it.')
  expect(await axeFaults(page)).toEqual([])
  await button(page, 'Remove 2 videos').click()
  await expect(dock(page)).toContainText('2 removed, 1 skipped')
  expect(await total(world)).toBe(58)
  await putAway(page)
  await page.goto(removed(world))
  await box(page, 'Removed 3 videos').check()
  await bar(page).getByRole('button', { name: 'Undo' }).click()
  await expect(dialog(page)).toContainText('1 change will be undone.')
  await button(page, 'Undo 1 change').click()
  await expect.poll(() => total(world)).toBe(60)
  await page.goto(content(world, '&shape=table&sort=title'))
  await box(page, 'Lesson 004').check()
  await bar(page).getByRole('button', { name: 'Remove', exact: true }).click()
  await button(page, 'Remove 1 video').click()
  await expect(dock(page)).toContainText('1 removed')
  await putAway(page)
  await page.goto(removed(world))
  await box(page, 'Removed 1 video').check()
  await bar(page).getByRole('button', { name: 'Delete for good' }).click()
  await expect(dialog(page)).toContainText('now and for ever')
  expect(await axeFaults(page)).toEqual([])
  await button(page, 'Delete for good: 1 removal').click()
  await expect(box(page, 'Removed 1 video')).toHaveCount(0)
  expect(await total(world)).toBe(59)
})

test('Recently removed keeps views of its own, with their density', async ({ world }) => {
  const { page } = world
  await removeOne(world)
  await page.goto(removed(world, '&show=all&about=removed&density=compact'))
  await listOption(page, 'Saved views')
  await button(page, 'Save as a new view').click()
  await dialog(page).getByLabel('Name').fill('What went')
  await dialog(page).getByRole('button', { name: 'Save view' }).click()
  await page.goto(removed(world))
  await listOption(page, 'Saved views')
  await page.getByRole('link', { name: /What went/ }).click()
  await expect(chip(page, 'What: Removed')).toBeVisible()
  await expect(page.getByRole('table')).toHaveAttribute('data-density', 'compact')
  await expect(button(page, /What went/)).toBeVisible()
})

test('transmissions are sorted by their headers, and cancelled over their pages with what stays named', async ({
  world,
}) => {
  const { client, page, orgId } = world
  await page.goto(letters(world))
  await header(page, 'Recipients').getByRole('button').click()
  await expect(header(page, 'Recipients')).toHaveAttribute('aria-sort', 'ascending')
  await expect(page.getByRole('rowheader').first()).toContainText('Letter 01')
  await header(page, 'State').getByRole('button').click()
  await expect(page).toHaveURL(/sort=state/)
  // Until the rows are there in their new order, it would tick those of the one before.
  await expect(page.locator('[data-stale]')).toHaveCount(0)
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
  await button(page, 'Select all 30 matching').click()
  await button(page, 'Cancel sending').click()
  await expect(dialog(page)).toContainText('25 transmissions will be cancelled. 5 stay unchanged:')
  await expect(dialog(page)).toContainText('5: Sent already.')
  expect(await axeFaults(page)).toEqual([])
  await button(page, 'Cancel 25 transmissions').click()
  await expect(dock(page)).toContainText('25 changed, 5 skipped')
  const cancelled = async () =>
    (await client.call(listTransmissions, { query: { organizationId: orgId, state: 'cancelled' } })).total
  expect(await cancelled()).toBe(25)
  await dock(page).getByRole('button', { name: 'Undo' }).click()
  await expect(dock(page)).toContainText('25 undone')
  expect(await cancelled()).toBe(0)
  await putAway(page)
})

test('exports the list as the filters find it, or what is selected', async ({ world }) => {
  const { page } = world
  await page.goto(letters(world, '&state=completed&sort=subject'))
  const all = await fileOf(page, () => downloadList(page, 'CSV'))
  expect(all.match(/Letter \d\d/g)).toEqual(['Letter 01', 'Letter 02', 'Letter 03', 'Letter 04', 'Letter 05'])
  await box(page, 'Letter 02').check()
  const some = await fileOf(page, async () => {
    await bar(page).getByRole('button', { name: 'Download' }).click()
    await page.getByRole('dialog', { name: 'Download' }).getByText('CSV', { exact: true }).click()
  })
  expect(some.match(/Letter \d\d/g)).toEqual(['Letter 02'])
  await page.goto(content(world, '&q=lesson+05&sort=title'))
  const videos = await fileOf(page, () => downloadList(page, 'CSV'))
  // Words are found anywhere: 005 is one of them.
  expect(videos.match(/^Lesson \d+/gm)).toHaveLength(11)
})

test('nothing scrolls sideways on a phone, and without an organization nothing is offered that would not work', async ({
  world,
}) => {
  const { client, page, orgName } = world
  await removeOne(world)
  await page.setViewportSize({ width: 390, height: 844 })
  for (const address of [
    content(world, '&shape=gallery'),
    content(world, '&shape=table'),
    letters(world),
    removed(world, '&show=all'),
  ]) {
    await page.goto(address)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await page
      .getByRole('checkbox', { name: /^Select (?!all)/ })
      .first()
      .check()
    await expect(bar(page)).toBeVisible()
    await fitsAcross(page)
    expect(await axeFaults(page)).toEqual([])
  }
  // Where there is only one, it is chosen by itself.
  await client.call(createOrganization, { body: { name: 'Another archive' } })
  await page.goto('/transmissions')
  await button(page, `Organization: ${orgName}`).click()
  await button(page, 'All organizations').click()
  await expect(page.getByText('Choose an organization to change several.')).toBeVisible()
  await expect(page.getByRole('checkbox')).toHaveCount(0)
})
