import { expect, type Page } from '@playwright/test'
import { createOrganization } from '#contract/directory/organizations.ts'
import { deleteUser, listUsers } from '#contract/directory/users.ts'
import { formatDayOfYear } from '#contract/platform/text/format.ts'
import { fillTraining } from '#server/testing/training.ts'
import { newAdmin, newSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross, listOption, openFilters } from './console.ts'
import { derived, openDatabase, type ProductDatabase } from './database.ts'
import { test as shared } from './shared.ts'

type World = { page: Page; admin: Client; database: ProductDatabase; organizationId: string }

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const superadmin = await newSuperadmin(product)
    const where = { name: 'Past Toys', timeZone: 'UTC' }
    const { id: organizationId } = await superadmin.call(createOrganization, { body: where })
    const admin = await newAdmin(product, superadmin, { orgId: organizationId, name: 'Ada Admin' })
    const database = await openDatabase(product)
    await fillTraining((text, values) => database.query(text, values), {
      organizationId,
      people: 6,
      videos: 3,
    })
    await derived(database, organizationId)
    // It has been so for three days, and was not looked after before.
    await database.query(
      `update training_cells set since = now() - interval '3 days' where organization_id = $1`,
      [organizationId],
    )
    for (const table of ['organizations set matrix_since', 'users set created_at', 'videos set created_at'])
      await database.query(
        `update ${table} = now() - interval '3 days' where ${table.startsWith('o') ? 'id' : 'organization_id'} = $1`,
        [organizationId],
      )
    const page = await open(admin)
    await page.setViewportSize({ width: 1366, height: 900 })
    await use({ page, admin, database, organizationId })
    await database.close()
  },
})

const grid = (page: Page) => page.getByRole('grid', { name: 'Training of people by videos' })
const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
const notice = (page: Page) =>
  page.getByText(`This is how the matrix read at the end of ${formatDayOfYear(dayBefore(1))}`)
const rowOf = (page: Page, name: string) => grid(page).getByRole('row', { name: new RegExp(name) })

test('a day of the past is looked at, down to its cells and its file, and left again', async ({
  world: { page, admin, database, organizationId },
}) => {
  await test.step('a day of the past is chosen among the filters, and shows who stood where, also who was removed since', async () => {
    const params = { orgId: organizationId }
    const { items } = await admin.call(listUsers, { params, query: { q: 'Trainee 00002' } })
    await admin.call(deleteUser, { params: { orgId: organizationId, userId: items[0]?.id ?? '' } })
    await database.query(
      `insert into training_waivers (organization_id, user_id, video_id, reason, given_by_name)
        select $1, u.id, v.id, 'Decided today', 'Ada' from users u, videos v where u.organization_id = $1 and v.organization_id = $1
          and u.name = 'Trainee 00001' on conflict do nothing`,
      [organizationId],
    )
    await page.goto('/reports/training-matrix')
    await expect(grid(page)).toHaveAttribute('aria-rowcount', '7')
    const now = await rowOf(page, 'Trainee 00001').innerText()
    const filters = await openFilters(page)
    await filters.getByLabel('As it was at the end of').fill(dayBefore(1))
    await expect(notice(page)).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(
      page.getByRole('button', { name: /^Remove the filter As it was at the end of/ }),
    ).toBeVisible()
    await expect(page).toHaveURL(new RegExp(`on=${dayBefore(1)}`))
    await expect(rowOf(page, 'Trainee 00002')).toBeVisible()
    await expect(grid(page)).toHaveAttribute('aria-rowcount', '8')
    expect(await rowOf(page, 'Trainee 00001').innerText()).not.toBe(now)
    // Nothing is decided of a day that is over.
    await expect(grid(page).getByRole('checkbox')).toHaveCount(0)
    expect(await axeFaults(page)).toEqual([])
  })

  await test.step('a cell says how it read then and how it reads now, and decides nothing', async () => {
    const cellOf = (name: string) => rowOf(page, name).getByRole('gridcell').first()
    await cellOf('Trainee 00001').focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText(`At the end of ${formatDayOfYear(dayBefore(1))}`)
    await expect(dialog).toContainText('“Decided today”')
    await expect(dialog.getByRole('button', { name: /waive/i })).toHaveCount(0)
    expect(await axeFaults(page)).toEqual([])
    await page.keyboard.press('Escape')
    await cellOf('Trainee 00002').click()
    await expect(dialog).toContainText('has been removed since')
    await expect(dialog).toContainText(`At the end of ${formatDayOfYear(dayBefore(1))}`)
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
  })

  await test.step('its file is that of the day, and holds no dates of now', async () => {
    const saving = page.waitForEvent('download')
    await listOption(page, 'Download')
    await expect(page.getByRole('region', { name: 'Details' })).toHaveCount(0)
    await page.getByRole('region', { name: 'Matrix' }).getByRole('button', { name: 'CSV' }).click()
    expect((await saving).suggestedFilename()).toContain(`training-matrix-of-${dayBefore(1)}`)
  })

  await test.step('on a phone it is said as well, and one press leads back to now', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await expect(notice(page)).toBeVisible()
    await fitsAcross(page)
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Show it as it is now' }).click()
    await expect(notice(page)).toHaveCount(0)
    await page.setViewportSize({ width: 1366, height: 900 })
    await expect(rowOf(page, 'Trainee 00001')).toBeVisible()
    await expect(rowOf(page, 'Trainee 00002')).toHaveCount(0)
  })
})

test('a day of which nothing is kept is refused in words, with the way back', async ({ world: { page } }) => {
  await page.goto('/reports/training-matrix?on=2001-01-01')
  await expect(page.getByRole('heading', { name: /cannot be shown/ })).toBeVisible()
  await expect(page.getByText('Nothing is kept of this day.')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Show it as it is now' }).click()
  await expect(grid(page)).toBeVisible()
  const filters = await openFilters(page)
  await filters.getByLabel('As it was at the end of').fill(dayBefore(20))
  await expect(filters.getByText(/^There are days from/)).toBeVisible()
  await page.keyboard.press('Escape')
})
