import path from 'node:path'
import type { Plugin } from 'vite'
import { contract, web } from '../folders.ts'
import { readLanguage, type Language } from './catalogue.ts'
import { pageIn } from './html.ts'
import { keyOf } from './po.ts'
import { isSource } from './sources.ts'
import { translated } from './write.ts'

/** The one place where English says which language it is: see contract/platform/text/language.ts. */
const placeOfTag = path.join(contract, 'language.ts')

/** Builds the web app in another language: every source that speaks is translated before anything else looks at it. */
export function inLanguage(tag: string): Plugin {
  const language = readLanguage(tag)
  if (language.faults.length > 0) throw new Error(`texts/${tag}.po: ${language.faults.join('\n')}`)
  const textOf = (id: string) => language.texts.get(keyOf({ id, many: undefined, context: undefined }))?.[0]
  return {
    name: 'in-language',
    enforce: 'pre',
    transform(code, id) {
      const [file = ''] = id.split('?')
      if (file === placeOfTag) return { code: code.replace("'en-US'", `'${tag}'`), map: null }
      const isOurs = file.startsWith(web) || file.startsWith(contract)
      if (!isOurs || !isSource(file)) return null
      return { code: translatedSource(code, file, language), map: null }
    },
    transformIndexHtml: { order: 'pre', handler: (html) => pageIn(html, tag, textOf) },
  }
}

export function translatedSource(code: string, file: string, { tag, plurals, texts }: Language): string {
  return translated(code, file, {
    lookup: ({ one, many, context }) => texts.get(keyOf({ id: one.text, many: many?.text, context })),
    head: () => counting(tag, plurals.indexOf),
  })
}

/** How a module writes a number, and chooses the wording for it. */
function counting(tag: string, indexOf: Record<string, number>): string {
  return [
    `const $digits = new Intl.NumberFormat('${tag}', { maximumFractionDigits: 0 }), $rules = new Intl.PluralRules('${tag}')`,
    'function $number(n: number) { return $digits.format(n) }',
    `function $form(n: number) { return (${JSON.stringify(indexOf)} as Record<string, number>)[$rules.select(n)] ?? ${indexOf['other']} }`,
  ].join('\n')
}
