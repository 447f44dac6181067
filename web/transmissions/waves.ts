import type { WavePlan } from '#contract/transmissions/waves.ts'
import { formatNumber, plural } from '#web/ui/format.ts'

export function minutesText(minutes: number): string {
  if (minutes % 1_440 === 0) return plural(minutes / 1_440, 'day')
  return minutes % 60 === 0 ? plural(minutes / 60, 'hour') : plural(minutes, 'minute')
}

/** Says what was planned, in a sentence. */
export function wavesText({ share, waitMinutes, size, pauseMinutes }: WavePlan): string {
  const wait = minutesText(waitMinutes)
  return size === null
    ? `First ${share}% of the people, chosen by chance; ${wait} later all others, if that went well.`
    : `First ${share}% of the people, chosen by chance; ${wait} later, if that went well, ${formatNumber(size)} at a time, with ${minutesText(pauseMinutes)} between.`
}
