import { childOf, nameOf, stringOf, type Node } from './syntax.ts'

/**
 * Which words of the source are texts for people: see CONTRIBUTING.md, "Words". A text looks like one (it starts like a sentence, or has
 * words with a space between), or stands where everything is shown. Whoever needs another answer says so in a comment before
 * it: `text`, `no text`, or `text:` with what the translator has to know.
 */

/** Attributes, and fields of objects, whose words are always shown. */
const shown =
  /^(label|title|description|placeholder|alt|hint|text|word|words|detail|says|help|aria-(label|description|valuetext|roledescription|placeholder))$/

/** Attributes and fields that only machines read. */
const unseen =
  /^(className|classNames|key|id|style|styles|to|href|src|d|viewBox|type|role|kind|variant|color|size|lang|sizes|transform|summary|queryKey|autoComplete|allow|sandbox|rel|target|method|accept|path|fontFamily|inputMode|data-[\w-]+)$/

/** The same of objects, whose fields may be called like what people fill in (`role: 'Role'`). */
const unseenField =
  /^(className|classNames|key|id|style|styles|href|src|d|viewBox|transform|summary|queryKey|autoComplete|sandbox|fontFamily)$/

/** Functions whose arguments are addresses, keys or names for machines. */
const machines =
  /^(querySelector(All)?|closest|matches|matchMedia|getElementById|createElement(NS)?|addEventListener|removeEventListener|(set|get|has|remove)(Attribute|Property|PropertyValue|Item)|startsWith|endsWith|includes|indexOf|split|replace|replaceAll|test|has|get|screen|require|literal|regex|startViewTransition|headers|importKey|verify|endpoint|CustomEvent|Event|Error|TypeError|DOMException|RegExp|URL|DateTimeFormat|NumberFormat|ListFormat|RelativeTimeFormat|PluralRules|Collator|toLocaleString|toLocaleDateString|toLocaleTimeString)$/

/** Names of keys of the keyboard, of the web, and of our own things, which nobody translates. */
const names =
  /^(Enter|Escape|Tab|Backspace|Delete|Insert|Space|Page(Up|Down)|Arrow\w+|Shift|Control|Ctrl|Alt|Meta|Esc|Ctrl\+.*|Bearer|Authorization|Gallery|UTC|Content-\w+|Accept|Ed25519|Sendreel( Project)?|TOTP|PNG|CSV|XLSX|PDF|JSON|Mozilla.*)$/

const letters = /\p{L}{2}/u
/** What no sentence has: signs of code, of style sheets and of addresses. */
const machineSigns =
  /[[\]=#\\^|~]|--|;(?! )|[a-z],[A-Za-z]|(?<=\S)_(?=\S)(?!.* .* )|:(is|not|where|has)\(|\b(var|calc|rgb|url)\(|^[.@/]|^Bearer |^\([\w-]+: [\w-]+\)$|\.[a-z]{3,4}$|system-ui|\w\/\w+\/|^\w+:\S|\uFFFC\/|\/\uFFFC/
/** A word beside the holes of a template: not glued to them, or long enough to be no unit of a style sheet. */
const besideHoles = /(^|[\s“(–—,.:·-])(\p{L}+(?![\p{L}\uFFFC-])|\p{L}{3,})/u
const camelCase = /^\p{L}*\p{Ll}\p{Lu}\p{L}*$/u
const classNames = /^([a-z]+(-[\w\uFFFC]+)+ ?)+|^[a-z]+(-[a-z]+)+$/

/** Whether a string looks like what people read; a hole of a template is U+FFFC, one that is filled later has a name in braces. */
export function looksLikeText(text: string): boolean {
  const words = text.trim().replaceAll(/\{[\w.]+\}/g, '\uFFFC')
  if (/[“”]/.test(words)) return true
  if (!/\p{L}/u.test(words) || machineSigns.test(words) || names.test(words)) return false
  if (words.includes('\uFFFC')) return /\s/.test(words) && besideHoles.test(words) && !classNames.test(words)
  if (!letters.test(words) || camelCase.test(words)) return false
  if (/^[^\p{L}]*\p{Lu}\p{Ll}/u.test(words)) return true
  return /\p{L}[,.:;?!”)…]? [\p{L}“(]/u.test(words) && !classNames.test(words)
}

/** Whether words here are shown, however short they are. */
export function isShownPlace(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === 'JSXElement' || parent?.type === 'JSXFragment') return true
  if (node.type === 'JSXAttribute' || node.type === 'Property') return shown.test(keyOf(node))
  return false
}

/** The name of an attribute or of a field. */
export function keyOf(node: Node): string {
  const key = childOf(node, node.type === 'JSXAttribute' ? 'name' : 'key')
  return nameOf(key) || (stringOf(key) ?? '')
}

/** Whether nothing below is for people. */
export function isForMachines(node: Node): boolean {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSEnumDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return true
    case 'ExportNamedDeclaration':
      return childOf(node, 'source') !== undefined
    case 'JSXAttribute':
      return unseen.test(keyOf(node))
    case 'Property':
      return (
        unseenField.test(keyOf(node)) &&
        !/^(Arrow)?FunctionExpression$/.test(childOf(node, 'value')?.type ?? '')
      )
    case 'TaggedTemplateExpression':
      return nameOf(childOf(node, 'tag')) !== 'raw'
    default:
      return false
  }
}

/** Whether the literals that are directly in it are for machines. */
export function hasMachineOperands(node: Node): boolean {
  if (node.type === 'BinaryExpression') return /^([!=]==?|in|instanceof)$/.test(String(node['operator']))
  if (node.type === 'CallExpression' || node.type === 'NewExpression')
    return machines.test(nameOf(childOf(node, 'callee')))
  return node.type === 'SwitchCase' || node.type === 'MemberExpression' || node.type === 'ExpressionStatement'
}

export type Remark = { isText: boolean; note: string | undefined } | undefined

/** What the source says of the words that follow. */
export function remarkBefore(code: string, start: number): Remark {
  const before = code.slice(Math.max(0, start - 200), start)
  const [found, no, note] =
    /(?:\/\*|\/\/)\s*(no )?text(?:: ([^*\n]+?))?\s*(?:\*\/\}?|\n)\s*(?:(?:const )?[\w'"-]+\s*[:=]\s*)?$/.exec(
      before,
    ) ?? []
  return found === undefined ? undefined : { isText: no === undefined, note }
}
