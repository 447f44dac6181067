import * as z from 'zod/mini'
import { mailAddress } from '../identity/addresses.ts'
import { alertsOf } from '../platform/alerts.ts'
import { bothWays, endpoint, Id, Instant, listPage, ListQuery, only, Removed } from '../endpoint.ts'
import { CustomFields, CustomFieldsInput } from './fields.ts'
import { languages } from '../platform/text/languages.ts'
import { Name, OrgParams, SearchText } from './organizations.ts'
import { adminRoles, everyRole, roles } from '../roles.ts'

export const userStates = ['invited', 'active', 'disabled'] as const

export const User = z.object({
  id: Id,
  organizationId: z.nullable(Id),
  name: z.string(),
  email: z.string(),
  /** `null`: a recipient, who never enters the console. */
  role: z.nullable(z.enum(roles)),
  state: z.enum(userStates),
  phone: z.nullable(z.string()),
  /** In which the person is spoken to; `null`: in that of the organization. */
  language: z.nullable(z.enum(languages)),
  /** IANA, such as Europe/Berlin; `null`: that of the organization. */
  timeZone: z.nullable(z.string()),
  /** Key of the picture. */
  avatar: z.nullable(z.string()),
  externalId: z.nullable(z.string()),
  /** Email or external ID of the person who is told when this one is late. */
  manager: z.nullable(z.string()),
  customFields: CustomFields,
  /**
   * `groupadmin`: this person administers the group. `byRule`: in it because its rule says so. A groupadmin who reads sees only
   * the groups of their own.
   */
  groups: z.array(z.object({ id: Id, name: z.string(), groupadmin: z.boolean(), byRule: z.boolean() })),
  /** When the person last used the console; watching is not counted. */
  lastSeenAt: z.nullable(Instant),
  /** The owner of the account has asked for it to be deleted; it leaves on this day unless they sign in. */
  deleteAfter: z.nullable(Instant),
  createdAt: Instant,
  updatedAt: Instant,
})
export type User = z.infer<typeof User>

export const Email = mailAddress(320)

export const Phone = z.string().check(z.trim(), z.maxLength(50, 'too_long'))

/**
 * What keeps mail from somebody at the address that they have. `barred`: nothing is sent there, or they have unsubscribed, for one of
 * `barReasons` or in the words of a person. Otherwise the last mail came back or was refused, with the reason of its delivery.
 */
export const MailTrouble = z.object({
  kind: z.enum(['barred', 'bounced', 'rejected']),
  reason: z.nullable(z.string()),
})
export type MailTrouble = z.infer<typeof MailTrouble>

/** `trouble`: null where mail arrives, and for groupadmins, who are told of no bars. */
export const ListedUser = z.extend(User, { trouble: z.nullable(MailTrouble) })
export type ListedUser = z.infer<typeof ListedUser>

/** Fields that are left out of a change stay as they are. */
export const UserInput = z.object({
  name: Name,
  email: Email,
  role: z.optional(z.nullable(z.enum(['admin', 'groupadmin']))),
  state: z.optional(z.enum(userStates)),
  phone: z.optional(z.nullable(Phone)),
  externalId: z.optional(z.nullable(z.string().check(z.trim(), z.maxLength(200, 'too_long')))),
  language: z.optional(z.nullable(z.enum(languages))),
  timeZone: z.optional(z.nullable(z.string().check(z.maxLength(100, 'too_long')))),
  /** Of somebody else in the organization. */
  manager: z.optional(z.nullable(z.string().check(z.trim(), z.maxLength(320, 'too_long')))),
  customFields: z.optional(CustomFieldsInput),
  /** All groups of the person that are chosen by hand; replaces the present ones. Memberships by rule stay as the rule says. */
  groupIds: z.optional(z.array(Id).check(z.maxLength(1_000, 'too_long'))),
  /** Which of `groupIds` a groupadmin administers; all of them when left out at creation. */
  adminGroupIds: z.optional(z.array(Id).check(z.maxLength(1_000, 'too_long'))),
})
export type UserInput = z.infer<typeof UserInput>

/**
 * When somebody last used the console. `within30`: at least once in the 30 times 24 hours before now. `not30`: not in them, which
 * includes who never did.
 */
export const seenChoices = ['never', 'within7', 'within30', 'within90', 'not30', 'not90', 'not365'] as const

/** A key of the organization's own fields and the value that it has, as text: `site:Berlin`. */
const FieldIs = z.string().check(z.maxLength(600, 'too_long'), z.regex(/^[^:]+:[^]+$/, 'invalid'))

