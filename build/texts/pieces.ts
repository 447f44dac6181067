import { decoded, spaced, bare, childOf, listOf, nameOf, stringOf, type Node } from './syntax.ts'

/**
 * What a message consists of: words, holes that an expression fills, and elements around words. `count` is the number that a plural is
 * about.
 */
export type Piece =
  | { kind: 'words'; text: string }
  | { kind: 'hole'; node: Node; isCount: boolean }
  | { kind: 'element'; node: Node; inside: Piece[] | undefined }

/** A choice between two wordings by a number, and what counts. */
type Choice = { count: Node; one: Node; many: Node | string; isSaid: boolean }

/** `plural(n, 'person', 'people')`, or `n === 1 ? 'is' : 'are'`. */
export function choiceIn(expression: Node): Choice | undefined {
  const node = bare(expression)
  if (node.type === 'CallExpression' && nameOf(childOf(node, 'callee')) === 'plural') {
    const [count, one, many] = listOf(node, 'arguments')
    if (!count || stringOf(one) === undefined || (many && stringOf(many) === undefined)) return undefined
    return { count, one: one as Node, many: many ?? `${stringOf(one)}s`, isSaid: true }
  }
  if (node.type !== 'ConditionalExpression') return undefined
  const test = childOf(node, 'test')
  const [count, one, many] = [
    test && childOf(test, 'left'),
    childOf(node, 'consequent'),
    childOf(node, 'alternate'),
  ]
  const isOne =
    test?.type === 'BinaryExpression' && test['operator'] === '===' && childOf(test, 'right')?.['value'] === 1
  return isOne && count && one && many && isWords(one) && isWords(many)
    ? { count, one, many, isSaid: false }
    : undefined
}

const isWords = (node: Node): boolean =>
  stringOf(node) !== undefined || node.type === 'TemplateLiteral' || (choiceIn(node)?.isSaid ?? false)

/** The pieces of a literal, of a template, or of any other expression. */
export function piecesOf(expression: Node): Piece[] {
  const text = stringOf(expression)
  if (text !== undefined) return [{ kind: 'words', text }]
  if (expression.type !== 'TemplateLiteral') return [{ kind: 'hole', node: expression, isCount: false }]
  const holes = listOf(expression, 'expressions')
  return listOf(expression, 'quasis').flatMap((quasi, at): Piece[] => {
    const words: Piece = { kind: 'words', text: (quasi['value'] as { cooked: string }).cooked }
    const hole = holes[at]
    const both: Piece[] = hole ? [words, { kind: 'hole', node: hole, isCount: false }] : [words]
    return words.text === '' ? both.slice(1) : both
  })
}

/** The pieces of what stands between two tags. */
export function piecesOfChild(child: Node): Piece[] {
  if (child.type === 'JSXText') {
    const text = decoded(spaced(String(child['value'])))
    return text === '' ? [] : [{ kind: 'words', text }]
  }
  if (child.type === 'JSXExpressionContainer') {
    const expression = childOf(child, 'expression')
    return !expression || expression.type === 'JSXEmptyExpression' ? [] : piecesOf(expression)
  }
  const children = listOf(child, 'children')
  const inside = children.length > 0 ? children.flatMap(piecesOfChild) : undefined
  return [{ kind: 'element', node: child, inside }]
}

const deep = (pieces: readonly Piece[]): Piece[] =>
  pieces.flatMap((piece) => (piece.kind === 'element' ? [piece, ...deep(piece.inside ?? [])] : [piece]))

/** The one number by which the wording of a message changes; undefined where there is none, or more than one. */
export function countOf(pieces: readonly Piece[], code: string): Node | undefined {
  const counts = deep(pieces).flatMap((piece) => {
    const choice = piece.kind === 'hole' ? choiceIn(piece.node) : undefined
    return choice ? [choice.count] : []
  })
  const different = new Set(counts.map(({ start, end }) => code.slice(start, end)))
  return different.size === 1 ? counts[0] : undefined
}

/** The pieces as they are worded for one, or for many. */
export function worded(pieces: readonly Piece[], form: 'one' | 'many'): Piece[] {
  return pieces.flatMap((piece): Piece[] => {
    if (piece.kind === 'element') return [{ ...piece, inside: piece.inside && worded(piece.inside, form) }]
    const choice = piece.kind === 'hole' ? choiceIn(piece.node) : undefined
    if (!choice) return [piece]
    const said = choice[form]
    const words: Piece[] =
      typeof said === 'string' ? [{ kind: 'words', text: said }] : worded(piecesOf(said), form)
    if (!choice.isSaid) return words
    return [{ kind: 'hole', node: choice.count, isCount: true }, { kind: 'words', text: ' ' }, ...words]
  })
}

export const hasLetters = (pieces: readonly Piece[]): boolean =>
  deep(pieces).some((piece) => piece.kind === 'words' && /\p{L}|[“”]/u.test(piece.text))

/** Words that follow words become one. */
export function merged(pieces: readonly Piece[]): Piece[] {
  const all: Piece[] = []
  for (const piece of pieces) {
    const last = all.at(-1)
    if (piece.kind === 'words' && last?.kind === 'words')
      all[all.length - 1] = { ...last, text: last.text + piece.text }
    else if (piece.kind === 'element') all.push({ ...piece, inside: piece.inside && merged(piece.inside) })
    else all.push(piece)
  }
  return all
}

/** A choice between words within a sentence: `was ${isNew ? 'added' : 'saved'}`. Each branch is a sentence of its own. */
export type Fork = { hole: Piece; test: Node; yes: Piece[]; no: Piece[] }

/** The first such choice; undefined where there is none, or so many that the sentences would be too many. */
export function forkIn(pieces: readonly Piece[]): Fork | undefined {
  const forks = deep(pieces).flatMap((piece) => forkOf(piece, piece === pieces[0]) ?? [])
  return forks.length <= 2 ? forks[0] : undefined
}

function forkOf(piece: Piece, isFirst: boolean): Fork | undefined {
  if (piece.kind !== 'hole' || piece.isCount || choiceIn(piece.node)) return undefined
  const node = bare(piece.node)
  const isAnd = node.type === 'LogicalExpression' && node['operator'] === '&&'
  const test = childOf(node, isAnd ? 'left' : 'test')
  const yes = branchOf(childOf(node, isAnd ? 'right' : 'consequent'))
  const no = isAnd ? [] : branchOf(childOf(node, 'alternate'))
  if (!test || !yes || !no || !(hasLetters(yes) || hasLetters(no))) return undefined
  // What begins large behind others is a sentence by itself.
  const isWithin = [yes, no].some(([first]) => first?.kind === 'words' && !/^\s*\p{Lu}/u.test(first.text))
  return isWithin || isFirst ? { hole: piece, test, yes, no } : undefined
}

/** The pieces of a branch that is nothing but words. */
function branchOf(node: Node | undefined): Piece[] | undefined {
  if (!node) return undefined
  if (node.type === 'Literal' && node['value'] === null) return []
  return isWords(node)
    ? piecesOf(node).filter((piece) => piece.kind !== 'words' || piece.text !== '')
    : undefined
}

/** The pieces with others in place of one. */
export function replaced(pieces: readonly Piece[], hole: Piece, others: readonly Piece[]): Piece[] {
  return pieces.flatMap((piece): Piece[] => {
    if (piece === hole) return [...others]
    return piece.kind === 'element'
      ? [{ ...piece, inside: piece.inside && replaced(piece.inside, hole, others) }]
      : [piece]
  })
}
