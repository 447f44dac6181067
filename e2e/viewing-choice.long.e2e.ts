import { expect, type Page } from '@playwright/test'
import { fillTraining } from '#server/testing/training.ts'
import { unique } from '../server/testing/unique.ts'
import { newOrganization } from './client.ts'
import { axeFaults } from './console.ts'
import { openDatabase, type ProductDatabase } from './database.ts'
import { test as shared } from './shared.ts'
import { readyVideo } from './upload.ts'

type World = {
  page: Page
  database: ProductDatabase
  organizationId: string
  addVideo: () => Promise<string>
  writeToAll: () => Promise<void>
}

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const name = `Latecomers ${unique()}`
    const { client, orgId: organizationId } = await newOrganization(product, name)
    const database = await openDatabase(product)
    await fillTraining((text, values) => database.query(text, values), {
      organizationId,
      people: 20,
      videos: 4,
    })
    const page = await open(client)
    const addVideo = () =>
      readyVideo({ url: product.url, client, organizationId }, { seconds: 2, width: 320 })
    /** Begins a transmission of that video to everybody. */
    const writeToAll = async () => {
      await page.goto(`/transmissions/create?organization=${organizationId}`)
      await page.getByRole('combobox', { name: 'Organization', exact: true }).fill(name)
      await page.getByRole('option', { name }).click()
      await page.getByRole('button', { name: 'A real video' }).click()
      await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
    }
    await use({ page, database, organizationId, addVideo, writeToAll })
    await database.close()
  },
})

const only = (page: Page) => page.getByRole('combobox', { name: 'Of these' })

test('the dashboard of an organization reminds whoever is late, and leads to another message to them', async ({
  world: { page, organizationId },
}) => {
  await page.goto(`/organizations/${organizationId}/dashboard`)
  const training = page.getByRole('region', { name: 'Who is late' }).getByRole('article').first()
  const remind = training.getByRole('button', { name: /^Remind \d+ people/ })
  const late = Number(/\d+/.exec((await remind.textContent()) ?? '')?.[0])
  expect(late).toBeGreaterThan(1)
  await remind.click()
  const dialog = page.getByRole('dialog', { name: `Remind ${late} people` })
  await expect(dialog).toContainText('what they are late with of this video')
  expect(await axeFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await training.getByRole('link', { name: /^Write to them/ }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Add a transmission' })).toBeVisible()
  await expect(only(page)).toHaveValue('late')
  await expect(page.getByText(`${late} people get it`)).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
})

test('an audience is narrowed to whoever has not seen a part, or answered wrongly, and says what is missing', async ({
  world: { page, addVideo, writeToAll },
}) => {
  await addVideo()
  await writeToAll()
  await expect(page.getByText('20 people get it')).toBeVisible()
  await only(page).selectOption('Only who has not seen a part of a video')
  await expect(page.getByRole('combobox', { name: 'Which video' })).toHaveValue('A real video')
  await page.getByRole('textbox', { name: 'Message' }).fill('Please watch this.')
  await page.getByRole('button', { name: /^Send/ }).click()
  await expect(page.locator('[data-error-summary]')).toContainText('Please say which video')
  await page.getByRole('textbox', { name: 'From' }).fill('0:00.5')
  await page.getByRole('textbox', { name: 'To' }).fill('0:01.5')
  await expect(page.getByText('20 people get it')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await only(page).selectOption('Only who answered a question wrongly')
  await expect(page.getByText('This video asks nothing.')).toBeVisible()
  await only(page).selectOption('Only who has not completed a video')
  await page.getByRole('combobox', { name: 'Which video' }).fill('Lesson 001')
  await page.getByRole('option', { name: 'Lesson 001' }).click()
  await expect(page.getByText(/^\d+ (person|people) gets? it/)).not.toHaveText('20 people get it')
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await axeFaults(page)).toEqual([])
})

test('says how many have completed it already, and leaves them out with one press', async ({
  world: { page, database, organizationId, addVideo, writeToAll },
}) => {
  await addVideo()
  await database.query(
    `insert into viewer_videos (organization_id, video_id, version_id, user_id, viewer_key, first_at, last_at, plays, completed_at)
      select $1, v.id, v.current_version_id, u.id, 'user:' || u.id, now(), now(), 1, now() from videos v, (select id from users
        where organization_id = $1 and name like 'Trainee%' order by name limit 2) u
      where v.organization_id = $1 and v.title = 'A real video'`,
    [organizationId],
  )
  await writeToAll()
  await expect(page.getByText('2 of them have completed this video already.')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Leave them out' }).click()
  await expect(page.getByText('18 people get it')).toBeVisible()
  await expect(only(page)).toHaveValue('not_completed')
  await expect(page.getByText('have completed this video already')).toHaveCount(0)
  await expect(page.getByText(/, without its picture$/)).toBeVisible()
})
