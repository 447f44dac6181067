import type { FigureName } from './report-figures.ts'

type Head = {
  title: string
  lead: string
  /** What its figures and the columns of its table mean. */
  meanings: readonly FigureName[]
}

/** What every report has beside these. */
export const commonMeanings = ['period', 'narrowed'] as const

/** The five reports by their names in addresses. */
export const reportHeads = {
  'account-user-activity': {
    title: 'Account User Activity',
    lead: 'Who was there, and what became of the messages that they got.',
    meanings: ['active', 'lastActive', 'received', 'openedOfReceived', 'completedOfReceived', 'watched'],
  },
  'user-engagement': {
    title: 'User Engagement',
    lead: 'How much of each video its viewers have seen, and what they watched again.',
    meanings: ['viewers', 'viewings', 'covered', 'completed', 'finished', 'rewatched', 'watched'],
  },
  'account-activity': {
    title: 'Account Activity',
    lead: 'Who did what, when, and to what.',
    meanings: ['actions', 'actors', 'signIns', 'failedSignIns'],
  },
  'message-analytics': {
    title: 'Message Analytics',
    lead: 'What became of each transmission, from the mail to the last second.',
    meanings: ['recipients', 'sent', 'failed', 'uncertain', 'opened', 'started', 'completedMessage'],
  },
  'quiz-metrics': {
    title: 'Quiz Metrics',
    lead: 'How well the questions in your videos are answered.',
    meanings: ['attempts', 'takers', 'passed', 'firstPassed', 'medianScore', 'hardest', 'fewPeople'],
  },
} as const satisfies Record<string, Head>
export type ReportName = keyof typeof reportHeads
