import { expect, type Page } from '@playwright/test'
import { createField } from '#contract/fields.ts'
import { createInvitation } from '#contract/invitations.ts'
import { createOrganization } from '#contract/organizations.ts'
import { createTemplate, listTemplates } from '#contract/templates.ts'
import { createUser } from '#contract/users.ts'
import { accept, newSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross, rowAct, signedIn, wear } from './console.ts'
import { openDatabase } from './database.ts'
import type { Product } from './product.ts'
import { test } from './shared.ts'

let product: Product
let orgId: string
let ada: Client
let page: Page

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser, shared }) => {
  product = shared
  const superadmin = await newSuperadmin(product)
  orgId = (await superadmin.call(createOrganization, { body: { name: 'Variable Toys' } })).id
  const email = 'ada@variables.example'
  await superadmin.call(createInvitation, { body: { organizationId: orgId, email, role: 'admin' } })
  ada = await accept(product, superadmin, { email, name: 'Ada Lovelace' })
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
  const database = await openDatabase(product)
  await database.query(
    `with video as (insert into videos (organization_id, title, state) values ($1, 'Fire drill', 'ready') returning id),
      version as (insert into video_versions (organization_id, video_id, number, file_name, size, duration_ms, ready_at)
        select $1, id, 1, 'clip.mp4', 1, 60000, now() from video returning id)
      select from version`,
    [orgId],
  )
  await database.query(
    `update videos v set current_version_id = n.id from video_versions n where n.video_id = v.id and v.organization_id = $1`,
    [orgId],
  )
  await database.close()
  page = await signedIn(browser, product, ada)
})

test.afterAll(() => page.context().close())

const subject = () => page.getByRole('textbox', { name: 'Subject' })
const message = () => page.getByRole('textbox', { name: 'Message' })
const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
const mail = () => page.frameLocator('iframe[title="The mail"]')
const variable = (label: string) =>
  page.getByRole('combobox', { name: 'Insert a variable' }).selectOption(label)

/** Neither axe nor a narrow window finds a fault; once in light, once in dark. */
async function expectGood(): Promise<void> {
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

test('variables and formats are put where one writes, and the preview is the mail of the first recipient', async () => {
  await page.goto(`${product.url}/transmissions/create`)
  await page.getByRole('button', { name: 'Fire drill' }).click()
  await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
  await subject().fill('For ')
  await variable('First name')
  await expect(subject()).toHaveValue('For {{firstName}}')
  await message().fill('Site: ')
  await variable('Site')
  await page.keyboard.type('\n')
  await press('List')
  await page.keyboard.type('one')
  await press('Bold')
  await page.keyboard.type('two')
  await expect(message()).toHaveValue('Site: {{site}}\n- one**two**')
  await expect(mail().getByRole('listitem')).toHaveText('onetwo')
  await expect(mail().getByText('two', { exact: true })).toHaveCSS('font-weight', '700')
  await expect(page.getByText('For Ada', { exact: true })).toBeVisible()
})

test('says for how many people something stays empty', async () => {
  const note = page.getByRole('status').filter({ hasText: 'It stays empty' })
  await expect(note).toContainText('2 people have nothing in “Site”.')
  await expect(note).toContainText('{{site|…}}')
  await expectGood()
})

test('shows the mail of whom one chooses among the recipients', async () => {
  const reader = page.getByRole('combobox', { name: 'As it goes to' })
  await expect(reader).toHaveValue('Ada Lovelace')
  await reader.fill('marg')
  await page.getByRole('option', { name: 'Margaret Hamilton' }).click()
  await expect(mail().getByText('Site: Bergen')).toBeVisible()
  await expect(page.getByText('For Margaret', { exact: true })).toBeVisible()
})

test('a mistake is shown at its field, with its place and what was meant', async () => {
  await message().fill('Hello\n{{fristName}}')
  await press('Send to 4 people')
  await expect(
    page.getByText('Line 2: “{{fristName}}” is no variable. Did you mean {{firstName}}?').first(),
  ).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page
    .getByRole('link', { name: /^Message/ })
    .or(page.getByRole('button', { name: /^Message/ }))
    .first()
    .click()
  await expect(message()).toBeFocused()
})

test('a message is kept as a template, and the next one begins with it', async () => {
  await message().fill('Hello {{firstName|colleague}}, **please** watch.')
  await press('Save as template')
  const dialog = page.getByRole('dialog', { name: 'Save as template' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Newcomers')
  await dialog.getByRole('button', { name: 'Save template' }).click()
  await expect(dialog).toHaveCount(0)
  await message().fill('Something else')
  await page.getByRole('combobox', { name: 'Start from a template' }).selectOption('Newcomers')
  await expect(message()).toHaveValue('Hello {{firstName|colleague}}, **please** watch.')
  await press('Undo')
  await expect(message()).toHaveValue('Something else')
  await page.getByRole('combobox', { name: 'Start from a template' }).selectOption('Newcomers')
  await press('Send to 4 people')
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

test('the message that stands there at first may be sent as it is', async () => {
  await page.goto(`${product.url}/transmissions/create`)
  await page.getByRole('button', { name: 'Fire drill' }).click()
  await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
  await expect(mail().getByText('please watch the video “Fire drill”.')).toBeVisible()
  await press('Send to 4 people')
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

test('templates are listed, changed, and removed until one takes that back', async () => {
  await ada.call(createTemplate, { params: { orgId }, body: { name: 'Yearly', message: 'Once more.' } })
  await page.goto(`${product.url}/transmissions`)
  await page.getByRole('link', { name: 'Templates' }).click()
  await expect(page.getByRole('list', { name: 'Templates' }).getByRole('listitem')).toHaveCount(2)
  await expectGood()
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
  await press('Undo')
  await expect(page.getByRole('list', { name: 'Templates' })).toContainText('Yearly')
  const { items } = await ada.call(listTemplates, { params: { orgId } })
  expect(items.map(({ name, beginning }) => [name, beginning])).toEqual([
    ['Newcomers', 'Hello {{name}}'],
    ['Yearly', 'Once more.'],
  ])
})
