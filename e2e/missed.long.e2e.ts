import { expect, type Page } from '@playwright/test'
import { barAddress } from '#contract/transmissions/barred-addresses.ts'
import {
  createTransmission,
  listTransmissions,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import { createUser } from '#contract/directory/users.ts'
import { newOrganization, type Client } from './client.ts'
import { axeFaults, fitsAcross } from './console.ts'
import { test as shared } from './shared.ts'
import { readyVideo } from './upload.ts'

type World = { page: Page; client: Client; orgId: string; ada: string; grace: string }

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const { client, orgId } = await newOrganization(product, 'Missed Messages')
    const params = { orgId }
    const addPerson = async (name: string, email: string) =>
      (await client.call(createUser, { params, body: { name, email } })).id
    const ada = await addPerson('Ada Lovelace', 'ada@wrong.example')
    const grace = await addPerson('Grace Hopper', 'grace@right.example')
    await client.call(barAddress, {
      params,
      body: { address: 'ada@wrong.example', reason: 'no_such_mailbox' },
    })
    await use({ page: await open(client), client, orgId, ada, grace })
  },
})

const people = (orgId: string) => `/organizations/${orgId}/dashboard?tab=users`
const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) })
const dialog = (page: Page) => page.getByRole('dialog')
const offer = 'Send what was missed (2)'

test('the list of people says whose address is barred, and why', async ({ world: { page, orgId } }) => {
  await page.goto(people(orgId))
  const mark = row(page, 'Ada Lovelace').getByRole('img', {
    name: /^Barred: The mail server says that there is no such mailbox/,
  })
  await expect(mark).toBeVisible()
  await expect(row(page, 'Grace Hopper').getByRole('img', { name: /^Barred/ })).toHaveCount(0)
  expect(await axeFaults(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(page.getByRole('img', { name: /^Barred/ })).toBeVisible()
  await fitsAcross(page)
})

test('an address that is corrected offers what was missed, says what that is, and sends it once', async ({
  shared,
  world: { page, client, orgId, ada, grace },
}) => {
  const videoId = await readyVideo(
    { url: shared.url, client, organizationId: orgId },
    { seconds: 2, width: 320 },
  )
  const audience = { userIds: [ada, grace] }
  for (const subject of ['Fire drill', 'Forklifts']) {
    const body = { subject, body: 'Please watch.', videoId, accountId: orgId, audience }
    const { id: transmissionId } = await client.call(createTransmission, { body })
    const isOver = async () =>
      (await client.call(readTransmission, { params: { transmissionId } })).state === 'completed'
    await expect.poll(isOver, { timeout: 30_000 }).toBe(true)
  }
  await page.goto(`/organizations/${orgId}/users/${ada}`)
  await expect(page.getByRole('heading', { level: 1, name: 'Ada Lovelace' })).toBeVisible()
  await page.getByRole('link', { name: 'Edit', exact: true }).click()
  await page.getByRole('textbox', { name: 'Email' }).fill('ada@right.example')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect(
    page.getByText('Ada Lovelace was saved. 2 messages did not reach ada@wrong.example.'),
  ).toBeVisible()
  await page.getByRole('button', { name: offer }).first().click()
  await expect(dialog(page)).toContainText('ada@right.example gets each of these once.')
  await expect(dialog(page).getByRole('listitem')).toHaveCount(2)
  await expect(dialog(page).getByRole('listitem').filter({ hasText: 'Fire drill' })).toContainText(
    'to ada@wrong.example: Left out. This address is barred.',
  )
  expect(await axeFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toBeHidden()
  // It is offered as long as it is missed, also to whoever comes later.
  await page.goto(`/organizations/${orgId}/users/${ada}`)
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(page.getByText('2 messages did not reach Ada Lovelace at an earlier address.')).toBeVisible()
  await fitsAcross(page)
  await page.getByRole('button', { name: offer }).click()
  await fitsAcross(page)
  await dialog(page).getByRole('button', { name: 'Send 2 messages' }).dblclick()
  await expect(page.getByText('2 messages are on the way.')).toBeVisible()
  await expect(page.getByRole('button', { name: offer })).toHaveCount(0)
  const sent = await client.call(listTransmissions, { query: { organizationId: orgId } })
  expect(sent.items.map(({ subject }) => subject).toSorted()).toEqual([
    'Fire drill',
    'Fire drill',
    'Forklifts',
    'Forklifts',
  ])
  await page.setViewportSize({ width: 1366, height: 800 })
  await page.goto(people(orgId))
  await expect(row(page, 'Ada Lovelace')).toContainText('ada@right.example')
  await expect(page.getByRole('img', { name: /^Barred/ })).toHaveCount(0)
})
