import { createHmac, randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { createGroup } from '#contract/directory/groups.ts'
import { readMailEvents } from '#contract/transmissions/mail-events.ts'
import { defaultQuizSettings, publishQuiz, saveQuiz } from '#contract/quizzes/quizzes.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createTemplate } from '#contract/transmissions/templates.ts'
import { createTransmission, readTransmission } from '#contract/transmissions/transmissions.ts'
import { createUser } from '#contract/directory/users.ts'
import { updateVideo } from '#contract/videos/videos.ts'
import { unique } from '#server/testing/unique.ts'
import { newAdmin, newSuperadmin, type Client } from './client.ts'
import { axeFaults, rowAct } from './console.ts'
import { openDatabase } from './database.ts'
import { waitFor } from './mailbox.ts'
import { mailsTo } from './outbox.ts'
import type { Product } from './product.ts'
import { test as shared } from './shared.ts'
import { readyVideo, videoWithoutFiles } from './upload.ts'

type World = {
  product: Product
  superadmin: Client
  manager: Client
  orgId: string
  warehouseId: string
  videoId: string
  /** On which the manager is signed in; it counts how often they press. */
  page: Page
  presses: { count: number }
  addressOf: (firstName: string) => string
}

/** What somebody who answers for training does in a week, and how often they press for it. */
const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const superadmin = await newSuperadmin(product)
    const organization = { name: 'Tailspin Toys', timeZone: 'Europe/Berlin' }
    const { id: orgId } = await superadmin.call(createOrganization, { body: organization })
    const manager = await newAdmin(product, superadmin, { orgId, name: 'Grace Hopper' })
    const params = { orgId }
    const { id: warehouseId } = await manager.call(createGroup, { params, body: { name: 'Warehouse' } })
    const videoId = await videoWithoutFiles(product, { organizationId: orgId })
    const page = await open(manager)
    const presses = { count: 0 }
    await page.exposeFunction('pressed', () => {
      presses.count += 1
    })
    await page.addInitScript(() =>
      addEventListener('pointerdown', () => Reflect.get(window, 'pressed')(), true),
    )
    const domain = `${unique()}.example`
    const addressOf = (firstName: string) => `${firstName}@${domain}`.toLowerCase()
    const who = { product, superadmin, manager, orgId, warehouseId }
    const world = { ...who, videoId, page, presses, addressOf }
    for (const name of ['Annie Easley', 'Katherine Johnson', 'Margaret Hamilton']) await hire(world, name)
    await use(world)
  },
})

/** Adds somebody to Warehouse. */
async function hire({ manager, orgId, warehouseId, addressOf }: World, name: string): Promise<void> {
  const email = addressOf(name.split(' ')[0] ?? '')
  const body = { name, email, groupIds: [warehouseId] }
  await manager.call(createUser, { params: { orgId }, body })
}

const greeting = 'Hello {{firstName|colleague}}, please watch this.'

/** A message that everybody in Warehouse has got; answers its id. */
async function sent({ manager, orgId, warehouseId, videoId }: World): Promise<string> {
  const audience = { everyone: false, userIds: [], groupIds: [warehouseId] }
  const body = { body: greeting, videoId, accountId: orgId, audience }
  const { id: transmissionId } = await manager.call(createTransmission, { body })
  const state = async () => (await manager.call(readTransmission, { params: { transmissionId } })).state
  await expect.poll(state, { timeout: 30_000 }).toBe('completed')
  return transmissionId
}

const main = (page: Page) => page.getByRole('main')
const press = (page: Page, name: string | RegExp) =>
  main(page)
    .getByRole('button', typeof name === 'string' ? { name, exact: true } : { name })
    .click()
const unfold = (page: Page, title: string) => main(page).locator('summary').filter({ hasText: title }).click()
const agree = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
const field = (page: Page, name: string) => main(page).getByRole('textbox', { name, exact: true })
const title = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name })
const completed = (page: Page) =>
  expect(page.locator('[data-sending=completed]')).toBeVisible({ timeout: 30_000 })

