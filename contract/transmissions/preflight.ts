import * as z from 'zod/mini'
import { endpoint, Id, only } from '../endpoint.ts'
import { SearchText } from '../directory/organizations.ts'
import { adminRoles } from '../roles.ts'
import { Audience } from './transmissions.ts'

const Whom = z.object({ accountId: Id, audience: Audience })

export const findRecipients = endpoint({
  name: 'findRecipients',
  method: 'POST',
  path: '/transmissions/recipients',
  summary:
    'The first people by name whom an audience reaches, or those whose name or address has these words',
  access: only(adminRoles, 'people:read'),
  body: z.extend(Whom, { q: SearchText }),
  reply: z.object({ items: z.array(z.object({ id: Id, name: z.string(), email: z.string() })) }),
})

export const countGaps = endpoint({
  name: 'countGaps',
  method: 'POST',
  path: '/transmissions/gaps',
  summary:
    'For how many people whom an audience reaches these variables have no value; they stay empty in their mails',
  access: only(adminRoles, 'send'),
  body: z.extend(Whom, {
    variables: z.array(z.string().check(z.maxLength(60, 'too_long'))).check(z.maxLength(50, 'too_long')),
  }),
  reply: z.object({
    /** Variables that have a value for everybody are left out, and so are those that are the same for everybody. */
    gaps: z.array(z.object({ variable: z.string(), people: z.number() })),
  }),
})
