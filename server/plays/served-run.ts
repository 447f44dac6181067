import { randomUUIDv7 } from 'node:crypto'
import type pg from 'pg'
import { sql, type SQL } from '../db/drizzle.ts'

/** A process beats every five seconds; what it does not say for so long is not relied on. */
const doubtSeconds = 8
/** Seconds without a beat after which a process is held to be dead. */
const silentSeconds = 20
/** What has left may be noted that much later, because its place in the video had to be looked up. */
const lateSeconds = 5

/** Says in `served_runs` until when this process has written down what it handed out. */
export type ServedRun = {
  /** Everything that left until then (epoch milliseconds) has been written down. */
  beat(to: number): Promise<void>
  /** Something is lost that had left: the run ends as one that was killed, and the next beat begins another. */
  lose(): void
  /** Nothing is missing: the run has no more to say. */
  end(): Promise<void>
}

export function servedRun(pool: pg.Pool): ServedRun {
  let id = randomUUIDv7()
  let isTold = false
  let lost: string[] = []
  return {
    async beat(to) {
      const told = lost
      isTold = true
      await pool.query({ ...say, values: [id, new Date(to), told, silentSeconds] })
      lost = lost.filter((one) => !told.includes(one))
    },
    lose() {
      // What was lost before this run was told of lies within the one that is lost already.
      if (!isTold) return
      lost = [...lost, id]
      id = randomUUIDv7()
      isTold = false
    },
    async end() {
      if (lost.length === 0) await pool.query('delete from served_runs where id = $1', [id])
    },
  }
}

/** Whoever beats also tells which others do no longer: that a process was dead by now is certain, since when it was is not. */
const say = {
  name: 'served_run_beat',
  text: `with mine as (insert into served_runs as r (id, recorded_to) values ($1, $2)
      on conflict (id) do update set recorded_to = greatest(r.recorded_to, excluded.recorded_to), beaten_at = now(), ended_at = null)
    update served_runs set ended_at = now()
      where id <> $1 and ended_at is null and (id = any($3::uuid[]) or beaten_at < now() - make_interval(secs => $4))`,
}

/** Whether between two instants something may have left that is not written down, because a process was killed. */
export function isRecordBroken(from: SQL, to: SQL): SQL {
  return sql`exists (select from served_runs r
    where (r.ended_at is not null or r.beaten_at < now() - make_interval(secs => ${doubtSeconds}))
      and r.recorded_to - make_interval(secs => ${lateSeconds}) <= ${to} and coalesce(r.ended_at, now()) >= ${from})`
}
