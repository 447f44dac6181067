import { expect, type Page } from '@playwright/test'
import { updateAccount } from '#contract/identity/account.ts'
import { addGroupUsers, createGroup, updateGroup } from '#contract/directory/groups.ts'
import { createInvitation } from '#contract/directory/invitations.ts'
import {
  createOrganization,
  readOrganization,
  updateOrganization,
} from '#contract/directory/organizations.ts'
import { createUser, readUser, updateUser } from '#contract/directory/users.ts'
import { createProject, createVideo, readVideo, updateProject, updateVideo } from '#contract/videos/videos.ts'
import { accept, newSuperadmin, type Client } from './client.ts'
import { axeFaults, fitsAcross, signedIn } from './console.ts'
import type { Product } from './product.ts'
import { test } from './shared.ts'

let product: Product
let sue: Client
let ada: Client
let page: Page
let orgId = ''

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser, shared }) => {
  product = shared
  sue = await newSuperadmin(product)
  orgId = (await sue.call(createOrganization, { body: { name: 'Editors Toys' } })).id
  const email = 'ada@editors.example'
  await sue.call(createInvitation, { body: { organizationId: orgId, email, role: 'admin', groupIds: [] } })
  ada = await accept(product, sue, { email, name: 'Ada Byron' })
  page = await signedIn(browser, product, sue)
})

test.afterAll(async () => {
  await page.context().close()
})

const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
const field = (label: string) => page.getByLabel(label, { exact: true })
const note = () => page.getByRole('region', { name: 'Changed meanwhile' })
const broughtBack = () => page.getByText(/^Your unsaved changes from .* were brought back\.$/)
const stored = (on = page) =>
  on.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('draft:')))

async function open(path: string, on = page): Promise<void> {
  await on.goto(`${product.url}${path}`)
  await expect(on.getByRole('heading', { level: 1 })).toBeVisible()
}

/** A person of the organization, and the address of their form. */
async function newUser(name: string, groupIds: string[] = []) {
  const email = `${name.replaceAll(' ', '.').toLowerCase()}@editors.example`
  const user = await sue.call(createUser, { params: { orgId }, body: { name, email, groupIds } })
  const params = { orgId, userId: user.id }
  return {
    params,
    form: `/organizations/${orgId}/users/${user.id}/edit`,
    now: () => sue.call(readUser, { params }),
    /** What Ada changes meanwhile. */
    byAda: (body: object) => ada.call(updateUser, { params, body: { name, email, ...body } }),
  }
}
const newGroup = async (name: string) =>
  (await sue.call(createGroup, { params: { orgId }, body: { name } })).id

test('changes of two people to different fields come together, and the second one is told', async () => {
  const [day, night] = [await newGroup('Day shift'), await newGroup('Night shift')]
  const grace = await newUser('Grace Hopper', [day])
  await open(grace.form)
  await field('Phone optional').fill('+49 30 1111')
  await grace.byAda({ externalId: 'N-7', groupIds: [day] })
  await ada.call(addGroupUsers, {
    params: { orgId, groupId: night },
    body: { userIds: [grace.params.userId] },
  })
  await press('Save changes')
  await expect(note()).toBeFocused()
  await expect(note()).toContainText(
    /Ada Byron changed this person at \d+:\d\d [AP]M, while you were editing/,
  )
  await expect(note().getByRole('listitem')).toHaveText([
    'External ID: now “N-7”. It is in the form.',
    'Groups: Night shift added. It is in the form.',
  ])
  await expect(field('External ID optional')).toHaveValue('N-7')
  await expect(page.getByText('Night shift', { exact: true })).toBeVisible()
  await expect(field('Phone optional')).toHaveValue('+49 30 1111')
  expect(await axeFaults(page)).toEqual([])
  await press('Save changes')
  await expect(page.getByText('Grace Hopper was saved.')).toBeVisible()
  const after = await grace.now()
  expect(after).toMatchObject({ phone: '+49 30 1111', externalId: 'N-7' })
  expect(after.groups.map(({ name }) => name).sort()).toEqual(['Day shift', 'Night shift'])
  await expect.poll(() => stored()).toEqual([])
})

