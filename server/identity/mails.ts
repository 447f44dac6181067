import { escapeHtml } from '../platform/http/html.ts'
import type { Env } from '../platform/env.ts'

export type Purpose = 'reset_password' | 'confirm_email' | 'login' | 'step_up' | 'delete_account' | 'own_data'
export const codeMinutes = 10

export type Text = { subject: string; text: string; html: string }

type Parts = {
  subject: string
  lines: string[]
  code?: string
  /** Where to press; as text, its address stands in full. */
  link?: { label: string; url: string }
  end: string
}

/** A line of a mail in HTML. */
export const paragraph = (line: string) => `<p style="margin:0 0 16px">${escapeHtml(line)}</p>`

type Link = { label: string; url: string }

type Page = {
  subject: string
  /** HTML, in which everything is escaped. */
  blocks: readonly string[]
  link?: Link | undefined
  end: string
  /** Stands behind the last word, as a mere link. */
  endLink?: Link
}

/** What every mail looks like: blocks, the button, a last word, and who sent it. */
export function mailPage(env: Env, { subject, blocks, link, end, endLink }: Page): string {
  const button = link
    ? `<p style="margin:0 0 16px"><a href="${escapeHtml(link.url)}" style="display:inline-block;padding:12px 20px;border-radius:4px;background:#1f4fd8;color:#ffffff;font-weight:700;text-decoration:none">${escapeHtml(link.label)}</a></p>`
    : ''
  const more = endLink
    ? ` <a href="${escapeHtml(endLink.url)}" style="color:#1f4fd8">${escapeHtml(endLink.label)}</a>`
    : ''
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 sans-serif;color:#1f2937;background:#ffffff"><div style="max-width:520px;margin:0 auto">
${blocks.join('\n')}
${button}
<p style="margin:0 0 16px">${escapeHtml(end)}${more}</p>
<p style="margin:24px 0 0;font-size:13px;color:#4b5563">${escapeHtml(footerOf(env))}</p>
</div></body></html>`
}

const footerOf = (env: Env) => `${env.productName} · ${env.providerName}`

/** The same mail as text; a link's address stands in full. */
export function mailText(env: Env, { blocks, link, end }: Omit<Page, 'subject' | 'endLink'>): string {
  const parts = [...blocks, ...(link ? [`${link.label}:\n${link.url}`] : []), end, `-- \n${footerOf(env)}`]
  return `${parts.join('\n\n')}\n`
}

/** The same words as text and as a page; a code or a link stands out in both. */
export function compose(env: Env, { subject, lines, code, link, end }: Parts): Text {
  const big = code
    ? `<p style="margin:0 0 16px;font-size:32px;font-weight:700;letter-spacing:6px">${escapeHtml(code)}</p>`
    : ''
  return {
    subject,
    text: mailText(env, { blocks: [...lines, ...(code ? [`    ${code}`] : [])], link, end }),
    html: mailPage(env, { subject, blocks: [...lines.map(paragraph), big], link, end }),
  }
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
export function codeMail(env: Env, { name, purpose, code }: CodeMail): Text {
  const reason = reasons[purpose]
  return compose(env, {
    subject: `${reason.subject} – ${env.productName}`,
    lines: [name === null ? 'Hello,' : `Hello ${name},`, reason.line],
    code,
    end: `The code works once, for ${codeMinutes} minutes. If you did not ask for it, you can ignore this mail: nothing has changed. Never give the code to anybody, not even to us.`,
  })
}
