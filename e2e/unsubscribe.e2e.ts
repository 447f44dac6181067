import { expect } from '@playwright/test'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createTransmission } from '#contract/transmissions/transmissions.ts'
import { createUser } from '#contract/directory/users.ts'
import { unique } from '#server/testing/unique.ts'
import { newSuperadmin } from './client.ts'
import { axeFaults, fitsAcross } from './console.ts'
import { saidTo } from './outbox.ts'
import { test } from './shared.ts'
import { videoWithoutFiles } from './upload.ts'

test('whoever unsubscribes is told so, and so is the console', async ({ shared, page, open }) => {
  const client = await newSuperadmin(shared)
  const organizationId = (await client.call(createOrganization, { body: { name: 'Quiet Ltd' } })).id
  const email = `ada-${unique()}@quiet.example`
  const { id: userId } = await client.call(createUser, {
    params: { orgId: organizationId },
    body: { name: 'Ada Lovelace', email },
  })
  const videoId = await videoWithoutFiles(shared, { organizationId })
  await client.call(createTransmission, {
    body: { body: 'Hello', videoId, userId, accountId: organizationId },
  })
  const address = await saidTo(client, email, /https?:\/\/[^/\s]*(\/w\/unsubscribe\S+)/)

  await test.step('a reader is asked, unsubscribes and comes back with the keyboard alone', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(address)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Messages of Quiet Ltd')
    await expect(page.getByRole('status')).toHaveCount(0)
    expect(await axeFaults(page)).toEqual([])
    await fitsAcross(page)
    await page.getByRole('button', { name: 'Unsubscribe' }).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('status')).toContainText('You have unsubscribed from messages of Quiet Ltd.')
    expect(await axeFaults(page)).toEqual([])
    await page.reload()
    await expect(page.getByRole('status')).toContainText('You have unsubscribed from messages of Quiet Ltd.')
    await page.getByRole('button', { name: 'Get them again' }).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('status')).toHaveText('You get the messages of Quiet Ltd again.')
    await page.getByRole('button', { name: 'Unsubscribe' }).click()
  })

  await test.step('the console says so', async () => {
    const console = await open(client)
    await console.goto(`/transmissions/barred-addresses?organization=${organizationId}`)
    const row = console.getByRole('row', { name: email })
    await expect(row.getByText('Unsubscribed')).toHaveAccessibleDescription(
      'Its reader unsubscribed. What they owe is sent all the same.',
    )
  })
})
