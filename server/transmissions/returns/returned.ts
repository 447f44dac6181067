import PostalMime, { type Email } from 'postal-mime'
import { cut, storable } from '#contract/platform/text/text.ts'
import { meaningOf, type Meaning } from '../../platform/jobs/answers.ts'
import { line, plain, unwanted, type MailEvent } from './providers.ts'

/** A message in the mailbox says that this became of a mail. */
export type Returned = Pick<MailEvent, 'kind' | 'permanent' | 'about' | 'status' | 'detail'>

/** These bounds stop the reading of a message that somebody filled with parts in parts. */
const bounds = { maxNestingDepth: 20, maxHeadersSize: 256 * 1024, maxRfc822NestingDepth: 2 }

type Read = { messageId: string | undefined; returned: Returned | undefined }

/** Reads a report of a mail server or a complaint (RFC 5965); any other message says nothing. */
export async function readMessage(raw: Buffer): Promise<Read> {
  const mail = await PostalMime.parse(raw, {
    ...bounds,
    forceRfc822Attachments: true,
    attachmentEncoding: 'utf8',
  })
  return {
    messageId: mail.messageId && cut(storable(mail.messageId), 150),
    returned: deliveryReport(mail) ?? complaint(mail) ?? wordsOnly(mail),
  }
}

type Fields = ReadonlyMap<string, string>

/** Returns the part of a report that is written for machines, wherever the report stands in the message. */
const partOf = ({ attachments }: Email, types: readonly string[]): string | undefined =>
  attachments
    .filter(({ mimeType }) => types.includes(mimeType.toLowerCase()))
    .map(({ content }) => content)
    .find((content) => typeof content === 'string')

/** Returns the fields of a report in their groups. The first group is about all recipients, each further one about one of them. */
const groupsOf = (part: string): Fields[] =>
  storable(part)
    .replaceAll('\r\n', '\n')
    .split(/\n{2,}/)
    .slice(0, 100)
    .map(fieldsOf)

function fieldsOf(group: string): Fields {
  const lines = group.replaceAll(/\n[ \t]+/g, ' ').split('\n')
  return new Map(
    lines.flatMap((text) => {
      const [, name = '', value = ''] = /^([!-9;-~]+):(.*)$/.exec(text) ?? []
      return name === '' ? [] : [[name.toLowerCase(), value.trim()] as const]
    }),
  )
}

/** The worst comes last. Where it was delivered to one of several recipients that a list stands for, it has not come back. */
const actions = ['delivered', 'delayed', 'failed'] as const
/** Reads the action without a comment, which may follow. */
const actionOf = (group: Fields) => {
  const [word = ''] = /^[a-z]+/.exec(group.get('action')?.toLowerCase() ?? '') ?? []
  return actions.find((one) => one === word)
}

/** Returns the address to which our mail went, by what the report gives of it. */
function addressOf({ attachments }: Email): string | undefined {
  const copy = attachments.find(({ mimeType }) =>
    /^(text\/rfc822-headers|message\/(rfc822|global))$/i.test(mimeType),
  )
  const [head = ''] = typeof copy?.content === 'string' ? copy.content.split(/\r?\n\r?\n/) : []
  return /[^\s<>"',;:]{1,64}@[^\s<>"',;:]{1,255}/
    .exec(fieldsOf(head.replaceAll('\r\n', '\n')).get('to') ?? '')?.[0]
    ?.toLowerCase()
}

/** Returns the group that counts, which is the mildest of those that name the address of our mail, or else the mildest of all. */
function groupIn(mail: Email, part: string): Fields | undefined {
  const groups = groupsOf(part).filter((group) => group.has('action'))
  const address = addressOf(mail)
  const names = (group: Fields) =>
    address !== undefined &&
    ['original-recipient', 'final-recipient'].some((field) =>
      group.get(field)?.toLowerCase().includes(address),
    )
  const theirs = groups.some(names) ? groups.filter(names) : groups
  return actions
    .map((action) => theirs.find((group) => actionOf(group) === action))
    .find((group) => group !== undefined)
}

const reports = ['message/delivery-status', 'message/global-delivery-status']

/** Reads a report of a mail server (RFC 3464, RFC 6533). */
function deliveryReport(mail: Email): Returned | undefined {
  const part = partOf(mail, reports)
  const found = part === undefined ? undefined : groupIn(mail, part)
  const action = found && actionOf(found)
  if (!found || !action) return undefined
  if (action === 'delivered') return { ...plain, kind: 'delivered' }
  const said = line(
    [found.get('diagnostic-code'), found.get('x-supplementary-info')].join(' ').replaceAll(/\p{Cc}/gu, ' '),
  )
  const reported = meaningOf({ text: `${said ?? ''} ${found.get('status') ?? ''}` })
  const meaning =
    reported.about === null ? { ...reported, about: meaningOf({ text: ownWords(mail) }).about } : reported
  // A report that it failed is the last word, whether the mail server would have taken it later or not.
  return returnOf({ ...meaning, permanent: action === 'failed' && meaning.permanent !== null }, said)
}

const returnOf = ({ about, permanent, status }: Meaning, said: string | null): Returned => ({
  kind: 'returned',
  permanent: permanent ?? false,
  about,
  status,
  detail: said,
})

/** Returns what a mail server says in its message, above the copy of our mail. */
const ownWords = ({ text = '' }: Email): string => cut(storable(text.split(/^-{3,}/m)[0] ?? ''), 10_000)

const machines = /^(mailer-daemon|postmaster|mail-?daemon)@/i

/** Reads mail servers that report in words alone. What a person writes, or has written for them while they are away, says nothing. */
function wordsOnly(mail: Email): Returned | undefined {
  if (!machines.test(mail.from?.address ?? '')) return undefined
  const text = ownWords(mail)
  const meaning = meaningOf({ text })
  if (meaning.about === null || meaning.permanent !== true) return undefined
  const said = text.split('\n').find((one) => meaningOf({ text: one }).about !== null)
  return returnOf(meaning, line(said))
}

function complaint(mail: Email): Returned | undefined {
  const part = partOf(mail, ['message/feedback-report'])
  const [about] = part === undefined ? [] : groupsOf(part)
  const type = about?.get('feedback-type')?.toLowerCase() ?? ''
  return unwanted.has(type) ? { ...plain, kind: 'complained' } : undefined
}
