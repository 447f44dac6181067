import { expect } from '@playwright/test'
import { createUser } from '#contract/directory/users.ts'
import { kind, openReceiver, type Receiver } from '#server/testing/mail/webhooks.ts'
import { unique } from '#server/testing/unique.ts'
import { newOrganization } from './client.ts'
import { axeFaults, fitsAcross, pressMore, wear } from './console.ts'
import { startProduct, type Product } from './product.ts'
import { test as base } from './shared.ts'

type Own = { receiver: Receiver; shared: Product }

/** A product that may post to a system of the test's own, on this machine. */
const test = base.extend<object, Own>({
  receiver: [
    async ({}, use) => {
      const receiver = await openReceiver(['localhost'])
      await use(receiver)
      await receiver.close()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  shared: [
    async ({ receiver }, use) => {
      const product = await startProduct({
        WEBHOOK_HOSTS: `localhost:${receiver.port}`,
        WEBHOOK_CA_FILE: receiver.ca,
      })
      await use(product)
      await product.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
})

test('another system is told what happens, and its page says what was posted and answered', async ({
  shared,
  receiver,
  open,
}) => {
  const { client, orgId } = await newOrganization(shared, 'Telegraph Ltd')
  const page = await open(client)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const agree = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
  const add = async (name: string) => {
    const body = { name, email: `${unique()}@telegraph.example` }
    await client.call(createUser, { params: { orgId }, body })
  }
  /** In both themes and at both widths. */
  const isSound = async () => {
    for (const theme of ['light', 'dark']) {
      await wear(page, { theme })
      await page.reload()
      await expect(page.locator('main h1')).toBeVisible()
      await expect(page.locator('main [data-part=bone]')).toHaveCount(0)
      for (const width of [1366, 390]) {
        await page.setViewportSize({ width, height: 844 })
        await fitsAcross(page)
        expect(await axeFaults(page)).toEqual([])
      }
    }
    await page.setViewportSize({ width: 1366, height: 844 })
  }

  await test.step('where nobody is told, the page says what events are for', async () => {
    await page.goto(`/organizations/${orgId}/edit`)
    await page.getByRole('link', { name: 'Other systems' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Other systems')
    await expect(page.getByText('No system is told of anything')).toBeVisible()
    await expect(page.getByRole('link', { name: 'the documentation' })).toHaveAttribute('href', '/api/docs')
    await isSound()
  })

  await test.step('an address is added by the keyboard alone, and its secret is told once', async () => {
    await page.getByRole('button', { name: 'Add an address' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByLabel('Address that events are posted to')).toBeFocused()
    await page.keyboard.type('https://10.0.0.1/')
    await page.keyboard.press('Enter')
    await expect(dialog).toContainText('Choose at least one event.')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect(dialog.getByLabel('Somebody was added, or came back')).toBeChecked()
    await agree('Add the address')
    await expect(dialog).toContainText('This address is not one of the internet')
    await dialog
      .getByLabel('Address that events are posted to')
      .fill(`https://localhost:${receiver.port}/events`)
    expect(await axeFaults(page)).toEqual([])
    await page.keyboard.press('Enter')
    await expect(page.locator('main code').first()).toHaveText(/^whsec_/)
    await press('I have kept it')
    await page.getByRole('link', { name: `https://localhost:${receiver.port}/events` }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(`localhost:${receiver.port}`)
    await expect(page.getByText('Nothing was posted yet')).toBeVisible()
    await isSound()
  })

  await test.step('a test is answered, and what happens stands in the log', async () => {
    await press('Send a test')
    await expect(page.getByText('The test was taken.')).toBeVisible()
    await add('Ada Lovelace')
    await expect.poll(() => receiver.posted.some(({ body }) => body.includes('Ada Lovelace'))).toBe(true)
    await page.reload()
    const row = page.locator('main li[data-row]').first()
    await expect(row).toContainText('Somebody was added, or came back')
    await expect(row).toContainText('Taken')
    await row.locator('summary').click()
    await expect(row).toContainText('"name": "Ada Lovelace"')
    await expect(row).toContainText('The address answered 200.')
    await isSound()
  })

  await test.step('an address that fails says so, and what waits comes once it answers', async () => {
    receiver.behave = (_posted, answer) => void answer.writeHead(500).end('on fire')
    await add('Grace Hopper')
    await expect(async () => {
      await page.reload()
      await expect(page.getByText('It has taken nothing since')).toBeVisible({ timeout: 2_000 })
    }).toPass({ timeout: 30_000 })
    await expect(page.locator('main li[data-row]').first()).toContainText('Not taken')
    await isSound()
    receiver.behave = kind
    await expect(async () => {
      await page.reload()
      await expect(page.locator('main li[data-row]').first()).toContainText('Taken', { timeout: 2_000 })
    }).toPass({ timeout: 90_000 })
    await expect(page.getByText('It has taken nothing since')).toHaveCount(0)
  })

  await test.step('a period is replayed, the secret rotated, the events changed, and the address removed', async () => {
    await press('Replay')
    expect(await axeFaults(page)).toEqual([])
    await agree('Replay')
    await expect(page.getByText(/events will be posted once more/)).toBeVisible()
    await expect(async () => {
      await page.reload()
      await expect(page.locator('main li[data-row]').first()).toContainText('Replayed', { timeout: 2_000 })
    }).toPass({ timeout: 30_000 })
    await pressMore(page, 'Replace the secret')
    await agree('Replace the secret')
    await expect(page.locator('main code').first()).toHaveText(/^whsec_/)
    await expect(page.getByText('events are signed with the secret before as well')).toBeVisible()
    await press('Edit')
    await page.getByRole('dialog').getByLabel('Somebody was removed').uncheck()
    await agree('Save')
    await expect(page.getByText('Told of 14 kinds of events.')).toBeVisible()
    await pressMore(page, 'Remove the address')
    await agree('Remove the address')
    await expect(page.getByText('No system is told of anything')).toBeVisible()
  })
})
