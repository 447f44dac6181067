import type {
  DiscriminationLabel,
  FacilityBand,
  QuizResults,
  ReliabilityBand,
} from '#contract/quiz-results.ts'
import { formatNumber, formatShare, plural } from '#web/ui/format.ts'
import type { Tone } from '#web/ui/StatusBadge.tsx'

type Judgement = { word: string; tone: Tone; means: string }

export const facilityLabels: Record<FacilityBand, Judgement> = {
  hard: { word: 'Hard', tone: 'info', means: 'Less than 30% of the points were earned.' },
  working: { word: 'Fair', tone: 'success', means: 'Between 30% and 80% of the points were earned.' },
  easy: { word: 'Easy', tone: 'info', means: 'More than 80% of the points were earned.' },
}

export const discriminationLabels: Record<DiscriminationLabel, Judgement> = {
  very_good: { word: 'Very good', tone: 'success', means: '50 and more' },
  adequate: { word: 'Adequate', tone: 'success', means: '30 to 50' },
  weak: { word: 'Weak', tone: 'info', means: '20 to 30' },
  very_weak: { word: 'Very weak', tone: 'warning', means: '0 to 20' },
  wrong_key: {
    word: 'Probably wrong key',
    tone: 'danger',
    means: 'Below 0: who does well in the rest gets this one wrong. Check which answer is marked as right.',
  },
}

export const reliabilityLabels: Record<ReliabilityBand, Judgement> = {
  satisfactory: { word: 'Satisfactory', tone: 'success', means: '75 and more' },
  doubtful: { word: 'Doubtful', tone: 'warning', means: '64 to 75' },
  unsatisfactory: { word: 'Unsatisfactory', tone: 'danger', means: 'Below 64' },
}

export const notEnough = (needed: number, there: number): string =>
  `Not enough data yet: ${needed} answers are needed, there ${there === 1 ? 'is' : 'are'} ${formatNumber(there)}.`

export const tooFew = ({ smallestGroup }: Pick<QuizResults, 'smallestGroup'>): string =>
  `Figures about fewer than ${plural(smallestGroup, 'person', 'people')} are not shown.`

/** "55% to 69%" */
export const shareRange = ([low, high]: readonly [number, number]): string =>
  `${formatShare(low)} to ${formatShare(high)}`

/** "31 to 58" */
export const numberRange = ([low, high]: readonly [number, number]): string =>
  `${formatNumber(low)} to ${formatNumber(high)}`

export const meanings = [
  {
    label: 'Attempts that count',
    value:
      'Scores and the figures of the questions are those of the first completed attempt of each person with this version, and of the first try at each question. Who knows the answers already says nothing about a question.',
  },
  {
    label: 'Recipients',
    value: 'Different recipients of transmissions of this video.',
  },
  {
    label: 'Passed',
    value:
      'People who reached the pass mark in any attempt with this version, of those who began one. Passed at first: in their first completed attempt, of those who completed one.',
  },
  {
    label: 'Time',
    value: 'For how long questions were in sight, added up for each person; the median of the people.',
  },
  {
    label: 'Range',
    value:
      'With 95% certainty the true value lies in the range that is drawn, as far as the answers are a sample of the people to come: Wilson for shares, Fisher for discrimination, Feldt for reliability.',
  },
  {
    label: 'Facility',
    value:
      'The mean share of the points of a question. Between 30% and 80% a question tells people apart well.',
  },
  {
    label: 'Discrimination',
    value:
      'The correlation of the scores of a question with those of the other questions, times 100. 50 and more is very good, 30 adequate, 20 weak; below 0 the key is probably wrong.',
  },
  {
    label: 'Efficiency',
    value: 'The discrimination in percent of the highest that was possible with these scores.',
  },
  {
    label: 'Effective weight',
    value:
      'How much of the spread of the total scores comes from a question, in percent. Compare it with the weight that you meant it to have.',
  },
  {
    label: 'Reliability',
    value:
      'Coefficient of internal consistency: Cronbach’s alpha times 100. From 75 on the questions measure one thing consistently; below 64 they do not. The standard error says how far the score of one person may be off.',
  },
  {
    label: 'Had not watched it',
    value:
      'Of the people whose first answer was wrong: who had played less than 95% of the part that teaches it when they answered. Counted is what the same person had played by that instant in all their sessions of that version of the video; parts without credit do not count. Nothing is held against people whose viewing was not recorded.',
  },
  {
    label: 'Watched again, then right',
    value:
      'Played at least 95% of that part between the wrong answer and a right one to the same question, in the same attempt or in a later one.',
  },
]
