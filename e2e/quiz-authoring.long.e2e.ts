import { expect, type Page } from '@playwright/test'
import {
  createOrganization,
  readOrganization,
  updateOrganization,
  type TrackingMode,
} from '#contract/directory/organizations.ts'
import { readQuiz, readQuizVersion, saveQuiz } from '#contract/quizzes/quizzes.ts'
import { createVideo } from '#contract/videos/videos.ts'
import { choices, question } from '#server/testing/quizzes/quizzes.ts'
import { newSuperadmin, type Client } from './client.ts'
import { axeFaults } from './console.ts'
import { test as shared } from './shared.ts'
import { readyVideo } from './upload.ts'

type World = {
  client: Client
  page: Page
  organizationId: string
  videoId: string
}

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const client = await newSuperadmin(product)
    const { id: organizationId } = await client.call(createOrganization, { body: { name: 'Quiz Authors' } })
    const videoId = await readyVideo(
      { url: product.url, client, organizationId },
      { seconds: 20, width: 320 },
    )
    await use({ client, page: await open(client), organizationId, videoId })
  },
})

const questions = [
  question({
    prompt: 'Which way out?',
    atMs: 10_000,
    options: choices('The lift', 'The window', '*The stairs'),
  }),
  question({ kind: 'number', prompt: 'How many floors?', atMs: null, number: { value: 7, tolerance: 1 } }),
  question({
    kind: 'text',
    prompt: 'Where do you meet?',
    atMs: null,
    texts: ['Meeting point', 'Assembly point'],
  }),
]

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const marker = (page: Page, number: number) =>
  page.getByRole('slider', { name: new RegExp(`^Question ${number},`) })
const saved = (page: Page) => expect(page.getByRole('status').filter({ hasText: /^Saved$/ })).toBeVisible()
const stored = ({ client, videoId }: World) => client.call(readQuiz, { params: { videoId } })
const expectAt = (page: Page, number: number, seconds: string | RegExp) =>
  expect(marker(page, number)).toHaveAttribute('aria-valuenow', seconds)

