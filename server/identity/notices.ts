import type { Tx } from '../db/client.ts'
import type { Env } from '../env.ts'
import type { Services } from '../http/services.ts'
import { queueMail } from '../jobs/mail.ts'
import { compose, type Text } from './mails.ts'

type Words = { subject: string; line: string; otherwise: string }

const notYou =
  'If it was not you, somebody else can use your account. Change your password at once, and tell your administrator.'

/** What a person is told by mail when it happens to their account. `{what}` is named by whoever tells. */
const notices = {
  app_added: {
    subject: 'An authenticator app was added',
    line: 'An authenticator app was just set up. From now on, signing in asks for a code from it.',
    otherwise: notYou,
  },
  app_removed: {
    subject: 'Your authenticator app was removed',
    line: 'The authenticator app was just removed. Its codes no longer work.',
    otherwise: notYou,
  },
  passkey_added: {
    subject: 'A passkey was added',
    line: 'The passkey “{what}” was just added. Whoever holds that device can sign in with it.',
    otherwise: notYou,
  },
  passkey_removed: {
    subject: 'A passkey was removed',
    line: 'The passkey “{what}” was just removed. It no longer signs in.',
    otherwise: notYou,
  },
  passkey_refused: {
    subject: 'A passkey was refused',
    line: 'Somebody tried to use the passkey “{what}”, and it looked like a copy of it. Nobody was let in.',
    otherwise:
      'If you used that passkey yourself just now, remove it in your settings and add it anew. If not, remove it and tell your administrator.',
  },
  recovery_renewed: {
    subject: 'You have new recovery codes',
    line: 'Ten new recovery codes were just made. The former ones no longer work.',
    otherwise: notYou,
  },
  recovery_used: {
    subject: 'A recovery code was used',
    line: 'Somebody just signed in to your account with a recovery code. Codes that are left: {what}.',
    otherwise: notYou,
  },
  factors_reset: {
    subject: 'Your second step was reset',
    line: 'An administrator has removed your authenticator app, your passkeys and your recovery codes, and has signed you out everywhere. Reason: {what}',
    otherwise:
      'If you did not ask for it, tell your administrator. Your password still works; after signing in you can set up a new second step.',
  },
} as const satisfies Record<string, Words>

type NoticeEvent = keyof typeof notices
type Facts = { name: string; what?: string | undefined }

function noticeMail(env: Env, event: NoticeEvent, { name, what = '' }: Facts): Text {
  const { subject, line, otherwise } = notices[event]
  return compose(env, {
    subject: `${subject} – ${env.productName}`,
    lines: [`Hello ${name},`, line.replace('{what}', () => what)],
    end: otherwise,
  })
}

type Person = { name: string; email: string; organizationId: string | null }
type Notice = { person: Person; event: NoticeEvent; what?: string | undefined }

/** In the transaction of what it tells about. */
export async function queueNotice(
  services: Services,
  tx: Tx,
  { person, event, what }: Notice,
): Promise<void> {
  const { name, email, organizationId } = person
  await queueMail(services, tx, {
    organizationId,
    address: email,
    ...noticeMail(services.env, event, { name, what }),
  })
}