/** Which people of an organization: what a list shows, an export holds, and a change in bulk is about. */
export const UserFilter = z.object({
  q: SearchText,
  groupId: z.optional(Id),
  role: z.optional(z.enum([...roles, 'none'])),
  state: z.optional(z.enum(userStates)),
  seen: z.optional(z.enum(seenChoices)),
  /** A video of the organization that the person has not completed, in none of its versions. */
  notWatched: z.optional(Id),
  field: z.optional(FieldIs),
  /** Days on which the person was added, both included, in the organization's time zone. */
  createdFrom: z.optional(z.iso.date()),
  createdUntil: z.optional(z.iso.date()),
  attention: z.optional(z.enum(alertsOf.users)),
})
export type UserFilter = z.infer<typeof UserFilter>

/** People picked one by one, or everybody whom a filter finds but a few. */
export const UserSelection = z.union([
  z.strictObject({
    userIds: z.array(Id).check(z.minLength(1, 'required'), z.maxLength(1_000, 'too_long')),
  }),
  z.strictObject({
    filter: UserFilter,
    exceptIds: z._default(z.array(Id).check(z.maxLength(1_000, 'too_long')), []),
    /** How many the person was told; with another number by now nothing happens. */
    expected: z.number().check(z.int('invalid')),
  }),
])
export type UserSelection = z.infer<typeof UserSelection>

/** `lastSeenAt`: who never used the console comes before everybody else. */
export const userSorts = bothWays('name', 'email', 'createdAt', 'lastSeenAt')

export const UserParams = z.object({ orgId: Id, userId: Id })

export const listUsers = endpoint({
  name: 'listUsers',
  method: 'GET',
  path: '/organizations/:orgId/users',
  summary: 'Users of an organization; a groupadmin sees the members of their groups',
  readsAlone: true,
  access: only(everyRole, 'people:read'),
  params: OrgParams,
  query: z.extend(ListQuery, {
    ...UserFilter.shape,
    sort: z._default(z.enum(userSorts), 'name'),
  }),
  reply: listPage(ListedUser),
})

export const countUsers = endpoint({
  name: 'countUsers',
  method: 'GET',
  path: '/organizations/:orgId/users/counts',
  summary:
    'How many users of an organization have each role and are in each state; a groupadmin counts the members of their groups',
  access: only(everyRole, 'people:read'),
  params: OrgParams,
  reply: z.object({
    role: z.object({ admin: z.number(), groupadmin: z.number(), none: z.number() }),
    state: z.object({ invited: z.number(), active: z.number(), disabled: z.number() }),
    /** There are so many that not all of them were counted. */
    isMinimum: z.boolean(),
  }),
})

export const createUser = endpoint({
  name: 'createUser',
  method: 'POST',
  path: '/organizations/:orgId/users',
  summary: 'Create a user, with or without a role',
  access: only(adminRoles, 'people:write'),
  params: OrgParams,
  body: UserInput,
  reply: User,
  status: 201,
  idempotent: true,
})

export const readUser = endpoint({
  name: 'readUser',
  method: 'GET',
  path: '/organizations/:orgId/users/:userId',
  summary: 'One user',
  readsAlone: true,
  access: only(everyRole, 'people:read'),
  params: UserParams,
  reply: User,
})

export const updateUser = endpoint({
  name: 'updateUser',
  method: 'PUT',
  path: '/organizations/:orgId/users/:userId',
  summary: 'Change a user',
  access: only(adminRoles, 'people:write'),
  params: UserParams,
  body: UserInput,
  reply: User,
  ifMatch: true,
})

export const deleteUser = endpoint({
  name: 'deleteUser',
  method: 'DELETE',
  path: '/organizations/:orgId/users/:userId',
  summary: 'Remove a user; what they have watched stays as evidence',
  access: only(adminRoles, 'people:write'),
  params: UserParams,
  reply: Removed,
})

export const readRemoval = endpoint({
  name: 'readRemoval',
  method: 'GET',
  path: '/organizations/:orgId/users/:userId/removal',
  summary: 'What removing a person would affect, in numbers',
  access: only(adminRoles, 'people:read'),
  params: UserParams,
  reply: z.object({
    /** Evidence, which stays: messages that went to the person, videos begun and finished, media time in milliseconds. Videos begun
     * and the time are null where the organization records only completions. */
    messages: z.number(),
    videos: z.nullable(z.number()),
    completed: z.number(),
    watchedMs: z.nullable(z.number()),
    /** What ends. */
    groups: z.number(),
    administeredGroups: z.number(),
    sessions: z.number(),
    invitations: z.number(),
    /** Messages that are still on their way and will not be sent. */
    waitingMessages: z.number(),
  }),
  cacheSeconds: 2,
})

export const sendReset = endpoint({
  name: 'sendReset',
  method: 'POST',
  path: '/organizations/:orgId/users/:userId/send-reset',
  summary: 'Ask somebody to choose a new password: their sessions end, and a mail tells them how',
  access: only(adminRoles, 'person'),
  fresh: true,
  params: UserParams,
  reply: User,
})
