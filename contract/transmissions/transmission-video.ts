import * as z from 'zod/mini'
import { Id } from '../endpoint.ts'

/** A list of transmissions shows this of a video. */
export const TransmissionVideo = z.object({
  id: Id,
  title: z.string(),
  poster: z.nullable(z.string()),
  durationMs: z.nullable(z.number()),
})
