import { expect, test as base, type Page } from '@playwright/test'
import { updateMailServer } from '#contract/identity/mail-server.ts'
import { updateMailSigning } from '#contract/identity/mail-signing.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createTransmission } from '#contract/transmissions/transmissions.ts'
import { createUser } from '#contract/directory/users.ts'
import { imapLogin, openImap, type ImapServer } from '#server/testing/mail/imap.ts'
import { openNameServer, type NameServer } from '#server/testing/mail/name-server.ts'
import { firstSuperadmin, type Client } from './client.ts'
import { axeFaults, press, signIn } from './console.ts'
import { openMailbox, type Mailbox } from './mailbox.ts'
import { startProduct, type Product } from './product.ts'
import { videoWithoutFiles } from './upload.ts'

type Servers = { mailbox: Mailbox; names: NameServer; imap: ImapServer }
type World = { client: Client; organizationId: string; videoId: string; margaretId: string }

/** Each on an installation of its own, which nobody has set up: how it sends mails is the same for all of its organizations. */
const test = base.extend<Servers & { product: Product; world: World }>({
  mailbox: async ({}, use) => {
    const mailbox = await openMailbox()
    await use(mailbox)
    await mailbox.close()
  },
  names: async ({}, use) => {
    const names = await openNameServer()
    await use(names)
    await names.close()
  },
  imap: async ({}, use) => {
    const imap = await openImap()
    await use(imap)
    await imap.close()
  },
  product: async ({ names }, use) => {
    const product = await startProduct({ DNS_SERVER: names.address })
    await use(product)
    await product.stop()
  },
  baseURL: ({ product }, use) => use(product.url),
  /** On the page of a test the superadmin is signed in. */
  world: [
    async ({ product, page }, use) => {
      const client = await firstSuperadmin(product)
      const body = { name: 'Tailspin Toys' }
      const { id: organizationId } = await client.call(createOrganization, { body })
      const params = { orgId: organizationId }
      const margaret = { name: 'Margaret Hamilton', email: 'margaret@tailspin.example' }
      const { id: margaretId } = await client.call(createUser, { params, body: margaret })
      const videoId = await videoWithoutFiles(product, { organizationId })
      await signIn(page, product, client)
      await use({ client, organizationId, videoId, margaretId })
    },
    { auto: true },
  ],
})

const sender = 'training@tailspin.example'

/** From now on mails leave by the mailbox. */
async function leaveBy(mailbox: Mailbox, { client }: World): Promise<void> {
  const port = Number(new URL(mailbox.url).port)
  const server = { host: '127.0.0.1', port, encryption: 'none', user: null, senderName: '' } as const
  await client.call(updateMailServer, { body: { ...server, senderAddress: sender } })
}

async function writeToMargaret(page: Page): Promise<void> {
  await page.goto('/transmissions/create')
  await page.getByRole('combobox', { name: 'Organization', exact: true }).fill('Tail')
  await page.getByRole('option', { name: 'Tailspin Toys' }).click()
  await page.getByRole('button', { name: 'A real video' }).click()
  await page.getByRole('textbox', { name: 'Message' }).fill('Please watch this.')
  await page.getByRole('combobox', { name: 'People' }).fill('Margaret')
  await page.getByRole('option', { name: 'Margaret' }).click()
}

async function send(page: Page): Promise<void> {
  await press(page, 'Send to 1 person')
  await page.getByRole('dialog').getByRole('button', { name: 'Send to 1 person' }).click()
}

test('without a mail server nothing says that a mail left, and everything leads to where it rests', async ({
  page,
}) => {
  await writeToMargaret(page)
  await expect(page.getByText('No mail server is set up, so mails rest in')).toBeVisible()
  await press(page, 'Send to 1 person')
  await expect(page.getByRole('dialog')).toContainText('mails rest in the outbox')
  await expect(page.getByRole('dialog')).not.toContainText('leave')
  await page.getByRole('dialog').getByRole('button', { name: 'Send to 1 person' }).click()
  await expect(page.locator('[data-sending]')).toContainText('In the outbox')
  await expect(page.getByRole('main')).not.toContainText(/\bleft\b(?! out)|on (?:its|their) way/)
  await page.getByRole('link', { name: 'Open the outbox' }).click()
  await expect(page.getByRole('button', { name: /margaret@tailspin\.example/ })).toBeVisible()
  await page.getByRole('link', { name: 'Mail', exact: true }).click()
  await expect(page.getByRole('textbox', { name: 'Server' })).toBeVisible()
})

