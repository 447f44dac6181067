import * as z from 'zod/mini'
import { arrayOf, hasRow, row, rows, type Tx, type Database } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { refuse } from '../platform/errors.ts'
import { ipPrefix } from '../platform/http/audit.ts'
import { sliceOf, untilRoom, Slice } from '../platform/http/lists/windows.ts'
import type { Keys } from '../platform/keys.ts'

/** How often something may be tried. Keys are HMACs, so that the table names nobody. */
type Limit = {
  key: Buffer
  windowMinutes: number
  /** Tries in any stretch of that length. */
  most: number
  /** Seconds to wait after the first, second, … try; the last one holds for all that follow. Left out: none. */
  waits?: readonly number[]
}

/** An own browser is not held to what its network does. */
export type Limits = { network: Limit | undefined; account: Limit }

type Asker = { keys: Keys; identifier: string; ip: string }
/** `known`: the entry of the browser, where it is known to be the owner's. */
export type Visitor = Asker & { known: string | undefined }

export const keyOf = ({ keys }: Pick<Asker, 'keys'>, text: string) =>
  Buffer.from(keys.sign('attempt', text), 'base64url')

const passwordWaits = [0, 0, 0, 0, 30, 60, 300, 900]

export type PasswordLimits = {
  /** Whoever is over these has to wait, and is told so. */
  network: Limit | undefined
  account: Limit
  /** Tries of all strangers together; none of the owner's own browsers takes part. */
  strangers: Limit | undefined
  /** What the owner is told when those are used up. */
  alarms: Limit
  /** Failures one after the other, however slowly they come; for an own browser those of strangers beside. */
  inARow: Buffer
  strangersInARow: Buffer
}

/**
 * Passwords: five tries per account and network, then growing waits; 30 per network in ten minutes; 20 an hour per account
 * from everywhere. A browser that is known to be the owner's counts only its own tries, so that strangers never make the
 * owner wait; an unknown one gains nothing by calling itself another one.
 */
export function passwordLimits(asker: Visitor): PasswordLimits {
  const { identifier, known } = asker
  const prefix = ipPrefix(asker.ip)
  const daily = { windowMinutes: 24 * 60, most: 1_000, waits: passwordWaits }
  const strangersInARow = keyOf(asker, `password in a row ${identifier}`)
  const hourly = { windowMinutes: 60 }
  const alarms = { ...hourly, key: keyOf(asker, `alarm of ${identifier}`), most: 1 }
  if (known !== undefined) {
    const account = { ...daily, key: keyOf(asker, `password of ${known} ${identifier}`) }
    const inARow = keyOf(asker, `password in a row of ${known} ${identifier}`)
    return { network: undefined, account, strangers: undefined, alarms, inARow, strangersInARow }
  }
  return {
    network: { key: keyOf(asker, `password ${prefix}`), windowMinutes: 10, most: 30 },
    account: { ...daily, key: keyOf(asker, `password ${prefix} ${identifier}`) },
    strangers: { ...hourly, key: keyOf(asker, `password for ${identifier}`), most: 20 },
    alarms,
    inARow: strangersInARow,
    strangersInARow,
  }
}

/** NIST SP 800-63B-4, 3.2.2: no more failures one after the other. */
const mostInARow = 100

/** What happened to a try: it may be compared with the password or not, and the owner may have to learn of it. */
export type Guess = { counts: boolean; alarm: 'too_many_tries' | undefined; isLast: boolean }

const FailedRow = z.object({ count: z.number() })

/** Counts a guess against the limits that nobody is told about: beyond them every password is wrong. */
export async function countGuess(tx: Tx, { strangers, alarms, inARow }: PasswordLimits): Promise<Guess> {
  if (strangers && !(await takeOne(tx, strangers))) {
    const alarm = (await takeOne(tx, alarms)) ? ('too_many_tries' as const) : undefined
    return { counts: false, alarm, isLast: false }
  }
  const failed = await row(
    tx,
    FailedRow,
    sql`insert into attempts as a (key, window_start, count, blocked_until)
      values (${inARow}, 'infinity', 1, now() + interval '90 days')
      on conflict (key, window_start) do update set count = a.count + 1,
          blocked_until = case when a.count + 1 < ${mostInARow} then now() + interval '90 days' else 'infinity' end
        where a.count < ${mostInARow}
      returning count`,
  )
  return { counts: failed !== undefined, alarm: undefined, isLast: failed?.count === mostInARow }
}

