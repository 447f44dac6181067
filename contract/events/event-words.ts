import type { EventType } from './event-types.ts'

/** When each event happens. */
export const eventWords: Record<EventType, string> = {
  'person.created': 'Somebody was added, or came back',
  'person.changed': 'Something of a person was changed',
  'person.left': 'Somebody was removed',
  'delivery.accepted': 'A message was taken',
  'delivery.returned': 'A message came back or was refused',
  'delivery.unknown': 'Nobody knows whether a message arrived',
  'video.opened': 'Somebody opened a video',
  'video.completed': 'Somebody completed a video',
  'questions.passed': 'Somebody passed the questions',
  'questions.failed': 'Somebody failed the questions',
  'certificate.issued': 'A certificate was issued',
  'assignment.overdue': 'An assignment is late',
  'assignment.done': 'An assignment is done',
  'assignment.expiring': 'What was done expires soon',
  'import.finished': 'An import has finished',
}
