import { expect } from '@playwright/test'
import { changeObligation, listAssignments, listObligations } from '#contract/assignments/assignments.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createUser } from '#contract/directory/users.ts'
import { unique } from '#server/testing/unique.ts'
import { newSuperadmin, type Client } from './client.ts'
import { axeFaults, rowAct } from './console.ts'
import { test } from './shared.ts'
import { videoWithoutFiles } from './upload.ts'

const dayName = (iso: string) =>
  new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(new Date(iso))

/** As its administrator would on the page of the assignment. */
async function waiveOne(client: Client, orgId: string): Promise<void> {
  const params = { orgId }
  const [assignment] = (await client.call(listAssignments, { params })).items
  const assignmentId = assignment?.id ?? ''
  const { items } = await client.call(listObligations, { params: { ...params, assignmentId } })
  const userId = items.find(({ user }) => user.name === 'Annie Easley')?.user.id ?? ''
  await client.call(changeObligation, {
    params: { ...params, assignmentId, userId },
    body: { do: { action: 'waive', reason: 'Is on leave', until: null } },
  })
}

test('a day in the composer says its reminders, makes an assignment, and whoever owes it is reminded from the message', async ({
  shared: product,
  open,
}) => {
  const client = await newSuperadmin(product)
  const orgName = `Daymakers ${unique()}`
  const organizationId = (await client.call(createOrganization, { body: { name: orgName } })).id
  for (const name of ['Margaret Hamilton', 'Annie Easley'])
    await client.call(createUser, {
      params: { orgId: organizationId },
      body: { name, email: `${name.split(' ')[0]}@daymakers.example` },
    })
  await videoWithoutFiles(product, { organizationId })
  const page = await open(client)
  const due = new Date(Date.now() + 10 * 86_400_000)
  const dayOf = (days: number) => dayName(new Date(due.getTime() + days * 86_400_000).toISOString())
  await page.goto(`/transmissions/create?organization=${organizationId}`)
  await page.getByRole('combobox', { name: 'Organization', exact: true }).fill(orgName)
  await page.getByRole('option', { name: orgName }).click()
  await page.getByRole('button', { name: 'A real video' }).click()
  await page.getByRole('radio', { name: 'Everybody in the organization' }).check()
  await page.getByRole('textbox', { name: 'Message' }).fill('Please watch this before the end of next week.')
  await page.getByLabel(/^Due day/).fill(due.toISOString().slice(0, 10))
  const usual = page.getByRole('radio', {
    name: `On ${dayOf(-3)}, ${dayOf(0)}, and ${dayOf(2)}`,
    exact: true,
  })
  await expect(usual).toBeChecked()
  await expect(page.getByRole('radio', { name: 'No reminders' })).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Send to 2 people' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('2 people will owe it until')
  await expect(dialog).toContainText(dayOf(-3))
  await dialog.getByRole('button', { name: /^Send/ }).click()
  await expect(page.locator('[data-sending=completed]')).toBeVisible({ timeout: 30_000 })
  await expect(page.getByText('Reminders: 3 days before, on the day')).toBeVisible()
  await page.getByRole('link', { name: '2 not completed' }).click()
  await expect(page.getByRole('row', { name: /Margaret Hamilton|Annie Easley/ })).toHaveCount(2)
  await page.getByRole('button', { name: 'Remind 2 people' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remind', exact: true }).click()
  await expect(page.getByText(/2 people were written to within the last day\./)).toBeVisible()
  await waiveOne(client, organizationId)
  await page.reload()
  await page.getByRole('link', { name: '1 does not owe it' }).click()
  await expect(page.getByRole('row', { name: /Annie Easley .*Waived/ })).toBeVisible()
  await expect(page.getByRole('row', { name: /Margaret Hamilton/ })).toHaveCount(0)
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('link', { name: 'Its assignment' }).click()
  await expect(page.getByText('The recipients of a message owe it.')).toBeVisible()
  await expect(page.getByRole('row', { name: /Annie Easley/ })).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  const assignment = page.url()
  await page.getByRole('link', { name: 'Margaret Hamilton' }).click()
  await page.getByRole('link', { name: 'Duties' }).click()
  await rowAct(page, /^Actions for /, 'Remind')
  // She was written to a moment ago.
  await expect(page.getByText(/had a message within the last day/)).toBeVisible()
  await page.goto(assignment)
  await page.getByRole('link', { name: 'Edit', exact: true }).click()
  await expect(page.getByRole('group', { name: 'Recipients' })).toHaveCount(0)
  await page.getByLabel('Whoever joins its groups later owes it as well, and gets the message').check()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(
    page.getByText('The recipients of a message owe it, and whoever joins them later.'),
  ).toBeVisible()
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await axeFaults(page)).toEqual([])
})
