import writeExcelFile, { type Feature, type Image, type Row, type Sheet } from 'write-excel-file/node'
import type { Cell, Column, ColumnKind, Fact, Paper, PaperFigure, PaperPlot } from './paper.ts'
import { changeText, figureText } from './labels.ts'
import { cut } from '#contract/platform/text/text.ts'

/** The library's name for what a file may be made of. */
type Content = Image['content']

const dayMs = 86_400_000
/** More characters no cell may have. */
const longest = 32_767

/** How Excel shows what a column holds; text stays text, also when somebody edits the cell, so that none of it is run as a formula. */
const formats: Record<ColumnKind, string> = {
  text: '@',
  count: '#,##0',
  share: '0.0%',
  reached: '0.0%',
  time: '[h]:mm:ss',
  clock: '[h]:mm:ss',
  instant: 'yyyy-mm-dd hh:mm',
}
const units: Partial<Record<ColumnKind, string>> = {
  time: ' (h:mm:ss)',
  clock: ' (h:mm:ss)',
  instant: ' (UTC)',
}
const ink = { accent: '#0c7562', pale: '#e4efec', soft: '#4d5869' }

/** The workbook of a table: what it is about, the table itself, and the steps of its plot. All of it is built in memory. */
export function workbookOf(paper: Paper): Promise<Buffer> {
  const { table, plot } = paper
  const sheets = [aboutSheet(paper), tableSheet(paper), ...(plot ? [stepSheet(plot)] : [])]
  const filtered = `A1:${letters(table.columns.length)}${table.rows.length + 1}`
  return writeExcelFile(sheets, {
    fontFamily: 'Calibri',
    fontSize: 11,
    features: [filterOn(1, filtered), fitted(sheets.map(({ sheet }) => sheet ?? '')), named(paper)],
  }).toBuffer()
}

const text = (value: string, style: object = {}) => ({
  value: cut(value, longest),
  type: String,
  format: formats.text,
  ...style,
})
const bold = { fontWeight: 'bold' } as const
const heading = (value: string, align: 'left' | 'right' = 'left') =>
  text(value, {
    ...bold,
    align,
    backgroundColor: ink.pale,
    bottomBorderStyle: 'thin',
    alignVertical: 'center',
  })

function numeric(value: number, as: ColumnKind) {
  const isTime = as === 'time' || as === 'clock'
  return { value: isTime ? value / dayMs : value, type: Number, format: formats[as] }
}

function cellOf(cell: Cell, { as, none, fills }: Column) {
  if (cell === null) return none === undefined ? null : text(none, { textColor: ink.soft, align: 'right' })
  if (typeof cell === 'number') return numeric(cell, as)
  if (as === 'instant') return { value: new Date(cell), type: Date, format: formats.instant }
  const fill = fills?.[cell]
  return cell === '' ? null : text(cell, fill ? { backgroundColor: fill } : {})
}

const isNumber = (as: ColumnKind) => as !== 'text' && as !== 'instant'

function tableSheet({ table: { name, columns, rows } }: Paper): Sheet<Content> {
  const first = rows.slice(0, 500)
  const heads = columns.map((column) => column.name + (units[column.as] ?? ''))
  return {
    sheet: name,
    stickyRowsCount: 1,
    stickyColumnsCount: 1,
    orientation: 'landscape',
    columns: columns.map((column, at) => ({
      width: widthOf(
        column,
        heads[at] ?? '',
        first.map((row) => row[at]),
      ),
    })),
    data: [
      columns.map(({ as }, at) => heading(heads[at] ?? '', isNumber(as) ? 'right' : 'left')),
      ...rows.map((row) => columns.map((column, at) => cellOf(row[at] ?? null, column))),
    ],
  }
}

/** In characters: as wide as the first cells need it, within reason. */
function widthOf({ as }: Column, head: string, cells: readonly (Cell | undefined)[]): number {
  if (as === 'instant') return Math.max(18, head.length + 4)
  if (as !== 'text') return Math.max(12, head.length + 4)
  const widest = cells.reduce<number>((most, cell) => Math.max(most, String(cell ?? '').length), 0)
  return Math.min(60, Math.max(12, widest + 2, head.length + 4))
}

/** Label, value, before, change, and what is to be said about it. */
const aboutWidths = [26, 20, 20, 20, 64]
const wordsWide = aboutWidths.slice(1).reduce((sum, width) => sum + width, 0)
const lineHeight = 15.5

/** Words over all columns but the first, as high as they need. */
function spread(label: string, value: string): Row {
  const height = Math.ceil(value.length / (wordsWide * 0.92)) * lineHeight
  const across = { wrap: true, columnSpan: aboutWidths.length - 1, alignVertical: 'top', height }
  return [text(label, { ...bold, alignVertical: 'top' }), text(value, across)]
}
const spreadAll = (facts: readonly Fact[]) => facts.map(({ label, value }) => spread(label, value))
const part = (title: string): Row[] => [[], [text(title, { ...bold, fontSize: 13, textColor: ink.accent })]]

