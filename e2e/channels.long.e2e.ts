import { expect } from '@playwright/test'
import { createUser } from '#contract/directory/users.ts'
import { newOrganization } from './client.ts'
import { axeFaults, fitsAcross } from './console.ts'
import { test } from './shared.ts'
import { readyVideo } from './upload.ts'

test('messages go by SMS and chat as long as an organization names an address for them', async ({
  shared,
  open,
}) => {
  const { client, orgId: organizationId } = await newOrganization(shared, 'Semaphore Ltd')
  await client.call(createUser, {
    params: { orgId: organizationId },
    body: { name: 'Ada Lovelace', email: 'ada@semaphore.example' },
  })
  await readyVideo({ url: shared.url, client, organizationId }, { seconds: 2, width: 320 })
  const page = await open(client)
  const card = page.getByRole('region', { name: 'SMS and chat' })
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const agree = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click()

  await test.step('an address for SMS and chat is named, its secret is told once, and a test says what came back', async () => {
    await page.goto(`/organizations/${organizationId}/systems`)
    const address = card.getByLabel('Address that messages are posted to')
    await address.fill('https://127.0.0.1/')
    await press('Save the address')
    await expect(card).toContainText('This address is not one of the internet')
    await address.fill('https://hooks.semaphore.invalid/in')
    await press('Save the address')
    await expect(card.locator('code')).toHaveText(/^whsec_/)
    const secret = (await card.locator('code').textContent()) ?? ''
    expect(await axeFaults(page)).toEqual([])
    await press('Send a test')
    await expect(card).toContainText('There is no such name, or the DNS does not answer.')
    await press('I have kept it')
    await page.reload()
    await expect(card).toContainText('https://hooks.semaphore.invalid/in')
    await expect(page.getByText(secret)).toHaveCount(0)
    await press('Replace the secret')
    await agree('Replace the secret')
    await expect(card.locator('code')).toHaveText(/^whsec_/)
    await expect(card).toContainText('messages are signed with the secret before as well')
    await page.setViewportSize({ width: 390, height: 844 })
    await fitsAcross(page)
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  await test.step('where there is one, the composer asks how it reaches people', async () => {
    await page.goto('/transmissions/create')
    await page.getByRole('combobox', { name: 'Organization', exact: true }).fill('Semaph')
    await page.getByRole('option', { name: 'Semaphore Ltd' }).click()
    await page.getByRole('button', { name: 'A real video' }).click()
    await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
    await page.getByRole('radio', { name: 'By SMS or chat' }).check()
    await page.getByRole('textbox', { name: 'Message' }).fill('Please watch this.')
    await expect(page.getByText('1 person gets it')).toBeVisible()
    await expect(page.getByText(/^Saved/)).toBeVisible()
    await page.reload()
    await expect(page.getByRole('radio', { name: 'By SMS or chat' })).toBeChecked()
    expect(await axeFaults(page)).toEqual([])
    await press('Send to 1 person')
    await expect(page.getByRole('dialog')).toContainText('posted to the address')
    await agree('Send to 1 person')
    await expect(page.getByRole('main')).toContainText(', by SMS or chat')
  })

  await test.step('without one everything goes by mail again', async () => {
    await page.goto(`/organizations/${organizationId}/systems`)
    await press('Remove the address')
    await agree('Remove the address')
    await expect(card).toContainText('Name an address of your SMS or chat provider')
  })
})