async function openQuiz(page: Page, videoId: string): Promise<void> {
  await page.goto(`/content/${videoId}/quiz`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

test('questions are written, moved, tried, published and withdrawn', async ({ world }) => {
  const { client, page, videoId } = world

  await test.step('questions are written at the moment where the video stands, and saved by themselves', async () => {
    await openQuiz(page, videoId)
    await expect(page.getByRole('heading', { name: 'No questions yet' })).toBeVisible()
    const position = page.getByRole('slider', { name: 'Position in the video' })
    await position.focus()
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight']) await position.press(key)
    await expect(position).toHaveAttribute('aria-valuetext', '0:04')
    await page.keyboard.press('q')
    await expect(page.getByLabel('Question', { exact: true })).toBeFocused()
    await page.keyboard.type('Which way out?')
    await page.getByLabel('Answer 1', { exact: true }).fill('The lift')
    await page.getByLabel('Answer 2', { exact: true }).fill('The stairs')
    await page.getByLabel('Answer 2', { exact: true }).press('Enter')
    await page.getByLabel('Answer 3', { exact: true }).fill('The window')
    await page.getByLabel('Right: The stairs').check()
    await button(page, 'Move The window with the arrow keys').press('ArrowUp')
    await expect(page.getByLabel('Answer 2', { exact: true })).toHaveValue('The window')
    await button(page, 'Name the part').click()
    await page.getByLabel('From', { exact: true }).fill('0:01')
    await page.getByLabel('From', { exact: true }).press('Enter')
    await expect(page.getByRole('list', { name: 'Parts that teach the answers' })).toContainText(
      '0:01 to 0:04',
    )

    await button(page, 'Add a question at the end').click()
    await expect(page.getByLabel('Question', { exact: true })).toBeFocused()
    await page.keyboard.type('How many floors?')
    await page.getByLabel('Kind').selectOption('Number')
    await page.getByLabel('Right number').fill('7')
    await page.getByLabel('Tolerance').fill('1')
    await expect(page.getByText('From 6 to 8 is right.')).toBeVisible()

    await button(page, 'Add a question at the end').click()
    await expect(page.getByLabel('Question', { exact: true })).toBeFocused()
    await page.getByLabel('Kind').selectOption('Short text')
    await page.getByLabel('Accepted answers').fill('Meeting point\nAssembly point\n')
    await saved(page)
    expect(await axeFaults(page)).toEqual([])

    await page.reload()
    await expect(page.getByRole('button', { name: /Which way out\?/ })).toBeVisible()
    const { questions } = (await stored(world)).draft
    expect(questions).toMatchObject([
      { kind: 'single', atMs: 4_000, teaches: [1_000, 4_000], prompt: 'Which way out?' },
      { kind: 'number', atMs: null, number: { value: 7, tolerance: 1 } },
      { kind: 'text', prompt: '', texts: ['Meeting point', 'Assembly point'] },
    ])
    expect(questions[0]?.options).toMatchObject([
      { text: 'The lift', correct: false },
      { text: 'The window', correct: false },
      { text: 'The stairs', correct: true },
    ])
  })

  await test.step('a marker is dragged or moved with the keys, and every step can be taken back', async () => {
    await marker(page, 1).focus()
    await marker(page, 1).press('ArrowRight')
    await expectAt(page, 1, '5')
    await marker(page, 1).press('Shift+ArrowRight')
    await expectAt(page, 1, '15')
    await page.keyboard.press('Control+z')
    // Presses shortly after one another are one step.
    await expectAt(page, 1, /^[45]$/)
    await page.keyboard.press('Control+Shift+z')
    await expectAt(page, 1, '15')
    const strip = await page.getByRole('slider', { name: 'Position in the video' }).boundingBox()
    const from = await marker(page, 1).boundingBox()
    if (!strip || !from) throw new Error('the time line is not there')
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
    await page.mouse.down()
    await page.mouse.move(strip.x + strip.width / 2, from.y, { steps: 4 })
    await page.mouse.up()
    await expectAt(page, 1, '10')
    await expect(page.getByLabel('Time', { exact: true })).toHaveValue(/^0:(09|10)/)
    await button(page, 'Remove').click()
    await expect(page.getByRole('heading', { name: /^Questions 2/ })).toBeVisible()
    await expect(page.getByRole('region', { name: 'Questions' })).toBeFocused()
    await page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Undo' }).click()
    await expectAt(page, 1, '10')
    await saved(page)
  })

  await test.step('the finished questions can be tried on the page of the video, and nothing of it is kept', async () => {
    const opened = page.context().waitForEvent('page')
    await button(page, 'Try it').click()
    const trial = await opened
    await expect(trial.getByText('You are trying it out: nothing that you do here is kept.')).toBeVisible()
    await trial.getByRole('button', { name: 'Play: A real video' }).click()
    await trial.locator('video').evaluate((video: HTMLVideoElement) => {
      video.currentTime = 9.5
    })
    await expect(trial.getByText('Which way out?')).toBeVisible({ timeout: 30_000 })
    await trial.close()
  })

  await test.step('what is unfinished is named before it is published, with the way to it', async () => {
    await button(page, 'Publish').click()
    const dialog = page.getByRole('dialog', { name: 'Not ready to be published' })
    await expect(dialog).toContainText('Question 3: Write the question.')
    await dialog.getByRole('button', { name: 'Question 3' }).click()
    await page.getByLabel('Question', { exact: true }).fill('Where do you meet?')
    await saved(page)
    await button(page, 'Publish').click()
    const ready = page.getByRole('dialog', { name: 'Publish version 1?' })
    await expect(ready).toContainText('everybody who watches this video is asked 3 questions')
    await expect(ready.getByRole('alert')).toHaveCount(0)
    await ready.getByRole('button', { name: 'Publish' }).click()
    await expect(page.getByText('Published, version 1')).toBeVisible()

    await page.getByLabel('Points').fill('2')
    await expect(page.getByText('Changed since version 1')).toBeVisible()
    await button(page, 'Publish').click()
    const next = page.getByRole('dialog', { name: 'Publish version 2?' })
    await expect(next.getByRole('listitem')).toHaveText(['Changed Question 3, “Where do you meet?”: points'])
    expect(await axeFaults(page)).toEqual([])
    await next.getByRole('button', { name: 'Publish' }).click()
    await button(page, 'Look at version 1').click()
    await expect(page.getByRole('dialog', { name: 'Version 1' })).toContainText('The stairs (right)')
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    const [, first] = (await stored(world)).versions
    const version = await client.call(readQuizVersion, { params: { videoId, versionId: first?.id ?? '' } })
    expect(version.questions[2]?.points).toBe(1)
    await button(page, 'Withdraw the questions').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw the questions' }).click()
    await expect(page.getByText('Withdrawn', { exact: true })).toBeVisible()
  })
})

async function write({ client, videoId }: World): Promise<void> {
  const { draft } = await client.call(readQuiz, { params: { videoId } })
  await client.call(saveQuiz, { params: { videoId }, body: { ...draft, questions } })
}

test('two editors at once lose nothing, and are asked where both changed the same', async ({
  world,
  open,
}) => {
  const { client, page, videoId } = world
  await write(world)
  const other = await open(client)
  await openQuiz(other, videoId)
  await openQuiz(page, videoId)
  await page.getByRole('button', { name: /Which way out\?/ }).click()
  await page.getByLabel('When right').or(page.getByText('Feedback and going back')).first().click()
  await page.getByLabel('When right').fill('Well done')
  await other.getByRole('button', { name: /How many floors\?/ }).click()
  await other.getByLabel('Points').fill('5')
  await saved(page)
  await saved(other)
  const note = (on: Page) => on.getByRole('region', { name: 'Changed meanwhile' })
  const notes = async () => (await note(page).count()) + (await note(other).count())
  await expect.poll(notes).toBeGreaterThan(0)
  await expect
    .poll(async () => (await stored(world)).draft.questions)
    .toMatchObject([{ whenRight: 'Well done' }, { points: 5 }, {}])

  // Both write the same line in the same moment: the second one is asked.
  const { draft } = await stored(world)
  await other.close()
  let hasSaved = false
  await page.route('**/quiz', (route) => {
    hasSaved ||= route.request().method() !== 'GET'
    return hasSaved ? route.continue() : route.abort()
  })
  const [first, ...rest] = draft.questions
  if (!first) throw new Error('no question')
  await client.call(saveQuiz, {
    params: { videoId },
    body: { ...draft, questions: [{ ...first, prompt: 'Which way in?' }, ...rest] },
  })
  await page.getByLabel('Question', { exact: true }).fill('Which way up?')
  await expect(note(page)).toContainText('both of you changed it')
  await page.unrouteAll({ behavior: 'wait' })
  await expect(note(page)).toContainText(/In another window you changed these questions at /)
  await expect(page.getByText('Not saved: first choose what stays.')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await note(page).getByRole('radio', { name: 'Keep mine' }).check()
  await saved(page)
  expect((await stored(world)).draft.questions[0]).toMatchObject({
    prompt: 'Which way up?',
    whenRight: 'Well done',
  })
})

test('whoever writes questions that nobody is asked is told why, with the way to change it', async ({
  world,
}) => {
  const { client, page, organizationId, videoId } = world
  await write(world)
  const record = async (trackingMode: TrackingMode) => {
    const params = { orgId: organizationId }
    const { name, policies } = await client.call(readOrganization, { params })
    await client.call(updateOrganization, { params, body: { name, policies: { ...policies, trackingMode } } })
  }
  await record('completed_only')
  await openQuiz(page, videoId)
  await expect(page.getByText('Nobody is asked these questions.')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('link', { name: 'Change what is recorded' }).click()
  await expect(page).toHaveURL(new RegExp(`/organizations/${organizationId}/edit`))
  await expect(
    page.getByRole('radio', { name: 'Only who completed a video, and on which day' }),
  ).toBeChecked()
  await record('full')
  await openQuiz(page, videoId)
  await expect(page.getByText('Nobody is asked these questions.')).toBeHidden()
})

test('the questions of another video can be copied, also before the video is there', async ({ world }) => {
  const { client, page, organizationId } = world
  await write(world)
  const file = { fileName: 'b.mp4', size: 1_000, organizationId }
  const { video } = await client.call(createVideo, { body: { title: 'The other one', ...file } })
  await page.goto(`/content/${video.id}/quiz`)
  await expect(page.getByRole('heading', { name: 'The video cannot be played yet' })).toBeVisible()
  await button(page, 'Copy from a video').click()
  await button(page, 'Copy the questions of A real video').click()
  await expect(page.getByRole('heading', { name: /^Questions 3/ })).toBeVisible()
  await saved(page)
  const copied = await client.call(readQuiz, { params: { videoId: video.id } })
  expect(copied.draft.questions.map(({ prompt }) => prompt)).toEqual([
    'Which way out?',
    'How many floors?',
    'Where do you meet?',
  ])
})
