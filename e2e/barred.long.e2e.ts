import { readFile } from 'node:fs/promises'
import { expect, type Page } from '@playwright/test'
import { barAddress } from '#contract/transmissions/barred-addresses.ts'
import { newOrganization } from './client.ts'
import { axeFaults, fitsAcross, listOption } from './console.ts'
import { test as shared } from './shared.ts'

type World = { page: Page; bar: (address: string, reason: string) => Promise<unknown> }

/** The page shows the barred addresses of the organization. */
const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const { client, orgId } = await newOrganization(product, 'Barred Works')
    const page = await open(client)
    await page.goto(`/transmissions/barred-addresses?organization=${orgId}`)
    await use({
      page,
      bar: (address, reason) => client.call(barAddress, { params: { orgId }, body: { address, reason } }),
    })
  },
})

const dialog = (page: Page) => page.getByRole('dialog')
const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) })
const main = (page: Page) => page.getByRole('main')

test('an address is barred through a day', async ({ world: { page } }) => {
  await page.getByRole('button', { name: 'Add a barred address' }).click()
  await dialog(page).getByRole('textbox', { name: 'Address' }).fill('ada@barred.example')
  await dialog(page).getByRole('textbox', { name: 'Why' }).fill('On leave')
  await dialog(page).getByLabel('Until').fill('2020-01-01')
  await page.keyboard.press('Enter')
  await expect(dialog(page)).toContainText('This lies in the past.')
  expect(await axeFaults(page)).toEqual([])
  await dialog(page).getByLabel('Until').fill('2099-06-30')
  await page.keyboard.press('Enter')
  await expect(page.getByText('No message is sent to ada@barred.example through Jun 30, 2099.')).toBeVisible()
  await expect(row(page, 'ada@barred.example')).toContainText('2099')
})

test('a list is pasted or comes from a file, is looked through before it is barred, and told about after', async ({
  world: { page, bar },
}) => {
  await bar('ada@barred.example', 'On leave')
  await page.setViewportSize({ width: 390, height: 800 })
  await page.getByRole('button', { name: 'List options' }).click()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  const field = dialog(page).getByRole('textbox', { name: 'Addresses' })
  await expect(field).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(dialog(page).getByRole('button', { name: 'Choose an Excel, CSV or text file' })).toBeFocused()
  await dialog(page).getByRole('button', { name: 'Bar them' }).click()
  await expect(dialog(page)).toContainText('There is no address in it.')
  await field.fill('Address\nada@barred.example\nnobody\ngrace@barred.example;Left us')
  await expect(dialog(page).getByRole('status')).toContainText('2 addresses found.')
  await expect(dialog(page).getByRole('status')).toContainText(
    'Line 3, “nobody”: This is not an email address.',
  )
  await expect(dialog(page)).not.toContainText('There is no address in it.')
  expect(await axeFaults(page)).toEqual([])
  await fitsAcross(page)
  await dialog(page)
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
  await dialog(page).getByRole('radio').first().check()
  await dialog(page).getByRole('button', { name: 'Read the file like this' }).click()
  await expect(field).toHaveValue(/Für immer/)
  await dialog(page).getByRole('button', { name: 'Bar 2 addresses' }).click()
  await expect(dialog(page)).toContainText('One address was added.')
  await expect(dialog(page)).toContainText('One was barred already and stays as it was.')
  expect(await axeFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toBeHidden()
  await expect(main(page)).toContainText('grace@barred.example')
  await page.setViewportSize({ width: 1280, height: 800 })
  await expect(row(page, 'grace@barred.example')).toContainText('Für immer')
  await expect(row(page, 'ada@barred.example')).toContainText('On leave')
})

test('what the search finds is taken along', async ({ world: { page, bar } }) => {
  await bar('ada@barred.example', 'On leave')
  await bar('grace@barred.example', 'Für immer')
  await page.goto(`${page.url()}&q=grace`)
  await expect(row(page, 'ada@barred.example')).toHaveCount(0)
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

test('many are lifted at once by reason and day, and set again', async ({ world: { page, bar } }) => {
  const lines = Array.from(
    { length: 60 },
    (_, n) => `gone-${n}@barred.example;The mail server says that there is no such mailbox.`,
  )
  const address = page.url()
  await bar('ada@barred.example', 'On leave')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await dialog(page).getByRole('textbox', { name: 'Addresses' }).fill(lines.join('\n'))
  await dialog(page).getByRole('button', { name: 'Bar 60 addresses' }).click()
  await expect(dialog(page)).toContainText('60 addresses were added.')
  await page.keyboard.press('Escape')
  await page.goto(`${address}&reason=no_such_mailbox&day=2020-01-01`)
  await expect(main(page)).toContainText('No barred address matches')
  await page.goto(`${address}&q=gone-59`)
  await expect(row(page, 'gone-59@barred.example').getByText('No such mailbox')).toHaveAccessibleDescription(
    'The mail server says that there is no such mailbox.',
  )
  // What is the same in every row is said once.
  await page.goto(`${address}&reason=no_such_mailbox`)
  await expect(main(page).locator('[data-part=uniform]')).toContainText('no such mailbox')
  await expect(row(page, 'ada@barred.example')).toHaveCount(0)
  await page.getByRole('checkbox', { name: /gone-59@/ }).click()
  await page.getByRole('button', { name: /Select all 60/ }).click()
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Lift' }).click()
  await expect(dialog(page)).toContainText('60 bars will be lifted.')
  expect(await axeFaults(page)).toEqual([])
  await dialog(page).getByRole('button', { name: 'Lift 60 bars' }).click()
  await expect(main(page)).toContainText('No barred address matches')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(row(page, 'gone-7@barred.example')).toBeVisible()
})
