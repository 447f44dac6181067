import * as z from 'zod/mini'
import { endpoint, Id, Instant, only } from '../endpoint.ts'
import { OrgParams } from './organizations.ts'
import { everyRole } from '../roles.ts'
import { userStates } from './users.ts'

const Viewed = z.object({
  /** Null: a visitor without a personal link. */
  user: z.nullable(z.object({ id: Id, name: z.string(), avatar: z.nullable(z.string()) })),
  video: z.object({ id: Id, title: z.string() }),
  /** 0 to 1, over all visits; null where the organization records only completions, and then `lastAt` is their day (UTC). */
  share: z.nullable(z.number()),
  isCompleted: z.boolean(),
  lastAt: Instant,
})
export type Viewed = z.infer<typeof Viewed>

/** The last 30 days (UTC), and the 30 days before them. */
const Trend = z.object({ now: z.number(), before: z.number() })
export type Trend = z.infer<typeof Trend>

export const readOrganizationOverview = endpoint({
  name: 'readOrganizationOverview',
  method: 'GET',
  path: '/organizations/:orgId/overview',
  summary: 'How an organization is doing; a groupadmin sees the figures of their own groups',
  access: only(everyRole, 'reports:read'),
  params: OrgParams,
  reply: z.object({
    people: z.object({
      total: z.number(),
      byState: z.record(z.enum(userStates), z.number()),
      admins: z.number(),
      groupadmins: z.number(),
      /** Added in the last 30 days and in the 30 before. */
      added: Trend,
    }),
    /** Messages of the transmissions that were made in these days. */
    messages: Trend,
    /** Media time watched, in milliseconds; null where the organization records only completions. */
    watchedMs: z.nullable(Trend),
    newest: z.array(Viewed),
  }),
  cacheSeconds: 10,
})
