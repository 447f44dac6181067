import * as z from 'zod/mini'
import { Device } from '../platform/devices.ts'
import { endpoint, Id, Instant, only, page, PageQuery } from '../endpoint.ts'
import { Author } from '../directory/members.ts'
import { membershipCauses } from '../directory/membership.ts'
import { everyRole, roles } from '../roles.ts'
import { deliveryStates } from '../transmissions/transmissions.ts'
import { UserParams } from '../directory/users.ts'

const Named = z.object({ id: Id, name: z.string() })
const Titled = z.object({ id: Id, title: z.string() })
const Sent = z.object({ id: Id, subject: z.string() })

export const membershipChanges = ['added', 'removed', 'groupadmin', 'no_groupadmin'] as const

/**
 * How somebody came into the audience of a transmission. A group counts when they were its member while the audience was
 * worked out; `since` is when that membership began.
 */
export const Way = z.discriminatedUnion('by', [
  z.object({ by: z.literal('name') }),
  z.object({ by: z.literal('everyone') }),
  z.object({ by: z.literal('group'), group: Named, since: Instant }),
])
export type Way = z.infer<typeof Way>

/** One thing that happened to, or was done by, a person. */
export const PersonEvent = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('transmission'),
    id: z.string(),
    at: Instant,
    transmission: Sent,
    video: Titled,
    sender: z.string(),
    state: z.enum(deliveryStates),
    reason: z.nullable(z.string()),
    ways: z.array(Way),
  }),
  z.object({
    kind: z.literal('viewing'),
    id: z.string(),
    at: Instant,
    transmission: Sent,
    video: Titled,
    lastAt: Instant,
    /**
     * Media milliseconds that earned credit in this session, repeats counted. Where the organization records only completions, this,
     * the parts and the browser are null: the event is that of having completed, and `at` its day (UTC).
     */
    watchedMs: z.nullable(z.number()),
    durationMs: z.number(),
    /** Different parts of the video seen in this session, as [startMs, endMs). */
    coverage: z.nullable(z.array(z.tuple([z.number(), z.number()]))),
    browser: z.nullable(Device),
  }),
  z.object({
    kind: z.literal('group'),
    id: z.string(),
    at: Instant,
    group: Named,
    change: z.enum(membershipChanges),
    cause: z.enum(membershipCauses),
    /** Null: the product itself, such as by a rule. */
    by: z.nullable(Author),
  }),
  z.object({
    kind: z.literal('change'),
    id: z.string(),
    at: Instant,
    /** As in the audit log. */
    action: z.string(),
    actor: z.nullable(z.object({ id: Id, name: z.nullable(z.string()) })),
    /** The key by which the actor acted; without a name it is one of the installation. */
    key: z.nullable(z.object({ id: Id, name: z.nullable(z.string()) })),
    before: z.unknown(),
    after: z.unknown(),
  }),
])
export type PersonEvent = z.infer<typeof PersonEvent>
export const personEventKinds = ['transmission', 'viewing', 'group', 'change'] as const

export const listPersonHistory = endpoint({
  name: 'listPersonHistory',
  method: 'GET',
  path: '/organizations/:orgId/users/:userId/history',
  summary:
    'Everything about one person, newest first: what was sent to them, what they watched, their groups, changes of their account. A groupadmin sees no changes of the account, and no groups but their own',
  access: only(everyRole, 'evidence:read'),
  params: UserParams,
  query: z.extend(PageQuery, { kind: z.optional(z.enum(personEventKinds)) }),
  reply: page(PersonEvent),
  cacheSeconds: 5,
})

/** Why somebody cannot enter the console; null when they can. */
export const entryBlocks = [
  'recipient',
  'invited',
  'disabled',
  'organization_suspended',
  'organization_archived',
] as const

export const PersonAccess = z.object({
  role: z.nullable(z.enum(roles)),
  /** Since when they have this role, or have been without one. */
  roleSince: Instant,
  blockedReason: z.nullable(z.enum(entryBlocks)),
  /** Groups that they are in, with the reason. */
  groups: z.array(
    z.object({
      id: Id,
      name: z.string(),
      kind: z.enum(['static', 'rule']),
      since: Instant,
      byRule: z.boolean(),
      cause: z.nullable(z.enum(membershipCauses)),
      /** Who put them in; null for the product itself. */
      by: z.nullable(Author),
      /** Since when they administer it; null when they do not. */
      administersSince: z.nullable(Instant),
    }),
  ),
  /** What has been sent to them, all told. */
  received: z.number(),
})
export type PersonAccess = z.infer<typeof PersonAccess>

export const readPersonAccess = endpoint({
  name: 'readPersonAccess',
  method: 'GET',
  path: '/organizations/:orgId/users/:userId/access',
  summary: 'What a person can see and receive, through which role and group, and since when',
  access: only(everyRole, 'people:read'),
  params: UserParams,
  reply: PersonAccess,
  cacheSeconds: 5,
})

/**
 * Why somebody sees something, or why not. `since`: from when on, for what follows from this reason alone; null when it follows
 * from no date.
 */
export const Reason = z.object({
  code: z.enum([
    'role',
    'administers_group',
    'administers_group_of',
    'personal_link',
    'open_to_everybody',
    'cannot_enter',
    'other_groups',
    'member_only',
    'never_sent',
    'put_away',
  ]),
  role: z.optional(z.enum(roles)),
  group: z.optional(Named),
  transmission: z.optional(Sent),
  since: z.nullable(Instant),
})
export type Reason = z.infer<typeof Reason>

export const explainVisibility = endpoint({
  name: 'explainVisibility',
  method: 'GET',
  path: '/organizations/:orgId/users/:userId/why',
  summary: 'Whether a person can see another person, a group or a video, and why',
  access: only(everyRole, 'people:read'),
  params: UserParams,
  query: z.object({ about: z.enum(['user', 'group', 'video']), id: Id }),
  reply: z.object({
    may: z.boolean(),
    /** What was asked about, by its name. */
    name: z.string(),
    reasons: z.array(Reason),
  }),
  cacheSeconds: 5,
})
