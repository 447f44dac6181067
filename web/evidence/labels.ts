import type { EvidenceState } from '#contract/tracking/evidence-states.ts'
import type { EvidenceSession, EvidenceSpan } from '#contract/evidence/evidence.ts'
import { language } from '#contract/platform/text/language.ts'
import type { Label } from '#web/ui/figures/StatusBadge.tsx'

/** What two sources say together. */
export const evidenceLabels: Record<EvidenceState, Label> = {
  proven: {
    word: 'Proven',
    tone: 'success',
    means:
      'The player reported it, and the server’s own record shows that all of it was handed out to the same sessions.',
  },
  likely: {
    word: 'Likely',
    tone: 'info',
    means:
      'The player reported it. The server has no record, or not a whole one, of handing it out: it is older than these records, something in between answered, or a server was stopped abruptly meanwhile.',
  },
  delivered: {
    word: 'Only delivered',
    tone: 'neutral',
    means: 'The video was opened or handed out, and nothing that counts was played.',
  },
  checking: {
    word: 'Being checked',
    tone: 'neutral',
    means:
      'The player reported it. What the server handed out last is being written down; in a few seconds this says what both show together.',
  },
  contradicted: {
    word: 'Contradicted',
    tone: 'danger',
    means:
      'The player reported parts that this server never handed out to it. They count for no completion and no certificate; the sessions show which they are.',
  },
  none: { word: 'Not opened', tone: 'neutral', means: 'There is no sign that the video was opened.' },
}

/** By what somebody had signed in; names of RFC 8176, and our own. */
const proofLabels: Readonly<Record<string, string>> = {
  pwd: 'password',
  otp: 'code of an app',
  hwk: 'passkey',
  rcv: 'recovery code',
  mail: 'code by mail',
  sso: 'the sign-in of the organization',
  mfa: 'a second step there',
}

export const signedInWith = (proofs: readonly string[]): string =>
  new Intl.ListFormat(language).format(proofs.map((one) => proofLabels[one] ?? one))

/** Why a stretch does not count. */
export const refusalLabels: Record<NonNullable<EvidenceSpan['refused']>, string> = {
  range: 'Outside of the video',
  rate: 'Faster than the organization allows',
  mismatch: 'Its length does not fit the time that it took',
  faster: 'More than can have been played since the page was opened',
  hidden: 'The page was not in sight',
  concurrent: 'Watched in two windows at once',
  program: 'Came in a report that bears the sign of a program',
}

type Mark = EvidenceSession['marks'][number]

/** How something was watched; nothing where it is the usual way. */
export const markLabels: Partial<Record<Mark, string>> = {
  hidden: 'Hidden tab',
  muted: 'Muted',
  pictureInPicture: 'Picture in picture',
  fullscreen: 'Full screen',
  autoplay: 'Started by itself',
  replayed: 'Reported later',
  assistive: 'By keyboard',
  concurrent: 'Two windows at once',
  capped: 'More parts than a session may have',
  refused: 'Parts without credit',
  bot: 'A program',
  program: 'Sign of a program',
}

export function marksIn(marks: readonly Mark[]): string[] {
  return marks.flatMap((mark) => markLabels[mark] ?? [])
}

const eventNames: Record<string, string> = {
  impression: 'Player seen',
  play: 'Play',
  pause: 'Pause',
  seek: 'Jump',
  rate: 'Speed',
  stall: 'Waited for the network',
  quality: 'Quality',
  cc: 'Captions',
  fs: 'Full screen',
  error: 'Error',
  ended: 'Reached the end',
  chapter: 'Chapter',
  cta: 'Link in the video',
  download: 'Download',
  reply: 'Reply',
  'quiz.shown': 'Question shown',
  'quiz.answered': 'Question answered',
  ack: 'Confirmed',
  sleep: 'Device slept',
}

/** What a session did besides playing; unknown kinds by their name on the wire. */
export const eventWord = (type: string): string => eventNames[type] ?? type
