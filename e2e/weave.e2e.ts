import { expect, type Locator, type Page } from '@playwright/test'
import { createOrganization } from '#contract/directory/organizations.ts'
import {
  createTransmission,
  readTransmission,
  readTransmissionPlan,
} from '#contract/transmissions/transmissions.ts'
import { createUser } from '#contract/directory/users.ts'
import { newSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross } from './console.ts'
import { openDatabase, type ProductDatabase } from './database.ts'
import { test as shared } from './shared.ts'
import { videoWithoutFiles } from './upload.ts'

/** Of twelve seconds: all, the first half, the first and the last third, nothing. */
const seen = {
  'Ada Lovelace': '{[0,12000)}',
  'Grace Hopper': '{[0,6000)}',
  'Mary Jackson': '{[0,4000),[8000,12000)}',
  'Rose Franklin': '{}',
}

type World = {
  client: Client
  page: Page
  orgId: string
  videoId: string
  transmissionId: string
  database: ProductDatabase
}

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const client = await newSuperadmin(product)
    const orgId = (await client.call(createOrganization, { body: { name: 'Weavers Ltd' } })).id
    for (const name of Object.keys(seen))
      await client.call(createUser, {
        params: { orgId },
        body: { name, email: `${name.split(' ')[0]}@weavers.example`.toLowerCase() },
      })
    const videoId = await videoWithoutFiles(product, { organizationId: orgId, seconds: 12 })
    const dueAt = new Date(Date.now() + 10 * 864e5).toISOString()
    const body = { accountId: orgId, videoId, body: 'Please watch', audience: { everyone: true }, dueAt }
    const transmissionId = (await client.call(createTransmission, { body })).id
    const state = async () => (await client.call(readTransmission, { params: { transmissionId } })).state
    await expect.poll(state, { timeout: 60_000 }).toBe('completed')
    const database = await openDatabase(product)
    await twoDaysLater(database, { transmissionId, orgId, videoId })
    const page = await open(client)
    await page.setViewportSize({ width: 1366, height: 900 })
    await use({ client, page, orgId, videoId, transmissionId, database })
    await database.close()
  },
})

/** Their mails have left, and they have watched since. */
async function twoDaysLater(
  database: ProductDatabase,
  { transmissionId, orgId, videoId }: Record<'transmissionId' | 'orgId' | 'videoId', string>,
): Promise<void> {
  await database.query(
    `update deliveries set accepted_at = now() - interval '2 days' where transmission_id = $1`,
    [transmissionId],
  )
  await database.query(
    `update obligations set last_message_at = now() - interval '2 days' where organization_id = $1`,
    [orgId],
  )
  await database.query(
    `insert into viewer_videos (version_id, viewer_key, organization_id, video_id, user_id, coverage, plays, first_at, last_at, completed_at)
      select v.current_version_id, 'recipient:' || u.id, $1, v.id, u.id, (s.value)::int4multirange, 1, now(), now(),
        case when u.name = 'Ada Lovelace' then now() end
      from jsonb_each_text($3::jsonb) s join users u on u.name = s.key and u.organization_id = $1 join videos v on v.id = $2`,
    [orgId, videoId, JSON.stringify(seen)],
  )
  await database.query(
    `update obligations o set state = 'done', done_at = now() from users u
      where o.organization_id = $1 and u.id = o.user_id and u.name = 'Ada Lovelace'`,
    [orgId],
  )
}

const cloth = (page: Page) => page.getByRole('slider', { name: 'Second of the video' })

/** In the middle of a second of the video. */
async function over(page: Page, field: Locator, second: number): Promise<void> {
  const box = await field.boundingBox()
  if (!box) throw new Error('The cloth is not drawn')
  await page.mouse.move(box.x + ((second + 0.5) / 12) * box.width, box.y + box.height / 2)
}

