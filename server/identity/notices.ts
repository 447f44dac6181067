import type { Tx } from '../platform/db/client.ts'
import type { Env } from '../platform/env.ts'
import type { Services } from '../platform/http/services.ts'
import { queueMail } from '../platform/jobs/mail.ts'
import type { Text } from '../documents/mail/page.ts'
import { compose } from './mails.ts'

type NoticeText = { subject: string; lines: readonly string[]; otherwise: string }

const notYou =
  'If it was not you, choose a new password with “Forgot your password?” on the sign-in page at once, and tell your administrator.'

/** What a person is told by mail when it happens to their account. Whoever tells names the facts; `{product}`, `{origin}` and `{at}` are always known. */
const notices = {
  app_added: {
    subject: 'An authenticator app was added',
    lines: ['An authenticator app was just set up. From now on, signing in asks for a code from it.'],
    otherwise: notYou,
  },
  app_removed: {
    subject: 'Your authenticator app was removed',
    lines: ['The authenticator app was just removed. Its codes no longer work.'],
    otherwise: notYou,
  },
  passkey_added: {
    subject: 'A passkey was added',
    lines: ['The passkey “{what}” was just added. Whoever holds that device can sign in with it.'],
    otherwise: notYou,
  },
  passkey_removed: {
    subject: 'A passkey was removed',
    lines: ['The passkey “{what}” was just removed. It no longer signs in.'],
    otherwise: notYou,
  },
  passkey_refused: {
    subject: 'A passkey was refused',
    lines: [
      'Somebody tried to use the passkey “{what}”, and it looked like a copy of it. Nobody was let in.',
    ],
    otherwise:
      'If you used that passkey yourself just now, remove it in your settings and add it anew. If not, remove it and tell your administrator.',
  },
  recovery_renewed: {
    subject: 'You have new recovery codes',
    lines: ['Ten new recovery codes were just made. The former ones no longer work.'],
    otherwise: notYou,
  },
  recovery_used: {
    subject: 'A recovery code was used',
    lines: ['Somebody just signed in to your account with a recovery code. Codes that are left: {what}.'],
    otherwise: notYou,
  },
  factors_reset: {
    subject: 'Your second step was reset',
    lines: [
      'An administrator has removed your authenticator app, your passkeys and your recovery codes, and has signed you out everywhere. Reason: {what}',
    ],
    otherwise:
      'If you did not ask for it, tell your administrator. Your password still works; after signing in you can set up a new second step.',
  },
  new_device: {
    subject: 'New sign-in',
    lines: [
      'Somebody signed in to your {product} account with a browser that was not used for it before. If it was you, there is nothing to do.',
      'Time: {at}',
      'Browser: {browser}',
      'Network: {network}',
    ],
    otherwise: notYou,
  },
  password_changed: {
    subject: 'Your password was changed',
    lines: [
      'The password of your {product} account was just changed, and you were signed out everywhere else. Sign in with the new one: {origin}/auth-1/sign-in',
    ],
    otherwise:
      'If it was not you, somebody else can read your mailbox or knew your password. Secure your mailbox first, then ask for a new password on the sign-in page, and tell your administrator.',
  },
  too_many_tries: {
    subject: 'Many wrong passwords for your account',
    lines: [
      'Somebody is trying passwords for your {product} account, at {at} for the twentieth time within an hour. Nobody got in with them.',
      'For up to an hour your password works only in browsers that you have used before. In another one, use a passkey, or set a new password with “Forgot your password?”.',
    ],
    otherwise:
      'If your password is long and used nowhere else, there is nothing to do. Otherwise choose another one now.',
  },
  password_disabled: {
    subject: 'Your password was switched off for new browsers',
    lines: [
      'There were a hundred wrong passwords in a row for your {product} account. Nobody got in with them. So that it stays like this, the password is refused from now on in browsers that were not used for your account before.',
      'To use it everywhere again, set a new one with “Forgot your password?”: {origin}/auth-1/reset-password',
    ],
    otherwise: 'A passkey, where you have one, still works. Your administrator can help as well.',
  },
  email_changed: {
    subject: 'Your email address was changed',
    lines: [
      'You have changed the email address of your {product} account from {from} to {to}.',
      'From now on you sign in with the new address, and mails go there. This mail goes to both.',
    ],
    otherwise: 'If it was not you, tell your administrator at once.',
  },
  email_changed_by_admin: {
    subject: 'Your email address was changed',
    lines: [
      '{by} has changed the email address of your {product} account to {to}. This address no longer signs in, and you were signed out everywhere.',
      'The invitation that goes to the new address leads back to the same account, with a new password.',
    ],
    otherwise: 'If this is not what you wanted, tell your administrator at once.',
  },
  deletion_asked: {
    subject: 'Your account will be deleted',
    lines: [
      'You asked for your {product} account to be deleted. You are signed out everywhere, and on {day} the account goes for good.',
      'To keep it, sign in before that day: {origin}/auth-1/sign-in',
    ],
    otherwise: 'If you did not ask for it, sign in now, choose a new password, and tell your administrator.',
  },
  deletion_cancelled: {
    subject: 'Your account stays',
    lines: ['You signed in to your {product} account, so it will not be deleted. Everything is as it was.'],
    otherwise: notYou,
  },
  deletion_done: {
    subject: 'Your account was deleted',
    lines: [
      'Your {product} account is gone: its password, its second steps, its role and its groups. What you have watched stays with your organization as evidence.',
    ],
    otherwise: 'This is the last mail about it. To come back, ask an administrator to invite you.',
  },
  reset_by_admin: {
    subject: 'Please choose a new password',
    lines: [
      '{by} asks you to choose a new password for your {product} account. You were signed out everywhere.',
      'Choose one with “Forgot your password?”: {origin}/auth-1/reset-password',
    ],
    otherwise: 'Nobody but you learns the new password, and nobody ever asks you for it by mail.',
  },
} as const satisfies Record<string, NoticeText>

type NoticeEvent = keyof typeof notices
type Facts = Record<string, string>

function noticeMail(env: Env, event: NoticeEvent, { name = '', ...facts }: Facts): Text {
  const { subject, lines, otherwise } = notices[event]
  const filled = (line: string) => line.replaceAll(/\{(\w+)\}/g, (_all, key: string) => facts[key] ?? '')
  return compose(env, {
    subject: `${subject} – ${env.productName}`,
    title: subject,
    lines: [`Hello ${name},`, ...lines.map(filled)],
    end: otherwise,
  })
}

type Person = { name: string; email: string; organizationId: string | null }
type Notice = { person: Person; event: NoticeEvent; facts?: Facts }

/** In the transaction of what it tells about. */
export async function queueNotice(
  services: Services,
  tx: Tx,
  { person, event, facts }: Notice,
): Promise<void> {
  const { name, email, organizationId } = person
  const at = `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const known = { name, product: services.env.productName, origin: services.publicUrl(), at }
  await queueMail(services, tx, {
    organizationId,
    address: email,
    ...noticeMail(services.env, event, { ...facts, ...known }),
  })
}
