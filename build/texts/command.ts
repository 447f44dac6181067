import { mkdirSync, writeFileSync } from 'node:fs'
import {
  fileOf,
  folder,
  isTranslated,
  languageOf,
  languages,
  messages,
  readCatalogue,
  template,
  templateOf,
  updated,
} from './catalogue.ts'
import { writePo } from './po.ts'

/** `npm run texts`: writes messages.pot anew, brings each language up to date, and says how complete it is. */
const entries = messages()
mkdirSync(folder, { recursive: true })
writeFileSync(template, templateOf(entries))
console.log(
  `${entries.length} messages, ${entries.filter(({ many }) => many !== undefined).length} of them with plurals`,
)

for (const tag of languages()) {
  const { catalogue, gone } = updated(tag, readCatalogue(tag), entries)
  const { plurals, faults } = languageOf(tag, catalogue)
  writeFileSync(fileOf(tag), writePo(catalogue, plurals.forms))
  const done = catalogue.entries.filter((entry) => isTranslated(entry, plurals.forms)).length
  const share = Math.floor((done / entries.length) * 100)
  console.log(
    `${tag}: ${done} of ${entries.length} translated (${share} %)${gone > 0 ? `, ${gone} dropped that are said no more` : ''}`,
  )
  for (const fault of faults) console.error(`  ${fault}`)
  if (faults.length > 0) process.exitCode = 1
}
