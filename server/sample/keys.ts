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
  /** The token before it works as well for so many days. */
  previousForDays?: number
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
  {
    name: 'Intranet portal',
    scopes: ['send', 'content:read'],
    networks: ['198.51.100.0/24', '2001:db8:42::/48'],
    start: 'srk_t4Ve',
    madeDaysAgo: 1,
    expiresInDays: 364,
    usedMinutesAgo: 47,
    previousForDays: 5,
  },
  {
    name: 'Badge system (former)',
    scopes: ['people:read'],
    networks: [],
    start: 'srk_bW1p',
    madeDaysAgo: 370,
    expiresInDays: -5,
    usedMinutesAgo: null,
  },
]

/** Keys of other systems. Nobody has their tokens: what lies here is the hash of nothing. */
export async function addKeys(
  tx: Tx,
  { organizationId, ownerId }: { organizationId: string; ownerId: string },
): Promise<void> {
  for (const key of keys) {
    const { name, scopes, networks, start, madeDaysAgo, expiresInDays, usedMinutesAgo, previousForDays } = key
    const made = sql`now() - make_interval(days => ${madeDaysAgo})`
    const id = await insertedId(
      tx,
      sql`insert into service_accounts (organization_id, name, owner_id, scopes, networks, created_by, created_at, updated_at)
        values (${organizationId}, ${name}, ${ownerId}, ${arrayOf([...scopes], 'text')}, ${arrayOf([...networks], 'cidr')}, ${ownerId}, ${made}, ${made})
        returning id`,
    )
    await tx.execute(
      sql`insert into service_tokens (token_hash, account_id, organization_id, start, created_at, expires_at, told_days)
        values (sha256(uuid_send(gen_random_uuid())), ${id}, ${organizationId}, ${start}, ${made}, now() + make_interval(days => ${expiresInDays}),
          ${expiresInDays <= 14 ? 14 : null}::smallint)`,
    )
    if (previousForDays !== undefined)
      await tx.execute(
        sql`insert into service_tokens (token_hash, account_id, organization_id, start, created_at, expires_at, replaced_until)
          values (sha256(uuid_send(gen_random_uuid())), ${id}, ${organizationId}, 'srk_9aZr', now() - interval '300 days',
            now() + interval '65 days', now() + make_interval(days => ${previousForDays}))`,
      )
    if (usedMinutesAgo !== null)
      await tx.execute(
        sql`insert into key_calls (account_id, organization_id, place, began, count)
          values (${id}, ${organizationId}, 0, now() - make_interval(mins => ${usedMinutesAgo}), 1)`,
      )
  }
}
