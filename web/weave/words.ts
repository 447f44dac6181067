import type { Lacking, Weave } from '#contract/audience/weave.ts'
import { formatNumber, formatStretch } from '#web/ui/format.ts'
import type { Counts, Part } from './lacking.ts'

const isOne = ({ from, to }: Part) => to - from === 1

/** "31 of 116 have not seen 0:41." */
export function lackingText({ lacking }: Pick<Lacking, 'lacking'>, people: number, part: Part): string {
  const [n, all, when] = [formatNumber(lacking), formatNumber(people), formatStretch(part)]
  if (lacking === 0) return `Nobody lacks ${when}.`
  if (isOne(part))
    return lacking === 1 ? `1 of ${all} has not seen ${when}.` : `${n} of ${all} have not seen ${when}.`
  return lacking === 1
    ? `1 of ${all} has not seen all of ${when}.`
    : `${n} of ${all} have not seen all of ${when}.`
}

/** Where most people lack something. */
export function leastSeenText({ lacking }: Pick<Lacking, 'lacking'>, people: number, part: Part): string {
  const [n, all, when] = [formatNumber(lacking), formatNumber(people), formatStretch(part)]
  if (lacking === 0) return 'Nobody who has to see it lacks anything.'
  return lacking === 1
    ? `Least seen: ${when}. 1 of ${all} lacks it.`
    : `Least seen: ${when}. ${n} of ${all} lack it.`
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
