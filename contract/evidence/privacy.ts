import * as z from 'zod/mini'
import { CodeSent } from '../identity/auth.ts'
import { capability, endpoint, FileReply, only } from '../endpoint.ts'
import { OrgParams } from '../directory/organizations.ts'
import { adminRoles } from '../roles.ts'
import { UserParams } from '../directory/users.ts'

const Day = z.iso.date()

export const readRetention = endpoint({
  name: 'readRetention',
  method: 'GET',
  path: '/organizations/:orgId/retention',
  summary: 'Which viewing evidence will be deleted next, and when',
  access: only(adminRoles, 'evidence:read'),
  params: OrgParams,
  reply: z.object({
    months: z.number(),
    /** Of viewing that is kept, the oldest day (UTC) and the day on which it is deleted; null while there is none. */
    oldest: z.nullable(Day),
    on: z.nullable(Day),
  }),
  cacheSeconds: 10,
})
/** What an erasure is about, in numbers of rows. */
export const ErasureCounts = z.object({
  videos: z.number(),
  sessions: z.number(),
  spans: z.number(),
  events: z.number(),
  batches: z.number(),
  /** Attempts at quizzes, with their answers. */
  attempts: z.number(),
  /** Certificates whose text goes; their places in the chain stay. */
  certificates: z.number(),
  consents: z.number(),
})
export type ErasureCounts = z.infer<typeof ErasureCounts>

export const readErasure = endpoint({
  name: 'readErasure',
  method: 'GET',
  path: '/organizations/:orgId/users/:userId/erasure',
  summary: 'What erasing the viewing evidence of a person would delete',
  access: only(adminRoles, 'evidence:read'),
  params: UserParams,
  reply: z.object({
    counts: ErasureCounts,
    /** Somebody has asked for it to happen when the person is erased after a removal. */
    isPlanned: z.boolean(),
  }),
  cacheSeconds: 2,
})

export const eraseEvidence = endpoint({
  name: 'eraseEvidence',
  method: 'POST',
  path: '/organizations/:orgId/users/:userId/erasure',
  summary:
    'Erase the viewing evidence of a person for good, at once or when the person is erased 30 days after a removal; totals are set right',
  access: only(adminRoles, 'person'),
  fresh: true,
  params: UserParams,
  body: z.object({ when: z.enum(['now', 'with_person']) }),
  reply: z.object({ counts: ErasureCounts, isPlanned: z.boolean() }),
})

export const keepEvidence = endpoint({
  name: 'keepEvidence',
  method: 'DELETE',
  path: '/organizations/:orgId/users/:userId/erasure',
  summary: 'Keep the viewing evidence of a person under a pseudonym after all, when the person is erased',
  access: only(adminRoles, 'person'),
  params: UserParams,
  reply: z.object({ counts: ErasureCounts, isPlanned: z.boolean() }),
})

/** Parts of the file about one person, and what each of them holds. */
export const personDataParts = {
  profile: 'Name, addresses, role and the fields of the organization, as they are now',
  memberships: 'Groups they are in, and every change of that',
  messages: 'Messages that were sent to them, with their video and what became of each',
  invitations: 'Invitations to the console',
  videos: 'Each version of a video: what they have seen, how long they watched, when they completed it',
  sessions:
    'Each viewing session: its times, browser, shortened network, the parts that earned credit, every span and event, and the media time that the server handed out',
  quizzes: 'Attempts at the questions of videos, with every answer as it was given and graded',
  waivers: 'Videos that they need not watch: who decided so, when, why and until when',
  obligations:
    'What assignments ask of them: since when, by when, how far they are, what they confirmed, and what was decided about it',
  certificates: 'Certificates of viewing, word by word',
  consents:
    'Texts of the organization that they had before them when they pressed play, and the day of the first time',
  signIns: 'Sign-ins to the console: times, browser, shortened network, and why one ended before its time',
  devices: 'Browsers that are known from earlier sign-ins',
  connections: 'Accounts of a company’s own sign-in by which they sign in, and what it last said about them',
  factors: 'Passkeys, authenticator apps and recovery codes: since when, and when last used; never a secret',
  views: 'Views of lists that they have saved',
  reportSchedules: 'Reports that are mailed to them by plan',
  notifications: 'Notifications in the console, and when they were read',
  hiddenAlerts: 'Alerts of the dashboard that they have hidden for a while',
  barred: 'Why and since when no messages go to their address',
  actions: 'What they did in the console, as the audit log has it',
  log: 'Entries of the audit log about them',
} as const
export type PersonDataPart = keyof typeof personDataParts

export const exportPersonData = endpoint({
  name: 'exportPersonData',
  method: 'GET',
  path: '/organizations/:orgId/users/:userId/data-export',
  summary:
    'Everything that is kept about a person, as one JSON file; without viewing sessions and shares where only completions are recorded',
  access: only(adminRoles, 'evidence:read'),
  params: UserParams,
  ownTransactions: true,
  reply: FileReply,
})

/** Parts of the file that somebody takes by their own link: of what is kept about them, what follows from messages and videos. */
export const ownDataParts = ['messages', 'videos', 'sessions', 'quizzes', 'certificates', 'consents'] as const

export const askOwnDataCode = endpoint({
  name: 'askOwnDataCode',
  method: 'POST',
  path: '/tracks/own-data/code',
  summary:
    'Mail a code to the person whose personal link opened the page: a link that was passed on hands out no data',
  access: capability,
  body: z.object({ playToken: z.string().check(z.maxLength(2_000)) }),
  reply: CodeSent,
  status: 202,
})

export const takeOwnData = endpoint({
  name: 'takeOwnData',
  method: 'POST',
  path: '/tracks/own-data',
  summary:
    'What the organization keeps about whoever holds this play token, as one JSON file: about the person, with a code that was mailed to them and the flow of its answer; else about this visit alone. Right answers are left out',
  access: capability,
  body: z.object({
    playToken: z.string().check(z.maxLength(2_000)),
    /** Not asked of a visit without a personal link. */
    code: z.optional(z.string().check(z.trim(), z.maxLength(20))),
  }),
  reply: FileReply,
  flow: true,
})
