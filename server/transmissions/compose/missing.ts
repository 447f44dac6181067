import { localeOf, type Language } from '#contract/platform/text/languages.ts'
import { sayIn } from '#server/platform/messages.ts'
import { strip } from '../../documents/mail/parts.ts'
import { saidWithin, type SaidTrack } from '../../duty/said.ts'
import { parseRanges } from '../../platform/db/multirange.ts'

const time = (seconds: number) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`

/** Beyond this number of parts nobody looks them up one by one. */
const mostParts = 6

type Missing = {
  missing: string | null
  /** Nothing but this sentence is left to be confirmed. */
  toConfirm: string | null
  durationMs: number | null
  language: Language
  /** What is said in the version of the message, for who reads this language. */
  track?: SaidTrack | undefined
}

/** A mail says and draws what somebody has still to see. */
export type MissingText = { said: string; strip: string }
export const noMissingText: MissingText = { said: '', strip: '' }

/** Takes the missing parts as the database writes them, in milliseconds. */
export function missingOf({ missing, toConfirm, durationMs, language, track }: Missing): MissingText {
  if (toConfirm !== null)
    return { said: sayIn(language, 'mail')('toConfirm', { statement: toConfirm }), strip: '' }
  if (missing === null || !durationMs) return noMissingText
  // Nobody finds a part that falls between two seconds.
  const parts = parseRanges(missing).filter(([start, end]) => end - start >= 500)
  if (parts.length === 0) return noMissingText
  const times = inWords(parts, durationMs, language)
  const { text } = saidWithin(track?.cues ?? [], parts)
  const words = text === '' ? '' : ` ${sayIn(language, 'mail')('notHeard', { text })}`
  return { said: `${times}${words}`, strip: strip(parts, durationMs, times) }
}

function inWords(
  missing: readonly (readonly [number, number])[],
  durationMs: number,
  language: Language,
): string {
  // Whole seconds are wide enough to hold all of a part.
  const parts = missing.map(([start, end]) => ({
    start: Math.floor(start / 1000),
    end: Math.ceil(end / 1000),
  }))
  const say = sayIn(language, 'mail')
  const locale = localeOf[language]
  const seconds = parts.reduce((sum, { start, end }) => sum + end - start, 0)
  const seen = Math.max(0, Math.floor(100 - (seconds * 100_000) / durationMs)) / 100
  const share = new Intl.NumberFormat(locale, { style: 'percent' }).format(seen)
  if (parts.length > mostParts) return say('missingMuch', { share, seconds })
  const sentences = parts.map(({ start, end }) => say('missingPart', { start: time(start), end: time(end) }))
  return say('missing', { share, seconds, parts: new Intl.ListFormat(locale).format(sentences) })
}
