import * as z from 'zod/mini'
import { languages, localeOf } from '#contract/languages.ts'
import { dueText } from '#contract/time-zones.ts'
import type { MailBrand } from '../documents/mail/page.ts'
import type { Services } from '../platform/http/services.ts'
import { compose, type Letter } from './compose.ts'
import { mailPoster } from './poster.ts'

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
  linksEndAt: z.nullable(z.string()),
  /** Of the organization: in it the due day is told. */
  timeZone: z.string(),
  /** In which it is written. */
  language: z.enum(languages),
})
export type Content = z.infer<typeof Content>

/** The one mail that previews show and recipients get; `fill` puts the personal link in. */
export function letterOf(
  services: Services,
  content: Content,
  brand: MailBrand,
): { fill(link: string): Letter } {
  const { organizationId, subject, body, author, video, dueAt, linksEndAt, timeZone, language } = content
  const day = (at: string) => dueText(at, timeZone, localeOf[language])
  const { id: videoId, versionId, title, durationMs, poster } = video
  return compose({
    brand,
    language,
    subject,
    body,
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
    due: dueAt && day(dueAt),
    linkEnd: linksEndAt && day(linksEndAt),
  })
}
