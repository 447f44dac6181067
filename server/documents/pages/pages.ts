import { facesFor } from '../faces.ts'
import { drawPlot } from './pages-plot.ts'
import { drawTable } from './pages-table.ts'
import type { Fact, Paper, PaperFigure } from '../paper.ts'
import { margin, rule, sheetsOf, type Sheets } from './sheets.ts'
import { ink } from './typeset.ts'
import { changeText, figureText } from '../labels.ts'

/** More columns than these need the wide side of the paper. */
const narrowColumns = 7

/** A table as pages to print: what it is about, its key figures and its plot, the table, and what all of it means. */
export async function pagesOf(paper: Paper): Promise<Buffer> {
  const { title, owner, figures, plot, notes, quality, meanings, table } = paper
  const isLandscape = table.columns.length > narrowColumns
  const faces = await facesFor(paper)
  return sheetsOf({ title, owner, isLandscape, faces }, (sheets) => {
    drawHead(sheets, paper)
    if (figures.length > 0) drawFigures(sheets, figures)
    if (plot) drawPlot(sheets, plot)
    for (const note of [...notes, ...(quality ? [`Quality of the data: ${quality.line}.`] : [])]) {
      sheets.say('P', note, { size: 8.5, colour: ink.soft, lines: 4 })
      sheets.y += 2
    }
    drawTable(sheets, table)
    drawFacts(sheets, 'What the figures mean', meanings)
    if (quality) drawFacts(sheets, 'Quality of the data', quality.facts)
    if (!sheets.pen.isWhole()) {
      sheets.y += 8
      const remark =
        'Square brackets stand for letters that these pages have no font for; the CSV file has them.'
      sheets.say('P', remark, { size: 8.5, lines: 2 })
    }
  })
}

const logoRoom = { width: 150, height: 36 }

function drawHead(sheets: Sheets, { title, lead, owner, logo, facts }: Paper): void {
  const { pen, inner } = sheets
  const { doc } = pen
  if (logo) {
    const scale = Math.min(logoRoom.width / logo.width, logoRoom.height / logo.height, 1)
    const size = { width: logo.width * scale, height: logo.height * scale }
    sheets.tag('Figure', () => void doc.image(Buffer.from(logo.data), margin, 32, size), { alt: owner })
  }
  const style = { size: 10, colour: ink.text, align: logo ? 'end' : 'start' } as const
  const beside = logo ? logoRoom.width : 0
  sheets.tag('P', () => {
    pen.write(owner, style, { x: margin + beside, y: 48, width: inner - beside })
  })
  pen.decorate(() => rule(pen, { x: margin, y: 76, width: inner }))
  sheets.y = 88
  sheets.say('H1', title, { size: 24, colour: ink.accent })
  sheets.say('P', lead, { size: 10, colour: ink.soft, lines: 2 })
  sheets.y += 8
  drawPairs(sheets, facts)
  sheets.y += 8
}

/** Facts in two columns, read from left to right. */
function drawPairs(sheets: Sheets, facts: readonly Fact[]): void {
  const { pen, inner } = sheets
  const half = (inner - 24) / 2
  const labelled = 80
  for (let at = 0; at < facts.length; at += 2) {
    const { y } = sheets
    let used = 0
    for (const [side, fact] of facts.slice(at, at + 2).entries()) {
      const x = margin + side * (half + 24)
      sheets.tag('P', () => {
        pen.write(fact.label, { size: 9, colour: ink.soft }, { x, y, width: labelled - 6 })
        const place = { x: x + labelled, y, width: half - labelled, lines: 3 }
        used = Math.max(used, pen.write(fact.value, { size: 9, colour: ink.text }, place))
      })
    }
    sheets.y += used + 3
  }
}

const card = { gap: 10, pad: 10, words: 46, size: 8, lines: 2 }
const wordHeight = Math.round(card.size * 1.4)

/** All cards are as high as the one that has most to say: no number is cut off. */
function drawFigures(sheets: Sheets, figures: readonly PaperFigure[]): void {
  const { pen, inner } = sheets
  const width = (inner - card.gap * (figures.length - 1)) / figures.length
  const room = { size: card.size, width: width - 2 * card.pad, lines: card.lines }
  const cards = figures.map((one) => {
    const said = [compared(one), one.hint ?? ''].filter((words) => words !== '')
    return { one, said, lines: said.reduce((sum, words) => sum + pen.lines(words, room), 0) }
  })
  const height = card.words + Math.max(...cards.map(({ lines }) => lines)) * wordHeight + card.pad
  sheets.need(height)
  const top = sheets.y
  for (const [at, { one, said }] of cards.entries()) {
    const x = margin + at * (width + card.gap)
    pen.decorate(() => pen.doc.roundedRect(x, top, width, height, 6).fill(ink.pale))
    sheets.tag('P', () => {
      const place = { x: x + card.pad, width: room.width }
      pen.write(one.label, { size: 8.5, colour: ink.soft }, { ...place, y: top + 8 })
      const value = figureText(one.figure.value, one.as)
      pen.write(value, { size: 18, colour: ink.text }, { ...place, y: top + 20 })
      let y = top + card.words
      for (const words of said) {
        const colour = words === one.hint ? ink.soft : ink.text
        y += pen.write(words, { size: card.size, colour }, { ...place, y, lines: card.lines })
      }
    })
  }
  sheets.y = top + height + 14
}

/** "Up 12% from 50"; what it was is left out where the words say it already. */
function compared(one: PaperFigure): string {
  const { figure, as, change } = one
  const moved = change?.direction === 'up' || change?.direction === 'down'
  const from = moved && figure.before ? ` from ${figureText(figure.before, as)}` : ''
  return changeText(one) + from
}

function drawFacts(sheets: Sheets, title: string, facts: readonly Fact[]): void {
  const { pen, inner } = sheets
  if (facts.length === 0) return
  sheets.y += 14
  sheets.need(60)
  sheets.say('H2', title, { size: 12 })
  sheets.y += 4
  const labelled = 110
  const size = 8.5
  for (const { label, value } of facts) {
    const width = inner - labelled
    sheets.need(pen.lines(value, { size, width, lines: 8 }) * Math.round(size * 1.4) + 4)
    sheets.tag('P', () => {
      const { y } = sheets
      pen.write(label, { size, colour: ink.text }, { x: margin, y, width: labelled - 8, lines: 2 })
      const used = pen.write(value, { size, colour: ink.soft }, { x: margin + labelled, y, width, lines: 8 })
      sheets.y = y + used + 4
    })
  }
}
