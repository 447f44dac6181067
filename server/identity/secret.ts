import { plural } from '#contract/platform/text/format.ts'
import { fromRows, type Ending } from '../platform/endings.ts'
import { sql } from '../platform/db/sql.ts'
import { endingsOfConnections } from './sso/connections.ts'

const withoutPasskey = sql`user_id not in (select user_id from passkeys)`

/** What of signing in and of the mail server is sealed with the secret, or only it can make or verify again. */
export const endingsOfIdentity: readonly Ending[] = [
  {
    name: 'apps',
    count: fromRows(sql`totp_factors`),
    says: (n) =>
      `${plural(n, 'person loses', 'people lose')} their app for signing in. Who has a passkey uses it; all others sign in with their password alone, without their recovery codes, and set up an app anew where that is asked for.`,
    ends: [
      sql`delete from recovery_codes where ${withoutPasskey} and user_id in (select user_id from totp_factors)`,
      sql`delete from totp_factors`,
    ],
  },
  ...endingsOfConnections,
  {
    name: 'mailPassword',
    count: fromRows(sql`mail_server where password_sealed is not null`),
    says: () =>
      'The password of the mail server has to be typed anew (Settings, Mail); until then no mail leaves.',
    ends: [sql`update mail_server set password_sealed = null, updated_at = now()`],
  },
  {
    name: 'mailSigning',
    count: fromRows(sql`mail_signing`),
    says: () =>
      'The key that signs mails (DKIM) is gone: mails leave unsigned until another is made (Settings, Mail) and stands in the DNS.',
    ends: [sql`delete from mail_signing`, sql`update mail_senders set dkim = null where dkim is not null`],
  },
  {
    name: 'returnsPassword',
    count: fromRows(sql`mail_returns`),
    says: () =>
      'The password of the mailbox for returns has to be typed anew (Settings, Mail); of mails that were sent before, nobody learns any more that they came back.',
    ends: [
      sql`update mail_returns set password_sealed = '', fault = 'login_refused', failing_since = now(), updated_at = now()`,
    ],
  },
  {
    name: 'codes',
    count: sql`select (select count(*) from flows where code_hash is not null and used_at is null and expires_at > now())::int
      + (select count(*) from mail_senders where code_hash is not null)::int as n`,
    says: (n) =>
      `${plural(n, 'mailed code that nobody has', 'mailed codes that nobody has')} typed yet: ask for another.`,
    ends: [
      sql`delete from flows where code_hash is not null and used_at is null`,
      sql`update mail_senders set code_hash = null, code_until = null, tries_left = 0`,
    ],
  },
  // Keys of these counters follow from the secret: nobody would find them again.
  { name: 'attempts', count: fromRows(sql`attempts`), says: () => '', ends: [sql`delete from attempts`] },
]
