import type { CertificateSession } from '#contract/evidence/certificate-format.ts'
import { clock, exactly, percent } from '#contract/evidence/certificate-labels.ts'
import { localeOf, type Language } from '#contract/platform/text/languages.ts'
import { sayIn } from '#server/platform/messages.ts'

/** A certificate is written with these words, and with these ways to write times and figures. */
export type Words = ReturnType<typeof wordsIn>

export function wordsIn(language: Language) {
  const say = sayIn(language, 'certificate')
  const tell = sayIn(language, 'evidence')
  // Days come before months, for readers everywhere, of whom few are American.
  const locale = language === 'en' ? 'en-GB' : localeOf[language]
  const utc = { timeStyle: 'medium', timeZone: 'UTC' } as const
  const instants = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', ...utc })
  const times = new Intl.DateTimeFormat(locale, utc)
  const numbers = new Intl.NumberFormat(locale)
  return {
    say,
    tell,
    /** Writes an instant without the zone, where a heading says it. */
    bare: (iso: string) => instants.format(new Date(iso)),
    instant: (iso: string) => `${instants.format(new Date(iso))} UTC`,
    time: (iso: string) => times.format(new Date(iso)),
    number: (value: number) => numbers.format(value),
    exactly: (ms: number) => exactly(ms, language),
    percent: (share: number) => percent(share, language),
  }
}

/** Returns what is to be known about a session beside its figures. */
export function remarksOn(session: CertificateSession, { say, tell }: Words): string {
  const { refused, muted, capped, replayed, pictureInPicture, secondSource } = session
  const reasons = [...new Set(refused.map(({ reason }) => tell(reason)))].join(', ')
  const refusedMs = refused.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)
  return [
    secondSource ? tell(secondSource.state).toLowerCase() : '',
    reasons === '' ? '' : say('notCounted', { time: clock(refusedMs), reasons }),
    muted ? say('muted') : '',
    pictureInPicture ? say('pictureInPicture') : '',
    replayed ? say('replayed') : '',
    capped ? say('capped') : '',
  ]
    .filter(Boolean)
    .join('; ')
}

export function rateText(rates: readonly number[], { number }: Words): string {
  const [slowest, fastest] = [rates[0] ?? 100, rates.at(-1) ?? 100].map((rate) => number(rate / 100))
  return slowest === fastest ? `${slowest}×` : `${slowest}–${fastest}×`
}
