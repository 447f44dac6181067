import { expect, type Page } from '@playwright/test'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createUser } from '#contract/directory/users.ts'
import { updateVideo } from '#contract/videos/videos.ts'
import { unique } from '#server/testing/unique.ts'
import { newSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross, pressMore } from './console.ts'
import { linkTo, mailsTo } from './outbox.ts'
import { test as shared } from './shared.ts'
import { readyVideo, videoWithoutFiles } from './upload.ts'

type World = {
  client: Client
  page: Page
  orgId: string
  orgName: string
  adasEmail: string
  gracesEmail: string
}

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const client = await newSuperadmin(product)
    const orgName = `Step by Step ${unique()}`
    const { id: organizationId } = await client.call(createOrganization, { body: { name: orgName } })
    const [adasEmail, gracesEmail] = [`ada-${unique()}@steps.example`, `grace-${unique()}@steps.example`]
    for (const body of [
      { name: 'Ada Lovelace', email: adasEmail },
      { name: 'Grace Hopper', email: gracesEmail },
    ])
      await client.call(createUser, { params: { orgId: organizationId }, body })
    // Only the first one is played.
    const to = { url: product.url, client, organizationId }
    const videoId = await readyVideo(to, { seconds: 3, width: 320 })
    await client.call(updateVideo, { params: { videoId }, body: { title: 'Fire safety' } })
    for (const title of ['First aid', 'Ladders']) await videoWithoutFiles(product, { organizationId, title })
    await use({ client, page: await open(client), orgId: organizationId, orgName, adasEmail, gracesEmail })
  },
})

const main = (page: Page) => page.getByRole('main')
const button = (page: Page, name: string) => main(page).getByRole('button', { name, exact: true })
async function press(page: Page, name: string): Promise<void> {
  await button(page, name).focus()
  await page.keyboard.press('Enter')
}
const group = (page: Page, name: string) => main(page).getByRole('group', { name, exact: true })
const choose = async (page: Page, video: string, title: string) => {
  await group(page, video)
    .getByRole('button', { name: new RegExp(`^${title}`) })
    .focus()
  await page.keyboard.press('Enter')
}
const unfold = (page: Page, title: string) => main(page).locator('summary').filter({ hasText: title }).click()
const assign = async (page: Page) => {
  await press(page, 'Assign')
  await page.getByRole('dialog').getByRole('button', { name: 'Assign', exact: true }).click()
}
const steps = (page: Page) => page.getByRole('region', { name: 'Path' }).getByRole('listitem')
const mailsAbout = async (client: Client, address: string, title: string) =>
  (await mailsTo(client, address)).filter(({ text }) => text.includes(title)).length

