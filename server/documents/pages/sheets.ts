import Pdf from 'pdfkit'
import type { Faces } from '../faces.ts'
import { ink, penFor, type Pen, type Style } from './typeset.ts'

export type Struct = ReturnType<Pen['doc']['struct']>

export const margin = 48
/** What stands at the foot of every page takes this, with the room above it. */
const foot = 40

type Names = { title: string; owner: string }

/** The sheets of a document: where it goes on, and how what is written is read aloud. */
export type Sheets = {
  pen: Pen
  root: Struct
  /** Width between the margins. */
  inner: number
  /** Where the next thing begins. */
  y: number
  /** Goes on with a new page where less than this height is left; true: it did. */
  need(height: number): boolean
  /** Writes over the whole width, or within a place of its own, and goes on below it. */
  say(kind: string, text: string, style: Partial<Style> & { size: number; lines?: number }): void
  /** Something that is read aloud as one thing of its kind. */
  tag(kind: string, draw: () => void, options?: { alt?: string }): void
}

/** A tagged document of A4 pages, each with its number. `draw` writes it from the beginning to the end. */
export function sheetsOf(
  { title, owner, isLandscape, faces }: Names & { isLandscape: boolean; faces: Faces },
  draw: (sheets: Sheets) => void,
): Promise<Buffer> {
  const doc = new Pdf({
    size: 'A4',
    layout: isLandscape ? 'landscape' : 'portrait',
    margin: 0,
    font: '',
    pdfVersion: '1.7',
    tagged: true,
    lang: 'en-US',
    displayTitle: true,
    bufferPages: true,
    info: { Title: `${title}: ${owner}`, Author: owner },
  })
  const chunks: Buffer[] = []
  const whole = new Promise<Buffer>((resolve, reject) => {
    doc.on('data', (chunk: Buffer) => chunks.push(chunk))
    doc.on('end', () => resolve(Buffer.concat(chunks)))
    doc.on('error', reject)
  })
  const pen = penFor(doc, faces)
  const root = doc.struct('Document')
  doc.addStructure(root)
  const inner = doc.page.width - 2 * margin
  const bottom = doc.page.height - margin - foot
  const sheets: Sheets = {
    pen,
    root,
    inner,
    y: margin,
    need(height) {
      if (sheets.y + height <= bottom) return false
      doc.addPage({ size: 'A4', layout: isLandscape ? 'landscape' : 'portrait', margin: 0 })
      sheets.y = margin
      return true
    },
    say(kind, text, { size, colour = ink.text, lines = 1, ...style }) {
      sheets.need(pen.lines(text, { size, width: inner, lines }) * Math.round(size * 1.4))
      sheets.tag(kind, () => {
        sheets.y += pen.write(
          text,
          { size, colour, ...style },
          { x: margin, y: sheets.y, width: inner, lines },
        )
      })
    },
    tag: (kind, content, options = {}) => void root.add(doc.struct(kind, options, [content])),
  }
  draw(sheets)
  root.end()
  number(pen, { title, owner })
  doc.end()
  return whole
}

/** The number of each page, when it is known how many there are. */
function number(pen: Pen, { title, owner }: Names): void {
  const { doc } = pen
  const { start, count } = doc.bufferedPageRange()
  for (let at = start; at < start + count; at++) {
    doc.switchToPage(at)
    const width = doc.page.width - 2 * margin
    const y = doc.page.height - margin
    pen.decorate(() => {
      rule(pen, { x: margin, y: y - 8, width })
      const style = { size: 8, colour: ink.soft } as const
      pen.write(`${title}, ${owner}`, style, { x: margin, y, width: width - 100 })
      pen.write(`Page ${at + 1} of ${count}`, { ...style, align: 'end' }, { x: margin, y, width })
    })
  }
}

/** A thin line across. */
export function rule({ doc }: Pen, { x, y, width }: { x: number; y: number; width: number }): void {
  doc
    .moveTo(x, y)
    .lineTo(x + width, y)
    .lineWidth(0.5)
    .strokeColor(ink.line)
    .stroke()
}
