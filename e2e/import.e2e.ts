import { readFile } from 'node:fs/promises'
import { expect, type Page } from '@playwright/test'
import { createImport, rehearseImport, startImport, updateImport } from '#contract/imports/imports.ts'
import { listOperations, readOperation } from '#contract/operations.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createUser, deleteUser, listUsers } from '#contract/directory/users.ts'
import writeExcelFile from 'write-excel-file/node'
import { firstSuperadmin, newSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross, downloadList, listOption } from './console.ts'
import { openDatabase } from './database.ts'
import { startProduct } from './product.ts'
import { test as shared } from './shared.ts'

type World = {
  client: Client
  page: Page
  orgId: string
}

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const client = await newSuperadmin(product)
    const orgId = (await client.call(createOrganization, { body: { name: 'Tailspin Toys' } })).id
    await use({ client, page: await open(client), orgId })
  },
})

const people = (orgId: string) => `/organizations/${orgId}/dashboard?tab=users`
const importing = (orgId: string) => `/organizations/${orgId}/users/import`
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()
const row = (page: Page, text: string | RegExp) => page.getByRole('row').filter({ hasText: text })
const outcome = (page: Page, name: string) =>
  page.getByRole('group', { name: 'Outcome' }).getByRole('button', { name })

const give = (page: Page, name: string, buffer: Buffer) =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer })

async function choose(page: Page, name: string, content: Buffer): Promise<void> {
  await give(page, name, content)
  await expect(page.getByRole('button', { name: 'Check the rows' })).toBeVisible()
}

async function saved(page: Page, pressing: () => Promise<unknown>): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), pressing()])
  return readFile(await file.path(), 'utf8')
}

/** As a spreadsheet on Windows saves it: code page 1252, semicolons, blank lines, a quoted line break. */
const messy = [
  'Vorname;Nachname;E-Mail-Adresse;Personal-Nr.;Gruppen;Bemerkung',
  'Jörg;Müller;JOERG@example.test;1;Früh|Spät;"zwei',
  'Zeilen"',
  '',
  'Zoë;Ångström;zoe@;2;;=1+1',
  'Rita;Neu;rita@example.test;3;;',
  'Doppelt;Neu;rita@example.test;;;',
].join('\r\n')

