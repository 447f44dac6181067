import { mediaPath, signMedia } from './media-link.ts'
import type { Keys } from '../../keys.ts'

type Poster = { organizationId: string; videoId: string; versionId: string; poster: string | null }

/** Path of a version's poster, from the root of the site; null without one. */
export function posterPath(keys: Keys, { poster, ...version }: Poster, seconds = 0): string | null {
  if (poster === null) return null
  return mediaPath(signMedia(keys, { ...version, seconds, scope: 'pictures' }), version, poster)
}

/** Mails are read late: their picture stays for a month. */
const mailSeconds = 30 * 24 * 3_600

/** Address of the poster for a mail, where its link leads as well. */
export function mailPoster(keys: Keys, poster: Poster & { publicUrl: string }): string | null {
  const { publicUrl, ...rest } = poster
  const path = posterPath(keys, rest, mailSeconds)
  return path && `${publicUrl}${path}`
}
