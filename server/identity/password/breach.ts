import { createHash } from 'node:crypto'
import { hasRow, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Services } from '../../platform/http/services.ts'
import type { Account } from '../queries.ts'
import { systemSecurity } from '../security.ts'

const patienceMs = 2_000
/** A password that was not among the leaked ones is looked for again after this long. */
const pauseDays = 7

export function isLookupOn({ db }: Services): Promise<boolean> {
  return db.as('system', async (tx) => (await systemSecurity(tx)).breachLookup)
}

/**
 * Whether the password is among the leaked ones. Only the first five characters of its SHA-1 leave, and the answer is filled
 * up so that its length tells nothing. A service that is away, slow or confused knows of none.
 */
export async function isBreached({ env, log }: Services, password: string): Promise<boolean> {
  const hash = createHash('sha1').update(password).digest('hex').toUpperCase()
  const [prefix, suffix] = [hash.slice(0, 5), hash.slice(5)]
  try {
    const answer = await fetch(`${env.breachRangeUrl}${prefix}`, {
      headers: { 'add-padding': 'true', accept: 'text/plain' },
      redirect: 'error',
      signal: AbortSignal.timeout(patienceMs),
    })
    if (!answer.ok) throw new Error(`the service answered ${answer.status}`)
    // What only fills the answer up has a count of zero.
    return new RegExp(`^${suffix}:0*[1-9]`, 'im').test(await answer.text())
  } catch (error) {
    log.warn({ err: error }, 'leaked passwords could not be looked up')
    return false
  }
}

/** After a sign-in: the next one has to choose another password if this one has leaked in the meantime. */
export async function expireIfBreached(
  services: Services,
  account: Account,
  password: string,
): Promise<void> {
  const isDue = await services.db.as('system', async (tx) => {
    const { breachLookup } = await systemSecurity(tx)
    return breachLookup && account.passwordExpired === null && (await isTimeToLook(services, tx, account))
  })
  if (!isDue || !(await isBreached(services, password))) return
  await services.db.as('system', (tx) => expirePassword(tx, account))
}

async function isTimeToLook({ keys }: Services, tx: Tx, { id }: Account): Promise<boolean> {
  const key = Buffer.from(keys.sign('attempt', `leaked ${id}`), 'base64url')
  return hasRow(
    tx,
    sql`insert into attempts as a (key, window_start, count, blocked_until)
      values (${key}, 'infinity', 1, now() + make_interval(days => ${pauseDays}))
      on conflict (key, window_start) do update set blocked_until = excluded.blocked_until
        where a.blocked_until <= now()
      returning 1`,
  )
}

/** Nothing happens when the password is another one by now. */
export async function expirePassword(tx: Tx, { id, organizationId, passwordHash }: Account): Promise<void> {
  const expired = await hasRow(
    tx,
    sql`update users set password_expired = 'breached'
      where id = ${id} and password_hash = ${passwordHash} and password_expired is null returning 1`,
  )
  if (!expired) return
  const entry = { organizationId, entity: 'user', entityId: id, after: { reason: 'breached' } }
  await audit(tx, 'system', { ...entry, action: 'auth.password_expired' })
}
