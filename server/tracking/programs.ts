import { sessionFlags } from '#contract/tracking/track-limits.ts'
import { sql, type SQL } from '../platform/db/sql.ts'

/** This condition on the flags of a session holds when somebody watches, and not a program. Sessions of programs count in no figure. */
export function byPeople(flags: SQL): SQL {
  return sql`${flags} & ${sql.raw(String(sessionFlags.bot))} = 0`
}

/**
 * One maker of telephones is called CUBOT, which is no program. People open links inside WhatsApp, and WhatsApp itself fetches them
 * beforehand.
 */
const signs =
  /(?<!\bcu)bot\b|crawl|spider|slurp|preview|facebookexternalhit|^whatsapp|scanner|python-|curl|wget|go-http|headless|\+ ?https?:|fetcher|selenium|phantomjs|lighthouse/i

/** Returns whether what a browser calls itself is the sign of a program, which opens links without anybody watching. */
export const bearsSign = (userAgent: string | null): boolean => userAgent !== null && signs.test(userAgent)
