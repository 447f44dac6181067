import * as z from 'zod/mini'
import { mailAddress } from './addresses.ts'
import { Authenticated } from './auth.ts'
import { Password } from './credentials.ts'
import { anyone, endpoint, requiredText } from '../endpoint.ts'

export const readSetup = endpoint({
  name: 'readSetup',
  method: 'GET',
  path: '/setup',
  summary: 'Whether the first administrator still has to be created',
  access: anyone,
  reply: z.object({ needed: z.boolean() }),
  cacheSeconds: 0,
})

export const setUp = endpoint({
  name: 'setUp',
  method: 'POST',
  path: '/setup',
  summary: 'Create the first superadmin with the setup link; works once',
  access: anyone,
  body: z.object({
    setup: z.string().check(z.minLength(1), z.maxLength(200)),
    name: requiredText(200),
    email: mailAddress(320),
    password: Password,
    /** Fill with a sample organization. */
    sample: z._default(z.boolean(), false),
  }),
  reply: Authenticated,
  status: 201,
})
