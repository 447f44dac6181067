import * as z from 'zod/mini'
import { endpoint, FileBody, only, requiredText, wholeBetween } from '../endpoint.ts'
import { superadminOnly } from '../roles.ts'

/** Bytes of a model, and of each piece of one that is sent but the last. */
export const largestModel = 4 * 2 ** 30
export const modelPiece = 8 * 2 ** 20
export const modelType = 'application/octet-stream'

const sha256 = z.string().check(z.trim(), z.toLowerCase(), z.regex(/^[0-9a-f]{64}$/, 'invalid'))

export const SpeechModel = z.object({
  model: z.nullable(
    z.object({
      /** `operator`: named in the settings of the program, and changed there. */
      source: z.enum(['operator', 'uploaded']),
      name: z.string(),
      /** Where the operator has it. */
      file: z.nullable(z.string()),
      sha256: z.string(),
      /** Null: the operator has it, and this server prepares no videos. */
      isThere: z.nullable(z.boolean()),
    }),
  ),
  /** One that has not arrived to its end. */
  upload: z.nullable(z.object({ name: z.string(), size: z.number(), arrived: z.number() })),
})
export type SpeechModel = z.infer<typeof SpeechModel>

export const readSpeechModel = endpoint({
  name: 'readSpeechModel',
  method: 'GET',
  path: '/system/speech-model',
  summary: 'Which model this installation recognises speech with, and how much of another one has arrived',
  access: only(superadminOnly, 'settings'),
  reply: SpeechModel,
  cacheSeconds: 0,
})

export const beginSpeechModel = endpoint({
  name: 'beginSpeechModel',
  method: 'POST',
  path: '/system/speech-model/upload',
  summary:
    'Begin to send a model in the format of whisper.cpp, in place of one whose sending was begun; the one that is in use stays until this one is there',
  access: only(superadminOnly, 'person'),
  body: z.object({
    name: requiredText(200),
    size: wholeBetween(1, largestModel),
    /** As it is published; a file that has another one is not taken. */
    sha256: z.optional(sha256),
  }),
  reply: SpeechModel,
  idempotent: true,
})

export const sendSpeechModel = endpoint({
  name: 'sendSpeechModel',
  method: 'POST',
  path: '/system/speech-model/pieces',
  summary:
    'Send the next piece of a model, of 8 MiB each but the last, which begins where `arrived` says; with the last one its checksum is looked at',
  access: only(superadminOnly, 'person'),
  query: z.object({ offset: z.string().check(z.regex(/^\d{1,12}$/, 'invalid')) }),
  body: FileBody,
  bodyTypes: [modelType],
  bodyBytes: modelPiece,
  ownTransactions: true,
  reply: SpeechModel,
})

export const deleteSpeechModel = endpoint({
  name: 'deleteSpeechModel',
  method: 'DELETE',
  path: '/system/speech-model',
  summary: 'Remove the model that was sent, and what has arrived of another one',
  access: only(superadminOnly, 'person'),
  ownTransactions: true,
  reply: SpeechModel,
})
