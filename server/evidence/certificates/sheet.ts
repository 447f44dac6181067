import Pdf from 'pdfkit'
import { canonical } from '#contract/platform/text/canonical.ts'
import {
  attachmentName,
  chainOrigin,
  type CertificateBody,
  type CertificateFile,
  type SourceState,
} from '#contract/evidence/certificate-format.ts'
import { clock, sumsOf } from '#contract/evidence/certificate-labels.ts'
import { signsOf, stripDrawing, stripSize } from '#contract/evidence/certificate-strip.ts'
import { localeOf, type Language } from '#contract/platform/text/languages.ts'
import { drawSessions } from './sheet-sessions.ts'
import { facesFor } from '#server/documents/faces.ts'
import type { Logo } from '#server/documents/logo.ts'
import { drawQr } from '#server/documents/qr.ts'
import { ink, page, penFor, type Pen, type Style } from '#server/documents/pages/typeset.ts'
import { minus } from '../../tracking/ranges.ts'
import { wordsIn, type Words } from './labels.ts'

/** These are all things that are drawn, as plain data, so that they can be handed to another thread. */
export type Sheet = {
  file: CertificateFile
  /** It is null where the organization has no picture. */
  logo: Logo | null
  product: string
  /** This is the address of the page that verifies it. */
  verifyUrl: string
  language: Language
}

/** The part with the fingerprint begins here, on the first page. */
const footY = 682

