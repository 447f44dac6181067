import { accountEntryCounts } from './account-activity.ts'
import { engagement } from './engagement.ts'
import { reportFigures } from './cached.ts'
import { quizzes } from './quiz-metrics.ts'
import { activity } from './user-activity.ts'

/** What reports read of everybody, where that takes long. */
export const reportsOfEverybody = reportFigures([engagement, activity, quizzes, accountEntryCounts])
