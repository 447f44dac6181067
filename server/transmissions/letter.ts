import { dueWords } from '#contract/time-zones.ts'
import type { Services } from '../http/services.ts'
import { compose, type Letter } from './compose.ts'
import { mailPoster } from './poster.ts'

/** What a transmission says, as far as its mails show it. */
export type Content = {
  organizationId: string
  subject: string
  body: string
  /** Who wrote it. */
  author: string
  video: {
    id: string
    versionId: string | null
    title: string
    durationMs: number | null
    poster: string | null
  }
  dueAt: string | null
  linksEndAt: string | null
  /** Of the organization: in it the due day is told. */
  timeZone: string
}

/** The one mail that previews show and recipients get; `fill` puts the personal link in. */
export function letterOf(services: Services, content: Content): { fill(link: string): Letter } {
  const { organizationId, subject, body, author, video, dueAt, linksEndAt, timeZone } = content
  const { id: videoId, versionId, title, durationMs, poster } = video
  return compose({
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
    due: dueAt && dueWords(dueAt, timeZone),
    linkEnd: linksEndAt && dueWords(linksEndAt, timeZone),
  })
}
