import * as z from 'zod/mini'
import { endpoint, Id, Instant, only } from '../endpoint.ts'
import { superadminOnly } from '../roles.ts'

const Bytes = z.number()

export const readStorage = endpoint({
  name: 'readStorage',
  method: 'GET',
  path: '/system/storage',
  summary: 'Where the data lies, what takes how much of it, and which organizations have most',
  access: only(superadminOnly, 'settings'),
  ownTransactions: true,
  reply: z.object({
    /** Where files lie: a folder of the machine of the server, or a bucket. */
    store: z.object({ kind: z.enum(['folder', 's3']), place: z.string() }),
    /** False: the database is another one than that in the folder of the data. */
    hasDatabase: z.boolean(),
    /** Of the file system of the folder of the data; null where the system does not say. */
    disk: z.object({ freeBytes: z.nullable(Bytes), totalBytes: z.nullable(Bytes) }),
    parts: z.object({
      /** What is played: all sizes of each video, with pictures. */
      videos: Bytes,
      /** Files as they were uploaded. */
      sources: Bytes,
      /** Files that have not arrived whole. */
      uploads: Bytes,
      database: Bytes,
    }),
    /** Videos and sources by organization, largest first. */
    organizations: z.array(z.object({ id: Id, name: z.string(), bytes: Bytes })),
    /** The largest file that can be uploaded. */
    largestUpload: Bytes,
  }),
  cacheSeconds: 30,
})

/**
 * Every kind of background work, and who begins it again once it has failed for good: `offered` to superadmins, because it reads
 * anew how things stand; `itself`, at its next time; `video`: the page of the video, which knows whether another try can help.
 */
export const jobKinds = {
  'video.probe': 'video',
  'video.process': 'video',
  'captions.recognise': 'video',
  'transmission.run': 'offered',
  'operation.run': 'offered',
  'mail.send': 'offered',
  'mail.returns': 'itself',
  'sample.fill': 'offered',
  'reports.send': 'itself',
  housekeeping: 'itself',
  'backup.run': 'itself',
} as const
export type JobKind = keyof typeof jobKinds
const kinds = Object.keys(jobKinds) as [JobKind, ...JobKind[]]

export const JobFailure = z.object({
  id: Id,
  kind: z.enum(kinds),
  at: Instant,
  /** In the words of the program. */
  message: z.nullable(z.string()),
  organizationName: z.nullable(z.string()),
  /** What it was about, as far as it is still there. */
  video: z.nullable(z.object({ id: Id, title: z.string() })),
  transmission: z.nullable(z.object({ id: Id, subject: z.string() })),
})
export type JobFailure = z.infer<typeof JobFailure>

export const Jobs = z.object({
  kinds: z.array(
    z.object({
      kind: z.enum(kinds),
      waiting: z.number(),
      /** What waits for its time, another try included. */
      later: z.number(),
      running: z.number(),
      failed: z.number(),
      /** Why the last try of one ended that has failed or is tried again, in the words of the program. */
      lastError: z.nullable(z.string()),
      /** Since when the first waits that could begin; null when none does. */
      oldestSeconds: z.nullable(z.number()),
    }),
  ),
  /** Newest first, fifty at most. */
  failures: z.array(JobFailure),
})

export const readJobs = endpoint({
  name: 'readJobs',
  method: 'GET',
  path: '/system/jobs',
  summary: 'Background work: what waits, runs and has failed',
  access: only(superadminOnly, 'settings'),
  reply: Jobs,
  cacheSeconds: 2,
})

export const retryJob = endpoint({
  name: 'retryJob',
  method: 'POST',
  path: '/system/jobs/:jobId/retry',
  summary: 'Begin a piece of background work again that has failed for good',
  access: only(superadminOnly, 'settings'),
  params: z.object({ jobId: Id }),
  reply: Jobs,
})
