import * as z from 'zod/mini'

/** Something that is said in a video, in milliseconds of the version that plays. */
export const Moment = z.object({
  atMs: z.number(),
  text: z.string(),
  /** A tag such as `de` or `pt-BR`. */
  language: z.string(),
})
export type Moment = z.infer<typeof Moment>

const signs: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' }

/** What a cue says in one line, without what a VTT has for its look. */
export const spoken = (cueText: string): string =>
  cueText
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(amp|lt|gt);/g, (_all, name: string) => signs[name] ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** The part of an address that leads to a moment of a video, in seconds. */
export const momentHash = (ms: number): string => `t=${ms / 1_000}`
