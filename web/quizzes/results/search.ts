import * as z from 'zod/mini'
import { quizOutcomes, quizPersonSorts } from '#contract/quizzes/quiz-results.ts'
import { listParts } from '#web/lists/search.ts'

export const resultsSearch = z.object({
  ...listParts,
  version: z.catch(z.union([z.uuid(), z.literal('')]), ''),
  outcome: z.catch(z.enum([...quizOutcomes, '']), ''),
  sort: z.catch(z.enum(quizPersonSorts), 'name'),
})
export type ResultsSearch = z.output<typeof resultsSearch>
