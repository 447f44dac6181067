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

/** A transmission says this, as far as its mails show it. */
export const Content = z.object({
  organizationId: z.string(),
  subject: z.string(),
  body: z.string(),
  /** This is the name of the person who wrote it. */
  author: z.string(),
  video: z.object({
    id: z.string(),
    versionId: z.nullable(z.string()),
    title: z.string(),
    durationMs: z.nullable(z.number()),
    poster: z.nullable(z.string()),
  }),
  dueAt: z.nullable(z.string()),
  /** They owe the same video by these days for something else. */
  alsoDueAt: z.array(z.string()),
  /** This is its place in its path; null where it has none. */
  step: z.nullable(Step),
  /** They owe it, because it has a day or comes of an assignment. */
  isDuty: z.boolean(),
  linksEndAt: z.nullable(z.string()),
  /** The due day is told in this zone, which is that of the organization. */
  timeZone: z.string(),
  /** The letter is written in this language. */
  language: z.enum(languages),
})
export type Content = z.infer<typeof Content>

/** Letters look as the brand says, may name these fields of people, and say so where only signed-in people watch. */
export type Style = { brand: MailBrand; fields: readonly NamedField[]; asksSignIn: boolean }

export type Recipient = Pick<Addressee, 'name' | 'address' | 'fields'> & {
  link: string
  /** Its reader follows this link when they want no more such messages. */
  unsubscribe: string
  missing: MissingText
}

/** This expression gives the other days that `transmissions t` names, as instants. */
export const alsoDue = sql`(select coalesce(json_agg(x->'dueAt'), '[]') from jsonb_array_elements(t.also) x where x->>'dueAt' is not null)`

/** Returns every day once, the earliest first. */
const dueIn = ({ dueAt, alsoDueAt }: Content): string[] =>
  [...new Set(dueAt === null ? alsoDueAt : [dueAt, ...alsoDueAt])].toSorted()

/** The missing parts stand where the message says, else below it. */
const withMissing = (body: string) => (uses(body, 'missing') ? body : `${body}\n\n{{missing}}`)

/** Makes the one mail that previews show and recipients get; `writeTo` makes it that of one of them. */
export function letterOf(
  services: Services,
  content: Content,
  { brand, fields, asksSignIn }: Style,
): { writeTo(recipient: Recipient): Letter } {
  const { organizationId, subject, body, author, video, step, isDuty } = content
  const { linksEndAt, timeZone, language } = content
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
    asksSignIn,
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
