import { formatDuration, formatNumber } from '#contract/platform/text/format.ts'
import type { PaperPlot } from '../paper.ts'
import { margin, rule, type Sheets } from './sheets.ts'
import { ink } from './typeset.ts'
import { capitalized } from '#contract/platform/text/text.ts'

const plotHeight = 118
/** Room for the words of the axis. */
const axis = 44

/** Columns for this period, a line for the one before, so that they can be told apart without colours as well. */
export function drawPlot(sheets: Sheets, plot: PaperPlot): void {
  const { pen, inner } = sheets
  const { doc } = pen
  const { title, sum, isTime, heads, steps } = plot
  const format = isTime ? formatDuration : formatNumber
  sheets.need(plotHeight + 78)
  sheets.say('H2', title, { size: 12 })
  sheets.say('P', `${capitalized(sum)}.`, { size: 9, colour: ink.soft, lines: 2 })
  drawLegend(sheets, heads)
  const top = sheets.y + 4
  const most = Math.max(1, ...steps.flatMap(({ value, before }) => [value, before]))
  const { ceiling, marks } = scaleOf(most, isTime)
  const bottom = top + plotHeight
  const x = margin + axis
  const width = inner - axis
  const each = width / Math.max(1, steps.length)
  const at = (value: number) => bottom - (value / ceiling) * plotHeight
  sheets.tag(
    'Figure',
    () => {
      for (const mark of marks) {
        rule(pen, { x, y: at(mark), width })
        const style = { size: 8, colour: ink.soft, align: 'end' } as const
        pen.write(format(mark), style, { x: margin, y: at(mark) - 6, width: axis - 6 })
      }
      const bar = Math.max(0.5, each * 0.72)
      for (const [n, { value }] of steps.entries())
        if (value > 0) doc.rect(x + n * each + (each - bar) / 2, at(value), bar, bottom - at(value))
      doc.fill(ink.accent)
      drawBefore()
      drawNames()
    },
    { alt: described(plot, format) },
  )
  sheets.y = bottom + 26

  function drawBefore(): void {
    for (const [n, { before }] of steps.entries()) {
      const [from, to] = [x + n * each, x + (n + 1) * each]
      if (n === 0) doc.moveTo(from, at(before))
      doc.lineTo(from, at(before)).lineTo(to, at(before))
    }
    if (steps.length > 0)
      doc.lineWidth(1.1).strokeColor(beforeInk).dash(2.5, { space: 1.5 }).stroke().undash()
  }

  /** As many names below as have room. */
  function drawNames(): void {
    const every = Math.max(1, Math.ceil(steps.length / Math.floor(width / 62)))
    for (const [n, { label }] of steps.entries()) {
      if (n % every !== 0) continue
      const style = { size: 8, colour: ink.soft, align: 'middle' } as const
      pen.write(label, style, { x: x + (n + 0.5) * each - 31, y: bottom + 5, width: 62 })
    }
  }
}

const beforeInk = '#1a2230'

function drawLegend(sheets: Sheets, [, now, before]: PaperPlot['heads']): void {
  const { pen } = sheets
  const y = sheets.y + 2
  pen.decorate(() => {
    pen.doc.rect(margin, y + 3, 10, 7).fill(ink.accent)
    pen.doc
      .moveTo(margin + 84, y + 6.5)
      .lineTo(margin + 100, y + 6.5)
      .lineWidth(1.1)
      .strokeColor(beforeInk)
      .dash(2.5, { space: 1.5 })
      .stroke()
      .undash()
  })
  const style = { size: 8.5, colour: ink.text } as const
  sheets.tag('P', () => {
    pen.write(now, style, { x: margin + 15, y, width: 66 })
    pen.write(before, style, { x: margin + 105, y, width: 320 })
  })
  sheets.y = y + 18
}

/** What a scale may count in: 1, 2, 5, 10, 20 of a thing, and of seconds, minutes and hours. */
function scaleOf(most: number, isTime: boolean): { ceiling: number; marks: number[] } {
  const unit = isTime ? (most >= 5 * 3_600_000 ? 3_600_000 : most >= 5 * 60_000 ? 60_000 : 1_000) : 1
  const rough = most / unit / 4
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)))
  const step = Math.max(1, ([1, 2, 5, 10].find((one) => one * power >= rough) ?? 10) * power) * unit
  const count = Math.max(1, Math.ceil(most / step))
  return { ceiling: count * step, marks: Array.from({ length: count + 1 }, (_none, n) => n * step) }
}

/** The plot for who does not see it. */
function described({ title, sum, steps, heads }: PaperPlot, format: (value: number) => string): string {
  const highest = steps.reduce<PaperPlot['steps'][number] | undefined>(
    (most, step) => (most && most.value >= step.value ? most : step),
    undefined,
  )
  const peak = highest && highest.value > 0 ? ` Most: ${format(highest.value)}, ${highest.label}.` : ''
  const all = steps.map(({ label, value, before }) => `${label}: ${format(value)} (${format(before)})`)
  return `${title}: ${sum}.${peak} Each step with ${heads[2].toLowerCase()} in brackets. ${all.join(', ')}.`
}
