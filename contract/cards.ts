import * as z from 'zod/mini'
import { endpoint, FileReply, Id, only } from './endpoint.ts'
import { adminRoles } from './roles.ts'

/** `card`: A6, one for each person. `letter`: A4, with the words of the assignment. */
export const cardFormats = ['card', 'letter'] as const
export type CardFormat = (typeof cardFormats)[number]

/** How a message comes to somebody. */
export const channels = ['email', 'card', 'webhook'] as const

/** More are printed in several files. */
export const mostCards = 500

export const makeCards = endpoint({
  name: 'makeCards',
  method: 'POST',
  path: '/organizations/:orgId/assignments/:assignmentId/cards',
  summary:
    'Print cards or letters with personal links and PINs for people whom no mail reaches, to be handed over by the caller; the card that somebody had before ends',
  access: only(adminRoles, 'person'),
  params: z.object({ orgId: Id, assignmentId: Id }),
  body: z.object({
    /** Null: everybody who owes it. */
    userIds: z.nullable(z.array(Id).check(z.minLength(1, 'required'), z.maxLength(mostCards, 'too_long'))),
    format: z.enum(cardFormats),
  }),
  ownTransactions: true,
  reply: FileReply,
})
