import { expect, type Page } from '@playwright/test'
import { barAddress } from '#contract/transmissions/barred-addresses.ts'
import { listAssignments, listObligations, readAssignment } from '#contract/assignments/assignments.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import {
  createTransmission,
  listTransmissions,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import { createUser } from '#contract/directory/users.ts'
import { unique } from '#server/testing/unique.ts'
import { assigned } from './assigned.ts'
import { newSuperadmin, type Client } from './client.ts'
import { pressMore } from './console.ts'
import { test as shared } from './shared.ts'
import { videoWithoutFiles } from './upload.ts'

/** What is pressed twice, is cut off in the middle, or is done in two windows at once, has its effect once, and is told as it is. */
type World = {
  client: Client
  orgId: string
  orgName: string
  videoId: string
  ada: string
  page: Page
}

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const client = await newSuperadmin(product)
    const orgName = `Twice Pressed ${unique()}`
    const orgId = (await client.call(createOrganization, { body: { name: orgName } })).id
    const params = { orgId }
    const ada = (
      await client.call(createUser, { params, body: { name: 'Ada Lovelace', email: 'ada@twice.example' } })
    ).id
    await client.call(createUser, { params, body: { name: 'Grace Hopper', email: 'grace@twice.example' } })
    const videoId = await videoWithoutFiles(product, { organizationId: orgId })
    await use({ client, orgId, orgName, videoId, ada, page: await open(client) })
  },
})

const main = (page: Page) => page.getByRole('main')
const dialog = (page: Page) => page.getByRole('dialog')
const summary = (page: Page) => page.locator('[data-error-summary]')
const nameOf = (where: Page) => where.getByRole('textbox', { name: 'Name optional', exact: true })
const assignmentsCalled = async ({ client, orgId }: World, q: string) =>
  (await client.call(listAssignments, { params: { orgId }, query: { q } })).items

/** The server does what was asked, and its answer is lost on the way; as often as that is asked for in this way, its key is noted. */
async function loseFirstAnswer(page: Page, path: RegExp): Promise<string[]> {
  const keys: string[] = []
  await page.route(path, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    keys.push(route.request().headers()['idempotency-key'] ?? '')
    if (keys.length > 1) return route.fallback()
    await route.fetch()
    return route.abort()
  })
  return keys
}

async function fillIn({ page, orgName }: World, name: string): Promise<void> {
  await page.goto('/assignments/create')
  await page.getByRole('combobox', { name: 'Organization', exact: true }).fill(orgName)
  await page.getByRole('option', { name: orgName }).click()
  await page.getByRole('button', { name: 'A real video' }).click()
  await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
  await main(page).locator('summary').filter({ hasText: 'More' }).click()
  await nameOf(page).fill(name)
  await expect(main(page)).toContainText('2 people have to see it.')
}

async function assign(page: Page): Promise<void> {
  await main(page).getByRole('button', { name: 'Assign', exact: true }).click()
  await dialog(page).getByRole('button', { name: 'Assign', exact: true }).dblclick()
}

test('an answer that is lost while an assignment begins is told as that, keeps what was typed, and begins nothing twice', async ({
  world,
}) => {
  const { page } = world
  await fillIn(world, 'Lost on the way')
  const keys = await loseFirstAnswer(page, /\/assignments$/)
  await assign(page)
  await expect(summary(page)).toContainText('The server cannot be reached.')
  await expect(summary(page)).toBeFocused()
  await expect(summary(page)).toBeInViewport()
  await expect(dialog(page)).toHaveCount(0)
  await expect(nameOf(page)).toHaveValue('Lost on the way')
  await assign(page)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Lost on the way')
  expect(new Set(keys).size).toBe(1)
  expect(await assignmentsCalled(world, 'Lost on the way')).toHaveLength(1)
})

test('without a network nothing can be confirmed that would be done later, and a draft that is saved twice is one', async ({
  world,
}) => {
  const { page } = world
  await fillIn(world, 'Offline for a while')
  await main(page).getByRole('button', { name: 'Assign', exact: true }).click()
  await expect(dialog(page)).toContainText('2 first messages')
  await page.context().setOffline(true)
  await expect(dialog(page).getByRole('button', { name: 'Assign', exact: true })).toBeDisabled()
  await expect(dialog(page)).toContainText('You are offline.')
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await page.context().setOffline(false)
  await main(page).getByRole('button', { name: 'Save as draft' }).dblclick()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Offline for a while')
  await expect(page.getByText('The draft was saved. Nobody is obliged yet.')).toHaveCount(1)
  const made = await assignmentsCalled(world, 'Offline for a while')
  expect(made.map(({ state }) => state)).toEqual(['draft'])
})

