import { expect, type Page } from '@playwright/test'
import { createOrganization } from '#contract/organizations.ts'
import { fillTraining } from '#server/testing/training.ts'
import { newSuperadmin, type Client } from './client.ts'
import { axeFaults, signedIn } from './console.ts'
import { openDatabase, type ProductDatabase } from './database.ts'
import type { Product } from './product.ts'
import { test } from './shared.ts'
import { readyVideo } from './upload.ts'

let product: Product
let client: Client
let database: ProductDatabase
let organizationId: string
let page: Page

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser, shared }) => {
  product = shared
  client = await newSuperadmin(product)
  database = await openDatabase(product)
  organizationId = (await client.call(createOrganization, { body: { name: 'Latecomers' } })).id
  const query = (text: string, values: unknown[] = []) => database.query(text, values)
  await fillTraining(query, { organizationId, people: 20, videos: 4 })
  await readyVideo({ url: product.url, client, organizationId }, { seconds: 2, width: 320 })
  page = await signedIn(browser, product, client)
})

test.afterAll(async () => {
  await database.close()
  await page.context().close()
})

const count = () => page.getByText(/^\d+ (person|people) gets? it/)
const only = () => page.getByRole('combobox', { name: 'Of these' })

test('the dashboard of an organization reminds whoever is late, and leads to another message to them', async () => {
  await page.goto(`${product.url}/organizations/${organizationId}/dashboard`)
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
  await expect(only()).toHaveValue('late')
  await expect(page.getByText(`${late} people get it`)).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
})

test('an audience is narrowed to whoever has not seen a part, or answered wrongly, and says what is missing', async () => {
  await page.goto(`${product.url}/transmissions/create?organization=${organizationId}`)
  await page.getByRole('combobox', { name: 'Organization', exact: true }).fill('Latecom')
  await page.getByRole('option', { name: 'Latecomers' }).click()
  await page.getByRole('button', { name: 'A real video' }).click()
  await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
  await expect(page.getByText('20 people get it')).toBeVisible()
  await only().selectOption('Only who has not seen a part of a video')
  await expect(page.getByRole('combobox', { name: 'Which video' })).toHaveValue('A real video')
  await page.getByRole('textbox', { name: 'Message' }).fill('Please watch this.')
  await page.getByRole('button', { name: /^Send/ }).click()
  await expect(page.locator('[data-error-summary]')).toContainText('Please say which video')
  await page.getByRole('textbox', { name: 'From' }).fill('0:00.5')
  await page.getByRole('textbox', { name: 'To' }).fill('0:01.5')
  await expect(page.getByText('20 people get it')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await only().selectOption('Only who answered a question wrongly')
  await expect(page.getByText('This video asks nothing.')).toBeVisible()
  await only().selectOption('Only who has not completed a video')
  await page.getByRole('combobox', { name: 'Which video' }).fill('Lesson 001')
  await page.getByRole('option', { name: 'Lesson 001' }).click()
  await expect(count()).not.toHaveText('20 people get it')
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await axeFaults(page)).toEqual([])
})

test('says how many have completed it already, and leaves them out with one press', async () => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await database.query(
    `insert into viewer_videos (organization_id, video_id, version_id, user_id, viewer_key, first_at, last_at, plays, completed_at)
      select $1, v.id, v.current_version_id, u.id, 'user:' || u.id, now(), now(), 1, now() from videos v, (select id from users
        where organization_id = $1 and name like 'Trainee%' order by name limit 2) u
      where v.organization_id = $1 and v.title = 'A real video'`,
    [organizationId],
  )
  await page.goto(`${product.url}/transmissions/create?organization=${organizationId}`)
  await page.getByRole('combobox', { name: 'Organization', exact: true }).fill('Latecom')
  await page.getByRole('option', { name: 'Latecomers' }).click()
  await page.getByRole('button', { name: 'A real video' }).click()
  await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
  await expect(page.getByText('2 of them have completed this video already.')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Leave them out' }).click()
  await expect(page.getByText('18 people get it')).toBeVisible()
  await expect(only()).toHaveValue('not_completed')
  await expect(page.getByText('have completed this video already')).toHaveCount(0)
  await expect(page.getByText(/, without its picture$/)).toBeVisible()
})
