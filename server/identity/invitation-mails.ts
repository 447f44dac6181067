import { localeOf, type Language } from '#contract/platform/text/languages.ts'
import type { Role } from '#contract/roles.ts'
import type { Say } from '#contract/platform/text/say.ts'
import type { Env } from '../platform/env.ts'
import { sayIn, type Surfaces } from '../platform/messages.ts'
import type { MailBrand, Text } from '../documents/mail/page.ts'
import { compose, greeting } from './mails.ts'

type About = {
  language: Language
  name: string | null
  invitedBy: string
  role: Role
  organizationName: string | null
  groups: readonly string[]
  link: string
  expiresAt: Date
}
type Speak = Say<Surfaces['account']>

/** In UTC: the server does not know where its reader is. */
function endOf({ language, expiresAt }: About): string {
  const as = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(localeOf[language], as).format(expiresAt)
}

function what(env: Env, say: Speak, { invitedBy, organizationName, role, groups }: About): string {
  const product = env.productName
  const place = organizationName ? say('place', { organization: organizationName, product }) : product
  const invited = say('invitedAs', { inviter: invitedBy, place, role })
  return groups.length > 0 ? `${invited} ${say('groups', { groups: groups.join(', ') })}` : invited
}

export function invitationMail(env: Env, about: About, brand: MailBrand): Text {
  const { language, name, invitedBy, organizationName, link } = about
  const say = sayIn(language, 'account')
  return compose(
    env,
    {
      language,
      subject: say('invites', { inviter: invitedBy, place: organizationName ?? env.productName }),
      lines: [greeting(say, name), what(env, say, about), say('choosePassword')],
      link: { label: say('accept'), url: link },
      end: say('linkEnd', { end: endOf(about) }),
    },
    brand,
  )
}

export function reminderMail(env: Env, about: About, brand: MailBrand): Text {
  const { language, name, organizationName, link } = about
  const say = sayIn(language, 'account')
  return compose(
    env,
    {
      language,
      subject: say('endsSoon', { place: organizationName ?? env.productName }),
      lines: [greeting(say, name), what(env, say, about), say('notAccepted', { end: endOf(about) })],
      link: { label: say('accept'), url: link },
      end: say('onlyReminder'),
    },
    brand,
  )
}

type Accepted = {
  language: Language
  inviter: string
  name: string
  email: string
  role: Role
  organizationName: string | null
}

export function acceptedMail(
  env: Env,
  { language, inviter, name, email, role, organizationName }: Accepted,
  brand: MailBrand,
): Text {
  const say = sayIn(language, 'account')
  const place = organizationName ?? env.productName
  return compose(
    env,
    {
      language,
      subject: say('hasAccepted', { name }),
      lines: [greeting(say, inviter), say('isNow', { name, email, place, role })],
      end: say('nothingToDo'),
    },
    brand,
  )
}
