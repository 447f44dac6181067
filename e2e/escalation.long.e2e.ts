import { expect, type Page } from '@playwright/test'
import { createAssignment, listObligations } from '#contract/assignments/assignments.ts'
import { createGroup } from '#contract/directory/groups.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createUser } from '#contract/directory/users.ts'
import { unique } from '#server/testing/unique.ts'
import { accept, newSuperadmin, type Client } from './client.ts'
import { axeFaults } from './console.ts'
import { derived, openDatabase } from './database.ts'
import type { Product } from './product.ts'
import { test as shared } from './shared.ts'
import { videoWithoutFiles } from './upload.ts'

type World = {
  product: Product
  page: Page
  orgId: string
  headsEmail: string
}

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const client = await newSuperadmin(product)
    const orgId = (await client.call(createOrganization, { body: { name: 'Late Ltd' } })).id
    const params = { orgId }
    const groupId = (await client.call(createGroup, { params, body: { name: 'Warehouse' } })).id
    for (const name of ['Ada Lovelace', 'Grace Hopper'])
      await client.call(createUser, {
        params,
        body: { name, email: `${name.split(' ')[0]}@late.example`.toLowerCase(), groupIds: [groupId] },
      })
    const head = { name: 'Henry Head', email: `henry-${unique()}@late.example` }
    await client.call(createUser, { params, body: { ...head, role: 'groupadmin', groupIds: [groupId] } })
    const groupadmin = await accept(product, client, head)
    const videoId = await videoWithoutFiles(product, { organizationId: orgId })
    await asked(product, client, { orgId, groupId, videoId })
    const page = await open(groupadmin)
    await page.setViewportSize({ width: 1366, height: 900 })
    await use({ product, page, orgId, headsEmail: head.email })
  },
})

/** Both have had the first message, two days ago. */
async function asked(
  product: Product,
  client: Client,
  { orgId, groupId, videoId }: Record<'orgId' | 'groupId' | 'videoId', string>,
): Promise<void> {
  const plan = {
    name: 'Fire drill',
    videoId,
    audience: { groupIds: [groupId] },
    requirement: 'watched' as const,
    due: { kind: 'after' as const, days: 10, working: false },
    validity: null,
    countsSince: null,
    reminders: { daysBefore: [], onTheDay: false, daysAfter: [], weekly: false, most: 0 },
    escalation: { afterDays: 3, to: 'manager' as const },
    subject: 'Please watch this',
    message: 'It concerns everybody.',
    start: true,
  }
  const { id: assignmentId } = await client.call(createAssignment, { params: { orgId }, body: plan })
  const sent = async () => {
    const { items } = await client.call(listObligations, { params: { orgId, assignmentId } })
    return items.filter(({ unsent }) => unsent === 'outbox').length
  }
  await expect.poll(sent, { timeout: 60_000 }).toBe(3)
  const database = await openDatabase(product)
  await database.query(
    `update obligations set last_message_at = now() - interval '2 days' where assignment_id = $1`,
    [assignmentId],
  )
  await derived(database, orgId)
  await database.close()
}

/** The link in the newest mail about late people. */
async function linkInMail({ product, orgId, headsEmail }: World): Promise<string> {
  const database = await openDatabase(product)
  const read = async () => {
    const { rows } = await database.query(
      `select text from mails where address = $1 and text ~ 'toldOn=' order by created_at desc limit 1`,
      [headsEmail],
    )
    return rows as { text: string }[]
  }
  await expect.poll(async () => (await read()).length, { timeout: 120_000 }).toBe(1)
  const [mail] = await read()
  await derived(database, orgId)
  await database.close()
  return /\/reports\/training-matrix\?\S+/.exec(mail?.text ?? '')?.[0] ?? ''
}

test('a groupadmin reminds the people of their group from the matrix, and is told who was left out', async ({
  world: { page },
}) => {
  const grid = page.getByRole('grid', { name: 'Training of people by videos' })
  await page.goto('/reports/training-matrix')
  await grid.getByRole('checkbox', { name: 'Select Ada Lovelace' }).click({ timeout: 30_000 })
  await grid.getByRole('checkbox', { name: 'Select Grace Hopper' }).click()
  const remind = page
    .getByRole('region', { name: 'Selection' })
    .getByRole('button', { name: 'Remind 2 people' })
  await remind.click()
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Remind', exact: true }).click()
  await expect(page.getByText('2 people are reminded.')).toBeVisible()
  await grid.getByRole('checkbox', { name: 'Select Ada Lovelace' }).click()
  await page.getByRole('button', { name: 'Remind 1 person' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remind', exact: true }).click()
  await expect(page.getByText('1 person was written to within the last day.')).toBeVisible()
})

test('the mail about who is late opens the matrix with exactly those whom it names', async ({ world }) => {
  const { product, page, orgId, headsEmail } = world
  const database = await openDatabase(product)
  // Ada hears of Grace; all are late.
  await database.query(
    `update users set manager = case when name = 'Ada Lovelace' then $2 when name = 'Grace Hopper' then 'ada@late.example' end where organization_id = $1`,
    [orgId, headsEmail],
  )
  await database.query(
    `update obligations set due_at = now() - interval '5 days' where organization_id = $1`,
    [orgId],
  )
  await derived(database, orgId)
  await database.close()
  const link = await linkInMail(world)
  await page.goto(link)
  const grid = page.getByRole('grid', { name: 'Training of people by videos' })
  await expect(grid.getByRole('rowheader', { name: /Ada Lovelace/ })).toBeVisible({ timeout: 30_000 })
  await expect(grid.getByRole('rowheader', { name: /Grace Hopper|Henry Head/ })).toHaveCount(0)
  await expect(page.getByText(/^Named in your mail of/)).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
})
