import { expect, test, type Page } from '@playwright/test'
import { acceptInvitation } from '#contract/identity/acceptance.ts'
import { forgotPassword } from '#contract/identity/auth.ts'
import { createInvitation } from '#contract/directory/invitations.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createTransmission } from '#contract/transmissions/transmissions.ts'
import { createUser } from '#contract/directory/users.ts'
import { updateVideo } from '#contract/videos/videos.ts'
import { clientOf, firstSuperadmin, passphrase, type Client } from './client.ts'
import { openMailbox, waitFor, type Mailbox } from './mailbox.ts'
import { reach } from './playing.ts'
import { startProduct, type Product } from './product.ts'
import { overflow, untranslated } from './untranslated.ts'
import { readyVideo } from './upload.ts'

let product: Product
let mailbox: Mailbox
let client: Client
let orgId: string

test.describe.configure({ mode: 'serial', timeout: 300_000 })

/** What people have written is in brackets too. */
test.beforeAll(async () => {
  test.setTimeout(300_000)
  mailbox = await openMailbox()
  product = await startProduct({
    SMTP_URL: mailbox.url,
    PRODUCT_NAME: '⟦P⟧',
    NODE_OPTIONS: `--import ${new URL('pseudo-german.ts', import.meta.url).href}`,
  })
  client = await firstSuperadmin(product)
  const organization = { name: '⟦Köhler⟧', language: 'de' } as const
  orgId = (await client.call(createOrganization, { body: organization })).id
  const videoId = await readyVideo(
    { url: product.url, client, organizationId: orgId },
    { seconds: 8, width: 320 },
  )
  await client.call(updateVideo, { params: { videoId }, body: { title: '⟦Fire⟧' } })
  const person = { name: '⟦Zoe⟧', email: 'zoe@example.test' }
  const { id: userId } = await client.call(createUser, { params: { orgId }, body: person })
  const audience = { everyone: false, userIds: [userId], groupIds: [] }
  const body = { subject: '⟦S⟧', body: '⟦B⟧', videoId, accountId: orgId, audience, dueAt: '2099-01-31' }
  await client.call(createTransmission, { body })
})
test.afterAll(async () => {
  await product.stop()
  await mailbox.close()
})

const months = Array.from({ length: 12 }, (_one, month) =>
  new Date(2000, month).toLocaleDateString('de-DE', { month: 'long' }),
)
const names = new RegExp(
  String.raw`https?:\S+|\S+@\S+|Sue Perior|${months.join('|')}| um |UTC|Sendreel Project`,
  'g',
)

/** What is outside of brackets and is no name, address or day. */
const leftIn = (text: string) =>
  text
    .replaceAll(/⟦[^⟧]*⟧/g, '')
    .split('\n')
    .filter((line) => /\p{L}/u.test(line.replaceAll(names, '')))

test('all that the mail says comes from the catalogue', async () => {
  const { text } = await mailbox.to('zoe@example.test')
  expect(text).toContain('⟦Watch the video: ⟧⟦Fire⟧')
  expect(leftIn(text)).toEqual([])
})

test('so do the mails of an account: invited, reminded of a code, told of a change', async () => {
  const email = 'neu@example.test'
  const body = { organizationId: orgId, email, role: 'admin' as const, name: '⟦Neu⟧' }
  await client.call(createInvitation, { body })
  const invitation = await mailbox.to(email)
  const token = /sign-up\?invite=(\S+)/.exec(invitation.text)?.[1] ?? ''
  const anybody = clientOf(product.url, '')
  await anybody.call(acceptInvitation, { params: { token }, body: { name: '⟦Neu⟧', password: passphrase } })
  await anybody.call(forgotPassword, { body: { identifier: email } })
  const mails = await waitFor(() => {
    const all = mailbox.mails.filter(({ to }) => to === email)
    return all.length >= 2 ? all : undefined
  }, 'an invitation and a code')
  expect(mails.map(({ text }) => leftIn(text))).toEqual(mails.map(() => []))
})

async function faultsOf(page: Page): Promise<string[]> {
  const left = await untranslated(page)
  return [
    ...left.filter((one) => !/^(?:Sue Perior,?|English|.*Januar.*)  \(/.test(one)),
    (await overflow(page)) ?? '',
  ].filter(Boolean)
}

test('so does what the page of a video says before, while and after it is watched', async ({ page }) => {
  const mail = await mailbox.to('zoe@example.test')
  const link = new URL(/https?:\/\/\S*\/w\/video\/\S+/.exec(mail.text)?.[0] ?? '')
  await page.goto(`${product.url}${link.pathname}${link.search}`)
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('button', { name: /Play:/ }).click()
  await reach(page, 2, { seek: 5 })
  await page.waitForFunction(() => document.querySelector('video')?.ended)
  await expect(page.locator('#receipt')).toContainText('0:03⟦ left.⟧')
  await page.getByRole('button', { name: 'Your data' }).click()
  expect(await faultsOf(page)).toEqual([])
  await page.goto(`${product.url}/w/video/nothing?language=de`)
  expect(await faultsOf(page)).toEqual([])
})

/** "26. Mai 2027", as the language writes it by itself. */
const isDay = (fault: string) => /^\d+\. \p{L}+ \d{4}  \(/u.test(fault)

test('so does what the page of what somebody owes says, closed and open', async ({ page }) => {
  const mail = await mailbox.to('zoe@example.test')
  const secret = /\/w\/video\/\S+\?d=([\w-]{43})/.exec(mail.text)?.[1] ?? ''
  await page.goto(`${product.url}/w/me?d=${secret}`)
  expect(await faultsOf(page)).toEqual([])
  const before = mailbox.mails.length
  await page.getByRole('button', { name: 'Mail me a code' }).click()
  expect(await faultsOf(page)).toEqual([])
  const code = await waitFor(
    () => /^\s*(\d{6})\s*$/m.exec(mailbox.mails.slice(before).at(-1)?.text ?? '')?.[1],
    'a code',
  )
  await page.getByLabel('Code').fill(code)
  await page.getByRole('button', { name: 'Open your training' }).click()
  await expect(page).toHaveURL(`${product.url}/w/me`)
  expect((await faultsOf(page)).filter((fault) => !isDay(fault))).toEqual([])
})

/** The name of a file, and what is typed into a terminal. */
const isNoText = (fault: string) => /^\d\.json  |> pre\)$/.test(fault)

test('so does what the page that verifies says', async ({ page }) => {
  await page.goto(`${product.url}/verify?language=de`)
  const file = (name: string, text: string) => ({
    name,
    mimeType: 'application/json',
    buffer: Buffer.from(text),
  })
  await page.setInputFiles('#files', [file('1.json', 'x'), file('2.json', '{}'), file('3.json', '%PDF-1.7')])
  await expect(page.getByRole('article')).toHaveCount(3)
  expect((await faultsOf(page)).filter((fault) => !isNoText(fault))).toEqual([])
})
