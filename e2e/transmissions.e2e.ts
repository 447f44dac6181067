import { expect, type Page } from '@playwright/test'
import { listTransmissions } from '#contract/transmissions/transmissions.ts'
import { createUser } from '#contract/directory/users.ts'
import { listVideos } from '#contract/videos/videos.ts'
import { unique } from '../server/testing/unique.ts'
import { newOrganization, type Client } from './client.ts'
import { axeFaults } from './console.ts'
import { test as shared } from './shared.ts'
import { readyVideo } from './upload.ts'

type World = { page: Page; client: Client; organizationId: string; name: string }

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const name = `Postmasters ${unique()}`
    const { client, orgId: organizationId } = await newOrganization(product, name)
    for (const person of ['Margaret Hamilton', 'Katherine Johnson', 'Annie Easley'])
      await client.call(createUser, {
        params: { orgId: organizationId },
        body: { name: person, email: `${person.split(' ')[0]}@transmissions.example` },
      })
    await readyVideo({ url: product.url, client, organizationId }, { seconds: 2, width: 320 })
    await use({ page: await open(client), client, organizationId, name })
  },
})

const send = (page: Page) => page.getByRole('button', { name: /^Send/ })
const confirm = (page: Page) => page.getByRole('dialog').getByRole('button', { name: /^Send/ })

test('a video is sent to everybody once, and to those who have not watched it again', async ({
  shared,
  world: { page, client, organizationId, name },
}) => {
  await test.step('names what is missing, counts exactly, and shows the mail', async () => {
    await page.goto(`/transmissions?organization=${organizationId}`)
    await expect(page.getByText('Nothing has been sent yet')).toBeVisible()
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('link', { name: 'Add a transmission' }).first().click()
    await send(page).click()
    await expect(page.locator('[data-error-summary]')).toBeFocused()
    await page.getByRole('combobox', { name: 'Organization', exact: true }).fill(name)
    await page.getByRole('option', { name }).click()
    // As where mails name another address than the one at which the console is open.
    await page.route('**/api/transmissions/preview', async (route) => {
      const response = await route.fetch()
      const text = await response.text()
      await route.fulfill({ response, body: text.replaceAll(shared.url, 'https://mails.example') })
    })
    await page.getByRole('button', { name: 'A real video' }).click()
    await expect(page.getByRole('button', { name: 'Change the video' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('searchbox', { name: 'Search videos' })).toBeFocused()
    await page.getByRole('button', { name: 'A real video' }).press('Enter')
    await page.getByRole('textbox', { name: 'Message' }).fill('Please watch <this>.')
    await page.getByRole('combobox', { name: 'People' }).fill('Marg')
    await page.getByRole('option', { name: 'Margaret' }).click()
    await expect(page.getByText('1 person gets it')).toBeVisible()
    await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
    await expect(page.getByText('3 people get it')).toBeVisible()
    await expect(page.frameLocator('iframe').getByText('Please watch <this>.')).toBeVisible()
    const poster = page.frameLocator('iframe').locator('img').first()
    await expect
      .poll(() => poster.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth))
      .toBeGreaterThan(0)
    expect(await axeFaults(page)).toEqual([])
    await page.unrouteAll({ behavior: 'wait' })
  })

  await test.step('sends once although the answer to the first try was lost', async () => {
    let tries = 0
    await page.route('**/api/transmissions/*/actions', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      tries += 1
      if (tries > 1) return route.continue()
      await route.fetch()
      return route.abort()
    })
    await send(page).click()
    await expect(page.getByRole('dialog')).toContainText('to 3 people?')
    await confirm(page).click()
    await expect(page.locator('[data-error-summary]')).toContainText('cannot be reached')
    await send(page).click()
    await confirm(page).dblclick()
    await expect(page).toHaveURL(/\/transmissions\/[0-9a-f-]{36}$/)
    expect((await client.call(listTransmissions, { query: { organizationId } })).total).toBe(1)
  })

  await test.step('shows everybody by name, and offers nothing that an ended transmission cannot do', async () => {
    await expect(page.locator('[data-sending]')).toContainText('its mails rest in the outbox.')
    await expect(page.getByRole('row', { name: /Annie Easley/ })).toContainText('In the outbox')
    await expect(page.getByRole('table').getByText('In the outbox')).toHaveCount(3)
    for (const name of ['Pause', 'Cancel'])
      await expect(page.getByRole('button', { name, exact: true })).toHaveCount(0)
    await page.getByRole('searchbox', { name: 'Search by name or email' }).fill('kath')
    await expect(page).toHaveURL(/q=kath/)
    await expect(page.getByRole('rowheader')).toHaveText(['Katherine Johnson'])
    expect(await axeFaults(page)).toEqual([])
  })

  await test.step('writes again to who has not watched it, and tells of who joined since', async () => {
    const [first] = (await client.call(listTransmissions, { query: { organizationId } })).items
    await client.call(createUser, {
      params: { orgId: organizationId },
      body: { name: 'Mary Jackson', email: 'mary@transmissions.example' },
    })
    await page.goto(`/transmissions/${first?.id ?? ''}`)
    await expect(page.getByText('1 person has joined since')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Send it to this person too' })).toBeVisible()
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('link', { name: 'Write to 3 people again' }).click()
    const recipients = page.getByRole('group', { name: 'Recipients' })
    await expect(recipients.getByRole('radio', { name: 'Who has not completed it' })).toBeChecked()
    await expect(page.getByText('3 people get it')).toBeVisible()
    await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('Please watch <this>.')
    await recipients.getByRole('radio', { name: 'Who joined since' }).check()
    await expect(page.getByText('1 person gets it')).toBeVisible()
    await recipients.getByRole('radio', { name: 'Who has not completed it' }).check()
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Send to 3 people' }).click()
    await confirm(page).click()
    await expect(page.getByText('to people of')).toBeVisible()
    await page.getByRole('link', { name: first?.subject ?? '', exact: true }).click()
    await expect(
      page.getByRole('region', { name: 'Sent to its people since' }).getByRole('listitem'),
    ).toHaveCount(1)
    expect(await axeFaults(page)).toEqual([])
  })
})

test('the page of a video begins a transmission of that video', async ({
  world: { page, client, organizationId, name },
}) => {
  const [video] = (await client.call(listVideos, { query: { organizationId } })).items
  await page.goto(`/content/${video?.id ?? ''}`)
  await page.getByRole('link', { name: 'Send this video' }).click()
  await expect(page.getByRole('group', { name: 'Video' })).toContainText(video?.title ?? '')
  await expect(page.getByRole('combobox', { name: 'Organization', exact: true })).toHaveValue(name)
})
