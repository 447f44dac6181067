import * as z from 'zod/mini'
import { domainForm, mailAddress } from '../identity/addresses.ts'
import { alertsOf } from '../platform/alerts.ts'
import {
  bothWays,
  endpoint,
  Id,
  Instant,
  listPage,
  ListQuery,
  only,
  Removed,
  requiredText,
  wholeBetween,
  lines,
  requiredLines,
} from '../endpoint.ts'
import { languages } from '../platform/text/languages.ts'
import { adminRoles, everyRole, superadminOnly } from '../roles.ts'
import { MfaPolicy } from '../identity/security.ts'
import { captionPolicies } from '../videos/readiness.ts'
import { SendWindow } from '../transmissions/send-window.ts'

export const organizationStates = ['active', 'suspended', 'archived'] as const

/** Share of the video that counts as completed. */
const completionThreshold = z.number().check(z.gte(0.01, 'too_small'), z.lte(1, 'too_big'))
const retentionMonths = wholeBetween(1, 120)
/**
 * `full`: which parts of a video somebody watched, and when. `completed_only`: whether somebody completed it, and on which day;
 * what is needed to find that out is never shown and deleted soon.
 */
export const trackingModes = ['full', 'completed_only'] as const
export type TrackingMode = (typeof trackingModes)[number]
const trackingMode = z.enum(trackingModes)
/** Plain text with line breaks, shown to viewers before they play. */
const consentText = z.nullable(requiredLines(2_000))
/**
 * Curves and statistics are told of no fewer people than these; where only completions are recorded, no figure of how people
 * watched is.
 */
const smallestGroup = wholeBetween(2, 50)
/** Fastest playback that still earns credit. */
const maxRate = z.number().check(z.gte(1, 'too_small'), z.lte(4, 'too_big'))

/**
 * The weakest evidence that counts, for a completion or a certificate. What is contradicted never does, so nobody can choose it.
 */
export const countedEvidence = ['likely', 'proven'] as const
const leastEvidence = z.enum(countedEvidence)

/**
 * Shown as the sender of messages, before the address of the installation. It can be taken for no address and no other header, and what
 * turns the direction of reading cannot make it look like another name.
 */
const senderName = z.nullable(
  z
    .string()
    .check(
      z.trim(),
      z.maxLength(100, 'too_long'),
      z.regex(/^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}<>"]*$/u, 'invalid'),
    ),
)
/** Where answers to messages go. */
const replyTo = z.nullable(mailAddress())
/** Messages that leave in one minute at most; null: as many as the installation sends. */
const sendPerMinute = z.nullable(wholeBetween(1, 10_000))

/** More recipients than these need the approval of somebody else; 0: always, null: never. */
const approvalThreshold = z.nullable(wholeBetween(0, 10_000_000))

/** Days after which the personal links of a new transmission end; null: they do not. */
const linkDays = z.nullable(wholeBetween(1, 1_000))

/**
 * `link`: whoever holds the personal link. `signed_in`: the recipient of the link, once they are signed in; then a video that anybody with
 * its address may watch asks for a personal link too, and only a public one does not.
 */
const watcherRules = ['link', 'signed_in'] as const
export type WatcherRule = (typeof watcherRules)[number]
const whoMayWatch = z.enum(watcherRules)

const captionPolicy = z.enum(captionPolicies)

/** Minutes without anybody at the keyboard after which a session ends. */
const idleMinutes = wholeBetween(5, 60)
/** Hours after which a session ends in any case. */
const sessionHours = wholeBetween(1, 24)

