import { leavesOf, treesIn, type FoundText, type Tree } from './find.ts'
import { tokensOf, type Notation } from './message.ts'
import type { Piece } from './pieces.ts'
import { childOf, type Node } from './syntax.ts'

/** The wordings of a message in another language, one for each form of its plural; undefined where it has none. */
export type Lookup = (found: FoundText) => readonly string[] | undefined

/** `head` is what a module that counts needs before everything else. */
type Language = { lookup: Lookup; head: () => string }

type Range = { start: number; end: number }

/** Names that no source has. */
const numberWord = '$number'
const formWord = '$form'

/** A source with its texts replaced; the same text where none of them is translated. */
export function translated(code: string, file: string, { lookup, head }: Language): string {
  const known = treesIn(code, file).filter((tree) => leavesOf(tree).some((leaf) => lookup(leaf)))
  let isCounting = false

  /** The source of a range, with the texts in it translated. */
  const render = ({ start, end }: Range, without?: Tree): string => {
    let [text, at] = ['', start]
    for (const tree of known) {
      if (tree === without || tree.start < at || tree.end > end) continue
      text += code.slice(at, tree.start) + placed(tree)
      at = tree.end
    }
    return text + code.slice(at, end)
  }

  /** A tree where its English stood. */
  const placed = (tree: Tree): string => {
    const isPlain = !('test' in tree) && !tree.count
    if (tree.place === 'children' && isPlain) return formsOf(tree, tree)[0] ?? ''
    const value = valueOf(tree, tree)
    return tree.place === 'expression' ? (isPlain ? value : `(${value})`) : `{${value}}`
  }

  /** A tree as an expression. */
  const valueOf = (tree: Tree, root: Tree): string => {
    if ('test' in tree)
      return `${render(tree.test, root)} ? ${valueOf(tree.yes, root)} : ${valueOf(tree.no, root)}`
    const forms = formsOf(tree, root)
    const values = tree.place === 'children' ? forms.map((form) => `<>${form}</>`) : forms
    if (!tree.count) return values[0] ?? ''
    isCounting = true
    const count = render(tree.count, root)
    return `[${values.join(', ')}][${lookup(tree) ? `${formWord}(${count})` : `Number(${count} !== 1)`}]`
  }

  /** All wordings of a text; in English, for one and for many, where it is not translated. */
  const formsOf = (found: FoundText, root: Tree): string[] => {
    const notations = [found.one, ...(found.many ? [found.many] : [])]
    const holes = new Map(notations.flatMap((one: Notation) => [...one.holes]))
    const wordings = lookup(found) ?? notations.map(({ text }) => text)
    return wordings.map((wording) => {
      const whole = found.lead + wording + found.tail
      return found.place === 'children' ? children(whole, holes, root) : template(whole, holes, root)
    })
  }

  /** A hole as an expression. */
  const filled = (piece: Piece | undefined, found: Tree): string => {
    if (piece?.kind !== 'hole') return '""'
    const expression = render(piece.node, found)
    if (piece.isCount) isCounting = true
    return piece.isCount ? `${numberWord}(${expression})` : expression
  }

  const template = (text: string, holes: ReadonlyMap<string, Piece>, found: Tree): string => {
    const tokens = tokensOf(text, holes)
    if (tokens.every((token) => 'words' in token)) return JSON.stringify(text)
    const parts = tokens.map((token) => {
      if ('words' in token) return token.words.replaceAll(/[\\`]|\$(?=\{)/g, (sign) => `\\${sign}`)
      return 'hole' in token ? `\${${filled(holes.get(token.hole), found)}}` : ''
    })
    return `\`${parts.join('')}\``
  }

  const children = (text: string, holes: ReadonlyMap<string, Piece>, found: Tree): string =>
    tokensOf(text, holes)
      .map((token) => {
        if ('words' in token) return `{${JSON.stringify(token.words)}}`
        if ('hole' in token) return `{${filled(holes.get(token.hole), found)}}`
        const [name = ''] = Object.values(token)
        const piece = holes.get(name)
        return piece?.kind === 'element'
          ? tag(piece.node, 'open' in token ? 'start' : 'single' in token ? 'all' : 'end', found)
          : ''
      })
      .join('')

  const tag = (element: Node, part: 'start' | 'end' | 'all', found: Tree): string => {
    if (part === 'all') return render(element, found)
    const node =
      childOf(element, part === 'start' ? 'openingElement' : 'closingElement') ??
      childOf(element, part === 'start' ? 'openingFragment' : 'closingFragment')
    return node ? render(node, found) : ''
  }

  const body = render({ start: 0, end: code.length })
  // Before everything else, for tables at the top of a module count as well.
  return isCounting ? `${head()}\n${body}` : body
}
