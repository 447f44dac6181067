import * as z from 'zod/mini'

/**
 * What may be missing of a video before people are sent it. `recognised`: a program made these captions and nobody has proof-read them.
 * `not_proof_read`: nobody has said that they are right, which may be so all the same. `too_fast`: cues that nobody can read in their time.
 */
export const gapCodes = [
  'failed',
  'preparing',
  'no_captions',
  'recognised',
  'not_proof_read',
  'too_fast',
] as const
export type GapCode = (typeof gapCodes)[number]

export const Gap = z.object({
  code: z.enum(gapCodes),
  /** Of which captions; empty where it is about the video itself. */
  languages: z.array(z.string()),
  /** That are read too fast, of all these captions. */
  cues: z.number(),
})
export type Gap = z.infer<typeof Gap>

export const Readiness = z.object({
  /** In the order in which they matter; none about captions where the organization asks nothing of them. */
  gaps: z.array(Gap),
  /** Whoever sends or assigns it has to say why it is urgent (`urgentReason`): it has no captions, and the organization requires them. */
  asksWhy: z.boolean(),
})
export type Readiness = z.infer<typeof Readiness>

/** What an organization asks of videos before they are sent or assigned: nothing, to be told, or to have captions. */
export const captionPolicies = ['off', 'warn', 'require'] as const
export type CaptionPolicy = (typeof captionPolicies)[number]

/** Why a video without captions is sent or assigned all the same, where the organization requires them; the audit keeps it. */
export const UrgentReason = z
  .string()
  .check(z.trim(), z.minLength(10, 'too_short'), z.maxLength(500, 'too_long'))

/** More signs in a second than these are read by hardly anybody. */
export const mostSigns = 20

export type ReadinessFacts = {
  /** Of the video, a word of `videoStates`. */
  state: string
  policy: CaptionPolicy
  /** Whether anything is heard in it; null where nobody has looked. */
  hasSound: boolean | null
  /** Those with cues, but for descriptions, which are no captions. */
  captions: readonly {
    language: string
    kind: 'captions' | 'subtitles'
    isProofRead: boolean
    isRecognised: boolean
    fastCues: number
  }[]
}

/** Says what is missing. Subtitles alone are no captions: they leave out what is heard beside the words. */
export function readinessOf({ state, policy, hasSound, captions }: ReadinessFacts): Readiness {
  const gaps: Gap[] = []
  const add = (code: GapCode, of: ReadinessFacts['captions'] = []) =>
    gaps.push({
      code,
      languages: [...new Set(of.map(({ language }) => language))],
      cues: code === 'too_fast' ? of.reduce((sum, { fastCues }) => sum + fastCues, 0) : 0,
    })
  if (state === 'failed') add('failed')
  if (state === 'processing' || state === 'uploading') add('preparing')
  const isSilent = hasSound === false
  const lacksCaptions = !isSilent && !captions.some(({ kind }) => kind === 'captions')
  if (policy !== 'off') {
    if (lacksCaptions) add('no_captions')
    const open = captions.filter(({ isProofRead }) => !isProofRead)
    for (const [code, isRecognised] of [
      ['recognised', true],
      ['not_proof_read', false],
    ] as const) {
      const these = open.filter((one) => one.isRecognised === isRecognised)
      if (these.length > 0) add(code, these)
    }
    const fast = captions.filter(({ fastCues }) => fastCues > 0)
    if (fast.length > 0) add('too_fast', fast)
  }
  return { gaps, asksWhy: policy === 'require' && lacksCaptions }
}
