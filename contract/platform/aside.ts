import * as z from 'zod/mini'
import { endpoint, Id, Instant, only } from '../endpoint.ts'
import { superadminOnly } from '../roles.ts'

/**
 * Everything that takes from a list and steps over what it cannot work on, and what else becomes of that: `again` is tried by itself, at
 * growing intervals; `kept` as well, and is known by nothing but its row, so that it can be discarded.
 */
export const asideLoops = {
  evidence: 'again',
  evidence_checks: 'again',
  figures: 'again',
  assignments: 'again',
  newcomers: 'again',
  assignment_messages: 'again',
  late_digests: 'again',
  sending: 'again',
  returns: 'kept',
  mail_events: 'kept',
  report_schedules: 'again',
  senders: 'again',
  uploads: 'again',
  events: 'again',
  housekeeping: 'again',
} as const
export type AsideLoop = keyof typeof asideLoops
export const asideNames = Object.keys(asideLoops) as [AsideLoop, ...AsideLoop[]]

export const SetAside = z.object({
  id: Id,
  loop: z.enum(asideNames),
  /** As the program calls it. */
  item: z.string(),
  /** In the words of the program. */
  reason: z.string(),
  organizationName: z.nullable(z.string()),
  /** What it is about, where that has a page. */
  video: z.nullable(z.object({ id: Id, title: z.string() })),
  transmission: z.nullable(z.object({ id: Id, subject: z.string() })),
  /** Who of it. */
  person: z.nullable(z.object({ id: Id, name: z.string() })),
  since: Instant,
  tries: z.number(),
  lastTryAt: Instant,
})
export type SetAside = z.infer<typeof SetAside>

const ListOfSetAside = z.object({
  count: z.number(),
  /** Those that were set aside last, a hundred at most. */
  items: z.array(SetAside),
})

export const readSetAside = endpoint({
  name: 'readSetAside',
  method: 'GET',
  path: '/system/set-aside',
  summary: 'What background work has stepped over, why, and when it is tried again',
  access: only(superadminOnly, 'settings'),
  reply: ListOfSetAside,
  cacheSeconds: 2,
})

export const trySetAsideAgain = endpoint({
  name: 'trySetAsideAgain',
  method: 'POST',
  path: '/system/set-aside/:asideId/retry',
  summary: 'Try again now what background work has stepped over',
  access: only(superadminOnly, 'settings'),
  params: z.object({ asideId: Id }),
  reply: ListOfSetAside,
})

export const discardSetAside = endpoint({
  name: 'discardSetAside',
  method: 'DELETE',
  path: '/system/set-aside/:asideId',
  summary: 'Give up a report or a mail that background work has stepped over: it is not tried again',
  access: only(superadminOnly, 'settings'),
  params: z.object({ asideId: Id }),
  reply: ListOfSetAside,
})
