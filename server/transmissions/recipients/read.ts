import * as z from 'zod/mini'
import { requireRow, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'

const Opened = z.object({ videoId: z.string(), linkHash: z.string() })

/** Notes that the person of these `deliveries d` has opened them in the console; the first time stays. Answers by what the link of one is made. */
export const markRead = (tx: Tx, which: SQL): Promise<z.infer<typeof Opened>> =>
  requireRow(
    tx,
    Opened,
    sql`update deliveries d set read_at = coalesce(d.read_at, now()) from transmissions t
      where ${which} and t.id = d.transmission_id and d.link_hash is not null
      returning t.video_id as "videoId", encode(d.link_hash, 'hex') as "linkHash"`,
  )
