import { sessionFlags } from '#contract/tracking/track-limits.ts'
import { sql, type SQL } from '../platform/db/sql.ts'

/** Condition on the flags of a session: somebody watches, not a program. What programs do counts in no figure. */
export function byPeople(flags: SQL): SQL {
  return sql`${flags} & ${sql.raw(String(sessionFlags.bot))} = 0`
}

/** Of the makers of telephones one is called CUBOT; and inside WhatsApp people open links, which WhatsApp itself fetches beforehand. */
const signs =
  /(?<!\bcu)bot\b|crawl|spider|slurp|preview|facebookexternalhit|^whatsapp|scanner|python-|curl|wget|go-http|headless|\+ ?https?:|fetcher|selenium|phantomjs|lighthouse/i

/** Whether what a browser calls itself is the sign of a program, which opens links without anybody watching. */
export const bearsSign = (userAgent: string | null): boolean => userAgent !== null && signs.test(userAgent)
