import type { Language } from '#contract/platform/languages.ts'
import type { Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { words } from './words.ts'

/** Messages that the organization writes often; a second run leaves them as they are. */
export async function addTemplates(tx: Tx, organizationId: string, language: Language): Promise<void> {
  for (const { name, subject, message } of words[language].templates)
    await tx.execute(
      sql`insert into message_templates (organization_id, name, subject, message)
        values (${organizationId}, ${name}, ${subject}, ${message}) on conflict do nothing`,
    )
}