/**
 * The password was right: the network and the strangers get their one back, and the row of failures ends. What the owner
 * does in a browser of their own does not switch the password on again elsewhere.
 */
export async function forgivePassword(tx: Tx, limits: PasswordLimits): Promise<void> {
  if (limits.network) await returnOne(tx, limits.network)
  if (limits.strangers) await returnOne(tx, limits.strangers)
  await forget(tx, limits.account)
  await tx.execute(
    sql`delete from attempts where key = ${limits.inARow}
      or (key = ${limits.strangersInARow} and count < ${mostInARow})`,
  )
}

/** The try was never made (no room to work it out, client gone): as before it. What did not count is not given back. */
export async function returnPassword(tx: Tx, limits: PasswordLimits, { counts }: Guess): Promise<void> {
  await returnTry(tx, limits)
  if (!counts) return
  if (limits.strangers) await returnOne(tx, limits.strangers)
  await tx.execute(
    sql`update attempts set count = count - 1, blocked_until = now() + interval '90 days'
      where key = ${limits.inARow} and window_start = 'infinity' and count > 0`,
  )
}

/** Whether so many wrong ones have come that the right password counts for nothing; beyond that there are only waits. */
export async function isPasswordOff(tx: Tx, { strangers, inARow }: PasswordLimits): Promise<boolean> {
  const usedUp = strangers ? sql`coalesce(${found(strangers)}, 0) >= ${strangers.most}` : sql`false`
  return hasRow(
    tx,
    sql`select 1 where ${usedUp} or exists (select from attempts where key = ${inARow} and count >= ${mostInARow})`,
  )
}

/** Another password, or another start: what was tried before says nothing any more. `known`: in this browser of the owner's. */
export async function forgetPasswordTries(
  tx: Tx,
  { known, ...asker }: Asker & Partial<Visitor>,
): Promise<void> {
  const { account, strangers, alarms, inARow } = passwordLimits({ ...asker, known })
  const keys = [account.key, strangers?.key, alarms.key, inARow].filter((key) => key !== undefined)
  for (const key of keys) await tx.execute(sql`delete from attempts where key = ${key}`)
}

/** Codes of a second factor: ten wrong ones an hour per person, sixty in ten minutes per network. Recovery codes count apart. */
export function factorLimits(asker: Asker, factor: 'totp' | 'recovery'): Limits {
  return {
    network: { key: keyOf(asker, `factor ${ipPrefix(asker.ip)}`), windowMinutes: 10, most: 60 },
    account: { key: keyOf(asker, `${factor} of ${asker.identifier}`), windowMinutes: 60, most: 10 },
  }
}

/** Passkeys cannot be guessed; what is limited is the work that a network may cause, in ten minutes and in a day. */
export function passkeyLimits(asker: Omit<Asker, 'identifier'>): Limits {
  const prefix = ipPrefix(asker.ip)
  return {
    network: { key: keyOf(asker, `passkey ${prefix}`), windowMinutes: 10, most: 200 },
    account: { key: keyOf(asker, `passkey daily ${prefix}`), windowMinutes: 24 * 60, most: 5_000 },
  }
}

/** Tokens that open nothing, whoever presents them. */
export function tokenLimits(keys: Keys, ip: string): Limits {
  const key = keyOf({ keys }, `token ${ipPrefix(ip)}`)
  return { network: undefined, account: { key, windowMinutes: 10, most: 60 } }
}

export type Window = Pick<Limit, 'windowMinutes' | 'most'>

const secondsOf = (limit: Pick<Limit, 'windowMinutes'>) => limit.windowMinutes * 60

/** Tries are counted in slices of their window (`server/platform/http/lists/windows.ts`): when the running one began. */
const sliceStart = (limit: Window) =>
  sql`date_bin(make_interval(secs => ${sliceOf(secondsOf(limit))}), now(), timestamptz '2000-01-01')`

/** Slices of earlier still count when they began after this. */
const oldest = (limit: Window) =>
  sql`now() - make_interval(secs => ${secondsOf(limit) + sliceOf(secondsOf(limit))})`

/** Tries that count beside those of the running slice. */
const earlier = (limit: Window, key: SQL) =>
  sql`coalesce((select sum(p.count)::int from attempts p
    where p.key = ${key} and p.window_start > ${oldest(limit)} and p.window_start < ${sliceStart(limit)}), 0)`

