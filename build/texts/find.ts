import { namer, notation, type Notation } from './message.ts'
import {
  choiceIn,
  countOf,
  forkIn,
  hasLetters,
  merged,
  piecesOf,
  piecesOfChild,
  replaced,
  worded,
  type Piece,
} from './pieces.ts'
import { hasMachineOperands, isForMachines, isShownPlace, looksLikeText, remarkBefore } from './rules.ts'
import { bare, childOf, childrenOf, listOf, nameOf, parsed, stringOf, type Node } from './syntax.ts'

/** What is written in place of a text: children of a tag, the value of an attribute, or an expression. */
type TextPlace = 'children' | 'attribute' | 'expression'

/** A text of the source. `start` and `end` are what a translation replaces. */
export type FoundText = {
  start: number
  end: number
  place: TextPlace
  one: Notation
  /** For more than one, and the number that decides. */
  many: Notation | undefined
  count: Node | undefined
  /** White space around the text, which translators do not see. */
  lead: string
  tail: string
  /** What tells it from the same words with another meaning. */
  context: string | undefined
  /** The component or table it stands in. */
  within: string
}

/** A text, or a choice between two that differ in a few words. */
export type Tree =
  | FoundText
  | { start: number; end: number; place: TextPlace; test: Node; yes: Tree; no: Tree }

type Spot = {
  start: number
  end: number
  place: TextPlace
  pieces: Piece[]
  remark: string | undefined
  within: string
}

/** Parts of a page that are no part of a sentence. */
const block =
  /^(p|div|ul|ol|li|dl|dt|dd|section|article|header|footer|main|nav|aside|form|fieldset|legend|label|table|thead|tbody|tr|td|th|caption|h[1-6]|pre|figure|figcaption|details|summary|hr|input|select|textarea|button|video|svg)$/

/** All texts of a source, in their order; one that stands in the hole of another comes after it. */
export const textsIn = (code: string, file: string): FoundText[] => treesIn(code, file).flatMap(leavesOf)

/** All messages of a tree that say something. */
export const leavesOf = (tree: Tree): FoundText[] =>
  'test' in tree
    ? [...leavesOf(tree.yes), ...leavesOf(tree.no)]
    : /\p{L}|[“”]/u.test(tree.one.text.replaceAll(/\{\w+\}/g, ''))
      ? [tree]
      : []

