import type { JudgedPart, SourceState } from './certificate-format.ts'
import { localeOf, type Language } from '../platform/text/languages.ts'
import type { evidence } from '../messages/en/evidence.ts'
import type { Say } from '../platform/text/say.ts'

/** In the order in which they are told. */
const states: readonly SourceState[] = ['proven', 'likely', 'delivered', 'contradicted', 'none']

/** Milliseconds of the parts, summed up by state and reason, in the order in which they are told. */
export function sumsOf(
  parts: readonly JudgedPart[],
): (Omit<JudgedPart, 'fromMs' | 'toMs'> & { ms: number })[] {
  const sums = new Map<string, { state: SourceState; reason: JudgedPart['reason']; ms: number }>()
  for (const { fromMs, toMs, state, reason } of parts) {
    const sum = sums.get(`${state} ${reason}`) ?? { state, reason, ms: 0 }
    sum.ms += toMs - fromMs
    sums.set(`${state} ${reason}`, sum)
  }
  return [...sums.values()].toSorted((a, b) => states.indexOf(a.state) - states.indexOf(b.state))
}

/** Media time as players show it: 3:10, 1:02:03. */
export function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const two = (n: number) => String(n).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}

/** The same to the millisecond: 3:10.042, in German 3:10,042. */
export function exactly(ms: number, language: Language): string {
  const parts = new Intl.NumberFormat(localeOf[language]).formatToParts(1.5)
  const point = parts.find(({ type }) => type === 'decimal')?.value ?? '.'
  return `${clock(ms)}${point}${String(ms % 1000).padStart(3, '0')}`
}

/** From hundredths of a percent. */
export function percent(share: number, language: Language): string {
  const twoDigits = { style: 'percent', minimumFractionDigits: 2, maximumFractionDigits: 2 } as const
  return new Intl.NumberFormat(localeOf[language], twoDigits).format(share / 10_000)
}

/** As `devices.ts` calls it. */
const unknown = 'Unknown browser'

/** The signed text names a device in English. */
export function deviceIn(device: string, tell: Say<typeof evidence>): string {
  const [browser = '', system] = device.split(' on ')
  if (system !== undefined) return tell('deviceOn', { browser, system })
  return device === unknown ? tell('unknownBrowser') : device
}