test('a second that is pointed at says how many lack it, and a part that is drawn over who they are', async ({
  world: { page, transmissionId },
}) => {
  await page.goto(`/transmissions/${transmissionId}`)
  await page.getByRole('link', { name: 'Second by second' }).click()
  await expect(cloth(page)).toBeVisible()
  await expect(page.getByRole('link', { name: 'Show the list of recipients' })).toBeFocused()
  await expect(page.getByText('Least seen: 0:06. 3 of 4 lack it.')).toBeVisible()
  const weave = page.getByRole('region', { name: 'Second by second' })
  await over(page, cloth(page), 5)
  await expect(weave.getByText('2 of 4 have not seen 0:05.')).toBeVisible()
  await over(page, cloth(page), 6)
  await page.mouse.down()
  await over(page, cloth(page), 5)
  await page.mouse.up()
  await expect(weave.getByText('3 of 4 have not seen all of 0:05 to 0:07.')).toBeVisible()
  await expect(weave.getByRole('button', { name: 'Remind 3 people about 0:05 to 0:07' })).toBeVisible()
  const who = weave.getByRole('list', { name: 'Who lacks 0:05 to 0:07' })
  await expect(who.getByRole('link')).toHaveText(['Rose Franklin', 'Grace Hopper', 'Mary Jackson'])
  // What is chosen stays while the pointer goes elsewhere.
  await over(page, cloth(page), 0)
  await expect(weave.getByText('3 of 4 have not seen all of 0:05 to 0:07.')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await weave.getByRole('button', { name: 'Choose nothing' }).click()
  await expect(who).toHaveCount(0)
})

test('the keyboard walks the seconds, chooses with Shift, and Enter reminds exactly whoever lacks that', async ({
  world: { page, orgId, transmissionId, database },
}) => {
  await page.goto(`/transmissions/${transmissionId}?look=seconds`)
  await cloth(page).focus()
  await page.keyboard.press('Home')
  await expect(cloth(page)).toHaveAttribute('aria-valuetext', '1 of 4 has not seen 0:00.')
  for (let n = 0; n < 9; n++) await page.keyboard.press('ArrowRight')
  await expect(cloth(page)).toHaveAttribute('aria-valuetext', '2 of 4 have not seen 0:09.')
  await page.keyboard.press('Shift+ArrowRight')
  await expect(cloth(page)).toHaveAttribute('aria-valuetext', '2 of 4 have not seen all of 0:09 to 0:11.')
  await page.keyboard.press('Escape')
  await expect(cloth(page)).toHaveAttribute('aria-valuetext', '2 of 4 have not seen 0:10.')
  await page.keyboard.press('Shift+ArrowLeft')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Remind 2 people about 0:09 to 0:11' })
  await expect(dialog).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(cloth(page)).toBeFocused()
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Remind', exact: true }).click()
  await expect(page.getByText('2 people are reminded.')).toBeVisible()
  const reminded = await database.query(
    `select u.name from obligation_messages m join obligations o on o.id = m.obligation_id join users u on u.id = o.user_id
      where o.organization_id = $1 and m.kind = 'manual' order by u.name`,
    [orgId],
  )
  expect(reminded.rows).toEqual([{ name: 'Grace Hopper' }, { name: 'Rose Franklin' }])
})

test('where nobody owes it, a part leads to a message to exactly whoever lacks it', async ({
  world: { client, page, orgId, videoId },
}) => {
  const body = { accountId: orgId, videoId, body: 'Just so you know', audience: { everyone: true } }
  const transmissionId = (await client.call(createTransmission, { body })).id
  const state = async () =>
    (await client.call(readTransmission, { params: { transmissionId: transmissionId } })).state
  await expect.poll(state, { timeout: 60_000 }).toBe('completed')
  await page.goto(`/transmissions/${transmissionId}?look=seconds`)
  await over(page, cloth(page), 9)
  await page.mouse.down()
  await over(page, cloth(page), 10)
  await page.mouse.up()
  await page.getByRole('button', { name: 'Write to 2 people about 0:09 to 0:11' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue(
    /please watch 0:09 to 0:11 of the video/,
  )
  const draft = page.url().split('/').at(-2) ?? ''
  const { people, viewing } = await client.call(readTransmissionPlan, { params: { transmissionId: draft } })
  expect(people.map(({ name }) => name).toSorted()).toEqual(['Grace Hopper', 'Rose Franklin'])
  expect(viewing?.viewing).toEqual({ kind: 'not_seen', videoId, fromMs: 9_000, toMs: 11_000 })
})

test('the same stands in a table, on a phone, and on the page of the video', async ({
  world: { page, videoId, transmissionId },
}) => {
  await page.goto(`/transmissions/${transmissionId}?look=seconds`)
  await page.getByText('The figures behind the picture').click()
  const table = page.getByRole('table')
  await expect(table.getByRole('row')).toHaveCount(13)
  await expect(table.getByRole('row', { name: '0:06' }).getByRole('cell')).toHaveText(['3', '3'])
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('link', { name: 'Show the list of recipients' }).click()
  await expect(page.getByRole('link', { name: 'Second by second' })).toBeFocused()
  await expect(page.getByRole('table', { name: 'Recipients and what they watched' })).toBeVisible()
  await fitsAcross(page)
  await page.setViewportSize({ width: 1366, height: 900 })
  await page.goto(`/content/${videoId}/viewing`)
  await expect(page.getByText('Least seen: 0:06. 3 of 4 lack it.')).toBeVisible()
  await cloth(page).focus()
  await page.keyboard.press('End')
  await expect(cloth(page)).toHaveAttribute('aria-valuetext', '2 of 4 have not seen 0:11.')
  expect(await axeFaults(page)).toEqual([])
  await page.getByLabel('Period').selectOption('Last 7 days')
  await expect(cloth(page)).toHaveCount(0)
})