/** The same, with what decides between sentences that differ in a few words only. */
export function treesIn(code: string, file: string): Tree[] {
  const found: Tree[] = []
  /** Nodes whose literals belong to a message already. */
  const spent = new Set<Node>()

  const add = (spot: Spot): void => {
    if (!found.some(({ start, end }) => start === spot.start && end === spot.end)) found.push(treeOf(spot))
  }

  const treeOf = (spot: Spot): Tree => {
    const { start, end, place, pieces, within } = spot
    const fork = forkIn(pieces)
    if (!fork) return leafOf(spot)
    visit(fork.test, { parent: undefined, isShown: false, within })
    const [yes, no] = [fork.yes, fork.no].map((words) =>
      treeOf({ ...spot, pieces: replaced(pieces, fork.hole, words) }),
    )
    return yes && no ? { start, end, place, test: fork.test, yes, no } : leafOf(spot)
  }

  const leafOf = ({ start, end, place, pieces, remark, within }: Spot): FoundText => {
    const count = countOf(pieces, code)
    const nameOfHole = namer(code)
    const forms = (count ? (['one', 'many'] as const) : (['one'] as const)).map((form) =>
      merged(count ? worded(pieces, form) : pieces),
    )
    const edges = forms.map(edgesOf)
    const [one = { text: '', holes: new Map() }, many] = edges.map(({ inner }) => notation(inner, nameOfHole))
    const [{ lead, tail } = { lead: '', tail: '' }] = edges
    for (const piece of count ? [...worded(pieces, 'one'), ...worded(pieces, 'many')] : pieces)
      look(piece, within)
    if (count) note(pieces)
    return { start, end, place, one, many, count, lead, tail, context: remark, within }
  }

  /** What is said in a choice has been taken into the message. */
  const note = (pieces: readonly Piece[]): void => {
    for (const piece of pieces)
      if (piece.kind === 'hole' && choiceIn(piece.node)) spent.add(piece.node)
      else if (piece.kind === 'element') note(piece.inside ?? [])
  }

  /** Looks for further texts in the holes and tags of a message. */
  const look = (piece: Piece, within: string): void => {
    if (piece.kind === 'words') return
    if (piece.kind === 'hole') return visit(piece.node, { parent: undefined, isShown: true, within })
    const opening = childOf(piece.node, 'openingElement')
    if (opening) visit(opening, { parent: piece.node, isShown: false, within })
    for (const inner of piece.inside ?? []) look(inner, within)
  }

  type Around = { parent: Node | undefined; isShown: boolean; within: string }

  const visit = (node: Node, around: Around): void => {
    if (spent.has(node) || isForMachines(node)) return
    const { parent, isShown } = around
    const within = scopeOf(node, around)
    if (node.type === 'JSXElement' || node.type === 'JSXFragment') {
      const opening = childOf(node, 'openingElement')
      if (opening) visit(opening, { parent: node, isShown: false, within })
      return visitChildren(node, within)
    }
    if (node.type === 'JSXText') return
    const value = stringOf(node)
    const choice = choiceIn(node)
    if (value !== undefined || node.type === 'TemplateLiteral' || choice) {
      const remark = remarkBefore(code, node.start)
      const pieces = choice ? [{ kind: 'hole' as const, node, isCount: false }] : piecesOf(node)
      if (choice ? isWorded(choice) : isText(pieces, isShown, remark)) {
        const inAttribute = parent?.type === 'JSXAttribute'
        return add({
          start: node.start,
          end: node.end,
          place: inAttribute ? 'attribute' : 'expression',
          pieces,
          remark: remark?.note,
          within,
        })
      }
      if (value !== undefined) return
    }
    const areOperands = hasMachineOperands(node)
    for (const child of childrenOf(node)) {
      if (areOperands && (stringOf(bare(child)) !== undefined || child.type === 'TemplateLiteral')) continue
      if (node.type === 'Property' && child === node['key'] && node['computed'] !== true) continue
      visit(child, { parent: node, isShown: passes(node, child, isShown), within })
    }
  }

  /** Whether what is in `node` at this place is shown as it is. */
  const passes = (node: Node, child: Node, isShown: boolean): boolean => {
    if (/^(JSXAttribute|Property)$/.test(node.type)) return isShownPlace(node, undefined)
    if (node.type === 'ConditionalExpression') return isShown && child !== node['test']
    if (node.type === 'LogicalExpression') return isShown
    return (
      /^(JSXExpressionContainer|TSAsExpression|TSSatisfiesExpression|ParenthesizedExpression)$/.test(
        node.type,
      ) && isShown
    )
  }

  const visitChildren = (element: Node, within: string): void => {
    const children = listOf(element, 'children')
    let run: Node[] = []
    const flush = () => {
      visitRun(run, within)
      run = []
    }
    for (const child of children) {
      const tag = nameOf(childOf(childOf(child, 'openingElement') ?? child, 'name'))
      if (child.type === 'JSXElement' && (block.test(tag) || hasBlock(child))) {
        flush()
        visit(child, { parent: element, isShown: true, within })
      } else run.push(child)
    }
    flush()
  }

  const visitRun = (run: readonly Node[], within: string): void => {
    const [from, to] = sentenceIn(run)
    const sentence = run.slice(from, to)
    const others = [...run.slice(0, from), ...run.slice(to)]
    const pieces = sentence.flatMap(piecesOfChild)
    const [only] = sentence
    const isAlone = sentence.length === 1 && only?.type !== 'JSXText'
    const remark = only && remarkBefore(code, only.start)
    const isMessage = !isAlone && hasWords(sentence) && hasLetters(pieces) && remark?.isText !== false
    if (isMessage && only)
      add({
        start: only.start,
        end: sentence.at(-1)?.end ?? 0,
        place: 'children',
        pieces,
        remark: remark?.note,
        within,
      })
    for (const child of isMessage ? others : run) visit(child, { parent: undefined, isShown: true, within })
  }

  visit(parsed(code, file), { parent: undefined, isShown: false, within: '' })
  return found.toSorted((a, b) => a.start - b.start || b.end - a.end)
}

const isWorded = ({ one, many }: { one: Node; many: Node | string }): boolean =>
  hasLetters(piecesOf(one)) && (typeof many === 'string' || hasLetters(piecesOf(many)))

