import { createHmac, randomUUID } from 'node:crypto'
import { expect, test, type Page } from '@playwright/test'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { createGroup } from '#contract/directory/groups.ts'
import { createInvitation } from '#contract/directory/invitations.ts'
import { readMailEvents } from '#contract/transmissions/mail-events.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { listOutbox } from '#contract/platform/system.ts'
import { defaultQuizSettings, publishQuiz, saveQuiz } from '#contract/quizzes/quizzes.ts'
import { listTransmissions } from '#contract/transmissions/transmissions.ts'
import { createUser, listUsers } from '#contract/directory/users.ts'
import { accept, firstSuperadmin, type Client } from './client.ts'
import { axeFaults, rowAct, signedIn } from './console.ts'
import { openDatabase } from './database.ts'
import { waitFor } from './mailbox.ts'
import { startProduct, type Product } from './product.ts'
import { readyVideo } from './upload.ts'

/** What somebody who answers for training does in a week, and how often they press for it. */
let product: Product
let superadmin: Client
let manager: Client
let page: Page
let orgId: string
let videoId: string
let presses = 0

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser }) => {
  product = await startProduct()
  superadmin = await firstSuperadmin(product)
  orgId = (
    await superadmin.call(createOrganization, {
      body: { name: 'Tailspin Toys', timeZone: 'Europe/Berlin' },
    })
  ).id
  const email = 'grace@tailspin.example'
  await superadmin.call(createInvitation, { body: { organizationId: orgId, email, role: 'admin' } })
  manager = await accept(product, superadmin, { email, name: 'Grace Hopper' })
  const params = { orgId }
  const { id: warehouse } = await manager.call(createGroup, { params, body: { name: 'Warehouse' } })
  for (const name of ['Annie Easley', 'Katherine Johnson', 'Margaret Hamilton'])
    await manager.call(createUser, {
      params,
      body: { name, email: `${name.split(' ')[0]}@tailspin.example`.toLowerCase(), groupIds: [warehouse] },
    })
  videoId = await readyVideo(
    { url: product.url, client: superadmin, organizationId: orgId },
    { seconds: 2, width: 320 },
  )
  page = await signedIn(browser, product, manager)
  await page.exposeFunction('pressed', () => {
    presses += 1
  })
  await page.addInitScript(() =>
    addEventListener('pointerdown', () => Reflect.get(window, 'pressed')(), true),
  )
})
test.afterAll(async () => {
  await page.context().close()
  await product.stop()
})
test.beforeEach(() => {
  presses = 0
})

const main = () => page.getByRole('main')
const press = (name: string | RegExp) =>
  main()
    .getByRole('button', typeof name === 'string' ? { name, exact: true } : { name })
    .click()
const unfold = (title: string) => main().locator('summary').filter({ hasText: title }).click()
const agree = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
const field = (name: string) => main().getByRole('textbox', { name, exact: true })
const title = (name: string | RegExp) => page.getByRole('heading', { level: 1, name })
const mailsTo = async (address: string) =>
  (await superadmin.call(listOutbox, { query: { q: address } })).items.filter(({ to }) =>
    to.includes(address),
  )
