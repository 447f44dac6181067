import { expect, type Page } from '@playwright/test'
import { createField } from '#contract/directory/fields.ts'
import { createInvitation } from '#contract/directory/invitations.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createTemplate, listTemplates } from '#contract/transmissions/templates.ts'
import { createUser } from '#contract/directory/users.ts'
import { unique } from '#server/testing/unique.ts'
import { accept, newSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross, press, rowAct, wear } from './console.ts'
import { openDatabase } from './database.ts'
import type { Product } from './product.ts'
import { test as shared } from './shared.ts'
import { videoWithoutFiles } from './upload.ts'

type World = {
  product: Product
  orgId: string
  ada: Client
  page: Page
}

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const superadmin = await newSuperadmin(product)
    const orgId = (await superadmin.call(createOrganization, { body: { name: 'Variable Toys' } })).id
    const email = `ada-${unique()}@variables.example`
    await superadmin.call(createInvitation, { body: { organizationId: orgId, email, role: 'admin' } })
    const ada = await accept(product, superadmin, { email, name: 'Ada Lovelace' })
    const params = { orgId }
    await ada.call(createField, { params, body: { label: 'Site', type: 'text' } })
    for (const [name, site] of [
      ['Annie Easley', 'Oslo'],
      ['Katherine Johnson', ''],
      ['Margaret Hamilton', 'Bergen'],
    ] as const)
      await ada.call(createUser, {
        params,
        body: {
          name,
          email: `${name.split(' ')[0]}@variables.example`,
          ...(site === '' ? {} : { customFields: { site } }),
        },
      })
    await videoWithoutFiles(product, { organizationId: orgId, title: 'Fire drill' })
    await use({ product, orgId, ada, page: await open(ada) })
  },
})

const subject = (page: Page) => page.getByRole('textbox', { name: 'Subject' })
const message = (page: Page) => page.getByRole('textbox', { name: 'Message' })
const mail = (page: Page) => page.frameLocator('iframe[title="The mail"]')
const variable = (page: Page, label: string) =>
  page.getByRole('combobox', { name: 'Insert a variable' }).selectOption(label)

/** Neither axe nor a narrow window finds a fault; once in light, once in dark. */
async function expectGood(page: Page): Promise<void> {
  for (const [theme, width, height] of [
    ['dark', 390, 844],
    ['light', 1366, 900],
  ] as const) {
    await wear(page, { theme })
    await page.setViewportSize({ width, height })
    await fitsAcross(page)
    expect(await axeFaults(page)).toEqual([])
  }
  await wear(page, null)
}

async function compose(page: Page, text?: string): Promise<void> {
  await page.goto('/transmissions/create')
  await page.getByRole('button', { name: 'Fire drill' }).click()
  await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
  if (text === undefined) return
  await subject(page).fill('For {{firstName}}')
  await message(page).fill(text)
}

test('variables and formats are put where one writes, and the preview is the mail of the first recipient', async ({
  world: { page },
}) => {
  await compose(page)
  await subject(page).fill('For ')
  await variable(page, 'First name')
  await expect(subject(page)).toHaveValue('For {{firstName}}')
  await message(page).fill('Site: ')
  await variable(page, 'Site')
  await page.keyboard.type('\n')
  await press(page, 'List')
  await page.keyboard.type('one')
  await press(page, 'Bold')
  await page.keyboard.type('two')
  await expect(message(page)).toHaveValue('Site: {{site}}\n- one**two**')
  await expect(mail(page).getByRole('listitem')).toHaveText('onetwo')
  await expect(mail(page).getByText('two', { exact: true })).toHaveCSS('font-weight', '700')
  await expect(page.getByText('For Ada', { exact: true })).toBeVisible()
})

test('says for how many people something stays empty', async ({ world: { page } }) => {
  await compose(page, 'Site: {{site}}')
  const note = page.getByRole('status').filter({ hasText: 'It stays empty' })
  await expect(note).toContainText('2 people have nothing in “Site”.')
  await expect(note).toContainText('{{site|…}}')
  await expectGood(page)
})

test('shows the mail of whom one chooses among the recipients', async ({ world: { page } }) => {
  await compose(page, 'Site: {{site}}')
  const reader = page.getByRole('combobox', { name: 'As it goes to' })
  await expect(reader).toHaveValue('Ada Lovelace')
  await reader.fill('marg')
  await page.getByRole('option', { name: 'Margaret Hamilton' }).click()
  await expect(mail(page).getByText('Site: Bergen')).toBeVisible()
  await expect(page.getByText('For Margaret', { exact: true })).toBeVisible()
})

