import type { CertificateSession } from '#contract/certificate-format.ts'
import { clock, refusalTexts, sourceStates } from '#contract/certificate-labels.ts'

const instants = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'medium',
  timeZone: 'UTC',
})

export function instant(iso: string): string {
  return `${instants.format(new Date(iso))} UTC`
}

/** What is to be known about a session beside its figures. */
export function remarksOn({
  refused,
  muted,
  capped,
  replayed,
  pictureInPicture,
  secondSource,
}: CertificateSession): string {
  const reasons = [...new Set(refused.map(({ reason }) => refusalTexts[reason]))]
  const refusedMs = refused.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)
  return [
    secondSource ? sourceStates[secondSource.state].toLowerCase() : '',
    reasons.length > 0 ? `${clock(refusedMs)} not counted: ${reasons.join(', ')}` : '',
    muted ? 'muted' : '',
    pictureInPicture ? 'picture in picture' : '',
    replayed ? 'reported later' : '',
    capped ? 'too many parts' : '',
  ]
    .filter(Boolean)
    .join('; ')
}

export function rateText(rates: readonly number[]): string {
  const [slowest, fastest] = [rates[0] ?? 100, rates.at(-1) ?? 100]
  return slowest === fastest ? `${slowest / 100}×` : `${slowest / 100}–${fastest / 100}×`
}
