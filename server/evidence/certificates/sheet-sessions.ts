import type { CertificateBody, CertificateSession } from '#contract/certificate-format.ts'
import { clock } from '#contract/certificate-labels.ts'
import { ink, page, type Pen } from '#server/documents/typeset.ts'
import { instant, rateText, remarksOn } from './labels.ts'

type Root = ReturnType<Pen['doc']['struct']>

type Order = {
  root: Root
  y: number
  /** Where the table has to end on the first page. */
  bottom: number
  body: CertificateBody
  viewing: NonNullable<CertificateBody['viewing']>
  /** Draws what stands below the table on the first page. */
  foot: () => void
}

const columns = [
  { title: 'Began', width: 96, align: 'start' },
  { title: 'Last report', width: 52, align: 'start' },
  { title: 'Device', width: 80, align: 'start' },
  { title: 'Speed', width: 40, align: 'end' },
  { title: 'Watched', width: 46, align: 'end' },
  { title: 'Clock', width: 36, align: 'end' },
  { title: 'Reports', width: 42, align: 'end' },
  { title: 'Remarks', width: 107.28, align: 'start' },
] as const
/** Not in the types of pdfkit. */
const columnHead: object = { scope: 'Column' }
const heads = columns.map(({ title }) => title)
const gap = 8
const lastY = page.height - 60

function cellsOf(session: CertificateSession): string[] {
  const { startedAt, endedAt, device, rates, watchedMs, wallMs, batchesSeen, batchesExpected } = session
  return [
    instant(startedAt).replace(' UTC', ''),
    instant(endedAt).slice(-12).replace(' UTC', ''),
    device,
    rateText(rates),
    clock(watchedMs),
    clock(wallMs),
    `${batchesSeen}/${batchesExpected}`,
    remarksOn(session) || 'none',
  ]
}

/** The sessions, the oldest first: on the first page as far as there is room, the others on one more. */
export function drawSessions(
  pen: Pen,
  { root, y: top, bottom, body, viewing: { sessions }, foot }: Order,
): void {
  const { doc } = pen
  const { margin: x, inner: width } = page
  const note = (text: string, y: number) =>
    root.add(doc.struct('P', {}, [() => void pen.write(text, small, { x, y, width })]))
  const heading = `Sessions (${sessions.length}), times in UTC`
  root.add(
    doc.struct('H2', {}, [
      () => void pen.write(heading, { size: 12, colour: ink.text }, { x, y: top, width }),
    ]),
  )
  const here = fitting(pen, sessions, bottom - top - 24)
  drawTable(pen, root, { y: top + 24, sessions: sessions.slice(0, here) })
  foot()
  if (here === sessions.length) return
  doc.addPage({ size: 'A4', margin: 0 })
  const title = `Viewing certificate no. ${body.number}, continued`
  pen.decorate(() => void pen.write(title, small, { x, y: page.margin - 14, width }))
  const behind = sessions.slice(here)
  const there = fitting(pen, behind, lastY - page.margin - 10)
  const y = drawTable(pen, root, { y: page.margin + 10, sessions: behind.slice(0, there) })
  const left = behind.length - there
  const words = `${left === 1 ? '1 more session is' : `${left} more sessions are`} in the attached text.`
  if (left > 0) note(words, y + 6)
}

/** How many sessions have room below a head of the table. */
function fitting(pen: Pen, sessions: readonly CertificateSession[], room: number): number {
  let used = heightOf(pen, heads)
  const first = sessions.findIndex((session) => (used += heightOf(pen, cellsOf(session))) > room)
  return first < 0 ? sessions.length : first
}

/** Returns where it ends. */
function drawTable(
  pen: Pen,
  root: Root,
  { y: top, sessions }: { y: number; sessions: CertificateSession[] },
): number {
  const table = pen.doc.struct('Table')
  root.add(table)
  let y = drawRow(pen, table, { y: top, cells: heads, type: 'TH' })
  for (const session of sessions) y = drawRow(pen, table, { y, cells: cellsOf(session), type: 'TD' })
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
