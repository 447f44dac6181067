import type { Keys } from '../../keys.ts'

/** `play`: everything of one version. `pictures`: its posters and storyboards only, for lists. */
type MediaScope = 'play' | 'pictures'

/** Whose playing an address was made for: what is handed out under it is noted for this session, and ends with the personal link. */
export type MediaPlay = {
  session: string
  viewerKey: string
  delivery?: string
  /** The session with which its recipient had signed in, and with which it ends too. */
  signedIn?: string
}

export type MediaClaims = {
  organizationId: string
  videoId: string
  versionId: string
  scope: MediaScope
  /** Missing where nobody's viewing is recorded: pictures, previews. */
  play?: MediaPlay
  /** Epoch seconds. */
  expires: number
}

type MediaGrant = {
  organizationId: string
  videoId: string
  versionId: string
  /** Duration of the video in seconds; the link lives three times as long, and two hours at least. */
  seconds: number
  scope?: MediaScope
  play?: MediaPlay | undefined
}

/** `p`: session and viewer's key, the message by which they came, and the session in which they are signed in. */
type Wire = {
  o: string
  v: string
  r: string
  s: MediaScope
  e: number
  p?: [string, string, string?, string?]
}

const hour = 3_600

/**
 * A token for `/m/{token}/{video}/{version}/…`. Its end is rounded up to the full hour, so that the same address comes back
 * within an hour and browsers and edges can keep what they fetched. With a session no two pages share an address.
 */
export function signMedia(keys: Keys, grant: MediaGrant, now = Date.now()): string {
  const { organizationId, videoId, versionId, seconds, scope = 'play', play } = grant
  const life = Math.max(2 * hour, 3 * seconds)
  const e = Math.ceil((now / 1000 + life) / hour) * hour
  const wire: Wire = { o: organizationId, v: videoId, r: versionId, s: scope, e }
  if (play) {
    const { session, viewerKey, delivery, signedIn } = play
    wire.p = [session, viewerKey]
    if (delivery !== undefined) wire.p.push(delivery, ...(signedIn === undefined ? [] : [signedIn]))
  }
  const payload = Buffer.from(JSON.stringify(wire)).toString('base64url')
  return `${payload}.${keys.sign('media', payload)}`
}

/** The path of one file; playlists name their segments relatively, so the token in the prefix carries over. */
export function mediaPath(
  token: string,
  grant: { videoId: string; versionId: string },
  file: string,
): string {
  return `/m/${token}/${grant.videoId}/${grant.versionId}/${file}`
}

/** Instant at which the addresses of a token end; undefined for something that is no token. */
export function mediaExpiry(token: string): Date | undefined {
  const wire = decode(token.split('.')[0] ?? '')
  return wire && new Date(wire.e * 1000)
}

/** What the prefix of a request allows; undefined when forged, altered, expired, or made for another version. */
export function readMediaToken(
  keys: Keys,
  request: { token: string; videoId: string; versionId: string },
  now = Date.now(),
): MediaClaims | undefined {
  const [payload = '', signature = '', ...rest] = request.token.split('.')
  if (rest.length > 0 || !keys.verify('media', payload, signature)) return undefined
  const wire = decode(payload)
  if (!wire || wire.e * 1000 <= now) return undefined
  if (wire.v !== request.videoId || wire.r !== request.versionId) return undefined
  const claims = {
    organizationId: wire.o,
    videoId: wire.v,
    versionId: wire.r,
    scope: wire.s,
    expires: wire.e,
  }
  if (!wire.p) return claims
  const [session, viewerKey, delivery, signedIn] = wire.p
  return {
    ...claims,
    play: { session, viewerKey, ...(delivery && { delivery }), ...(signedIn && { signedIn }) },
  }
}

function decode(payload: string): Wire | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
    // Only payloads whose signature fits are trusted, and those were made by signMedia.
    return typeof value === 'object' && value !== null && 'e' in value ? (value as Wire) : undefined
  } catch {
    return undefined
  }
}
