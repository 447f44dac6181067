import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { web } from '../folders.ts'
import { textsIn, type FoundText } from './find.ts'
import { textsOfPage } from './html.ts'
import { faultIn } from './message.ts'
import { headerFor, pluralsOf, type Plurals } from './plurals.ts'
import { keyOf, readPo, writePo, type Catalogue, type PoEntry } from './po.ts'
import { sources, type Source } from './sources.ts'

/** One `.po` for each language, named by its tag, and `messages.pot`, from which they begin and which is written when asked for. */
export const folder = process.env['TEXTS_FOLDER'] ?? path.resolve(web, '../texts')

export const template = path.join(folder, 'messages.pot')

/** Tags of the languages that there are, beside English. */
export function languages(): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.po'))
    .map((name) => name.slice(0, -'.po'.length))
    .toSorted()
}

export const fileOf = (tag: string): string => path.join(folder, `${tag}.po`)

/** A text as an entry of a catalogue, without translations. */
function entryOf({ one, many, context, within }: FoundText, { name, code }: Source): PoEntry {
  const holes = new Map([...one.holes, ...(many?.holes ?? [])])
  const unnamed = [...holes].filter(([hole, piece]) => /^\d+$/.test(hole) && piece.kind === 'hole')
  return {
    id: one.text,
    many: many?.text,
    context,
    texts: [],
    notes: unnamed.map(
      ([hole, piece]) =>
        `{${hole}}: ${piece.kind === 'hole' ? excerpt(code.slice(piece.node.start, piece.node.end)) : ''}`,
    ),
    remarks: [],
    places: [within === '' ? name : `${name}:${within}`],
    isFuzzy: false,
  }
}

const excerpt = (code: string): string => {
  const text = code.replaceAll(/\s+/g, ' ')
  return text.length > 90 ? `${text.slice(0, 90)}…` : text
}

/** Every message that the web app has, in the order of its files, each once with all its places. */
export function messages(): PoEntry[] {
  const found = new Map<string, PoEntry>()
  const all = [
    ...textsOfPages(),
    ...sources().flatMap((source) => textsIn(source.code, source.file).map((text) => entryOf(text, source))),
  ]
  for (const entry of all) {
    const known = found.get(keyOf(entry))
    if (!known) found.set(keyOf(entry), entry)
    else {
      known.places = [...new Set([...known.places, ...entry.places])]
      known.notes = [...new Set([...known.notes, ...entry.notes])]
    }
  }
  return [...found.values()]
}

function textsOfPages(): PoEntry[] {
  return ['index.html', 'public.html'].flatMap((name) =>
    textsOfPage(readFileSync(path.join(web, name), 'utf8')).map((id) => ({
      id,
      many: undefined,
      context: undefined,
      texts: [],
      notes: [],
      remarks: [],
      places: [`web/${name}`],
      isFuzzy: false,
    })),
  )
}

const head = { 'Content-Type': 'text/plain; charset=UTF-8', 'Content-Transfer-Encoding': '8bit' }

/** The text of `messages.pot`. */
export function templateOf(entries: readonly PoEntry[]): string {
  const remarks = [
    'Every text of the web app, written by `npm run texts`. See CONTRIBUTING.md, "Add a language".',
  ]
  return writePo({ head: { Language: '', ...head }, remarks, entries: [...entries] }, 2)
}

/** A language's catalogue: what it said before of the messages that there are now. Also says which messages have gone. */
export function updated(
  tag: string,
  before: Catalogue,
  entries: readonly PoEntry[],
): { catalogue: Catalogue; gone: number } {
  const known = new Map(before.entries.map((entry) => [keyOf(entry), entry]))
  const carriedOver = entries.map((entry) => {
    const old = known.get(keyOf(entry))
    known.delete(keyOf(entry))
    return old ? { ...entry, texts: old.texts, remarks: old.remarks, isFuzzy: old.isFuzzy } : entry
  })
  const plurals = before.head['Plural-Forms'] ?? headerFor(tag)
  return {
    catalogue: {
      head: { ...head, ...before.head, Language: tag, 'Plural-Forms': plurals },
      remarks: before.remarks,
      entries: carriedOver,
    },
    gone: known.size,
  }
}

/** The translations of a language by message, how it counts, and what is wrong with it. */
export type Language = {
  tag: string
  plurals: Plurals
  texts: Map<string, readonly string[]>
  faults: string[]
}

export function languageOf(tag: string, { head: { 'Plural-Forms': header }, entries }: Catalogue): Language {
  const plurals = pluralsOf(tag, header)
  const faults = typeof plurals === 'string' ? [plurals] : []
  const forms = typeof plurals === 'string' ? 1 : plurals.forms
  const texts = new Map<string, readonly string[]>()
  for (const entry of entries) {
    if (!isTranslated(entry, forms)) continue
    const wordings = entry.many === undefined ? entry.texts.slice(0, 1) : entry.texts.slice(0, forms)
    const originals = [entry.id, ...(entry.many === undefined ? [] : [entry.many])]
    const fault = wordings.map((text) => faultIn(text, originals)).find(Boolean)
    if (fault) faults.push(`“${entry.id}”: ${fault}`)
    else texts.set(keyOf(entry), wordings)
  }
  return {
    tag,
    plurals: typeof plurals === 'string' ? { forms, indexOf: { other: 0 } } : plurals,
    texts,
    faults,
  }
}

/** Whether nothing is missing; what a tool has guessed counts as missing. */
export function isTranslated({ texts, many, isFuzzy }: PoEntry, forms: number): boolean {
  const needed = many === undefined ? 1 : forms
  return !isFuzzy && texts.filter((text) => text !== '').length >= needed
}

/** Reads the catalogue of a language as it is on disk. */
export function readLanguage(tag: string): Language {
  return languageOf(tag, readCatalogue(tag))
}

export function readCatalogue(tag: string): Catalogue {
  try {
    return readPo(readFileSync(fileOf(tag), 'utf8'))
  } catch (error) {
    throw new Error(`texts/${tag}.po, ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}
