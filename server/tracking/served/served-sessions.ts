import type { Database, Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { forgetOldest } from '../../platform/oldest.ts'

/** A session to which media go out, and whose it is. */
export type ServedSession = { session: string; organizationId: string }

const mostSessions = 50_000

/**
 * Writes down once for each session that this process may hand something out to it. Whoever asks while it is being written waits for the
 * same statement; what failed is tried again by whoever asks next. A session that was forgotten here is written down once more.
 */
export function servedSessions(tx: Tx, processId: string): (one: ServedSession) => Promise<void> {
  const known = new Map<string, Promise<void>>()

  async function write({ session, organizationId }: ServedSession): Promise<void> {
    await tx.execute(sql`insert into served_sessions (session_id, process_id, organization_id)
      values (${session}, ${processId}, ${organizationId}) on conflict do nothing`)
  }

  return (one) => {
    const before = known.get(one.session)
    if (before) return before
    const written = write(one)
    known.set(one.session, written)
    forgetOldest(known, mostSessions)
    written.catch(() => known.delete(one.session))
    return written
  }
}

/** A session reports for a day at most, so nothing is asked of it that happened later. */
const longest = sql.raw(`interval '25 hours'`)

/**
 * Forgets by which process sessions were served that no run of it can make doubtful any more: it ended as it should, or had written
 * everything down when they could not report any longer.
 */
export async function forgetServedSessions({ single }: Database): Promise<void> {
  await single.execute(sql`delete from served_sessions s where s.since < now() - ${longest}
    and not exists (select from served_runs r where r.process_id = s.process_id and r.recorded_to < s.since + ${longest})`)
}
