import type { Finding } from '#contract/doctor/doctor.ts'
import { lookAtBackups } from './backups.ts'
import { lookAtDatabase, lookAtMigrations } from './database.ts'
import { findingOf, found, reasonOf, type Check, type Found, type Patient } from './finding.ts'
import { lookAtJobs } from './jobs.ts'
import { lookAtConverter, lookAtDisk, lookAtSecret, lookAtStorage } from './machine.ts'
import { lookAtMail, lookAtReturns, lookAtSender } from './mail.ts'
import { lookAtAddress, lookAtClock, lookAtPorts, lookAtProxy } from './network.ts'
import * as z from 'zod/mini'
import { asideWords } from '#contract/platform/aside-words.ts'
import { asideNames } from '#contract/platform/aside.ts'
import { isTold } from '../platform/aside.ts'
import { rows } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'

const Aside = z.object({ loop: z.enum(asideNames), reason: z.string(), n: z.number() })

async function lookAtSetAside({ db }: Patient): Promise<Found[]> {
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

/** Everything that is looked at. What reads the database is not asked while there is none. */
export const checks: readonly (Check & { reads?: true })[] = [
  { name: 'clock', look: lookAtClock },
  { name: 'disk', look: lookAtDisk },
  { name: 'database', look: lookAtDatabase },
  { name: 'migrations', look: lookAtMigrations, reads: true },
  { name: 'jobs', look: lookAtJobs, reads: true },
  { name: 'mail', look: lookAtMail, reads: true },
  { name: 'sender', look: lookAtSender, reads: true },
  { name: 'returns', look: lookAtReturns, reads: true },
  { name: 'storage', look: lookAtStorage },
  { name: 'secret', look: lookAtSecret },
  { name: 'backups', look: lookAtBackups, reads: true },
  { name: 'address', look: lookAtAddress },
  { name: 'proxy', look: lookAtProxy },
  { name: 'converter', look: lookAtConverter },
  { name: 'set_aside', look: lookAtSetAside, reads: true },
  { name: 'ports', look: lookAtPorts },
]

/** One that hangs must not keep the others from being told. */
const patienceMs = 45_000

/** In the order of the list; they look at the same time, and each answers for itself. */
export async function lookAtAll(patient: Patient): Promise<Finding[]> {
  const all = await Promise.all(
    checks.map(async ({ name, look, reads }) => {
      const lacks = reads && !patient.db
      const each = lacks ? [found('needs_database')] : await answerOf(look(patient))
      const without = name === 'database' ? patient.withoutDatabase : undefined
      return [...(without ? [without] : []), ...each].map((one) => findingOf(name, one))
    }),
  )
  return all.flat()
}

async function answerOf(looking: Promise<Found[]>): Promise<Found[]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Found[]>((resolve) => {
    timer = setTimeout(() => resolve([found('took_too_long')]), patienceMs)
  })
  try {
    return await Promise.race([looking, late])
  } catch (error) {
    return [found('check_failed', { reason: reasonOf(error) })]
  } finally {
    clearTimeout(timer)
  }
}
