import type { ParsedQuery } from '../endpoint.ts'
import { reportHeads, type ReportName } from './report-heads.ts'
import { exportQuizMetrics } from './report-quizzes.ts'
import {
  exportAccountActivity,
  exportMessageReports,
  exportUserActivity,
  exportVideoEngagement,
} from './reports.ts'

/** The five reports by their names in addresses, each with what it is called and the endpoint of its file. */
export const reports = {
  'account-user-activity': { ...reportHeads['account-user-activity'], file: exportUserActivity },
  'user-engagement': { ...reportHeads['user-engagement'], file: exportVideoEngagement },
  'account-activity': { ...reportHeads['account-activity'], file: exportAccountActivity },
  'message-analytics': { ...reportHeads['message-analytics'], file: exportMessageReports },
  'quiz-metrics': { ...reportHeads['quiz-metrics'], file: exportQuizMetrics },
} as const satisfies Record<ReportName, object>

/** What a report's file is asked for, beside its format. */
export type ReportFileQuery<Name extends ReportName> = Omit<
  ParsedQuery<(typeof reports)[Name]['file']>,
  'format'
>
