import * as z from 'zod/mini'
import { MailTrouble, type ListedUser } from '#contract/directory/users.ts'
import { arrayOf, rows, type Tx } from '../../platform/db/client.ts'
import { Id } from '../../platform/db/rows.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import type { Visibility } from '../../platform/http/visibility.ts'
import { cameBack, hasArrived, reasonOf, stateOf } from '../../deliveries.ts'

/** This expression gives the address at which `users u` are written to. */
export const presentAddress = sql`lower(btrim(u.email))`

const mailOf = (alias: SQL) =>
  sql`${alias}.user_id = u.id and ${alias}.organization_id = u.organization_id and ${alias}.channel = 'email' and ${alias}.address = ${presentAddress}`

/**
 * This query says how the last mail that left for `users u` at their present address came back or was refused, as (state, reason, at).
 * There is no row where it was not. Few mails are, and an index knows them; only then it is asked what was sent later.
 */
export const lastReturned = sql`(select ${stateOf('d')}, ${reasonOf('d')}, d.updated_at as at from deliveries d
  where ${mailOf(sql`d`)} and ${cameBack('d')} and not exists (select from deliveries n
    where ${mailOf(sql`n`)} and ${hasArrived('n')} and n.transmission_id > d.transmission_id)
  order by d.transmission_id desc limit 1)`

const barredJson = (reason: SQL) => sql`json_build_object('kind', 'barred', 'reason', ${reason})`

/**
 * Returns the column `trouble` of a list of `users u`, without mails that came back. It says what bars them, by two looks into an index for
 * each row of a page.
 */
export function barOf(visibility: Visibility): SQL {
  // Only administrators are told why an address is barred.
  if (visibility.groupIds) return sql`null::json as trouble`
  return sql`coalesce(
    (select ${barredJson(sql`s.reason`)} from suppressions s where s.organization_id = u.organization_id
      and s.address = ${presentAddress} and (s.expires_at is null or s.expires_at > now())),
    (select ${barredJson(sql`'unsubscribed'`)} from unsubscriptions w
      where w.organization_id = u.organization_id and w.user_id = u.id)) as trouble`
}

const Returned = z.extend(MailTrouble, { id: z.string() })

/**
 * Adds to the rows of a page what came back of whoever is not barred. The ledger has many parts, so that a look into it for each row would
 * cost more than the list. It is asked once who may be concerned, which mostly is nobody.
 */
export async function withReturned(
  tx: Tx,
  { organizationId, groupIds }: Visibility,
  items: readonly ListedUser[],
): Promise<ListedUser[]> {
  const ids = groupIds ? [] : idsOf(items.filter(({ trouble }) => !trouble))
  if (ids.length === 0) return [...items]
  const concerned = await rows(
    tx,
    Id,
    sql`select distinct d.user_id as id from deliveries d where d.user_id = any(${arrayOf(ids, 'uuid')})
      and d.organization_id = ${organizationId} and ${cameBack('d')}`,
  )
  if (concerned.length === 0) return [...items]
  const found = await rows(
    tx,
    Returned,
    sql`select u.id, l.state as kind, l.reason from users u cross join lateral ${lastReturned} l
      where u.organization_id = ${organizationId} and u.id = any(${arrayOf(idsOf(concerned), 'uuid')})`,
  )
  const returned = new Map(found.map(({ id, ...trouble }) => [id, trouble]))
  return items.map((one) => ({ ...one, trouble: one.trouble ?? returned.get(one.id) ?? null }))
}

const idsOf = (some: readonly { id: string }[]) => some.map(({ id }) => id)