function isText(
  pieces: readonly Piece[],
  isShown: boolean,
  remark: { isText: boolean } | undefined,
): boolean {
  if (remark) return remark.isText && hasLetters(pieces)
  const text = pieces.map((piece) => (piece.kind === 'words' ? piece.text : '\uFFFC')).join('')
  return (
    looksLikeText(text) ||
    (isShown &&
      /\p{L}/u.test(text) &&
      !/^[\w-]+-[\w-]+$/.test(text) &&
      /(^|[\s(“,;:·–—])\p{L}+($|[\s)”,;:·.])/u.test(text))
  )
}

/** The name of the function, component or table that a text stands in. */
function scopeOf(node: Node, { within }: { within: string }): string {
  const isNamed = /^(FunctionDeclaration|VariableDeclarator|ClassDeclaration)$/.test(node.type)
  return within === '' && isNamed ? nameOf(childOf(node, 'id')) : within
}

/** Whether one of the children says something by itself. */
const hasWords = (run: readonly Node[]): boolean =>
  run.some((child) =>
    piecesOfChild(child).some((piece) => piece.kind === 'words' && /\p{L}|[“”]/u.test(piece.text)),
  ) || hasSeveralWords(run)

/** `<b>{count}</b> {plural(…)}` and the like: a sentence made of holes with a wording in it. */
function hasSeveralWords(run: readonly Node[]): boolean {
  const pieces = run.flatMap(piecesOfChild)
  return (
    pieces.length > 1 &&
    pieces.some((piece) => piece.kind === 'hole' && choiceIn(piece.node) !== undefined) &&
    pieces.some((piece) => piece.kind === 'words' && piece.text.trim() !== '')
  )
}

const hasBlock = (element: Node): boolean =>
  listOf(element, 'children').some(
    (child) =>
      child.type === 'JSXElement' &&
      (block.test(nameOf(childOf(childOf(child, 'openingElement') ?? child, 'name'))) || hasBlock(child)),
  )

/** From where to where children belong to a sentence: not the pictures at its edges, nor elements that are there or not. */
function sentenceIn(run: readonly Node[]): [number, number] {
  let [from, to] = [0, run.length]
  while (from < to && isAside(run[from])) from++
  while (to > from && isAside(run[to - 1])) to--
  return [from, to]
}

function isAside(child: Node | undefined): boolean {
  if (!child) return false
  if (child.type === 'JSXText') return spacedIsEmpty(child)
  if (child.type === 'JSXExpressionContainer') {
    const expression = childOf(child, 'expression')
    if (!expression || expression.type === 'JSXEmptyExpression') return true
    const value =
      expression.type === 'LogicalExpression'
        ? childOf(expression, 'right')
        : expression.type === 'ConditionalExpression'
          ? childOf(expression, 'consequent')
          : undefined
    const shown = value && bare(value)
    return (
      shown?.type === 'JSXElement' ||
      shown?.type === 'JSXFragment' ||
      stringOf(expression)?.trim() === '' ||
      (/CallExpression/.test(expression.type) && nameOf(childOf(expression, 'callee')) === 'map') ||
      nameOf(expression) === 'children'
    )
  }
  if (child.type !== 'JSXElement') return false
  const opening = childOf(child, 'openingElement')
  return /^Icon|^(Avatar|Spinner|Loader|Face)/.test(nameOf(opening && childOf(opening, 'name')))
}

const spacedIsEmpty = (child: Node): boolean =>
  piecesOfChild(child).every((piece) => piece.kind === 'words' && piece.text.trim() === '')

/** White space at the edges belongs to the page. */
function edgesOf(pieces: readonly Piece[]): { inner: Piece[]; lead: string; tail: string } {
  const inner = pieces.map((piece) => ({ ...piece }))
  const [first, last] = [inner[0], inner.at(-1)]
  const lead = first?.kind === 'words' ? (/^\s*/.exec(first.text)?.[0] ?? '') : ''
  if (first?.kind === 'words') first.text = first.text.trimStart()
  const tail = last?.kind === 'words' ? (/\s*$/.exec(last.text)?.[0] ?? '') : ''
  if (last?.kind === 'words') last.text = last.text.trimEnd()
  return { inner: inner.filter((piece) => piece.kind !== 'words' || piece.text !== ''), lead, tail }
}
