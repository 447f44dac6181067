import type { Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'

const templates = [
  {
    name: 'Training for newcomers',
    subject: 'Welcome, {{firstName|colleague}}: {{video}}',
    message: `Hello {{firstName|colleague}},

welcome to {{organization}}. Before your first shift, please:

- watch **{{video}}** in full
- ask {{sender}} whatever stays open`,
  },
  {
    name: 'Yearly briefing',
    subject: '{{video}}, due by {{due|the end of the month}}',
    message: `Hello {{name}},

once a year everybody sees **{{video}}**. Please watch it by {{due|the end of the month}}.`,
  },
]

/** Messages that the organization writes often; a second run leaves them as they are. */
export async function addTemplates(tx: Tx, organizationId: string): Promise<void> {
  for (const { name, subject, message } of templates)
    await tx.execute(
      sql`insert into message_templates (organization_id, name, subject, message)
        values (${organizationId}, ${name}, ${subject}, ${message}) on conflict do nothing`,
    )
}
