import { expect } from '@playwright/test'
import { createUser } from '#contract/directory/users.ts'
import { updateOrganization } from '#contract/directory/organizations.ts'
import { readVideo, updateVideo } from '#contract/videos/videos.ts'
import { unique } from '../server/testing/unique.ts'
import { newAdmin, newOrganization, type Client } from './client.ts'
import { axeFaults, fitsAcross, narrow, press } from './console.ts'
import { test as shared } from './shared.ts'
import { videoWithoutFiles } from './upload.ts'

type World = { superadmin: Client; admin: Client; orgId: string; videoId: string }

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product }, use) => {
    const { client: superadmin, orgId } = await newOrganization(product, `Careful ${unique()}`)
    const admin = await newAdmin(product, superadmin, { orgId, name: 'Ada Lovelace' })
    await admin.call(createUser, {
      params: { orgId },
      body: { name: 'Margaret Hamilton', email: `${unique()}@readiness.example` },
    })
    const videoId = await videoWithoutFiles(product, { organizationId: orgId, title: 'Lock out and tag out' })
    await videoWithoutFiles(product, { organizationId: orgId, title: 'Something else' })
    await use({ superadmin, admin, orgId, videoId })
  },
})

test('tags are given on the page of a video and to many, and the list narrows to one', async ({
  world: { admin, videoId },
  open,
}) => {
  const page = await open(admin)
  await page.goto(`/content/${videoId}`)
  const field = page.getByRole('combobox', { name: /^Tags/ })
  await field.fill('Maintenance')
  await field.press('Enter')
  await field.fill('MAINTENANCE')
  await field.press('Enter')
  await page.getByLabel(/^Description/).fill('Read <b>this</b> first:\nhttps://example.org/rules')
  await press(page, 'Save changes')
  await expect(page.getByText('The changes are saved.')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  expect(await admin.call(readVideo, { params: { videoId } })).toMatchObject({ tags: ['Maintenance'] })

  await page.goto('/content?shape=table')
  await page.getByRole('checkbox', { name: 'Something else' }).check()
  await press(page, 'Add tag')
  const dialog = page.getByRole('dialog', { name: 'Add a tag' })
  await dialog.getByRole('combobox', { name: 'Tag' }).fill('maint')
  await page.getByRole('option', { name: 'Maintenance' }).click()
  await expect(dialog).toContainText('will get the tag')
  expect(await axeFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Tag 1 video' }).click()
  await expect(page.getByText('Tagged 1 video “Maintenance”').first()).toBeVisible()
  await expect(page.getByRole('row', { name: /Something else/ })).toContainText('Maintenance')

  await admin.call(updateVideo, { params: { videoId }, body: { title: 'Lock out', tags: ['Yearly'] } })
  await page.goto('/content?shape=table')
  await narrow(page, 'Tag', 'Yearly')
  await expect(page.getByRole('row', { name: /Lock out/ })).toBeVisible()
  await expect(page.getByRole('row', { name: /Something else/ })).toHaveCount(0)
})

test('viewers read what is said of a video, with its addresses as links', async ({ world, page }) => {
  const { admin, videoId } = world
  await admin.call(updateVideo, {
    params: { videoId },
    body: {
      title: 'Lock out',
      privacy: 'public',
      description: 'Read <b>this</b> first:\nhttps://example.org/rules',
    },
  })
  await page.goto(`/w/video/${videoId}`)
  const about = page.getByRole('region', { name: 'About this video' })
  await expect(about).toContainText('Read <b>this</b> first:')
  const link = about.getByRole('link', { name: 'https://example.org/rules' })
  await expect(link).toHaveAttribute('rel', 'noopener nofollow')
  for (const width of [1366, 390]) {
    await page.setViewportSize({ width, height: 800 })
    await fitsAcross(page)
  }
  expect(await axeFaults(page)).toEqual([])
})

test('the composer says what is missing, and asks why it is urgent where captions are required', async ({
  world: { superadmin, admin, orgId, videoId },
  open,
}) => {
  const page = await open(admin)
  await page.goto(`/transmissions/create?videoId=${videoId}`)
  await expect(page.getByText('It has no captions.')).toBeVisible()
  await superadmin.call(updateOrganization, {
    params: { orgId },
    body: { name: 'Careful', policies: { captionPolicy: 'require' } },
  })
  await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
  await page.getByRole('button', { name: /^Send to \d/ }).click()
  const dialog = page.getByRole('dialog')
  const confirm = dialog.getByRole('button', { name: /^Send to/ })
  await expect(dialog.getByLabel('Why it is urgent')).toBeVisible()
  await expect(confirm).toBeDisabled()
  await dialog.getByLabel('Why it is urgent').fill('The machine was recalled today')
  expect(await axeFaults(page)).toEqual([])
  await confirm.click()
  await expect(page).toHaveURL(/\/transmissions\/[0-9a-f-]{36}$/)
})

test('an assignment asks the same before it begins', async ({
  world: { superadmin, admin, orgId },
  open,
}) => {
  await superadmin.call(updateOrganization, {
    params: { orgId },
    body: { name: 'Careful', policies: { captionPolicy: 'require' } },
  })
  const page = await open(admin)
  await page.goto('/assignments/create')
  await page.getByRole('button', { name: /Lock out and tag out/ }).click()
  await expect(page.getByText('It has no captions.')).toBeVisible()
  await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
  await page.getByRole('button', { name: 'Assign', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Why it is urgent').fill('The machine was recalled today')
  await dialog.getByRole('button', { name: 'Assign', exact: true }).click()
  await expect(page.getByText('Assigned. This page shows who owes it')).toBeVisible()
})
