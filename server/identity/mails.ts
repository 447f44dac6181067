import { drawMail, type MailBrand, type Text } from '../documents/mail/page.ts'
import { button, code as digits, heading, type Part, small, words } from '../documents/mail/parts.ts'
import type { Env } from '../platform/env.ts'
import { productBrand } from './mail-brand.ts'

export type Purpose = 'reset_password' | 'confirm_email' | 'login' | 'step_up' | 'delete_account' | 'own_data'
export const codeMinutes = 10

type Link = { label: string; url: string }

type Parts = {
  subject: string
  /** What stands above the words; left out: the subject. */
  title?: string
  lines: readonly string[]
  code?: string
  /** Where to press; as text, its address stands in full. */
  link?: Link
  end: string
}

const footerOf = (env: Env) => `${env.productName} · ${env.providerName}`

type Page = { subject: string; parts: readonly Part[]; brand?: MailBrand | undefined }

/** A mail as the product sends it, or as an organization does: below it stands whose product that is. */
export function mailOf(env: Env, { subject, parts, brand = productBrand(env) }: Page): Text {
  const { text, ...mail } = drawMail({ brand, subject, parts, footer: footerOf(env) })
  return { ...mail, text: `${text}\n\n-- \n${footerOf(env)}\n` }
}

/** The same words as text and as a page; a code or a link stands out in both. */
export function compose(
  env: Env,
  { subject, title, lines, code, link, end }: Parts,
  brand?: MailBrand,
): Text {
  return mailOf(env, {
    subject,
    brand,
    parts: [
      heading(title ?? subject),
      ...lines.map(words),
      ...(code ? [digits(code)] : []),
      ...(link ? [button(link)] : []),
      small(end),
    ],
  })
}

const reasons: Record<Purpose, { subject: string; line: string }> = {
  reset_password: {
    subject: 'Your code for a new password',
    line: 'You asked for a new password. Type this code into the page that you came from:',
  },
  confirm_email: {
    subject: 'Confirm your email address',
    line: 'Please confirm that this is your email address. Type this code into the page that you came from:',
  },
  login: {
    subject: 'Your code for signing in',
    line: 'You asked to sign in with a code. Type it into the page that you came from; your second step comes after it:',
  },
  step_up: {
    subject: 'Your confirmation code',
    line: 'You are about to change something important. Type this code into the page that you came from:',
  },
  own_data: {
    subject: 'Your code for your data',
    line: 'Somebody with your personal link to a video asks for everything that is kept about you from the videos that were sent to you. If it is you, type this code into that page:',
  },
  delete_account: {
    subject: 'Your code for deleting your account',
    line: 'You asked to delete your account. If you are sure, type this code into the page that you came from:',
  },
}

type CodeMail = { name: string | null; purpose: Purpose; code: string }

/** Without a name for an address that is not known to be anybody's. */
export function codeMail(env: Env, { name, purpose, code }: CodeMail, brand?: MailBrand): Text {
  const reason = reasons[purpose]
  const mail = {
    subject: `${reason.subject} – ${env.productName}`,
    title: reason.subject,
    lines: [name === null ? 'Hello,' : `Hello ${name},`, reason.line],
    code,
    end: `The code works once, for ${codeMinutes} minutes. If you did not ask for it, you can ignore this mail: nothing has changed. Never give the code to anybody, not even to us.`,
  }
  return compose(env, mail, brand)
}
