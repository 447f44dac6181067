import type { SpanRefusal } from './track-limits.ts'

/** What a viewing certificate is, byte for byte; plain, because the page that verifies one shares it with the server. */
export const certificateFormat = 'sendreel-certificate-1'

/** Stands before the first certificate of an organization. */
export const chainOrigin = '0'.repeat(64)

/** Under this name the certificate lies in its PDF. */
export const attachmentName = 'certificate.json'
/** Begins the last line of a PDF, whose seal says that not even the printed page has been touched. */
export const sealMark = '%sendreel-seal-1 '

/** [startMs, endMs) of media time. */
type Part = readonly [number, number]

export type CertificateSession = {
  id: string
  startedAt: string
  endedAt: string
  /** What the browser says that it is: a hint, never a proof. */
  device: string
  /** Playback rates x 100, slowest first. */
  rates: number[]
  /** Some of it was played in a page that was not visible; without picture in picture that earns nothing. */
  hidden: boolean
  muted: boolean
  pictureInPicture: boolean
  fullscreen: boolean
  /** Part of its reports came later, kept by the browser while there was no network. */
  replayed: boolean
  /** More parts than a session may have; the surplus was dropped. */
  capped: boolean
  /** Parts that earned credit, and the time at the clock that they took. */
  covered: Part[]
  watchedMs: number
  wallMs: number
  batchesSeen: number
  batchesExpected: number
  /** What earned no credit, and why. */
  refused: { fromMs: number; toMs: number; reason: SpanRefusal }[]
}

/**
 * What is certified about one person and one version of a video. Instants are ISO 8601 in UTC with milliseconds; media and wall
 * times whole milliseconds; `share` and `threshold` hundredths of a percent, rounded down (9712 is 97.12 %).
 */
export type CertificateBody = {
  id: string
  /** From 1, without a gap within the organization. */
  number: number
  /** `hash` of the certificate before, hexadecimal; zeros before the first. */
  previous: string
  /** 128 random bits, hexadecimal: once the text is erased, nobody can find it again by guessing. */
  salt: string
  issuedAt: string
  organization: { id: string; name: string }
  person: { id: string; name: string; email: string }
  video: { id: string; title: string; versionId: string; version: number; durationMs: number }
  threshold: number
  completedAt: string | null
  /** Null where the organization keeps nothing but whether a video was completed. */
  viewing: {
    covered: Part[]
    coveredMs: number
    share: number
    sessions: CertificateSession[]
    /** SHA-256 over the canonical JSON of the raw facts, and how many spans these are. */
    evidence: { hash: string; spans: number }
  } | null
  /** Null where the video asks nothing. Scores in hundredths of a point. */
  quiz: { attempts: number; passed: boolean | null; bestScore: number | null; maxScore: number | null } | null
}

/**
 * A certificate as a file:
 *
 *   hash      = SHA-256(bytes of body.previous ‖ SHA-256(canonical(body)))
 *   signature = Ed25519 over the ASCII text `sendreel-certificate-1 <hash>`
 *   keyId     = the first 16 hexadecimal digits of SHA-256(public key)
 *
 * Hashes are hexadecimal, key and signature base64url. The file is canonical JSON itself.
 */
export type CertificateFile = {
  format: typeof certificateFormat
  body: CertificateBody
  hash: string
  keyId: string
  publicKey: string
  signature: string
}

export function signedText(hash: string): string {
  return `${certificateFormat} ${hash}`
}

/** What the seal of a PDF signs: the SHA-256 of all that stands before its last line. */
export function sealedText(hash: string, pageHash: string): string {
  return `${certificateFormat} page ${hash} ${pageHash}`
}
