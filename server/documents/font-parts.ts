import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import subsetFont from 'subset-font'
import { openFace, type Face } from './face.ts'

/** What a package of fonts calls its parts, and which letters each of them has: "U+601-603,U+610". */
type Parts = ReadonlyMap<string, ReadonlySet<number>>

const place = (font: string, file: string) =>
  fileURLToPath(import.meta.resolve(`@fontsource-variable/${font}/${file}`))

const parts = new Map<string, Parts>()
const faces = new Map<string, Promise<Face>>()

/** The part of a font that has this letter; undefined where none has. Each is read once, and only when somebody needs it. */
export async function faceWith(font: string, code: number): Promise<Face | undefined> {
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
