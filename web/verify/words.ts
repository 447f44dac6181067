import type { SourceReason, SourceState } from '#contract/evidence/certificate-format.ts'
import { localeOf, type Language } from '#contract/platform/text/languages.ts'
import type { evidence } from '#contract/messages/en/evidence.ts'
import type { verify } from '#contract/messages/en/verify.ts'
import { sayer, type Parsed } from '#contract/platform/text/say.ts'
import type { SpanRefusal } from '#contract/tracking/track-limits.ts'

/** What our own server has written into the page, in the language of the page. */
type Words = { language: Language; verify: Parsed<typeof verify>; evidence: Parsed<typeof evidence> }

const words = JSON.parse(document.getElementById('words')?.textContent ?? '{}') as Words

export const { language } = words
export const say = sayer<typeof verify>(words.verify, localeOf[language])
export const tell = sayer<typeof evidence>(words.evidence, localeOf[language])

/** How well something is founded, and why something counts or does not: one file of messages has them by these codes. */
const codes = [
  ...(['proven', 'likely', 'delivered', 'contradicted', 'none'] as const satisfies SourceState[]),
  ...(['handed_out', 'no_record', 'record_broken', 'record_behind'] as const satisfies SourceReason[]),
  ...(['not_handed_out', 'beside_that', 'nothing_counts'] as const satisfies SourceReason[]),
  ...([
    'range',
    'rate',
    'mismatch',
    'faster',
    'hidden',
    'concurrent',
    'program',
  ] as const satisfies SpanRefusal[]),
]

/** The word for a code. A certificate that this page does not vouch for may say anything, which is then shown as it is. */
export function wordOf(code: string): string {
  const known = codes.find((one) => one === code)
  return known ? tell(known) : code
}
