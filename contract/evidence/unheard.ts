import * as z from 'zod/mini'

/** Some of what is said in a video, in whole captions. */
export const Unheard = z.object({
  /** A tag such as `de` or `pt-BR`. */
  language: z.string(),
  text: z.string(),
  /** False: more is said there than is told. */
  isAll: z.boolean(),
})
export type Unheard = z.infer<typeof Unheard>

/** The language in which what is said is told, where the video has captions in it; else those that are shown from the start. */
export const ReadIn = z.object({ language: z._default(z.string().check(z.maxLength(60)), 'en') })
