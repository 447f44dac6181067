import { sql } from '../../platform/db/sql.ts'
import * as z from 'zod/mini'
import { languages, localeOf } from '#contract/platform/text/languages.ts'
import { dueText } from '#contract/platform/text/time-zones.ts'
import { uses } from '#contract/transmissions/variables.ts'
import { knownNames, valuesOf, type Addressee, type NamedField } from '../../directory/people/variables.ts'
import type { MailBrand } from '../../documents/mail/page.ts'
import type { Services } from '../../platform/http/services.ts'
import { Step } from '../../duty/steps.ts'
import { compose, type Letter } from './compose.ts'
import type { MissingText } from '../compose/missing.ts'
import { mailPoster } from '../../platform/http/pages/poster.ts'

/** What a transmission says, as far as its mails show it. */
export const Content = z.object({
  organizationId: z.string(),
  subject: z.string(),
  body: z.string(),
  /** Who wrote it. */
  author: z.string(),
  video: z.object({
    id: z.string(),
    versionId: z.nullable(z.string()),
    title: z.string(),
    durationMs: z.nullable(z.number()),
    poster: z.nullable(z.string()),
  }),
  dueAt: z.nullable(z.string()),
  /** By when they owe the same video for something else. */
  alsoDueAt: z.array(z.string()),
  /** Of its path; null: it is none. */
  step: z.nullable(Step),
  /** They owe it: it has a day, or comes of an assignment. */
  isDuty: z.boolean(),
  linksEndAt: z.nullable(z.string()),
  /** Of the organization: in it the due day is told. */
  timeZone: z.string(),
  /** In which it is written. */
  language: z.enum(languages),
})
export type Content = z.infer<typeof Content>

/** Whose letters look how, and which fields of people they may name. */
export type Style = { brand: MailBrand; fields: readonly NamedField[] }

export type Recipient = Pick<Addressee, 'name' | 'address' | 'fields'> & {
  link: string
  /** By which they want no more such messages. */
  unsubscribe: string
  missing: MissingText
}

/** Expression: the other days that `transmissions t` names, as instants. */
export const alsoDue = sql`(select coalesce(json_agg(x->'dueAt'), '[]') from jsonb_array_elements(t.also) x where x->>'dueAt' is not null)`

/** Every day once, the earliest first. */
const dueIn = ({ dueAt, alsoDueAt }: Content): string[] =>
  [...new Set(dueAt === null ? alsoDueAt : [dueAt, ...alsoDueAt])].toSorted()

/** What is missing stands where the message says, else below it. */
const withMissing = (body: string) => (uses(body, 'missing') ? body : `${body}\n\n{{missing}}`)

/** The one mail that previews show and recipients get; `writeTo` makes it that of one of them. */
export function letterOf(
  services: Services,
  content: Content,
  { brand, fields }: Style,
): { writeTo(recipient: Recipient): Letter } {
  const { organizationId, subject, body, author, video, step, isDuty, linksEndAt, timeZone, language } =
    content
  const day = (at: string) => dueText(at, timeZone, localeOf[language])
  const { id: videoId, versionId, title, durationMs, poster } = video
  const due = dueIn(content).map(day)
  const letter = compose({
    brand,
    language,
    subject,
    body: withMissing(body),
    known: knownNames(fields),
    senderName: author,
    title,
    durationMs,
    product: services.env.productName,
    poster:
      versionId &&
      mailPoster(services.keys, {
        organizationId,
        videoId,
        versionId,
        poster,
        publicUrl: services.publicUrl(),
      }),
    due,
    step,
    isDuty,
    linkEnd: linksEndAt && day(linksEndAt),
  })
  const same = {
    organization: brand.name,
    video: title,
    sender: author,
    due: new Intl.ListFormat(localeOf[language]).format(due),
  }
  return {
    writeTo: ({ link, unsubscribe, missing, ...person }) =>
      letter.fillIn({
        link,
        unsubscribe,
        strip: missing.strip,
        values: { ...valuesOf(person, fields), ...same, missing: missing.said },
      }),
  }
}
