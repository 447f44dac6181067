import * as z from 'zod/mini'
import { languages } from '../platform/text/languages.ts'
import { anyone, capability, endpoint, FileReply, Id, Instant, only, page, PageQuery } from '../endpoint.ts'
import { evidenceStates } from '../tracking/evidence-states.ts'
import { Failed } from '../quizzes/failed.ts'
import { everyRole } from '../roles.ts'
import { UserParams } from '../directory/users.ts'

/** One line of the list; the certificate itself is a file. */
export const Certificate = z.object({
  id: Id,
  /** Within the organization, from 1. */
  number: z.number(),
  issuedAt: Instant,
  /** Who issued it; null: the person themselves, on the page of the video, or nobody who is still known. */
  issuedBy: z.nullable(z.string()),
  video: z.object({ id: Id, title: z.string() }),
  /** SHA-256, hexadecimal: what the next certificate names. */
  hash: z.string(),
  /** Null once its text is erased, or where nothing but completion is kept. Hundredths of a percent, rounded down. */
  share: z.nullable(z.number()),
  completedAt: z.nullable(Instant),
  /** Whether it states that the questions were passed; null where it states nothing of them. */
  passed: z.nullable(z.boolean()),
  /** The text was erased with the person; number and hash stay, so that the chain can be verified. */
  isErased: z.boolean(),
})
export type Certificate = z.infer<typeof Certificate>

export const readCertificateKey = endpoint({
  name: 'readCertificateKey',
  method: 'GET',
  path: '/certificates/key',
  summary: 'The public keys by which viewing certificates of this installation are verified',
  access: anyone,
  reply: z.object({
    algorithm: z.literal('Ed25519'),
    /** First 16 hexadecimal digits of the SHA-256 of the key. */
    keyId: z.string(),
    /** The 32 bytes of the key, base64url. */
    publicKey: z.string(),
    /** The same for openssl. */
    pem: z.string(),
    /** Those of before the secret of the installation was changed: older certificates name one of them. */
    former: z.array(z.object({ keyId: z.string(), publicKey: z.string() })),
  }),
})

export const issueCertificate = endpoint({
  name: 'issueCertificate',
  method: 'POST',
  path: '/organizations/:orgId/users/:userId/certificates',
  summary:
    'Issue a certificate of what is recorded of a person and the newest version of a video; while nothing has changed, the present one is handed out again',
  access: only(everyRole, 'person'),
  params: UserParams,
  body: z.object({ videoId: Id }),
  reply: Certificate,
  idempotent: true,
})

export const listCertificates = endpoint({
  name: 'listCertificates',
  method: 'GET',
  path: '/organizations/:orgId/users/:userId/certificates',
  summary: 'Certificates of a person, the newest first',
  access: only(everyRole, 'evidence:read'),
  params: UserParams,
  query: z.extend(PageQuery, { videoId: z.optional(Id) }),
  reply: page(Certificate),
  cacheSeconds: 5,
})

export const CertifiableVideo = z.object({
  id: Id,
  title: z.string(),
  lastAt: Instant,
  /** Of the newest version that they watched. */
  completedAt: z.nullable(Instant),
})
export type CertifiableVideo = z.infer<typeof CertifiableVideo>

export const listCertifiable = endpoint({
  name: 'listCertifiable',
  method: 'GET',
  path: '/organizations/:orgId/users/:userId/certifiable',
  summary:
    'Videos of which a certificate can be issued for a person: those that they have watched, the newest viewing first',
  access: only(everyRole, 'evidence:read'),
  params: UserParams,
  reply: z.object({
    /** At most 200. */
    items: z.array(CertifiableVideo),
  }),
  cacheSeconds: 5,
})

export const downloadCertificate = endpoint({
  name: 'downloadCertificate',
  method: 'GET',
  path: '/organizations/:orgId/users/:userId/certificates/:certificateId/file',
  summary: 'A certificate as signed JSON, or as a PDF that carries the same JSON',
  access: only(everyRole, 'evidence:read'),
  params: z.extend(UserParams, { certificateId: Id }),
  query: z.object({ format: z._default(z.enum(['pdf', 'json']), 'pdf') }),
  reply: FileReply,
})

const PlayToken = z.object({ playToken: z.string().check(z.maxLength(2_000)) })

/** What is recorded of the viewer of a play token and their version. Times in media milliseconds. */
export const Receipt = z.object({
  /** Hundredths of a percent, rounded down; null where nothing but completion is kept. */
  share: z.nullable(z.number()),
  /** What is not recorded, as [startMs, endMs); null likewise. */
  missing: z.nullable(z.array(z.tuple([z.number(), z.number()]))),
  /** What is said in each of these, in the same order, from the captions; empty texts where nothing is. Without captions, or before anything was seen: none. */
  unheard: z.array(z.string()),
  completedAt: z.nullable(Instant),
  /**
   * What both sources say so far; null where nothing but completion is kept. `contradicted`: parts that were never handed out, and
   * count neither for completion nor for a certificate.
   */
  evidence: z.nullable(z.enum(evidenceStates)),
  /** Enough is reported to complete it, and the server still looks up what it handed out last: 15 seconds at most. */
  isChecking: z.boolean(),
  /** Questions that have to be answered before it counts as completed. */
  openQuestions: z.number(),
  /** Its questions have to be passed, and were not yet; `failed` says whether that was tried. */
  mustPass: z.boolean(),
  failed: z.nullable(Failed),
  /** Reports that have arrived and are not counted yet: ask again in a second. */
  isBehind: z.boolean(),
  /** Reports of this visit bear the sign of a program, and what they brought does not count. */
  isDoubted: z.boolean(),
  /** Obligations of which nothing is left but to confirm their sentence on the page. */
  toConfirm: z.array(Id),
  /** Title of the video that follows in the path of its assignment; null: none does. */
  next: z.nullable(z.string()),
  /** There is a certificate to be had: for whoever came by a personal link. */
  mayCertify: z.boolean(),
})
export type Receipt = z.infer<typeof Receipt>

export const readReceipt = endpoint({
  name: 'readReceipt',
  method: 'POST',
  path: '/tracks/receipt',
  summary: 'What has been recorded for the viewer of this play token so far',
  access: capability,
  /** `language`: that of the page, in which it is told what is missing. */
  body: z.extend(PlayToken, { language: z.optional(z.enum(languages)) }),
  reply: Receipt,
})

export const takeCertificate = endpoint({
  name: 'takeCertificate',
  method: 'POST',
  path: '/tracks/certificate',
  summary: "The recipient's own certificate as PDF, once they have completed the video",
  access: capability,
  /** `language`: of the page that it is taken from; else that of the person. */
  body: z.extend(PlayToken, { language: z.optional(z.enum(languages)) }),
  reply: FileReply,
})
