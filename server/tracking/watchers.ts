import { hasRow, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'

/** This is true of an organization, under this alias, that lets only signed-in people watch. */
export const watchesSignedIn = (organization: string): SQL =>
  sql.raw(`coalesce(${organization}.policies->>'whoMayWatch' = 'signed_in', false)`)

export const asksToSignIn = (tx: Tx, organizationId: string): Promise<boolean> =>
  hasRow(tx, sql`select 1 from organizations o where o.id = ${organizationId} and ${watchesSignedIn('o')}`)
