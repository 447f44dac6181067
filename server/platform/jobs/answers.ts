/**
 * An answer of a mail server is about one of these. `nobody`: there is no such recipient. `mailbox`: the recipient is there, and takes
 * nothing (now). `system`: machines and networks on the way have a fault.
 */
export const answerSubjects = ['nobody', 'mailbox', 'sender', 'content', 'policy', 'size', 'system'] as const
export type AnswerSubject = (typeof answerSubjects)[number]

/** These enhanced status codes (RFC 3463 and its registry), without their first digit, say by themselves what they are about. */
const byStatus: Readonly<Record<string, AnswerSubject>> = {
  '1.1': 'nobody',
  '1.2': 'nobody',
  '1.3': 'nobody',
  '1.4': 'nobody',
  '1.6': 'nobody',
  '1.7': 'sender',
  '1.8': 'sender',
  '1.10': 'nobody',
  // Exchange says so of more than an account may send.
  '1.90': 'sender',
  '2.1': 'mailbox',
  '2.2': 'mailbox',
  '2.3': 'size',
  '2.4': 'mailbox',
  '3.4': 'size',
  '7.8': 'sender',
  '7.9': 'sender',
  '7.20': 'sender',
  '7.21': 'sender',
  '7.22': 'sender',
  '7.23': 'sender',
  '7.24': 'sender',
  '7.26': 'sender',
  '7.27': 'sender',
  // Exchange says so of an account or a tenant that may not send for now, and of mails without proof of their sender.
  '7.501': 'sender',
  '7.502': 'sender',
  '7.503': 'sender',
  '7.509': 'sender',
  '7.515': 'sender',
  '7.705': 'sender',
  '7.708': 'sender',
}

/**
 * These words decide where the status leaves it open. They are searched for in the status with the text, and the first line that matches
 * counts.
 */
const byWords: readonly (readonly [AnswerSubject, RegExp])[] = [
  [
    'sender',
    /\bsender\b.{0,60}\b(rejected|refused|denied|blocked|unknown|invalid|verif\w+|not (allowed|permitted|verified|valid|found|exist\w*))\b/i,
  ],
  [
    'sender',
    /\b(bad|invalid|unknown|unverified|rejected|blocked)\s+((outbound|envelope)\s+)?(sender|originator|return[- ]path)\b/i,
  ],
  [
    'sender',
    /\b(originator|return[- ]path|envelope[- ]from|from address|mail from)\b.{0,60}\b(not|invalid|rejected|refused|denied)\b/i,
  ],
  ['sender', /\be-?mail address is not verified\b|\b(dmarc|dkim|spf)\b/i],
  ['nobody', /^\d?\.?4\.1 .*recipient address rejected/i],
  [
    'nobody',
    /\b(unknown|no such|invalid|non-?existent|bad(?: destination)?|undeliverable|unrouteable)\s+((local|e-?mail|mail|destination)\s+)?(user|recipient|mailbox|address|account|person|addressee)\b/i,
  ],
  [
    'nobody',
    /\b(user|recipient|mailbox|address|addressee|account)\b[^.]{0,60}\b(unknown|not found|not exist|doesn['’]t exist|no longer (valid|exists)|not known|not listed)\b/i,
  ],
  [
    'nobody',
    /\brecipientnotfound\b|\bno mailbox here\b|\bno such (name|alias)\b|\bmailbox unavailable\b|\bnull mx\b/i,
  ],
  [
    'mailbox',
    /\b(mailbox|inbox|quota|storage|account)\b.{0,60}\b(full|exceed\w*|over|disabled|inactive|suspended|locked)\b/i,
  ],
  ['mailbox', /\bover ?quota\b/i],
  ['size', /\btoo (large|big|long)\b|\bsize limit\b|\b(maximum|exceeds?) .{0,30}size\b/i],
  [
    'policy',
    /\b(policy|reputation|rcpthosts|relay\w*|block ?list\w*|blacklist\w*|spamhaus|dnsbl|rbl|blocked using|reverse dns)\b/i,
  ],
  ['content', /\b(spam|virus|malware|phish\w*|unsolicited|content|junk)\b/i],
]

/** The second number of a status says this, where nothing else does. */
const byClass: Readonly<Record<string, AnswerSubject>> = {
  2: 'mailbox',
  3: 'system',
  4: 'system',
  5: 'system',
  6: 'content',
  7: 'policy',
}

/** An answer to one of these commands can be about nothing but the command itself. */
const byCommand: readonly (readonly [RegExp, AnswerSubject])[] = [
  [/^MAIL/, 'sender'],
  [/^(CONN|EHLO|HELO|STARTTLS|AUTH|API)/, 'system'],
]

/** These patterns match no part of an address of a machine, a version or a date. */
const status = /(?<![\d.])[245]\.[0-7]\.\d{1,3}(?!\.?\d)/g
const basic = /(?:^|[\s:;-])([45]\d\d)(?=[\s-])/

export type ServerAnswer = {
  /** This is all that was said, also by several machines; what speaks for the recipient's own comes first. */
  text: string
  /** This is the basic code (RFC 5321), where it was told apart. */
  code?: number | null
  /** This command was answered, where that is known: `MAIL FROM`, `RCPT TO`, `DATA` … */
  command?: string | undefined
}
export type Meaning = {
  /** Null means that it does not say. */
  about: AnswerSubject | null
  /** It is true when the answer is for good; null means that it does not say. */
  permanent: boolean | null
  /** This is the enhanced status code; null means that none was told. */
  status: string | null
}

const detailOf = (one: string | undefined) => one?.slice(2) ?? ''

/** Says whom an answer means, whether for good, and by which status. Mail servers, returned mails and providers are all read here. */
export function meaningOf({ text, code = null, command = '' }: ServerAnswer): Meaning {
  const statuses = text.match(status) ?? []
  const clear = statuses.find((one) => byStatus[detailOf(one)])
  const main = clear ?? statuses.find((one) => !one.endsWith('.0.0')) ?? statuses[0]
  const first = main?.[0] ?? String(code ?? basic.exec(text)?.[1] ?? '')[0]
  const permanent = first === undefined ? null : first === '5'
  return { about: aboutOf({ text, command, clear, main, code }), permanent, status: main ?? null }
}

type AnswerParts = {
  text: string
  command: string
  clear: string | undefined
  main: string | undefined
  code: number | null
}

function aboutOf({ text, command, clear, main, code }: AnswerParts): AnswerSubject | null {
  const said = byStatus[detailOf(clear)] ?? wordsOf(`${main ?? ''} ${text}`)
  const asked = byCommand.find(([name]) => name.test(command))?.[1]
  if (asked) return said === 'size' ? said : asked
  if (said) return said
  if (code === 556) return 'nobody'
  const [kind = ''] = detailOf(main).split('.')
  // An address of which nothing more is said is the recipient's where that command was answered.
  if (kind === '1') return command.startsWith('RCPT') ? 'nobody' : null
  return byClass[kind] ?? null
}

/** Reads the words without addresses, which are names, whatever words stand in them. */
function wordsOf(said: string): AnswerSubject | undefined {
  const words = said.replaceAll(/[^\s<>@]{1,100}@[^\s<>@]{1,300}/g, ' ')
  return byWords.find(([, known]) => known.test(words))?.[0]
}

/** Returns whether we have to mend it, whoever the recipient is. Nobody is barred for that, and no mail is given up. */
export const isOurs = (about: AnswerSubject | null): about is 'sender' | 'content' | 'policy' | 'size' =>
  about === 'sender' || about === 'content' || about === 'policy' || about === 'size'
