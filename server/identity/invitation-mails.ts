import { roles, type Role } from '#contract/roles.ts'
import type { Env } from '../platform/env.ts'
import type { MailBrand, Text } from '../documents/mail/page.ts'
import { compose } from './mails.ts'

type About = {
  name: string | null
  invitedBy: string
  role: Role
  organizationName: string | null
  groups: readonly string[]
  link: string
  expiresAt: Date
}

/** In UTC: the server does not know where its reader is. */
const endOf = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

const tasks: Record<Role, string> = {
  superadmin: 'administer the whole installation',
  admin: 'manage everything in it',
  groupadmin: 'look after groups and their members',
}
export const roleLabels: Record<(typeof roles)[number], string> = {
  superadmin: 'superadmin',
  admin: 'administrator',
  groupadmin: 'group administrator',
}

const greeting = (name: string | null) => (name ? `Hello ${name},` : 'Hello,')

function what(env: Env, { invitedBy, organizationName, role, groups }: About): string {
  const place = organizationName ? `${organizationName} on ${env.productName}` : env.productName
  const inGroups = groups.length > 0 ? ` Groups: ${groups.join(', ')}.` : ''
  return `${invitedBy} invites you to ${place} as ${roleLabels[role]}, so that you can ${tasks[role]}.${inGroups}`
}

const calm = 'If you did not expect this, you can ignore this mail: nothing happens without you.'

export function invitationMail(env: Env, about: About, brand: MailBrand): Text {
  return compose(
    env,
    {
      subject: `${about.invitedBy} invites you to ${about.organizationName ?? env.productName}`,
      lines: [greeting(about.name), what(env, about), 'To begin, choose a password of your own.'],
      link: { label: 'Accept the invitation', url: about.link },
      end: `The link works once, until ${endOf.format(about.expiresAt)} UTC. Please do not pass it on: whoever has it can use it. ${calm}`,
    },
    brand,
  )
}

export function reminderMail(env: Env, about: About, brand: MailBrand): Text {
  return compose(
    env,
    {
      subject: `Your invitation to ${about.organizationName ?? env.productName} ends soon`,
      lines: [
        greeting(about.name),
        what(env, about),
        `You have not accepted yet. The link works until ${endOf.format(about.expiresAt)} UTC.`,
      ],
      link: { label: 'Accept the invitation', url: about.link },
      end: `This is the only reminder. ${calm}`,
    },
    brand,
  )
}

type Accepted = { inviter: string; name: string; email: string; role: Role; organizationName: string | null }

export function acceptedMail(
  env: Env,
  { inviter, name, email, role, organizationName }: Accepted,
  brand: MailBrand,
): Text {
  return compose(
    env,
    {
      subject: `${name} has accepted your invitation`,
      lines: [
        greeting(inviter),
        `${name} (${email}) has accepted your invitation to ${organizationName ?? env.productName} and is now ${roleLabels[role]} there.`,
      ],
      end: 'You need not do anything.',
    },
    brand,
  )
}
