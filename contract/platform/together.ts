import * as z from 'zod/mini'
import { endpoint, only } from '../endpoint.ts'
import { everyRole } from '../roles.ts'

/** Readings that one call answers at most. */
export const mostTogether = 8

/** One address below `/api`, without anything that would have to be written otherwise in it. */
const address = /^\/[\w/-]+(\?[\w=&.%:~+-]*)?$/

export const readTogether = endpoint({
  name: 'readTogether',
  method: 'GET',
  path: '/together',
  summary: 'Several readings in one call, each answered as it would be alone: what a page is drawn with',
  access: only(everyRole, 'person'),
  ownTransactions: true,
  query: z.object({
    /** Addresses of other readings, such as `/auth/session`, with a space between them. */
    of: z.string().check(
      z.maxLength(2_000, 'too_long'),
      z.refine(
        (text) => text.split(' ').length <= mostTogether && text.split(' ').every((one) => address.test(one)),
        'invalid',
      ),
    ),
  }),
  reply: z.object({
    /** In the order of the question. */
    answers: z.array(
      z.object({
        status: z.number(),
        /** The version of what was read, where it has one. */
        etag: z.nullable(z.string()),
        /** As the reading itself describes it; with another status than 200, the problem. */
        body: z.unknown(),
      }),
    ),
  }),
  cacheSeconds: 0,
})
