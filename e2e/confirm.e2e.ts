import { expect, type Page } from '@playwright/test'
import { createAssignment, listObligations } from '#contract/assignments/assignments.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createUser } from '#contract/directory/users.ts'
import { unique } from '#server/testing/unique.ts'
import { newSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross, rowAct } from './console.ts'
import { linkTo } from './outbox.ts'
import { test as shared } from './shared.ts'
import { readyVideo } from './upload.ts'

const statement = 'I have read and understood the rules for the warehouse.'

type World = {
  client: Client
  orgId: string
  assignmentId: string
  link: string
}

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product }, use) => {
    const client = await newSuperadmin(product)
    const orgId = (await client.call(createOrganization, { body: { name: 'Köhler & Söhne' } })).id
    const email = `zoe-${unique()}@example.test`
    await client.call(createUser, { params: { orgId }, body: { name: 'Zoë Ωmega', email } })
    const to = { url: product.url, client, organizationId: orgId }
    const videoId = await readyVideo(to, { seconds: 4, width: 320 })
    const { id: assignmentId } = await client.call(createAssignment, {
      params: { orgId },
      body: {
        name: 'Warehouse',
        videoId,
        audience: { everyone: true },
        requirement: 'watched',
        statement,
        due: { kind: 'after', days: 10, working: false },
        validity: null,
        countsSince: null,
        reminders: { daysBefore: [3], onTheDay: true, daysAfter: [2], weekly: true, most: 5 },
        subject: 'Warehouse',
        message: 'It concerns everybody.',
        start: true,
      },
    })
    await use({ client, orgId, assignmentId, link: await linkTo(client, email) })
  },
})

const state = async ({ client, orgId, assignmentId }: World) =>
  (await client.call(listObligations, { params: { orgId, assignmentId } })).items[0]?.state

const asked = (page: Page) => page.getByRole('region', { name: 'Please confirm' })
const confirming = (page: Page) => asked(page).getByRole('button', { name: 'I confirm this' })

async function watch(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Play:/ }).click()
  await page.waitForFunction(() => document.querySelector('video')?.ended, undefined, { timeout: 30_000 })
}

test('once the video is watched, its sentence is confirmed with the keyboard', async ({ page, world }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(world.link)
  await expect(asked(page)).toContainText(statement)
  await expect(asked(page)).toContainText('You can confirm this here as soon as the rest is done.')
  await expect(confirming(page)).toBeHidden()
  await watch(page)
  await expect(confirming(page)).toBeVisible({ timeout: 20_000 })
  const receipt = page.getByRole('region', { name: 'What you have seen' })
  await expect(receipt).toContainText('Please confirm the sentence below.')
  await fitsAcross(page)
  expect(await axeFaults(page)).toEqual([])
  expect(await state(world)).toBe('unconfirmed')
  await confirming(page).focus()
  await page.keyboard.press('Enter')
  await expect(asked(page)).toContainText('You confirmed this on ')
  await expect(confirming(page)).toHaveCount(0)
  expect(await axeFaults(page)).toEqual([])
  expect(await state(world)).toBe('done')
})

test('no script is needed to confirm', async ({ page, browser, world }) => {
  await page.goto(world.link)
  await watch(page)
  await expect(confirming(page)).toBeVisible({ timeout: 20_000 })
  const plain = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
  await plain.goto(`${world.link}&language=de`)
  await expect(plain.getByRole('region', { name: 'Bitte bestätigen Sie' })).toContainText(statement)
  await plain.getByRole('button', { name: 'Das bestätige ich' }).click()
  await expect(plain.getByRole('main')).toContainText('Das haben Sie am ')
  await plain.context().close()
  expect(await state(world)).toBe('done')
})

test('the console says what is to be confirmed, and how it was', async ({ page, world, open }) => {
  const { client, orgId, assignmentId, link } = world
  await page.goto(link)
  await watch(page)
  await confirming(page).click()
  await expect(asked(page)).toContainText('You confirmed this on ')
  const console = await open(client)
  await console.goto(`/assignments/${orgId}/${assignmentId}`)
  await expect(console.getByRole('main')).toContainText(statement)
  await rowAct(console, 'Zoë Ωmega', 'History')
  const times = console.getByRole('dialog').getByRole('list', { name: 'Times' })
  await expect(times).toContainText('version 1 of the video, by the link of “Warehouse”')
  await expect(times).toContainText(`“${statement}”`)
  expect(await axeFaults(console)).toEqual([])
})