/** Begins a message or an assignment of a video to Warehouse, as the menu leads there. */
async function begin(page: Page, what: 'transmission' | 'assignment', video = 'A real video'): Promise<void> {
  await page.goto('/dashboard')
  const menu = page.getByRole('navigation', { name: 'Main' })
  await menu.getByRole('link', { name: what === 'transmission' ? 'Transmissions' : 'Assignments' }).click()
  await main(page)
    .getByRole('link', { name: what === 'transmission' ? 'Add a transmission' : 'Add an assignment' })
    .first()
    .click()
  await press(page, new RegExp(`^${video}`))
  await main(page).getByRole('combobox', { name: 'Groups', exact: true }).click()
  await page.getByRole('option', { name: 'Warehouse' }).click()
}

test('a message is written once, kept as a template, and sent to a group', async ({ world }) => {
  const { page, presses, superadmin, addressOf } = world
  await begin(page, 'transmission')
  await field(page, 'Message').fill(greeting)
  await press(page, 'Save as template')
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Please watch')
  await agree(page, 'Save template')
  await press(page, 'Send to 3 people')
  await agree(page, 'Send to 3 people')
  await completed(page)
  const [mail] = await mailsTo(superadmin, addressOf('Annie'))
  expect(mail?.text).toContain('Hello Annie, please watch this.')
  expect(presses.count).toBeLessThanOrEqual(9)
})

test('who has not completed it is found and written to again with three presses', async ({ world }) => {
  const { page, presses, superadmin, addressOf } = world
  await page.goto(`/transmissions/${await sent(world)}`)
  await main(page).getByRole('link', { name: 'Write to 3 people again' }).click()
  await press(page, 'Send to 3 people')
  await agree(page, 'Send to 3 people')
  await completed(page)
  expect(await mailsTo(superadmin, addressOf('Annie'))).toHaveLength(2)
  expect(presses.count).toBe(3)
})

test('a message from a template waits for Monday at nine', async ({ world }) => {
  const { page, presses, manager, orgId, superadmin, addressOf } = world
  const template = { name: 'Please watch', message: greeting }
  await manager.call(createTemplate, { params: { orgId }, body: template })
  const monday = new Date(Date.now() + ((8 - new Date().getUTCDay()) % 7 || 7) * 86_400_000)
  await begin(page, 'transmission')
  await main(page).getByRole('combobox', { name: 'Start from a template' }).selectOption('Please watch')
  await main(page).getByRole('radio', { name: 'Later' }).check()
  await page.getByLabel('Day', { exact: true }).fill(monday.toISOString().slice(0, 10))
  await press(page, 'Schedule for 3 people')
  await agree(page, 'Schedule for 3 people')
  await expect(main(page)).toContainText(
    /Leaves on \w+ \d+(?:, \d+)?, 9:00\sAM, Central European Time \(Berlin\)/,
  )
  expect(await mailsTo(superadmin, addressOf('Annie'))).toEqual([])
  expect(presses.count).toBeLessThanOrEqual(9)
})

test('everybody in Warehouse owes it once a year, and so does who joins later; their manager is told', async ({
  world,
}) => {
  const { page, presses, superadmin, addressOf } = world
  await begin(page, 'assignment')
  await unfold(page, 'More')
  await field(page, 'Name optional').fill('Fire safety, every year')
  await unfold(page, 'How long it is valid')
  await main(page).getByRole('radio', { name: 'For some months, and then once more' }).check()
  await unfold(page, 'Reminders')
  await main(page).getByRole('radio', { name: 'Tell their manager' }).check()
  await expect(main(page)).toContainText('3 people have to see it.')
  expect(await axeFaults(page)).toEqual([])
  await press(page, 'Assign')
  await agree(page, 'Assign')
  await expect(title(page, /Fire safety, every year/)).toBeVisible()
  expect(presses.count).toBeLessThanOrEqual(12)
  await expect(main(page)).toContainText('0 of 3 people have completed it', { timeout: 30_000 })
  await hire(world, 'Mary Jackson')
  await expect(main(page)).toContainText('0 of 4 people have completed it', { timeout: 90_000 })
  await expect
    .poll(async () => (await mailsTo(superadmin, addressOf('Mary'))).length, { timeout: 60_000 })
    .toBe(1)
})

