import { formatNumber, formatShare, plural } from '../platform/text/format.ts'
import type { Quality } from './quality.ts'

/** Says how good the evidence behind figures is, in a few words. The instant up to which it is complete stands before them. */
export function qualityLine({ sessions, anonymous, bots, capped, batchesSeen, batchesExpected }: Quality) {
  const share = (part: number, whole: number) => formatShare(whole === 0 ? 0 : part / whole)
  return [
    `${share(batchesExpected - batchesSeen, batchesExpected)} of reports did not arrive`,
    `${share(anonymous, sessions)} without a name`,
    ...(capped > 0 ? [`${formatNumber(capped)} cut short`] : []),
    ...(bots > 0 ? [`${plural(bots, 'automatic visit')} left out`] : []),
  ]
}

/** Says the same, with what each of its words means. */
export function qualityFacts(quality: Quality) {
  const { sessions, anonymous, bots, capped, refused, batchesSeen, batchesExpected } = quality
  return [
    { label: 'Complete to', value: 'Everything that had arrived by this time is in the figures.' },
    {
      label: 'Did not arrive',
      value: `${formatNumber(batchesExpected - batchesSeen)} of ${plural(batchesExpected, 'report')} by which players tell what is watched. What was not acknowledged is told again by the next one; a report counts here only when something in it never came.`,
    },
    {
      label: 'Without a name',
      value: `${formatNumber(anonymous)} of ${plural(sessions, 'session')}: opened without a personal link.`,
    },
    {
      label: 'Without credit',
      value: `${plural(refused, 'session')} with parts that do not count: too fast, in a hidden window, or in two windows at once.`,
    },
    {
      label: 'Cut short',
      value: `${plural(capped, 'session')} with more parts than one session may have; the surplus was dropped.`,
    },
    {
      label: 'Automatic visits',
      value: `${plural(bots, 'session')} of programs, such as those that check mails. They count in no figure.`,
    },
  ]
}
