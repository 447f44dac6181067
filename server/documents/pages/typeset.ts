import type Pdf from 'pdfkit'
import type { Face } from '../face.ts'
import type { Faces } from '../faces.ts'
import { linesOf } from './lines.ts'
import { printable } from '../printable.ts'
import { isFromRight, runsOf, type TextRun } from '../runs.ts'

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
type LinePlace = { x: number; y: number; size: number }
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

export function penFor(doc: Doc, faces: Faces): Pen {
  let whole = true
  const fonts = new Set<Face>()
  const choose = (face: Face) => {
    if (!fonts.has(face)) doc.registerFont(face.name, face.font)
    fonts.add(face)
    doc.font(face.name)
  }

  // Tables say the same over and over, and what fits is measured before it is written.
  const known = new Map<string, number>()
  const widthOf = (text: string, size: number) => {
    const key = `${size} ${text}`
    const width = known.get(key) ?? measured(text, size)
    if (known.size < mostKnown) known.set(key, width)
    return width
  }

  function measured(text: string, size: number): number {
    let width = 0
    for (const run of runsOf(text, faces, false)) {
      choose(run.face)
      width += doc.fontSize(size).widthOfString(run.text)
    }
    return width
  }

  const brokenOf = (text: string, { size, width, lines }: { size: number; width: number; lines: number }) =>
    linesOf(text, { width, lines, widthOf: (line) => widthOf(line, size) })

  function write(text: string, style: Style, { x, y, width, lines = 1 }: TextBox): number {
    const { text: shown, isWhole } = printable(text, faces)
    whole &&= isWhole
    const { size, align = 'start' } = style
    const fromRight = isFromRight(shown)
    const height = Math.round(size * 1.4)
    const broken = brokenOf(shown, { size, width, lines })
    doc.fillColor(style.colour)
    for (const [i, line] of broken.entries()) {
      const left = spare[align] === 0 ? 0 : width - widthOf(line, size)
      const place = { x: x + left * spare[align], y: y + i * height + baseline(size), size }
      writeLine(runsOf(line, faces, fromRight), place)
    }
    return broken.length * height
  }

  function writeLine(runs: readonly TextRun[], { x, y, size }: LinePlace): void {
    let left = x
    for (const { face, text, isReordered } of runs) {
      choose(face)
      if (isReordered) doc.markContent('Span', { actual: text })
      doc.fontSize(size).text(text, left, y, { lineBreak: false, baseline: 'alphabetic' })
      if (isReordered) doc.endMarkedContent()
      if (runs.length > 1) left += doc.widthOfString(text)
    }
  }

  const decorate = (draw: () => void) => {
    doc.markContent('Artifact')
    draw()
    doc.endMarkedContent()
  }

  return {
    doc,
    write,
    width: (text, size) => widthOf(printable(text, faces).text, size),
    lines: (text, of) => brokenOf(printable(text, faces).text, of).length,
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
