import * as z from 'zod/mini'
import { languages, type Language } from '#contract/platform/text/languages.ts'
import { row, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'

const Zone = z.object({ timeZone: z.string() })

/** In which their days begin: their own zone, else that of their organization. UTC where neither is known. */
export async function zoneOfPerson(tx: Tx, userId: string): Promise<string> {
  const found = await row(
    tx,
    Zone,
    sql`select coalesce(u.time_zone, o.time_zone, 'UTC') as "timeZone"
      from users u left join organizations o on o.id = u.organization_id where u.id = ${userId}`,
  )
  return found?.timeZone ?? 'UTC'
}

const Spoken = z.object({ language: z.nullable(z.enum(languages)) })

/** In which somebody is written to: their own, else their organization's. English for nobody, and where neither is known. */
export async function languageOfPerson(tx: Tx, userId: string | null): Promise<Language> {
  const found = await row(
    tx,
    Spoken,
    sql`select coalesce(u.language, o.language) as language
      from users u left join organizations o on o.id = u.organization_id where u.id = ${userId}`,
  )
  return found?.language ?? 'en'
}
