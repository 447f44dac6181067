import { arrayOf, row, type Tx } from '../db/client.ts'
import { sql } from '../db/drizzle.ts'
import { refuse } from '../errors.ts'
import { ipPrefix } from '../http/audit.ts'
import type { Keys } from '../keys.ts'

/** How often something may be tried. Keys are HMACs, so that the table names nobody. */
type Limit = {
  key: Buffer
  windowMinutes: number
  /** Tries per window. */
  most: number
  /** Seconds to wait after the first, second, … try; the last one holds for all that follow. */
  waits: readonly number[]
}

/** Whoever asks, seen from where: a stranger elsewhere never makes the owner wait. */
type Asker = { keys: Keys; identifier: string; ip: string }

const keyOf = ({ keys }: Asker, text: string) => Buffer.from(keys.sign('attempt', text), 'base64url')

/** Passwords: five tries per account and network, then growing waits; 30 per network in ten minutes. */
export function passwordLimits(asker: Asker): { account: Limit; network: Limit } {
  const prefix = ipPrefix(asker.ip)
  return {
    network: { key: keyOf(asker, `password ${prefix}`), windowMinutes: 10, most: 30, waits: [] },
    account: {
      key: keyOf(asker, `password ${prefix} ${asker.identifier}`),
      windowMinutes: 24 * 60,
      most: 1_000,
      waits: [0, 0, 0, 0, 30, 60, 300, 900],
    },
  }
}

/** Mailed codes: one in 30 seconds and five an hour per address, twenty an hour per network. */
export function codeLimits(asker: Asker): { account: Limit; network: Limit } {
  return {
    network: { key: keyOf(asker, `code ${ipPrefix(asker.ip)}`), windowMinutes: 60, most: 20, waits: [] },
    account: { key: keyOf(asker, `code for ${asker.identifier}`), windowMinutes: 60, most: 5, waits: [30] },
  }
}

type Limits = { account: Limit; network: Limit }

/** Codes of a second factor: ten wrong ones an hour per person, sixty in ten minutes per network. Recovery codes count apart. */
export function factorLimits(asker: Asker, factor: 'totp' | 'recovery'): Limits {
  return {
    network: { key: keyOf(asker, `factor ${ipPrefix(asker.ip)}`), windowMinutes: 10, most: 60, waits: [] },
    account: {
      key: keyOf(asker, `${factor} of ${asker.identifier}`),
      windowMinutes: 60,
      most: 10,
      waits: [],
    },
  }
}

/** Passkeys cannot be guessed; what is limited is the work that a network may cause, in ten minutes and in a day. */
export function passkeyLimits(asker: Omit<Asker, 'identifier'>): Limits {
  const prefix = ipPrefix(asker.ip)
  const key = (text: string) => keyOf({ ...asker, identifier: '' }, text)
  return {
    network: { key: key(`passkey ${prefix}`), windowMinutes: 10, most: 200, waits: [] },
    account: { key: key(`passkey daily ${prefix}`), windowMinutes: 24 * 60, most: 5_000, waits: [] },
  }
}

const windowStart = (limit: Limit) =>
  sql`date_bin(make_interval(mins => ${limit.windowMinutes}), now(), timestamptz '2000-01-01')`

function waitAfter(limit: Limit, count: ReturnType<typeof sql>) {
  if (limit.waits.length === 0) return sql`null::timestamptz`
  const seconds = sql`(${arrayOf(limit.waits, 'int')})[least(${count}, ${limit.waits.length}::int)]`
  return sql`now() + nullif(${seconds}, 0) * interval '1 second'`
}

/**
 * Counts one try before it is made, so that many at once cannot slip through; refuses with 429 when there is none left. The
 * refusal rolls the transaction back: who only waits uses nothing up.
 */
export async function takeTry(tx: Tx, limits: { network: Limit; account: Limit }): Promise<void> {
  for (const limit of [limits.network, limits.account]) {
    if (!(await takeOne(tx, limit)))
      throw refuse('too_many_requests', { retryAfter: await secondsLeft(tx, limit) })
  }
}

async function takeOne(tx: Tx, limit: Limit): Promise<boolean> {
  const taken = await row(
    tx,
    sql`insert into attempts as a (key, window_start, count, blocked_until)
      values (${limit.key}, ${windowStart(limit)}, 1, ${waitAfter(limit, sql`1`)})
      on conflict (key, window_start) do update set count = a.count + 1, blocked_until = ${waitAfter(limit, sql`a.count + 1`)}
        where a.count < ${limit.most} and (a.blocked_until is null or a.blocked_until <= now())
      returning 1`,
  )
  return taken !== undefined
}

async function secondsLeft(tx: Tx, limit: Limit): Promise<number> {
  const left = await row<{ seconds: number }>(
    tx,
    sql`select ceil(extract(epoch from greatest(blocked_until, case when count >= ${limit.most}
          then window_start + make_interval(mins => ${limit.windowMinutes}) end) - now()))::int as seconds
      from attempts where key = ${limit.key} and window_start = ${windowStart(limit)}`,
  )
  return Math.max(1, left?.seconds ?? 1)
}

/** The try was right: the network gets its one back, and the account starts anew. */
export async function forgiveTries(tx: Tx, limits: { network: Limit; account: Limit }): Promise<void> {
  await returnOne(tx, limits.network)
  await forget(tx, limits.account)
}

export async function forget(tx: Tx, limit: Limit): Promise<void> {
  await tx.execute(sql`delete from attempts where key = ${limit.key}`)
}

/** The try was never made (no room to work it out, client gone): as before it. */
export async function returnTry(tx: Tx, limits: { network: Limit; account: Limit }): Promise<void> {
  await returnOne(tx, limits.network)
  await returnOne(tx, limits.account)
}

async function returnOne(tx: Tx, limit: Limit): Promise<void> {
  await tx.execute(
    sql`update attempts set count = greatest(count - 1, 0), blocked_until = null
      where key = ${limit.key} and window_start = ${windowStart(limit)}`,
  )
}

/** Links of invitations: wrong ones per network, and tries to accept per link. */
export function invitationLimits(asker: Asker): { account: Limit; network: Limit } {
  const prefix = ipPrefix(asker.ip)
  return {
    network: { key: keyOf(asker, `invitation ${prefix}`), windowMinutes: 10, most: 60, waits: [] },
    account: { key: keyOf(asker, `invitation ${asker.identifier}`), windowMinutes: 60, most: 30, waits: [] },
  }
}

/** Ten mails with an invitation per address and day, whoever sends them; false when there is none left. */
export async function invitationMailsLeft(
  tx: Tx,
  { keys, email }: { keys: Keys; email: string },
): Promise<boolean> {
  const key = keyOf({ keys, identifier: email, ip: '' }, `invitation to ${email}`)
  return takeOne(tx, { key, windowMinutes: 24 * 60, most: 10, waits: [] })
}
