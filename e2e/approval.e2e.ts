import { expect, type Page } from '@playwright/test'
import { readSession } from '#contract/identity/auth.ts'
import { readOrganization } from '#contract/directory/organizations.ts'
import { changeTransmission, listTransmissions } from '#contract/transmissions/transmissions.ts'
import { createUser } from '#contract/directory/users.ts'
import { newAdmin, newOrganization, type Client } from './client.ts'
import { axeFaults, chip, fitsAcross, wear } from './console.ts'
import { openDatabase } from './database.ts'
import { test as shared } from './shared.ts'

type World = { orgId: string; ada: Client; grace: Client }

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product }, use) => {
    const { client: superadmin, orgId } = await newOrganization(product, 'Approval Toys')
    const ada = await newAdmin(product, superadmin, { orgId, name: 'Ada Lovelace' })
    const grace = await newAdmin(product, superadmin, { orgId, name: 'Grace Hopper' })
    for (const name of ['Margaret Hamilton', 'Katherine Johnson', 'Annie Easley'])
      await ada.call(createUser, {
        params: { orgId },
        body: { name, email: `${name.split(' ')[0]}@approval.example` },
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
    await use({ orgId, ada, grace })
  },
})

/** It counts what was told and what the page itself has said since it was opened. */
const openBell = async (page: Page, line: RegExp) => {
  await page.getByRole('button', { name: /^Notifications, \d+ new/ }).click()
  await expect(panel(page).getByRole('listitem').first()).toContainText(line)
}
const panel = (page: Page) => page.getByRole('region', { name: 'Notifications' })
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()
const inDialog = (page: Page, name: string | RegExp) =>
  page.getByRole('dialog').getByRole('button', { name }).click()

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