test('what is saved without a network says that it waits, and is saved as soon as there is one', async () => {
  const joan = await newUser('Joan Clarke')
  await open(joan.form)
  await field('Phone optional').fill('+49 30 4444')
  await page.context().setOffline(true)
  await press('Save changes')
  await expect(page.getByText('You are offline: saved as soon as you are back.')).toBeInViewport()
  expect(await joan.now()).toMatchObject({ phone: null })
  await page.context().setOffline(false)
  await expect(page.getByText('Joan Clarke was saved.')).toBeVisible()
  expect(await joan.now()).toMatchObject({ phone: '+49 30 4444' })
})

test('where both changed one field, one chooses by keyboard alone', async () => {
  const annie = await newUser('Annie Easley')
  await open(annie.form)
  await field('Phone optional').fill('+49 30 2222')
  await field('Name').fill('Annie J. Easley')
  await annie.byAda({ name: 'Annie Jean Easley', phone: '+49 30 3333' })
  await page.keyboard.press('Enter')
  await expect(note()).toBeFocused()
  const name = note().getByRole('radiogroup', { name: 'Name: both of you changed it' })
  const phone = note().getByRole('radiogroup', { name: 'Phone: both of you changed it' })
  await expect(name).toHaveAccessibleDescription('It was: “Annie Easley”')
  await expect(phone).toHaveAccessibleDescription('It was: empty')
  await expect(note().getByRole('radio', { checked: true })).toHaveCount(0)
  expect(await axeFaults(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  await page.setViewportSize({ width: 1366, height: 900 })
  // Nothing is saved before it is decided.
  await field('Name').press('Enter')
  await expect(note().getByText('Please choose one of the two.')).toHaveCount(2)
  await expect(note()).toBeFocused()
  expect(await annie.now()).toMatchObject({ name: 'Annie Jean Easley', phone: '+49 30 3333' })
  await page.keyboard.press('Tab')
  await expect(name.getByRole('radio', { name: 'Keep mine' })).toBeFocused()
  await page.keyboard.press('Space')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowDown')
  await expect(phone.getByRole('radio', { name: 'Take theirs' })).toBeChecked()
  await expect(name.getByRole('radio', { name: 'Keep mine' })).toBeChecked()
  await expect(field('Phone optional')).toHaveValue('+49 30 3333')
  await field('Name').press('Enter')
  await expect(page.getByText('Annie J. Easley was saved.')).toBeVisible()
  expect(await annie.now()).toMatchObject({ name: 'Annie J. Easley', phone: '+49 30 3333' })
})

test('a further change in between is shown again, and typing a third text is a choice', async () => {
  const groupId = await newGroup('Pilots')
  const params = { orgId, groupId }
  await open(`/organizations/${orgId}/groups/${groupId}/edit?tab=details`)
  await field('Description optional').fill('Mine')
  await ada.call(updateGroup, { params, body: { name: 'Pilots', description: 'Theirs' } })
  await press('Save changes')
  await expect(note()).toContainText('“Theirs”')
  await field('Description optional').fill('Of both')
  await expect(note().getByRole('radio', { name: 'Keep mine' })).toBeChecked()
  await ada.call(updateGroup, { params, body: { name: 'Pilots of 2026', description: 'Theirs' } })
  await press('Save changes')
  await expect(note().getByRole('listitem')).toHaveText('Name: now “Pilots of 2026”. It is in the form.')
  await press('Save changes')
  await expect(page.getByRole('row', { name: /Pilots of 2026.*Of both/ })).toBeVisible()
})

test('settings of an organization merge field by field, worded as in the form', async () => {
  await open(`/organizations/${orgId}/edit`)
  await field('Domain optional').fill('editors.example')
  await field('Counts as completed from').fill('80')
  const { policies } = await sue.call(readOrganization, { params: { orgId } })
  const body = {
    name: 'Editors Toys',
    policies: { ...policies, completionThreshold: 0.7, mfa: 'required-for-admins' as const },
  }
  await sue.call(updateOrganization, { params: { orgId }, body })
  await press('Save changes')
  await expect(note()).toContainText('You changed this organization')
  await expect(note().getByRole('listitem')).toHaveText(
    'Second step beside the password: now For administrators. It is in the form.',
  )
  const watched = note().getByRole('radiogroup', { name: 'Counts as completed from: both of you changed it' })
  await expect(watched).toContainText('80%')
  await expect(watched).toContainText('70%')
  await watched.getByRole('radio', { name: 'Take theirs' }).check()
  await expect(field('Counts as completed from')).toHaveValue('70%')
  await press('Save changes')
  await expect(page.getByText('Editors Toys was saved.')).toBeVisible()
  expect(await sue.call(readOrganization, { params: { orgId } })).toMatchObject({
    domain: 'editors.example',
    policies: { completionThreshold: 0.7, mfa: 'required-for-admins' },
  })
  await sue.call(updateOrganization, { params: { orgId }, body: { name: 'Editors Toys', policies } })
})

test('what was typed survives a reload and the end of the tab, and can be discarded', async () => {
  const mary = await newUser('Mary Jackson')
  await open(mary.form)
  await field('Name').fill('Mary W. Jackson')
  await page.reload()
  await expect(broughtBack()).toBeVisible()
  await expect(field('Name')).toHaveValue('Mary W. Jackson')
  expect(await axeFaults(page)).toEqual([])
  await field('Phone optional').fill('+49 30 4444')
  await expect.poll(() => page.evaluate(() => JSON.stringify(localStorage))).toContain('4444')
  const context = page.context()
  const crashed = await context.newCDPSession(page)
  void crashed.send('Page.crash').catch(() => undefined)
  await page.waitForEvent('crash')
  page = await context.newPage()
  await open(mary.form)
  await expect(broughtBack()).toBeVisible()
  await expect(field('Phone optional')).toHaveValue('+49 30 4444')
  await press('Discard')
  await expect(field('Name')).toHaveValue('Mary Jackson')
  await expect(field('Name')).toBeFocused()
  await expect(broughtBack()).toBeHidden()
  await expect.poll(() => stored()).toEqual([])
  await page.reload()
  await expect(field('Name')).toHaveValue('Mary Jackson')
  await expect(broughtBack()).toBeHidden()
})

test('a draft that is older than somebody’s change is merged when it is brought back', async () => {
  const dorothy = await newUser('Dorothy Vaughan')
  await open(dorothy.form)
  await field('Phone optional').fill('+49 30 5555')
  await open('/dashboard')
  await dorothy.byAda({ externalId: 'N-9' })
  await open(dorothy.form)
  await expect(broughtBack()).toBeVisible()
  await expect(note()).toContainText('Ada Byron changed this person')
  await expect(note().getByRole('listitem')).toHaveText('External ID: now “N-9”. It is in the form.')
  await press('Save changes')
  await expect(page.getByText('Dorothy Vaughan was saved.')).toBeVisible()
  expect(await dorothy.now()).toMatchObject({ phone: '+49 30 5555', externalId: 'N-9' })
})

test('leaving asks first and keeps a draft; forms for something new have one each', async () => {
  await open(`/organizations/${orgId}/users/create`)
  await field('Name').fill('Christine Darden')
  await page.getByRole('link', { name: 'Cancel' }).click()
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await expect(question).toContainText('Your changes stay as a draft on this browser for 7 days.')
  expect(await axeFaults(page)).toEqual([])
  await question.getByRole('button', { name: 'Stay' }).click()
  await expect(field('Name')).toHaveValue('Christine Darden')
  await page.getByRole('link', { name: 'Cancel' }).click()
  await question.getByRole('button', { name: 'Leave without saving' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Editors Toys' })).toBeVisible()
  await open(`/organizations/${orgId}/groups/create`)
  await expect(field('Name')).toHaveValue('')
  await open(`/organizations/${orgId}/users/create`)
  await expect(broughtBack()).toBeVisible()
  await page.getByLabel('Email').fill('christine@editors.example')
  await press('Add a person')
  await expect(page.getByRole('rowheader', { name: 'Christine Darden' })).toBeVisible()
  await expect.poll(() => stored()).toEqual([])
})

test('a video, a project and the own profile merge, too, and go on from what was saved', async () => {
  const file = { fileName: 'a.mp4', size: 1_000, organizationId: orgId }
  const { video } = await sue.call(createVideo, { body: { title: 'Fire drill', ...file } })
  const params = { videoId: video.id }
  await open(`/content/${video.id}`)
  await field('Title').fill('Fire drill 2026')
  await ada.call(updateVideo, { params, body: { title: 'Fire drill', description: 'Once a year' } })
  await press('Save changes')
  await expect(note()).toContainText('Ada Byron changed this video')
  await press('Save changes')
  await expect(page.getByText('The changes are saved.')).toBeVisible()
  await expect(note()).toBeHidden()
  await field('Title').fill('Fire drill of 2026')
  await press('Save changes')
  await expect(page.getByRole('heading', { level: 1, name: 'Fire drill of 2026' })).toBeVisible()
  expect(await sue.call(readVideo, { params })).toMatchObject({ description: 'Once a year' })

  const named = { name: 'Safety', organizationId: orgId }
  const { id: projectId } = await sue.call(createProject, { body: named })
  await open(`/content?organization=${orgId}`)
  await press('Projects')
  await press('Rename Safety')
  await page.getByLabel('New name of Safety').fill('Safety first')
  await ada.call(updateProject, { params: { projectId }, body: { name: 'Security' } })
  await page.keyboard.press('Enter')
  await expect(note()).toContainText('Ada Byron changed this project')
  await note().getByRole('radio', { name: 'Keep mine' }).check()
  await page.getByLabel('New name of Safety').press('Enter')
  await expect(page.getByRole('button', { name: 'Rename Safety first' })).toBeFocused()

  await open('/settings')
  await field('Name').fill('Sue P. Erior')
  await sue.call(updateAccount, { body: { name: 'Sue Perior', phone: '+49 30 6666' } })
  await press('Save changes')
  await expect(note()).toContainText('You changed your profile')
  await expect(page.getByRole('textbox', { name: /^Phone/ })).toHaveValue('+49 30 6666')
  await press('Save changes')
  await expect(page.getByRole('region', { name: 'You' })).toContainText('Sue P. Erior')
})

test('a transmission is kept by the server while it is written', async () => {
  await open('/transmissions/create')
  await field('Message').fill('Please watch this before Monday.')
  await expect(page.getByText(/^Saved \d/)).toBeVisible()
  await page.reload()
  await expect(field('Message')).toHaveValue('Please watch this before Monday.')
  await press('Discard draft')
  await page.getByRole('dialog').getByRole('button', { name: 'Discard draft' }).click()
  await expect(page.getByText('Discarded. Nothing was sent.')).toBeVisible()
})

test('the tab asks before it closes only while something is unsaved', async () => {
  await open('/organizations/create')
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.accept()
  })
  await page.reload()
  expect(asked).toEqual([])
  await field('Name').fill('Contoso')
  await page.reload()
  expect(asked).toEqual(['beforeunload'])
  await press('Discard')
  await page.reload()
  expect(asked).toEqual(['beforeunload'])
  page.removeAllListeners('dialog')
})

test('signing out forgets all drafts, also in another tab that is still open', async () => {
  await open('/organizations/create')
  await field('Name').fill('Secret plans')
  await expect.poll(() => stored()).toHaveLength(1)
  const other = await page.context().newPage()
  await open('/organizations', other)
  await other.getByRole('button', { name: 'Logout' }).first().click()
  await other.waitForURL('**/sign-in**')
  await page.waitForURL('**/sign-in**')
  expect(await stored(other)).toEqual([])
  expect(await other.evaluate(() => JSON.stringify(localStorage))).not.toContain('Secret plans')
})
