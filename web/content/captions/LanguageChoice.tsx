import { TextInput } from '@mantine/core'
import { languageTag } from '#contract/videos/captions.ts'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import { isCommon, languageChoices, nameOfLanguage } from './words.ts'

const other = 'other'

/** The tag of what was chosen or typed; empty where nothing was chosen, undefined where what was typed is none. */
export const chosenTag = (chosen: string, typed: string): string | undefined =>
  chosen === other ? languageTag(typed.trim()) : chosen

type Props = {
  chosen: string
  typed: string
  /** Somebody wanted to go on: what is missing is told from then on. */
  isTried: boolean
  onChoose: (chosen: string) => void
  onType: (typed: string) => void
}

/** The language of captions: one that most need, or any other by its tag. */
export function LanguageChoice({ chosen, typed, isTried, onChoose, onType }: Props) {
  return (
    <>
      <NativeChoice
        label="Language"
        value={chosen}
        error={isTried && chosen === '' ? 'Please choose the language.' : null}
        onChange={(event) => onChoose(event.currentTarget.value)}
        data={[
          { value: '', label: 'Please choose' },
          ...(chosen !== '' && chosen !== other && !isCommon(chosen)
            ? [{ value: chosen, label: nameOfLanguage(chosen) }]
            : []),
          ...languageChoices(),
          { value: other, label: 'Another language' },
        ]}
      />
      {chosen === other && (
        <TextInput
          label="Its tag"
          description="Two or three letters, such as “cy” for Welsh or “fr-CA” for French as in Canada."
          value={typed}
          error={
            isTried && chosenTag(chosen, typed) === undefined
              ? 'This is no tag of a language. Write it like “cy” or “fr-CA”.'
              : null
          }
          onChange={(event) => onType(event.currentTarget.value)}
        />
      )}
    </>
  )
}
