import { expect, type Page } from '@playwright/test'
import { createOrganization } from '#contract/organizations.ts'
import { listTransmissions } from '#contract/transmissions.ts'
import { createUser } from '#contract/users.ts'
import { listVideos } from '#contract/videos.ts'
import { newSuperadmin, type Client } from './client.ts'
import { axeFaults, signedIn } from './console.ts'
import type { Product } from './product.ts'
import { test } from './shared.ts'
import { readyVideo } from './upload.ts'

let product: Product
let client: Client
let organizationId: string
let page: Page

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser, shared }) => {
  product = shared
  client = await newSuperadmin(product)
  organizationId = (await client.call(createOrganization, { body: { name: 'Postmasters' } })).id
  for (const name of ['Margaret Hamilton', 'Katherine Johnson', 'Annie Easley'])
    await client.call(createUser, {
      params: { orgId: organizationId },
      body: { name, email: `${name.split(' ')[0]}@transmissions.example` },
    })
  await readyVideo({ url: product.url, client, organizationId }, { seconds: 2, width: 320 })
  page = await signedIn(browser, product, client)
})

test.afterAll(async () => {
  await page.close()
})

const send = () => page.getByRole('button', { name: /^Send/ })
const confirm = () => page.getByRole('dialog').getByRole('button', { name: /^Send/ })

/** No mistake that a checker can find. */
async function expectAccessible(): Promise<void> {
  expect(await axeFaults(page)).toEqual([])
}

test('names what is missing, counts exactly, and shows the mail', async () => {
  await page.goto(`${product.url}/transmissions?organization=${organizationId}`)
  await expect(page.getByText('Nothing has been sent yet')).toBeVisible()
  await expectAccessible()
  await page.getByRole('link', { name: 'Add a transmission' }).first().click()
  await send().click()
  await expect(page.locator('[data-error-summary]')).toBeFocused()
  await page.getByRole('combobox', { name: 'Organization', exact: true }).fill('Postm')
  await page.getByRole('option', { name: 'Postmasters' }).click()
  // As where mails name another address than the one at which the console is open.
  await page.route('**/api/transmissions/preview', async (route) => {
    const response = await route.fetch()
    const text = await response.text()
    await route.fulfill({ response, body: text.replaceAll(product.url, 'https://mails.example') })
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
  await expectAccessible()
  await page.unrouteAll({ behavior: 'wait' })
})

test('sends once although the answer to the first try was lost', async () => {
  let tries = 0
  await page.route('**/api/transmissions/*/actions', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    tries += 1
    if (tries > 1) return route.continue()
    await route.fetch()
    return route.abort()
  })
  await send().click()
  await expect(page.getByRole('dialog')).toContainText('to 3 people?')
  await confirm().click()
  await expect(page.locator('[data-error-summary]')).toContainText('cannot be reached')
  await send().click()
  await confirm().dblclick()
  await expect(page).toHaveURL(/\/transmissions\/[0-9a-f-]{36}$/)
  expect((await client.call(listTransmissions, { query: { organizationId } })).total).toBe(1)
})

test('shows everybody by name, and offers nothing that an ended transmission cannot do', async () => {
  await expect(page.locator('[data-sending]')).toContainText('its mails rest in the outbox.')
  await expect(page.getByRole('row', { name: /Annie Easley/ })).toContainText('In the outbox')
  await expect(page.getByRole('table').getByText('In the outbox')).toHaveCount(3)
  for (const name of ['Pause', 'Cancel'])
    await expect(page.getByRole('button', { name, exact: true })).toHaveCount(0)
  await page.getByRole('searchbox', { name: 'Search by name or email' }).fill('kath')
  await expect(page).toHaveURL(/q=kath/)
  await expect(page.getByRole('rowheader')).toHaveText(['Katherine Johnson'])
  await expectAccessible()
})

test('writes again to who has not watched it, and tells of who joined since', async () => {
  const [first] = (await client.call(listTransmissions, { query: { organizationId } })).items
  await client.call(createUser, {
    params: { orgId: organizationId },
    body: { name: 'Mary Jackson', email: 'mary@transmissions.example' },
  })
  await page.goto(`${product.url}/transmissions/${first?.id ?? ''}`)
  await expect(page.getByText('1 person has joined since')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Send it to this person too' })).toBeVisible()
  await expectAccessible()
  await page.getByRole('link', { name: 'Write to 3 people again' }).click()
  const recipients = page.getByRole('group', { name: 'Recipients' })
  await expect(recipients.getByRole('radio', { name: 'Who has not completed it' })).toBeChecked()
  await expect(page.getByText('3 people get it')).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('Please watch <this>.')
  await recipients.getByRole('radio', { name: 'Who joined since' }).check()
  await expect(page.getByText('1 person gets it')).toBeVisible()
  await recipients.getByRole('radio', { name: 'Who has not completed it' }).check()
  await expectAccessible()
  await page.getByRole('button', { name: 'Send to 3 people' }).click()
  await confirm().click()
  await expect(page.getByText('to people of')).toBeVisible()
  await page.getByRole('link', { name: first?.subject ?? '', exact: true }).click()
  await expect(
    page.getByRole('region', { name: 'Sent to its people since' }).getByRole('listitem'),
  ).toHaveCount(1)
  await expectAccessible()
})

test('the page of a video begins a transmission of that video', async () => {
  const [video] = (await client.call(listVideos, { query: { organizationId } })).items
  await page.goto(`${product.url}/content/${video?.id ?? ''}`)
  await page.getByRole('link', { name: 'Send this video' }).click()
  await expect(page.getByRole('group', { name: 'Video' })).toContainText(video?.title ?? '')
  await expect(page.getByRole('combobox', { name: 'Organization', exact: true })).toHaveValue('Postmasters')
})
