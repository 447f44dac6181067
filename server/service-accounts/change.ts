import type { Key, KeyInput, KeyWithToken, RotationInput } from '#contract/service-accounts.ts'
import { arrayOf, type Tx } from '../platform/db/client.ts'
import { insertedId } from '../platform/db/rows.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { refuse } from '../platform/errors.ts'
import { audit, type AuditEntry } from '../platform/http/audit.ts'
import type { CallContext } from '../platform/http/bearer.ts'
import { requireUnchanged } from '../platform/http/mount.ts'
import { sha256 } from '../platform/keys.ts'
import { stageOf } from './expiry.ts'
import { momentOf, requireKey, type Home } from './queries.ts'
import { newToken, startOf } from './token.ts'

/** What an entry of the audit tells of a key; never its token. */
const told = ({ name, scopes, networks, expiresAt, owner }: Key) => ({
  name,
  scopes,
  networks,
  expiresAt,
  owner: owner.name,
})

function note(by: CallContext, home: Home, entry: Omit<AuditEntry, 'organizationId' | 'entity'>) {
  return audit(by.tx, by, { ...entry, organizationId: home, entity: 'service_account' })
}

type NewToken = { keyId: string; home: Home; expiresAt: SQL }

async function insertToken(tx: Tx, { keyId, home, expiresAt }: NewToken): Promise<string> {
  const token = newToken()
  await tx.execute(
    sql`insert into service_tokens (token_hash, account_id, organization_id, start, expires_at, told_days)
      select ${sha256(token)}, ${keyId}, ${home}, ${startOf(token)}, e.at, ${stageOf(sql`e.at`)} from (select ${expiresAt} as at) e`,
  )
  return token
}

const networksOf = (networks: readonly string[]): SQL =>
  sql`(select coalesce(array_agg(network(n::inet)), '{}') from unnest(${arrayOf([...networks], 'text')}) n)`

/** Makes a key. Refuses an owner who may not answer for it, and a day that is over. */
export async function makeKey(by: CallContext, home: Home, input: KeyInput): Promise<KeyWithToken> {
  const { tx, caller } = by
  const expiresAt = await momentOf(tx, home, { given: input.expiresAt, field: 'expiresAt' })
  const keyId = await insertedId(
    tx,
    sql`insert into service_accounts (organization_id, name, owner_id, scopes, networks, created_by)
      values (${home}, ${input.name}, ${input.ownerId ?? caller.userId}, ${arrayOf([...new Set(input.scopes)], 'text')},
        ${networksOf(input.networks ?? [])}, ${caller.userId}) returning id`,
  )
  const token = await insertToken(tx, { keyId, home, expiresAt: sql`${expiresAt}::timestamptz` })
  const key = await requireKey(tx, home, keyId)
  if (key.isStopped) throw refuse('validation_failed', { fields: { ownerId: ['not_allowed'] } })
  await note(by, home, { entityId: keyId, action: 'key.created', after: told(key) })
  return { ...key, token }
}

type Change = { home: Home; keyId: string; input: KeyInput }

/**
 * Changes a key, whose token stays and is not told. Another owner has to be one who may answer for it; the one who does may have left, so
 * that a key can be renamed or narrowed before somebody is found. The present token ends at another time only where one is named.
 */
export async function changeKey(by: CallContext, { home, keyId, input }: Change): Promise<Key> {
  const { tx } = by
  const before = await requireKey(tx, home, keyId)
  requireUnchanged(by.request, new Date(before.updatedAt))
  const { name, scopes, networks = before.networks, ownerId = before.owner.id } = input
  await tx.execute(
    sql`update service_accounts set name = ${name}, scopes = ${arrayOf([...new Set(scopes)], 'text')}, networks = ${networksOf(networks)},
        owner_id = ${ownerId}, updated_at = now() where id = ${keyId}`,
  )
  if (input.expiresAt !== before.expiresAt) {
    const end = sql`${await momentOf(tx, home, { given: input.expiresAt, field: 'expiresAt' })}::timestamptz`
    await tx.execute(
      sql`update service_tokens set expires_at = ${end}, told_days = ${stageOf(end)} where account_id = ${keyId} and replaced_until is null`,
    )
  }
  const after = await requireKey(tx, home, keyId)
  if (after.isStopped && ownerId !== before.owner.id)
    throw refuse('validation_failed', { fields: { ownerId: ['not_allowed'] } })
  await note(by, home, { entityId: keyId, action: 'key.changed', before: told(before), after: told(after) })
  return after
}

type Rotation = { home: Home; keyId: string; input: RotationInput }

/** Gives a key a new token. The present one works until then as well; one that was replaced before ends at once. */
export async function rotate(by: CallContext, { home, keyId, input }: Rotation): Promise<KeyWithToken> {
  const { tx } = by
  const before = await requireKey(tx, home, keyId)
  const until = await endOf(tx, home, input.previousUntil)
  const expiresAt =
    input.expiresAt === undefined
      ? sql`(select now() + (t.expires_at - t.created_at) from service_tokens t where t.account_id = ${keyId}
          order by t.created_at desc limit 1)`
      : sql`${await momentOf(tx, home, { given: input.expiresAt, field: 'expiresAt' })}::timestamptz`
  await tx.execute(sql`delete from service_tokens where account_id = ${keyId} and replaced_until is not null`)
  await tx.execute(sql`update service_tokens set replaced_until = ${until} where account_id = ${keyId}`)
  const token = await insertToken(tx, { keyId, home, expiresAt })
  await tx.execute(sql`update service_accounts set updated_at = now() where id = ${keyId}`)
  const after = await requireKey(tx, home, keyId)
  const changed = ({ expiresAt: end, previousUntil }: Key) => ({ expiresAt: end, previousUntil })
  await note(by, home, {
    entityId: keyId,
    action: 'key.rotated',
    before: changed(before),
    after: changed(after),
  })
  return { ...after, token }
}

async function endOf(tx: Tx, home: Home, given: string | null | undefined): Promise<SQL> {
  if (given === undefined) return sql`now() + interval '1 day'`
  if (given === null) return sql`now() - interval '1 second'`
  return sql`${await momentOf(tx, home, { given, field: 'previousUntil' })}::timestamptz`
}

/** Withdraws a key for good. The row stays for the audit, which names it. */
export async function revoke(by: CallContext, home: Home, keyId: string): Promise<void> {
  const before = await requireKey(by.tx, home, keyId)
  await by.tx.execute(
    sql`update service_accounts set revoked_at = now(), updated_at = now() where id = ${keyId}`,
  )
  await by.tx.execute(sql`delete from service_tokens where account_id = ${keyId}`)
  await note(by, home, { entityId: keyId, action: 'key.revoked', before: told(before) })
}
