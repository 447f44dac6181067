import * as z from 'zod/mini'
import { languages, localeOf } from '#contract/platform/text/languages.ts'
import { dueText } from '#contract/platform/text/time-zones.ts'
import {
  Addressee,
  addresseeColumns,
  findNamedFields,
  knownNames,
  valuesOf,
} from '../../directory/people/variables.ts'
import { openSlots } from '../../documents/mail/filling.ts'
import { blocksOf } from '../../documents/mail/markdown.ts'
import { row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'

const Reader = z.extend(Addressee, {
  organization: z.string(),
  usualLanguage: z.enum(languages),
  timeZone: z.string(),
})

const Message = z.looseObject({
  subject: z.string(),
  body: z.string(),
  video: z.string(),
  sender: z.string(),
  dueAt: z.nullable(z.string()),
})

/** Returns subjects and messages as they are told to this person, with what the variables stand for by now. */
export async function filledMessages(
  tx: Tx,
  { organizationId, userId }: { organizationId: string; userId: string | null },
  entries: readonly unknown[],
): Promise<unknown[]> {
  const reader = await row(
    tx,
    Reader,
    sql`select ${addresseeColumns}, o.name as organization, o.language as "usualLanguage", o.time_zone as "timeZone"
      from users u join organizations o on o.id = u.organization_id where u.id = ${userId} and u.organization_id = ${organizationId}`,
  )
  if (!reader) return [...entries]
  const named = await findNamedFields(tx, organizationId)
  const { organization, timeZone } = reader
  const locale = localeOf[reader.language ?? reader.usualLanguage]
  return entries.map((entry) => {
    const { body, subject, video, sender, dueAt, ...rest } = Message.parse(entry)
    const slots = openSlots(knownNames(named))
    const text = blocksOf(slots.mark(body), {}, slots.hrefOf).map((block) => slots.maybe(block).text)
    const due = dueAt === null ? '' : dueText(dueAt, timeZone, locale)
    const values = { ...valuesOf(reader, named), organization, video, sender, due }
    const letter = { subject: slots.mark(subject), text: text.join('\n\n'), html: '' }
    const filled = slots.filled(letter, values)
    return { subject: filled.subject, body: filled.text, video, sender, dueAt, ...rest }
  })
}
