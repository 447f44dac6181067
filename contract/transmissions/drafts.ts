import * as z from 'zod/mini'
import { endpoint, Id, only, TransmissionParams, lines, Count } from '../endpoint.ts'
import { When } from './leaving.ts'
import { Letter } from '../identity/mail-preview.ts'
import { adminRoles } from '../roles.ts'
import { Audience, Transmission } from './transmissions.ts'

/** Somebody has written this so far. Whatever is missing is asked for when it is sent. */
const Unfinished = z.extend(Letter, {
  videoId: z.nullable(Id),
  body: z.string().check(z.maxLength(20_000, 'too_long'), lines),
  audience: Audience,
  ...When.shape,
})

export const createDraft = endpoint({
  name: 'createDraft',
  method: 'POST',
  path: '/transmissions/drafts',
  summary: 'Keep what has been written of a transmission so far; nothing of it has to be complete',
  access: only(adminRoles, 'send'),
  body: z.extend(Unfinished, { accountId: Id }),
  reply: Transmission,
  status: 201,
  idempotent: true,
})

export const saveDraft = endpoint({
  name: 'saveDraft',
  method: 'POST',
  path: '/transmissions/:transmissionId/draft',
  summary:
    'Keep what its author has written of a draft so far; refused when it is another version, or no draft any more',
  access: only(adminRoles, 'send'),
  params: TransmissionParams,
  body: z.extend(Unfinished, { version: Count }),
  reply: Transmission,
})
