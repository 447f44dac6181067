import * as z from 'zod/mini'

/**
 * `captions`: what is said and heard, for whoever cannot hear it. `subtitles`: what is said, in another language. `descriptions`: what is
 * seen, to be read aloud.
 */
export const captionKinds = ['captions', 'subtitles', 'descriptions'] as const
export type CaptionKind = (typeof captionKinds)[number]

/** Captions of a version as a player needs them; `revision` is another for other text. */
export const ShownCaption = z.object({
  id: z.string(),
  language: z.string(),
  kind: z.enum(captionKinds),
  isDefault: z.boolean(),
  revision: z.string(),
})
export type ShownCaption = z.infer<typeof ShownCaption>

/** What an element `track` is made of. */
export const CaptionTrack = z.object({
  kind: z.enum(captionKinds),
  language: z.string(),
  /** What it is called in the player. */
  label: z.string(),
  /** Shown from the start to whoever has chosen nothing yet. */
  isDefault: z.boolean(),
  /** A path below `/m/`, as those of the playback. */
  src: z.string(),
})
export type CaptionTrack = z.infer<typeof CaptionTrack>

/** As a language is called by those who speak it, such as “Deutsch”. */
export function languageName(tag: string, inLanguage = tag): string {
  return new Intl.DisplayNames([inLanguage], { type: 'language' }).of(tag) ?? tag
}

/** Where a language has subtitles as well, its captions say that they are that. */
export function captionLabel(one: ShownCaption, all: readonly ShownCaption[]): string {
  const hasBoth = all.some(({ kind, language }) => kind === 'subtitles' && language === one.language)
  const name = languageName(one.language)
  return one.kind === 'captions' && hasBoth ? `${name} (CC)` : name
}

/** The name of a file of captions among those of a version. */
export const captionFile = ({ id, revision }: ShownCaption, ending: 'vtt' | 'm3u8'): string =>
  `captions/${id}-${revision}.${ending}`

/** `address` gives the path of a file of the version. */
export const tracksOf = (all: readonly ShownCaption[], address: (file: string) => string): CaptionTrack[] =>
  all.map((one) => ({
    kind: one.kind,
    language: one.language,
    label: captionLabel(one, all),
    isDefault: one.isDefault,
    src: address(captionFile(one, 'vtt')),
  }))
