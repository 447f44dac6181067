import type { ParsedQuery } from './endpoint.ts'
import { exportQuizMetrics } from './report-quizzes.ts'
import {
  exportAccountActivity,
  exportMessageReports,
  exportUserActivity,
  exportVideoEngagement,
} from './reports.ts'

/** The five reports by their names in addresses, each with what it is called and the endpoint of its file. */
export const reports = {
  'account-user-activity': { title: 'Account User Activity', file: exportUserActivity },
  'user-engagement': { title: 'User Engagement', file: exportVideoEngagement },
  'account-activity': { title: 'Account Activity', file: exportAccountActivity },
  'message-analytics': { title: 'Message Analytics', file: exportMessageReports },
  'quiz-metrics': { title: 'Quiz Metrics', file: exportQuizMetrics },
} as const
export type ReportName = keyof typeof reports

/** What a report's file is asked for, beside its format. */
export type ReportFileQuery<Name extends ReportName> = Omit<
  ParsedQuery<(typeof reports)[Name]['file']>,
  'format'
>
