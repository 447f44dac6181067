import { expect, type Page } from '@playwright/test'
import { updateAccount } from '#contract/identity/account.ts'
import { addGroupUsers, createGroup, updateGroup } from '#contract/directory/groups.ts'
import { readOrganization, updateOrganization } from '#contract/directory/organizations.ts'
import { createUser, readUser, updateUser } from '#contract/directory/users.ts'
import { createProject, createVideo, readVideo, updateProject, updateVideo } from '#contract/videos/videos.ts'
import { newAdmin, newOrganization, type Client } from './client.ts'
import { axeFaults, fitsAcross } from './console.ts'
import { test as shared } from './shared.ts'

/** Sue edits on the page, and Ada over the API. */
type World = { page: Page; sue: Client; ada: Client; orgId: string }

const test = shared.extend<{ world: World }>({
  world: async ({ shared: product, open }, use) => {
    const { client: sue, orgId } = await newOrganization(product, 'Editors Toys')
    const ada = await newAdmin(product, sue, { orgId, name: 'Ada Byron' })
    await use({ page: await open(sue), sue, ada, orgId })
  },
})

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const field = (page: Page, label: string) => page.getByLabel(label, { exact: true })
const note = (page: Page) => page.getByRole('region', { name: 'Changed meanwhile' })
const broughtBack = (page: Page) => page.getByText(/^Your unsaved changes from .* were brought back\.$/)
const stored = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('draft:')))

