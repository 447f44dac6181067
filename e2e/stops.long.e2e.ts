import { expect, type Browser, type Page } from '@playwright/test'
import { barAddress } from '#contract/transmissions/barred-addresses.ts'
import { createGroup } from '#contract/directory/groups.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { listTransmissions } from '#contract/transmissions/transmissions.ts'
import { createUser } from '#contract/directory/users.ts'
import { fillTraining } from '#server/testing/training.ts'
import { accept, newSuperadmin, type Client } from './client.ts'
import { signedIn } from './console.ts'
import { openDatabase } from './database.ts'
import type { Product } from './product.ts'
import { test } from './shared.ts'

/** From the skip link at the top of a page to the first row of its list by Tab alone, and through that row. */
const most = 12
let product: Product
let orgId: string
let transmissionId: string
let people: Record<'superadmin' | 'admin' | 'groupadmin', Client>

test.beforeAll(async ({ shared }) => {
  product = shared
  const superadmin = await newSuperadmin(product)
  orgId = (await superadmin.call(createOrganization, { body: { name: 'Stops Ltd' } })).id
  const params = { orgId }
  const { id: groupId } = await superadmin.call(createGroup, { params, body: { name: 'Stops' } })
  const productDatabase = await openDatabase(product)
  await fillTraining((text, values) => productDatabase.query(text, values), {
    organizationId: orgId,
    people: 8,
    videos: 3,
  })
  await productDatabase.query(
    `insert into group_members (organization_id, group_id, user_id)
      select organization_id, $2::uuid, id from users where organization_id = $1 and email like 'trainee-%'`,
    [orgId, groupId],
  )
  await productDatabase.close()
  const body = { address: 'gone@stops.example', reason: 'Wants no mail' }
  await superadmin.call(barAddress, { params, body })
  const join = async (role: 'admin' | 'groupadmin') => {
    const who = { name: `Stops ${role}`, email: `${role}@stops.example` }
    await superadmin.call(createUser, { params, body: { ...who, role, groupIds: [groupId] } })
    return accept(product, superadmin, who)
  }
  people = { superadmin, admin: await join('admin'), groupadmin: await join('groupadmin') }
  const { items } = await people.admin.call(listTransmissions)
  transmissionId = items[0]?.id ?? ''
})

const table = '[data-part=table] tbody tr'
/** `upTo`: where more than `most` links stand above the rows, each of them a stop. */
type List = readonly [address: string, row: string, upTo?: number]

const ofAnybody = (): readonly List[] => [
  [`/organizations/${orgId}/dashboard?tab=users`, table],
  [`/organizations/${orgId}/dashboard?tab=groups`, table],
  ['/reports/training-matrix', '[role=grid]'],
  ['/reports/account-user-activity', table],
  ['/reports/user-engagement', table],
  ['/reports/message-analytics', table],
]
const ofAdministrators = (): readonly List[] => [
  ['/content?shape=gallery', 'ul[aria-label="Videos"] > li'],
  ['/content?shape=table', table],
  ['/transmissions', table],
  // The figures of its funnel.
  [`/transmissions/${transmissionId}`, 'tbody tr:not([data-group])', 15],
  ['/transmissions/barred-addresses', table],
  ['/reports/account-activity', table],
  // The tabs of the settings.
  ['/settings?tab=audit', '[aria-label="Entries, newest first"] > li', 18],
]

/** Runs in the page: what has the focus, and whether it is in the first row. */
function stopIn(row: string) {
  const at = document.activeElement
  return {
    isIn: document.querySelector(row)?.contains(at) ?? false,
    isUsable: at?.matches('a[href], button, input, summary, [role=gridcell], [role=columnheader]') ?? false,
    name: (at?.getAttribute('aria-label') ?? at?.getAttribute('href') ?? at?.textContent ?? '')
      .trim()
      .slice(0, 60),
  }
}

async function stopsOf(page: Page, [address, row]: List) {
  await page.goto(product.url + address)
  await expect(page.locator(row).first()).toBeVisible()
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
  const before: string[] = []
  const within: string[] = []
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.locator('main')).toBeFocused()
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab')
    const stop = await page.evaluate(stopIn, row)
    if (stop.isIn) within.push(stop.isUsable ? stop.name : `not to be used: ${stop.name}`)
    else if (within.length > 0) break
    else before.push(stop.name)
  }
  return { before, within }
}

async function check(browser: Browser, who: keyof typeof people): Promise<void> {
  const page = await signedIn(browser, product, people[who])
  await page.setViewportSize({ width: 1366, height: 800 })
  const narrowed = who === 'superadmin' ? `organization=${orgId}` : ''
  const lists = {
    superadmin: [...ofAnybody(), ...ofAdministrators(), ['/organizations', table] as const],
    admin: [...ofAnybody(), ...ofAdministrators()],
    groupadmin: ofAnybody(),
  }[who]
  for (const [address, row, upTo = most] of lists) {
    const full = `${address}${address.includes('?') ? '&' : '?'}${narrowed}`
    const { before, within } = await stopsOf(page, [full, row])
    expect.soft(before.length + 1, `${who}, ${address}: ${before.join(', ')}`).toBeLessThanOrEqual(upTo)
    expect.soft(within.length, address).toBeGreaterThan(0)
    expect.soft(within, `${who}, ${address}`).toEqual([...new Set(within)])
    expect.soft(within.join(), `${who}, ${address}`).not.toContain('not to be used')
  }
  await page.context().close()
}

for (const who of ['superadmin', 'admin', 'groupadmin'] as const)
  test(`${who}: a list is ${most} stops behind the skip link at most, and a row stops at what can be used`, async ({
    browser,
  }) => {
    await check(browser, who)
  })
