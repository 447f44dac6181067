import { connect } from '../db/client.ts'
import { settleAttention } from '../plays/attention.ts'
import { settleQuizSums } from '../plays/quiz-sums.ts'

/** A process that brings the sums of quizzes up to date until it is killed, for tests that kill it on the way. */
const db = connect(process.env['DATABASE_URL'] ?? '', { max: 2 })
for (;;) {
  await settleQuizSums(db)
  await settleAttention(db)
  // Once it is at work, whoever started it may kill it.
  process.send?.('settled')
}
