import { expect } from '@playwright/test'
import { axeFaults, fitsAcross } from './console.ts'
import { test } from './shared.ts'

test('the pages about the API are found, searched, copied from and read by everybody', async ({
  page,
  context,
  shared,
}) => {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  const foreign: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(`${shared.url}/`) && !request.url().startsWith('data:'))
      foreign.push(request.url())
  })

  await test.step('the first page opens, and leads to a task whose commands are copied', async () => {
    await page.goto('/api/docs')
    await expect(page.getByRole('heading', { name: 'API', level: 1 })).toBeVisible()
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('main').getByRole('link', { name: 'Send a video to named people' }).click()
    await context.grantPermissions(['clipboard-write'])
    await page.getByRole('button', { name: 'Copy' }).first().click()
    await expect(page.getByText('Copied')).toBeVisible()
    // No page may read the clipboard; somebody who pastes may.
    const search = page.getByRole('searchbox', { name: 'Search all calls' })
    await search.press('ControlOrMeta+V')
    await expect(search).toHaveValue(/^VIDEO=\$\(curl .* \| jq -r '\.items\[0\]\.id'\)$/)
    await search.press('Escape')
    await expect(search).toHaveValue('')
  })

  await test.step('a call is found by the keyboard', async () => {
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('/')
    await page.keyboard.type('create user role')
    await expect(page.getByRole('status').filter({ hasText: '1 call' })).toBeVisible()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/api\/docs\/users#createUser$/)
    const call = page.getByRole('region', { name: 'Create a user, with or without a role' })
    await expect(call).toBeInViewport()
    await call.getByText('Refusals').click()
    await expect(call.getByText('already_exists')).toBeVisible()
    await call.getByText('The answer').click()
    expect(await axeFaults(page)).toEqual([])
  })

  await test.step('it fits a phone, with its menu folded', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto('/api/docs/transmissions')
    await fitsAcross(page)
    await expect(page.getByRole('link', { name: 'Begin', exact: true })).toBeHidden()
    await page.getByText('Pages', { exact: true }).click()
    await expect(page.getByRole('link', { name: 'Begin', exact: true })).toBeVisible()
    expect(await axeFaults(page)).toEqual([])
  })
  expect([complaints, foreign]).toEqual([[], []])
})
