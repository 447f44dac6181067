import Pdf from 'pdfkit'
import { encodeQR } from 'qr'
import { canonical } from '#contract/canonical.ts'
import {
  attachmentName,
  chainOrigin,
  type CertificateBody,
  type CertificateFile,
  type SourceState,
} from '#contract/certificate-format.ts'
import { clock, exactly, percent, sourceReasons, sourceStates, sumsOf } from '#contract/certificate-labels.ts'
import { drawSessions } from './sheet-sessions.ts'
import type { Logo } from '#server/documents/logo.ts'
import { ink, page, penFor, type Pen, type Style } from '#server/documents/typeset.ts'
import { minus } from '../../tracking/ranges.ts'
import { instant } from './labels.ts'

/** Everything that is drawn; plain data, so that it can be handed to another thread. */
export type Sheet = {
  file: CertificateFile
  /** Null where the organization has no picture. */
  logo: Logo | null
  product: string
  /** Address of the page that verifies it. */
  verifyUrl: string
}

/** Where the part with the fingerprint begins, on the first page. */
const footY = 694

/** The certificate as PDF, with its signed text as an attachment. About a tenth of a second of computing. */
export function drawSheet(sheet: Sheet): Promise<Buffer> {
  const { body } = sheet.file
  const doc = new Pdf({
    size: 'A4',
    margin: 0,
    font: '',
    pdfVersion: '1.7',
    tagged: true,
    lang: 'en-US',
    displayTitle: true,
    info: {
      Title: `Viewing certificate no. ${body.number}: ${body.person.name}, ${body.video.title}`,
      Author: body.organization.name,
      Subject: `Signed statement of what was watched, fingerprint ${sheet.file.hash}`,
      Creator: sheet.product,
      Producer: sheet.product,
      CreationDate: new Date(body.issuedAt),
      ModDate: new Date(body.issuedAt),
    },
  })
  const chunks: Buffer[] = []
  const whole = new Promise<Buffer>((resolve, reject) => {
    doc.on('data', (chunk: Buffer) => chunks.push(chunk))
    doc.on('end', () => resolve(Buffer.concat(chunks)))
    doc.on('error', reject)
  })
  attach(doc, sheet.file)
  draw(penFor(doc), sheet)
  doc.end()
  return whole
}

/** Not compressed, so that it can be found by whoever opens the file with a text editor. */
function attach(doc: Pen['doc'], file: CertificateFile): void {
  const issued = new Date(file.body.issuedAt)
  const described = {
    name: attachmentName,
    type: 'application/json',
    description: 'The signed text of this certificate',
    creationDate: issued,
    modifiedDate: issued,
    relationship: 'Source',
  }
  doc.compress = false
  doc.file(Buffer.from(canonical(file)), described)
  doc.compress = true
}

function draw(pen: Pen, sheet: Sheet): void {
  const { doc } = pen
  const { body } = sheet.file
  const root = doc.struct('Document')
  doc.addStructure(root)
  const say = (type: string, content: () => void) => void root.add(doc.struct(type, {}, [content]))

  let y = drawHead(pen, sheet, say)
  y = drawWhoAndWhat(pen, body, { y, say })
  y = drawResult(pen, body, { y, say })
  const { viewing } = body
  const foot = () => drawFoot(pen, sheet, say)
  if (viewing) {
    y = drawTimeline(pen, { ...body, viewing }, { y, say })
    drawSessions(pen, { root, y: y + 8, bottom: footY - 18, body, viewing, foot })
  } else {
    say('P', () => {
      const text =
        'This organization keeps nothing but whether a video was completed: no parts, no times, no devices.'
      pen.write(text, { size: 9, colour: ink.soft }, { x: page.margin, y, width: page.inner, lines: 2 })
    })
    foot()
  }
  root.end()
}

type Viewing = NonNullable<CertificateBody['viewing']>
type Say = (type: string, content: () => void) => void
type Spot = { y: number; say: Say }

function drawHead(pen: Pen, { file: { body }, logo, product }: Sheet, say: Say): number {
  const { doc } = pen
  const { margin: x, inner: width } = page
  if (logo) {
    const scale = Math.min(150 / logo.width, 40 / logo.height, 1)
    const size = { width: logo.width * scale, height: logo.height * scale }
    const picture = doc.struct('Figure', { alt: body.organization.name }, [
      () => void doc.image(Buffer.from(logo.data), x, 40, size),
    ])
    doc.addStructure(picture)
  }
  const style = { size: 9, colour: ink.soft, align: 'end' } as const
  say('P', () => {
    pen.write(
      body.organization.name,
      { ...style, size: 10, colour: ink.text },
      { x: x + 200, y: 44, width: width - 200 },
    )
    pen.write(product, style, { x: x + 200, y: 60, width: width - 200 })
  })
  pen.rule(92, 0.75)
  say(
    'H1',
    () => void pen.write('Viewing certificate', { size: 25, colour: ink.accent }, { x, y: 106, width }),
  )
  say('P', () => {
    const text = `No. ${body.number}, issued on ${instant(body.issuedAt)}`
    pen.write(text, { size: 10, colour: ink.soft }, { x, y: 143, width })
  })
  const state = body.viewing?.secondSource?.state
  if (state)
    say('P', () => {
      const place = { x: x + width / 2, y: 141, width: width / 2 }
      pen.write(`Evidence: ${sourceStates[state]}`, { size: 13, colour: ink.text, align: 'end' }, place)
    })
  return 174
}

