import { expect, type Page } from '@playwright/test'
import { createGroup } from '#contract/groups.ts'
import { createOrganization } from '#contract/organizations.ts'
import { undoOperation } from '#contract/operations.ts'
import { createUser } from '#contract/users.ts'
import { deleteVideo } from '#contract/videos.ts'
import { newSuperadmin, type Client } from './client.ts'
import { axeFaults, listOption, pressMore, rowAct, signedIn } from './console.ts'
import type { Product } from './product.ts'
import { test } from './shared.ts'
import { readyVideo } from './upload.ts'

let product: Product
let client: Client
let page: Page
let orgId: string
let videoId: string

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser, shared }) => {
  product = shared
  client = await newSuperadmin(product)
  orgId = (
    await client.call(createOrganization, { body: { name: 'Dutiful Ltd', timeZone: 'Europe/Berlin' } })
  ).id
  for (const name of ['Ada Lovelace', 'Grace Hopper', 'Mary Jackson'])
    await client.call(createUser, {
      params: { orgId },
      body: { name, email: `${name.split(' ')[0]}@dutiful.example`.toLowerCase() },
    })
  await client.call(createGroup, { params: { orgId }, body: { name: 'Warehouse' } })
  videoId = await readyVideo({ url: product.url, client, organizationId: orgId }, { seconds: 2, width: 320 })
  page = await signedIn(browser, product, client)
})
test.afterAll(async () => {
  await page.context().close()
})

const main = () => page.getByRole('main')
const unfold = (title: string) => main().locator('summary').filter({ hasText: title }).click()
const press = (name: string) => main().getByRole('button', { name, exact: true }).click()
const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
const person = (name: string) => page.getByRole('row', { name: new RegExp(name) })

test('the empty list leads to the form, which names what is missing and counts whom it obliges', async () => {
  await page.goto(`${product.url}/assignments?organization=${orgId}`)
  await expect(main()).toContainText('Nothing is assigned yet')
  expect(await axeFaults(page)).toEqual([])
  await main().getByRole('link', { name: 'Add an assignment' }).first().click()
  await page.getByRole('combobox', { name: 'Organization', exact: true }).fill('Dutif')
  await page.getByRole('option', { name: 'Dutiful Ltd' }).click()
  await press('Assign')
  const summary = page.locator('[data-error-summary]')
  await expect(summary).toBeFocused()
  for (const missing of ['Please choose a video.', 'Please choose who has to see it.'])
    await expect(summary).toContainText(missing)
  await unfold('More')
  await page.getByRole('textbox', { name: 'Name optional', exact: true }).fill('Fire safety, every year')
  await page.getByRole('button', { name: 'A real video' }).click()
  await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
  await expect(main()).toContainText('3 people have to see it.')
  // At once, three days before the fourteenth, on it, two days after, and a week later.
  const ahead = page.getByRole('region', { name: 'The next 30 days' })
  await expect(ahead).toContainText('15 mails leave if nobody watches')
  await expect(ahead.getByRole('slider', { name: 'Mails per day' })).toBeVisible()
  await ahead.getByText('Show as a table').click()
  await expect(ahead.getByRole('row')).toHaveCount(6)
  await unfold('How long it is valid')
  await page.getByRole('radio', { name: 'For some months, and then once more' }).check()
  await unfold('Reminders')
  await page.getByRole('radio', { name: 'Tell their manager' }).check()
  await page.getByRole('textbox', { name: 'Days after the due day' }).fill('0')
  await press('Assign')
  await expect(summary).toContainText('Write days from 1 to 90.')
  await page.getByRole('textbox', { name: 'Days after the due day' }).fill('5')
  await expect(main()).toContainText('A day ends at midnight in Central European Time (Berlin).')
  expect(await axeFaults(page)).toEqual([])
  await page.reload()
  await expect(main()).toContainText('Your unsaved changes from')
  await expect(main()).toContainText('3 people have to see it.')
  await expect(main()).toContainText('A real video')
  await unfold('Reminders')
  await expect(page.getByRole('textbox', { name: 'Days after the due day' })).toHaveValue('5')
})