export const Policies = z.object({
  completionThreshold: z._default(completionThreshold, 0.95),
  retentionMonths: z._default(retentionMonths, 25),
  trackingMode: z._default(trackingMode, 'full'),
  consentText: z._default(consentText, null),
  smallestGroup: z._default(smallestGroup, 5),
  maxRate: z._default(maxRate, 2),
  completionEvidence: z._default(leastEvidence, 'likely'),
  certificateEvidence: z._default(leastEvidence, 'likely'),
  whoMayWatch: z._default(whoMayWatch, 'link'),
  captionPolicy: z._default(captionPolicy, 'warn'),
  mfa: z._default(MfaPolicy, 'optional'),
  idleMinutes: z._default(idleMinutes, 60),
  sessionHours: z._default(sessionHours, 24),
  senderName: z._default(senderName, null),
  replyTo: z._default(replyTo, null),
  sendPerMinute: z._default(sendPerMinute, null),
  linkDays: z._default(linkDays, null),
  approvalThreshold: z._default(approvalThreshold, null),
  /** Null: messages leave at any time. */
  sendWindow: z._default(z.nullable(SendWindow), null),
})
export type Policies = z.infer<typeof Policies>
export const defaultPolicies: Policies = Policies.parse({})

/** Without defaults: what is left out stays as it is. */
export const PolicyChanges = z.partial(
  z.object({
    completionThreshold,
    retentionMonths,
    trackingMode,
    consentText,
    smallestGroup,
    maxRate,
    completionEvidence: leastEvidence,
    certificateEvidence: leastEvidence,
    whoMayWatch,
    captionPolicy,
    mfa: MfaPolicy,
    idleMinutes,
    sessionHours,
    senderName,
    replyTo,
    sendPerMinute,
    linkDays,
    approvalThreshold,
    sendWindow: z.nullable(SendWindow),
  }),
)

export const Organization = z.object({
  id: Id,
  name: z.string(),
  slug: z.string(),
  domain: z.nullable(z.string()),
  /** Key of the picture. */
  logo: z.nullable(z.string()),
  /** What `brandOf` makes the colors of its mails and pages from; null: the product's. */
  accentColor: z.nullable(z.string()),
  timeZone: z.string(),
  /** In which its people are spoken to who have none of their own. */
  language: z.enum(languages),
  state: z.enum(organizationStates),
  policies: Policies,
  userCount: z.number(),
  groupCount: z.number(),
  videoCount: z.number(),
  createdAt: Instant,
  updatedAt: Instant,
})
export type Organization = z.infer<typeof Organization>

export const Name = requiredText(200)

/** An IANA name that this machine knows. */
function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

const Domain = z
  .string()
  .check(
    z.overwrite(domainForm),
    z.maxLength(253, 'too_long'),
    z.regex(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/, 'invalid'),
  )

