import { expect, type Page } from '@playwright/test'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createUser } from '#contract/directory/users.ts'
import { newSuperadmin } from './client.ts'
import { rowAct, signedIn } from './console.ts'
import { test } from './shared.ts'

/** All that the page's browser keeps, but for what the router keeps of how far pages are scrolled, under names of its own making. */
const keptBy = (page: Page) =>
  page.evaluate(async () => {
    const [inTab, inBrowser] = [sessionStorage, localStorage].map((storage) => Object.entries(storage))
    return {
      tab: inTab?.filter(([key]) => !key.startsWith('tsr-scroll')),
      all: JSON.stringify([inTab, inBrowser]),
      browser: Object.fromEntries(inBrowser ?? []),
      databases: await indexedDB.databases(),
      caches: await caches.keys(),
    }
  })

test('Logout leaves nothing of the person in the browser, also where the end of the session is heard of sooner', async ({
  browser,
  shared,
}) => {
  const who = await newSuperadmin(shared)
  const { id: organizationId } = await who.call(createOrganization, { body: { name: 'Left Behind Ltd' } })
  await who.call(createUser, {
    params: { orgId: organizationId },
    body: { name: 'Ida Rhodes', email: 'ida@left.example' },
  })
  const page = await signedIn(browser, shared, who)
  page.on('dialog', (dialog) => void dialog.accept())
  const search = page.getByRole('combobox', { name: /^Search Organizations/ })
  await page.goto(`${shared.url}/settings`)
  await page.getByRole('button', { name: 'Switch to dark' }).click()
  await search.fill('ida rhodes')
  await page.getByRole('option', { name: /^IR|^Ida Rhodes/ }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Ida Rhodes' })).toBeFocused()
  await page.goto(`${shared.url}/organizations/${organizationId}/dashboard?tab=users`)
  await rowAct(page, 'Ida Rhodes', 'Remove')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove person' }).click()
  await page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('Undone: removed Ida Rhodes')).toBeVisible()
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('button', { name: 'Leave for now' }).click()
  await page.getByRole('button', { name: 'Organization: All organizations' }).click()
  await page.getByRole('searchbox', { name: 'Find an organization' }).fill('Left Behind')
  await page.getByRole('button', { name: 'Left Behind Ltd', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Organization: Left Behind Ltd' })).toBeVisible()
  await page.goto(`${shared.url}/transmissions/create`)
  await page.getByRole('textbox', { name: 'Message' }).fill('To Ida')
  await page.goto(`${shared.url}/organizations/${organizationId}/edit`)
  await page.getByLabel('Name', { exact: true }).fill('Left Behind Limited')
  await expect
    .poll(async () => Object.keys((await keptBy(page)).browser).map((key) => key.split(':')[0]))
    .toEqual(expect.arrayContaining(['draft', 'visits', 'operations', 'first-steps', 'working-organization']))

  let answer = () => {}
  const held = new Promise<void>((resolve) => (answer = resolve))
  const ended = new Promise<void>((resolve) => {
    void page.route('**/api/auth/logout', async (route) => {
      const response = await route.fetch()
      resolve()
      await held
      await route.fulfill({ response })
    })
  })
  await page.getByRole('button', { name: 'Logout' }).click()
  await ended
  const refused = page.waitForResponse((response) => response.status() === 401)
  await page.getByRole('button', { name: /^Notifications/ }).click()
  await refused
  answer()
  await page.waitForURL('**/auth-1/sign-in')
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible()
  const { tab, all, browser: left, databases, caches } = await keptBy(page)
  expect({ tab, databases, caches }).toEqual({ tab: [], databases: [], caches: [] })
  expect(Object.keys(left).toSorted()).toEqual(['layout', 'persist:auth'])
  expect(JSON.parse(left['persist:auth'] ?? '')).toEqual({ token: null, user: null, isAuthenticated: false })
  for (const leaked of [organizationId, 'Ida', 'Left Behind']) expect(all).not.toContain(leaked)
  await page.context().close()
})
