import * as z from 'zod/mini'

/** The headers that an endpoint reads when its description has the field of this name. */
export const requestHeaders = {
  idempotent: {
    name: 'Idempotency-Key',
    description: 'The same key, address and content replay the first answer, for 24 hours.',
    schema: z.string().check(z.minLength(1), z.maxLength(200)),
  },
  ifMatch: {
    name: 'If-Match',
    description:
      'ETags of what was read; refused with 412 when it has changed since. Left out: not looked at.',
    schema: z.string(),
  },
  flow: {
    name: 'X-Auth-Flow',
    description: 'The token of the flow that this request continues.',
    schema: z.string().check(z.minLength(20), z.maxLength(200)),
  },
} as const
export type HeaderField = keyof typeof requestHeaders
export const headerFields = Object.keys(requestHeaders) as HeaderField[]
