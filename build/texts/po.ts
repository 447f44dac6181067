/**
 * Catalogues in the format of GNU gettext (https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html), which Poedit,
 * Weblate and every other tool of translators reads.
 */

/** `id` is the English text, `many` that for more than one; `texts` are the translations, one for each form of the plural. */
export type PoEntry = {
  id: string
  many: string | undefined
  context: string | undefined
  texts: string[]
  /** For the translator: written by us (`#.`), and by translators (`#`). */
  notes: string[]
  remarks: string[]
  /** `file:scope` of each use. */
  places: string[]
  /** A guess of a tool, which nobody has confirmed: it counts as no translation. */
  isFuzzy: boolean
}

export type Catalogue = { head: Record<string, string>; remarks: string[]; entries: PoEntry[] }

/** What makes a message different from all others. */
export const keyOf = ({ id, many, context }: Pick<PoEntry, 'id' | 'many' | 'context'>): string =>
  [context ?? '', id, many ?? ''].join('\u0004')

const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' }

const unquoted = (text: string): string =>
  text.slice(1, -1).replaceAll(/\\(.)/g, (whole, sign: string) => escapes[sign] ?? whole)

const quoted = (text: string): string =>
  `"${text
    .replaceAll(/[\\"]/g, (sign) => `\\${sign}`)
    .replaceAll('\t', String.raw`\t`)
    .replaceAll('\n', String.raw`\n`)}"`

/** A text over as many lines as it has. */
function lines(name: string, text: string): string {
  const parts = text.split(/(?<=\n)/)
  return parts.length > 1 ? [`${name} ""`, ...parts.map(quoted)].join('\n') : `${name} ${quoted(text)}`
}

/** Reads a catalogue; throws an error that names the line which it cannot read. */
export function readPo(source: string): Catalogue {
  const all: PoEntry[] = []
  for (const part of blocksOf(source)) {
    const entry = entryOf(part.lines, part.line)
    if (entry) all.push(entry)
  }
  const header = all.find(({ id }) => id === '')
  const pairs = (header?.texts[0] ?? '').split('\n').flatMap((line) => {
    const [, name, value] = /^([^:]+):\s*(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [[name, value ?? '']]
  })
  return {
    head: Object.fromEntries(pairs) as Record<string, string>,
    remarks: header?.remarks ?? [],
    entries: all.filter(({ id }) => id !== ''),
  }
}

type Block = { lines: string[]; line: number }

function blocksOf(source: string): Block[] {
  const blocks: Block[] = []
  let open: Block | undefined
  for (const [at, text] of source
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (text.trim() === '') open = undefined
    else if (open) open.lines.push(text)
    else blocks.push((open = { lines: [text], line: at + 1 }))
  }
  return blocks
}

function entryOf(block: readonly string[], line: number): PoEntry | undefined {
  const fields = new Map<string, string>()
  const comments: string[] = []
  let last = ''
  for (const [at, raw] of block.entries()) {
    const text = raw.trim()
    if (text.startsWith('#')) {
      comments.push(text)
      continue
    }
    const [, name = last, value] = /^(?:(msg\w+(?:\[\d+\])?)\s+)?("(?:[^"\\]|\\.)*")$/.exec(text) ?? []
    if (value === undefined || name === '')
      throw new Error(`line ${line + at}: this is not understood: ${text}`)
    fields.set(name, (fields.get(name) ?? '') + unquoted(value))
    last = name
  }
  const id = fields.get('msgid')
  // Entries that a tool has crossed out (`#~`).
  if (id === undefined) return undefined
  const numbered = [...fields].filter(([name]) => name.startsWith('msgstr')).map(([, text]) => text)
  const after = (sign: RegExp) => comments.filter((one) => sign.test(one)).map((one) => one.replace(sign, ''))
  return {
    id,
    many: fields.get('msgid_plural'),
    context: fields.get('msgctxt'),
    texts: numbered,
    notes: after(/^#\. ?/),
    remarks: after(/^#(?![.:,|~]) ?/),
    places: after(/^#: ?/).flatMap((one) => one.split(' ')),
    isFuzzy: after(/^#, ?/).some((flags) => /\bfuzzy\b/.test(flags)),
  }
}

/** Writes a catalogue; every message has as many empty texts as `forms` says where it has none. */
export function writePo({ head, remarks, entries }: Catalogue, forms: number): string {
  const header = [
    ...remarks.map((text) => `# ${text}`.trimEnd()),
    'msgid ""',
    'msgstr ""',
    ...Object.entries(head).map(([name, value]) => quoted(`${name}: ${value}\n`)),
  ].join('\n')
  return `${[header, ...entries.map((entry) => written(entry, forms))].join('\n\n')}\n`
}

function written(
  { id, many, context, texts, notes, remarks, places, isFuzzy }: PoEntry,
  forms: number,
): string {
  const translations =
    many === undefined
      ? [lines('msgstr', texts[0] ?? '')]
      : Array.from({ length: forms }, (_, at) => lines(`msgstr[${at}]`, texts[at] ?? ''))
  return [
    ...remarks.map((text) => `# ${text}`),
    ...notes.map((text) => `#. ${text}`),
    ...places.map((place) => `#: ${place}`),
    ...(isFuzzy ? ['#, fuzzy'] : []),
    ...(context === undefined ? [] : [lines('msgctxt', context)]),
    lines('msgid', id),
    ...(many === undefined ? [] : [lines('msgid_plural', many)]),
    ...translations,
  ].join('\n')
}
