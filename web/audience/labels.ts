import type { AudiencePeriod, HotspotKind } from '#contract/audience/audience.ts'
import { hotspotRule, relativeLeast } from '#contract/audience/audience.ts'
import type { PlotTone } from '#web/ui/look/tokens.ts'

export const periodLabels: Record<AudiencePeriod, string> = {
  all: 'All time',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
}

export const kindLabels: Record<HotspotKind, { word: string; letter: string; tone: PlotTone }> = {
  most: { word: 'Most watched', letter: 'M', tone: 'success' },
  least: { word: 'Least watched', letter: 'L', tone: 'danger' },
  again: { word: 'Rewatched', letter: 'A', tone: 'warning' },
}

/** The definition of every figure and of every curve on the page. */
export const meanings = [
  {
    label: 'Impressions',
    value: 'Sessions in which at least half of the player was in sight for a second; each session once.',
  },
  {
    label: 'Plays',
    value:
      'Sessions in which at least a millisecond was played. The play rate is their share of the sessions with an impression.',
  },
  {
    label: 'Viewers',
    value:
      'Different people who played. Somebody without a personal link counts once for each time they opened the page.',
  },
  {
    label: 'Time watched',
    value:
      'Time of the video that was played and counts, repeats included. Attention is the time of their lives that viewers spent on it: at double speed, half as much.',
  },
  {
    label: 'Engagement',
    value:
      'The share of the video that was seen in a play, repeats counted once; the mean over all plays, so 100% at most. Intensity counts repeats as well and may be more.',
  },
  {
    label: 'Completed',
    value:
      'Viewers who have seen this version up to the threshold of the organization and answered the questions that must be answered, and passed them where they have to be. It never falls back.',
  },
  {
    label: 'Reached',
    value:
      'Plays in which the instant was seen at a quarter, at a half, at three quarters and in the last second of the video.',
  },
  {
    label: 'Retention',
    value:
      'For each second, the share of the viewers who have seen it, which is its middle. In a period, the share of the plays that began in it.',
  },
  {
    label: 'Rewatched',
    value:
      'Passes through a second beyond the first of each viewer, for every 100 viewers. In a period, beyond the first of each play.',
  },
  {
    label: 'Left here',
    value: 'Plays whose last known position is there, whether they came back another time or not.',
  },
  {
    label: 'Skipped',
    value: 'Jumps that began there (skipped from) and jumps that ended there (skipped to).',
  },
  {
    label: 'Parts that stand out',
    value: `For at least ${hotspotRule.seconds} seconds on end a curve lies more than one standard deviation from its mean over the video, and at least ${hotspotRule.share * 100} percentage points. The ${hotspotRule.ofEachKind} strongest of each kind are named.`,
  },
  {
    label: 'Compared',
    value: `The mean of the retention over all seconds, beside the other videos of the organization that are half to one and a half times as long. It takes ${relativeLeast} of them, each with enough viewers.`,
  },
  {
    label: 'Period',
    value:
      'Days are those of UTC, and today is the last one. A session counts on the day on which it began. Sessions of programs count in no figure.',
  },
]
