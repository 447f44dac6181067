import * as z from 'zod/mini'
import { parseRanges, type Ranges } from '#server/platform/db/multirange.ts'
import { row, rows, together, type Tx } from '#server/platform/db/client.ts'
import { recordOf } from '#server/tracking/served-run.ts'
import { sessionFlags } from '#contract/track-limits.ts'
import { defaultPolicies, Policies } from '#contract/organizations.ts'
import { sql } from '../platform/db/sql.ts'
import type { Sources } from './sources.ts'
import { listed } from './lists.ts'
import type { Credited } from './results.ts'

/** What a session is worth, and what both sources know of it. */
export type Founded = Credited & { sources: Sources }

const Record = z.object({
  id: z.string(),
  served: z.nullable(z.string()),
  record: z.enum(['none', 'behind', 'broken', 'whole']),
})
type Record = z.infer<typeof Record>

const types = { id: 'uuid', run: 'uuid', started_at: 'ms', last_at: 'ms' } as const

const FoundedOnRow = z.object({ least: Policies.shape.completionEvidence })

/** Sets beside what each session is worth what was handed out to it, and what its organization asks for a completion. */
export async function foundedOn(
  tx: Tx,
  credited: Credited[],
): Promise<{ founded: Founded[]; least: Policies['completionEvidence'] }> {
  const asked = credited.filter(({ credit }) => credit.coverage.length > 0)
  const [first] = asked
  if (!first) return { founded: credited.map((one) => joined(one, undefined)), least: 'likely' }
  const list = asked.map(({ session }) => ({
    id: session.id,
    run: session.run,
    started_at: session.startedAt,
    last_at: session.lastAt,
  }))
  const [policy, found] = await together(
    row(
      tx,
      FoundedOnRow,
      sql`select coalesce(policies->>'completionEvidence', ${defaultPolicies.completionEvidence}) as least
        from organizations where id = ${first.session.organizationId}`,
    ),
    rows(
      tx,
      Record,
      sql`select g.id, s.parts::text as served,
          ${recordOf({ run: sql`g.run`, from: sql`g.started_at`, to: sql`g.last_at` })} as record
        from ${listed(list, types)} g left join served_parts s on s.session_id = g.id`,
    ),
  )
  const records = new Map(found.map((one) => [one.id, one]))
  return {
    founded: credited.map((one) => joined(one, records.get(one.session.id))),
    least: policy?.least ?? defaultPolicies.completionEvidence,
  }
}

function joined(one: Credited, record: Record | undefined): Founded {
  const { session, after, credit } = one
  const served: Ranges | null = record?.served == null ? null : parseRanges(record.served)
  return {
    ...one,
    sources: {
      coverage: credit.coverage,
      served,
      record: record?.record ?? 'none',
      isOpened: session.impressionMs !== null || (after.flags & sessionFlags.played) !== 0,
      isBot: (after.flags & sessionFlags.bot) !== 0,
    },
  }
}
