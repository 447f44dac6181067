import { expect, type Page } from '@playwright/test'
import { createOrganization, readOrganization } from '#contract/directory/organizations.ts'
import { createUser } from '#contract/directory/users.ts'
import {
  createTransmission,
  listTransmissions,
  type Transmission,
} from '#contract/transmissions/transmissions.ts'
import { unique } from '../server/testing/unique.ts'
import { newOrganization, type Client } from './client.ts'
import { axeFaults } from './console.ts'
import { onProductOf } from './shared.ts'
import { readyVideo } from './upload.ts'

type World = {
  page: Page
  client: Client
  organizationId: string
  name: string
  /** The drafts of the organization. */
  drafts: () => Promise<Transmission[]>
}

const test = onProductOf({ UNDO_SECONDS: '600' }).extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const name = `Careful ${unique()}`
    const { client, orgId: organizationId } = await newOrganization(product, name)
    // An only organization would be chosen by itself, sooner or later than the composer is there.
    await client.call(createOrganization, { body: { name: 'Another Ltd' } })
    const drafts = async () =>
      (await client.call(listTransmissions, { query: { state: 'draft', organizationId } })).items
    await use({ page: await open(client), client, organizationId, name, drafts })
  },
})

/** Somebody whom a real video can be sent to; answers the id of the video. */
async function addReader({ client, organizationId }: World, url: string): Promise<string> {
  await client.call(createUser, {
    params: { orgId: organizationId },
    body: { name: 'Ada Lovelace', email: 'ada@careful.example' },
  })
  return readyVideo({ url, client, organizationId }, { seconds: 2, width: 320 })
}

const message = (page: Page) => page.getByRole('textbox', { name: 'Message' })
const saved = (page: Page) => page.getByText(/^Saved \d/)

test('what belongs to no organization yet is not saved, which it says, and the tab asks before it closes', async ({
  world: { page },
}) => {
  await page.goto('/transmissions/create')
  await message(page).fill('Please watch')
  await expect(page.getByText('Not saved yet: choose an organization')).toBeVisible()
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.accept()
  })
  await page.reload()
  expect(asked).toEqual(['beforeunload'])
})

test('a draft saves itself until it is sent or discarded', async ({ shared, world }) => {
  const { page, name, drafts } = world
  await addReader(world, shared.url)

  await test.step('what is written is saved by itself, without a video, and goes on after a reload', async () => {
    await page.goto('/transmissions/create')
    await page.getByRole('combobox', { name: 'Organization', exact: true }).fill(name)
    await page.getByRole('option', { name }).click()
    expect(await drafts()).toEqual([])
    await message(page).fill('')
    await message(page).pressSequentially('Please watch', { delay: 20 })
    await expect(saved(page)).toBeVisible()
    await expect(message(page)).toBeFocused()
    await message(page).pressSequentially(' this.', { delay: 20 })
    await expect.poll(async () => (await drafts()).map(({ body }) => body)).toEqual(['Please watch this.'])
    expect(await axeFaults(page)).toEqual([])
    await page.reload()
    await expect(
      page.getByRole('heading', { level: 1, name: 'Edit “Draft without a subject”' }),
    ).toBeVisible()
    await expect(message(page)).toHaveValue('Please watch this.')
  })

  await test.step('a page that is left at once loses nothing', async () => {
    await message(page).fill('Left at once')
    await page.getByRole('link', { name: 'Close' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Draft without a subject' })).toBeVisible()
    await expect.poll(async () => (await drafts()).map(({ body }) => body)).toEqual(['Left at once'])
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await expect(message(page)).toHaveValue('Left at once')
  })

  await test.step('a second window is told, and overwrites nothing', async () => {
    const second = await page.context().newPage()
    await second.goto(page.url())
    await message(second).fill('Of the second window')
    await expect(saved(second)).toBeVisible()
    await second.close()
    await message(page).fill('Of the first window')
    await expect(page.getByRole('alert')).toContainText('was changed or sent in another window')
    expect((await drafts()).map(({ body }) => body)).toEqual(['Of the second window'])
    await page.getByRole('button', { name: 'Keep mine as another draft' }).click()
    await expect(saved(page)).toBeVisible()
    const both = (await drafts()).map(({ body }) => body)
    expect(both.toSorted()).toEqual(['Of the first window', 'Of the second window'])
  })

  await test.step('without a network it says so, and saves when that is back', async () => {
    await page.context().setOffline(true)
    await message(page).fill('Written on a train')
    await expect(page.getByText('Not saved: the server cannot be reached.')).toBeVisible()
    await page.context().setOffline(false)
    await expect(saved(page)).toBeVisible()
    expect((await drafts()).map(({ body }) => body)).toContain('Written on a train')
  })

  await test.step('it is completed and sent, and another one discarded', async () => {
    await page.getByRole('button', { name: 'A real video' }).click()
    await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
    await page.getByRole('main').getByRole('button', { name: 'Send to 1 person' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send to 1 person' }).click()
    await expect(page.locator('[data-sending=scheduled]')).toBeVisible()
    const [left] = await drafts()
    expect(left?.body).toBe('Of the second window')
    await page.goto(`/transmissions/${left?.id ?? ''}/edit`)
    await page.getByRole('button', { name: 'Discard draft' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Discard draft' }).click()
    await expect(page.getByText('Discarded. Nothing was sent.')).toBeVisible()
    expect(await drafts()).toEqual([])
  })
})

test('outside the hours of the organization it waits, says until when, and leaves when somebody wants that', async ({
  shared,
  world,
}) => {
  const { page, client, organizationId: orgId } = world
  const videoId = await addReader(world, shared.url)
  const { id } = await client.call(createTransmission, {
    body: {
      accountId: orgId,
      videoId,
      audience: { everyone: true },
      subject: 'A film',
      body: 'Please watch.',
    },
  })
  await page.goto(`/organizations/${orgId}/edit`)
  await page.getByRole('checkbox', { name: 'Only on these days, within these hours' }).check()
  const ahead = new Date(Date.now() + 3 * 86_400_000)
  const chosen = ahead.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' })
  for (const day of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'])
    await page.getByRole('checkbox', { name: day }).setChecked(day === chosen)
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Save changes', exact: true }).click()
  await expect
    .poll(async () => (await client.call(readOrganization, { params: { orgId } })).policies.sendWindow?.from)
    .toBe('08:00')
  await page.goto(`/transmissions/${id}`)
  await page.getByRole('button', { name: 'Send now' }).click()
  await expect(page.getByText('Nothing leaves outside the hours of your organization.')).toBeVisible()
  await page.getByRole('button', { name: 'Send outside the hours' }).click()
  const agree = page.getByRole('dialog').getByRole('button', { name: 'Send outside the hours' })
  await expect(agree).toBeDisabled()
  await page.getByRole('checkbox', { name: 'I know that it is outside the hours' }).check()
  await agree.click()
  await expect(page.locator('[data-sending=completed]')).toBeVisible()
})
