import * as z from 'zod/mini'
import { asideWords } from '#contract/platform/aside-words.ts'
import { asideNames } from '#contract/platform/aside.ts'
import { isTold } from '../platform/aside.ts'
import { rows } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { found, type Found, type Patient } from './finding.ts'

const Aside = z.object({ loop: z.enum(asideNames), reason: z.string(), n: z.number() })

export async function lookAtSetAside({ db }: Patient): Promise<Found[]> {
  if (!db) return []
  const loops = await rows(
    db.single,
    Aside,
    sql`select s.loop, (array_agg(s.reason order by s.last_at desc))[1] as reason, count(*)::int as n from set_aside s
      where ${isTold} group by s.loop order by n desc, s.loop`,
  )
  const [first] = loops
  if (!first) return [found('nothing_aside')]
  return [
    found('something_aside', {
      count: String(loops.reduce((sum, { n }) => sum + n, 0)),
      loops: loops.map(({ loop }) => asideWords[loop].name.toLowerCase()).join(', '),
      reason: first.reason.replace(/[.!]+$/, ''),
    }),
  ]
}
