import './quality.css'
import { IconShieldCheck } from '@tabler/icons-react'
import type { Quality } from '#contract/quality.ts'
import { Facts } from './Field.tsx'
import { formatNumber, formatSecond, formatShare, plural } from './format.ts'

const share = (part: number, whole: number) => formatShare(whole === 0 ? 0 : part / whole)

/** The line under a figure that says how far it can be trusted; opened, it says what each of its words means. */
export function DataQuality({ quality }: { quality: Quality }) {
  const { completeTo, sessions, anonymous, bots, capped, refused, batchesSeen, batchesExpected } = quality
  const lost = batchesExpected - batchesSeen
  return (
    <details className="quality">
      <summary>
        <IconShieldCheck size={16} aria-hidden />
        <span>
          Complete to <time dateTime={completeTo}>{formatSecond(completeTo)}</time>
        </span>
        <span>{share(lost, batchesExpected)} of reports lost</span>
        <span>{share(anonymous, sessions)} without a name</span>
        {capped > 0 && <span>{formatNumber(capped)} capped</span>}
        {bots > 0 && <span>{plural(bots, 'program')} left out</span>}
      </summary>
      <Facts
        facts={[
          {
            label: 'Complete to',
            value: 'Everything that had arrived by this time is in the figures.',
          },
          {
            label: 'Reports lost',
            value: `${formatNumber(lost)} of ${formatNumber(batchesExpected)}. Every report repeats what was not acknowledged, so a lost one takes nothing with it unless it was the last of its session.`,
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
            label: 'Capped',
            value: `${plural(capped, 'session')} with more parts than one session may have; the surplus was dropped.`,
          },
          {
            label: 'Programs',
            value: `${plural(bots, 'session')} of programs such as mail scanners. They count in no figure.`,
          },
        ]}
      />
    </details>
  )
}
