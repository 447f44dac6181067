import { expect, test } from 'vitest'
import { acceptInvitation } from '#contract/identity/acceptance.ts'
import { forgotPassword, login } from '#contract/identity/auth.ts'
import { createInvitation } from '#contract/directory/invitations.ts'
import { updateUser } from '#contract/directory/users.ts'
import { entered } from '../testing/sign-in/entered.ts'
import { invitedToken } from '../testing/mail/invited.ts'
import { aServer, anOrganization } from '../testing/worlds.ts'

const server = await aServer()
const { orgId, admin } = await anOrganization(server, 'Köhler')
await server.services.db.system.query(`update organizations set language = 'de' where id = $1`, [orgId])

const password = 'four quiet green mornings'

async function mailsTo(email: string): Promise<{ subject: string; text: string; html: string }[]> {
  const { rows } = await server.services.db.system.query(
    'select subject, text, html from mails where address = $1 order by created_at, id',
    [email],
  )
  return rows
}

async function joined(email: string): Promise<string> {
  await admin.call(createInvitation, { body: { organizationId: orgId, email, role: 'admin' } })
  const token = await invitedToken(server, email)
  const answer = await server.call(acceptInvitation, { params: { token }, body: { name: 'Nadja', password } })
  return entered(answer.body).user.id
}

test('an organization that speaks German invites, proves and warns in German', async () => {
  const email = 'nadja@example.test'
  await joined(email)
  await server.call(forgotPassword, { body: { identifier: email } })
  await server.call(login, {
    body: { identifier: email, password },
    headers: {
      'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0',
    },
  })
  await expect.poll(async () => (await mailsTo(email)).length).toBe(3)
  const [invitation, code, device] = await mailsTo(email)
  expect(invitation?.subject).toMatch(/lädt Sie ein: Köhler$/)
  expect(invitation?.text).toContain('als Administrator: Sie verwalten dann alles darin')
  expect(invitation?.html).toContain('<html lang="de-DE">')
  expect(code?.subject).toMatch(/^Ihr Code für ein neues Passwort – /)
  expect(device?.subject).toMatch(/^Neue Anmeldung – /)
  expect(device?.text).toContain('Browser: Firefox unter Windows')
  expect(device?.text).toContain('Wenn Sie das nicht waren')
})

test('who has chosen another language is written to in that one', async () => {
  const email = 'ned@example.test'
  const userId = await joined(email)
  const params = { orgId, userId }
  const body = { name: 'Ned', email, role: 'admin' as const, language: 'en' as const }
  await admin.call(updateUser, { params, body })
  await server.call(forgotPassword, { body: { identifier: email } })
  await expect.poll(async () => (await mailsTo(email)).length).toBe(2)
  expect((await mailsTo(email)).at(-1)?.subject).toMatch(/^Your code for a new password – /)
})