function drawWhoAndWhat(
  pen: Pen,
  { person, video, organization }: CertificateBody,
  { y, say }: Spot,
): number {
  const half = page.inner / 2 - 12
  const columns = [
    { label: 'Person', name: person.name, detail: person.email, x: page.margin },
    {
      label: 'Video',
      name: video.title,
      detail: `Version ${video.version}, ${clock(video.durationMs)} long`,
      x: page.margin + half + 24,
    },
  ]
  const heights = columns.map(({ label, name, detail, x }) => {
    let used = 0
    const line = (text: string, style: Style, lines = 1) => {
      used += pen.write(text, style, { x, y: y + used, width: half, lines })
    }
    say('H2', () => line(label, { size: 9, colour: ink.soft }))
    say('P', () => {
      line(name, { size: 15, colour: ink.text }, 3)
      line(detail, { size: 10, colour: ink.soft }, 2)
    })
    return used
  })
  const next = y + Math.max(...heights) + 8
  say('P', () => {
    const text = `${organization.name} certifies what is recorded of how this person watched this video.`
    pen.write(text, { size: 9, colour: ink.soft }, { x: page.margin, y: next, width: page.inner, lines: 1 })
  })
  return next + 24
}

function drawResult(
  pen: Pen,
  { viewing, threshold, completedAt, quiz }: CertificateBody,
  { y, say }: Spot,
): number {
  const { doc } = pen
  const { margin: x, inner: width } = page
  pen.decorate(() => doc.roundedRect(x, y, width, 62, 6).fill(ink.pale))
  const parts = [
    viewing
      ? { big: percent(viewing.share), small: `watched: ${exactly(viewing.coveredMs)}`, width: 130 }
      : undefined,
    {
      big: completedAt ? 'Completed' : 'Not completed',
      small: completedAt ? instant(completedAt) : neededText(threshold, quiz),
      width: 190,
    },
    quiz ? { big: quizWord(quiz.passed), small: quizDetail(quiz), width: 150 } : undefined,
  ]
  let at = x + 16
  for (const part of parts) {
    if (!part) continue
    say('P', () => {
      pen.write(part.big, { size: 19, colour: ink.text }, { x: at, y: y + 8, width: part.width })
      pen.write(part.small, { size: 9, colour: ink.soft }, { x: at, y: y + 38, width: part.width })
    })
    at += part.width + 14
  }
  return y + 62 + 20
}

function neededText(threshold: number, quiz: CertificateBody['quiz']): string {
  const share = `counts as completed from ${percent(threshold)}`
  return quiz?.required && !quiz.passed ? `${share}, with the questions passed` : share
}

function quizWord(passed: boolean | null): string {
  return passed === null ? 'Quiz: not graded' : passed ? 'Quiz passed' : 'Quiz not passed'
}

function quizDetail({ attempts, bestScore, maxScore }: NonNullable<CertificateBody['quiz']>): string {
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  return bestScore === null || maxScore === null
    ? tries
    : `${tries}, best ${bestScore / 100} of ${maxScore / 100}`
}

const listedGaps = 6

