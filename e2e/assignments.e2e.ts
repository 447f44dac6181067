import { expect, type Page } from '@playwright/test'
import { changeObligation } from '#contract/assignments/assignments.ts'
import { createGroup } from '#contract/directory/groups.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { undoOperation } from '#contract/operations.ts'
import { createUser } from '#contract/directory/users.ts'
import { deleteVideo } from '#contract/videos/videos.ts'
import { unique } from '#server/testing/unique.ts'
import { assigned } from './assigned.ts'
import { newSuperadmin, type Client } from './client.ts'
import { axeFaults, listOption, pressMore, rowAct } from './console.ts'
import { test as shared } from './shared.ts'
import { videoWithoutFiles } from './upload.ts'

type World = {
  client: Client
  page: Page
  orgId: string
  orgName: string
  videoId: string
  mary: string
}

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const client = await newSuperadmin(product)
    const orgName = `Dutiful ${unique()}`
    const orgId = (
      await client.call(createOrganization, { body: { name: orgName, timeZone: 'Europe/Berlin' } })
    ).id
    const made = []
    for (const name of ['Ada Lovelace', 'Grace Hopper', 'Mary Jackson']) {
      const body = { name, email: `${name.split(' ')[0]}@dutiful.example`.toLowerCase() }
      made.push(await client.call(createUser, { params: { orgId }, body }))
    }
    await client.call(createGroup, { params: { orgId }, body: { name: 'Warehouse' } })
    const videoId = await videoWithoutFiles(product, { organizationId: orgId })
    await use({ client, page: await open(client), orgId, orgName, videoId, mary: made.at(-1)?.id ?? '' })
  },
})

const main = (page: Page) => page.getByRole('main')
const unfold = (page: Page, title: string) => main(page).locator('summary').filter({ hasText: title }).click()
const press = (page: Page, name: string) => main(page).getByRole('button', { name, exact: true }).click()
const inDialog = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
const person = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) })

/** Begins an assignment for everybody, and shows its page once the first messages have left. */
async function begun({ client, page, orgId, videoId }: World): Promise<string> {
  const assignmentId = await assigned(client, { orgId, videoId })
  await page.goto(`/assignments/${orgId}/${assignmentId}`)
  await expect(person(page, 'Ada Lovelace')).toContainText('In the outbox', { timeout: 30_000 })
  return assignmentId
}

/** Excuses Mary, and obliges her again. */
async function excused({ client, orgId, mary }: World, assignmentId: string, reason: string): Promise<void> {
  for (const act of [
    { action: 'waive', reason, until: null },
    { action: 'unwaive', reason: 'Back' },
  ] as const)
    await client.call(changeObligation, { params: { orgId, assignmentId, userId: mary }, body: { do: act } })
}

test('an assignment is filled in, begins, and shows where everybody stands', async ({
  world: { page, orgId, orgName },
}) => {
  await test.step('the empty list leads to the form, which names what is missing and counts whom it obliges', async () => {
    await page.goto(`/assignments?organization=${orgId}`)
    await expect(main(page)).toContainText('Nothing is assigned yet')
    expect(await axeFaults(page)).toEqual([])
    await main(page).getByRole('link', { name: 'Add an assignment' }).first().click()
    await page.getByRole('combobox', { name: 'Organization', exact: true }).fill(orgName)
    await page.getByRole('option', { name: orgName }).click()
    await press(page, 'Assign')
    const summary = page.locator('[data-error-summary]')
    await expect(summary).toBeFocused()
    for (const missing of ['Please choose a video.', 'Please choose who has to see it.'])
      await expect(summary).toContainText(missing)
    await unfold(page, 'More')
    await page.getByRole('textbox', { name: 'Name optional', exact: true }).fill('Fire safety, every year')
    await page.getByRole('button', { name: 'A real video' }).click()
    await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
    await expect(main(page)).toContainText('3 people have to see it.')
    // At once, three days before the fourteenth, on it, two days after, and a week later.
    const ahead = page.getByRole('region', { name: 'The next 30 days' })
    await expect(ahead).toContainText('15 mails leave if nobody watches')
    await expect(ahead.getByRole('slider', { name: 'Mails per day' })).toBeVisible()
    await ahead.getByText('Show as a table').click()
    await expect(ahead.getByRole('row')).toHaveCount(6)
    await unfold(page, 'How long it is valid')
    await page.getByRole('radio', { name: 'For some months, and then once more' }).check()
    await unfold(page, 'Reminders')
    await page.getByRole('radio', { name: 'Tell their manager' }).check()
    await page.getByRole('textbox', { name: 'Days after the due day' }).fill('0')
    await press(page, 'Assign')
    await expect(summary).toContainText('Write days from 1 to 90.')
    await page.getByRole('textbox', { name: 'Days after the due day' }).fill('5')
    await expect(main(page)).toContainText('A day ends at midnight in Central European Time (Berlin).')
    expect(await axeFaults(page)).toEqual([])
    await page.reload()
    await expect(main(page)).toContainText('Your unsaved changes from')
    await expect(main(page)).toContainText('3 people have to see it.')
    await expect(main(page)).toContainText('A real video')
    await unfold(page, 'Reminders')
    await expect(page.getByRole('textbox', { name: 'Days after the due day' })).toHaveValue('5')
  })

  await test.step('it is assigned, sends, and shows where everybody stands', async () => {
    await press(page, 'Assign')
    const asked = page.getByRole('dialog', { name: 'Assign “A real video” to 3 people?' })
    await expect(asked).toContainText('3 first messages')
    await expect(asked).toContainText('14 days after somebody is obliged')
    await expect(asked).toContainText('Their manager is told 5 days after the due day')
    expect(await axeFaults(page)).toEqual([])
    await inDialog(page, 'Assign')
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Fire safety, every year')
    await expect(person(page, 'Ada Lovelace')).toContainText('Assigned', { timeout: 30_000 })
    await expect(main(page)).toContainText('0 of 3 people have completed it')
    await expect(main(page)).toContainText('Their manager is told 5 days after the due day')
    await expect(main(page)).toContainText('12 months, and the next time begins 30 days before')
    await expect(person(page, 'Ada Lovelace')).toContainText('In the outbox', { timeout: 30_000 })
    await expect(main(page)).toContainText('No mail server is set up, so mails rest in the outbox.')
    expect(await axeFaults(page)).toEqual([])
    await main(page).getByRole('link', { name: '3 Assigned' }).click()
    await expect(page).toHaveURL(/state=assigned/)
  })
})

