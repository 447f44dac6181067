import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import { Wave, waveLimits, WavePlan, type readWaves } from '#contract/transmissions/waves.ts'
import { hasRow, requireRow, row, rows, type Database, type Tx } from '../../platform/db/client.ts'
import { readCount } from '../../platform/db/rows.ts'
import { isoText } from '../../platform/db/search.ts'
import { hasArrived, isTroubled } from '../../deliveries.ts'
import { sql } from '../../platform/db/sql.ts'
import { audit } from '../../platform/http/audit.ts'
import { move, type Key } from './states.ts'
import { zonesWaiting } from '../compose/zones.ts'

/** The first wave has at least this number of people, however small its share is. */
const fewest = 20
/** One statement lets at most this number go. */
const piece = 5_000

/** No wave of `transmissions t` has let these go yet, so they are due at no time. */
const waiting = sql`from deliveries d where d.transmission_id = t.id and d.state in ('queued', 'deferred') and d.due_at = 'infinity'`
/** This condition holds when everything has left, except mails that are tried again later. */
const hasLeft = sql`(not exists (select from deliveries d where d.transmission_id = t.id and d.state = 'queued' and d.due_at < 'infinity')
  and not exists (select from transmission_counts c where c.transmission_id = t.id and c.state = 'sending' and c.n > 0))`
const last = sql`select w.* from transmission_waves w where w.transmission_id = t.id order by w.number desc limit 1`

/** This condition on `transmissions t` holds when its next wave, or its pause before that, can begin. */
export const isWaveDue = sql`(t.waves is not null and exists (select ${waiting}) and coalesce(
  (select w.people < w.size or coalesce(w.next_at <= now(), ${hasLeft}) from (${last}) w), true))`

const Present = z.object({
  plan: WavePlan,
  number: z.number(),
  isGrowing: z.boolean(),
  hasLeft: z.boolean(),
  isDue: z.boolean(),
  isForgiven: z.boolean(),
})
type Present = z.infer<typeof Present>

/**
 * Goes on with the waves of a transmission. Returns false when there is nothing to do, or another process does it. Each step commits whole,
 * so a crash repeats nothing.
 */
export async function advanceWaves(db: Database, key: Key): Promise<boolean> {
  return db.as({ organizationId: key.organizationId }, async (tx) => {
    const present = await row(
      tx,
      Present,
      sql`select t.waves as plan, coalesce(w.number, 0) as number, coalesce(w.people < w.size, false) as "isGrowing",
          w.next_at is null and ${hasLeft} as "hasLeft", coalesce(w.next_at <= now(), w.number is null) as "isDue",
          coalesce(w.is_troubled, true) as "isForgiven"
        from transmissions t left join lateral (${last}) w on true
        where t.id = ${key.id} and t.organization_id = ${key.organizationId} and t.state = 'sending'
          and exists (select ${waiting}) and t.waves is not null for update of t skip locked`,
    )
    return present ? step(tx, key, present) : false
  })
}

async function step(tx: Tx, key: Key, present: Present): Promise<boolean> {
  const { number } = present
  if (present.isGrowing) return releasePiece(tx, key, number)
  if (!present.isDue) return present.hasLeft && beginPause(tx, key, present)
  if (!present.isForgiven && (await stopIfTroubled(tx, key, number))) return true
  await begin(tx, key, present)
  return releasePiece(tx, key, number + 1)
}

async function begin(tx: Tx, key: Key, { plan, number }: Present): Promise<void> {
  const size =
    number === 0
      ? sql`greatest(${fewest}, ceil(n * ${plan.share}::float8 / 100))`
      : sql`coalesce(${plan.size}::int, n)`
  const people = await readCount(
    tx,
    sql`insert into transmission_waves (transmission_id, number, organization_id, size)
      select t.id, ${number + 1}, t.organization_id, least(n, ${size}) from transmissions t
        cross join lateral (select count(*) as n ${waiting}) c
      where t.id = ${key.id} and t.organization_id = ${key.organizationId} returning size as n`,
  )
  await audit(tx, 'system', {
    organizationId: key.organizationId,
    action: 'transmission.wave',
    entity: 'transmission',
    entityId: key.id,
    after: { wave: number + 1, people },
  })
}

/**
 * Lets the next piece of a wave go, in the order of the hashes of their links. That order is by chance, so by no name, age or group, and it
 * gives the same people after a crash.
 */
