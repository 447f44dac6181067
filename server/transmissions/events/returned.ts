import PostalMime, { type Email } from 'postal-mime'
import { line, statusIn, type MailEvent } from './providers.ts'
import { cut, storable } from '#contract/text.ts'

/** What a message in the mailbox says became of a mail. */
export type Returned = Pick<MailEvent, 'kind' | 'permanent' | 'noMailbox' | 'status' | 'detail'>

/** Whoever fills a message with parts in parts has us read no further. */
const bounds = { maxNestingDepth: 20, maxHeadersSize: 256 * 1024, maxRfc822NestingDepth: 2 }

type Read = { messageId: string | undefined; returned: Returned | undefined }

/** Of a report of a mail server (RFC 3464) or of a complaint (RFC 5965); anything else says nothing. */
export async function readMessage(raw: Buffer): Promise<Read> {
  const mail = await PostalMime.parse(raw, {
    ...bounds,
    forceRfc822Attachments: true,
    attachmentEncoding: 'utf8',
  })
  return {
    messageId: mail.messageId && cut(storable(mail.messageId), 150),
    returned: deliveryReport(mail) ?? complaint(mail),
  }
}

type Fields = ReadonlyMap<string, string>

/** Fields of a report in their groups: the first is about all recipients, each further one about one. */
function groupsOf({ headers, attachments }: Email, type: string): Fields[] {
  const isReport = headers.some(
    ({ key, value }) => key === 'content-type' && /^\s*multipart\/report\b/i.test(value),
  )
  const part = isReport && attachments.find(({ mimeType }) => mimeType.toLowerCase() === type)
  if (!part || typeof part.content !== 'string') return []
  return storable(part.content)
    .replaceAll('\r\n', '\n')
    .split(/\n{2,}/)
    .slice(0, 100)
    .map(fieldsOf)
}

function fieldsOf(group: string): Fields {
  const lines = group.replaceAll(/\n[ \t]+/g, ' ').split('\n')
  return new Map(
    lines.flatMap((text) => {
      const [, name = '', value = ''] = /^([!-9;-~]+):(.*)$/.exec(text) ?? []
      return name === '' ? [] : [[name.toLowerCase(), value.trim()] as const]
    }),
  )
}

const nothing = { permanent: false, noMailbox: false, status: null, detail: null }

/** Each of our mails has one recipient, so the first group that says what was done says it of that one. */
function deliveryReport(mail: Email): Returned | undefined {
  const found = groupsOf(mail, 'message/delivery-status').find((group) => group.has('action'))
  const action = found?.get('action')?.toLowerCase()
  if (!found || (action !== 'failed' && action !== 'delayed' && action !== 'delivered')) return undefined
  if (action === 'delivered') return { ...nothing, kind: 'delivered' }
  const detail = line(found.get('diagnostic-code'))
  const status = statusIn(found.get('status') ?? null) ?? statusIn(detail)
  const permanent = action === 'failed' && (status?.startsWith('5.') ?? false)
  const noMailbox = permanent && (status?.startsWith('5.1.') ?? false)
  return { kind: 'returned', permanent, noMailbox, status, detail }
}

const unwanted = new Set(['abuse', 'fraud', 'virus', 'other'])

function complaint(mail: Email): Returned | undefined {
  const [about] = groupsOf(mail, 'message/feedback-report')
  const type = about?.get('feedback-type')?.toLowerCase() ?? ''
  return unwanted.has(type) ? { ...nothing, kind: 'complained' } : undefined
}
