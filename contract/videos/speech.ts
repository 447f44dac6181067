import * as z from 'zod/mini'
import { endpoint, Id, Instant, only, VideoParams } from '../endpoint.ts'
import { adminRoles } from '../roles.ts'
import { languageTag } from './captions.ts'

/** `waiting`: in line. `working`: a machine listens. The others are ends. */
export const recognitionStates = ['waiting', 'working', 'done', 'failed', 'cancelled'] as const

/** Why speech was not recognised; `speech-failures.ts` has a sentence for each. */
export const recognitionFailures = [
  'model_missing',
  'model_altered',
  'model_unfit',
  'model_english',
  'no_sound',
  'nothing_heard',
  'too_costly',
  'captions_present',
  'video_replaced',
  'disk_full',
  'storage_away',
  'recognition_failed',
] as const
export type RecognitionFailure = (typeof recognitionFailures)[number]

/** What the models know, as they call it. */
const spoken = new Set(
  'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su'.split(
    ' ',
  ),
)
/** Where they call it otherwise than a tag does. */
const otherNames: Record<string, string> = { nb: 'no', fil: 'tl', jv: 'jw' }

export const anyLanguage = 'auto'

/** A language as the models call it; undefined for one that they do not know. */
export function spokenOf(tag: string): string | undefined {
  const [base = ''] = tag.split('-')
  const name = otherNames[base] ?? base
  return spoken.has(name) ? name : undefined
}

/** The tag of a language that a model has found out. */
export function tagOfSpoken(name: string): string | undefined {
  const tag = Object.keys(otherNames).find((one) => otherNames[one] === name)
  return languageTag(tag ?? name)
}

export const Recognition = z.object({
  id: Id,
  /** A tag, or `auto`: the model is to find it out. */
  language: z.string(),
  state: z.enum(recognitionStates),
  /** Done so far, 0 to 1. */
  progress: z.number(),
  failure: z.nullable(z.enum(recognitionFailures)),
  /** What has come of it. */
  made: z.nullable(z.object({ language: z.string(), cues: z.number() })),
  createdAt: Instant,
  updatedAt: Instant,
})
export type Recognition = z.infer<typeof Recognition>

export const VideoSpeech = z.object({
  /** By which speech is recognised here; null: there is none yet. */
  model: z.nullable(z.object({ name: z.string() })),
  /** The last that was asked for of the version that plays. */
  last: z.nullable(Recognition),
})

export const readSpeech = endpoint({
  name: 'readSpeech',
  method: 'GET',
  path: '/videos/:videoId/speech',
  summary: 'Whether speech can be recognised here, and how far the recognition for a video is',
  access: only(adminRoles, 'content:read'),
  params: VideoParams,
  reply: VideoSpeech,
  cacheSeconds: 0,
})

export const recogniseSpeech = endpoint({
  name: 'recogniseSpeech',
  method: 'POST',
  path: '/videos/:videoId/captions/:language/recognise',
  summary:
    'Have captions made of what is said in a video, by this installation itself; `auto` as the language has it found out. Captions that are there are kept, unless `replace` says otherwise',
  access: only(adminRoles, 'content:write'),
  params: z.extend(VideoParams, { language: z.string().check(z.maxLength(60)) }),
  body: z.object({ replace: z._default(z.boolean(), false) }),
  reply: Recognition,
  idempotent: true,
})

export const cancelRecognition = endpoint({
  name: 'cancelRecognition',
  method: 'DELETE',
  path: '/videos/:videoId/speech',
  summary: 'Stop recognising the speech of a video',
  access: only(adminRoles, 'content:write'),
  params: VideoParams,
  reply: VideoSpeech,
})