test(
  'another one for the same video says with which it overlaps and for whom, and keeps its day',
  { tag: '@long' },
  async ({ world }) => {
    const { page, orgId, orgName } = world
    await begun(world)
    await page.goto(`/assignments?organization=${orgId}`)
    await main(page).getByRole('link', { name: 'Add an assignment' }).first().click()
    await page.getByRole('combobox', { name: 'Organization', exact: true }).fill(orgName)
    await page.getByRole('option', { name: orgName }).click()
    await unfold(page, 'More')
    await page.getByRole('textbox', { name: 'Name optional', exact: true }).fill('Before each winter')
    await page.getByRole('button', { name: 'A real video' }).click()
    await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
    await expect(main(page)).toContainText(
      '3 of them owe this video by “Fire safety, every year” too: Ada Lovelace, Grace Hopper, and Mary Jackson. Each gets one mail that names both days. The earlier day plans it.',
    )
    await unfold(page, 'How long it is valid')
    await page.getByRole('radio', { name: 'For some months, and then once more' }).check()
    await expect(page.getByRole('radio', { name: 'From the day on which it was completed' })).toBeChecked()
    await page.getByRole('radio', { name: 'From the end of the last time' }).check()
    expect(await axeFaults(page)).toEqual([])
    await press(page, 'Save as draft')
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Before each winter')
    await expect(main(page)).toContainText(
      '12 months from the end of the last time, and the next time begins 30 days before',
    )
    await main(page).getByRole('link', { name: 'Edit', exact: true }).click()
    await unfold(page, 'How long it is valid')
    await expect(page.getByRole('radio', { name: 'From the end of the last time' })).toBeChecked()
  },
)

test('one person is excused with a reason, and owes it again', { tag: '@long' }, async ({ world }) => {
  const { page } = world
  await begun(world)
  await rowAct(page, 'Mary Jackson', 'Excuse or give more time')
  await inDialog(page, 'Waive')
  await expect(page.getByRole('dialog')).toContainText('Please fill this in.')
  await page.getByRole('textbox', { name: 'Reason' }).fill('On leave')
  await inDialog(page, 'Waive')
  // A page that is left before takes what it asked for along.
  await expect(page.getByRole('dialog')).toBeHidden()
  await page.goto(page.url().replace(/\?.*/, ''))
  await expect(person(page, 'Mary Jackson')).toContainText('Waived')
  await expect(main(page)).toContainText('0 of 2 people have completed it')
  await rowAct(page, 'Mary Jackson', 'Excuse or give more time')
  await page.getByRole('textbox', { name: 'Reason' }).fill('Back')
  await inDialog(page, 'End the waiver')
  await expect(person(page, 'Mary Jackson')).toContainText('Assigned')
})

test(
  'the history of a person says what was decided, how often it was owed, and what was sent',
  { tag: '@long' },
  async ({ world }) => {
    const { page } = world
    await excused(world, await begun(world), 'On leave')
    await rowAct(page, 'Mary Jackson', 'History')
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByRole('list', { name: 'Decisions' })).toContainText('Waived: “On leave”')
    await expect(dialog.getByRole('list', { name: 'Decisions' })).toContainText(
      'The waiver was ended: “Back”',
    )
    await expect(dialog.getByRole('list', { name: 'Times' })).toContainText('First time: Assigned')
    await expect(dialog.getByRole('list', { name: 'Messages' })).toContainText('First message')
    expect(await axeFaults(page)).toEqual([])
    await inDialog(page, 'Close')
  },
)

test('the people of an assignment are taken along as a workbook', async ({ world }) => {
  const { page } = world
  await begun(world)
  await listOption(page, 'Download')
  const file = page.waitForEvent('download')
  await page.getByRole('dialog').getByRole('button', { name: 'Excel' }).click()
  expect((await file).suggestedFilename()).toMatch(/^assignment-.*\.xlsx$/)
})

