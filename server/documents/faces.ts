import { readFileSync } from 'node:fs'
import { openFace, type Face } from './face.ts'
import { countryOf } from './han.ts'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import subsetFont from 'subset-font'

/** The fonts that one document needs. */
export type Faces = {
  /** Of Latin, Greek and Cyrillic letters, and of all that the product says itself. */
  first: Face
  /** The one for a letter, with its marks; undefined: none has it. */
  of(letter: string): Face | undefined
}

type Script = { name: string; letters: RegExp; fonts: readonly string[] }

/** Han letters look different from country to country; for what the font of one lacks the others are asked. */
const han = ['noto-sans-sc', 'noto-sans-tc', 'noto-sans-jp', 'noto-sans-kr'] as const

/** What the font of Latin, Greek and Cyrillic lacks. In this order, the first that fits. */
const scripts: readonly Script[] = [
  { name: 'Japanese', letters: /[\p{scx=Hira}\p{scx=Kana}]/u, fonts: han },
  { name: 'Chinese characters', letters: /[\p{scx=Han}\p{scx=Bopo}\u3000-\u303f\uff00-\uffef]/u, fonts: han },
  { name: 'Korean', letters: /\p{scx=Hang}/u, fonts: ['noto-sans-kr'] },
  { name: 'Arabic', letters: /\p{scx=Arab}/u, fonts: ['vazirmatn'] },
  { name: 'Hebrew', letters: /\p{scx=Hebr}/u, fonts: ['noto-sans-hebrew'] },
  { name: 'Devanagari', letters: /\p{scx=Deva}/u, fonts: ['noto-sans-devanagari'] },
  { name: 'Thai', letters: /\p{scx=Thai}/u, fonts: ['noto-sans-thai'] },
  { name: 'Georgian', letters: /\p{scx=Geor}/u, fonts: ['noto-sans-georgian'] },
  { name: 'Armenian', letters: /\p{scx=Armn}/u, fonts: ['noto-sans-armenian'] },
]

let inter: Face | undefined

/** Inter; read once for each process. */
function readInter(): Face {
  inter ??= openFace('Inter', readFileSync(new URL('inter.ttf', import.meta.url)))
  return inter
}

/** What a package of fonts calls its parts, and which letters each of them has: "U+601-603,U+610". */
type Parts = ReadonlyMap<string, ReadonlySet<number>>

const place = (font: string, file: string) =>
  fileURLToPath(import.meta.resolve(`@fontsource-variable/${font}/${file}`))

const parts = new Map<string, Parts>()
const faces = new Map<string, Promise<Face>>()

/** The part of a font that has this letter; undefined where none has. Each is read once, and only when somebody needs it. */
async function faceWith(font: string, code: number): Promise<Face | undefined> {
  const known = parts.get(font) ?? readParts(font)
  parts.set(font, known)
  const [name, codes] = [...known].find(([, one]) => one.has(code)) ?? []
  if (name === undefined || codes === undefined) return undefined
  const file = place(font, `files/${font}-${name}-wght-normal.woff2`)
  const face = faces.get(file) ?? readFace(file, codes)
  faces.set(file, face)
  return face
}

function readParts(font: string): Parts {
  const described: Record<string, string> = JSON.parse(readFileSync(place(font, 'unicode.json'), 'utf8'))
  return new Map(
    Object.entries(described).map(([name, ranges]) => [name.replaceAll(/[[\]]/g, ''), codesIn(ranges)]),
  )
}

function codesIn(ranges: string): ReadonlySet<number> {
  const codes = new Set<number>()
  for (const [, from = '', to = from] of ranges.matchAll(/U\+([\da-f]+)(?:-([\da-f]+))?/gi))
    for (let code = Number.parseInt(from, 16); code <= Number.parseInt(to, 16); code++) codes.add(code)
  return codes
}

/** The file has all weights; what is embedded into a PDF can have but one. */
async function readFace(file: string, codes: ReadonlySet<number>): Promise<Face> {
  const letters = Array.from(codes, (code) => String.fromCodePoint(code)).join('')
  const regular = { targetFormat: 'truetype', variationAxes: { wght: 400 } } as const
  return openFace(file, await subsetFont(await readFile(file), letters, regular))
}

/** The fonts for all texts of an order, wherever they stand in it. What others do not need is not read. */
export async function facesFor(order: unknown): Promise<Faces> {
  const first = readInter()
  const letters = new Set<string>()
  gather(order, letters)
  const foreign = [...letters].filter((one) => !first.characters.has(codeOf(one)))
  const country: string = `noto-sans-${countryOf(foreign)}`
  const found = new Map(scripts.map((script) => [script, new Set<Face>()]))
  for (const letter of foreign) {
    const script = scriptOf(letter)
    const fonts = script?.fonts.toSorted((a, b) => Number(b === country) - Number(a === country)) ?? []
    for (const font of fonts) {
      const face = await faceWith(font, codeOf(letter))
      if (!script || !face?.characters.has(codeOf(letter))) continue
      found.get(script)?.add(face)
      break
    }
  }
  const known = new Map<string, Face | undefined>()
  const find = (letter: string) => {
    const script = scriptOf(letter)
    return [first, ...((script && found.get(script)) ?? [])].find((face) => hasLetter(face, letter))
  }
  return {
    first,
    of(letter) {
      if (!known.has(letter)) known.set(letter, find(letter))
      return known.get(letter)
    },
  }
}

export const scriptOf = (letter: string): Script | undefined =>
  scripts.find((one) => one.letters.test(letter))

const codeOf = (letter: string) => letter.codePointAt(0) ?? 0

/** Joiners shape what stands beside them; they have no shape of their own. */
const hasLetter = ({ characters }: Face, letter: string) =>
  Array.from(letter).every((one) => /[\u200c\u200d]/.test(one) || characters.has(codeOf(one)))

/** Every letter, also of what a text becomes where no font has it as it is. */
function gather(value: unknown, letters: Set<string>): void {
  if (typeof value === 'string') {
    if (/[^ -~]/.test(value))
      for (const form of ['NFC', 'NFKC']) for (const one of value.normalize(form)) letters.add(one)
  } else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value))
    for (const one of Object.values(value)) gather(one, letters)
}