test('a messy file becomes people, and is taken back', async ({ world: { client, page, orgId } }) => {
  await test.step('a messy file is understood, rehearsed and imported, and what was wrong comes back to be mended', async () => {
    await client.call(createUser, {
      params: { orgId },
      body: { name: 'Rita Alt', email: 'rita@example.test', externalId: '3' },
    })
    await page.goto(people(orgId))
    await listOption(page, 'Import')
    await expect(page.getByRole('heading', { name: 'Import people' })).toBeFocused()
    expect(await axeFaults(page)).toEqual([])
    await give(page, 'mitarbeiter.csv', Buffer.from(messy, 'latin1'))
    const question = page.getByRole('radiogroup', { name: 'In which of these are the letters right?' })
    await expect(question).toContainText('Jörg;Müller')
    await expect(page.getByRole('button', { name: 'Read the file like this' })).toBeDisabled()
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('radio', { name: 'Western European', exact: true }).check()
    await press(page, 'Read the file like this')
    await expect(page.getByLabel('Vorname is')).toHaveValue('firstName')
    await expect(page.getByLabel('Personal-Nr. is')).toHaveValue('externalId')
    await expect(page.getByLabel('Bemerkung is')).toHaveValue('')
    expect(await axeFaults(page)).toEqual([])
    await press(page, 'Check the rows')
    await outcome(page, 'Cannot be imported').click()
    await expect(row(page, 'Jörg Müller')).toContainText('There is no group “Früh”.')
    await press(page, 'Add the 2 groups')
    await expect(outcome(page, 'Will be added')).toContainText('1')
    await expect(row(page, 'Jörg Müller')).toContainText('Früh; Spät')
    await expect(row(page, 'Rita Neu')).toContainText('Rita Alt → Rita Neu')
    await expect(row(page, 'Zoë')).toContainText('“zoe@” is not an email address.')
    await expect(row(page, 'Doppelt')).toContainText('Row 5 has the same email.')
    await outcome(page, 'Cannot be imported').click()
    await expect(page.getByRole('row')).toHaveCount(3)
    expect(await axeFaults(page)).toEqual([])
    await page.reload()
    await expect(page.getByRole('row')).toHaveCount(3)
    await press(page, 'Import 2 rows')
    await expect(page.getByRole('dialog')).toContainText('No mail is sent.')
    await press(page, 'Start the import')
    await expect(
      page.getByText('1 person was added. 1 person was changed. 2 rows were not imported.'),
    ).toBeVisible({ timeout: 20_000 })
    expect(await axeFaults(page)).toEqual([])
    const mend = await saved(page, () => press(page, 'Download these rows'))
    expect(mend.split('\r\n')[0]).toBe(
      '\uFEFFVorname;Nachname;E-Mail-Adresse;Personal-Nr.;Gruppen;Bemerkung;Problem',
    )
    expect(mend).toContain("Zoë;Ångström;zoe@;2;;'=1+1;")
    await page.getByRole('link', { name: 'Import another file' }).click()
    await choose(
      page,
      'mended.csv',
      Buffer.from(mend.replace('zoe@;', 'zoe@example.test;').replace(/^Doppelt.*\r\n/m, '')),
    )
    await press(page, 'Check the rows')
    await press(page, 'Import 1 row')
    await press(page, 'Start the import')
    await expect(page.getByText('1 person was added.')).toBeVisible({ timeout: 20_000 })
    await page.getByRole('link', { name: 'See the people' }).click()
    await expect(row(page, 'Zoë Ångström')).toBeVisible()
    await expect(row(page, 'Jörg Müller')).toContainText('Früh')
  })

  await test.step('an import is undone as one, but for what somebody has changed since', async () => {
    await page.goto(importing(orgId))
    await page.getByRole('link', { name: 'mitarbeiter.csv' }).click()
    await press(page, 'Undo the import')
    // The file is read again only when all is over, the operation while it is at work.
    await page.route('**/api/organizations/*/imports/*', async (route) => {
      const working = () =>
        client.call(listOperations, { query: { organizationId: orgId, show: 'working', limit: 1 } })
      await expect.poll(async () => (await working()).total).toBe(0)
      await route.continue()
    })
    await page.getByRole('dialog').getByRole('button', { name: 'Undo the import' }).click()
    await expect(page.getByText(/^.*Undone by .*: 2 rows were taken back\./)).toBeVisible({ timeout: 20_000 })
    await page.unrouteAll({ behavior: 'wait' })
    const { items } = await client.call(listUsers, { params: { orgId } })
    expect(items.map(({ name }) => name).toSorted()).toEqual(['Rita Alt', 'Zoë Ångström'])
  })
})

test('what the list shows comes out as a file, and back in without a change', async ({
  world: { client, page, orgId },
}) => {
  for (const [name, email] of [
    ['Rita Neu', 'rita@example.test'],
    ['Jörg Müller', 'joerg@example.test'],
  ] as const)
    await client.call(createUser, { params: { orgId }, body: { name, email } })
  await page.goto(`${people(orgId)}&q=neu`)
  await expect(page.getByRole('row')).toHaveCount(2)
  const some = await saved(page, () => downloadList(page, 'CSV'))
  expect(some.trim().split('\r\n')).toHaveLength(2)
  expect(some).toContain('Rita Neu,rita@example.test')
  await page.goto(importing(orgId))
  await choose(page, 'export.csv', Buffer.from(some))
  await press(page, 'Check the rows')
  await expect(outcome(page, 'Nothing to change')).toContainText('1')
  await expect(page.getByText('There is nothing to import: no row adds or changes anybody.')).toBeVisible()
})

