import { captionFaults, faultSentence } from '#contract/videos/caption-faults.ts'
import { languageTag, largestCaptions, type Caption } from '#contract/videos/captions.ts'
import { languageName, type CaptionKind } from '#contract/videos/shown-captions.ts'
import { language } from '#contract/platform/text/language.ts'
import { formatMoment } from '#web/ui/format.ts'
import { ApiError, sentence } from '#web/api/errors.ts'

export const kindLabels: Record<CaptionKind, { label: string; means: string }> = {
  captions: {
    label: 'Captions',
    means: 'What is said and heard, for whoever cannot hear it.',
  },
  subtitles: { label: 'Subtitles', means: 'What is said, in another language.' },
  descriptions: {
    label: 'Descriptions',
    means: 'What is seen, for whoever cannot see it; read aloud by their device.',
  },
}

/** Those that most organizations need; every other is typed as a tag. */
const common =
  /* no text */
  'ar bg bs cs da de el en es et fa fi fr ga hi hr hu id it ja ko lt lv mk ms nb nl pl pt pt-BR ro ru sk sl sq sr sv th tr uk ur vi zh zh-Hant'

export const languageChoices = () =>
  common
    .split(' ')
    .map((value) => ({ value, label: languageName(value, language) }))
    .toSorted((a, b) => a.label.localeCompare(b.label, language))

export const nameOfLanguage = (tag: string) => languageName(tag, language)

export const isCommon = (tag: string) => common.split(' ').includes(tag)

export const captionFiles = '.vtt,.srt'
export const isCaptionFile = ({ name }: File) => /\.(?:vtt|srt)$/i.test(name)
export const formatOfFile = ({ name }: File) => (/\.srt$/i.test(name) ? 'srt' : 'vtt')

/** Many programs write the language before the ending: `film.pt-BR.vtt`. */
export function languageOfFile({ name }: File): string | undefined {
  const [, tag = ''] = /[._ -]([a-z]{2}(?:-[a-z]{2,4})?)\.\w+$/i.exec(name) ?? []
  const known = languageTag(tag)
  return known !== undefined && isCommon(known) ? known : undefined
}

/** Why a file was not taken, with its line, and what to do. */
export function refusalText(error: unknown): string {
  const problem = error instanceof ApiError ? error.problem : undefined
  if (problem?.code === 'too_large') return tooLarge
  const { fault, line } = problem ?? {}
  const known = Object.keys(captionFaults).find((one) => one === fault) as
    | keyof typeof captionFaults
    | undefined
  return known && line !== undefined ? faultSentence(known, line) : sentence(error)
}

export function whoRead({ at, by }: NonNullable<Caption['proofRead']>): string {
  return by ? `Proof-read by ${by.name}, ${formatMoment(at)}` : `Proof-read, ${formatMoment(at)}`
}

export const tooLarge = `The file is larger than ${largestCaptions / 2 ** 20} MB. Leave out what is no text, or divide it.`