test('it is assigned, sends, and shows where everybody stands', async () => {
  await press('Assign')
  const asked = page.getByRole('dialog', { name: 'Assign “A real video” to 3 people?' })
  await expect(asked).toContainText('3 first messages')
  await expect(asked).toContainText('14 days after somebody is obliged')
  await expect(asked).toContainText('Their manager is told 5 days after the due day')
  expect(await axeFaults(page)).toEqual([])
  await inDialog('Assign')
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Fire safety, every year')
  await expect(person('Ada Lovelace')).toContainText('Assigned', { timeout: 30_000 })
  await expect(main()).toContainText('0 of 3 people have completed it')
  await expect(main()).toContainText('Their manager is told 5 days after the due day')
  await expect(main()).toContainText('12 months, and the next time begins 30 days before')
  await expect(person('Ada Lovelace')).toContainText('In the outbox', { timeout: 30_000 })
  await expect(main()).toContainText('No mail server is set up, so mails rest in the outbox.')
  expect(await axeFaults(page)).toEqual([])
  await main().getByRole('link', { name: '3 Assigned' }).click()
  await expect(page).toHaveURL(/state=assigned/)
})

test('another one for the same video says with which it overlaps and for whom, and keeps its day', async () => {
  const first = page.url().replace(/\?.*/, '')
  await page.goto(`${product.url}/assignments?organization=${orgId}`)
  await main().getByRole('link', { name: 'Add an assignment' }).first().click()
  await page.getByRole('combobox', { name: 'Organization', exact: true }).fill('Dutif')
  await page.getByRole('option', { name: 'Dutiful Ltd' }).click()
  await unfold('More')
  await page.getByRole('textbox', { name: 'Name optional', exact: true }).fill('Before each winter')
  await page.getByRole('button', { name: 'A real video' }).click()
  await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
  await expect(main()).toContainText(
    '3 of them owe this video by “Fire safety, every year” too: Ada Lovelace, Grace Hopper, and Mary Jackson. Each gets one mail that names both days. The earlier day plans it.',
  )
  await unfold('How long it is valid')
  await page.getByRole('radio', { name: 'For some months, and then once more' }).check()
  await expect(page.getByRole('radio', { name: 'From the day on which it was completed' })).toBeChecked()
  await page.getByRole('radio', { name: 'From the end of the last time' }).check()
  expect(await axeFaults(page)).toEqual([])
  await press('Save as draft')
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Before each winter')
  await expect(main()).toContainText(
    '12 months from the end of the last time, and the next time begins 30 days before',
  )
  await main().getByRole('link', { name: 'Edit', exact: true }).click()
  await unfold('How long it is valid')
  await expect(page.getByRole('radio', { name: 'From the end of the last time' })).toBeChecked()
  await page.goto(first)
})

test('one person is excused with a reason, and owes it again', async () => {
  await rowAct(page, 'Mary Jackson', 'Excuse or give more time')
  await inDialog('Waive')
  await expect(page.getByRole('dialog')).toContainText('Please fill this in.')
  await page.getByRole('textbox', { name: 'Reason' }).fill('On leave')
  await inDialog('Waive')
  await page.goto(page.url().replace(/\?.*/, ''))
  await expect(person('Mary Jackson')).toContainText('Waived')
  await expect(main()).toContainText('0 of 2 people have completed it')
  await rowAct(page, 'Mary Jackson', 'Excuse or give more time')
  await page.getByRole('textbox', { name: 'Reason' }).fill('Back')
  await inDialog('End the waiver')
  await expect(person('Mary Jackson')).toContainText('Assigned')
})

test('the history of a person says what was decided, how often it was owed, and what was sent', async () => {
  await rowAct(page, 'Mary Jackson', 'History')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('list', { name: 'Decisions' })).toContainText('Waived: “On leave”')
  await expect(dialog.getByRole('list', { name: 'Decisions' })).toContainText('The waiver was ended: “Back”')
  await expect(dialog.getByRole('list', { name: 'Times' })).toContainText('First time: Assigned')
  await expect(dialog.getByRole('list', { name: 'Messages' })).toContainText('First message')
  expect(await axeFaults(page)).toEqual([])
  await inDialog('Close')
})

test('the people of an assignment are taken along as a workbook', async () => {
  await listOption(page, 'Download')
  const file = page.waitForEvent('download')
  await page.getByRole('dialog').getByRole('button', { name: 'Excel' }).click()
  expect((await file).suggestedFilename()).toMatch(/^assignment-.*\.xlsx$/)
})

