import * as z from 'zod/mini'
import { rowOutcomes } from '#contract/operations.ts'

/** What the address of the page says: the file, the step while it is a draft, and which of its rows are shown. */
export const search = z.object({
  id: z.catch(z.optional(z.uuid()), undefined),
  step: z.catch(z.optional(z.enum(['columns', 'check'])), undefined),
  outcome: z.catch(z.optional(z.enum(rowOutcomes)), undefined),
  offset: z.catch(z.coerce.number().check(z.gte(0)), 0),
})
