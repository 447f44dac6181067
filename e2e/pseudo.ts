import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { messages } from '../build/texts/catalogue.ts'
import { writePo } from '../build/texts/po.ts'

/** A language that nobody speaks: English with accents, in brackets, and 40 % longer. What lacks the brackets is not translated. */
export const pseudoTag = 'en-XA'

const plain = 'ABCDEFGHIJKLMNOPRSTUVWYZabcdefghijklmnoprstuvwyz'
const accented = 'ÅƁÇĐÉƑĜĤÎĴĶĻṀÑÖÞŔŠŢÛṼŴÝŽåƀçðéƒĝĥîĵķļɱñöþŕšţûṽŵýž'
const accents = new Map(Array.from(plain, (letter, at) => [letter, Array.from(accented)[at] ?? letter]))

/** Placeholders and tags stay what they are, and outside of the brackets: what fills them has to come from somewhere else. */
function pseudo(text: string): string {
  const parts = text.split(/(\{[\w.]+\}|<\/?\d+\/?>)/)
  const words = parts.map((part, at) => {
    if (at % 2 === 1 || !/\p{L}/u.test(part)) return part
    const more = ' lorem ipsum dolor sit amet consetetur'.repeat(Math.ceil(part.length / 60))
    const accented = Array.from(part, (letter) => accents.get(letter) ?? letter).join('')
    return `⟦${accented}${more.slice(0, Math.ceil(part.length * 0.4))}⟧`
  })
  return words.join('')
}

/** Writes the catalogue of this language, with every message that there is, into a folder. */
export async function writePseudo(folder: string): Promise<void> {
  const entries = messages()
  for (const entry of entries)
    entry.texts = [entry.id, ...(entry.many === undefined ? [] : [entry.many])].map(pseudo)
  const head = { Language: pseudoTag, 'Plural-Forms': 'nplurals=2; plural=(n != 1);' }
  await writeFile(path.join(folder, `${pseudoTag}.po`), writePo({ head, remarks: [], entries }, 2))
}
