import * as z from 'zod/mini'
import { plural } from '#contract/format.ts'
import { hasRow, rows, type Tx } from '../platform/db/client.ts'
import { Id, readCount } from '../platform/db/rows.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { audit, auditMany, ofInstallation } from '../platform/http/audit.ts'
import { secretMarks, type Keys } from '../platform/keys.ts'
import { linkHash } from '../transmissions/recipients/link.ts'

type Ending = {
  name: string
  count: SQL
  /** What becomes of so many. */
  says: (n: number) => string
  /** So that nothing stays of which only the lost secret could make use. */
  ends?: readonly SQL[]
}

const fromRows = (what: SQL) => sql`select count(*)::int as n from ${what}`
const withoutPasskey = sql`user_id not in (select user_id from passkeys)`

/** All that is sealed with the secret, or that only it can make or verify again. */
const endings: readonly Ending[] = [
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
    name: 'mailEvents',
    count: fromRows(sql`mail_event_sources where received_at is not null`),
    says: (n) =>
      `${plural(n, 'mail provider reports', 'mail providers report')} to an address whose secret is another one now: enter it there (Settings, Mail).`,
    ends: [sql`update mail_event_sources set received_at = null, confirm_url = null`],
  },
  {
    name: 'webhooks',
    count: fromRows(sql`webhooks`),
    says: (n) =>
      `${plural(n, 'organization cannot', 'organizations cannot')} have messages posted for SMS and chat until another secret is made in their settings.`,
    ends: [
      sql`update webhooks set previous_until = null, previous_sealed = null, fault = 'secret_lost', failing_since = now(), updated_at = now()`,
    ],
  },
  {
    name: 'cards',
    count: fromRows(sql`cards where tries_left > 0`),
    says: (n) => `The PINs of ${plural(n, 'card', 'cards')} fit no more: hand out new cards.`,
    ends: [sql`update cards set tries_left = 0`],
  },
  {
    name: 'reportAddresses',
    count: fromRows(sql`report_addresses where state = 'waiting'`),
    says: (n) =>
      `${plural(n, 'address', 'addresses')} of scheduled reports that nobody has confirmed yet: enter them again.`,
    ends: [sql`delete from report_addresses where state = 'waiting'`],
  },
  {
    name: 'reportLinks',
    count: fromRows(sql`report_schedules`),
    says: (n) =>
      `Links for stopping report mails of ${plural(n, 'schedule', 'schedules')}, in mails that were sent before; the next mail has a new one.`,
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
  {
    name: 'viewing',
    count: fromRows(sql`play_sessions where last_at > now() - interval '24 hours'`),
    says: (n) =>
      `Open pages of videos (${plural(n, 'sitting', 'sittings')} in the last day): whoever watches opens the link again. Devices on which a code for “Your training” was typed ask for it again.`,
  },
  {
    name: 'sentLinks',
    count: fromRows(sql`deliveries where state in ('accepted', 'delivered') and link_hash is not null`),
    says: (n) =>
      `${plural(n, 'message that was', 'messages that were')} sent open by the link in the mail as before, and no longer from the inbox or from “Your training” of another message.`,
  },
  {
    name: 'uncertainLinks',
    count: fromRows(sql`deliveries where state in ('sending', 'unknown') and link_hash is not null`),
    says: (n) =>
      `${plural(n, 'message', 'messages')} of which nobody knows whether ${n === 1 ? 'it' : 'they'} arrived: the links in them lead nowhere now. Send them again.`,
  },
  // Keys of these counters follow from the secret: nobody would find them again.
  { name: 'attempts', count: fromRows(sql`attempts`), says: () => '', ends: [sql`delete from attempts`] },
]

type Counted = { ending: Ending; n: number }

export async function whatEnds(tx: Tx): Promise<Counted[]> {
  const counted: Counted[] = []
  for (const ending of endings) counted.push({ ending, n: await readCount(tx, ending.count) })
  return counted
}

/** One line for each thing of which there is any. */
export const sentencesOf = (counted: readonly Counted[]): string[] =>
  counted.filter(({ n }) => n > 0).flatMap(({ ending, n }) => ending.says(n) || [])

/** Nobody may go on with the secret that is lost. */
export const isServed = (tx: Tx): Promise<boolean> =>
  hasRow(
    tx,
    sql`select 1 from pg_stat_activity where datname = current_database() and usename = current_user and pid <> pg_backend_pid()`,
  )

/** Takes away what ends with the former secret, and writes down which it is now. All of it, or nothing. */
export async function endWithLost(tx: Tx, keys: Keys): Promise<void> {
  const counted = await whatEnds(tx)
  await noteApps(tx)
  for (const { ends = [] } of endings) for (const statement of ends) await tx.execute(statement)
  const links = await linkAnew(tx, keys)
  const [mark = ''] = secretMarks(keys)
  await tx.execute(
    sql`insert into secret_mark (mark) values (${mark}) on conflict (id) do update set mark = excluded.mark, since = now()`,
  )
  const after = Object.fromEntries(counted.map(({ ending: { name }, n }) => [name, n]))
  await audit(tx, 'system', { ...ofInstallation, action: 'secret.lost', after: { ...after, links } })
}

const Owner = z.object({ id: z.string(), organizationId: z.nullable(z.string()) })

async function noteApps(tx: Tx): Promise<void> {
  const owners = await rows(
    tx,
    Owner,
    sql`select u.id, u.organization_id as "organizationId" from users u join totp_factors t on t.user_id = u.id`,
  )
  await auditMany(
    tx,
    'system',
    owners.map(({ id, organizationId }) => ({
      organizationId,
      action: 'user.app_lost' as const,
      entity: 'user',
      entityId: id,
    })),
  )
}

const step = 5_000

/** Messages that wait, or that may be sent again, have the hash of a link that nobody can write any more: they get another. */
async function linkAnew(tx: Tx, keys: Keys): Promise<number> {
  let linked = 0
  let after: string | undefined = '00000000-0000-0000-0000-000000000000'
  while (after !== undefined) {
    const waiting: z.infer<typeof Id>[] = await rows(
      tx,
      Id,
      sql`select id from deliveries where state in ('queued', 'deferred', 'sending', 'unknown') and link_hash is not null
        and id > ${after} order by id limit ${step}`,
    )
    const anew = waiting.map(({ id }) => ({ id, hash: linkHash(keys, id).toString('hex') }))
    await tx.execute(
      sql`update deliveries d set link_hash = decode(w.hash, 'hex')
        from jsonb_to_recordset(${JSON.stringify(anew)}::jsonb) as w(id uuid, hash text) where d.id = w.id`,
    )
    linked += waiting.length
    after = waiting.at(-1)?.id
  }
  return linked
}
