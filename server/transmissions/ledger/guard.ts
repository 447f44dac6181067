import { randomBytes } from 'node:crypto'
import * as z from 'zod/mini'
import type { HoldSign } from '#contract/transmissions/sending.ts'
import { arrayOf, type Database, hasRow, row, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { audit, ofInstallation } from '../../platform/http/audit.ts'
import type { Services } from '../../platform/http/services.ts'
import type { Store } from '../../platform/storage/store.ts'

/**
 * An installation that was copied, or set back to an earlier state, must not send what the other one has sent. So the database
 * knows by which batch and by which object the store of files goes with it: before each batch the next number is written into the
 * database together with the traces of a new object of that name (`traceOf`), and only then the former one goes. A copy has other traces,
 * and a database of an earlier moment names an object that is gone.
 */
const Guard = z.object({
  batch: z.number(),
  /** It is null where none was written down yet, or where a superadmin has just said which of the installations this is. */
  marker: z.nullable(z.string()),
  isHeld: z.boolean(),
  answer: z.nullable(z.literal('restored')),
  isSilent: z.boolean(),
  isToldLately: z.boolean(),
  /** Its last word lies ahead, so the clock was set back. */
  isAhead: z.boolean(),
})
type Guard = z.infer<typeof Guard>

/** A silence up to this length says nothing, because somebody may have restarted a server; a sender speaks every minute. */
const silence = sql`interval '30 minutes'`

/** This condition holds when something would leave by itself, or as soon as somebody resumes it. */
const waits = sql`(exists (select 1 from transmissions t where t.state in ('scheduled', 'preparing', 'sending'))
  or exists (select 1 from transmission_counts c join transmissions t on t.id = c.transmission_id
    where c.state in ('queued', 'deferred') and c.n > 0 and t.state in ('paused', 'held')))`

/** The statement that lets mails go asks this once more, because a machine that slept may wake up in the middle of a batch. */
const isFree = sql`held_at is null and spoke_at > now() - ${silence}`
export const nothingHeld = sql`exists (select 1 from sending_guard where ${isFree})`

async function read(tx: Tx, lock: SQL = sql``): Promise<Guard> {
  const guard = await row(
    tx,
    Guard,
    sql`select batch::float8 as batch, marker, held_at is not null as "isHeld", answer,
        case when spoke_at <= now() - ${silence} then ${waits} else false end as "isSilent",
        spoke_at between now() - interval '1 minute' and now() as "isToldLately", spoke_at > now() as "isAhead"
      from sending_guard ${lock}`,
  )
  if (!guard) throw new Error('the guard of sending is gone')
  return guard
}

const markKey = (batch: number) => `${marks}${batch}`
const marks = 'sending/'

async function batchesIn(store: Store): Promise<number[]> {
  const batches: number[] = []
  for await (const { key } of store.list(marks)) {
    const name = key.slice(marks.length)
    if (/^\d+$/.test(name)) batches.push(Number(name))
  }
  return batches
}

async function signsOf(store: Store, { batch, marker, isSilent }: Guard): Promise<HoldSign[]> {
  if (marker === null) return []
  const present = await store.traceOf(markKey(batch))
  const place: HoldSign[] =
    present === marker
      ? []
      : present === undefined && (await batchesIn(store)).length > 0
        ? ['apart']
        : ['copied']
  return isSilent ? [...place, 'silent'] : place
}

/** Holds sending. Returns false when another process has gone on with the next batch meanwhile, so that what was seen is no sign. */
async function hold(tx: Tx, { batch }: Guard, signs: readonly HoldSign[]): Promise<boolean> {
  const held = await hasRow(
    tx,
    sql`update sending_guard set held_at = now(), signs = ${arrayOf(signs, 'text')}
      where held_at is null and batch = ${batch} returning 1`,
  )
  if (!held) return false
  await audit(tx, 'system', { ...ofInstallation, action: 'sending.held', after: { signs } })
  return true
}

/** Says whether anything may leave now. It is `restored` while whatever is open has to become uncertain first. */
export async function look(services: Services): Promise<'free' | 'held' | 'restored'> {
  return services.db.as('system', async (tx) => {
    const guard = await read(tx)
    if (guard.isHeld) return guard.answer ?? 'held'
    const signs = await signsOf(await services.storage.main(), guard)
    if (signs.length > 0) {
      if (await hold(tx, guard, signs))
        services.log.warn({ signs }, 'sending is held until a superadmin says what happened')
      return 'held'
    }
    if (guard.isAhead) await makeDue(tx)
    if (!guard.isToldLately)
      await tx.execute(sql`update sending_guard set spoke_at = now() where held_at is null`)
    return 'free'
  })
}

/** Makes due now what was planned before the clock was set back, so that it does not wait until the clock comes there again. */
async function makeDue(tx: Tx): Promise<void> {
  await tx.execute(
    sql`update deliveries set due_at = now(), updated_at = now() where state in ('queued', 'deferred') and due_at > now() and due_at < 'infinity' and updated_at > now()
      and not exists (select from transmissions t where t.id = transmission_id and t.leaves_clock is not null)`,
  )
  await tx.execute(
    sql`update transmission_waves set next_at = now() where next_at > now() and begun_at > now()`,
  )
  await tx.execute(
    sql`update transmissions set scheduled_at = now() where state = 'scheduled' and leaves_at is null and released_at > now()`,
  )
}

/** Gives a sign of life in the middle of a long batch, unless it comes too late to be one. */
export async function speak(db: Database): Promise<void> {
  await db.as('system', (tx) => tx.execute(sql`update sending_guard set spoke_at = now() where ${isFree}`))
}

/** Counts a batch before it leaves, in the database and in the store of files. Returns false when nothing may leave. */
export async function countBatch({ db, storage }: Services): Promise<boolean> {
  const counted = await db.as('system', async (tx) => {
    const guard = await read(tx, sql`for update`)
    const store = await storage.main()
    if (guard.isHeld || (await signsOf(store, guard)).length > 0) return undefined
    if (guard.marker === null) await forget(store, () => true)
    return { store, batch: await leaveMark(tx, store, guard) }
  })
  if (!counted) return false
  await forget(counted.store, (other) => other < counted.batch)
  return true
}

/** Leaves the mark of the next batch. The one before stays until this one is committed, so that a process that dies in between is no sign. */
async function leaveMark(tx: Tx, store: Store, { batch }: Guard): Promise<number> {
  const next = batch + 1
  // A copy of the store has the bytes, and neither the moment nor the place.
  await store.put(markKey(next), randomBytes(16))
  const marker = await store.traceOf(markKey(next))
  if (marker === undefined) throw new Error(`cannot mark a batch in ${store.place}`)
  await tx.execute(sql`update sending_guard set batch = ${next}, marker = ${marker}, spoke_at = now()`)
  return next
}

/**
 * Brings the mark along when files move from one store to another, as part of `tx`, which changes the store. Whoever looks meanwhile sees
 * the batch before or the one after. Throws a sentence while sending is held, because then nobody knows which installation this is.
 */
export async function moveMark(tx: Tx, { from, to }: { from: Store; to: Store }): Promise<void> {
  const guard = await read(tx, sql`for update`)
  if (guard.isHeld || (await signsOf(from, guard)).some((sign) => sign !== 'silent'))
    throw new Error('Sending is held: say first, on the page of the installation, what happened to it.')
  if (guard.marker !== null) await leaveMark(tx, to, guard)
}

async function forget(store: Store, which: (batch: number) => boolean): Promise<void> {
  const old = (await batchesIn(store)).filter(which)
  await Promise.all(old.map((batch) => store.remove(markKey(batch)).catch(() => undefined)))
}
