import { readFile } from 'node:fs/promises'
import { expect, type Page } from '@playwright/test'
import { readOrganization, updateOrganization } from '#contract/directory/organizations.ts'
import { createUser } from '#contract/directory/users.ts'
import { newOrganization, type Client } from './client.ts'
import { axeFaults, listOption } from './console.ts'
import { test as shared } from './shared.ts'

type World = { page: Page; client: Client; orgId: string }

const name = 'Privacy Toys'

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const { client, orgId } = await newOrganization(product, name)
    await use({ page: await open(client), client, orgId })
  },
})

const recordOnlyCompletions = ({ client, orgId }: World) =>
  client.call(updateOrganization, {
    params: { orgId },
    body: { name, policies: { trackingMode: 'completed_only' } },
  })

test('recording only completions is asked about before it is saved, with what is lost for ever', async ({
  world: { page, client, orgId },
}) => {
  await page.goto(`/organizations/${orgId}/edit`)
  const completions = page.getByRole('radio', { name: 'Only who completed a video, and on which day' })
  const dialog = page.getByRole('dialog', { name: 'Record only completions?' })
  await completions.click()
  await expect(dialog).toContainText('Lost for ever')
  expect(await axeFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Keep recording parts' }).click()
  await expect(completions).not.toBeChecked()
  await completions.click()
  await dialog.getByRole('button', { name: 'Record only completions' }).click()
  await expect(completions).toBeChecked()
  await page.getByRole('textbox', { name: 'Smallest group' }).fill('7')
  await page
    .getByRole('textbox', { name: 'Text for viewers' })
    .fill('We keep little.\nAsk the works council.')
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect(page).toHaveURL(/dashboard/)
  const { policies } = await client.call(readOrganization, { params: { orgId } })
  expect(policies).toMatchObject({
    trackingMode: 'completed_only',
    smallestGroup: 7,
    consentText: 'We keep little.\nAsk the works council.',
  })
})

test('whoever goes back to recording parts reads from when on', async ({ world }) => {
  const { page, orgId } = world
  await recordOnlyCompletions(world)
  await page.goto(`/organizations/${orgId}/edit`)
  await page.getByRole('radio', { name: 'Which parts were watched, and when' }).click()
  await expect(page.getByText('stays hidden and is deleted')).toBeVisible()
  await expect(page.getByText('Nothing has been watched yet, so there is nothing to delete.')).toBeVisible()
})

test('everything that is kept about a person is one file, and its evidence can be erased with them', async ({
  world: { page, client, orgId },
}) => {
  const body = { name: 'Rita Recipient', email: 'rita@privacy.example' }
  const { id: rita } = await client.call(createUser, { params: { orgId }, body })
  page.on('dialog', (leave) => void leave.accept())
  await page.goto(`/organizations/${orgId}/users/${rita}?tab=data`)
  const file = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download the file' }).click()
  const data = JSON.parse(await readFile(await (await file).path(), 'utf8')) as { profile: object[] }
  expect(data.profile).toMatchObject([{ name: 'Rita Recipient' }])
  const erase = page.getByRole('region', { name: 'Erase viewing evidence' })
  await expect(erase).toContainText('No viewing of Rita Recipient is kept.')
  await expect(erase.getByRole('button', { name: 'Erase now' })).toBeDisabled()
  expect(await axeFaults(page)).toEqual([])
  await erase.getByRole('button', { name: 'Erase with the person' }).click()
  const dialog = page.getByRole('dialog', { name: 'Erase it when Rita Recipient is erased?' })
  await expect(dialog).toContainText('this cannot be undone')
  await dialog.getByRole('button', { name: 'Erase with the person' }).click()
  await expect(erase).toContainText('erased for good together with Rita Recipient')
  await erase.getByRole('button', { name: 'Keep it under a pseudonym' }).click()
  await expect(erase).toContainText('it stays under a pseudonym')
})

test('raw evidence leaves as a file, with the script that checks its figures', async ({ shared, world }) => {
  const { page, orgId } = world
  await recordOnlyCompletions(world)
  await page.goto(`/reports/user-engagement?organization=${orgId}`)
  await listOption(page, 'Export evidence')
  const dialog = page.getByRole('dialog', { name: 'Export viewing evidence' })
  await expect(dialog.getByRole('link', { name: 'this script' })).toHaveAttribute('href', '/recompute.mjs')
  expect((await fetch(`${shared.url}/recompute.mjs`)).status).toBe(200)
  expect(await axeFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Export' }).click()
  await expect(dialog.getByRole('alert')).toContainText('records only who completed a video')
})
