import * as z from 'zod/mini'
import { mailForm } from '#contract/identity/addresses.ts'
import { mostEntries, type Match } from '#contract/directory/members.ts'
import { Email } from '#contract/directory/users.ts'
import { arrayOf, rows, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { all } from '../../platform/db/search.ts'
import { refuse } from '../../platform/errors.ts'
import { seesUser, type Visibility } from '../../platform/http/visibility.ts'
import { readAddresses, type GivenAddress } from '../people/addresses.ts'

const MatchRow = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  externalId: z.nullable(z.string()),
  isMember: z.boolean(),
})
type MatchRow = z.infer<typeof MatchRow>
type MatchQuery = { visibility: Visibility; groupId: string; text: string }

/**
 * Finds line by line whom a pasted list means, by address or by personnel number. Whoever the caller does not see is as unknown as somebody
 * who does not exist.
 */
export async function matchEntries(tx: Tx, { visibility, groupId, text }: MatchQuery): Promise<Match[]> {
  const entries = readAddresses(text)
  if (entries.length > mostEntries) throw refuse('validation_failed', { fields: { text: ['too_long'] } })
  const keys = [...new Set(entries.flatMap(({ given, email }) => [mailForm(email), email, given]))]
  const found = await rows(
    tx,
    MatchRow,
    sql`select u.id, u.name, u.email, u.external_id as "externalId",
        exists (select 1 from group_members m where m.group_id = ${groupId} and m.user_id = u.id) as "isMember"
      from users u where ${all([
        sql`u.organization_id = ${visibility.organizationId} and u.deleted_at is null`,
        sql`(u.email = any(${arrayOf(keys, 'text')}) or u.external_id = any(${arrayOf(keys, 'text')}))`,
        seesUser(visibility, sql`u.id`),
      ])}`,
  )
  const people = indexOf(found)
  const seen = new Set<string>()
  const matches = entries.map((entry) => matchOf(entry, people))
  for (const match of matches) {
    if (match.outcome !== 'found' || !match.user) continue
    if (seen.has(match.user.id)) match.outcome = 'repeated'
    seen.add(match.user.id)
  }
  return matches
}

type People = { byEmail: ReadonlyMap<string, MatchRow>; byNumber: ReadonlyMap<string, MatchRow> }

function indexOf(found: readonly MatchRow[]): People {
  return {
    byEmail: new Map(found.map((person) => [person.email, person])),
    byNumber: new Map(found.flatMap((person) => (person.externalId ? [[person.externalId, person]] : []))),
  }
}

function matchOf({ given, email, name }: GivenAddress, { byEmail, byNumber }: People): Match {
  const address = Email.safeParse(email)
  const meant = new Map(
    [address.success ? byEmail.get(address.data) : undefined, byNumber.get(email), byNumber.get(given)]
      .filter((person) => person !== undefined)
      .map((person) => [person.id, person]),
  )
  const [person] = meant.values()
  const nobody = { given, user: null, email: null, name }
  if (meant.size > 1) return { ...nobody, outcome: 'ambiguous' }
  if (person) {
    const user = { id: person.id, name: person.name, email: person.email }
    return { ...nobody, outcome: person.isMember ? 'member' : 'found', user }
  }
  if (address.success) return { ...nobody, outcome: 'unknown', email: address.data }
  // Without an at sign it was meant as a number; with one, as an address.
  return { ...nobody, outcome: email.includes('@') ? 'invalid' : 'unknown' }
}
