import { expect, test } from 'vitest'
import { createAssignment, listAssignments } from '#contract/assignments/assignments.ts'
import { listAudit } from '#contract/platform/audit.ts'
import { createDraft } from '#contract/transmissions/drafts.ts'
import { createField, deleteField } from '#contract/directory/fields.ts'
import { previewMail, testTransmission } from '#contract/identity/mail-preview.ts'
import { countGaps, findRecipients } from '#contract/transmissions/preflight.ts'
import { listPersonHistory } from '#contract/person/person.ts'
import { exportTransmissions } from '#contract/videos/record-bulk.ts'
import { listAccountActivity, listMessageReports } from '#contract/reports/reports.ts'
import { search } from '#contract/search.ts'
import {
  createTransmission,
  editTransmission,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import { addPeople } from '../../testing/audience.ts'
import { aSendingServer } from '../../testing/worlds.ts'

const sending = await aSendingServer()
const { admin, org } = sending
const params = { orgId: org }
await admin.call(createField, { params, body: { label: 'Cost centre', type: 'text' } })
await admin.call(createField, { params, body: { label: 'Site', type: 'text' } })

const { query } = sending.server

type Somebody = { name: string; email: string; fields?: object; language?: string }

async function add({ name, email, fields = {}, language }: Somebody): Promise<string> {
  const [made] = await query<{ id: string }>(
    `insert into users (organization_id, name, email, custom_fields, language) values ($1, $2, $3, $4, $5) returning id`,
    [sending.org, name, email, fields, language ?? null],
  )
  return made?.id ?? ''
}

type Mail = { subject: string; text: string; html: string }
const linkIn = ({ text }: Mail) => /http\S+\/w\/video\/\S+/.exec(text)?.[0] ?? 'no link'
const without = (mail: Mail): Mail => {
  const link = linkIn(mail)
  const { subject, text, html } = mail
  return { subject, text: text.replaceAll(link, 'LINK'), html: html.replaceAll(link, 'LINK') }
}

const asked = (userIds: string[]) => ({ userIds, groupIds: [], everyone: false })

/** Sends, and answers the mails by whom they went to. */
async function send(userIds: string[], words: { subject?: string; body: string; dueAt?: string }) {
  const { admin, org, videoId } = sending
  const made = await admin.call(createTransmission, {
    body: { accountId: org, videoId, audience: asked(userIds), ...words },
  })
  expect(made.problem).toBeUndefined()
  const params = { transmissionId: made.body.id }
  await expect
    .poll(async () => (await admin.call(readTransmission, { params })).body.state, { timeout: 30_000 })
    .toBe('completed')
  const mails = await query<Mail & { userId: string }>(
    `select d.user_id as "userId", m.subject, m.text, m.html from mails m join deliveries d on d.id = m.delivery_id where d.transmission_id = $1`,
    [made.body.id],
  )
  return new Map(mails.map(({ userId, ...mail }) => [userId, mail]))
}

const words = {
  subject: '{{firstName|colleague}}: {{video}}',
  body: `# Hello {{ firstName | colleague }}

You are **{{name}}** ({{email}}) of {{organization}}, {{cost_centre|no centre}}.

- [Look](https://intranet.example/?who={{email}})
- by {{due}}

{{missing}}

{{sender}}`,
  dueAt: '2099-01-31',
}

test('each recipient is called by their own name, and the preview is the mail that they get', async () => {
  const { admin, org, videoId, server } = sending
  const ada = await add({
    name: 'Lovelace, Ada',
    email: 'ada@vars.test',
    fields: { cost_centre: 'A&B' },
    language: 'de',
  })
  const nobody = await add({ name: 'info@vars.test', email: 'info@vars.test' })
  const mails = await send([ada, nobody], words)
  for (const recipientId of [ada, nobody]) {
    const mail = mails.get(recipientId)
    const shown = await admin.call(previewMail, { body: { accountId: org, videoId, ...words, recipientId } })
    if (!mail) throw new Error('no mail')
    const { from: _, ...preview } = shown.body
    expect(without(mail)).toEqual(without(preview))
  }
  const mail = mails.get(ada)
  expect(mail?.subject).toBe('Ada: Fire drill')
  expect(mail?.text).toContain('Hello Ada\n\nYou are Lovelace, Ada (ada@vars.test) of')
  expect(mail?.text).toContain(
    'A&B.\n\n- Look (https://intranet.example/?who=ada%40vars.test)\n- by 31. Januar 2099\n\n',
  )
  expect(mail?.html).toContain('A&amp;B')
  expect(mail?.html).toContain('href="https://intranet.example/?who=ada%40vars.test"')
  // What is empty leaves no hole.
  expect(mail?.text).not.toMatch(/\n{3}|\{\{|v[0-9a-f]{32}/)
  expect(mail?.html).not.toMatch(/<p[^>]*><\/p>|\{\{|v[0-9a-f]{32}/)
  expect(mails.get(nobody)?.subject).toBe('colleague: Fire drill')
  expect(mails.get(nobody)?.text).toContain('no centre.')
  const page = await server.app.inject(/(\/w\/video\/\S+)/.exec(mail?.text ?? '')?.[1] ?? '')
  expect(page.payload).toContain('<h2>Hello Ada</h2><p>You are <strong>Lovelace, Ada</strong>')
  expect(page.payload).toContain(
    'A&amp;B.</p><ul><li><a href="https://intranet.example/?who=ada%40vars.test"',
  )
})

test('the file about a person has the message as it went to them', async () => {
  const { admin, org } = sending
  const userId = await add({ name: 'Emmy Noether', email: 'emmy@vars.test' })
  await send([userId], {
    subject: 'For {{firstName}}',
    body: 'Hello **{{name}}**\n\n{{site}}',
    dueAt: '2099-01-31',
  })
  const answer = await admin.send('GET', `/api/organizations/${org}/users/${userId}/data-export`)
  const { messages } = answer.body as { messages: object[] }
  expect(messages).toMatchObject([{ subject: 'For Emmy', body: 'Hello Emmy Noether', video: 'Fire drill' }])
})

/** Subjects as they are written, and what lists call them; the video is “Fire drill”. */
const named: Record<string, string> = {
  'Without braces': 'Without braces',
  '{{firstName}}: {{video}}': 'First name: Fire drill',
  '{{ firstName | dear colleague }}, {{video|a video}}': 'dear colleague, Fire drill',
  '{{cost_centre}}, {{cost_centre|}}{{unknown|something}}': 'cost_centre, something',
  'Braces \\{{name\\}} {{ a b }} {{{name}}': 'Braces {{name}} {{ a b }} {{{name}}',
}

test.for(Object.entries(named))('the subject “%s” is called “%s” in lists', async ([subject, name]) => {
  const { admin, org, videoId } = sending
  const body = { accountId: org, videoId, body: 'x', audience: asked([]), subject }
  const draft = await admin.call(createDraft, { body })
  expect(draft.body).toMatchObject({ subject, name })
})

test('nowhere is a message called by its braces', async () => {
  const { admin, org } = sending
  const userId = await add({ name: 'Grace Hopper', email: 'grace@vars.test' })
  await send([userId], {
    subject: '{{firstName|Colleague}}, zebra: {{video}}',
    body: 'x',
    dueAt: '2099-01-31',
  })
  const scope = { organizationId: org, period: '7d' } as const
  const answers = [
    await admin.call(search, { query: { q: 'zebra' } }),
    await admin.call(listAudit, { query: { organizationId: org, entity: 'transmission' } }),
    await admin.call(listAccountActivity, { query: scope }),
    await admin.call(listMessageReports, { query: scope }),
    await admin.call(exportTransmissions, { body: { filter: {}, sort: 'subject' } }),
    await admin.call(listPersonHistory, { params: { orgId: org, userId } }),
    await admin.call(listAssignments, { params: { orgId: org } }),
  ]
  for (const [place, { status, body }] of answers.entries()) {
    expect([place, status]).toEqual([place, 200])
    expect(JSON.stringify(body), `answer ${place}`).toContain('Colleague, zebra: Fire drill')
  }
})

test('whoever is of no organization previews as well', async () => {
  const { org, videoId, server } = sending
  const root = await server.person('superadmin', null)
  const { body } = await root.call(previewMail, {
    body: { accountId: org, videoId, body: 'From {{sender}}' },
  })
  expect(body.text).toContain('From ')
  expect(body.text).not.toContain('{{')
})

test('what people are called cannot become HTML, Markdown, another header, or another variable', async () => {
  const name = '<script>alert(1)</script> **x** {{email}}\r\nBcc: all@evil.test'
  const eve = await add({ name, email: 'eve@vars.test', fields: { site: '"><img src=x>&d=2' } })
  const mails = await send([eve], {
    subject: 'To {{name}}',
    body: '{{name}} [here](https://a.test/?x={{site}}&y=1) [there]({{site}})',
  })
  const mail = mails.get(eve)
  expect(mail?.subject).toBe('To <script>alert(1)</script> **x** {{email}} Bcc: all@evil.test')
  expect(mail?.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt; **x** {{email}} Bcc: all@evil.test')
  expect(mail?.html).not.toMatch(/<script|<img src=x/)
  expect(mail?.html).toContain('href="https://a.test/?x=%22%3E%3Cimg%20src%3Dx%3E%26d%3D2&amp;y=1"')
  expect(mail?.text).toContain('**x** {{email}} Bcc: all@evil.test')
  const page = await sending.server.app.inject(/(\/w\/video\/\S+)/.exec(mail?.text ?? '')?.[1] ?? '')
  expect(page.payload).not.toMatch(/<script>alert|<img src=x/)
})

test('a variable that is not known, or whose braces are broken, is refused at its field, with place and nearest name', async () => {
  const { admin, org, videoId } = sending
  const [userId = ''] = await addPeople(sending.server, org, { count: 1, prefix: 'refused' })
  const create = (subject: string, body: string) =>
    admin.call(createTransmission, { body: { accountId: org, videoId, userId, subject, body } })
  const cases: [body: string, written: string, line: number, near: string][] = [
    ['Hello {{fristName}}', '{{fristName}}', 1, '{{firstName}}'],
    ['Hello\n\n{{FIRSTNAME|x}}', '{{FIRSTNAME|x}}', 3, '{{firstName}}'],
    ['Hello\n{{firstName, you', '{{firstName,', 2, '{{firstName}}'],
    ['{{first{{name}}}}', '{{first', 1, '{{firstName}}'],
    ['{{costcentre}}', '{{costcentre}}', 1, '{{cost_centre}}'],
    ['{{}} {{ }}', '{{}}', 1, ''],
    ['{{somethingElse}}', '{{somethingElse}}', 1, ''],
    ['a }} b', '}}', 1, ''],
  ]
  for (const [body, written, line, near] of cases) {
    const { problem, status } = await create('Hello', body)
    expect(status).toBe(422)
    expect(problem).toMatchObject({
      fields: { body: ['invalid'] },
      reason: { code: 'not_a_variable', params: { written, line, near } },
    })
  }
  expect((await create('{{nme}}', 'Hello')).problem).toMatchObject({
    fields: { subject: ['invalid'] },
    detail: 'Line 1: “{{nme}}” is no variable. Did you mean {{name}}?',
  })
  const draft = await create('Later', 'Hello')
  const params = { transmissionId: draft.body.id }
  const change = { version: draft.body.version, body: '{{nme}}', videoId, audience: asked([userId]) }
  await query(`update transmissions set state = 'draft' where id = $1`, [draft.body.id])
  expect((await admin.call(editTransmission, { params, body: change })).problem?.fields).toEqual({
    body: ['invalid'],
  })
  const written = { accountId: org, videoId, body: '{{nme}}' }
  expect((await admin.call(testTransmission, { body: written })).status).toBe(422)
  // While one writes, the mail is shown as far as it goes.
  expect((await admin.call(previewMail, { body: written })).body.text).toContain('{{nme}}')
  const plan = {
    name: 'Plan',
    videoId,
    audience: asked([userId]),
    requirement: 'watched' as const,
    due: { kind: 'none' as const },
    validity: null,
    countsSince: null,
    reminders: { daysBefore: [], onTheDay: false, daysAfter: [], weekly: false, most: 0 },
    subject: '{{nme}}',
    message: '{{vidio}}',
  }
  const refused = await admin.call(createAssignment, { params: { orgId: org }, body: plan })
  expect(refused.problem?.fields).toEqual({ subject: ['invalid'], message: ['invalid'] })
})

test('braces behind a backslash are braces, and neither a title nor a broken text is read as a variable', async () => {
  const [userId = ''] = await addPeople(sending.server, sending.org, { count: 1, prefix: 'braces' })
  const title = 'Use of {{email}}'
  await query(`update videos set title = $2 where id = $1`, [sending.videoId, title])
  const mails = await send([userId], {
    body: String.raw`Write \{{firstName\}} or {{firstName}}, and see {{video}}.`,
  })
  await query(`update videos set title = 'Fire drill' where id = $1`, [sending.videoId])
  expect(mails.get(userId)?.subject).toMatch(/ sent you a video: Use of \{\{email\}\}$/)
  expect(mails.get(userId)?.text).toContain('Write {{firstName}} or Braces, and see Use of {{email}}.')
})

test('counts who has no value for a variable, finds people of the audience, and blocks nothing', async () => {
  const { admin, org } = sending
  const prefix = 'gaps'
  const ids = await addPeople(sending.server, org, { count: 12, prefix })
  await query(`update users set custom_fields = '{"site": "Oslo"}' where id = any($1::uuid[])`, [
    ids.slice(0, 9),
  ])
  await query(`update users set name = 'gaps@example.test' where id = any($1::uuid[])`, [ids.slice(0, 2)])
  const about = { accountId: org, audience: asked(ids) }
  const counted = await admin.call(countGaps, {
    body: { ...about, variables: ['firstName', 'site', 'cost_centre', 'email'] },
  })
  expect(counted.body.gaps).toEqual([
    { variable: 'firstName', people: 2 },
    { variable: 'site', people: 3 },
    { variable: 'cost_centre', people: 12 },
  ])
  const unknown = await admin.call(countGaps, { body: { ...about, variables: ['x'] } })
  expect(unknown.problem?.fields).toEqual({ variables: ['invalid'] })
  const found = await admin.call(findRecipients, { body: about })
  expect(found.body.items).toHaveLength(10)
  const one = await admin.call(findRecipients, { body: { ...about, q: 'GAPS 1' } })
  expect(one.body.items.map(({ name }) => name)).toEqual(['Gaps 10', 'Gaps 11', 'Gaps 12'])
  const other = await admin.call(findRecipients, { body: { ...about, q: '%' } })
  expect(other.body.items).toEqual([])
})

test('nobody sees, counts or is shown people of another organization', async () => {
  const { admin, org, server, videoId } = sending
  const foreign = await server.organization()
  const [stranger = ''] = await addPeople(server, foreign, { count: 1, prefix: 'stranger' })
  const about = { accountId: foreign, audience: asked([stranger]) }
  expect((await admin.call(findRecipients, { body: about })).status).toBe(404)
  expect((await admin.call(countGaps, { body: { ...about, variables: [] } })).status).toBe(404)
  const mine = { accountId: org, audience: asked([stranger]) }
  expect((await admin.call(findRecipients, { body: mine })).status).toBe(422)
  const shown = await admin.call(previewMail, {
    body: { accountId: org, videoId, body: '{{name}}', recipientId: stranger },
  })
  expect(shown.problem?.fields).toEqual({ recipientId: ['not_found'] })
})

test('a field that was removed after sending is empty, and the longest message is drawn', async () => {
  const { admin, org } = sending
  const params = { orgId: org }
  const field = await admin.call(createField, { params, body: { label: 'Team', type: 'text' } })
  const somebody = await add({ name: 'Tim Team', email: 'tim@vars.test', fields: { team: 'Blue' } })
  const body = `{{team|no team}} ${'{{firstName}} **'.repeat(1_240)}`.slice(0, 19_990)
  const mails = await send([somebody], { body: body.slice(0, body.lastIndexOf('{{')) })
  const mail = mails.get(somebody)
  expect(mail?.text).toContain('Blue Tim')
  await admin.call(deleteField, { params: { orgId: org, fieldId: field.body.id } })
  const page = await sending.server.app.inject(/(\/w\/video\/\S+)/.exec(mail?.text ?? '')?.[1] ?? '')
  expect(page.payload).toContain('<p>no team Tim')
})