async function go(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

/** A person of the organization, and the address of their form. */
async function newUser({ sue, ada, orgId }: World, name: string, groupIds: string[] = []) {
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
const newGroup = async ({ sue, orgId }: World, name: string) =>
  (await sue.call(createGroup, { params: { orgId }, body: { name } })).id

test('changes of two people to different fields come together, and the second one is told', async ({
  world,
}) => {
  const { page, ada, orgId } = world
  const [day, night] = [await newGroup(world, 'Day shift'), await newGroup(world, 'Night shift')]
  const grace = await newUser(world, 'Grace Hopper', [day])
  await go(page, grace.form)
  await field(page, 'Phone optional').fill('+49 30 1111')
  await grace.byAda({ externalId: 'N-7', groupIds: [day] })
  await ada.call(addGroupUsers, {
    params: { orgId, groupId: night },
    body: { userIds: [grace.params.userId] },
  })
  await press(page, 'Save changes')
  await expect(note(page)).toBeFocused()
  await expect(note(page)).toContainText(
    /Ada Byron changed this person at \d+:\d\d [AP]M, while you were editing/,
  )
  await expect(note(page).getByRole('listitem')).toHaveText([
    'External ID: now “N-7”. It is in the form.',
    'Groups: Night shift added. It is in the form.',
  ])
  await expect(field(page, 'External ID optional')).toHaveValue('N-7')
  await expect(page.getByText('Night shift', { exact: true })).toBeVisible()
  await expect(field(page, 'Phone optional')).toHaveValue('+49 30 1111')
  expect(await axeFaults(page)).toEqual([])
  await press(page, 'Save changes')
  await expect(page.getByText('Grace Hopper was saved.')).toBeVisible()
  const after = await grace.now()
  expect(after).toMatchObject({ phone: '+49 30 1111', externalId: 'N-7' })
  expect(after.groups.map(({ name }) => name).sort()).toEqual(['Day shift', 'Night shift'])
  await expect.poll(() => stored(page)).toEqual([])
})

test('what is saved without a network says that it waits, and is saved as soon as there is one', async ({
  world,
}) => {
  const { page } = world
  const joan = await newUser(world, 'Joan Clarke')
  await go(page, joan.form)
  await field(page, 'Phone optional').fill('+49 30 4444')
  await page.context().setOffline(true)
  await press(page, 'Save changes')
  await expect(page.getByText('You are offline: saved as soon as you are back.')).toBeInViewport()
  expect(await joan.now()).toMatchObject({ phone: null })
  await page.context().setOffline(false)
  await expect(page.getByText('Joan Clarke was saved.')).toBeVisible()
  expect(await joan.now()).toMatchObject({ phone: '+49 30 4444' })
})

test('where both changed one field, one chooses by keyboard alone', async ({ world }) => {
  const { page } = world
  const annie = await newUser(world, 'Annie Easley')
  await go(page, annie.form)
  await field(page, 'Phone optional').fill('+49 30 2222')
  await field(page, 'Name').fill('Annie J. Easley')
  await annie.byAda({ name: 'Annie Jean Easley', phone: '+49 30 3333' })
  await page.keyboard.press('Enter')
  await expect(note(page)).toBeFocused()
  const name = note(page).getByRole('radiogroup', { name: 'Name: both of you changed it' })
  const phone = note(page).getByRole('radiogroup', { name: 'Phone: both of you changed it' })
  await expect(name).toHaveAccessibleDescription('It was: “Annie Easley”')
  await expect(phone).toHaveAccessibleDescription('It was: empty')
  await expect(note(page).getByRole('radio', { checked: true })).toHaveCount(0)
  expect(await axeFaults(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  await page.setViewportSize({ width: 1366, height: 900 })
  // Nothing is saved before it is decided.
  await field(page, 'Name').press('Enter')
  await expect(note(page).getByText('Please choose one of the two.')).toHaveCount(2)
  await expect(note(page)).toBeFocused()
  expect(await annie.now()).toMatchObject({ name: 'Annie Jean Easley', phone: '+49 30 3333' })
  await page.keyboard.press('Tab')
  await expect(name.getByRole('radio', { name: 'Keep mine' })).toBeFocused()
  await page.keyboard.press('Space')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowDown')
  await expect(phone.getByRole('radio', { name: 'Take theirs' })).toBeChecked()
  await expect(name.getByRole('radio', { name: 'Keep mine' })).toBeChecked()
  await expect(field(page, 'Phone optional')).toHaveValue('+49 30 3333')
  await field(page, 'Name').press('Enter')
  await expect(page.getByText('Annie J. Easley was saved.')).toBeVisible()
  expect(await annie.now()).toMatchObject({ name: 'Annie J. Easley', phone: '+49 30 3333' })
})

test('a further change in between is shown again, and typing a third text is a choice', async ({ world }) => {
  const { page, ada, orgId } = world
  const groupId = await newGroup(world, 'Pilots')
  const params = { orgId, groupId }
  await go(page, `/organizations/${orgId}/groups/${groupId}/edit?tab=details`)
  await field(page, 'Description optional').fill('Mine')
  await ada.call(updateGroup, { params, body: { name: 'Pilots', description: 'Theirs' } })
  await press(page, 'Save changes')
  await expect(note(page)).toContainText('“Theirs”')
  await field(page, 'Description optional').fill('Of both')
  await expect(note(page).getByRole('radio', { name: 'Keep mine' })).toBeChecked()
  await ada.call(updateGroup, { params, body: { name: 'Pilots of 2026', description: 'Theirs' } })
  await press(page, 'Save changes')
  await expect(note(page).getByRole('listitem')).toHaveText('Name: now “Pilots of 2026”. It is in the form.')
  await press(page, 'Save changes')
  await expect(page.getByRole('row', { name: /Pilots of 2026.*Of both/ })).toBeVisible()
})

test('settings of an organization merge field by field, worded as in the form', async ({
  world: { page, sue, orgId },
}) => {
  await go(page, `/organizations/${orgId}/edit`)
  await field(page, 'Domain optional').fill('editors.example')
  await field(page, 'Counts as completed from').fill('80')
  const { policies } = await sue.call(readOrganization, { params: { orgId } })
  const body = {
    name: 'Editors Toys',
    policies: { ...policies, completionThreshold: 0.7, mfa: 'required-for-admins' as const },
  }
  await sue.call(updateOrganization, { params: { orgId }, body })
  await press(page, 'Save changes')
  await expect(note(page)).toContainText('You changed this organization')
  await expect(note(page).getByRole('listitem')).toHaveText(
    'Second step beside the password: now For administrators. It is in the form.',
  )
  const watched = note(page).getByRole('radiogroup', {
    name: 'Counts as completed from: both of you changed it',
  })
  await expect(watched).toContainText('80%')
  await expect(watched).toContainText('70%')
  await watched.getByRole('radio', { name: 'Take theirs' }).check()
  await expect(field(page, 'Counts as completed from')).toHaveValue('70%')
  await press(page, 'Save changes')
  await expect(page.getByText('Editors Toys was saved.')).toBeVisible()
  expect(await sue.call(readOrganization, { params: { orgId } })).toMatchObject({
    domain: 'editors.example',
    policies: { completionThreshold: 0.7, mfa: 'required-for-admins' },
  })
})

test('what was typed survives a reload and the end of the tab, and can be discarded', async ({ world }) => {
  const { page } = world
  const mary = await newUser(world, 'Mary Jackson')
  await go(page, mary.form)
  await field(page, 'Name').fill('Mary W. Jackson')
  await page.reload()
  await expect(broughtBack(page)).toBeVisible()
  await expect(field(page, 'Name')).toHaveValue('Mary W. Jackson')
  expect(await axeFaults(page)).toEqual([])
  await field(page, 'Phone optional').fill('+49 30 4444')
  await expect.poll(() => page.evaluate(() => JSON.stringify(localStorage))).toContain('4444')
  const context = page.context()
  const crashed = await context.newCDPSession(page)
  void crashed.send('Page.crash').catch(() => undefined)
  await page.waitForEvent('crash')
  const again = await context.newPage()
  await go(again, mary.form)
  await expect(broughtBack(again)).toBeVisible()
  await expect(field(again, 'Phone optional')).toHaveValue('+49 30 4444')
  await press(again, 'Discard')
  await expect(field(again, 'Name')).toHaveValue('Mary Jackson')
  await expect(field(again, 'Name')).toBeFocused()
  await expect(broughtBack(again)).toBeHidden()
  await expect.poll(() => stored(again)).toEqual([])
  await again.reload()
  await expect(field(again, 'Name')).toHaveValue('Mary Jackson')
  await expect(broughtBack(again)).toBeHidden()
})

test('a draft that is older than somebody’s change is merged when it is brought back', async ({ world }) => {
  const { page } = world
  const dorothy = await newUser(world, 'Dorothy Vaughan')
  await go(page, dorothy.form)
  await field(page, 'Phone optional').fill('+49 30 5555')
  await go(page, '/dashboard')
  await dorothy.byAda({ externalId: 'N-9' })
  await go(page, dorothy.form)
  await expect(broughtBack(page)).toBeVisible()
  await expect(note(page)).toContainText('Ada Byron changed this person')
  await expect(note(page).getByRole('listitem')).toHaveText('External ID: now “N-9”. It is in the form.')
  await press(page, 'Save changes')
  await expect(page.getByText('Dorothy Vaughan was saved.')).toBeVisible()
  expect(await dorothy.now()).toMatchObject({ phone: '+49 30 5555', externalId: 'N-9' })
})

test('leaving asks first and keeps a draft; forms for something new have one each', async ({
  world: { page, orgId },
}) => {
  await go(page, `/organizations/${orgId}/users/create`)
  await field(page, 'Name').fill('Christine Darden')
  await page.getByRole('link', { name: 'Cancel' }).click()
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await expect(question).toContainText('Your changes stay as a draft on this browser for 7 days.')
  expect(await axeFaults(page)).toEqual([])
  await question.getByRole('button', { name: 'Stay' }).click()
  await expect(field(page, 'Name')).toHaveValue('Christine Darden')
  await page.getByRole('link', { name: 'Cancel' }).click()
  await question.getByRole('button', { name: 'Leave without saving' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Editors Toys' })).toBeVisible()
  await go(page, `/organizations/${orgId}/groups/create`)
  await expect(field(page, 'Name')).toHaveValue('')
  await go(page, `/organizations/${orgId}/users/create`)
  await expect(broughtBack(page)).toBeVisible()
  await page.getByLabel('Email').fill('christine@editors.example')
  await press(page, 'Add a person')
  await expect(page.getByRole('rowheader', { name: 'Christine Darden' })).toBeVisible()
  await expect.poll(() => stored(page)).toEqual([])
})

test('a video merges, too, and goes on from what was saved', async ({ world: { page, sue, ada, orgId } }) => {
  const file = { fileName: 'a.mp4', size: 1_000, organizationId: orgId }
  const { video } = await sue.call(createVideo, { body: { title: 'Fire drill', ...file } })
  const params = { videoId: video.id }
  await go(page, `/content/${video.id}`)
  await field(page, 'Title').fill('Fire drill 2026')
  await ada.call(updateVideo, { params, body: { title: 'Fire drill', description: 'Once a year' } })
  await press(page, 'Save changes')
  await expect(note(page)).toContainText('Ada Byron changed this video')
  await press(page, 'Save changes')
  await expect(page.getByText('The changes are saved.')).toBeVisible()
  await expect(note(page)).toBeHidden()
  await field(page, 'Title').fill('Fire drill of 2026')
  await press(page, 'Save changes')
  await expect(page.getByRole('heading', { level: 1, name: 'Fire drill of 2026' })).toBeVisible()
  expect(await sue.call(readVideo, { params })).toMatchObject({ description: 'Once a year' })
})

test('a project merges, too', async ({ world: { page, sue, ada, orgId } }) => {
  const named = { name: 'Safety', organizationId: orgId }
  const { id: projectId } = await sue.call(createProject, { body: named })
  await go(page, `/content?organization=${orgId}`)
  await press(page, 'Projects')
  await press(page, 'Rename Safety')
  await page.getByLabel('New name of Safety').fill('Safety first')
  await ada.call(updateProject, { params: { projectId }, body: { name: 'Security' } })
  await page.keyboard.press('Enter')
  await expect(note(page)).toContainText('Ada Byron changed this project')
  await note(page).getByRole('radio', { name: 'Keep mine' }).check()
  await page.getByLabel('New name of Safety').press('Enter')
  await expect(page.getByRole('button', { name: 'Rename Safety first' })).toBeFocused()
})

test('the own profile merges, too', async ({ world: { page, sue } }) => {
  await go(page, '/settings')
  await field(page, 'Name').fill('Sue P. Erior')
  await sue.call(updateAccount, { body: { name: 'Sue Perior', phone: '+49 30 6666' } })
  await press(page, 'Save changes')
  await expect(note(page)).toContainText('You changed your profile')
  await expect(page.getByRole('textbox', { name: /^Phone/ })).toHaveValue('+49 30 6666')
  await press(page, 'Save changes')
  await expect(page.getByRole('region', { name: 'You' })).toContainText('Sue P. Erior')
})

test('the tab asks before it closes only while something is unsaved', async ({ world: { page } }) => {
  await go(page, '/organizations/create')
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.accept()
  })
  await page.reload()
  expect(asked).toEqual([])
  await field(page, 'Name').fill('Contoso')
  await page.reload()
  expect(asked).toEqual(['beforeunload'])
  await press(page, 'Discard')
  await page.reload()
  expect(asked).toEqual(['beforeunload'])
})

test('signing out forgets all drafts, also in another tab that is still open', async ({
  world: { page },
}) => {
  await go(page, '/organizations/create')
  await field(page, 'Name').fill('Secret plans')
  await expect.poll(() => stored(page)).toHaveLength(1)
  const other = await page.context().newPage()
  await go(other, '/organizations')
  await other.getByRole('button', { name: 'Logout' }).first().click()
  await other.waitForURL('**/sign-in**')
  await page.waitForURL('**/sign-in**')
  expect(await stored(other)).toEqual([])
  expect(await other.evaluate(() => JSON.stringify(localStorage))).not.toContain('Secret plans')
})
