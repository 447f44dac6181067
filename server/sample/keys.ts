import type { KeyScope } from '#contract/scopes.ts'
import { arrayOf, type Tx } from '../platform/db/client.ts'
import { insertedId } from '../platform/db/rows.ts'
import { sql } from '../platform/db/sql.ts'

type SampleKey = {
  name: string
  scopes: readonly KeyScope[]
  networks: readonly string[]
  /** The first letters of its token. */
  start: string
  madeDaysAgo: number
  expiresInDays: number
  usedMinutesAgo: number | null
}

const keys: readonly SampleKey[] = [
  {
    name: 'Payroll',
    scopes: ['people:read', 'people:write'],
    networks: ['192.0.2.0/24'],
    start: 'srk_7Kd2',
    madeDaysAgo: 120,
    expiresInDays: 245,
    usedMinutesAgo: 12,
  },
  {
    name: 'Data warehouse',
    scopes: ['evidence:read', 'reports:read'],
    networks: [],
    start: 'srk_mQ9x',
    madeDaysAgo: 356,
    expiresInDays: 9,
    usedMinutesAgo: 190,
  },
]

/** Keys of other systems. Nobody has their tokens: what lies here is the hash of nothing. */
export async function addKeys(
  tx: Tx,
  { organizationId, ownerId }: { organizationId: string; ownerId: string },
): Promise<void> {
  for (const { name, scopes, networks, start, madeDaysAgo, expiresInDays, usedMinutesAgo } of keys) {
    const made = sql`now() - make_interval(days => ${madeDaysAgo})`
    const id = await insertedId(
      tx,
      sql`insert into service_accounts (organization_id, name, owner_id, scopes, networks, created_by, created_at, updated_at)
        values (${organizationId}, ${name}, ${ownerId}, ${arrayOf([...scopes], 'text')}, ${arrayOf([...networks], 'cidr')}, ${ownerId}, ${made}, ${made})
        returning id`,
    )
    await tx.execute(
      sql`insert into service_tokens (token_hash, account_id, organization_id, start, created_at, expires_at)
        values (sha256(uuid_send(gen_random_uuid())), ${id}, ${organizationId}, ${start}, ${made}, now() + make_interval(days => ${expiresInDays}))`,
    )
    if (usedMinutesAgo !== null)
      await tx.execute(
        sql`insert into key_calls (account_id, organization_id, place, began, count)
          values (${id}, ${organizationId}, 0, now() - make_interval(mins => ${usedMinutesAgo}), 1)`,
      )
  }
}
