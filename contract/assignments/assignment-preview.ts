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
  access: only(adminRoles),
  params: OrgParams,
  body: z.object({
    /** The one that is being changed, which overlaps with others and not with itself. */
    assignmentId: z._default(z.nullable(Id), null),
    videoId: Id,
    audience: Audience,
    requirement: z.enum(requirements),
    statement: z._default(Statement, null),
    countsSince: z.nullable(z.iso.date()),
    waitsForId: z._default(z.nullable(Id), null),
    /** With both, the mails of the next 30 days are counted too. */
    due: z.optional(Due),
    reminders: z.optional(Reminders),
  }),
  reply: z.object({
    /** The whole audience: who begins now, who waits, and who never would begin. */
    people: z.number(),
    /** Of them, who has yet to do the earlier one. */
    waiting: z.number(),
    /** Of them, who will not do it, because it does not oblige them or has ended. */
    never: z.number(),
    /** Of those who begin now, who has done it since the day that counts. */
    done: z.number(),
    /** Of all, who can be sent nothing. */
    withoutMail: z.number(),
    /** Of those who begin now, who gets the first message. */
    mailed: z.number(),
    /** So many messages at once leave only once somebody else has approved them. */
    needsApproval: z.boolean(),
    /** Other assignments by which some of them owe the same video, with a few of them by name; they get one mail for both. */
    overlaps: z.array(z.object({ id: Id, name: z.string(), people: z.number(), names: z.array(z.string()) })),
    /** The mails of each of the next 30 days, from today on, if nobody watched; empty where that was not asked. */
    mails: z.array(z.object({ day: z.iso.date(), count: z.number() })),
  }),
})
