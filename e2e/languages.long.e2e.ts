import { expect, type Page } from '@playwright/test'
import { acceptInvitation } from '#contract/identity/acceptance.ts'
import { forgotPassword } from '#contract/identity/auth.ts'
import { createInvitation } from '#contract/directory/invitations.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createTransmission } from '#contract/transmissions/transmissions.ts'
import { createUser } from '#contract/directory/users.ts'
import { updateVideo } from '#contract/videos/videos.ts'
import { unique } from '#server/testing/unique.ts'
import { clientOf, passphrase } from './client.ts'
import { mailedLink, mailedTo, onMailed } from './mailed.ts'
import { waitFor } from './mailbox.ts'
import { reach } from './playing.ts'
import { overflow, untranslated } from './untranslated.ts'
import { readyVideo } from './upload.ts'

type Film = { orgId: string; videoId: string }

/** In place of German, this product speaks English in brackets; what people have written is in brackets too. */
const test = onMailed({
  PRODUCT_NAME: '⟦P⟧',
  NODE_OPTIONS: `--import ${new URL('pseudo-german.ts', import.meta.url).href}`,
}).extend<{ zoe: string }, { film: Film }>({
  film: [
    async ({ shared: product, superadmin: client }, use) => {
      const organization = { name: '⟦Köhler⟧', language: 'de' } as const
      const { id: orgId } = await client.call(createOrganization, { body: organization })
      const where = { url: product.url, client, organizationId: orgId }
      const videoId = await readyVideo(where, { seconds: 8, width: 320 })
      await client.call(updateVideo, { params: { videoId }, body: { title: '⟦Fire⟧' } })
      await use({ orgId, videoId })
    },
    { scope: 'worker', timeout: 300_000 },
  ],
  /** The address of somebody who has got the film. */
  zoe: async ({ superadmin: client, film: { orgId, videoId } }, use) => {
    const email = `zoe-${unique()}@example.test`
    const person = { name: '⟦Zoe⟧', email }
    const { id: userId } = await client.call(createUser, { params: { orgId }, body: person })
    const body = { subject: '⟦S⟧', body: '⟦B⟧', videoId, accountId: orgId, userId, dueAt: '2099-01-31' }
    await client.call(createTransmission, { body })
    await use(email)
  },
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

test('all that the mail says comes from the catalogue', async ({ mailbox, zoe }) => {
  const { text } = await mailbox.to(zoe)
  expect(text).toContain('⟦Watch the video: ⟧⟦Fire⟧')
  expect(leftIn(text)).toEqual([])
})

test('so do the mails of an account: invited, reminded of a code, told of a change', async ({
  mailbox,
  shared: product,
  superadmin,
  film,
}) => {
  const email = `neu-${unique()}@example.test`
  const body = { organizationId: film.orgId, email, role: 'admin' as const, name: '⟦Neu⟧' }
  await superadmin.call(createInvitation, { body })
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

/** "26. Mai 2027", as the language writes it by itself. */
const isDay = (fault: string) => /^\d+\. \p{L}+ \d{4}  \(/u.test(fault)

test('so does what the page of a video says before, while and after it is watched, and then that of what is owed, closed and open', async ({
  page,
  mailbox,
  zoe,
}) => {
  const link = await mailedLink(mailbox, zoe)
  await page.goto(link)
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('button', { name: /Play:/ }).click()
  await reach(page, 2, { seek: 5 })
  await page.waitForFunction(() => document.querySelector('video')?.ended)
  await expect(page.locator('#receipt')).toContainText('0:03⟦ left.⟧')
  await page.getByRole('button', { name: 'Your data' }).click()
  expect(await faultsOf(page)).toEqual([])
  await page.goto('/w/video/nothing?language=de')
  expect(await faultsOf(page)).toEqual([])

  const secret = /\?d=([\w-]{43})/.exec(link)?.[1] ?? ''
  await page.goto(`/w/me?d=${secret}`)
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Mail me a code' }).click()
  expect(await faultsOf(page)).toEqual([])
  const code = await mailedTo(mailbox, zoe, /^\s*(\d{6})\s*$/m)
  await page.getByLabel('Code').fill(code)
  await page.getByRole('button', { name: 'Open your training' }).click()
  await expect(page).toHaveURL('/w/me')
  expect((await faultsOf(page)).filter((fault) => !isDay(fault))).toEqual([])
})

/** The name of a file, and what is typed into a terminal. */
const isNoText = (fault: string) => /^\d\.json  |> pre\)$/.test(fault)

test('so does what the page that verifies says', async ({ page }) => {
  await page.goto('/verify?language=de')
  const file = (name: string, text: string) => ({
    name,
    mimeType: 'application/json',
    buffer: Buffer.from(text),
  })
  await page.setInputFiles('#files', [file('1.json', 'x'), file('2.json', '{}'), file('3.json', '%PDF-1.7')])
  await expect(page.getByRole('article')).toHaveCount(3)
  expect((await faultsOf(page)).filter((fault) => !isNoText(fault))).toEqual([])
})
