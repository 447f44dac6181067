import * as z from 'zod/mini'
import { endpoint, Id, Instant, only, page, PageQuery } from '../endpoint.ts'
import { operationKinds } from '../operations.ts'
import { everyRole } from '../roles.ts'
import { transmissionReasons } from '../transmissions/transmission-reasons.ts'

/** What somebody is told about: a thing, and what has become of it without their doing. */
export const notificationKinds = [
  'operation.done',
  'operation.failed',
  'operation.cancelled',
  'operation.undone',
  'transmission.approval_wanted',
  'transmission.approved',
  'transmission.rejected',
  'transmission.held',
  'transmission.paused',
  'transmission.cancelled',
  'transmission.completed',
  'transmission.failed',
  'video.ready',
  'video.failed',
  'video.recognised',
  'video.not_recognised',
  'invitation.expired',
] as const
export type NotificationKind = (typeof notificationKinds)[number]

/** Days after which a notification is forgotten, read or not. */
export const notificationDays = 90

/** Beyond it the number of unread ones is not counted any further. */
export const mostUnread = 1_000

/** What the sentence needs beside the thing. Names of people are not kept here: they are looked up, or gone. */
export const NotificationParams = z.object({
  operation: z.optional(z.enum(operationKinds)),
  /** Things that the operation was about, or people whom a transmission would reach. */
  total: z.optional(z.number()),
  /** What they have become, where that is one word. */
  becomes: z.optional(z.string()),
  /** Things that were changed, or people who got the message. */
  done: z.optional(z.number()),
  /** Things that could not be changed, or people whom the message did not reach. */
  failed: z.optional(z.number()),
  /** Mails of a transmission that rest in the outbox, among those that are done. */
  resting: z.optional(z.number()),
  /** Why a transmission was stopped by the product itself; without it a person did. */
  reason: z.optional(z.enum(transmissionReasons)),
})
export type NotificationParams = z.infer<typeof NotificationParams>

export const Notification = z.object({
  id: Id,
  kind: z.enum(notificationKinds),
  /** Null: about the installation. */
  organizationId: z.nullable(Id),
  organizationName: z.nullable(z.string()),
  /** The operation, transmission, video or invitation. */
  entityId: Id,
  /** Its name at this moment; null where it has none, or is gone. */
  subject: z.nullable(z.string()),
  /** Whether its page can still be opened. */
  isThere: z.boolean(),
  params: NotificationParams,
  /** What the person wrote who decided; null where nobody wrote anything. */
  note: z.nullable(z.string()),
  createdAt: Instant,
  readAt: z.nullable(Instant),
})
export type Notification = z.infer<typeof Notification>

export const listNotifications = endpoint({
  name: 'listNotifications',
  method: 'GET',
  path: '/notifications',
  summary: 'What the caller was told in the last 90 days, newest first',
  access: only(everyRole, 'person'),
  whileImpersonating: false,
  query: z.extend(PageQuery, { show: z._default(z.enum(['all', 'unread']), 'all') }),
  reply: z.extend(page(Notification), { unread: z.number() }),
  cacheSeconds: 5,
})

export const NotificationState = z.object({
  unread: z.number(),
  /** Opaque; another one after every change. */
  mark: z.string(),
})
export type NotificationState = z.infer<typeof NotificationState>

export const watchNotifications = endpoint({
  name: 'watchNotifications',
  method: 'GET',
  path: '/notifications/state',
  summary:
    'Number of unread notifications; with the mark of the last answer, it waits until something has changed',
  access: only(everyRole, 'person'),
  whileImpersonating: false,
  ownTransactions: true,
  query: z.object({
    /** Answers when the mark is another one, at the latest after 25 s; without it at once. */
    after: z.optional(z.string().check(z.maxLength(100))),
  }),
  reply: NotificationState,
  cacheSeconds: 0,
})

export const readNotification = endpoint({
  name: 'readNotification',
  method: 'POST',
  path: '/notifications/:notificationId/read',
  summary: 'Mark a notification as read',
  access: only(everyRole, 'person'),
  params: z.object({ notificationId: Id }),
  reply: NotificationState,
})

export const readNotifications = endpoint({
  name: 'readNotifications',
  method: 'POST',
  path: '/notifications/read',
  summary: 'Mark notifications as read, up to the newest that the caller has seen',
  access: only(everyRole, 'person'),
  body: z.object({
    /** What came after it stays unread. */
    newestId: Id,
  }),
  reply: NotificationState,
})
