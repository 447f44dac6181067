import * as z from 'zod/mini'
import { arrayOf, rows, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { capitalized } from '#contract/platform/text/text.ts'

type NewRecipient = { email: string; name: string | null }
export const KnownRecipient = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  isNew: z.boolean(),
})
export type KnownRecipient = z.infer<typeof KnownRecipient>

/** Makes a name of an address: `anna.berg@example.org` becomes `Anna Berg`. */
function nameFrom(email: string): string {
  const [local = ''] = email.split('@')
  const words = local
    .replace(/\+.*$/, '')
    .split(/[._-]+/)
    .filter(Boolean)
    .map(capitalized)
  return words.join(' ') || email
}

/** Creates people who only receive. Those who exist by now are left as they are and returned with the others. */
export async function createRecipients(
  tx: Tx,
  organizationId: string,
  people: readonly NewRecipient[],
): Promise<KnownRecipient[]> {
  const byEmail = new Map(people.map((person) => [person.email, person.name ?? nameFrom(person.email)]))
  const emails = [...byEmail.keys()]
  const names = [...byEmail.values()]
  const created = await rows(
    tx,
    KnownRecipient,
    sql`insert into users (organization_id, name, email)
      select o.id, g.name, g.email
      from unnest(${arrayOf(names, 'text')}, ${arrayOf(emails, 'text')}) g(name, email)
      join organizations o on o.id = ${organizationId} and o.deleted_at is null
      order by g.email
      on conflict (organization_id, email) where deleted_at is null do nothing returning id, name, email, true as "isNew"`,
  )
  const isNew = new Set(created.map(({ email }) => email))
  const known = await rows(
    tx,
    KnownRecipient,
    sql`select id, name, email, false as "isNew" from users where organization_id = ${organizationId} and deleted_at is null
      and email = any(${arrayOf(
        emails.filter((email) => !isNew.has(email)),
        'text',
      )}) for key share`,
  )
  return [...created, ...known]
}
