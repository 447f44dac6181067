import { IntlMessageFormat } from 'intl-messageformat'
import { describe, expect, it } from 'vitest'
import { languages } from '#contract/platform/text/languages.ts'
import { parsedIn, sayIn, surfaces, type Surface } from './messages.ts'

type Tree = ReturnType<IntlMessageFormat['getAst']>

/** What a part says as it stands; undefined where a value or a plural comes. */
function textIn(part: Tree[number]): string | undefined {
  const type: number = part.type
  return 'value' in part && type === 0 ? part.value : undefined
}

/** The names of values in a message, also within its plurals, and its tags. */
function valuesIn(tree: Tree): string[] {
  return tree.flatMap((part) => {
    if ('options' in part)
      return [part.value, ...Object.values(part.options).flatMap(({ value }) => valuesIn(value))]
    if (!('value' in part)) return []
    const text = textIn(part)
    return text === undefined ? [part.value] : (text.match(/<\w+>/g) ?? [])
  })
}

const textsOf = (surface: Surface, language: (typeof languages)[number]) =>
  Object.entries<Tree>(parsedIn(language, surface)).map(([key, tree]) => ({
    key: `${surface}.${key}`,
    values: [...new Set(valuesIn(tree))].toSorted(),
  }))

const others = languages.filter((language) => language !== 'en')

describe.each(others)('what is said in %s', (language) => {
  it.each(surfaces)('has every message of %s, and each takes the same values', (surface) => {
    const sorted = (list: ReturnType<typeof textsOf>) => list.toSorted((a, b) => (a.key < b.key ? -1 : 1))
    expect(sorted(textsOf(surface, language))).toEqual(sorted(textsOf(surface, 'en')))
  })
})

/** The same word in both languages, or no word at all. */
const alike = /^(?:Auto|Person|Video,? ?|JSON|PDF|Code|Version|Installation|Name|[^\p{L}]*)$/u

describe('German', () => {
  it.each(surfaces)('leaves nothing of %s in English, and quotes as Germans do', (surface) => {
    const text = (tree: Tree) => JSON.stringify(tree)
    const english: Readonly<Record<string, Tree>> = parsedIn('en', surface)
    const german = Object.entries<Tree>(parsedIn('de', surface))
    const words = (tree: Tree) => tree.map((part) => textIn(part) ?? '').join('')
    const left = german.filter(
      ([key, tree]) => text(tree) === text(english[key] ?? []) && !alike.test(words(tree)),
    )
    expect(left.map(([key]) => key)).toEqual([])
    expect(german.filter(([, tree]) => /[“‘]\p{L}|\\"\p{L}/u.test(words(tree))).map(([key]) => key)).toEqual(
      [],
    )
  })

  it('counts as Germans count', () => {
    const say = sayIn('de', 'evidence')
    expect([say('attempts', { count: 1 }), say('attempts', { count: 1200 })]).toEqual([
      '1 Versuch',
      '1.200 Versuche',
    ])
  })
})