test('a reminder, a pause and the end that are pressed twice happen once, and nothing is said to have failed', async ({
  world: { client, orgId, videoId, ada, page },
}) => {
  const assignmentId = await assigned(client, { orgId, videoId, userIds: [ada], name: 'Pressed twice' })
  const params = { orgId, assignmentId }
  const owing = async () => (await client.call(listObligations, { params })).items
  await expect.poll(async () => (await owing()).length, { timeout: 30_000 }).toBe(1)
  const sent: string[] = []
  page.on('request', (request) => {
    if (/\/(reminder|actions)$/.test(request.url())) sent.push(request.url().replace(/.*\//, ''))
  })
  await page.goto(`/assignments/${orgId}/${assignmentId}`)
  await main(page).getByRole('button', { name: 'Pause' }).dblclick()
  await expect(page.getByText('Paused. Nothing is sent until you resume.')).toBeVisible()
  await main(page).getByRole('button', { name: 'Resume' }).dblclick()
  await expect(page.getByText('It goes on.')).toBeVisible()
  await main(page)
    .getByRole('row', { name: /Ada Lovelace/ })
    .hover()
  await main(page).getByRole('button', { name: 'Remind Ada Lovelace' }).dblclick()
  await expect.poll(() => sent.filter((one) => one === 'reminder').length).toBe(1)
  await expect(page.getByRole('button', { name: 'Remind Ada Lovelace' })).toBeEnabled()
  await pressMore(page, 'End')
  await dialog(page).getByRole('button', { name: 'End', exact: true }).dblclick()
  await expect(page.getByText('Ended. Nobody owes it any more.')).toBeVisible()
  expect(sent).toEqual(['actions', 'actions', 'reminder', 'actions'])
  expect((await client.call(readAssignment, { params })).state).toBe('ended')
})

test('of two windows that change one assignment the later is told, keeps what was typed, and writes over nothing', async ({
  world: { client, orgId, videoId, ada, page },
}) => {
  const assignmentId = await assigned(client, { orgId, videoId, userIds: [ada], name: 'Two windows' })
  const other = await page.context().newPage()
  const form = `/assignments/${orgId}/${assignmentId}/edit`
  for (const [window, name] of [
    [page, 'The first window'],
    [other, 'The second window'],
  ] as const) {
    await window.goto(form)
    await nameOf(window).fill(name)
  }
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('The assignment was changed.')).toBeVisible()
  await other.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(summary(other)).toContainText('The assignment was changed in the meantime.')
  await expect(summary(other)).toBeFocused()
  await expect(nameOf(other)).toHaveValue('The second window')
  const stored = await client.call(readAssignment, { params: { orgId, assignmentId } })
  expect(stored.name).toBe('The first window')
})

test('an answer that is lost while missed messages are sent leaves the offer, and sends none of them twice', async ({
  world: { client, orgId, videoId, ada, page },
}) => {
  const params = { orgId }
  const { id: userId } = await client.call(createUser, {
    params,
    body: { name: 'Mary Jackson', email: 'mary@wrong.example' },
  })
  await client.call(barAddress, {
    params,
    body: { address: 'mary@wrong.example', reason: 'no_such_mailbox' },
  })
  const body = { subject: 'Fire drill', body: 'Please watch.', videoId, accountId: orgId }
  const { id: transmissionId } = await client.call(createTransmission, {
    body: { ...body, audience: { userIds: [userId, ada] } },
  })
  const state = async () => (await client.call(readTransmission, { params: { transmissionId } })).state
  await expect.poll(state, { timeout: 30_000 }).toBe('completed')
  await page.goto(`/organizations/${orgId}/users/${userId}`)
  await expect(page.getByText('mary@wrong.example is barred')).toBeVisible()
  await page.getByRole('link', { name: 'Edit', exact: true }).click()
  await page.getByRole('textbox', { name: 'Email' }).fill('mary@right.example')
  await page.getByRole('button', { name: 'Save changes' }).dblclick()
  await expect(page.getByText('1 message did not reach mary@wrong.example.')).toBeVisible()
  await page.goto(`/organizations/${orgId}/users/${userId}`)
  const keys = await loseFirstAnswer(page, /\/missed$/)
  const offer = main(page).getByRole('button', { name: 'Send what was missed (1)' })
  await offer.click()
  await dialog(page).getByRole('button', { name: 'Send 1 message' }).dblclick()
  await expect(page.getByText('The server cannot be reached.')).toBeVisible()
  await expect(page.getByText(/on the way/)).toHaveCount(0)
  await offer.click()
  await dialog(page).getByRole('button', { name: 'Send 1 message' }).click()
  await expect(page.getByText('1 message is on the way.')).toBeVisible()
  await expect(offer).toHaveCount(0)
  expect(new Set(keys).size).toBe(1)
  const { items } = await client.call(listTransmissions, { query: { organizationId: orgId } })
  expect(items.filter(({ subject }) => subject === 'Fire drill')).toHaveLength(2)
})
