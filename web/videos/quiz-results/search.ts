import * as z from 'zod/mini'
import { quizOutcomes, quizPersonSorts } from '#contract/quiz-results.ts'

/** A search for digits arrives as a number. */
const text = z.catch(z.union([z.string(), z.pipe(z.number(), z.transform(String))]), '')

export const resultsSearch = z.object({
  version: z.catch(z.union([z.uuid(), z.literal('')]), ''),
  q: text,
  outcome: z.catch(z.enum([...quizOutcomes, '']), ''),
  sort: z.catch(z.enum(quizPersonSorts), 'name'),
  offset: z.catch(z.coerce.number().check(z.gte(0), z.lte(10_000)), 0),
})
export type ResultsSearch = z.output<typeof resultsSearch>