test('a superadmin sets one, is told in words what is wrong with it, and then mails leave at once, without a restart', async ({
  page,
  mailbox,
}) => {
  const { port } = new URL(mailbox.url)
  await page.goto('/settings?tab=mail')
  await page.getByRole('textbox', { name: 'Server' }).fill('127.0.0.1')
  await page.getByRole('textbox', { name: 'Port' }).fill(port)
  await page.getByRole('textbox', { name: 'Address of the sender' }).fill(sender)
  await press(page, 'Save the mail server')
  await press(page, 'Send a test mail')
  await expect(page.getByText('The connection could not be encrypted in this way.')).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('radio', { name: 'None' }).check()
  await press(page, 'Save the mail server')
  await expect(page.getByText('The connection could not be encrypted')).toBeHidden()
  await press(page, 'Send a test mail')
  await expect(page.getByText('The mail server has taken the mail.')).toBeVisible()
  expect((await mailbox.to('sue@example.test')).subject).toContain('Test mail')

  await writeToMargaret(page)
  await expect(page.getByText('No mail server is set up')).toBeHidden()
  await send(page)
  await expect(page.locator('[data-sending=completed]')).toContainText(/^Sent .* to 1$/)
  expect((await mailbox.to('margaret@tailspin.example')).text).toContain('Please watch this.')
})

test('what comes back is told by the provider, and the transmission says whose mail and why', async ({
  page,
  mailbox,
  world,
}) => {
  const { client, organizationId, videoId, margaretId: userId } = world
  await leaveBy(mailbox, world)
  const message = { body: 'Please watch this.', videoId, accountId: organizationId, userId }
  const { id: transmissionId } = await client.call(createTransmission, { body: message })
  const { messageId } = await mailbox.to('margaret@tailspin.example')
  await page.context().grantPermissions(['clipboard-write'])
  await page.goto('/settings?tab=returns')
  const postmark = page
    .getByRole('region', { name: 'Told by your provider' })
    .getByRole('group', { name: 'Postmark' })
  await expect(postmark).toContainText('No report yet')
  expect(await axeFaults(page)).toEqual([])
  await postmark.getByRole('button', { name: 'Copy the address' }).click()
  await expect(postmark).toContainText('Copied')
  // The console itself may not read the clipboard; who pastes can.
  await page.getByRole('button', { name: 'Set up a mailbox' }).click()
  const field = page.getByRole('textbox', { name: 'Server for returns' })
  await field.press('ControlOrMeta+V')
  const address = new URL(await field.inputValue())
  await field.fill('')
  const [deliveryId] = /[0-9a-f-]{36}/.exec(messageId) ?? []
  const answer = await fetch(`${address.origin}${address.pathname}`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${address.username}:${address.password}`)}` },
    body: JSON.stringify({
      RecordType: 'Bounce',
      ID: 42,
      Type: 'HardBounce',
      BouncedAt: new Date().toISOString(),
      Details: 'smtp;550 5.1.1 The email account does not exist',
      Metadata: { 'delivery-id': deliveryId },
    }),
  })
  expect(answer.status).toBe(200)
  await expect(postmark).toContainText('Last report')
  await page.goto(`/transmissions/${transmissionId}`)
  await expect(page.getByRole('main')).toContainText('1 mail was not delivered')
  await expect(page.getByRole('row', { name: /Margaret/ })).toContainText('Returned')
  await page.goto(`/transmissions/barred-addresses?organization=${organizationId}`)
  await expect(page.getByRole('row', { name: /margaret@tailspin/ })).toContainText('No such mailbox')
})

test('mails are signed as soon as the record that is shown is in the DNS', async ({
  page,
  mailbox,
  names,
  world,
}) => {
  await leaveBy(mailbox, world)
  await page.goto('/settings?tab=mail')
  const signature = page.getByRole('region', { name: 'Signature' })
  await signature.getByRole('button', { name: 'Make the key' }).click()
  await signature.getByRole('button', { name: 'Check the record' }).click()
  await expect(signature.getByRole('status').last()).toContainText('The record is not in the DNS yet.')
  const value = (await signature.locator('code').textContent()) ?? ''
  expect(value).toMatch(/^v=DKIM1; k=rsa; p=[\w+/=]{300,}$/)
  await expect(signature).toContainText('sendreel._domainkey.tailspin.example')
  names.zone = { 'sendreel._domainkey.tailspin.example': [value] }
  await signature.getByRole('button', { name: 'Check the record' }).click()
  await expect(signature).toContainText('The record is in the DNS. Mails can be signed now.')
  expect(await axeFaults(page)).toEqual([])
  await signature.getByRole('checkbox', { name: 'Sign mails' }).check()
  await signature.getByRole('button', { name: 'Save the signature' }).click()
  await expect(page.getByText('How mails are signed was saved.')).toBeVisible()
})