test('what goes to many waits until somebody else approves it', async ({
  world: { orgId, ada, grace },
  open,
}) => {
  const author = await open(ada)
  const approver = await open(grace)
  const newest = async () => (await ada.call(listTransmissions)).items[0]

  await test.step('an administrator says from how many recipients somebody else has to approve', async () => {
    await author.goto('/settings?tab=organization')
    const field = author.getByLabel('Ask for approval above')
    await expect(field).toHaveValue('')
    await field.fill('2')
    await press(author, 'Save changes')
    await expect(author.getByText('Your organization was saved.')).toBeVisible()
    const { policies } = await ada.call(readOrganization, { params: { orgId } })
    expect(policies.approvalThreshold).toBe(2)
  })

  await test.step('the composer says before that it will wait, and for whom', async () => {
    await author.goto('/transmissions/create')
    await author.getByRole('button', { name: 'Fire drill' }).click()
    await author.getByRole('textbox', { name: 'Message' }).fill('Please watch.')
    await author.getByRole('combobox', { name: 'People' }).fill('Marg')
    await author.getByRole('option', { name: 'Margaret' }).click()
    await expect(author.getByRole('button', { name: 'Send to 1 person' })).toBeVisible()
    await expect(author.getByText('It will wait for approval')).toHaveCount(0)
    await author.getByRole('radio', { name: 'Everybody in the organization' }).check()
    await expect(author.getByRole('status').filter({ hasText: 'It will wait for approval' })).toContainText(
      'It will wait for approval, as it goes to more than 2 recipients. It can be given by Grace Hopper or a superadmin.',
    )
    await expectGood(author)
    await press(author, 'Ask for approval')
    await expect(author.getByRole('dialog')).toContainText('Nothing is sent yet.')
    await inDialog(author, 'Ask for approval')
    await expect(author).toHaveURL(/\/transmissions\/[0-9a-f-]{36}$/)
    await expect(author.locator('[data-sending]')).toContainText(
      'Nothing is sent until somebody else approves it.',
    )
  })

  await test.step('its author sees that it waits and why they cannot approve it themselves', async () => {
    await expect(author.locator('main [role=status][data-tone]')).toContainText(
      'You wrote it, so somebody else has to decide: Grace Hopper or a superadmin.',
    )
    await expect(author.getByRole('region', { name: 'Who gets it' })).toContainText('5 people get it')
    await expect(author.frameLocator('iframe').getByText('Please watch.')).toBeVisible()
    await expect(author.getByRole('button', { name: 'Approve' })).toHaveCount(0)
    await expectGood(author)
    await author.goto('/transmissions?state=pending_approval')
    await expect(chip(author, 'State: To approve')).toBeVisible()
    await expect(author.getByRole('row', { name: /Fire drill/ })).toContainText('Meant for 5 people')
  })

  await test.step('the bell of who can approve rings, and leads to what would be sent; a rejection needs a reason', async () => {
    await approver.goto('/settings')
    await openBell(approver, /Approval wanted: .*To 5 people/)
    await expectGood(approver)
    await panel(approver)
      .getByRole('link', { name: /Approval wanted/ })
      .click()
    await expect(approver.locator('main [role=status][data-tone]')).toContainText('Ada Lovelace wrote it.')
    await expect(approver.frameLocator('iframe').getByText('Please watch.')).toBeVisible()
    await expectGood(approver)
    await press(approver, 'Reject')
    await inDialog(approver, 'Reject')
    await expect(approver.getByRole('dialog')).toContainText('Please fill this in.')
    await approver.getByRole('textbox', { name: 'Reason' }).fill('Say by when.')
    expect(await axeFaults(approver)).toEqual([])
    await inDialog(approver, 'Reject')
    await expect(approver.locator('[data-sending]')).toContainText('Draft')
    await expect(approver.getByRole('link', { name: 'Edit' })).toHaveCount(0)
  })

  await test.step('its author reads the reason, changes it, and asks again', async () => {
    await openBell(author, /“Say by when.”/)
    await panel(author)
      .getByRole('link', { name: /Rejected/ })
      .click()
    await expect(author.locator('main [role=status][data-tone]')).toContainText('Grace Hopper rejected it')
    await author.getByRole('link', { name: 'Edit', exact: true }).click()
    await expect(author.getByRole('heading', { level: 1 })).toContainText('Edit')
    await expect(author.getByRole('radio', { name: 'Everybody in the organization' })).toBeChecked()
    await author.getByRole('textbox', { name: 'Message' }).fill('Please watch by Friday.')
    await expectGood(author)
    await press(author, 'Ask for approval')
    await inDialog(author, 'Ask for approval')
    await expect(author.locator('[data-sending]')).toContainText('To approve')
  })

  await test.step('a change made while the approver looks is not approved unseen', async () => {
    await openBell(approver, /Approval wanted/)
    await panel(approver)
      .getByRole('link', { name: /Approval wanted/ })
      .first()
      .click()
    await expect(approver.frameLocator('iframe').getByText('by Friday')).toBeVisible()
    await press(approver, 'Approve')
    const { id = '', version = 0 } = (await newest()) ?? {}
    const taken = { params: { transmissionId: id }, body: { action: 'withdraw' as const, version } }
    await ada.call(changeTransmission, taken)
    await inDialog(approver, /^Approve for/)
    await expect(
      approver.getByText(/The state of this transmission is “Draft” now/).filter({ visible: true }),
    ).toBeVisible()
    await expect(approver.locator('[data-sending]')).toContainText('Draft')
    await ada.call(changeTransmission, {
      ...taken,
      body: { action: 'submit', version: version + 1 },
    })
  })

  await test.step('approved once, it leaves, and the page says who approved it for how many', async () => {
    await expect(approver.locator('[data-sending]')).toContainText('To approve')
    await press(approver, 'Approve')
    await expect(approver.getByRole('dialog')).toContainText('in the name of Ada Lovelace')
    await approver.getByRole('dialog').getByRole('button', { name: 'Approve for 5 people' }).dblclick()
    await expect(approver.locator('[data-sending]')).toContainText('its mails rest in the outbox.')
    await expect(approver.getByRole('main')).toContainText(/By Ada.*Approved by Grace Hopper .* for 5 people/)
    expect((await newest())?.counts.accepted).toBe(5)
    await openBell(author, /(Approved|In the outbox): /)
    await expect(panel(author)).toContainText('For 5 people')
  })
})

test('what was told long ago is found by going back, a page at a time', async ({
  shared,
  world: { orgId, ada },
  open,
}) => {
  const author = await open(ada)
  const { user } = await ada.call(readSession)
  const database = await openDatabase(shared)
  await database.query(
    `insert into notifications (organization_id, user_id, kind, entity_id, cause, created_at, read_at)
      select $1, $2, 'video.ready', gen_random_uuid(), n::text, now() - make_interval(hours => case n when 0 then 0 else 24 + n end), now()
      from generate_series(0, 130) n`,
    [orgId, user.id],
  )
  await database.close()
  await author.goto('/settings')
  await author.getByRole('button', { name: /^Notifications/ }).click()
  const lines = panel(author).getByRole('listitem')
  await expect(lines).toHaveCount(20)
  for (let shown = 40; shown <= 120; shown += 20) {
    await panel(author).getByRole('button', { name: 'Show older ones' }).click()
    await expect(lines).toHaveCount(shown)
  }
  await panel(author).getByRole('button', { name: 'Show older ones' }).click()
  await expect(panel(author).getByRole('button', { name: 'Show older ones' })).toHaveCount(0)
  await expect.poll(() => lines.count()).toBeGreaterThan(130)
  await expect(panel(author).getByRole('region', { name: 'Today' })).toHaveCount(1)
})
