import { readFile } from 'node:fs/promises'
import { expect, type Page } from '@playwright/test'
import { createOrganization } from '#contract/organizations.ts'
import { newSuperadmin } from './client.ts'
import { axeFaults, fitsAcross, listOption, signedIn } from './console.ts'
import { test } from './shared.ts'

let page: Page
let address: string

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser, shared }) => {
  const client = await newSuperadmin(shared)
  const { id } = await client.call(createOrganization, { body: { name: 'Barred Works' } })
  page = await signedIn(browser, shared, client)
  address = `${shared.url}/transmissions/barred-addresses?organization=${id}`
})
test.afterAll(() => page.context().close())

const dialog = () => page.getByRole('dialog')
const row = (name: string) => page.getByRole('row', { name: new RegExp(name) })
const main = () => page.getByRole('main')

test('an address is barred through a day', async () => {
  await page.goto(address)
  await page.getByRole('button', { name: 'Add a barred address' }).click()
  await dialog().getByRole('textbox', { name: 'Address' }).fill('ada@barred.example')
  await dialog().getByRole('textbox', { name: 'Why' }).fill('On leave')
  await dialog().getByLabel('Until').fill('2020-01-01')
  await page.keyboard.press('Enter')
  await expect(dialog()).toContainText('This lies in the past.')
  expect(await axeFaults(page)).toEqual([])
  await dialog().getByLabel('Until').fill('2099-06-30')
  await page.keyboard.press('Enter')
  await expect(page.getByText('No message is sent to ada@barred.example through Jun 30, 2099.')).toBeVisible()
  await expect(row('ada@barred.example')).toContainText('2099')
})

test('a list is pasted or comes from a file, is looked through before it is barred, and told about after', async () => {
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto(address)
  await page.getByRole('button', { name: 'List options' }).click()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  const field = dialog().getByRole('textbox', { name: 'Addresses' })
  await expect(field).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(dialog().getByRole('button', { name: 'Choose an Excel, CSV or text file' })).toBeFocused()
  await dialog().getByRole('button', { name: 'Bar them' }).click()
  await expect(dialog()).toContainText('There is no address in it.')
  await field.fill('Address\nada@barred.example\nnobody\ngrace@barred.example;Left us')
  await expect(dialog().getByRole('status')).toContainText('2 addresses found.')
  await expect(dialog().getByRole('status')).toContainText('Line 3, “nobody”: This is not an email address.')
  await expect(dialog()).not.toContainText('There is no address in it.')
  expect(await axeFaults(page)).toEqual([])
  await fitsAcross(page)
  await dialog()
    .locator('input[type=file]')
    .setInputFiles({
      name: 'list.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(
        'Mail;Why\r\nada@barred.example;\r\ngrace@barred.example;F\u00fcr immer\r\n',
        'latin1',
      ),
    })
  // Its bytes do not say how its letters are written, so whoever reads them does.
  await dialog().getByRole('radio').first().check()
  await dialog().getByRole('button', { name: 'Read the file like this' }).click()
  await expect(field).toHaveValue(/Für immer/)
  await dialog().getByRole('button', { name: 'Bar 2 addresses' }).click()
  await expect(dialog()).toContainText('One address was added.')
  await expect(dialog()).toContainText('One was barred already and stays as it was.')
  expect(await axeFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(dialog()).toBeHidden()
  await expect(main()).toContainText('grace@barred.example')
  await page.setViewportSize({ width: 1280, height: 800 })
  await expect(row('grace@barred.example')).toContainText('Für immer')
  await expect(row('ada@barred.example')).toContainText('On leave')
})

test('what the search finds is taken along', async () => {
  await page.goto(`${address}&q=grace`)
  await expect(row('ada@barred.example')).toHaveCount(0)
  await listOption(page, 'Download')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /CSV/ }).click(),
  ])
  expect(file.suggestedFilename()).toMatch(/^barred-addresses-[\d-]+\.csv$/)
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n')
  expect(lines).toHaveLength(2)
  expect(lines[1]).toContain('grace@barred.example,Für immer,')
})

test('many are lifted at once by reason and day, and set again', async () => {
  const lines = Array.from(
    { length: 60 },
    (_, n) => `gone-${n}@barred.example;The mail server says that there is no such mailbox.`,
  )
  await page.goto(address)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await dialog().getByRole('textbox', { name: 'Addresses' }).fill(lines.join('\n'))
  await dialog().getByRole('button', { name: 'Bar 60 addresses' }).click()
  await expect(dialog()).toContainText('60 addresses were added.')
  await page.keyboard.press('Escape')
  await page.goto(`${address}&reason=no_such_mailbox&day=2020-01-01`)
  await expect(main()).toContainText('No barred address matches')
  await page.goto(`${address}&q=gone-59`)
  await expect(row('gone-59@barred.example').getByText('No such mailbox')).toHaveAccessibleDescription(
    'The mail server says that there is no such mailbox.',
  )
  // What is the same in every row is said once.
  await page.goto(`${address}&reason=no_such_mailbox`)
  await expect(main().locator('[data-part=told]')).toContainText('no such mailbox')
  await expect(row('ada@barred.example')).toHaveCount(0)
  await page.getByRole('checkbox', { name: /gone-59@/ }).click()
  await page.getByRole('button', { name: /Select all 60/ }).click()
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Lift' }).click()
  await expect(dialog()).toContainText('60 bars will be lifted.')
  expect(await axeFaults(page)).toEqual([])
  await dialog().getByRole('button', { name: 'Lift 60 bars' }).click()
  await expect(main()).toContainText('No barred address matches')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(row('gone-7@barred.example')).toBeVisible()
})
