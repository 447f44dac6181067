import * as z from 'zod/mini'
import { endpoint, Instant, only } from '../endpoint.ts'
import { adminRoles, superadminOnly } from '../roles.ts'

/**
 * By these signs an installation notices that it may be a copy of another one, or an earlier state of itself. `copied`: the file that marks
 * its folder of data is another one, or lies on another machine. `apart`: database and folder are not of the same moment. `silent`:
 * messages wait, and the database has not heard from its sender for half an hour.
 */
export const holdSigns = ['copied', 'apart', 'silent'] as const
export type HoldSign = (typeof holdSigns)[number]

export const Sending = z.object({
  /** Null means that nothing is held. */
  hold: z.nullable(
    z.object({
      since: Instant,
      signs: z.array(z.enum(holdSigns)),
      /** True means that it was restored, and that whatever is open becomes uncertain right now. */
      isEnding: z.boolean(),
      /** These have not left as far as this database knows, within the sight of the caller. */
      transmissions: z.number(),
      deliveries: z.number(),
    }),
  ),
  /**
   * The mail server has not answered since then; sending goes on by itself when it does. Null means that it does, or that nothing was
   * tried.
   */
  mailServerFailingSince: z.nullable(Instant),
})
export type Sending = z.infer<typeof Sending>

export const readSending = endpoint({
  name: 'readSending',
  method: 'GET',
  path: '/sending',
  summary: 'Whether sending is held in the whole installation, and why',
  access: only(adminRoles, 'settings'),
  reply: Sending,
  cacheSeconds: 30,
})

export const releaseSending = endpoint({
  name: 'releaseSending',
  method: 'POST',
  path: '/sending/release',
  summary:
    'Say why sending was held: the server was only off, and sending goes on; or it was restored or copied, and whatever is open becomes uncertain',
  access: only(superadminOnly, 'person'),
  body: z.strictObject({ answer: z.enum(['only_off', 'restored']) }),
  reply: Sending,
})