function waitAfter({ waits = [] }: Limit, count: SQL) {
  if (waits.length === 0) return sql`null::timestamptz`
  const seconds = sql`(${arrayOf(waits, 'int')})[least(${count}, ${waits.length}::int)]`
  return sql`now() + nullif(${seconds}, 0) * interval '1 second'`
}

/** All tries that this statement finds, however far ahead a clock that was set back has left them. */
const found = (limit: Limit) =>
  sql`(select sum(q.count)::int from attempts q
    where q.key = ${limit.key} and q.window_start <> 'infinity' and q.window_start > ${oldest(limit)})`

/**
 * Whether a wait is in force. One that lies further ahead than so many tries ask for was set before a clock was set back; a minute
 * more is for those who began later than this transaction and were quicker.
 */
function isBlocked(limit: Limit, until: SQL, tries: SQL): SQL {
  const furthest = sql`${waitAfter(limit, tries)} + interval '1 minute'`
  return sql`coalesce(${until} > now() and ${until} <= ${furthest}, false)`
}

/**
 * Counts one try before it is made, so that many at once cannot slip through; refuses with 429 when there is none left. The
 * refusal rolls the transaction back: who only waits uses nothing up.
 */
export async function takeTry(tx: Tx, limits: Limits): Promise<void> {
  for (const limit of [limits.network, limits.account]) {
    if (!limit) continue
    if (!(await takeOne(tx, limit)))
      throw refuse('too_many_requests', { retryAfter: await secondsLeft(tx, limit) })
  }
}

async function takeOne(tx: Tx, limit: Limit): Promise<boolean> {
  const before = earlier(limit, sql`${limit.key}`)
  return hasRow(
    tx,
    sql`insert into attempts as a (key, window_start, count, blocked_until)
      select ${limit.key}, ${sliceStart(limit)}, 1, ${waitAfter(limit, sql`1 + ${before}`)}
        where ${before} < ${limit.most} and not exists (
          select from attempts p where p.key = ${limit.key} and p.window_start <> 'infinity' and ${isBlocked(limit, sql`p.blocked_until`, found(limit))})
      on conflict (key, window_start) do update
        set count = a.count + 1, blocked_until = ${waitAfter(limit, sql`a.count + 1 + ${before}`)}
        where a.count + ${before} < ${limit.most} and not ${isBlocked(limit, sql`a.blocked_until`, sql`a.count + ${before}`)}
      returning 1`,
  )
}

const Slices = z.extend(Slice, { now: z.number(), blocked: z.number() })

/** Until one more may come: the wait that was set, or until enough of what was counted lies behind. */
export async function secondsLeft(tx: Tx, limit: Limit): Promise<number> {
  const slices = await rows(
    tx,
    Slices,
    sql`select extract(epoch from window_start)::float8 as began, count, extract(epoch from now())::float8 as now,
        case when ${isBlocked(limit, sql`blocked_until`, found(limit))} then extract(epoch from blocked_until - now())::float8 else 0 end as blocked
      from attempts where key = ${limit.key} and window_start <> 'infinity' and window_start > ${oldest(limit)}`,
  )
  const window = { length: secondsOf(limit), most: limit.most }
  const room = untilRoom(slices, window, slices[0]?.now ?? 0)
  return Math.max(1, Math.ceil(Math.max(room, ...slices.map(({ blocked }) => blocked))))
}

async function forget(tx: Tx, limit: Limit): Promise<void> {
  await tx.execute(sql`delete from attempts where key = ${limit.key}`)
}

/** The try was never made (no room to work it out, client gone): as before it. */
export async function returnTry(tx: Tx, limits: Limits): Promise<void> {
  if (limits.network) await returnOne(tx, limits.network)
  await returnOne(tx, limits.account)
}

/** Out of the newest slice that has any: another one may have begun since the try was counted. */
async function returnOne(tx: Tx, { key }: Limit): Promise<void> {
  await tx.execute(
    sql`update attempts set count = count - 1, blocked_until = null
      where key = ${key} and window_start = (select max(window_start) from attempts
        where key = ${key} and window_start <> 'infinity' and count > 0)`,
  )
}

/** Links of invitations: wrong ones per network, and tries to accept per link. */
export function invitationLimits(asker: Asker): { account: Limit; network: Limit } {
  const prefix = ipPrefix(asker.ip)
  return {
    network: { key: keyOf(asker, `invitation ${prefix}`), windowMinutes: 10, most: 60 },
    account: { key: keyOf(asker, `invitation ${asker.identifier}`), windowMinutes: 60, most: 30 },
  }
}