function drawTimeline(
  pen: Pen,
  { video: { durationMs }, threshold, viewing }: CertificateBody & { viewing: Viewing },
  { y, say }: Spot,
): number {
  const { doc } = pen
  const { margin: x, inner: width } = page
  const { covered, coveredMs, secondSource } = viewing
  const at = (ms: number) => x + (ms / Math.max(1, durationMs)) * width
  const widthOf = (from: number, to: number) => Math.max(0.4, at(to) - at(from))
  say('H2', () => void pen.write('What was watched', { size: 12, colour: ink.text }, { x, y, width }))
  const bar = y + 22
  pen.decorate(() => {
    doc.rect(x, bar, width, 18).fill(ink.none)
    for (const [from, to] of covered) doc.rect(at(from), bar, widthOf(from, to), 18).fill(ink.accent)
    for (const { fromMs, toMs, state } of secondSource?.parts ?? [])
      doc.rect(at(fromMs), bar + 15, widthOf(fromMs, toMs), 3).fill(sourceInk[state])
    for (const [i, share] of [0, 0.25, 0.5, 0.75, 1].entries()) {
      const tick = x + width * share
      doc.rect(tick - 0.25, bar + 18, 0.5, 4).fill(ink.soft)
      const place = { x: tick - (i === 4 ? 60 : i === 0 ? 0 : 30), y: bar + 23, width: 60 }
      const align = i === 4 ? 'end' : i === 0 ? 'start' : 'middle'
      pen.write(clock(durationMs * share), { size: 8, colour: ink.soft, align }, place)
    }
  })
  let below = bar + 40
  say('P', () => {
    const gaps = gapText(minus([[0, durationMs]], covered))
    below += pen.write(gaps, { size: 9, colour: ink.text }, { x, y: below, width, lines: 3 })
    const sum = `Recorded: ${exactly(coveredMs)} of ${exactly(durationMs)} in ${covered.length === 1 ? 'one part' : `${covered.length} parts`}, each moment counted once. It counts as completed from ${percent(threshold)}.`
    below += pen.write(sum, { size: 9, colour: ink.soft }, { x, y: below, width, lines: 2 })
  })
  return secondSource ? drawSecondSource(pen, secondSource, { y: below + 8, say }) : below + 8
}

const sourceInk: Record<SourceState, string> = {
  proven: '#7fd1b9',
  likely: '#e9a23b',
  delivered: ink.none,
  contradicted: '#d92d20',
  none: ink.none,
}

/** What the server's own record says of the parts that count; the foot of the bar shows where. */
function drawSecondSource(
  pen: Pen,
  { state, parts }: NonNullable<Viewing['secondSource']>,
  { y, say }: Spot,
): number {
  const { margin: x, inner: width } = page
  let below = y
  const title = `Checked against what the server handed out: ${sourceStates[state]}`
  say('H2', () => {
    below += pen.write(title, { size: 12, colour: ink.text }, { x, y: below, width }) + 3
  })
  for (const sum of sumsOf(parts)) {
    pen.decorate(() => pen.doc.rect(x, below + 3.5, 8, 6).fill(sourceInk[sum.state]))
    say('P', () => {
      const text = `${sourceStates[sum.state]}, ${exactly(sum.ms)}: ${sourceReasons[sum.reason]}.`
      const style = { size: 9, colour: ink.text }
      below += pen.write(text, style, { x: x + 14, y: below, width: width - 14, lines: 2 })
    })
  }
  return below + 8
}

function gapText(gaps: readonly [number, number][]): string {
  if (gaps.length === 0) return 'Nothing is missing.'
  const shown = gaps.slice(0, listedGaps).map(([from, to]) => `${exactly(from)} to ${exactly(to)}`)
  const rest = gaps.length - shown.length
  return `Not watched: ${shown.join(', ')}${rest > 0 ? `, and ${rest} more in the attached text` : ''}.`
}

function drawFoot(pen: Pen, { file, verifyUrl }: Sheet, say: Say): void {
  const { margin: x, inner: width } = page
  const [textX, textWidth] = [x + 104, width - 104]
  pen.rule(footY, 0.75)
  say('Figure', () => drawQr(pen, verifyUrl, { x, y: footY + 12, size: 88 }))
  const { previous } = file.body
  const before =
    previous === chainOrigin
      ? 'The first certificate of this organization'
      : `Certificate before this one ${inEights(previous)}`
  let y = footY + 12
  const line = (text: string, { size = 8.5, colour = ink.soft, lines = 1 } = {}) => {
    y += pen.write(text, { size, colour }, { x: textX, y, width: textWidth, lines })
  }
  say('H2', () => line('Is it genuine?', { size: 11, colour: ink.text }))
  const clear = { lines: 2, colour: ink.text }
  say('P', () => {
    line(
      `Open ${verifyUrl} and choose this file. It is verified in your browser; nothing is sent anywhere.`,
      clear,
    )
    line(`Fingerprint ${inEights(file.hash)}`, { lines: 2 })
    line(before, { lines: 2 })
    line(
      `Key ${inEights(file.keyId)}, Ed25519. The signed text is attached to this document as ${attachmentName}.`,
      { lines: 2 },
    )
    if (!pen.isWhole())
      line(
        'Square brackets stand for letters that this page has no font for; the attached text has them as they are.',
        clear,
      )
  })
}

function inEights(hash: string): string {
  return hash.match(/.{1,8}/g)?.join(' ') ?? ''
}

function drawQr({ doc }: Pen, text: string, { x, y, size }: { x: number; y: number; size: number }): void {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: 1 })
  const cell = size / rows.length
  for (const [row, cells] of rows.entries())
    for (const [column, isDark] of cells.entries())
      if (isDark) doc.rect(x + column * cell, y + row * cell, cell, cell)
  doc.fill('#000000')
}
