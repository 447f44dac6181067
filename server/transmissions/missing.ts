import { localeOf, type Language } from '#contract/languages.ts'
import { sayIn } from '#server/platform/messages.ts'
import { parseRanges } from '../platform/db/multirange.ts'

const time = (seconds: number) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`

/** More than these nobody looks up one by one. */
const mostParts = 6

type Missing = { missing: string | null; durationMs: number | null; language: Language }

/** What somebody has still to see, in words, of parts as the database writes them; empty where there is nothing to be said. */
export function missingText({ missing, durationMs, language }: Missing): string {
  if (missing === null || !durationMs) return ''
  // In whole seconds that hold all of it; what falls between two seconds is found by nobody.
  const parts = parseRanges(missing)
    .filter(([start, end]) => end - start >= 500)
    .map(([start, end]) => ({ start: Math.floor(start / 1000), end: Math.ceil(end / 1000) }))
  if (parts.length === 0) return ''
  const say = sayIn(language, 'mail')
  const locale = localeOf[language]
  const seconds = parts.reduce((sum, { start, end }) => sum + end - start, 0)
  const seen = Math.max(0, Math.floor(100 - (seconds * 100_000) / durationMs)) / 100
  const share = new Intl.NumberFormat(locale, { style: 'percent' }).format(seen)
  if (parts.length > mostParts) return say('missingMuch', { share, seconds })
  const told = parts.map(({ start, end }) => say('missingPart', { start: time(start), end: time(end) }))
  return say('missing', { share, seconds, parts: new Intl.ListFormat(locale).format(told) })
}
