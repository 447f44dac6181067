import { IntlMessageFormat } from 'intl-messageformat'

type Tree = ReturnType<IntlMessageFormat['getAst']>

/** A text in brackets, but for the tags in it. */
const bracketed = (text: string) =>
  text
    .split(/(<\/?\w+>)/)
    .map((part, at) => (at % 2 === 0 && /\p{L}/u.test(part) ? `⟦${part}⟧` : part))
    .join('')

function pseudo(tree: Tree): Tree {
  return tree.map((part) => {
    const type: number = part.type
    if ('options' in part) {
      const options = Object.entries(part.options).map(([name, { value }]) => [
        name,
        { value: pseudo(value) },
      ])
      return { ...part, options: Object.fromEntries(options) }
    }
    return 'value' in part && type === 0 ? { ...part, value: bracketed(part.value) } : part
  })
}

/** Messages in a language that nobody speaks: English in brackets. What is shown without them is no message. */
export function pseudoMessages(messages: Readonly<Record<string, string>>): Record<string, Tree> {
  const made = Object.entries(messages).map(([key, message]) => [
    key,
    pseudo(new IntlMessageFormat(message, 'en', {}, { ignoreTag: true }).getAst()),
  ])
  return Object.fromEntries(made) as Record<string, Tree>
}
