import { expect, type Page } from '@playwright/test'
import pg from 'pg'
import { createOrganization } from '#contract/directory/organizations.ts'
import { startEmbedded } from '#server/platform/db/embedded/embedded.ts'
import { addAttempt, addQuiz, type AddedQuiz } from '#server/testing/quizzes/answers.ts'
import { question } from '#server/testing/quizzes/quizzes.ts'
import { newSuperadmin } from './client.ts'
import { axeFaults, fitsAcross, narrow } from './console.ts'
import { test as shared } from './shared.ts'

/** 32 people answer two questions, of which the second has its key the wrong way round; then a new version is published. */
type World = {
  page: Page
  orgId: string
  quiz: AddedQuiz
}

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const client = await newSuperadmin(product)
    const orgId = (await client.call(createOrganization, { body: { name: 'Quiz Results Toys' } })).id
    const database = await startEmbedded({ dataDir: product.dataDir })
    const system = new pg.Pool({ connectionString: database.url, max: 1 })
    const quiz = await answer(system, orgId)
    await system.end()
    await database.stop()
    const page = await open(client)
    await page.goto(`/content/${quiz.videoId}/quiz/results`)
    await use({ page, orgId, quiz })
  },
})

async function answer(system: pg.Pool, organizationId: string): Promise<AddedQuiz> {
  const productDatabase = { services: { db: { system } } }
  const made = await system.query<{ id: string }>(
    `with v as (insert into videos (organization_id, title, state) values ($1, 'Fire drill', 'ready') returning id),
      n as (insert into video_versions (organization_id, video_id, number, file_name, size, duration_ms, ready_at)
        select $1, id, 1, 'v.mp4', 1, 60000, now() from v returning id, video_id)
      select video_id as id from n`,
    [organizationId],
  )
  await system.query(
    `update videos v set current_version_id = n.id from video_versions n where n.video_id = v.id and v.id = $1`,
    [made.rows[0]?.id],
  )
  const where = { organizationId, videoId: made.rows[0]?.id ?? '' }
  const first = await addQuiz(productDatabase, where, {
    questions: [
      question({ prompt: 'Which way out?', atMs: 15_000, teaches: [5_000, 15_000] }),
      question({ prompt: 'Is the lift safe?', atMs: 40_000 }),
      question({ prompt: 'Whom do you call?', atMs: null }),
    ],
  })
  for (let n = 0; n < 32; n++) {
    const knows = { correct: n % 2 === 0 }
    await addAttempt(productDatabase, first, { answers: [knows, { correct: !knows.correct }, knows] })
  }
  await addQuiz(productDatabase, where, { questions: [question()] })
  return first
}

test('the results of a video show people, who got each question right, and whose key to look at', async ({
  world: { page },
}) => {
  await expect(page.getByRole('heading', { level: 1, name: 'Fire drill' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Results' })).toHaveAttribute('aria-current', 'page')
  const table = page.getByRole('table', { name: 'Questions and their figures' })
  await expect(table.getByRole('row')).toHaveCount(4)
  await expect(table.getByText('16 of 32, 50%')).toHaveCount(3)
  const suspect = page.locator('details[id^="question-"]', { hasText: 'Is the lift safe?' })
  await expect(suspect.getByText('Look at the key')).toBeVisible()
  await expect(suspect.getByText('People who did well otherwise get this one wrong')).toBeVisible()
  await expect(page.locator('details[id^="question-"]').getByText('Look at the key')).toHaveCount(1)
  const taught = page.locator('details[id^="question-"]', { hasText: 'Which way out?' })
  await expect(taught.getByText('Of none of them is it known what they had watched.')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
})

test('the right answers are walked over by keyboard, leads to each, and has a table', async ({
  world: { page },
}) => {
  const plot = page.getByRole('slider', { name: 'Right answers over the video' })
  await plot.focus()
  await expect(plot).toHaveAttribute(
    'aria-valuetext',
    'Question 1, at 0:15: Which way out? – 50% right; taught from 0:05 to 0:15',
  )
  await plot.press('End')
  await expect(plot).toHaveAttribute('aria-valuetext', /^Question 3, at the end: Whom do you call\?/)
  await plot.press('Enter')
  await expect(page.locator('details[id] summary').nth(2)).toBeFocused()
  await plot.hover({ position: { x: 60, y: 60 } })
  await expect(page.getByRole('button', { name: 'Open question 1' })).toBeVisible()
  const section = page.locator('section', { has: plot })
  await section.getByText('Show as a table').click()
  const table = section.getByRole('region', { name: 'Right answers over the video, as a table' })
  await expect(table.getByRole('row').nth(1)).toHaveText(/1\. Which way out\?0:1550%0:05 to 0:15/)
  await expect(page.getByText(/^Updated \d/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Refresh' })).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
})

test('the answers of somebody open beside what would have been right', async ({ world: { page } }) => {
  await narrow(page, 'Outcome', 'failed')
  await expect(page.getByText('1–16 of 16')).toBeVisible()
  await expect(page).toHaveURL(/outcome=failed/)
  await page
    .getByRole('button', { name: /^Answers of/ })
    .first()
    .click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('Right: Yes')).toHaveCount(2)
  expect(await axeFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
})

test('versions are kept apart, and the report leads to each', async ({ world: { page, orgId, quiz } }) => {
  const version = page.getByRole('combobox', { name: 'Version of the questions' })
  await version.selectOption({ index: 0 })
  await expect(page.getByRole('heading', { name: 'Nobody has answered yet' })).toBeVisible()
  await page.goto(`/reports/quiz-metrics?organization=${orgId}`)
  await expect(page.getByRole('group', { name: 'Attempts' }).locator('dd')).toHaveText('32')
  await expect(page.getByRole('complementary', { name: 'Key figures' })).toContainText(/ \d{4} to .* \d{4}/)
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('link', { name: 'Fire drill' }).click()
  await expect(page).toHaveURL(new RegExp(`version=${quiz.versionId}`))
  await expect(version).toHaveValue(quiz.versionId)
})

test('nothing scrolls sideways on a phone', async ({ world: { page } }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(page.getByRole('heading', { name: 'Right answers over the video' })).toBeVisible()
  await fitsAcross(page)
  expect(await axeFaults(page)).toEqual([])
})
