import * as z from 'zod/mini'
import { isFree, togetherApart } from '../aside.ts'
import { arrayOf, row, rows, type Database, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/sql.ts'
import { lock } from '../db/locks.ts'
import type { Services } from '../http/services.ts'
import { startLoop, type Loop } from '../loop.ts'
import { hashesOf, origin, type Hashes } from './canonical.ts'
import { entryColumns, toEntry, EntryRow } from './rows.ts'
import { Id, idsOf } from '../db/rows.ts'

const batch = 2_000

type Link = Hashes & { seq: number; id: string }

const nameOf = ({ id }: { id: string }) => ({ item: `audit ${id}` })

/**
 * Adds a link for every entry that waits, in the order in which they were written (ids are UUIDv7). Each batch is one
 * transaction: a crash leaves all of its links or none. Two at once take turns. Gives the number of new links. An entry that cannot be
 * sealed goes on waiting, and gets its link behind those that did not wait for it.
 */
export async function seal(db: Database): Promise<number> {
  let sealed = 0
  for (;;) {
    const waiting = await rows(
      db.single,
      Id,
      sql`select audit_id as id from audit_unsealed where ${isFree('housekeeping', sql`'audit ' || audit_id`)}
        order by audit_id limit ${batch}`,
    )
    await togetherApart({ db, loop: 'housekeeping', nameOf }, waiting, async (some) => {
      sealed += await db.as('system', (tx) => sealSome(tx, idsOf(some)))
    })
    if (waiting.length < batch) return sealed
  }
}

const Head = z.object({ seq: z.string(), hash: z.string() })

async function sealSome(tx: Tx, wanted: SQL): Promise<number> {
  await tx.execute(sql`select ${lock('auditChain')}`)
  // The ids first: joined, the planner may walk along the whole log.
  const next = await rows(
    tx,
    Id,
    sql`select audit_id as id from audit_unsealed where audit_id = any(${wanted})`,
  )
  const ids = idsOf(next)
  const waiting = await rows(
    tx,
    EntryRow,
    sql`select ${entryColumns} from audit a where a.id = any(${ids}) order by a.id`,
  )
  if (waiting.length === 0) return 0
  const head = await row(
    tx,
    Head,
    sql`select seq, encode(hash, 'hex') as hash from audit_chain order by seq desc limit 1`,
  )
  await append(tx, linksOf(waiting, { seq: Number(head?.seq ?? 0), hash: head?.hash ?? origin }))
  return waiting.length
}

function linksOf(waiting: readonly EntryRow[], head: { seq: number; hash: string }): Link[] {
  let { seq, hash } = head
  return waiting.map((one) => {
    const hashes = hashesOf(hash, toEntry(one))
    seq += 1
    hash = hashes.hash
    return { ...hashes, seq, id: one.id }
  })
}

async function append(tx: Tx, links: readonly Link[]): Promise<void> {
  const column = (name: keyof Link, type: string) =>
    arrayOf(
      links.map((link) => link[name]),
      type,
    )
  await tx.execute(
    sql`insert into audit_chain (seq, audit_id, details_hash, entry_hash, hash)
      select seq, id, decode(details, 'hex'), decode(entry, 'hex'), decode(link, 'hex')
      from unnest(${column('seq', 'int8')}, ${column('id', 'uuid')}, ${column('detailsHash', 'text')},
        ${column('entryHash', 'text')}, ${column('hash', 'text')}) as l(seq, id, details, entry, link)`,
  )
  await tx.execute(sql`delete from audit_unsealed where audit_id = any(${column('id', 'uuid')})`)
}

/** Looks once a second whether something waits, so that whoever writes an entry never waits for the chain. */
export function startSealing({ db, log }: Services): Loop {
  return startLoop(
    { log, failure: 'the audit log could not be sealed; it will be tried again' },
    async () => {
      await seal(db)
      return 1_000
    },
  )
}
