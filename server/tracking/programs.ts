import { sessionFlags } from '#contract/track-limits.ts'
import { sql, type SQL } from '../platform/db/sql.ts'

/** Condition on the flags of a session: somebody watches, not a program. What programs do counts in no figure. */
export function byPeople(flags: SQL): SQL {
  return sql`${flags} & ${sql.raw(String(sessionFlags.bot))} = 0`
}

/** Programs that open links without anybody watching: their sessions are counted apart. */
export function isProgram(userAgent: string): boolean {
  return /bot\b|crawl|spider|slurp|preview|facebookexternalhit|whatsapp|skypeuripreview|scanner|python-|curl|wget|go-http|headless/i.test(
    userAgent,
  )
}