/** Draws the certificate as PDF, with its signed text as an attachment. It takes about a tenth of a second of computing. */
export async function drawSheet(sheet: Sheet): Promise<Buffer> {
  const { body } = sheet.file
  const words = wordsIn(sheet.language)
  const faces = await facesFor(sheet)
  const { say } = words
  const number = String(body.number)
  const doc = new Pdf({
    size: 'A4',
    margin: 0,
    font: '',
    pdfVersion: '1.7',
    tagged: true,
    lang: localeOf[sheet.language],
    displayTitle: true,
    info: {
      Title: say('documentTitle', { number, person: body.person.name, video: body.video.title }),
      Author: body.organization.name,
      Subject: say('subject', { hash: sheet.file.hash }),
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
  attach(doc, sheet.file, say('attachment'))
  draw(penFor(doc, faces), sheet, words)
  doc.end()
  return whole
}

/** Attaches the file without compressing it, so that whoever opens it with a text editor can find it. */
function attach(doc: Pen['doc'], file: CertificateFile, description: string): void {
  const issued = new Date(file.body.issuedAt)
  const described = {
    name: attachmentName,
    type: 'application/json',
    description,
    creationDate: issued,
    modifiedDate: issued,
    relationship: 'Source',
  }
  plainly(doc, () => doc.file(Buffer.from(canonical(file)), described))
}

/** Writes without compression, because the bytes that are verified have to stand as they are. */
function plainly<T>(doc: Pen['doc'], write: () => T): T {
  doc.compress = false
  const written = write()
  doc.compress = true
  return written
}

function draw(pen: Pen, sheet: Sheet, words: Words): void {
  const { doc } = pen
  const { body } = sheet.file
  const root = doc.struct('Document')
  doc.addStructure(root)
  const say = (type: string, content: () => void) => void root.add(doc.struct(type, {}, [content]))

  let y = drawHead(pen, sheet, { say, words })
  y = drawWhoAndWhat(pen, body, { y, say, words })
  y = drawResult(pen, body, { y, say, words })
  y = drawConfirmed(pen, body, { y, say, words })
  const { viewing } = body
  const foot = () => drawFoot(pen, sheet, { say, words })
  if (viewing) {
    y = drawTimeline(pen, { ...body, viewing }, { y, say, words })
    drawSessions(pen, { root, y: y + 8, bottom: footY - 18, body, viewing, words, foot })
  } else {
    say('P', () => {
      const text = words.say('completionsOnly')
      pen.write(text, { size: 9, colour: ink.soft }, { x: page.margin, y, width: page.inner, lines: 2 })
    })
    foot()
  }
  root.end()
}

type Viewing = NonNullable<CertificateBody['viewing']>
type Say = (type: string, content: () => void) => void
type Voice = { say: Say; words: Words }
type Spot = Voice & { y: number }

function drawHead(pen: Pen, { file: { body }, logo }: Sheet, { say, words }: Voice): number {
  const { doc } = pen
  const { margin: x, inner: width } = page
  let left = x
  if (logo) {
    const scale = Math.min(150 / logo.width, 34 / logo.height, 1)
    const size = { width: logo.width * scale, height: logo.height * scale }
    const picture = doc.struct('Figure', { alt: body.organization.name }, [
      () => void doc.image(Buffer.from(logo.data), x, 40, size),
    ])
    doc.addStructure(picture)
    left += size.width + 12
  }
  const half = width / 2
  say('P', () => {
    const place = { x: left, y: 46, width: x + half - left, lines: 2 }
    pen.write(body.organization.name, { size: 13, colour: ink.text }, place)
  })
  say('P', () => {
    const text = words.say('issued', { number: String(body.number), at: words.instant(body.issuedAt) })
    pen.write(text, { size: 9, colour: ink.soft, align: 'end' }, { x: x + half, y: 49, width: half })
  })
  pen.decorate(() => drawArc(pen, body))
  const title = { size: 10, colour: ink.soft, align: 'middle' } as const
  say('H1', () => void pen.write(words.say('title'), title, { x, y: 126, width }))
  return 144
}

/** The arc over the name bends up by `rise` points in its middle, and is drawn in `steps` pieces. */
const arc = { y: 138, rise: 40, steps: 60 }

/**
 * Draws the strip as an arc. It is thick as far as the video was watched, and a thread from there on; a tick closes it for somebody who has
 * completed the video.
 */
function drawArc({ doc }: Pen, { viewing, completedAt }: CertificateBody): void {
  const { margin, inner } = page
  const point = (part: number) =>
    [margin + part * inner, arc.y - arc.rise * (1 - (2 * part - 1) ** 2)] as const
  const share = completedAt === null ? (viewing?.share ?? 0) / 10_000 : 1
  const along = (from: number, to: number) => {
    doc.moveTo(...point(from))
    for (let n = 1; n <= arc.steps; n++) doc.lineTo(...point(from + ((to - from) * n) / arc.steps))
  }
  if (share < 1) {
    along(share, 1)
    doc.lineWidth(0.8).strokeColor(ink.missing).stroke()
  }
  if (share > 0) {
    along(0, share)
    doc.lineWidth(3).lineCap('round').strokeColor(ink.watched).stroke()
  }
  if (completedAt === null) return
  const [x, y] = point(0.5)
  doc.circle(x, y, 15).fill('#ffffff')
  doc.circle(x, y, 12).fill(ink.watched)
  doc
    .moveTo(x - 5, y + 0.5)
    .lineTo(x - 1.5, y + 4)
    .lineTo(x + 5.5, y - 4)
    .lineWidth(2)
    .strokeColor('#ffffff')
    .stroke()
  doc.lineCap('butt')
}

/** Draws who has watched what, in the middle of the page as on any certificate. */
function drawWhoAndWhat(
  pen: Pen,
  { person, video, organization }: CertificateBody,
  { y: top, say, words }: Spot,
): number {
  const { margin: x, inner: width } = page
  let y = top
  const line = (text: string, style: Style, lines = 1) => {
    y += pen.write(text, { ...style, align: 'middle' }, { x, y, width, lines })
  }
  const soft = { size: 10, colour: ink.soft }
  // Long names stay on two lines.
  const size = pen.width(person.name, 28) > width ? 20 : 28
  say('H2', () => line(person.name, { size, colour: ink.text }, 2))
  say('P', () => line(person.email, soft))
  y += 6
  say('H2', () => line(video.title, { size: 15, colour: ink.text }, 2))
  say('P', () => {
    line(words.say('version', { version: String(video.version), length: clock(video.durationMs) }), soft)
    y += 4
    line(words.say('certifies', { organization: organization.name }), { size: 9, colour: ink.soft })
  })
  return y + 14
}

function drawResult(
  pen: Pen,
  { viewing, threshold, completedAt, quiz }: CertificateBody,
  { y, say, words }: Spot,
): number {
  const { margin: x, inner } = page
  const { percent, exactly, instant } = words
  const parts = [
    viewing && {
      big: percent(viewing.share),
      small: words.say('watchedTime', { time: exactly(viewing.coveredMs) }),
    },
    {
      big: words.say(completedAt ? 'completed' : 'notCompleted'),
      small: completedAt ? instant(completedAt) : neededText({ threshold, quiz }, words),
    },
    quiz && { big: quizWord(quiz.passed, words), small: quizDetail(quiz, words) },
  ].filter((part) => part !== null)
  // All parts are as wide and as large as the longest needs, and none leaves the page.
  const width = (inner - 32 - (parts.length - 1) * 14) / parts.length
  const widest = Math.max(...parts.map(({ big }) => pen.width(big, 19)))
  const size = Math.min(19, Math.floor((19 * width) / widest))
  const lines = Math.max(...parts.map(({ small }) => pen.lines(small, { size: 9, width, lines: 3 })))
  const height = 49 + 13 * lines
  pen.decorate(() => pen.doc.roundedRect(x, y, inner, height, 6).fill(ink.pale))
  for (const [i, { big, small }] of parts.entries()) {
    const at = x + 16 + i * (width + 14)
    say('P', () => {
      pen.write(big, { size, colour: ink.text }, { x: at, y: y + 8, width })
      pen.write(small, { size: 9, colour: ink.soft }, { x: at, y: y + 38, width, lines: 3 })
    })
  }
  return y + height + 20
}

/** The page draws this number of confirmations; all others stand in the attached text alone. */
const drawnConfirmations = 2

function drawConfirmed(pen: Pen, { confirmations = [] }: CertificateBody, { y, say, words }: Spot): number {
  const { margin: x, inner: width } = page
  let below = y
  for (const { statement, at } of confirmations.slice(0, drawnConfirmations))
    say('P', () => {
      const text = words.say('confirmed', { at: words.instant(at), statement })
      below += pen.write(text, { size: 9, colour: ink.text }, { x, y: below, width, lines: 4 }) + 6
    })
  return confirmations.length === 0 ? y : below + 6
}

type Needed = Pick<CertificateBody, 'threshold' | 'quiz'>

function neededText({ threshold, quiz }: Needed, { say, percent }: Words): string {
  const needed = { share: percent(threshold) }
  return quiz?.required && !quiz.passed ? say('neededQuestions', needed) : say('needed', needed)
}

function quizWord(passed: boolean | null, { say }: Words): string {
  if (passed === null) return say('notGraded')
  return say(passed ? 'passed' : 'notPassed')
}

type Quiz = NonNullable<CertificateBody['quiz']>

function quizDetail({ attempts: count, bestScore, maxScore }: Quiz, { tell, number }: Words): string {
  const attempts = tell('attempts', { count })
  if (bestScore === null || maxScore === null) return attempts
  return tell('best', { attempts, score: number(bestScore / 100), most: number(maxScore / 100) })
}

const listedGaps = 6

function drawTimeline(
  pen: Pen,
  { video: { durationMs }, threshold, viewing }: CertificateBody & { viewing: Viewing },
  { y, say, words }: Spot,
): number {
  const { doc } = pen
  const { margin: x, inner: width } = page
  const { covered, coveredMs, secondSource } = viewing
  const at = (ms: number) => x + (ms / Math.max(1, durationMs)) * width
  const widthOf = (from: number, to: number) => Math.max(0.4, at(to) - at(from))
  say(
    'H2',
    () => void pen.write(words.say('whatWasWatched'), { size: 12, colour: ink.text }, { x, y, width }),
  )
  const bar = y + 22
  pen.decorate(() => {
    doc.rect(x, bar + 5.5, width, 1).fill(ink.missing)
    for (const [from, to] of covered) doc.rect(at(from), bar, widthOf(from, to), 12).fill(ink.watched)
    for (const { fromMs, toMs, state } of secondSource?.parts ?? [])
      doc.rect(at(fromMs), bar + 15, widthOf(fromMs, toMs), 2).fill(sourceInk[state])
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
    const gaps = gapText(minus([[0, durationMs]], covered), words)
    below += pen.write(gaps, { size: 9, colour: ink.text }, { x, y: below, width, lines: 3 })
    const sum = words.say('recorded', {
      time: words.exactly(coveredMs),
      length: words.exactly(durationMs),
      count: covered.length,
      share: words.percent(threshold),
    })
    below += pen.write(sum, { size: 9, colour: ink.soft }, { x, y: below, width, lines: 2 })
  })
  return secondSource ? drawSecondSource(pen, secondSource, { y: below + 8, say, words }) : below + 8
}

const sourceInk: Record<SourceState, string> = {
  proven: '#3a7fc4',
  likely: '#e9a23b',
  delivered: ink.none,
  contradicted: '#c2441f',
  none: ink.none,
}

/** Draws what the server's own record says of the parts that count. The foot of the bar shows where. */
function drawSecondSource(
  pen: Pen,
  { state, parts }: NonNullable<Viewing['secondSource']>,
  { y, say, words }: Spot,
): number {
  const { margin: x, inner: width } = page
  let below = y
  const title = words.say('checked', { state: words.tell(state) })
  say('H2', () => {
    below += pen.write(title, { size: 12, colour: ink.text }, { x, y: below, width }) + 3
  })
  for (const sum of sumsOf(parts)) {
    pen.decorate(() => pen.doc.rect(x, below + 3.5, 8, 6).fill(sourceInk[sum.state]))
    say('P', () => {
      const verdict = { state: words.tell(sum.state), reason: words.tell(sum.reason) }
      const text = words.say('sourceSum', { ...verdict, time: words.exactly(sum.ms) })
      const style = { size: 9, colour: ink.text }
      below += pen.write(text, style, { x: x + 14, y: below, width: width - 14, lines: 2 })
    })
  }
  return below + 8
}

function gapText(gaps: readonly [number, number][], { say, tell, exactly }: Words): string {
  if (gaps.length === 0) return say('nothingMissing')
  const shown = gaps.slice(0, listedGaps)
  const parts = shown.map(([from, to]) => tell('fromTo', { from: exactly(from), to: exactly(to) })).join(', ')
  const remaining = gaps.length - shown.length
  return remaining > 0 ? say('missingMore', { parts, count: String(remaining) }) : say('missing', { parts })
}

function drawFoot(pen: Pen, { file, verifyUrl }: Sheet, { say, words }: Voice): void {
  const { margin: x, inner: width } = page
  const [textX, textWidth] = [x + 104, width - 104]
  pen.rule(footY, 0.75)
  say('Figure', () => drawQr(pen, verifyUrl, { x, y: footY + 12, size: 88 }))
  const { previous } = file.body
  const before =
    previous === chainOrigin ? words.say('first') : words.say('before', { hash: inEights(previous) })
  let y = footY + 12
  const line = (text: string, { size = 8.5, colour = ink.soft, lines = 1 } = {}) => {
    y += pen.write(text, { size, colour }, { x: textX, y, width: textWidth, lines })
  }
  const { body, hash } = file
  say('H2', () => line(words.say('isGenuine'), { size: 11, colour: ink.text }))
  if (body.viewing) {
    drawSeal(pen, { ...body, viewing: body.viewing }, { hash, words, right: x + width, y: footY + 14 })
    y += 12
  }
  const clear = { lines: 2, colour: ink.text }
  say('P', () => {
    line(words.say('verify', { address: verifyUrl }), clear)
    line(words.say('fingerprint', { hash: inEights(file.hash) }), { lines: 2 })
    line(before, { lines: 2 })
    line(words.say('key', { key: inEights(file.keyId), file: attachmentName }), { lines: 2 })
    if (!pen.isWhole()) line(words.say('letters'), clear)
  })
}

type Seal = { hash: string; words: Words; right: number; y: number }

/** Draws the strip with the first signs of the fingerprint. Whoever verifies the file reads it from this very drawing. */
function drawSeal(
  pen: Pen,
  { video: { durationMs }, viewing: { covered } }: CertificateBody & { viewing: Viewing },
  { hash, words, right, y }: Seal,
): void {
  const { doc } = pen
  const width = 240
  const scale = width / stripSize.width
  const x = right - width
  const form = plainly(doc, () =>
    doc.ref({ Type: 'XObject', Subtype: 'Form', BBox: [0, 0, stripSize.width, stripSize.height] }),
  )
  form.end(Buffer.from(stripDrawing(covered, durationMs)))
  const signs = signsOf(hash)
  const parts = gapText(minus([[0, durationMs]], covered), words)
  const drawn = () => {
    doc.page.xobjects['Seal'] = form
    doc.save().translate(x, y).scale(scale)
    doc.addContent('/Seal Do')
    doc.restore()
    pen.write(signs, { size: 8.5, colour: ink.soft }, { x, y: y + stripSize.height * scale + 1, width })
  }
  doc.addStructure(doc.struct('Figure', { alt: words.say('seal', { signs, parts }) }, [drawn]))
}

function inEights(hash: string): string {
  return hash.match(/.{1,8}/g)?.join(' ') ?? ''
}