test('a path is put together, leads whoever has done a step to the next one, and is continued', async ({
  page: reader,
  world: { client, page, orgId, orgName, adasEmail, gracesEmail },
}) => {
  test.slow()
  await test.step('several videos are put after each other with the keyboard alone', async () => {
    await page.goto('/assignments/create')
    await page.getByRole('combobox', { name: 'Organization', exact: true }).fill(orgName)
    await page.getByRole('option', { name: orgName }).click()
    await unfold(page, 'More')
    await page.getByRole('textbox', { name: 'Name optional', exact: true }).fill('Fire safety, every year')
    await choose(page, 'Video', 'Fire safety')
    await press(page, 'Add a further video')
    await press(page, 'Assign')
    await expect(page.locator('[data-error-summary]')).toContainText('Please choose a video.')
    await choose(page, 'Video 2', 'Ladders')
    await press(page, 'Add a further video')
    await choose(page, 'Video 3', 'First aid')
    await expect(button(page, 'Move “First aid” down')).toHaveAttribute('aria-disabled', 'true')
    await press(page, 'Move “First aid” up')
    await expect(button(page, 'Move “First aid” up')).toBeFocused()
    await expect(page.getByRole('textbox', { name: 'Name of video 2' })).toHaveValue('First aid')
    await press(page, 'Remove “Ladders”')
    await expect(button(page, 'Add a further video')).toBeFocused()
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
    await expect(main(page)).toContainText('2 people have to see it.')
    await assign(page)
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Fire safety, every year')
    await expect(steps(page)).toHaveCount(2)
    await expect(steps(page).first().locator('[aria-current]')).toHaveText('Fire safety, every year')
    await expect(steps(page).first()).toContainText('2 Assigned', { timeout: 30_000 })
    await expect(steps(page).last()).toContainText('Nobody has started yet.')
    expect(await axeFaults(page)).toEqual([])
  })

  await test.step('whoever has done the first one is asked for the second, and nobody else', async () => {
    await reader.goto(await linkTo(client, adasEmail))
    await reader.getByRole('button', { name: /^Play:/ }).click()
    await reader.waitForFunction(() => document.querySelector('video')?.ended, undefined, { timeout: 30_000 })
    await expect(steps(page).first()).toContainText('1 Completed', { timeout: 60_000 })
    await steps(page).last().getByRole('link', { name: 'First aid' }).click()
    await expect(steps(page).last()).toContainText('1 Assigned', { timeout: 90_000 })
    await expect(steps(page).last()).toContainText(
      '1 person has not started: they have yet to complete “Fire safety, every year”.',
    )
    await expect(page.getByRole('row', { name: /Ada Lovelace/ })).toBeVisible()
    await expect.poll(() => mailsAbout(client, adasEmail, 'First aid'), { timeout: 60_000 }).toBe(1)
    expect(await mailsAbout(client, gracesEmail, 'First aid')).toBe(0)
    expect(await axeFaults(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    await fitsAcross(page)
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  await test.step('the next video takes people and terms over, and says who begins when', async () => {
    await pressMore(page, 'Add the next video')
    await expect(
      page.getByRole('radio', { name: 'Once people have completed another assignment' }),
    ).toBeChecked()
    await expect(page.getByRole('combobox', { name: 'Which one' })).toHaveValue('First aid')
    await unfold(page, 'More')
    await page.getByRole('textbox', { name: 'Name optional', exact: true }).fill('Ladders')
    await choose(page, 'Video', 'Ladders')
    await expect(main(page)).toContainText('2 people: 0 begin now, 2 once they have completed “First aid”.')
    expect(await axeFaults(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    await fitsAcross(page)
    await page.setViewportSize({ width: 1280, height: 800 })
    await assign(page)
    await expect(steps(page)).toHaveCount(3)
    await expect(main(page)).toContainText('Once people have completed “First aid”')
    await steps(page).nth(1).getByRole('link', { name: 'First aid' }).click()
    await pressMore(page, 'End')
    await expect(page.getByRole('dialog')).toContainText('“Ladders” waits for it')
    await page.getByRole('dialog').getByRole('button', { name: 'Keep it' }).click()
    await page.goto(`/assignments?organization=${orgId}`)
    await expect(page.getByRole('row', { name: /Ladders/ })).toContainText('after First aid')
    expect(await axeFaults(page)).toEqual([])
  })
})

test('a path that was saved as a draft is started with one press', async ({ world: { page, orgName } }) => {
  await page.goto('/assignments/create')
  await page.getByRole('combobox', { name: 'Organization', exact: true }).fill(orgName)
  await page.getByRole('option', { name: orgName }).click()
  await unfold(page, 'More')
  await page.getByRole('textbox', { name: 'Name optional', exact: true }).fill('For newcomers')
  await choose(page, 'Video', 'Fire safety')
  await press(page, 'Add a further video')
  await choose(page, 'Video 2', 'Ladders')
  await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
  await expect(main(page)).toContainText('2 people have to see it.')
  await press(page, 'Save as draft')
  await expect(steps(page).last()).toContainText('Nobody begins before it is started.')
  await expect(button(page, 'Start this one')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  await page.setViewportSize({ width: 1280, height: 800 })
  await press(page, 'Start all steps')
  await expect(page.getByRole('dialog')).toContainText('Start “Fire safety” to 2 people?')
  await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click()
  await expect(steps(page).first()).toContainText('Active')
  await expect(steps(page).last()).toContainText('Active')
  await expect(button(page, 'Start all steps')).toHaveCount(0)
})