test(
  'everything is reached by keys, and fits a phone',
  { tag: '@long' },
  async ({ world: { page, orgId } }) => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(importing(orgId))
    await page.getByLabel('Or paste rows from a spreadsheet').focus()
    await page.keyboard.insertText('name\temail\nKim Key\tkim@example.test\n')
    await page.keyboard.press('Tab')
    await expect(page.getByRole('button', { name: 'Read the rows' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.getByLabel('name is')).toHaveValue('name')
    await page.getByRole('button', { name: 'Check the rows' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Import 1 row' }).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('button', { name: 'Import 1 row' })).toBeFocused()
    await fitsAcross(page)
  },
)

test(
  'an import goes on after the server was killed in the middle, and everybody is there once',
  { tag: '@long' },
  async () => {
    const product = await startProduct()
    const client = await firstSuperadmin(product)
    const { id: orgId } = await client.call(createOrganization, { body: { name: 'Tailspin Toys' } })
    const many = 12_000
    const lines = Array.from({ length: many }, (_, n) => `Person ${n},p${n}@many.test,M-${n}`)
    const { id, mapping } = await client.call(createImport, {
      params: { orgId },
      body: { fileName: 'many.csv', content: `name,email,staff number\n${lines.join('\n')}\n` },
    })
    const params = { orgId, importId: id }
    await client.call(updateImport, { params, body: { mapping, options: {} } })
    let seen = 0
    while (seen < many) seen = (await client.call(rehearseImport, { params })).rehearsed
    await client.call(startImport, { params })
    const read = () => client.call(readOperation, { params: { operationId: id } })
    for (const least of [1_000, 5_000]) {
      await expect
        .poll(async () => (await read()).done, { timeout: 60_000, intervals: [50] })
        .toBeGreaterThanOrEqual(least)
      expect((await read()).state).toBe('running')
      await product.kill()
      await product.restart()
    }
    await expect.poll(async () => (await read()).state, { timeout: 120_000 }).toBe('done')
    expect(await read()).toMatchObject({ done: many, counts: { created: many } })
    const database = await openDatabase(product)
    const counted = await database.query(
      `select (select count(*)::int from users where email like '%@many.test') as people,
      (select count(*)::int from audit where action = 'user.created' and after ->> 'email' like '%@many.test') as entries`,
    )
    expect(counted.rows).toEqual([{ people: many, entries: many }])
    await database.close()
    await product.stop()
  },
)

const practice = (name: string) => readFile(new URL(`../web/imports/cases/${name}`, import.meta.url))

test('letters that the file does not tell are shown in every way to read them, before anything is sent', async ({
  world: { page, orgId },
}) => {
  await page.goto(importing(orgId))
  await give(page, 'lidé.csv', await practice('windows-1250.csv'))
  await expect(page.getByRole('radio', { checked: true })).toHaveCount(0)
  await expect(page.getByText('Štěpán Dvořák;s@cz.example')).toBeVisible()
  await expect(page.getByText('Štìpán Dvoøák;s@cz.example')).toBeVisible()
  await press(page, 'Choose another file')
  await give(page, 'lidé.csv', await practice('windows-1250.csv'))
  await page.getByRole('radio', { name: 'Central European', exact: true }).check()
  await press(page, 'Read the file like this')
  await expect(page.getByRole('cell', { name: 'Łukasz Wójcik · Štěpán Dvořák' })).toBeVisible()
})

test('a workbook of Excel is taken as a CSV file is, whatever it is called', async ({
  world: { page, orgId },
}) => {
  const book = await writeExcelFile(
    [
      ['Name', 'Email'],
      ['Zofia Ż', 'zofia@example.test'],
    ].map((cells) => cells.map((value) => ({ value }))),
  ).toBuffer()
  await page.goto(importing(orgId))
  await choose(page, 'list.csv', book)
  await press(page, 'Check the rows')
  await expect(row(page, 'Zofia Ż')).toContainText('zofia@example.test')
  await page.goto(importing(orgId))
  await give(page, 'old.xls', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]))
  await expect(page.getByRole('alert')).toContainText('save it as .xlsx')
})

test('who comes again after being removed is brought back from the form', async ({
  world: { client, page, orgId },
}) => {
  const { id } = await client.call(createUser, {
    params: { orgId },
    body: { name: 'Carla Removed', email: 'carla@example.test' },
  })
  await client.call(deleteUser, { params: { orgId, userId: id } })
  await page.goto(`/organizations/${orgId}/users/create`)
  await page.getByLabel('Name', { exact: true }).fill('Carla Again')
  await page.getByLabel('Email', { exact: true }).fill('Carla@example.test')
  await press(page, 'Add a person')
  await expect(page.getByRole('alert')).toContainText('Carla Removed had this address')
  expect(await axeFaults(page)).toEqual([])
  await press(page, 'Bring Carla Removed back')
  await expect(page.getByText('Carla Removed is back.')).toBeVisible()
  const found = await client.call(listUsers, { params: { orgId }, query: { q: 'carla' } })
  expect(found.items.map((one) => one.id)).toEqual([id])
})
