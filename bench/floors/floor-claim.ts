import { randomUUID } from 'node:crypto'
import pg from 'pg'

/** One way of doing the work of the ledger; each call does one piece and answers whether it did anything. */
export type Ledger = { prepare(): Promise<boolean>; recordOutcomes(): Promise<boolean> }

type FloorOptions = { url: string; organizationId: string; batch: number }

const chunk = 10_000

/** The barest ledger that is correct: unique per person, claimed under a lease, settled by the lease's holder only. */
export async function floorLedger({
  url,
  organizationId,
  batch,
}: FloorOptions): Promise<Ledger & { close(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`create table floor_ledger (transmission_id uuid not null, id uuid not null default uuidv7(), user_id uuid not null,
      address text not null, state text not null default 'queued', attempt int not null default 0,
      due_at timestamptz not null default now(), lease_token uuid, lease_until timestamptz,
      primary key (transmission_id, id), unique (transmission_id, user_id)) with (fillfactor = 70);
    create index on floor_ledger (transmission_id, due_at, id) where state = 'queued'`)
  const transmission = randomUUID()
  const token = randomUUID()
  let last = '00000000-0000-0000-0000-000000000000'

  async function prepare(): Promise<boolean> {
    const { rows } = await client.query<{ last: string | null }>({
      name: 'prepare',
      text: `with entered as (insert into floor_ledger (transmission_id, user_id, address)
          select $1, id, email from users where organization_id = $2 and deleted_at is null and id > $3 order by id limit $4
          returning user_id)
        select max(user_id::text) as last from entered`,
      values: [transmission, organizationId, last, chunk],
    })
    last = rows[0]?.last ?? last
    return typeof rows[0]?.last === 'string'
  }

  async function recordOutcomes(): Promise<boolean> {
    const { rows } = await client.query<{ id: string }>({
      name: 'claim',
      text: `with pick as (select id from floor_ledger where transmission_id = $1 and state = 'queued' and due_at <= now()
          order by due_at, id limit $2 for update skip locked)
        update floor_ledger l set state = 'sending', attempt = attempt + 1, lease_token = $3,
          lease_until = now() + interval '2 minutes' from pick where l.transmission_id = $1 and l.id = pick.id returning l.id`,
      values: [transmission, batch, token],
    })
    await client.query({
      name: 'settle',
      text: `update floor_ledger l set state = 'accepted', lease_token = null, lease_until = null
        from unnest($2::uuid[]) as g(id) where l.transmission_id = $1 and l.id = g.id and l.state = 'sending' and l.lease_token = $3`,
      values: [transmission, rows.map((row) => row.id), token],
    })
    return rows.length > 0
  }

  return { prepare, recordOutcomes, close: () => client.end() }
}
