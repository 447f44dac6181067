import * as z from 'zod/mini'
import { hasRow, requireRow, type Database, type Tx } from '#server/platform/db/client.ts'
import { sql, type SQL } from '#server/platform/db/sql.ts'
import { networkOf } from '#server/platform/http/address.ts'
import type { Services } from '#server/platform/http/services.ts'

/** Somebody whom nobody knows opens this video from this address. */
type Visit = { videoId: string; ip: string }

/** So many may come within so many seconds. */
const windows = sql.raw('(values (60, 30), (3600, 300)) w(seconds, most)')
const sliceSeconds = 5

/** Visits are counted in slices of five seconds. One that any part of a window reaches into counts whole. */
const slice = sql.raw(`date_bin('${sliceSeconds} seconds', now(), timestamptz '2000-01-01')`)
/** Slices that count for a window `w`. Those that lie ahead were counted before a clock was set back. */
const isWithin = sql.raw(
  `p.began <= now() and p.began > now() - make_interval(secs => w.seconds + ${sliceSeconds})`,
)

/**
 * Limits new sessions of visitors per video and network to 30 in any minute and 300 in any hour, at all processes together. Returns the
 * seconds to wait, 0 when allowed. Who cannot be counted is let in: then nothing can be written, and no visit changes a figure either.
 */
export function visitorLimit({ db, keys, log }: Pick<Services, 'db' | 'keys' | 'log'>) {
  return async ({ videoId, ip }: Visit): Promise<number> => {
    const key = Buffer.from(keys.sign('visitor', `${videoId} ${networkOf(ip)}`), 'base64url')
    try {
      return (await takeOne(db.single, key)) ? 0 : await secondsLeft(db.single, key)
    } catch (error) {
      log.error({ err: error }, 'a visit could not be counted')
      return 0
    }
  }
}

/** Counts one where there is room in every window. */
function takeOne(tx: Tx, key: Buffer): Promise<boolean> {
  const isFull = (inThisSlice: SQL) => sql`exists (select from ${windows}
    where ${inThisSlice} + (select coalesce(sum(p.count), 0) from visitor_counts p
      where p.key = ${key} and p.began <> ${slice} and ${isWithin}) >= w.most)`
  return hasRow(
    tx,
    sql`insert into visitor_counts as a (key, began, count) select ${key}, ${slice}, 1 where not ${isFull(sql`0`)}
      on conflict (key, began) do update set count = a.count + 1 where not ${isFull(sql`a.count`)}
      returning 1`,
  )
}

const Wait = z.object({ seconds: z.number() })

/** Until so much of what was counted lies behind that there is room in every window. */
async function secondsLeft(tx: Tx, key: Buffer): Promise<number> {
  const { seconds } = await requireRow(
    tx,
    Wait,
    sql`select coalesce(ceil(max(extract(epoch from f.began - now()) + w.seconds + ${sliceSeconds}::int)), 1)::int as seconds
      from ${windows}, lateral (select max(c.began) as began from (select p.began, sum(p.count) over (order by p.began desc) as counted
        from visitor_counts p where p.key = ${key} and ${isWithin}) c where c.counted >= w.most) f`,
  )
  return Math.max(1, seconds)
}

/** Forgets what counts in no window any more. */
export async function forgetVisitors({ single }: Database): Promise<void> {
  await single.execute(sql`delete from visitor_counts where began < now() - interval '2 hours'`)
}
