import { randomUUIDv7 } from 'node:crypto'
import { arrayOf, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'

/** A process is held to be dead, for good, after this number of seconds without a beat (one comes every five). */
export const silentSeconds = 12
/** A part that has left may be noted this number of seconds later, because its place in the video had to be looked up. */
const lateSeconds = 5
/** A process that keeps no record says so for this number of seconds at a time. */
const unrecordedSeconds = 30

/** A run says in `served_runs` until when this process has written down what it handed out. */
type ServedRun = {
  /** Names this run; a session that opens in it is told whose record it can rely on. */
  id(): string
  /** Everything that left until then (epoch milliseconds) has been written down. */
  beat(to: number): Promise<void>
  /** Ends the run like one that was killed, because something is lost that had left. The next beat begins another run. */
  lose(): void
  /** Ends the run. Nothing is missing in it, so it has no more to say. */
  end(): Promise<void>
}

/** `processId` names the process in `served_sessions`, whichever of its runs it is. */
export function servedRun(tx: Tx, processId: string): ServedRun {
  const say = (run: string, to: number) => tx.execute(told(run, { to, processId }))
  let id = randomUUIDv7()
  let isTold = false
  let lost: string[] = []
  return {
    id: () => id,
    async beat(to) {
      const reported = lost
      isTold = true
      const { rowCount } = await say(id, to)
      await tx.execute(close(id, reported))
      lost = lost.filter((one) => !reported.includes(one))
      if (rowCount === 1) return
      // The run was silent for too long and held to be dead, which stays so; the process goes on as another run.
      id = randomUUIDv7()
      await say(id, to)
    },
    lose() {
      // Whatever was lost before this run was told of lies within the one that is lost already.
      if (!isTold) return
      lost = [...lost, id]
      id = randomUUIDv7()
      isTold = false
    },
    async end() {
      if (lost.length === 0) await tx.execute(sql`delete from served_runs where id = ${id}`)
    },
  }
}

/**
 * Makes the run of a process that keeps no record, because a cache in front hands out media too. It says so for as long as it runs, so that
 * nobody is accused whose page was opened by another process that does keep one.
 */
export function unrecordedRun(tx: Tx): Pick<ServedRun, 'beat' | 'end'> {
  const id = randomUUIDv7()
  const startedAt = new Date()
  return {
    async beat() {
      await tx.execute(deny(id, startedAt))
    },
    async end() {
      await tx.execute(sql`update served_runs set ended_at = now() where id = ${id}`)
    },
  }
}

const isSilent = sql.raw(`r.beaten_at < now() - interval '${silentSeconds} seconds'`)

const told = (id: string, { to, processId }: { to: number; processId: string }) =>
  sql`insert into served_runs as r (id, recorded_to, process_id) values (${id}, ${new Date(to)}, ${processId})
    on conflict (id) do update set recorded_to = excluded.recorded_to, beaten_at = now()
      where r.ended_at is null and not ${isSilent}`

/**
 * Ends lost runs with each beat, and also the runs that have fallen silent: they are certainly dead by now, though nobody knows since when.
 */
const close = (id: string, lost: readonly string[]) =>
  sql`update served_runs r set ended_at = now()
    where r.ended_at is null and (r.id = any(${arrayOf(lost, 'uuid')}) or r.id <> ${id} and ${isSilent})`

const deny = (id: string, from: Date) =>
  sql`insert into served_runs as r (id, recorded_to, ended_at) values (${id}, ${from}, now() + make_interval(secs => ${unrecordedSeconds}))
    on conflict (id) do update set beaten_at = now(), ended_at = excluded.ended_at`

/**
 * These say what a gap in the record of a session means. `none`: no record was kept when it opened. `behind`: a process that may have handed
 * something out to it may not have written that down yet. `broken`: such a process was killed, or kept no record. `whole`: whatever the
 * record lacks was never handed out.
 */
export const servedRecordStates = ['none', 'behind', 'broken', 'whole'] as const
export type ServedRecordState = (typeof servedRecordStates)[number]

/** This expression gives the state for an alias that has the columns `id`, `run`, `started_at` and `last_at` of the session. */
export function recordOf(alias: string): SQL {
  const [id, run, from, to] = [
    sql.raw(`${alias}.id`),
    sql.raw(`${alias}.run`),
    sql.raw(`${alias}.started_at`),
    sql.raw(`${alias}.last_at`),
  ]
  const isDead = sql`(r.ended_at is not null or ${isSilent})`
  const recordedTo = sql`r.recorded_to - make_interval(secs => ${lateSeconds})`
  const mayHaveServed = sql`(r.process_id is null
    or exists (select from served_sessions n where n.session_id = ${id} and n.process_id = r.process_id))`
  return sql`case when ${run} is null then 'none'
    when exists (select from served_runs r where not ${isDead} and ${recordedTo} < ${to} and ${mayHaveServed}) then 'behind'
    when exists (select from served_runs r where ${isDead} and ${recordedTo} <= ${to} and coalesce(r.ended_at, now()) >= ${from}
      and ${mayHaveServed}) then 'broken'
    else 'whole' end`
}
