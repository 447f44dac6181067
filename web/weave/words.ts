import type { Lacking, Weave } from '#contract/weave.ts'
import { formatNumber, formatStretch } from '#web/ui/format.ts'
import type { Counts, Part } from './lacking.ts'

const isOne = ({ from, to }: Part) => to - from === 1

/** "31 of 116 have not seen 0:41." */
export function lackingText({ lacking }: Pick<Lacking, 'lacking'>, people: number, part: Part): string {
  const all = formatNumber(people)
  const what = isOne(part) ? formatStretch(part) : `all of ${formatStretch(part)}`
  if (lacking === 0) return `Nobody lacks ${formatStretch(part)}.`
  return lacking === 1
    ? `1 of ${all} has not seen ${what}.`
    : `${formatNumber(lacking)} of ${all} have not seen ${what}.`
}

/** Who has not seen it either. */
export function apartText({ done, excused }: Counts): string {
  const [n, m] = [formatNumber(done), formatNumber(excused)]
  if (done > 0 && excused > 0)
    return `Not counted: ${n} who completed the video without it, and ${m} who need not see it.`
  if (done > 0) return `Not counted: ${n} who completed the video without it.`
  return excused > 0 ? `Not counted: ${m} who need not see it.` : ''
}

/** What a row is. */
export const rowText = ({ tenths, people }: Pick<Weave, 'tenths' | 'people'>): string =>
  tenths
    ? `${formatNumber(people)} people are too many for a row each. A band is a tenth of them, those who lack most first, and as thick as many of them have seen the second.`
    : 'A row is a person: those who lack most first, then who has completed it, then who need not see it.'