test('a mail comes back: the address is corrected, and the message sent anew to this person alone', async ({
  world,
}) => {
  const { page, presses, manager, superadmin, addressOf } = world
  const transmissionId = await sent(world)
  const { items } = await manager.call(listDeliveries, { params: { transmissionId } })
  const gone = items.find(({ user }) => user.name === 'Katherine Johnson')
  await returned(world, gone?.id ?? '')
  await page.goto(`/transmissions/${transmissionId}`)
  await expect(main(page)).toContainText('1 mail was not delivered')
  expect(await axeFaults(page)).toEqual([])
  await rowAct(main(page), 'Katherine Johnson', 'Correct the address')
  await field(page, 'Email').fill(addressOf('Kathy'))
  await press(page, 'Save changes')
  // Back where the mails that came back are.
  await expect(page).toHaveURL(`/transmissions/${transmissionId}`)
  await main(page).getByRole('link', { name: 'Send it to them anew' }).click()
  await press(page, 'Send to 1 person')
  await agree(page, 'Send to 1 person')
  await completed(page)
  const [mail] = await mailsTo(superadmin, addressOf('Kathy'))
  expect(mail?.text).toContain('Hello Katherine')
  expect(presses.count).toBeLessThanOrEqual(6)
})

test('who fails is found and reminded with two presses, repeats the questions, passes, and is done', async ({
  world,
  page: viewer,
}) => {
  const { page, presses } = world
  const newLink = (after: number) => linkAfter(world, world.addressOf('Margaret'), after)
  await fireExits(world)
  await begin(page, 'assignment', 'Fire exits')
  await unfold(page, 'More')
  await field(page, 'Name optional').fill('Fire exits, passed')
  await unfold(page, 'What has to be done')
  await main(page).getByRole('radio', { name: 'Watch the video and pass its questions' }).check()
  await press(page, 'Assign')
  await agree(page, 'Assign')
  await expect(title(page, /Fire exits, passed/)).toBeVisible()
  expect(presses.count).toBeLessThanOrEqual(10)
  await expect(main(page)).toContainText('0 of 3 people have completed it', { timeout: 30_000 })
  const receipt = viewer.getByRole('region', { name: 'What you have seen' })
  await viewer.goto(await newLink(0))
  await answer(viewer, 'Through the lift')
  await expect(viewer.getByRole('dialog')).toContainText('You have not passed.')
  await aDayLater(world)

  await page.reload()
  presses.count = 0
  await main(page).getByRole('link', { name: '1 Failed' }).click()
  await expect(page).toHaveURL(/state=failed/)
  // A row that still moves up under the mouse has it no longer.
  await expect(main(page).locator('[data-part=table] tbody tr:not([data-group])')).toHaveCount(1)
  await main(page)
    .getByRole('row', { name: /Margaret Hamilton/ })
    .hover()
  await press(page, 'Remind Margaret Hamilton')
  const reminder = await newLink(1)
  expect(presses.count).toBe(2)
  await viewer.goto(reminder)
  await expect(receipt).toContainText('please try them again')
  // What the server says next is late: the page knows by itself that nothing is to be tried again.
  await viewer.route('**/tracks/receipt', (route) => route.abort())
  await answer(viewer, 'Down the stairs')
  await expect(viewer.getByRole('dialog')).toContainText('You have passed.')
  await expect(receipt).not.toContainText('please try them again', { timeout: 1 })
  await viewer.close()
  await page.reload()
  await expect(main(page)).toContainText('1 of 3 people have completed it', { timeout: 30_000 })
})

/** A video that can be watched, with one question at its end. */
async function fireExits({ product, superadmin, orgId }: World): Promise<void> {
  const where = { url: product.url, client: superadmin, organizationId: orgId }
  const params = { videoId: await readyVideo(where, { seconds: 2, width: 320 }) }
  await superadmin.call(updateVideo, { params, body: { title: 'Fire exits' } })
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
  await superadmin.call(saveQuiz, { params, body })
  await superadmin.call(publishQuiz, { params })
}

/** Of the mail that comes after so many. */
function linkAfter({ superadmin }: World, address: string, after: number): Promise<string> {
  return waitFor(async () => {
    const mails = await mailsTo(superadmin, address)
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
async function aDayLater({ product, orgId }: World): Promise<void> {
  const database = await openDatabase(product)
  await database.query(
    `update obligations set last_message_at = last_message_at - interval '25 hours' where organization_id = $1`,
    [orgId],
  )
  await database.close()
}

/** As a provider reports that nobody is there. */
async function returned({ product, superadmin }: World, deliveryId: string): Promise<void> {
  const { secret } = await superadmin.call(readMailEvents)
  const at = new Date().toISOString()
  const event = { id: randomUUID(), deliveryId, at, kind: 'returned', permanent: true }
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