/** `#rrggbb`, in lower case; what becomes of it is in `brand.ts`. */
export const AccentColor = z.string().check(z.trim(), z.toLowerCase(), z.regex(/^#[0-9a-f]{6}$/, 'invalid'))

/** Fields that are left out of a change stay as they are. */
export const OrganizationInput = z.object({
  name: Name,
  domain: z.optional(z.nullable(Domain)),
  accentColor: z.optional(z.nullable(AccentColor)),
  timeZone: z.optional(z.string().check(z.maxLength(100, 'too_long'), z.refine(isTimeZone, 'invalid'))),
  language: z.optional(z.enum(languages)),
  state: z.optional(z.enum(organizationStates)),
  policies: z.optional(PolicyChanges),
})
export type OrganizationInput = z.infer<typeof OrganizationInput>

/** What the administrators of an organization may change about it themselves: everything but its state. */
export const SettingsInput = z.omit(OrganizationInput, { state: true })

export const SearchText = z.optional(z.string().check(z.trim(), z.maxLength(200, 'too_long'), lines))

export const OrgParams = z.object({ orgId: Id })

export const organizationSorts = bothWays('name', 'users', 'createdAt')

/** Which organizations: what a list shows, and a change in bulk is about. */
export const OrganizationFilter = z.object({
  q: SearchText,
  state: z.optional(z.enum(organizationStates)),
  attention: z.optional(z.enum(alertsOf.organizations)),
})
export type OrganizationFilter = z.infer<typeof OrganizationFilter>

export const listOrganizations = endpoint({
  name: 'listOrganizations',
  method: 'GET',
  path: '/organizations',
  summary: 'Organizations that the caller may see; with `q`, those whose name has its words',
  readsAlone: true,
  access: only(everyRole, 'directory'),
  query: z.extend(ListQuery, {
    ...OrganizationFilter.shape,
    sort: z._default(z.enum(organizationSorts), 'name'),
  }),
  reply: listPage(Organization),
})

export const createOrganization = endpoint({
  name: 'createOrganization',
  method: 'POST',
  path: '/organizations',
  summary: 'Create an organization',
  access: only(superadminOnly, 'directory'),
  body: OrganizationInput,
  reply: Organization,
  status: 201,
  idempotent: true,
})

export const readOrganization = endpoint({
  name: 'readOrganization',
  method: 'GET',
  path: '/organizations/:orgId',
  summary: 'One organization',
  readsAlone: true,
  access: only(everyRole, 'directory'),
  params: OrgParams,
  reply: Organization,
})

export const updateOrganization = endpoint({
  name: 'updateOrganization',
  method: 'PUT',
  path: '/organizations/:orgId',
  summary: 'Change an organization',
  access: only(superadminOnly, 'directory'),
  params: OrgParams,
  body: OrganizationInput,
  reply: Organization,
  ifMatch: true,
})

export const updateOrganizationSettings = endpoint({
  name: 'updateOrganizationSettings',
  method: 'PUT',
  path: '/organizations/:orgId/settings',
  summary: 'Change name, domain, color, time zone and policies of your own organization',
  access: only(adminRoles, 'settings'),
  params: OrgParams,
  body: SettingsInput,
  reply: Organization,
  ifMatch: true,
})

export const readWatchers = endpoint({
  name: 'readWatchers',
  method: 'GET',
  path: '/organizations/:orgId/watchers',
  summary:
    'How many people of the organization could not watch where only signed-in people may, and some of them',
  access: only(adminRoles, 'people:read'),
  params: OrgParams,
  reply: z.object({
    /** Whoever may be sent a video. */
    people: z.number(),
    /** Those of them who have no way to sign in. */
    without: z.number(),
    /** The first of these by name, at most five. */
    some: z.array(z.object({ id: Id, name: z.string() })),
  }),
  cacheSeconds: 10,
})

export const changeOrganizationState = endpoint({
  name: 'changeOrganizationState',
  method: 'POST',
  path: '/organizations/:orgId/state',
  summary:
    'Suspend, archive or restore: while it is not active nobody signs in and nothing is sent, and all evidence stays',
  access: only(superadminOnly, 'directory'),
  params: OrgParams,
  body: z.object({ state: z.enum(organizationStates) }),
  reply: Organization,
})

export const deleteOrganization = endpoint({
  name: 'deleteOrganization',
  method: 'DELETE',
  path: '/organizations/:orgId',
  summary: 'Remove an organization; its evidence and its audit entries stay',
  access: only(superadminOnly, 'directory'),
  params: OrgParams,
  reply: Removed,
})

export const readOrganizationDashboard = endpoint({
  name: 'readOrganizationDashboard',
  method: 'GET',
  path: '/organizations/:orgId/dashboard',
  summary: 'Key figures of one organization',
  access: only(everyRole, 'reports:read'),
  readsMuch: true,
  params: OrgParams,
  reply: z.object({
    users: z.number(),
    groups: z.number(),
    videos: z.number(),
    transmissions: z.number(),
    recipients: z.number(),
    /** Of the recipients: there was no mail server, so their mails rest in the outbox. */
    resting: z.number(),
    opened: z.number(),
    completed: z.number(),
    /** Media time watched, in milliseconds; null where so few people watched that it would tell of single ones. */
    watchedMs: z.nullable(z.number()),
    /** Media time watched per day (UTC) over the last 30 days, oldest first; null as above. */
    days: z.array(
      z.object({ day: z.string(), watchedMs: z.nullable(z.number()), viewers: z.nullable(z.number()) }),
    ),
  }),
  cacheSeconds: 10,
})

export const readDashboard = endpoint({
  name: 'readDashboard',
  method: 'GET',
  path: '/dashboard',
  summary: 'Key figures of everything that the caller may see',
  access: only(everyRole, 'reports:read'),
  readsMuch: true,
  reply: z.object({
    organizations: z.number(),
    ...readOrganizationDashboard.reply.shape,
  }),
  cacheSeconds: 10,
})