function aboutSheet(paper: Paper): Sheet<Content> {
  const { title, lead, owner, facts, figures, notes, quality, meanings, table } = paper
  const limits = table.cut === null ? [] : [{ label: 'Not all rows', value: table.cut }]
  return {
    sheet: 'About',
    showGridLines: false,
    orientation: 'landscape',
    columns: aboutWidths.map((width) => ({ width })),
    data: [
      [text(title, { ...bold, fontSize: 18, textColor: ink.accent, height: 28 })],
      [text(lead, { textColor: ink.soft })],
      [],
      spread('Organization', owner),
      ...spreadAll([...limits, ...facts]),
      ...(figures.length === 0 ? [] : [...part('Key figures'), ...figureRows(figures)]),
      ...notes.map((note) => spread('', note)),
      ...(quality
        ? [...part('Quality of the data'), spread('In short', quality.line), ...spreadAll(quality.facts)]
        : []),
      ...part('What the figures mean'),
      ...spreadAll(meanings),
    ],
  }
}

function figureRows(figures: readonly PaperFigure[]): Row[] {
  const value = (number: number | null, as: PaperFigure['as']) =>
    number === null ? text(figureText(null, as), { align: 'right' }) : numeric(number, as)
  const isCompared = figures.some(({ change }) => change !== null)
  const heads = isCompared ? ['This period', 'Before', 'Change'] : ['Now', '', '']
  return [
    [heading('Figure'), ...heads.map((head) => heading(head, 'right')), heading('')],
    ...figures.map((one) => [
      text(one.label, { ...bold, height: lineHeight }),
      { ...value(one.figure.value, one.as), ...bold },
      one.change === null ? null : value(one.figure.before, one.as),
      text(changeText(one), { align: 'right' }),
      text(one.hint ?? '', { textColor: ink.soft, indent: 1 }),
    ]),
  ]
}

function stepSheet({ heads, isTime, steps }: PaperPlot): Sheet<Content> {
  const as = isTime ? 'time' : 'count'
  const [step, now, before] = heads
  return {
    sheet: `${step}s`,
    stickyRowsCount: 1,
    orientation: 'landscape',
    columns: [{ width: 14 }, { width: 20 }, { width: 40 }],
    data: [
      [heading(`${step} (UTC)`), heading(now + (units[as] ?? ''), 'right'), heading(before, 'right')],
      ...steps.map(({ day, value, before: former }) => [
        {
          value: new Date(`${day}T00:00:00Z`),
          type: Date,
          format: step === 'Month' ? 'mmm yyyy' : 'yyyy-mm-dd',
        },
        numeric(value, as),
        numeric(former, as),
      ]),
    ],
  }
}

/** 1: A, 27: AA. */
function letters(column: number): string {
  const last = String.fromCodePoint(65 + ((column - 1) % 26))
  return column <= 26 ? last : letters(Math.floor((column - 1) / 26)) + last
}

/** Buttons at the heads of a sheet's columns by which its rows are filtered and sorted. */
function filterOn(sheet: number, range: string): Feature<Content> {
  const transform = (content: string, _options: object, { sheetIndex }: { sheetIndex: number }) =>
    sheetIndex === sheet
      ? content.replace('</sheetData>', `</sheetData><autoFilter ref="${range}"/>`)
      : content
  return { files: { transform: { 'xl/worksheets/sheet{id}.xml': { transform } } } }
}

/** Every sheet is printed as wide as its paper, as long as it needs, and with its heads on each page. */
function fitted(names: readonly string[]): Feature<Content> {
  const titles = names.flatMap((name, at) => {
    const quoted = `'${name.replaceAll("'", "''")}'`
    return at === 0
      ? []
      : `<definedName name="_xlnm.Print_Titles" localSheetId="${at}">${escaped(quoted)}!$1:$1</definedName>`
  })
  const onSheet = (content: string) =>
    content
      .replace(/<worksheet[^>]*>/, '$&<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>')
      .replace('<pageSetup ', '<pageSetup fitToHeight="0" ')
  const onBook = (content: string) =>
    content.replace('<definedNames/>', `<definedNames>${titles.join('')}</definedNames>`)
  return {
    files: {
      transform: {
        'xl/workbook.xml': { transform: onBook },
        'xl/worksheets/sheet{id}.xml': { transform: onSheet },
      },
    },
  }
}

const namesFile = 'docProps/core.xml'

/** The title under which the workbook is found. */
function named({ title, owner }: Paper): Feature<Content> {
  const core = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>${escaped(`${title}: ${owner}`)}</dc:title><dc:creator>${escaped(owner)}</dc:creator><dc:language>en-US</dc:language></cp:coreProperties>`
  const kind = 'application/vnd.openxmlformats-package.core-properties+xml'
  const relation = 'http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties'
  return {
    files: {
      transform: {
        '[Content_Types].xml': { insert: () => `<Override PartName="/${namesFile}" ContentType="${kind}"/>` },
        '_rels/.rels': {
          insert: () => `<Relationship Id="rId-names-1" Type="${relation}" Target="${namesFile}"/>`,
        },
      },
      write: { files: () => ({ [namesFile]: core }) },
    },
  }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (value: string): string =>
  value.replaceAll(/\p{Cc}/gu, '').replaceAll(/[&<>"]/g, (sign) => entities[sign] ?? '')
