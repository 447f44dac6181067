import { readOrganization } from '#contract/directory/organizations.ts'
import { previewMail } from '#contract/identity/mail-preview.ts'
import { readVideo } from '#contract/videos/videos.ts'
import { compose } from '#server/transmissions/sender/compose.ts'
import { missingOf } from '#server/transmissions/compose/missing.ts'
import type { Client } from '../client.ts'
import type { Personal } from './pages.ts'

const day = 86_400_000
const body = [
  'Hello {{firstName|colleague}},',
  'please watch **{{video}}** by {{due|the end of the month}}.',
  'Thank you!',
].join('\n\n')

/** The first mail of a message, and a reminder to somebody who has not seen two parts, as HTML. */
export async function mailsOf(
  client: Client,
  { orgId, videoId }: { orgId: string; videoId: string },
): Promise<Personal['mails']> {
  const { name, accentColor } = await client.call(readOrganization, { params: { orgId } })
  const { title, durationMs } = await client.call(readVideo, { params: { videoId } })
  const dueAt = new Date(Date.now() + 7 * day).toISOString()
  const first = await client.call(previewMail, {
    body: { accountId: orgId, videoId, subject: 'Please watch: {{video}}', body, dueAt },
  })
  const missing = missingOf({
    missing: '{[21000,34000),[52000,60000)}',
    toConfirm: null,
    durationMs,
    language: 'en',
  })
  const reminder = compose({
    brand: { name, logo: null, accentColor, isProduct: false },
    language: 'en',
    subject: 'Still to watch: {{video}}',
    body: `${body}\n\n{{missing}}`,
    known: new Set(['firstName', 'video', 'due', 'missing']),
    senderName: 'Ada Admin',
    title,
    durationMs,
    product: 'Sendreel',
    poster: null,
    due: ['November 20, 2026'],
    step: null,
    linkEnd: null,
    isDuty: true,
    asksSignIn: false,
  }).fillIn({
    link: '#',
    unsubscribe: '#',
    strip: missing.strip,
    values: { firstName: 'Aisha', video: title, due: 'November 20, 2026', missing: missing.said },
  })
  return { first: first.html, reminder: reminder.html }
}
