import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, type Page } from '@playwright/test'
import { listObligations } from '#contract/assignments/assignments.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createUser } from '#contract/directory/users.ts'
import { readVideo } from '#contract/videos/videos.ts'
import { makeClip } from '#server/testing/media/clips.ts'
import { assigned } from './assigned.ts'
import { newSuperadmin } from './client.ts'
import { axeFaults, pressMore } from './console.ts'
import { test } from './shared.ts'
import { readyVideo } from './upload.ts'

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Replace “A real video”' })

test('a video is replaced, and its author says what has to be watched of it', async ({
  shared: product,
  open,
}) => {
  const client = await newSuperadmin(product)
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-replace-'))
  await makeClip({
    file: path.join(folder, 'new.mp4'),
    seconds: 4,
    width: 320,
    height: 180,
    style: 'orbits',
  })
  const orgId = (await client.call(createOrganization, { body: { name: 'Replacing Ltd' } })).id
  const ada = { name: 'Ada Lovelace', email: 'ada@replacing.example' }
  const { id: userId } = await client.call(createUser, { params: { orgId }, body: ada })
  const to = { url: product.url, client, organizationId: orgId }
  const videoId = await readyVideo(to, { seconds: 2, width: 320 })
  const assignmentId = await assigned(client, { orgId, videoId, userIds: [userId] })
  const page = await open(client)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`/content/${videoId}`)
  await pressMore(page, 'Replace')
  await expect(dialog(page)).toContainText('The present file plays until the new one is ready.')
  await dialog(page).getByRole('button', { name: 'Replace video' }).click()
  await expect(dialog(page)).toContainText('Please choose the new file.')
  const chooser = page.waitForEvent('filechooser')
  await dialog(page).getByRole('button', { name: 'Choose the new file' }).press('Enter')
  await (await chooser).setFiles(path.join(folder, 'new.mp4'))
  await expect(dialog(page)).toContainText('new.mp4')
  await dialog(page).getByRole('radio', { name: 'They watch what has changed' }).check()
  const parts = dialog(page).getByRole('textbox', { name: 'What has changed, in the new video' })
  await parts.fill('soon')
  await expect(dialog(page)).toContainText('Write times such as “0:42 to 1:10”.')
  await parts.fill('0:00 to 0:01, 0:02 to 0:03')
  await expect(dialog(page)).toContainText('The new video is longer or shorter.')
  expect(await axeFaults(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await parts.fill('0:01 to 0:04')
  await expect(dialog(page)).toContainText('what comes after it is found again')
  await dialog(page).getByRole('button', { name: 'Replace video' }).press('Enter')
  await expect(dialog(page)).toHaveCount(0)
  const lengthMs = async () => (await client.call(readVideo, { params: { videoId } })).durationMs ?? 0
  await expect.poll(lengthMs, { timeout: 90_000 }).toBeGreaterThan(3_500)
  const items = async () =>
    (await client.call(listObligations, { params: { orgId, assignmentId } })).items.map(({ missingMs }) =>
      Math.round((missingMs ?? 0) / 1_000),
    )
  await expect.poll(items).toEqual([4])
  await page.reload()
  await expect(page.getByRole('main')).toContainText(/Version 2, .*: changed from 0:01 to 0:04/)
  await rm(folder, { recursive: true, force: true })
})