test('a mistake is shown at its field, with its place and what was meant', async ({ world: { page } }) => {
  await compose(page, 'Hello\n{{fristName}}')
  await press(page, 'Send to 4 people')
  await expect(
    page.getByText('Line 2: “{{fristName}}” is no variable. Did you mean {{firstName}}?').first(),
  ).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page
    .getByRole('link', { name: /^Message/ })
    .or(page.getByRole('button', { name: /^Message/ }))
    .first()
    .click()
  await expect(message(page)).toBeFocused()
})

test('a message is kept as a template, and the next one begins with it', async ({
  world: { product, orgId, page },
}) => {
  await compose(page, 'Hello {{firstName|colleague}}, **please** watch.')
  await press(page, 'Save as template')
  const dialog = page.getByRole('dialog', { name: 'Save as template' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Newcomers')
  await dialog.getByRole('button', { name: 'Save template' }).click()
  await expect(dialog).toHaveCount(0)
  await message(page).fill('Something else')
  await page.getByRole('combobox', { name: 'Start from a template' }).selectOption('Newcomers')
  await expect(message(page)).toHaveValue('Hello {{firstName|colleague}}, **please** watch.')
  await press(page, 'Undo')
  await expect(message(page)).toHaveValue('Something else')
  await page.getByRole('combobox', { name: 'Start from a template' }).selectOption('Newcomers')
  await press(page, 'Send to 4 people')
  await page.getByRole('dialog').getByRole('button', { name: 'Send to 4 people' }).click()
  await expect(page).toHaveURL(/\/transmissions\/[0-9a-f-]{36}$/)
  const database = await openDatabase(product)
  await expect
    .poll(async () => {
      const { rows } = await database.query(
        `select subject, text from mails where organization_id = $1 and delivery_id is not null order by subject`,
        [orgId],
      )
      return (rows as { subject: string; text: string }[]).map(
        (one) => `${one.subject}: ${one.text.split('\n')[0]}`,
      )
    })
    .toEqual(
      ['Ada', 'Annie', 'Katherine', 'Margaret'].map((name) => `For ${name}: Hello ${name}, please watch.`),
    )
  await database.close()
})

test('the message that stands there at first may be sent as it is', async ({
  world: { product, orgId, page },
}) => {
  await compose(page)
  await expect(mail(page).getByText('please watch the video “Fire drill”.')).toBeVisible()
  await press(page, 'Send to 4 people')
  await page.getByRole('dialog').getByRole('button', { name: 'Send to 4 people' }).click()
  await expect(page).toHaveURL(/\/transmissions\/[0-9a-f-]{36}$/)
  const database = await openDatabase(product)
  const sent = async () => {
    const { rows } = await database.query(
      `select text from mails where organization_id = $1 and subject like '% sent you a video: Fire drill' order by text`,
      [orgId],
    )
    return (rows as { text: string }[]).map(({ text }) => text.split('\n').slice(0, 3).join(' '))
  }
  await expect
    .poll(sent)
    .toEqual(
      ['Ada', 'Annie', 'Katherine', 'Margaret'].map(
        (name) =>
          `Hello ${name},  please watch the video “Fire drill”. Open it with the link in this message, so that it counts for you.`,
      ),
    )
  await database.close()
})

test('templates are listed, changed, and removed until one takes that back', async ({
  world: { orgId, ada, page },
}) => {
  for (const [name, text] of [
    ['Newcomers', 'Hello {{firstName|colleague}}, **please** watch.'],
    ['Yearly', 'Once more.'],
  ] as const)
    await ada.call(createTemplate, { params: { orgId }, body: { name, message: text } })
  await page.goto('/transmissions')
  await page.getByRole('link', { name: 'Templates' }).click()
  await expect(page.getByRole('list', { name: 'Templates' }).getByRole('listitem')).toHaveCount(2)
  await expectGood(page)
  await rowAct(page, 'Newcomers', 'Edit')
  const dialog = page.getByRole('dialog', { name: 'Edit “Newcomers”' })
  await dialog.getByRole('textbox', { name: 'Message' }).fill('{{nme}}')
  await dialog.getByRole('button', { name: 'Save template' }).click()
  await expect(dialog).toContainText('“{{nme}}” is no variable. Did you mean {{name}}?')
  await dialog.getByRole('textbox', { name: 'Message' }).fill('Hello {{name}}')
  expect(await axeFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Save template' }).click()
  await expect(dialog).toHaveCount(0)
  await rowAct(page, 'Yearly', 'Remove')
  await expect(page.getByRole('list', { name: 'Templates' })).not.toContainText('Yearly')
  await press(page, 'Undo')
  await expect(page.getByRole('list', { name: 'Templates' })).toContainText('Yearly')
  const { items } = await ada.call(listTemplates, { params: { orgId } })
  expect(items.map(({ name, beginning }) => [name, beginning])).toEqual([
    ['Newcomers', 'Hello {{name}}'],
    ['Yearly', 'Once more.'],
  ])
})
