import * as z from 'zod/mini'
import { Due, requirements, Statement } from './assignments.ts'
import { Reminders } from '../duty/reminders.ts'
import { endpoint, Id, only } from '../endpoint.ts'
import { OrgParams } from '../directory/organizations.ts'
import { adminRoles } from '../roles.ts'
import { Audience } from '../transmissions/transmissions.ts'

export const previewAssignment = endpoint({
  name: 'previewAssignment',
  method: 'POST',
  path: '/organizations/:orgId/assignments/preview',
  summary:
    'How many people an assignment would oblige, now and later, and how many of them would count as done at once',
  access: only(adminRoles, 'send'),
  params: OrgParams,
  body: z.object({
    /** This assignment is being changed; it overlaps with others and not with itself. */
    assignmentId: z._default(z.nullable(Id), null),
    videoId: Id,
    audience: Audience,
    requirement: z.enum(requirements),
    statement: z._default(Statement, null),
    countsSince: z.nullable(z.iso.date()),
    waitsForId: z._default(z.nullable(Id), null),
    /** With both of these, the mails of the next 30 days are counted too. */
    due: z.optional(Due),
    reminders: z.optional(Reminders),
  }),
  reply: z.object({
    /** This is the whole audience: those who begin now, those who wait, and those who never would begin. */
    people: z.number(),
    /** This number of them has yet to do the earlier assignment. */
    waiting: z.number(),
    /** This number of them will not do it, because it does not oblige them or has ended. */
    never: z.number(),
    /** This number of those who begin now has done it since the day that counts. */
    done: z.number(),
    /** This number of all can be sent nothing. */
    withoutMail: z.number(),
    /** This number of those who begin now gets the first message. */
    mailed: z.number(),
    /** It is true when this number of messages at once leaves only once somebody else has approved them. */
    needsApproval: z.boolean(),
    /** By these other assignments some of them owe the same video; a few are named, and they get one mail for both. */
    overlaps: z.array(z.object({ id: Id, name: z.string(), people: z.number(), names: z.array(z.string()) })),
    /** These are the mails of each of the next 30 days, from today on, if nobody watched. The list is empty where that was not asked. */
    mails: z.array(z.object({ day: z.iso.date(), count: z.number() })),
  }),
})
