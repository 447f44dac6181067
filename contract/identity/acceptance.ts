import * as z from 'zod/mini'
import { SignInAnswer } from './auth.ts'
import { Password } from './credentials.ts'
import { capability, endpoint, Instant, requiredText } from '../endpoint.ts'
import { roles } from '../roles.ts'

/* What the public page of an invitation needs, apart from the console's part in `invitations.ts`. */

const TokenParams = z.object({ token: z.string().check(z.minLength(20), z.maxLength(200)) })

export const openInvitation = endpoint({
  name: 'openInvitation',
  method: 'GET',
  path: '/auth/invitations/:token',
  summary: 'What an invitation is about, for whoever holds its link',
  access: capability,
  params: TokenParams,
  reply: z.object({
    /** Null: to administer the installation. */
    organizationName: z.nullable(z.string()),
    invitedBy: z.string(),
    role: z.enum(roles),
    groups: z.array(z.string()),
    email: z.string(),
    name: z.nullable(z.string()),
    /** Whether the address signs in already, in this organization or in another. */
    account: z.enum(['none', 'here', 'elsewhere']),
    expiresAt: Instant,
  }),
  cacheSeconds: 0,
})
export type OpenInvitation = z.infer<typeof openInvitation.reply>

export const acceptInvitation = endpoint({
  name: 'acceptInvitation',
  method: 'POST',
  path: '/auth/invitations/:token/accept',
  summary: 'Accept an invitation with a name and a password; goes on as signing in does',
  access: capability,
  params: TokenParams,
  body: z.object({ name: requiredText(200), password: Password }),
  reply: SignInAnswer,
})
