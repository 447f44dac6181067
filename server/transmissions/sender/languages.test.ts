import { expect, test } from 'vitest'
import { previewMail } from '#contract/identity/mail-preview.ts'
import { createTransmission, readTransmission } from '#contract/transmissions/transmissions.ts'
import { aSendingServer } from '../../testing/worlds.ts'

const sending = await aSendingServer()

const { query } = sending.server

test('each recipient is written to in their own language, else in that of the organization', async () => {
  const { org, admin, videoId, server } = sending
  await query(`update organizations set language = 'de', time_zone = 'Europe/Berlin' where id = $1`, [org])
  const people = await query<{ id: string }>(
    `insert into users (organization_id, name, email, language)
      select $1::uuid, 'Reader ' || n, n || '@' || $1::uuid::text || '.test', case n when 'english' then 'en' when 'german' then 'de' end
      from unnest(array['english', 'german', 'usual']) n returning id`,
    [org],
  )
  const audience = { everyone: false, userIds: people.map(({ id }) => id), groupIds: [] }
  const body = { body: 'Hallo', videoId, accountId: org, audience, dueAt: '2099-01-31' }
  const made = await admin.call(createTransmission, { body })
  const params = { transmissionId: made.body.id }
  await expect
    .poll(async () => (await admin.call(readTransmission, { params })).body.state, { timeout: 30_000 })
    .toBe('completed')
  const mails = await query<{ address: string; subject: string; text: string; html: string }>(
    `select d.address, m.subject, m.text, m.html from mails m join deliveries d on d.id = m.delivery_id
      where d.transmission_id = $1 order by d.address`,
    [made.body.id],
  )
  expect(mails).toHaveLength(3)
  for (const { address, subject, text, html } of mails) {
    const isEnglish = address.startsWith('english')
    expect(text).toContain(
      isEnglish ? 'Please watch it by January 31, 2099.' : 'sehen Sie es bis 31. Januar 2099 an.',
    )
    expect(html).toContain(isEnglish ? '<html lang="en-US">' : '<html lang="de-DE">')
    expect(html).toContain(isEnglish ? 'Watch the video' : 'Video ansehen')
    expect(text).not.toMatch(isEnglish ? /Sie|Video ansehen/ : /Please|Watch/)
    // One subject for all of them, which its sender has seen.
    expect(subject).toContain('hat Ihnen ein Video geschickt')
    const page = await server.app.inject(/(\/w\/video\/\S+)/.exec(text)?.[1] ?? '')
    expect(page.payload).toContain(isEnglish ? '<html lang="en-US">' : '<html lang="de-DE">')
  }
  const shown = await admin.call(previewMail, { body: { accountId: org, videoId, body: 'Hallo' } })
  expect(shown.body.text).toContain('Dieser Link ist nur für Sie.')
})