const menu = (name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()

async function chooseWarehouse(): Promise<void> {
  await main().getByRole('combobox', { name: 'Groups', exact: true }).click()
  await page.getByRole('option', { name: 'Warehouse' }).click()
}

test('a message is written once, kept as a template, and sent to a group', async () => {
  await page.goto(`${product.url}/dashboard`)
  await menu('Transmissions')
  await main().getByRole('link', { name: 'Add a transmission' }).first().click()
  await press(/^A real video/)
  await chooseWarehouse()
  await field('Message').fill('Hello {{firstName|colleague}}, please watch this.')
  await press('Save as template')
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Please watch')
  await agree('Save template')
  await press('Send to 3 people')
  await agree('Send to 3 people')
  await expect(page.locator('[data-sending=completed]')).toBeVisible({ timeout: 30_000 })
  expect((await mailsTo('annie@tailspin.example'))[0]?.text).toContain('Hello Annie, please watch this.')
  expect(presses).toBeLessThanOrEqual(9)
})

test('who has not completed it is found and written to again with three presses', async () => {
  await expect(main().getByRole('link', { name: 'Write to 3 people again' })).toBeVisible()
  presses = 0
  await main().getByRole('link', { name: 'Write to 3 people again' }).click()
  await press('Send to 3 people')
  await agree('Send to 3 people')
  await expect(page.locator('[data-sending=completed]')).toBeVisible({ timeout: 30_000 })
  expect(await mailsTo('annie@tailspin.example')).toHaveLength(2)
  expect(presses).toBe(3)
})

test('a message from a template waits for Monday at nine', async () => {
  const monday = new Date(Date.now() + ((8 - new Date().getUTCDay()) % 7 || 7) * 86_400_000)
  await menu('Transmissions')
  await main().getByRole('link', { name: 'Add a transmission' }).first().click()
  await press(/^A real video/)
  await chooseWarehouse()
  await main().getByRole('combobox', { name: 'Start from a template' }).selectOption('Please watch')
  await main().getByRole('radio', { name: 'Later' }).check()
  await page.getByLabel('Day', { exact: true }).fill(monday.toISOString().slice(0, 10))
  await press('Schedule for 3 people')
  await agree('Schedule for 3 people')
  await expect(main()).toContainText(
    /Leaves on \w+ \d+(?:, \d+)?, 9:00\sAM, Central European Time \(Berlin\)/,
  )
  expect(await mailsTo('annie@tailspin.example')).toHaveLength(2)
  expect(presses).toBeLessThanOrEqual(9)
})

test('everybody in Warehouse owes it once a year, and so does who joins later; their manager is told', async () => {
  await menu('Assignments')
  await main().getByRole('link', { name: 'Add an assignment' }).first().click()
  await press(/^A real video/)
  await chooseWarehouse()
  await unfold('More')
  await field('Name optional').fill('Fire safety, every year')
  await unfold('How long it is valid')
  await main().getByRole('radio', { name: 'For some months, and then once more' }).check()
  await unfold('Reminders')
  await main().getByRole('radio', { name: 'Tell their manager' }).check()
  await expect(main()).toContainText('3 people have to see it.')
  expect(await axeFaults(page)).toEqual([])
  await press('Assign')
  await agree('Assign')
  await expect(title(/Fire safety, every year/)).toBeVisible()
  expect(presses).toBeLessThanOrEqual(12)
  await expect(main()).toContainText('0 of 3 people have completed it', { timeout: 30_000 })
  await manager.call(createUser, {
    params: { orgId },
    body: { name: 'Mary Jackson', email: 'mary@tailspin.example', groupIds: [await warehouseId()] },
  })
  await expect(main()).toContainText('0 of 4 people have completed it', { timeout: 90_000 })
  await expect.poll(async () => (await mailsTo('mary@tailspin.example')).length, { timeout: 60_000 }).toBe(1)
})

test('a mail comes back: the address is corrected, and the message sent anew to this person alone', async () => {
  const [sent] = (await manager.call(listTransmissions)).items.toReversed()
  const params = { transmissionId: sent?.id ?? '' }
  const { items } = await manager.call(listDeliveries, { params })
  const gone = items.find(({ user }) => user.name === 'Katherine Johnson')
  await returned(gone?.id ?? '')
  await page.goto(`${product.url}/transmissions/${params.transmissionId}`)
  await expect(main()).toContainText('1 mail was not delivered')
  presses = 0
  expect(await axeFaults(page)).toEqual([])
  await rowAct(main(), 'Katherine Johnson', 'Correct the address')
  await field('Email').fill('kathy@tailspin.example')
  await press('Save changes')
  // Back where the mails that came back are.
  await expect(page).toHaveURL(`${product.url}/transmissions/${params.transmissionId}`)
  await main().getByRole('link', { name: 'Send it to them anew' }).click()
  await press('Send to 1 person')
  await agree('Send to 1 person')
  await expect(page.locator('[data-sending=completed]')).toBeVisible({ timeout: 30_000 })
  expect((await mailsTo('kathy@tailspin.example'))[0]?.text).toContain('Hello Katherine')
  expect(presses).toBeLessThanOrEqual(6)
})

test('who fails is found and reminded with two presses, repeats the questions, passes, and is done', async ({
  browser,
}) => {
  await askOneQuestion()
  const address = 'margaret@tailspin.example'
  const before = (await mailsTo(address)).length
  await menu('Assignments')
  await main().getByRole('link', { name: 'Add an assignment' }).first().click()
  await press(/^A real video/)
  await chooseWarehouse()
  await unfold('More')
  await field('Name optional').fill('Fire exits, passed')
  await unfold('What has to be done')
  await main().getByRole('radio', { name: 'Watch the video and pass its questions' }).check()
  await press('Assign')
  await agree('Assign')
  await expect(title(/Fire exits, passed/)).toBeVisible()
  expect(presses).toBeLessThanOrEqual(10)
  await expect(main()).toContainText('0 of 4 people have completed it', { timeout: 30_000 })
  const viewer = await browser.newPage()
  const receipt = viewer.getByRole('region', { name: 'What you have seen' })
  await viewer.goto(product.url + (await newLink(address, before)))
  await answer(viewer, 'Through the lift')
  await expect(viewer.getByRole('dialog')).toContainText('You have not passed.')
  await aDayLater()

  await page.reload()
  presses = 0
  await main().getByRole('link', { name: '1 Failed' }).click()
  await expect(page).toHaveURL(/state=failed/)
  // A row that still moves up under the mouse has it no longer.
  await expect(main().locator('[data-part=table] tbody tr:not([data-group])')).toHaveCount(1)
  await main()
    .getByRole('row', { name: /Margaret Hamilton/ })
    .hover()
  await press('Remind Margaret Hamilton')
  const reminder = await newLink(address, before + 1)
  expect(presses).toBe(2)
  await viewer.goto(product.url + reminder)
  await expect(receipt).toContainText('please try them again')
  // What the server says next is late: the page knows by itself that nothing is to be tried again.
  await viewer.route('**/tracks/receipt', (route) => route.abort())
  await answer(viewer, 'Down the stairs')
  await expect(viewer.getByRole('dialog')).toContainText('You have passed.')
  await expect(receipt).not.toContainText('please try them again', { timeout: 1 })
  await viewer.context().close()
  await page.reload()
  await expect(main()).toContainText('1 of 4 people have completed it', { timeout: 30_000 })
})

/** At the end of the video, which had none so far. */
async function askOneQuestion(): Promise<void> {
  const option = (text: string, correct: boolean) => ({ id: randomUUID(), text, correct, feedback: null })
  const question = {
    key: randomUUID(),
    kind: 'single',
    prompt: 'Which way out?',
    atMs: null,
    gate: false,
    points: 1,
    options: [option('Down the stairs', true), option('Through the lift', false)],
    number: null,
    texts: [],
    shuffle: false,
    whenRight: null,
    whenWrong: null,
    backToMs: null,
    teaches: null,
  } as const
  const body = {
    settings: defaultQuizSettings,
    questions: [{ ...question, options: [...question.options], texts: [] }],
  }
  await superadmin.call(saveQuiz, { params: { videoId }, body })
  await superadmin.call(publishQuiz, { params: { videoId } })
}

/** Of the mail that comes after so many. */
function newLink(address: string, after: number): Promise<string> {
  return waitFor(async () => {
    const mails = await mailsTo(address)
    return mails.length > after ? /(\/w\/video\/\S+)/.exec(mails[0]?.text ?? '')?.[1] : undefined
  }, 'one more mail')
}

/** Plays to the end, and answers; what was answered before is asked again. */
async function answer(viewer: Page, text: string): Promise<void> {
  await viewer.getByRole('button', { name: /^Play:/ }).click()
  const dialog = viewer.getByRole('dialog')
  const shown = viewer.getByRole('button', { name: 'Show the result' })
  await dialog.or(shown).first().waitFor({ timeout: 30_000 })
  if (await shown.isVisible()) await shown.click()
  const again = dialog.getByRole('button', { name: 'Try again' })
  if (await again.isVisible()) await again.click()
  await dialog.getByLabel(text).check({ timeout: 30_000 })
  await dialog.getByRole('button', { name: 'Answer' }).click()
  await dialog.getByRole('button', { name: 'Show the result' }).click()
}

/** Nobody is reminded by hand within a day of the last message. */
async function aDayLater(): Promise<void> {
  const database = await openDatabase(product)
  await database.query(`update obligations set last_message_at = last_message_at - interval '25 hours'`)
  await database.close()
}

async function warehouseId(): Promise<string> {
  const { items } = await manager.call(listUsers, { params: { orgId } })
  const groups = items.flatMap((one) => one.groups)
  return groups.find(({ name }) => name === 'Warehouse')?.id ?? ''
}

/** As a provider reports that nobody is there. */
async function returned(deliveryId: string): Promise<void> {
  const { secret } = await superadmin.call(readMailEvents)
  const at = new Date().toISOString()
  const event = { id: crypto.randomUUID(), deliveryId, at, kind: 'returned', permanent: true }
  const body = JSON.stringify({ events: [{ ...event, status: '5.1.1', detail: '550 5.1.1 No such user' }] })
  const seconds = Math.floor(Date.now() / 1_000)
  const hmac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  const answer = await waitFor(async () => {
    const { ok } = await fetch(`${product.url}/api/mail-events/generic`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-signature': `t=${seconds},v1=${hmac}` },
    })
    return ok || undefined
  }, 'the report to be taken')
  expect(answer).toBe(true)
}
