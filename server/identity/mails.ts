import { localeOf, type Language } from '#contract/platform/text/languages.ts'
import type { Say } from '#contract/platform/text/say.ts'
import { drawMail, type MailBrand, type Text } from '../documents/mail/page.ts'
import { button, code as digits, heading, type Part, small, words } from '../documents/mail/parts.ts'
import type { Env } from '../platform/env.ts'
import { sayIn, type Surfaces } from '../platform/messages.ts'
import { productBrand } from './mail-brand.ts'

export type Purpose =
  | 'reset_password'
  | 'confirm_email'
  | 'login'
  | 'step_up'
  | 'delete_account'
  | 'own_data'
  | 'own_training'
export const codeMinutes = 10

type Link = { label: string; url: string }

type Parts = {
  language: Language
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

type Page = {
  language: Language
  subject: string
  parts: readonly Part[]
  brand?: MailBrand | undefined
}

/** A mail as the product sends it, or as an organization does: below it stands whose product that is. */
export function mailOf(env: Env, { language, subject, parts, brand = productBrand(env) }: Page): Text {
  const locale = localeOf[language]
  const { text, ...mail } = drawMail({ brand, locale, subject, parts, footer: footerOf(env) })
  return { ...mail, text: `${text}\n\n-- \n${footerOf(env)}\n` }
}

/** The same words as text and as a page; a code or a link stands out in both. */
export function compose(
  env: Env,
  { language, subject, title, lines, code, link, end }: Parts,
  brand?: MailBrand,
): Text {
  return mailOf(env, {
    language,
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

/** By name, where it is known whose address it is. */
export function greeting(say: Say<Surfaces['account']>, name: string | null): string {
  return name ? say('hello', { name }) : say('helloNobody')
}

type CodeMail = { language: Language; name: string | null; purpose: Purpose; code: string }

/** Without a name for an address that is not known to be anybody's. */
export function codeMail(env: Env, { language, name, purpose, code }: CodeMail, brand?: MailBrand): Text {
  const say = sayIn(language, 'account')
  const title = say(`${purpose}_subject`)
  const mail = {
    language,
    subject: `${title} – ${env.productName}`,
    title,
    lines: [greeting(say, name), say(purpose)],
    code,
    end: say('codeEnd', { minutes: String(codeMinutes) }),
  }
  return compose(env, mail, brand)
}
