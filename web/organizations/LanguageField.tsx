import { Select } from '@mantine/core'
import type { ReactNode } from 'react'
import { language as shown } from '#contract/platform/text/language.ts'
import { languages, type Language } from '#contract/platform/text/languages.ts'

type Props = {
  id: string
  label: ReactNode
  description: string
  value: Language | null
  onChange: (language: Language | null) => void
  /** What holds where none is chosen; left out where one has to be. */
  none?: string
  error?: ReactNode
}

/** In the language of the reader. */
const names = new Intl.DisplayNames([shown], { type: 'language' })
export const languageName = (language: Language): string => names.of(language) ?? language

/** One of the languages in which recipients can be spoken to. */
export function LanguageField({ none, error, onChange, ...field }: Props) {
  const choices = languages.map((value) => ({ value, label: languageName(value) }))
  return (
    <Select
      {...field}
      {...(error ? { error } : {})}
      {...(none === undefined ? { allowDeselect: false } : { placeholder: none, clearable: true })}
      data={choices}
      onChange={(chosen) => onChange(languages.find((language) => language === chosen) ?? null)}
    />
  )
}
