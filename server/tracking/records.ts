import * as z from 'zod/mini'
import { row, rows, together, type Tx } from '#server/platform/db/client.ts'
import { recordOf } from '#server/tracking/served/served-run.ts'
import { defaultPolicies, Policies } from '#contract/directory/organizations.ts'
import { sql } from '../platform/db/sql.ts'
import { SourceRow, sourcesOf } from './served/sources.ts'
import { listed } from './lists.ts'
import type { Credited, Founded } from './results.ts'

const ServedRow = z.extend(z.pick(SourceRow, { served: true, record: true }), { id: z.string() })

const types = { id: 'uuid', run: 'uuid', startedAt: 'ms', lastAt: 'ms' } as const

const FoundedOnRow = z.object({ least: Policies.shape.completionEvidence })

/** Adds to each session what was handed out to it, and tells what its organization asks of evidence for a completion. */
export async function foundedOn(
  tx: Tx,
  credited: Credited[],
): Promise<{ founded: Founded[]; least: Policies['completionEvidence'] }> {
  const asked = credited.filter(({ credit }) => credit.coverage.length > 0)
  const [first] = asked
  if (!first) return { founded: credited.map((one) => joined(one, undefined)), least: 'likely' }
  const sessions = asked.map(({ session }) => session)
  const [policy, found] = await together(
    row(
      tx,
      FoundedOnRow,
      sql`select coalesce(policies->>'completionEvidence', ${defaultPolicies.completionEvidence}) as least
        from organizations where id = ${first.session.organizationId}`,
    ),
    rows(
      tx,
      ServedRow,
      sql`select g.id, s.parts::text as served, ${recordOf('g')} as record
        from ${listed(sessions, types)} g left join served_parts s on s.session_id = g.id`,
    ),
  )
  const records = new Map(found.map((one) => [one.id, one]))
  return {
    founded: credited.map((one) => joined(one, records.get(one.session.id))),
    least: policy?.least ?? defaultPolicies.completionEvidence,
  }
}

function joined(one: Credited, found: z.infer<typeof ServedRow> | undefined): Founded {
  const { served, record } = found ?? { served: null, record: 'none' }
  const { impressionMs } = one.session
  const sources = sourcesOf({ served, record, flags: one.after.flags, impressionMs }, one.credit.coverage)
  return { ...one, sources }
}
