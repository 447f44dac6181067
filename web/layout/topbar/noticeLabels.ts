import { language } from '#contract/platform/text/language.ts'
import type { Notification, NotificationKind } from '#contract/notifications/notifications.ts'
import type { OperationState } from '#contract/operations.ts'
import { paths } from '#web/paths.ts'
import { formatNumber, plural } from '#web/ui/format.ts'
import { titleOf } from '../../lists/operations/titles.ts'

type Tone = 'success' | 'danger' | 'warning' | 'info'
type NoticeText = { title: string; detail: string }

const tones: Record<NotificationKind, Tone> = {
  'operation.done': 'success',
  'operation.failed': 'danger',
  'operation.cancelled': 'warning',
  'operation.undone': 'info',
  'transmission.approval_wanted': 'warning',
  'transmission.approved': 'success',
  'transmission.rejected': 'warning',
  'transmission.held': 'warning',
  'transmission.paused': 'warning',
  'transmission.cancelled': 'warning',
  'transmission.completed': 'success',
  'transmission.failed': 'danger',
  'video.ready': 'success',
  'video.failed': 'danger',
  'video.recognised': 'success',
  'video.not_recognised': 'danger',
  'invitation.expired': 'warning',
}

/** What went well, but not with everybody, wants a look. */
export function toneOf({ kind, params }: Notification): Tone {
  return tones[kind] === 'success' && (params.failed ?? 0) > 0 ? 'warning' : tones[kind]
}

const stopReasons = {
  no_recipients: 'Nobody whom it is meant for can get mail',
  many_rejected: 'The mail server refuses many of the mails',
  many_returned: 'Many of the mails came back or were not wanted',
  sender_refused: 'The mail server refuses the sender',
  wave_troubled: 'Too many mails of a wave did not arrive',
  organization_closed: 'The organization is suspended or archived',
  audience_grown: 'It would go to more people, or others, than were approved',
  audience_changed: 'Whom it goes to was changed after the approval',
  time_passed: 'Its time has passed',
  restored: 'The installation was restored or copied',
  video_not_ready: 'It waits until the video is ready',
  video_failed: 'Its video could not be prepared',
  video_removed: 'Its video was removed',
  sender_unverified: 'The address of the sender is not confirmed',
  webhook_missing: 'There is no address for SMS and chat',
} as const

/** One sentence, and what there is to say beside it. */
export function wordsOf(notification: Notification): NoticeText {
  return said[notification.kind](notification)
}

const said: Record<NotificationKind, (notification: Notification) => NoticeText> = {
  'operation.done': (one) => ({ title: workOf(one, 'done'), detail: leftOf(one) }),
  'operation.failed': (one) => ({ title: `Failed: ${workOf(one, 'running')}`, detail: soFar(one) }),
  'operation.cancelled': (one) => ({ title: `Stopped: ${workOf(one, 'running')}`, detail: soFar(one) }),
  'operation.undone': (one) => ({ title: workOf(one, 'undone'), detail: leftOf(one) }),
  'transmission.approval_wanted': (one) => ({
    title: `Approval wanted: ${nameOf(one)}`,
    detail: [`To ${plural(one.params.total ?? 0, 'person', 'people')}`, reasonOf(one)]
      .filter(Boolean)
      .join('. '),
  }),
  'transmission.approved': (one) => ({
    title: `Approved: ${nameOf(one)}`,
    detail: `For ${plural(one.params.total ?? 0, 'person', 'people')}`,
  }),
  'transmission.rejected': (one) => ({
    title: `Rejected: ${nameOf(one)}`,
    detail: one.note === null ? 'Its page says why' : `“${one.note}”`,
  }),
  'transmission.held': (one) => ({ title: `Held: ${nameOf(one)}`, detail: reasonOf(one) }),
  'transmission.paused': (one) => ({
    title: `Sending stopped: ${nameOf(one)}`,
    detail: reasonOf(one) || 'Somebody paused it',
  }),
  'transmission.cancelled': (one) => ({
    title: `Sending cancelled: ${nameOf(one)}`,
    detail: 'Nothing more is sent',
  }),
  'transmission.completed': (one) =>
    (one.params.resting ?? 0) > 0
      ? { title: `In the outbox: ${nameOf(one)}`, detail: 'No mail server is set up' }
      : { title: `Sent: ${nameOf(one)}`, detail: reachedOf(one) },
  'transmission.failed': (one) => ({ title: `Not sent: ${nameOf(one)}`, detail: reasonOf(one) }),
  'video.ready': (one) => ({ title: `Ready to play: ${nameOf(one)}`, detail: '' }),
  'video.failed': (one) => ({
    title: `The video could not be made: ${nameOf(one)}`,
    detail: 'Its page says why',
  }),
  'video.recognised': (one) => ({
    title: `Speech recognised: ${nameOf(one)}`,
    detail: 'Read its captions before people rely on them',
  }),
  'video.not_recognised': (one) => ({
    title: `Speech not recognised: ${nameOf(one)}`,
    detail: 'Its page says why',
  }),
  'invitation.expired': (one) => ({
    title: `Invitation expired: ${nameOf(one)}`,
    detail: 'Invite again if it is still wanted',
  }),
}

const nameOf = ({ subject }: Notification) => subject ?? 'what was removed since'
const reasonOf = ({ params }: Notification) => (params.reason ? stopReasons[params.reason] : '')

function workOf({ subject, params }: Notification, state: OperationState): string {
  const { operation = 'users.change', total = 0, becomes = null } = params
  return titleOf({ kind: operation, subject, becomes, total, state })
}

const leftOf = ({ params: { failed = 0 } }: Notification) =>
  failed > 0 ? `${plural(failed, 'row')} could not be done` : ''

const soFar = ({ params: { done = 0 } }: Notification) =>
  done === 0 ? 'Nothing was changed' : `${plural(done, 'row')} had been done by then`

function reachedOf({ params: { done = 0, failed = 0 } }: Notification): string {
  const reached = `Left for ${plural(done, 'person', 'people')}`
  return failed === 0 ? reached : `${reached}, ${formatNumber(failed)} not reached`
}

/** Null: there is no page of it any more. */
export function pathOf({ kind, entityId, organizationId, isThere }: Notification): string | null {
  if (!isThere) return null
  if (kind.startsWith('operation.')) return paths.operation(entityId)
  if (kind.startsWith('transmission.')) return paths.transmission(entityId)
  if (kind.startsWith('video.')) return paths.video(entityId)
  return organizationId === null ? paths.superadminInvitations() : paths.organizationInvite(organizationId)
}

export type Day = { name: string; notifications: Notification[] }

const dayName = new Intl.DateTimeFormat(language, { weekday: 'long', month: 'long', day: 'numeric' })

/** By the days of the person who reads. The list is in the order of time already. */
export function daysOf(list: readonly Notification[], now = new Date()): Day[] {
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1)
  const near = new Map([
    [now.toDateString(), 'Today'],
    [yesterday.toDateString(), 'Yesterday'],
  ])
  const days: Day[] = []
  for (const notification of list) {
    const at = new Date(notification.createdAt)
    const name = near.get(at.toDateString()) ?? dayName.format(at)
    const last = days.at(-1)
    if (last?.name === name) last.notifications.push(notification)
    else days.push({ name, notifications: [notification] })
  }
  return days
}
