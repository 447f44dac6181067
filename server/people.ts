import { sql, type SQL } from './platform/db/sql.ts'

/** Conditions on an alias of `users`. */
type Condition = (alias: string) => SQL
const on =
  (write: (u: string) => string): Condition =>
  (alias) =>
    sql.raw(write(alias))

/** They have come in, and nobody has switched them off since; of whoever was removed it says nothing. */
export const isActive = on((u) => `${u}.state = 'active'`)
/** An administrator has switched them off. */
export const isSwitchedOff = on((u) => `${u}.state = 'disabled'`)
/** They are neither switched off nor removed: messages may reach them, and they may owe something. */
export const takesPart = on((u) => `(${u}.deleted_at is null and ${u}.state not in ('disabled', 'deleted'))`)
/** They do not take part any more, so that what was sent to them leads nowhere. */
export const isOut: Condition = (alias) => sql`(not ${takesPart(alias)})`
/** They were removed so long ago that nothing of them is left but a pseudonym. */
export const isErased = on((u) => `${u}.erased_at is not null`)
/** They have been in the console, or can come in. */
export const hasEntered = on((u) => `(${u}.last_seen_at is not null or ${u}.password_hash is not null)`)
/** This gives their state, to be shown as a word. What follows from it is asked by the conditions above. */
export const personState = on((u) => `${u}.state`)

/** This is true of an organization, under this alias, that lets only signed-in people watch. */
export const watchesSignedIn = on((o) => `coalesce(${o}.policies->>'whoMayWatch' = 'signed_in', false)`)
