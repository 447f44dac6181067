import * as z from 'zod/mini'
import { Id } from '../endpoint.ts'

/** As a list of transmissions shows it. */
export const TransmissionVideo = z.object({
  id: Id,
  title: z.string(),
  poster: z.nullable(z.string()),
  durationMs: z.nullable(z.number()),
})