function releasePiece(tx: Tx, { id, organizationId }: Key, number: number): Promise<boolean> {
  return hasRow(
    tx,
    sql`with room as (select least(${piece}, size - people) as n from transmission_waves
        where transmission_id = ${id} and organization_id = ${organizationId} and number = ${number}),
      gone as (update deliveries d set wave = ${number}, due_at = now(), updated_at = now()
        from (select d.id from deliveries d where d.transmission_id = ${id} and d.organization_id = ${organizationId}
            and d.state = 'queued' and d.due_at = 'infinity' order by d.link_hash limit (select n from room)) chosen
        where d.transmission_id = ${id} and d.id = chosen.id and d.due_at = 'infinity' returning 1)
      update transmission_waves w set people = people + g.n, size = case when g.n < room.n then people + g.n else size end
        from room, (select count(*)::int as n from gone) g
        where w.transmission_id = ${id} and w.organization_id = ${organizationId} and w.number = ${number} returning 1`,
  )
}

/** Begins the pause when the wave has left, because only then its returns come. */
function beginPause(tx: Tx, { id, organizationId }: Key, { plan, number }: Present): Promise<boolean> {
  const minutes = number === 1 ? plan.waitMinutes : plan.pauseMinutes
  return hasRow(
    tx,
    sql`update transmission_waves set next_at = now() + make_interval(mins => ${minutes})
      where transmission_id = ${id} and organization_id = ${organizationId} and number = ${number} and next_at is null returning 1`,
  )
}

const arrived = hasArrived('d')
const astray = sql`(${isTroubled('d')} or d.state = 'deferred')`

const Judged = z.object({ arrived: z.number(), troubled: z.number(), unwanted: z.number() })

/**
 * Pauses a transmission whose wave has too much trouble. It judges even a wave of few mails, because whoever sends a few first wants to
 * know it from those.
 */
async function stopIfTroubled(tx: Tx, key: Key, wave: number): Promise<boolean> {
  const judged = await requireRow(
    tx,
    Judged,
    sql`select count(*) filter (where ${arrived})::int as arrived, count(*) filter (where ${astray})::int as troubled,
        (select count(distinct e.delivery_id)::int from delivery_events e join deliveries x on x.transmission_id = e.transmission_id and x.id = e.delivery_id
          where e.transmission_id = ${key.id} and e.kind = 'complained' and x.wave = ${wave}) as unwanted
      from deliveries d where d.transmission_id = ${key.id} and d.organization_id = ${key.organizationId} and d.wave = ${wave}`,
  )
  const { troubled, unwanted } = judged
  const all = judged.arrived + troubled
  if (troubled <= all * waveLimits.troubled && unwanted <= all * waveLimits.unwanted) return false
  await tx.execute(
    sql`update transmission_waves set is_troubled = true
      where transmission_id = ${key.id} and organization_id = ${key.organizationId} and number = ${wave}`,
  )
  const note = { wave, mails: all, troubled, unwanted }
  return move(tx, key, { from: ['sending'], to: 'paused', reason: 'wave_troubled', note, by: 'system' })
}

/** Begins the next wave without waiting, or returns false when none waits. What became of the one before still counts. */
export function hasten(tx: Tx, { id, organizationId }: Key): Promise<boolean> {
  return hasRow(
    tx,
    sql`update transmission_waves w set next_at = now() where transmission_id = ${id} and organization_id = ${organizationId}
      and next_at > now() and number = (select max(number) from transmission_waves where transmission_id = ${id})
      and exists (select from transmissions t where t.id = w.transmission_id and exists (select ${waiting})) returning 1`,
  )
}

const Ahead = z.object({ waiting: z.number(), nextAt: z.nullable(z.string()) })

export async function wavesOf(tx: Tx, { id, organizationId }: Key): Promise<Reply<typeof readWaves>> {
  const waves = await rows(
    tx,
    Wave,
    sql`select w.number, w.people, ${isoText(sql`w.begun_at`)} as "begunAt", w.is_troubled as "isTroubled",
        count(*) filter (where ${arrived})::int as sent, count(*) filter (where ${astray})::int as troubled
      from transmission_waves w left join deliveries d on d.transmission_id = w.transmission_id and d.wave = w.number
      where w.transmission_id = ${id} and w.organization_id = ${organizationId}
      group by w.number, w.people, w.begun_at, w.is_troubled order by w.number`,
  )
  const ahead = await requireRow(
    tx,
    Ahead,
    sql`select (select count(*) ${waiting})::int as waiting,
        ${isoText(sql`(select w.next_at from (${last}) w where exists (select ${waiting}))`)} as "nextAt"
      from transmissions t where t.id = ${id} and t.organization_id = ${organizationId}`,
  )
  return { id, waves, zones: await zonesWaiting(tx, { id, organizationId }), ...ahead }
}
