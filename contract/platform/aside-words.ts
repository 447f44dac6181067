import type { AsideLoop } from './aside.ts'

/** What a loop works on, and what it has stepped over. */
export const asideWords: Record<AsideLoop, { name: string; says: string }> = {
  evidence: {
    name: 'Reports of viewing',
    says: 'A report of viewing could not be counted. It stays in the log.',
  },
  evidence_checks: {
    name: 'Checks of viewing',
    says: 'What somebody has viewed could not be compared with what was handed out.',
  },
  figures: {
    name: 'Figures and rules',
    says: 'A figure could not be worked out. Pages show it as it was before.',
  },
  assignments: {
    name: 'Assignments',
    says: 'It could not be worked out who owes an assignment.',
  },
  newcomers: {
    name: 'New people in assignments',
    says: 'What new people in an assignment had watched before could not be counted.',
  },
  assignment_messages: {
    name: 'Messages of assignments',
    says: 'The messages of an assignment could not be sent.',
  },
  late_digests: {
    name: 'Mails about who is late',
    says: 'Somebody could not be told who is late.',
  },
  sending: {
    name: 'Sending',
    says: 'A transmission or a mail could not be sent further, or somebody could not be put on a list of recipients.',
  },
  returns: {
    name: 'Mails that come back',
    says: 'A mail that came back could not be taken. It lies in the mailbox unread.',
  },
  mail_events: {
    name: 'Reports of the mail provider',
    says: 'A report of the mail provider could not be taken.',
  },
  report_schedules: {
    name: 'Reports by mail',
    says: 'It could not be worked out when a report is to be mailed next.',
  },
  senders: {
    name: 'Addresses of senders',
    says: 'The DNS records of a sender could not be looked at.',
  },
  uploads: {
    name: 'Uploaded files',
    says: 'An uploaded file could not be brought to its place or on to its conversion.',
  },
  events: {
    name: 'Events for other systems',
    says: 'Events could not be put into the queue of an address, or posted from it.',
  },
  housekeeping: {
    name: 'Tidying up',
    says: 'Something could not be removed, ended, reminded of or sealed.',
  },
}
