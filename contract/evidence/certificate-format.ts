import type { SpanRefusal } from '../tracking/track-limits.ts'

/**
 * What a viewing certificate is, byte for byte; plain, because the page that verifies one shares it with the server. The second
 * format states what the server handed out, too; certificates of the first one stay as they were signed.
 */
export const certificateFormats = ['sendreel-certificate-1', 'sendreel-certificate-2'] as const
export type CertificateFormat = (typeof certificateFormats)[number]
/** In which new ones are issued. */
export const certificateFormat = 'sendreel-certificate-2' satisfies CertificateFormat

/** Stands before the first certificate of an organization. */
export const chainOrigin = '0'.repeat(64)

/** Under this name the certificate lies in its PDF. */
export const attachmentName = 'certificate.json'
/** Begins the last line of a PDF, whose seal says that not even the printed page has been touched. */
export const sealMark = '%sendreel-seal-1 '

/** [startMs, endMs) of media time. */
type Part = readonly [number, number]

/** What the two sources together say: the reports of the player, and the server's own record of what it handed out. */
export type SourceState = 'proven' | 'likely' | 'delivered' | 'contradicted' | 'none'

/**
 * Why. `handed_out`: all that counts was handed out to the session that reported it. `no_record`: the server kept none.
 * `record_broken`: a server was killed meanwhile, and may have handed out more than it wrote down. `record_behind`: it was being
 * written. `not_handed_out`: something counts that was never handed out to the session. `beside_that`: the same session, another
 * part. `nothing_counts`: there is nothing to judge.
 */
export type SourceReason =
  | 'handed_out'
  | 'no_record'
  | 'record_broken'
  | 'record_behind'
  | 'not_handed_out'
  | 'beside_that'
  | 'nothing_counts'

/** A part that counts, and how well it is founded. */
export type JudgedPart = { fromMs: number; toMs: number; state: SourceState; reason: SourceReason }

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
  /** Since the second format: what the server handed out to it, and what that says. */
  secondSource?: { state: SourceState; reason: SourceReason; handedOut: Part[] }
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
    /** Since the second format: all sessions together, and each part of `covered` by the best that is known of it. */
    secondSource?: { state: SourceState; parts: JudgedPart[] }
    /** SHA-256 over the canonical JSON of the raw facts, and how many spans these are. */
    evidence: { hash: string; spans: number }
  } | null
  /**
   * Null where the video asks nothing. Scores in hundredths of a point. `required`, of newer ones: who has not passed has not
   * completed the video.
   */
  quiz: {
    attempts: number
    passed: boolean | null
    bestScore: number | null
    maxScore: number | null
    required?: boolean
  } | null
  /** Sentences of assignments that the person has confirmed after that, word by word, the newest first; missing where there are none. */
  confirmations?: { statement: string; at: string }[]
}

/**
 * A certificate as a file:
 *
 *   hash      = SHA-256(bytes of body.previous ‖ SHA-256(canonical(body)))
 *   signature = Ed25519 over the ASCII text `<format> <hash>`
 *   keyId     = the first 16 hexadecimal digits of SHA-256(public key)
 *
 * Hashes are hexadecimal, key and signature base64url. The file is canonical JSON itself.
 */
export type CertificateFile = {
  format: CertificateFormat
  body: CertificateBody
  hash: string
  keyId: string
  publicKey: string
  signature: string
}

export function signedText({ format, hash }: Pick<CertificateFile, 'format' | 'hash'>): string {
  return `${format} ${hash}`
}

/** What the seal of a PDF signs: the SHA-256 of all that stands before its last line. */
export function sealedText(
  { format, hash }: Pick<CertificateFile, 'format' | 'hash'>,
  pageHash: string,
): string {
  return `${format} page ${hash} ${pageHash}`
}
