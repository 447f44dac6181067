import { formatNumber } from '#contract/platform/text/format.ts'
import type { Column, Paper } from '../paper.ts'
import { margin, type Sheets, type Struct } from './sheets.ts'
import { ink } from './typeset.ts'
import { cellText } from '../labels.ts'

const size = 8
const lineHeight = Math.round(size * 1.4)
const gap = 8
/** Lines that a cell and a heading may take. */
const most = { text: 2, head: 3 }
/** Not in the types of pdfkit. */
const columnHead: object = { scope: 'Column' }

type ColumnPlace = { x: number; width: number; align: 'start' | 'end' }

/** The table, over as many pages as it takes; its head is repeated, and read aloud once. */
export function drawTable(sheets: Sheets, { name, columns, rows, cut }: Paper['table']): void {
  sheets.y += 12
  sheets.need(90)
  sheets.say('H2', `${name} (${formatNumber(rows.length)}${cut === null ? '' : ', not all'})`, { size: 12 })
  if (cut !== null) sheets.say('P', cut, { size: 9, lines: 2 })
  sheets.y += 4
  if (rows.length === 0) {
    sheets.say('P', 'None in this period with these filters.', { size: 9, colour: ink.soft })
    return
  }
  for (const block of blocksOf(columns)) drawBlock(sheets, block, { columns, rows })
}

/** More columns than these stand side by side on no page. */
const mostColumns = 14
const blockColumns = 10

/** The columns of each block, by their places: of a wide table the first is repeated in each. */
function blocksOf(columns: readonly Column[]): number[][] {
  const all = columns.map((_column, at) => at)
  if (columns.length <= mostColumns) return [all]
  const count = Math.ceil((columns.length - 1) / blockColumns)
  return Array.from({ length: count }, (_none, n) => [
    0,
    ...all.slice(1 + n * blockColumns, 1 + (n + 1) * blockColumns),
  ])
}

function drawBlock(
  sheets: Sheets,
  block: readonly number[],
  whole: Pick<Paper['table'], 'columns' | 'rows'>,
): void {
  const columns = block.flatMap((at) => whole.columns[at] ?? [])
  const rows = whole.rows.map((row) => block.map((at) => row[at] ?? null))
  sheets.need(90)
  const places = placesOf(sheets, { columns, rows })
  const table = sheets.pen.doc.struct('Table')
  sheets.root.add(table)
  const heads = columns.map((column) => column.name)
  const fills = columns.map((column) => column.fills)
  drawRow(sheets, { table, places, texts: heads, type: 'TH', lines: most.head })
  for (const row of rows) {
    const texts = columns.map((column, at) => cellText(row[at] ?? null, column))
    if (sheets.need(heightOf(sheets, { places, texts, lines: most.text })))
      sheets.pen.decorate(() =>
        drawTexts(sheets, { places, texts: heads, lines: most.head, colour: ink.soft }),
      )
    drawRow(sheets, { table, places, texts, type: 'TD', lines: most.text, fills })
  }
  table.end()
  sheets.y += 14
}

type Measured = { places: readonly ColumnPlace[]; texts: readonly string[]; lines: number }

function heightOf({ pen }: Sheets, { places, texts, lines }: Measured): number {
  const taken = places.map(({ width }, at) => pen.lines(texts[at] ?? '', { size, width, lines }))
  return Math.max(1, ...taken) * lineHeight + 6
}

const isText = ({ as }: Column) => as === 'text' || as === 'instant'
/** Narrower than this a column of texts cannot be read. */
const leastText = 64

/**
 * What is no text is as wide as it has to be, so that no number is broken; texts share what is left. Where that is too little, the
 * time of an instant goes below its day.
 */
function placesOf(
  { pen, inner }: Sheets,
  { columns, rows }: Pick<Paper['table'], 'columns' | 'rows'>,
): ColumnPlace[] {
  const widthsOf = (isTight: boolean) =>
    columns.map((column, at) => {
      if (column.as === 'text') return 0
      const words = rows.map((row) => cellText(row[at] ?? null, column))
      const parts =
        isTight && column.as === 'instant' ? words.map((text) => text.replace(/ \S+$/, '')) : words
      return Math.max(...[column.name, ...parts].map((text) => pen.width(text, size))) + gap + 2
    })
  const parts = columns.map(({ as, wide = 1 }) => (as === 'text' ? wide : 0))
  const sum = (all: readonly number[]) => all.reduce((total, one) => total + one, 0)
  const whole = sum(parts)
  const roomy = widthsOf(false)
  const widths = whole > 0 && (inner - sum(roomy)) / whole < leastText ? widthsOf(true) : roomy
  const left = inner - sum(widths)
  let x = margin
  return columns.map((column, at) => {
    const room = (widths[at] ?? 0) + (left * (parts[at] ?? 0)) / whole
    const isLast = at === columns.length - 1
    const place = {
      x,
      width: isLast ? room : room - gap,
      align: isText(column) ? ('start' as const) : ('end' as const),
    }
    x += room
    return place
  })
}

type DrawnTable = { places: readonly ColumnPlace[]; texts: readonly string[]; lines: number; colour: string }

/** Only to be looked at; goes on below. */
function drawTexts(sheets: Sheets, { places, texts, lines, colour }: DrawnTable): void {
  const height = heightOf(sheets, { places, texts, lines })
  for (const [at, { x, width, align }] of places.entries())
    sheets.pen.write(texts[at] ?? '', { size, colour, align }, { x, y: sheets.y + 2, width, lines })
  underline(sheets, height)
}

function underline(sheets: Sheets, height: number): void {
  sheets.y += height
  sheets.pen.doc
    .moveTo(margin, sheets.y)
    .lineTo(margin + sheets.inner, sheets.y)
    .lineWidth(0.4)
    .strokeColor(ink.line)
    .stroke()
}

type TableRow = Omit<DrawnTable, 'colour'> & {
  table: Struct
  type: 'TH' | 'TD'
  fills?: readonly Column['fills'][]
}

function drawRow(sheets: Sheets, { table, places, texts, type, lines, fills = [] }: TableRow): void {
  const { pen } = sheets
  const height = heightOf(sheets, { places, texts, lines })
  const line = pen.doc.struct('TR')
  table.add(line)
  const colour = type === 'TH' ? ink.soft : ink.text
  for (const [at, { x, width, align }] of places.entries()) {
    const text = texts[at] ?? ''
    const fill = fills[at]?.[text]
    if (fill) pen.decorate(() => pen.doc.rect(x - 4, sheets.y + 1, width + 4, height - 2).fill(fill))
    const draw = () => void pen.write(text, { size, colour, align }, { x, y: sheets.y + 2, width, lines })
    line.add(pen.doc.struct(type, type === 'TH' ? columnHead : {}, [draw]))
  }
  line.end()
  pen.decorate(() => underline(sheets, height))
}