const CountedKey = z.object({ key: z.string() })

/** Counts one for each of these keys that has any left, and gives those (hexadecimal). */
export async function takeEach(tx: Tx, window: Window, keys: readonly string[]): Promise<string[]> {
  const taken = await rows(
    tx,
    CountedKey,
    sql`insert into attempts as a (key, window_start, count)
      select decode(k, 'hex'), ${sliceStart(window)}, 1 from unnest(${arrayOf(keys, 'text')}) k
        where ${earlier(window, sql`decode(k, 'hex')`)} < ${window.most} order by k
      on conflict (key, window_start) do update set count = a.count + 1, blocked_until = null
        where a.count + ${earlier(window, sql`a.key`)} < ${window.most}
      returning encode(key, 'hex') as key`,
  )
  return taken.map(({ key }) => key)
}

/** What somebody has mailed to themselves out of turn: so many an hour. */
export function reportMailLimits(keys: Keys, { userId, most }: { userId: string; most: number }): Limits {
  const key = keyOf({ keys }, `report mail of ${userId}`)
  return { network: undefined, account: { key, windowMinutes: 60, most } }
}

/** Mails that ask somebody whether they want a report: nobody is flooded from here. */
export function reportAskLimits(keys: Keys, { userId, most }: { userId: string; most: number }): Limits {
  const key = keyOf({ keys }, `report asks of ${userId}`)
  return { network: undefined, account: { key, windowMinutes: 60, most } }
}

/** PINs of printed cards: ten an hour for each card, sixty in ten minutes per network. */
export function pinLimits(keys: Keys, { deliveryId, ip }: { deliveryId: string; ip: string }): Limits {
  return {
    network: { key: keyOf({ keys }, `pin ${ipPrefix(ip)}`), windowMinutes: 10, most: 60 },
    account: { key: keyOf({ keys }, `pin of ${deliveryId}`), windowMinutes: 60, most: 10 },
  }
}

/** Test mails of one superadmin: whoever looks for servers of the network by them is slow. */
export function testMailLimits(keys: Keys, userId: string): Limits {
  const key = keyOf({ keys }, `test mail of ${userId}`)
  return { network: undefined, account: { key, windowMinutes: 60, most: 30 } }
}

/** Codes by which an organization proves the address of its sender: nobody is flooded from here. */
export function senderMailLimits(keys: Keys, organizationId: string): Limits {
  const key = keyOf({ keys }, `sender of ${organizationId}`)
  return { network: undefined, account: { key, windowMinutes: 60, most: 10 } }
}

/** Tests of the address of an organization: nobody has other machines knocked at from here. */
export function testWebhookLimits(keys: Keys, organizationId: string): Limits {
  const key = keyOf({ keys }, `webhook of ${organizationId}`)
  return { network: undefined, account: { key, windowMinutes: 60, most: 60 } }
}

/** Sign-ins by connections: many people of a company share one network, and begin at the same minute. */
export function connectionLimits(keys: Keys, ip: string): Limits {
  const prefix = ipPrefix(ip)
  return {
    network: { key: keyOf({ keys }, `connection ${prefix}`), windowMinutes: 10, most: 3_000 },
    account: { key: keyOf({ keys }, `connection daily ${prefix}`), windowMinutes: 24 * 60, most: 50_000 },
  }
}

/** Logouts that a provider sends and that are refused, each of which asks the provider for its keys. */
export function logoutLimits(keys: Keys, ip: string): Limits {
  const key = keyOf({ keys }, `logout ${ipPrefix(ip)}`)
  return { network: undefined, account: { key, windowMinutes: 10, most: 60 } }
}

/** Questions to the DNS about domains, and trials of connections: nobody has other machines knocked at from here. */
export function connectionTrialLimits(keys: Keys, organizationId: string | null): Limits {
  const key = keyOf({ keys }, `connection trial of ${organizationId}`)
  return { network: undefined, account: { key, windowMinutes: 60, most: 120 } }
}

/** Counters that last (a row of failures, however slow) stand at the end of time, and end when nothing is added to them. */
export const forgetAttempts = ({ single }: Pick<Database, 'single'>) =>
  single.execute(sql`delete from attempts where window_start < now() - interval '2 days'
    or (window_start = 'infinity' and blocked_until < now())`)
