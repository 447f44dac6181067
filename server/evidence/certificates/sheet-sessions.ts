import type { CertificateBody, CertificateSession } from '#contract/evidence/certificate-format.ts'
import { clock, deviceIn } from '#contract/evidence/certificate-labels.ts'
import { ink, page, type Pen } from '#server/documents/pages/typeset.ts'
import { rateText, remarksOn, type Words } from './labels.ts'

type Root = ReturnType<Pen['doc']['struct']>

type Order = {
  root: Root
  y: number
  /** The table has to end here on the first page. */
  bottom: number
  body: CertificateBody
  viewing: NonNullable<CertificateBody['viewing']>
  words: Words
  /** Draws what stands below the table on the first page. */
  foot: () => void
}

const columns = [
  { width: 96, align: 'start' },
  { width: 52, align: 'start' },
  { width: 80, align: 'start' },
  { width: 40, align: 'end' },
  { width: 46, align: 'end' },
  { width: 36, align: 'end' },
  { width: 42, align: 'end' },
  { width: 107.28, align: 'start' },
] as const
/** The types of pdfkit lack this. */
const columnHead: object = { scope: 'Column' }
const gap = 8
const lastY = page.height - 60

const headsOf = ({ say, tell }: Words): string[] => [
  ...(['began', 'lastReport', 'device'] as const).map((key) => tell(key)),
  say('speed'),
  say('watched'),
  tell('clock'),
  say('reports'),
  say('remarks'),
]

function cellsOf(session: CertificateSession, words: Words): string[] {
  const { startedAt, endedAt, device, rates, watchedMs, wallMs, batchesSeen, batchesExpected } = session
  return [
    words.bare(startedAt),
    words.time(endedAt),
    deviceIn(device, words.tell),
    rateText(rates, words),
    clock(watchedMs),
    clock(wallMs),
    `${batchesSeen}/${batchesExpected}`,
    remarksOn(session, words) || words.say('noRemarks'),
  ]
}

/** Draws the sessions, the oldest first. As many as have room stand on the first page, the others on one more. */
export function drawSessions(
  pen: Pen,
  { root, y: top, bottom, body, viewing: { sessions }, words, foot }: Order,
): void {
  const { doc } = pen
  const { say } = words
  const { margin: x, inner: width } = page
  const lines = { heads: headsOf(words), rows: sessions.map((session) => cellsOf(session, words)) }
  const note = (text: string, y: number) =>
    root.add(doc.struct('P', {}, [() => void pen.write(text, small, { x, y, width })]))
  const heading = say('sessions', { count: String(sessions.length) })
  root.add(
    doc.struct('H2', {}, [
      () => void pen.write(heading, { size: 12, colour: ink.text }, { x, y: top, width }),
    ]),
  )
  const here = fitting(pen, lines, bottom - top - 24)
  drawTable(pen, root, { y: top + 24, ...lines, rows: lines.rows.slice(0, here) })
  foot()
  if (here === sessions.length) return
  doc.addPage({ size: 'A4', margin: 0 })
  const title = say('continued', { number: String(body.number) })
  pen.decorate(() => void pen.write(title, small, { x, y: page.margin - 14, width }))
  const behind = { ...lines, rows: lines.rows.slice(here) }
  const there = fitting(pen, behind, lastY - page.margin - 10)
  const y = drawTable(pen, root, { y: page.margin + 10, ...behind, rows: behind.rows.slice(0, there) })
  const left = behind.rows.length - there
  if (left > 0) note(say('sessionsLeft', { count: left }), y + 6)
}

type Lines = { heads: readonly string[]; rows: readonly string[][] }

/** Returns how many sessions have room below a head of the table. */
function fitting(pen: Pen, { heads, rows }: Lines, room: number): number {
  let used = heightOf(pen, heads)
  const first = rows.findIndex((cells) => (used += heightOf(pen, cells)) > room)
  return first < 0 ? rows.length : first
}

/** Draws rows, and returns where they end. */
function drawTable(pen: Pen, root: Root, { y: top, heads, rows }: Lines & { y: number }): number {
  const table = pen.doc.struct('Table')
  root.add(table)
  let y = drawRow(pen, table, { y: top, cells: heads, type: 'TH' })
  for (const cells of rows) y = drawRow(pen, table, { y, cells, type: 'TD' })
  table.end()
  return y
}

const small = { size: 9, colour: ink.soft } as const
const size = 8
const lineHeight = Math.round(size * 1.4)

/** Remarks and devices may take three lines. */
function heightOf(pen: Pen, cells: readonly string[]): number {
  const lines = cells.map((cell, i) =>
    pen.lines(cell, { size, width: (columns[i]?.width ?? 60) - gap, lines: 3 }),
  )
  return Math.max(...lines) * lineHeight + 6
}

type SessionLine = { y: number; cells: readonly string[]; type: 'TH' | 'TD' }

function drawRow(pen: Pen, table: Root, { y, cells, type }: SessionLine): number {
  const { doc } = pen
  const height = heightOf(pen, cells)
  const line = doc.struct('TR')
  table.add(line)
  let x = page.margin
  for (const [i, { width, align }] of columns.entries()) {
    const place = { x, y: y + 2, width: width - gap, lines: 3 }
    const style = { size, colour: type === 'TH' ? ink.soft : ink.text, align }
    const draw = () => void pen.write(cells[i] ?? '', style, place)
    line.add(doc.struct(type, type === 'TH' ? columnHead : {}, [draw]))
    x += width
  }
  line.end()
  pen.rule(y + height, 0.4)
  return y + height
}
