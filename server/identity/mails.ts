import type { Env } from '../env.ts'

export type Purpose = 'reset_password' | 'confirm_email' | 'step_up' | 'delete_account'
export const codeMinutes = 10

export type Text = { subject: string; text: string; html: string }

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

type Parts = {
  subject: string
  lines: string[]
  code?: string
  /** Where to press; as text, its address stands in full. */
  link?: { label: string; url: string }
  end: string
}

/** The same words as text and as a page; a code or a link stands out in both. */
export function compose(env: Env, { subject, lines, code, link, end }: Parts): Text {
  const footer = `${env.productName} · ${env.providerName}`
  const blocks = [
    ...lines,
    ...(code ? [`    ${code}`] : []),
    ...(link ? [`${link.label}:\n${link.url}`] : []),
    end,
    `-- \n${footer}`,
  ]
  const paragraph = (line: string) => `<p style="margin:0 0 16px">${escape(line)}</p>`
  const big = code
    ? `<p style="margin:0 0 16px;font-size:32px;font-weight:700;letter-spacing:6px">${escape(code)}</p>`
    : ''
  const button = link
    ? `<p style="margin:0 0 16px"><a href="${escape(link.url)}" style="display:inline-block;padding:12px 20px;border-radius:4px;background:#1f4fd8;color:#ffffff;font-weight:700;text-decoration:none">${escape(link.label)}</a></p>`
    : ''
  return {
    subject,
    text: `${blocks.join('\n\n')}\n`,
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escape(subject)}</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 sans-serif;color:#1f2937;background:#ffffff"><div style="max-width:520px;margin:0 auto">
${lines.map(paragraph).join('\n')}
${big}
${button}
${paragraph(end)}
<p style="margin:24px 0 0;font-size:13px;color:#4b5563">${escape(footer)}</p>
</div></body></html>`,
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
  step_up: {
    subject: 'Your confirmation code',
    line: 'You are about to change something important. Type this code into the page that you came from:',
  },
  delete_account: {
    subject: 'Your code for deleting your account',
    line: 'You asked to delete your account. If you are sure, type this code into the page that you came from:',
  },
}

export function codeMail(env: Env, mail: { name: string; purpose: Purpose; code: string }): Text {
  const reason = reasons[mail.purpose]
  return compose(env, {
    subject: `${reason.subject} – ${env.productName}`,
    lines: [`Hello ${mail.name},`, reason.line],
    code: mail.code,
    end: `The code works once, for ${codeMinutes} minutes. If you did not ask for it, you can ignore this mail: nothing has changed. Never give the code to anybody, not even to us.`,
  })
}

export function passwordChangedMail(env: Env, mail: { name: string; signIn: string }): Text {
  return compose(env, {
    subject: `Your password was changed – ${env.productName}`,
    lines: [
      `Hello ${mail.name},`,
      `The password of your ${env.productName} account was just changed, and you were signed out everywhere. Sign in with the new one: ${mail.signIn}`,
    ],
    end: 'If it was not you, somebody else can read your mailbox. Secure it first, then ask for a new password on the sign-in page, and tell your administrator.',
  })
}
