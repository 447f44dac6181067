import { language } from '#contract/platform/text/language.ts'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import { languages, nameOf, speak } from './languages.ts'
import classes from './Section.module.css'

/** The language of the console, where there is more than one. The page loads again with it. */
export function Language() {
  const tags = languages()
  if (tags.length < 2) return null
  return (
    <div className={classes.section}>
      <NativeChoice
        label="Language"
        description="For this browser. The page loads again."
        data={tags.map((tag) => ({ value: tag, label: nameOf(tag) }))}
        value={language}
        onChange={(event) => speak(event.currentTarget.value)}
      />
    </div>
  )
}
