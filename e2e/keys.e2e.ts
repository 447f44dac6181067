import { expect, type Page } from '@playwright/test'
import { newAdmin, newOrganization } from './client.ts'
import { axeFaults, fitsAcross, press, wear, wcag } from './console.ts'
import { test } from './shared.ts'

const told = async (page: Page) => (await page.getByText(/^srk_[0-9A-Za-z]{38}$/).textContent()) ?? ''
const rows = (page: Page) =>
  page.getByRole('table', { name: 'Keys, newest first' }).locator('tbody').getByRole('row')

test('an administrator makes a key, copies its token, gives it a new one, and withdraws it', async ({
  shared,
  open,
}) => {
  const { client, orgId } = await newOrganization(shared, 'Keys and Locks')
  const page = await open(await newAdmin(shared, client, { orgId, name: 'Ada Admin' }))
  const asks = async (token: string) => {
    const address = `${shared.url}/api/organizations/${orgId}/users`
    return (await fetch(address, { headers: { authorization: `Bearer ${token}` } })).status
  }

  await page.goto('/settings?tab=keys')
  await expect(page.getByRole('heading', { name: 'No keys yet' })).toBeVisible()
  expect(await axeFaults(page, wcag)).toEqual([])

  await page.getByRole('button', { name: 'Make a key' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Make a key' })
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('Please choose what the key may do.')).toBeVisible()
  expect(await axeFaults(page, wcag)).toEqual([])
  await dialog.getByLabel('Name').fill('Payroll')
  await dialog.getByRole('checkbox', { name: 'Read people' }).press('Space')
  await dialog.getByLabel('Networks it may call from').fill('nowhere')
  await press(page, 'Make key')
  await expect(dialog.getByText(/^One of these is not a network/)).toBeVisible()
  await dialog.getByLabel('Networks it may call from').fill('127.0.0.0/8, ::1')
  await press(page, 'Make key')

  await expect(page.getByText(/It will not be shown again/)).toBeVisible()
  const first = await told(page)
  expect(await asks(first)).toBe(200)
  await page.context().grantPermissions(['clipboard-write'])
  await press(page, 'Copy')
  await expect(page.getByText('Copied')).toBeVisible()
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page)).toContainText('Read people')
  for (const theme of ['light', 'dark']) {
    await wear(page, { theme })
    await page.setViewportSize({ width: 390, height: 844 })
    await fitsAcross(page)
    expect(await axeFaults(page, wcag)).toEqual([])
    await page.setViewportSize({ width: 1366, height: 768 })
  }
  await page.reload()
  await expect(rows(page)).toContainText('Payroll')
  expect(await page.content()).not.toContain(first)

  const act = async (name: string) => {
    await page.getByRole('button', { name: 'Actions for Payroll' }).press('Enter')
    await page.getByText(name, { exact: true }).click()
  }
  await act('Edit')
  const edit = page.getByRole('dialog', { name: 'Edit the key Payroll' })
  await expect(edit.getByLabel('Networks it may call from')).toHaveValue(/127\.0\.0\.0\/8/)
  expect(await axeFaults(page, wcag)).toEqual([])
  await edit.getByRole('checkbox', { name: 'Read content' }).press('Space')
  await press(page, 'Save')
  await expect(rows(page)).toContainText('Read people, Read content')
  expect(await asks(first)).toBe(200)
  await act('Give it a new token')
  await page.getByText('Not at all').click()
  await press(page, 'Make new token')
  const second = await told(page)
  expect([await asks(first), await asks(second)]).toEqual([401, 200])

  await act('Withdraw')
  await press(page, 'Withdraw key')
  await expect(page.getByRole('heading', { name: 'No keys yet' })).toBeVisible()
  expect(await asks(second)).toBe(401)

  await page.goto('/settings?tab=audit')
  await expect(page.getByText('The key Payroll called listUsers').first()).toBeVisible()
})

test('a superadmin finds the keys of the installation, and those of an organization beside it', async ({
  shared,
  open,
}) => {
  const { client, orgId } = await newOrganization(shared, 'Keys Beside')
  const page = await open(client)
  await page.goto('/settings?tab=keys')
  await press(page, 'Make a key')
  await expect(page.getByText(/It acts in every organization/)).toBeVisible()
  await page.keyboard.press('Escape')
  await page.goto(`/organizations/${orgId}/edit`)
  await page.getByRole('link', { name: 'See the keys' }).click()
  await expect(page.getByText('These are keys of Keys Beside')).toBeVisible()
})
