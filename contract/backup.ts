import * as z from 'zod/mini'
import { endpoint, Instant, only, wholeBetween } from './endpoint.ts'
import { superadminOnly } from './roles.ts'

/** In the order in which they are copied; a check reads the files first. */
export const backupSteps = ['tables', 'files'] as const

/**
 * By whom a backup was signed. `unsigned`: by nobody, as in releases before. `foreign`: by another secret, or for another content.
 * `unknown`: there is no secret to tell by.
 */
export const backupOrigins = ['ours', 'unsigned', 'foreign', 'unknown'] as const
export type BackupOrigin = (typeof backupOrigins)[number]

/** How often the plan restores the newest backup into a place that is thrown away: once a week, or every one that it makes. */
export const checkRhythms = ['week', 'backup', 'never'] as const
export type CheckRhythm = (typeof checkRhythms)[number]

/** The least and the most of the numbers of a plan. */
export const planRanges = { hour: [0, 23], daily: [1, 365], weekly: [0, 520], monthly: [0, 120] } as const

/** When backups are made by themselves, and which of them stay. */
export const BackupPlanInput = z.object({
  isOn: z.boolean(),
  /** UTC. */
  hour: wholeBetween(...planRanges.hour),
  /** So many days, weeks and months keep their newest backup. */
  daily: wholeBetween(...planRanges.daily),
  weekly: wholeBetween(...planRanges.weekly),
  monthly: wholeBetween(...planRanges.monthly),
  checkEvery: z.enum(checkRhythms),
})
export type BackupPlanInput = z.infer<typeof BackupPlanInput>

const BackupPlan = z.extend(BackupPlanInput, { updatedAt: Instant })

export const readBackupPlan = endpoint({
  name: 'readBackupPlan',
  method: 'GET',
  path: '/system/backup-plan',
  summary: 'When this installation is backed up by itself, and which backups stay',
  access: only(superadminOnly, 'settings'),
  reply: BackupPlan,
  cacheSeconds: 2,
})

export const updateBackupPlan = endpoint({
  name: 'updateBackupPlan',
  method: 'PUT',
  path: '/system/backup-plan',
  summary: 'Change when this installation is backed up by itself, and which backups stay',
  access: only(superadminOnly, 'person'),
  fresh: true,
  body: BackupPlanInput,
  reply: BackupPlan,
  ifMatch: true,
})

export const Backup = z.object({
  /** What belongs to it lies below this name. */
  name: z.string(),
  /** `database`: the tables alone, before a migration. */
  kind: z.enum(['whole', 'database']),
  /** The moment whose state it holds. */
  at: Instant,
  tookMs: z.number(),
  /** Of its tables as they are kept, and of all files that it names. */
  bytes: z.number(),
  /** What it took of the disk. */
  newBytes: z.number(),
  isEncrypted: z.boolean(),
  origin: z.enum(backupOrigins),
  /** It was restored into a place that was thrown away; `fault`: in words, what was not as it should be. */
  checked: z.nullable(z.object({ at: Instant, fault: z.nullable(z.string()) })),
})
export type Backup = z.infer<typeof Backup>

export const Backups = z.object({
  /** Where they lie: a folder of the server's machine, or the address of a bucket with the beginning of their names. */
  folder: z.string(),
  /** For whom they are encrypted from now on; null: for nobody. */
  recipient: z.nullable(z.string()),
  /** False: the server does not know the owner of the tables, and cannot make any. */
  canMake: z.boolean(),
  /** `total` tables, or bytes of files, of which `done` are copied or read; null before the first. */
  running: z.nullable(
    z.object({
      work: z.enum(['backup', 'check']),
      since: Instant,
      step: z.nullable(z.enum(backupSteps)),
      done: z.nullable(z.number()),
      total: z.nullable(z.number()),
    }),
  ),
  /** One was asked for and has not begun. */
  isAsked: z.boolean(),
  /** Of the last one that was not made, where none was made after it; in the words of the program. */
  failure: z.nullable(z.object({ at: Instant, message: z.string() })),
  /** Why the last check of the plan came to no result. */
  checkFailure: z.nullable(z.object({ at: Instant, message: z.string() })),
  /** Names of those, of whatever installation, whose description cannot be read: they stay, and so do all files of all backups. */
  unreadable: z.array(z.string()),
  /** Newest first. */
  items: z.array(Backup),
})
export type Backups = z.infer<typeof Backups>

export const readBackups = endpoint({
  name: 'readBackups',
  method: 'GET',
  path: '/system/backups',
  summary: 'Every backup of this installation, what is made or checked right now, and what went wrong',
  access: only(superadminOnly, 'settings'),
  reply: Backups,
  cacheSeconds: 2,
})

export const startBackup = endpoint({
  name: 'startBackup',
  method: 'POST',
  path: '/system/backups',
  summary: 'Back up now',
  access: only(superadminOnly, 'settings'),
  reply: Backups,
  status: 202,
})
