import * as z from 'zod/mini'
import { endpoint, Id, Instant, Nothing, only, page, PageQuery } from './endpoint.ts'
import { everyRole } from './roles.ts'

/** A message that the caller was sent. */
export const InboxMessage = z.object({
  id: Id,
  subject: z.string(),
  sender: z.string(),
  video: z.string(),
  sentAt: Instant,
  /** By when they are asked to have watched; null: no such day. */
  dueAt: z.nullable(Instant),
  /** It was opened, here or by its link. */
  isRead: z.boolean(),
})
export type InboxMessage = z.infer<typeof InboxMessage>

/** Something that the caller has to watch. */
export const Owed = z.object({
  videoId: Id,
  title: z.string(),
  /** Of its assignment; null: a message asked for it. */
  name: z.nullable(z.string()),
  dueAt: z.nullable(Instant),
  isLate: z.boolean(),
  /** Whole percent that they have seen; null: nothing, or that is not told. */
  share: z.nullable(z.number()),
  /** The message that leads there; null: none does any more. */
  messageId: z.nullable(Id),
})
export type Owed = z.infer<typeof Owed>

export const listInbox = endpoint({
  name: 'listInbox',
  method: 'GET',
  path: '/auth/inbox',
  summary: 'Messages that the caller was sent, newest first; their links only one by one, as each is opened',
  access: only(everyRole, 'person'),
  whileImpersonating: false,
  query: z.extend(PageQuery, { show: z._default(z.enum(['all', 'unread']), 'all') }),
  reply: page(InboxMessage),
  cacheSeconds: 2,
})

export const readOwed = endpoint({
  name: 'readOwed',
  method: 'GET',
  path: '/auth/inbox/owed',
  summary: 'What the caller has still to watch, the most urgent first',
  access: only(everyRole, 'person'),
  whileImpersonating: false,
  reply: z.object({ items: z.array(Owed) }),
  cacheSeconds: 2,
})

export const readInboxState = endpoint({
  name: 'readInboxState',
  method: 'GET',
  path: '/auth/inbox/state',
  summary: 'How many messages of the caller are unread, and whether they were ever sent one',
  access: only(everyRole, 'person'),
  whileImpersonating: false,
  reply: z.object({ unread: z.number(), hasAny: z.boolean() }),
  cacheSeconds: 2,
})

export const openMessage = endpoint({
  name: 'openMessage',
  method: 'POST',
  path: '/auth/inbox/:deliveryId/open',
  summary: 'Mark a message as read, and answer where its personal link leads',
  access: only(everyRole, 'person'),
  params: z.object({ deliveryId: Id }),
  body: Nothing,
  reply: z.object({ path: z.string() }),
})