test(
  'several people are excused with one reason, and who is left out is named',
  { tag: '@long' },
  async ({ world }) => {
    const { page } = world
    await begun(world)
    await page.getByRole('checkbox', { name: 'Select Mary Jackson' }).check()
    await page.getByRole('checkbox', { name: 'Select Grace Hopper' }).check()
    const bar = page.getByRole('region', { name: 'Selection' })
    await bar.getByRole('button', { name: 'Waive', exact: true }).click()
    await inDialog(page, 'Waive')
    await expect(page.getByRole('dialog')).toContainText('Please fill this in.')
    await page.getByRole('textbox', { name: 'Reason' }).fill('Moved to another site')
    expect(await axeFaults(page)).toEqual([])
    await inDialog(page, 'Waive')
    await expect(page.getByText('2 people were changed.')).toBeVisible()
    await expect(person(page, 'Grace Hopper')).toContainText('Waived')
    await page.getByRole('checkbox', { name: 'Select Grace Hopper' }).check()
    await bar.getByRole('button', { name: 'Waive', exact: true }).click()
    await page.getByRole('textbox', { name: 'Reason' }).fill('Once more')
    await inDialog(page, 'Waive')
    await expect(page.getByRole('dialog', { name: '1 person was left out' })).toContainText('Grace Hopper')
    await inDialog(page, 'Close')
    for (const name of ['Mary Jackson', 'Grace Hopper']) {
      await rowAct(page, name, 'Excuse or give more time')
      await page.getByRole('textbox', { name: 'Reason' }).fill('Back')
      await inDialog(page, 'End the waiver')
      await expect(person(page, name)).toContainText('Assigned')
    }
  },
)

test('the page of a person says what they owe', { tag: '@long' }, async ({ world }) => {
  const { page } = world
  await excused(world, await begun(world), 'Moved to another site')
  await person(page, 'Mary Jackson').getByRole('link', { name: 'Mary Jackson' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Mary Jackson')
  await main(page).getByRole('link', { name: 'Duties', exact: true }).click()
  await expect(person(page, 'Fire safety, every year')).toContainText('Assigned')
  expect(await axeFaults(page)).toEqual([])
  await rowAct(page, 'Fire safety, every year', 'History')
  await expect(page.getByRole('dialog')).toContainText('Moved to another site')
  await inDialog(page, 'Close')
  await person(page, 'Fire safety, every year').getByRole('link').first().click()
})

test('nobody is reminded by hand who had a message within a day', { tag: '@long' }, async ({ world }) => {
  const { page } = world
  await begun(world)
  await rowAct(page, 'Ada Lovelace', 'Remind')
  await expect(
    page.getByText('Nobody is reminded who owes nothing, or who had a message within the last day.'),
  ).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
})

test(
  'a video that was removed is named where it is assigned, until somebody brings it back',
  { tag: '@long' },
  async ({ world }) => {
    const { client, page, orgId, videoId } = world
    await begun(world)
    const address = page.url()
    const { operationId } = await client.call(deleteVideo, { params: { videoId } })
    await expect(main(page)).toContainText(
      'The video was removed, so nothing is sent and nobody can watch it.',
    )
    await expect(main(page).getByRole('link', { name: 'A real video' })).toHaveCount(0)
    expect(await axeFaults(page)).toEqual([])
    await page.goto(`/assignments?organization=${orgId}`)
    await expect(page.getByRole('row', { name: /Fire safety/ })).toContainText(
      'nothing is sent: video removed',
    )
    expect(await axeFaults(page)).toEqual([])
    await client.call(undoOperation, { params: { operationId: operationId ?? '' } })
    await page.goto(address)
    await expect(main(page).getByRole('link', { name: 'A real video' })).toBeVisible()
    await expect(main(page)).not.toContainText('nothing is sent')
  },
)

test('it is changed, paused, resumed and ended; on a phone nothing lies to the side', async ({ world }) => {
  const { page, orgId } = world
  await begun(world)
  await main(page).getByRole('link', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Name optional', exact: true }).fill('Fire safety')
  await page.getByRole('textbox', { name: 'Days', exact: true }).fill('7')
  await press(page, 'Save')
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Fire safety')
  await expect(main(page)).toContainText('7 days after somebody is obliged')
  await press(page, 'Pause')
  await expect(main(page)).toContainText('Nothing is sent, and nobody is taken in until it is resumed.')
  await press(page, 'Resume')
  await expect(main(page)).toContainText('Everybody whom it is meant for owes it, newcomers included.')
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await axeFaults(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await page.setViewportSize({ width: 1366, height: 800 })
  await pressMore(page, 'End')
  await inDialog(page, 'End')
  await expect(person(page, 'Ada Lovelace')).toContainText('Ended')
  await page.goto(`/assignments?organization=${orgId}`)
  await expect(page.getByRole('row', { name: /Fire safety/ })).toContainText('Ended')
  expect(await axeFaults(page)).toEqual([])
})
