import type Pdf from 'pdfkit'
import { printable, readFace } from './faces.ts'

type Doc = InstanceType<typeof Pdf>

export const ink = {
  text: '#17211d',
  soft: '#55615b',
  line: '#d5dbd7',
  accent: '#0c7562',
  pale: '#eff2ef',
  none: '#e2e6e2',
  /** The strip, as on screen. */
  watched: '#12866d',
  missing: '#78857e',
}
/** A4, in points. */
export const page = { width: 595.28, height: 841.89, margin: 48, inner: 595.28 - 96 }

export type Style = { size: number; colour: string; align?: 'start' | 'middle' | 'end' }
/** `lines`: how many there may be; the last ends in an ellipsis when there is more. */
type TextBox = { x: number; y: number; width: number; lines?: number }

/** Writes on one document; keeps in mind whether something could not be printed as it is. */
export type Pen = {
  doc: Doc
  /** Returns the height that was used. */
  write(text: string, style: Style, place: TextBox): number
  /** How wide a line is. */
  width(text: string, size: number): number
  /** How many lines that takes. */
  lines(text: string, of: { size: number; width: number; lines: number }): number
  /** What is only to be looked at: screen readers pass over it. */
  decorate(draw: () => void): void
  /** A line across the page. */
  rule(y: number, thickness: number): void
  isWhole(): boolean
}

export function penFor(doc: Doc): Pen {
  let whole = true
  doc.registerFont('Inter', readFace().font)
  doc.font('Inter')

  // Tables say the same over and over, and what fits is measured before it is written.
  const known = new Map<string, number>()
  const widthOf = (text: string, size: number) => {
    const key = `${size} ${text}`
    const width = known.get(key) ?? doc.fontSize(size).widthOfString(text)
    if (known.size < mostKnown) known.set(key, width)
    return width
  }

  function write(text: string, style: Style, { x, y, width, lines = 1 }: TextBox): number {
    const { text: shown, isWhole } = printable(text)
    whole &&= isWhole
    const broken = linesOf(shown, { size: style.size, width, lines, widthOf })
    const height = Math.round(style.size * 1.4)
    doc.fillColor(style.colour)
    for (const [i, line] of broken.entries()) {
      const left = spare[style.align ?? 'start'] === 0 ? 0 : width - widthOf(line, style.size)
      doc.fontSize(style.size)
      doc.text(line, x + left * spare[style.align ?? 'start'], y + i * height + baseline(style.size), {
        lineBreak: false,
        baseline: 'alphabetic',
      })
    }
    return broken.length * height
  }

  const decorate = (draw: () => void) => {
    doc.markContent('Artifact')
    draw()
    doc.endMarkedContent()
  }

  return {
    doc,
    write,
    width: (text, size) => widthOf(printable(text).text, size),
    lines: (text, of) => linesOf(printable(text).text, { ...of, widthOf }).length,
    decorate,
    rule: (y, thickness) =>
      decorate(() => {
        const { margin, inner } = page
        doc
          .moveTo(margin, y)
          .lineTo(margin + inner, y)
          .lineWidth(thickness)
          .strokeColor(ink.line)
          .stroke()
      }),
    isWhole: () => whole,
  }
}

/** Widths that are kept in mind. */
const mostKnown = 20_000

/** How much of the room that is left stands before the text. */
const spare = { start: 0, middle: 0.5, end: 1 } as const
const baseline = (size: number) => size * 1.05

type Measure = { size: number; width: number; lines: number; widthOf: (text: string, size: number) => number }

/** Breaks between words, and within a word that is wider than the place. */
function linesOf(text: string, { size, width, lines, widthOf }: Measure): string[] {
  const fits = (line: string) => widthOf(line, size) <= width
  if (fits(text)) return [text]
  const found: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (fits(longer)) {
      line = longer
      continue
    }
    if (line !== '') found.push(line)
    line = word
    while (!fits(line)) {
      const head = headOf(line, fits)
      found.push(head)
      line = line.slice(head.length)
    }
  }
  found.push(line)
  if (found.length <= lines) return found
  const last = found.slice(lines - 1).join(' ')
  return [...found.slice(0, lines - 1), `${headOf(last, (part) => fits(`${part}…`)).trimEnd()}…`]
}

/** As much of it as fits, a letter at least. */
function headOf(text: string, fits: (part: string) => boolean): string {
  const parts = Array.from(text)
  let n = 1
  while (n < parts.length && fits(parts.slice(0, n + 1).join(''))) n++
  return parts.slice(0, n).join('')
}
