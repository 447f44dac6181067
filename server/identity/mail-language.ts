import * as z from 'zod/mini'
import { languages, type Language } from '#contract/languages.ts'
import { row, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'

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
