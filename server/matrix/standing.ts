import * as z from 'zod/mini'
import type { Standing } from '#contract/matrix/standing.ts'
import { arrayOf, rows, type Tx } from '../platform/db/client.ts'
import { isoText } from '../platform/db/search.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { bitsAt } from './cells.ts'
import { matrixNow } from './current.ts'
import { bitOf, combinations } from './state.ts'

/** A cell says this of a person and a video at this moment; null means that there is no cell. */
export const CellSigns = z.nullable(z.object({ bits: z.number(), dueAt: z.nullable(z.string()) }))
type CellSigns = z.infer<typeof CellSigns>

/** This expression over a cell `c` gives its signs. `shows` is a condition that holds where it may be told what single people watched. */
export function signsOf(shows: SQL): SQL {
  const bits = (isShown: boolean) => bitsAt(sql`now()`, 'c', isShown)
  return sql`case when c.bits is not null then json_build_object('bits', case when ${shows} then ${bits(true)} else ${bits(false)} end,
    'dueAt', case when isfinite(c.late_at) then ${isoText(sql`c.late_at`)} end) end`
}

/** This much of a viewing may be told. */
type Watched = { completedAt: string | null; failed: { isFinal: boolean } | null; hasWatched: boolean }

/** Says where somebody stands. Without a cell, as for a person who is disabled or a video that was removed, what was watched decides. */
export function standingBy(signs: CellSigns, watched: Watched): Standing | null {
  const known = signs && combinations[signs.bits]?.state
  if (known) return { state: known, dueAt: signs.dueAt }
  const state = stateBy(watched)
  return state && { state, dueAt: null }
}

function stateBy({ completedAt, failed, hasWatched }: Watched): Standing['state'] | null {
  if (completedAt !== null) return 'completed'
  if (failed) return failed.isFinal ? 'out_of_attempts' : 'failed'
  return hasWatched ? 'started' : null
}

/** This condition on a cell `c` holds when it is completed, and still valid. */
export const cellIsDone = sql.raw(`c.bits & ${bitOf('completed')} <> 0 and c.expires_at > now()`)

const CellOfVideo = z.object({ videoId: z.string(), signs: CellSigns })

type PersonVideos = { organizationId: string; userId: string; videoIds: readonly string[]; shows: boolean }

/** Reads the signs of one person, by video. */
export async function signsOfPerson(
  tx: Tx,
  { organizationId, userId, videoIds, shows }: PersonVideos,
): Promise<Map<string, CellSigns>> {
  const { cells } = await matrixNow(tx, organizationId)
  const found = await rows(
    tx,
    CellOfVideo,
    sql`select c.video_id as "videoId", ${signsOf(sql`${shows}::boolean`)} as signs from ${cells} c
      where c.user_id = ${userId} and c.video_id = any(${arrayOf([...videoIds], 'uuid')})`,
  )
  return new Map(found.map(({ videoId, signs }) => [videoId, signs]))
}