test('several people are excused with one reason, and who is left out is named', async () => {
  await page.getByRole('checkbox', { name: 'Select Mary Jackson' }).check()
  await page.getByRole('checkbox', { name: 'Select Grace Hopper' }).check()
  const bar = page.getByRole('region', { name: 'Selection' })
  await bar.getByRole('button', { name: 'Waive', exact: true }).click()
  await inDialog('Waive')
  await expect(page.getByRole('dialog')).toContainText('Please fill this in.')
  await page.getByRole('textbox', { name: 'Reason' }).fill('Moved to another site')
  expect(await axeFaults(page)).toEqual([])
  await inDialog('Waive')
  await expect(page.getByText('2 people were changed.')).toBeVisible()
  await expect(person('Grace Hopper')).toContainText('Waived')
  await page.getByRole('checkbox', { name: 'Select Grace Hopper' }).check()
  await bar.getByRole('button', { name: 'Waive', exact: true }).click()
  await page.getByRole('textbox', { name: 'Reason' }).fill('Once more')
  await inDialog('Waive')
  await expect(page.getByRole('dialog', { name: '1 person was left out' })).toContainText('Grace Hopper')
  await inDialog('Close')
  for (const name of ['Mary Jackson', 'Grace Hopper']) {
    await rowAct(page, name, 'Excuse or give more time')
    await page.getByRole('textbox', { name: 'Reason' }).fill('Back')
    await inDialog('End the waiver')
    await expect(person(name)).toContainText('Assigned')
  }
})

test('the page of a person says what they owe', async () => {
  await person('Mary Jackson').getByRole('link', { name: 'Mary Jackson' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Mary Jackson')
  await main().getByRole('link', { name: 'Duties', exact: true }).click()
  await expect(person('Fire safety, every year')).toContainText('Assigned')
  expect(await axeFaults(page)).toEqual([])
  await rowAct(page, 'Fire safety, every year', 'History')
  await expect(page.getByRole('dialog')).toContainText('Moved to another site')
  await inDialog('Close')
  await person('Fire safety, every year').getByRole('link').first().click()
})

test('nobody is reminded by hand who had a message within a day', async () => {
  await rowAct(page, 'Ada Lovelace', 'Remind')
  await expect(
    page.getByText('Nobody is reminded who owes nothing, or who had a message within the last day.'),
  ).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
})

test('a video that was removed is named where it is assigned, until somebody brings it back', async () => {
  const address = page.url()
  const { operationId } = await client.call(deleteVideo, { params: { videoId } })
  await expect(main()).toContainText('The video was removed, so nothing is sent and nobody can watch it.')
  await expect(main().getByRole('link', { name: 'A real video' })).toHaveCount(0)
  expect(await axeFaults(page)).toEqual([])
  await page.goto(`${product.url}/assignments?organization=${orgId}`)
  await expect(page.getByRole('row', { name: /Fire safety/ })).toContainText('nothing is sent: video removed')
  expect(await axeFaults(page)).toEqual([])
  await client.call(undoOperation, { params: { operationId: operationId ?? '' } })
  await page.goto(address)
  await expect(main().getByRole('link', { name: 'A real video' })).toBeVisible()
  await expect(main()).not.toContainText('nothing is sent')
})

test('it is changed, paused, resumed and ended; on a phone nothing lies to the side', async () => {
  await main().getByRole('link', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Name optional', exact: true }).fill('Fire safety')
  await page.getByRole('textbox', { name: 'Days', exact: true }).fill('7')
  await press('Save')
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Fire safety')
  await expect(main()).toContainText('7 days after somebody is obliged')
  await press('Pause')
  await expect(main()).toContainText('Nothing is sent, and nobody is taken in until it is resumed.')
  await press('Resume')
  await expect(main()).toContainText('Everybody whom it is meant for owes it, newcomers included.')
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await axeFaults(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await page.setViewportSize({ width: 1366, height: 800 })
  await pressMore(page, 'End')
  await inDialog('End')
  await expect(person('Ada Lovelace')).toContainText('Ended')
  await page.goto(`${product.url}/assignments?organization=${orgId}`)
  await expect(page.getByRole('row', { name: /Fire safety/ })).toContainText('Ended')
  expect(await axeFaults(page)).toEqual([])
})
