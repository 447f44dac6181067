import Pdf from 'pdfkit'
import type { CardFormat } from '#contract/cards.ts'
import { localeOf, type Language } from '#contract/platform/text/languages.ts'
import { facesFor } from '../documents/faces.ts'
import { drawQr } from '../documents/qr.ts'
import { ink, penFor, type Pen, type Style } from '../documents/pages/typeset.ts'
import { sayIn } from '../platform/messages.ts'
import { capitalized } from '#contract/platform/text/text.ts'

/** What stands on one card; plain data, so that it can be handed to another thread. */
export type Card = {
  person: string
  language: Language
  link: string
  pin: string
  number: string
  /** Its organization lets only signed-in people watch. */
  asksSignIn: boolean
  /** The day by which it is due, in words. */
  due: string | null
  /** What the assignment says to this person; on letters. */
  words: string
}

export type Cards = {
  format: CardFormat
  organization: string
  product: string
  title: string
  cards: readonly Card[]
}

/** In points: where texts begin and end, how large the code is, and how much larger than on a card everything is written. */
const sizes = {
  card: { paper: 'A6', margin: 24, code: 120, scale: 1 },
  letter: { paper: 'A4', margin: 64, code: 150, scale: 1.3 },
} as const

/** One page for each person, read aloud in the order in which it is read, each in the language of its person. */
export async function drawCards(order: Cards): Promise<Buffer> {
  const { format, organization, product, title, cards } = order
  const [first] = cards
  const faces = await facesFor(order)
  const language = first?.language ?? 'en'
  const name = sayIn(language, 'card')('documentTitle', { title })
  const page = { size: sizes[format].paper, margin: 0 }
  const doc = new Pdf({
    ...page,
    font: '',
    pdfVersion: '1.7',
    tagged: true,
    lang: localeOf[language],
    displayTitle: true,
    autoFirstPage: false,
    info: { Title: name, Author: organization, Creator: product, Producer: product },
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
  for (const one of cards) {
    doc.addPage(page)
    drawCard({ pen, root, order }, one)
  }
  root.end()
  doc.end()
  return whole
}

/** Of the words of an assignment; the rest is in its mails. */
const mostLines = 15

type Paper = { pen: Pen; root: ReturnType<Pen['doc']['struct']>; order: Cards }
type Line = Partial<Style> & { size: number; lines?: number; gap?: number }

function drawCard(
  { pen, root, order }: Paper,
  { person, language, link, pin, number, asksSignIn, due, words: letter }: Card,
): void {
  const { format, organization, title } = order
  const { margin: x, code, scale } = sizes[format]
  const { doc } = pen
  const say = sayIn(language, 'card')
  const width = doc.page.width - 2 * x
  const part = doc.struct('Sect', { lang: localeOf[language] })
  root.add(part)
  let y: number = x
  const tell = (
    kind: string,
    text: string,
    { size, colour = ink.text, lines = 2, gap = 4, ...style }: Line,
  ) => {
    const draw = () => {
      y += pen.write(text, { size: size * scale, colour, ...style }, { x, y, width, lines }) + gap * scale
    }
    part.add(doc.struct(kind, {}, [draw]))
  }
  tell('P', organization, { size: 9, colour: ink.accent })
  if (format === 'card') tell('P', say('forPerson', { person }), { size: 9, colour: ink.soft })
  else tell('P', say('hello', { person }), { size: 11, gap: 8 })
  const asked = due === null ? say('watch', { title }) : say('watchBy', { title, day: due })
  // After a greeting, German goes on with a small letter.
  tell('H1', capitalized(asked), { size: 13, lines: 3, gap: 6 })
  let room: number = format === 'letter' ? mostLines : 0
  for (const words of letter.split(/\s*\n\s*/)) {
    const lines = Math.min(room, pen.lines(words, { size: 9 * scale, width, lines: mostLines }))
    if (lines > 0) tell('P', words, { size: 9, lines, gap: 2 })
    room -= lines
  }
  const figure = () => {
    drawQr(pen, link, { x: x + (width - code) / 2, y, size: code, border: 2 })
    y += code + 6
  }
  part.add(doc.struct('Figure', { alt: say('code') }, [figure]))
  tell('P', say(asksSignIn ? 'scanAndSignIn' : 'scan'), { size: 8.5, align: 'middle', gap: 6 })
  tell('P', `${say('pin')}: ${pin.slice(0, 3)} ${pin.slice(3)}`, { size: 15, align: 'middle', gap: 2 })
  tell('P', say('pinText'), { size: 8, colour: ink.soft, lines: 3 })
  tell('P', say('keep'), { size: 8, colour: ink.soft, lines: 4 })
  tell('P', say('number', { number, organization }), { size: 7, colour: ink.soft, lines: 1 })
  part.end()
}