test('an organization proves its address by a code, and sees what its domain lacks', async ({
  page,
  mailbox,
  names,
  world,
}) => {
  await leaveBy(mailbox, world)
  const signing = { domain: 'tailspin.example', selector: 'sendreel', isOn: true }
  await world.client.call(updateMailSigning, { body: signing })
  const settings = `/organizations/${world.organizationId}/edit`
  await page.goto(settings)
  const sender = page.getByRole('region', { name: 'Address of the sender' })
  await sender.getByRole('textbox', { name: 'Address of your own' }).fill('video@school.tailspin.example')
  await sender.getByRole('button', { name: 'Send from this address' }).click()
  await expect(sender).toContainText('Nothing is sent: nobody has proved yet')
  await writeToMargaret(page)
  await expect(page.getByText('Nobody has proved yet that they read at video@school')).toBeVisible()
  await send(page)
  await expect(page.getByText('Confirm it in the settings, or remove it.')).toBeVisible()
  const written = page.url()
  const [code = ''] = /\d{6}/.exec((await mailbox.to('video@school.tailspin.example')).text) ?? []
  await page.goto(settings)
  await sender.getByRole('textbox', { name: 'Code' }).fill(code)
  await sender.getByRole('button', { name: 'Confirm the address' }).click()
  await expect(sender).not.toContainText('nobody has proved')
  await sender.getByRole('button', { name: 'Check the domain' }).click()
  const dkim = sender.getByRole('group', { name: 'DKIM' })
  await expect(dkim).toContainText('sendreel._domainkey.school.tailspin.example')
  await expect(sender.getByRole('group', { name: 'SPF' })).toContainText('v=spf1')
  expect(await axeFaults(page)).toEqual([])
  names.zone['sendreel._domainkey.school.tailspin.example'] = [
    (await dkim.locator('code').textContent()) ?? '',
  ]
  await sender.getByRole('button', { name: 'Check the domain' }).click()
  await expect(dkim).toContainText('Mails are signed in the name of this domain.')
  // What was written is still there.
  await page.goto(written)
  await send(page)
  await expect(page.locator('[data-sending=completed]')).toContainText(/^Sent .* to 1$/)
  expect((await mailbox.to('margaret@tailspin.example')).from).toContain('video@school.tailspin.example')
})

test('a mailbox for returns is set up and tested, and says that it is read', async ({ page, imap }) => {
  await page.goto('/settings?tab=returns')
  const returns = page.getByRole('region', { name: 'Mailbox for returns' })
  await returns.getByRole('button', { name: 'Set up a mailbox' }).click()
  const save = async () => {
    await returns.getByRole('button', { name: 'Save the mailbox' }).click()
    await expect(returns.getByRole('button', { name: 'Save the mailbox' })).toBeHidden()
  }
  await returns.getByRole('textbox', { name: 'Address for returns' }).fill('bounces@tailspin.example')
  await returns.getByRole('textbox', { name: 'Server for returns' }).fill('127.0.0.1')
  await returns.getByRole('textbox', { name: 'Port of this server' }).fill(String(imap.port))
  await returns.getByRole('textbox', { name: 'Login name' }).fill(imapLogin.user)
  await returns.getByLabel('Password of the mailbox').fill(imapLogin.password)
  await save()
  await returns.getByRole('button', { name: 'Test the mailbox' }).click()
  await expect(returns).toContainText('The connection could not be encrypted in this way.')
  await returns.getByRole('radio', { name: 'None' }).check()
  await returns.getByLabel('Password of the mailbox').fill(imapLogin.password)
  await save()
  await returns.getByRole('button', { name: 'Test the mailbox' }).click()
  await expect(returns).toContainText('It can be read, and has 0 messages.')
  expect(await axeFaults(page)).toEqual([])
  await page.reload()
  await expect(returns).toContainText('0 messages told what became of a mail')
})
