import * as z from 'zod/mini'
import { Instant } from '../endpoint.ts'

/** The questions have to be passed, and somebody has not: their latest attempt, and whether there is none left. */
export const Failed = z.object({ at: Instant, isFinal: z.boolean() })
export type Failed = z.infer<typeof Failed>
