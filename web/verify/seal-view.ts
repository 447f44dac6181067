import { bar, barsOf, signsOf, stripSize, thread } from '#contract/evidence/certificate-strip.ts'
import { localeOf } from '#contract/platform/languages.ts'
import type { Part } from '#contract/tracking/missing-parts.ts'
import type { Verdict } from './check.ts'
import { drawing, element, fromTo } from './made.ts'
import { language, say } from './words.ts'

type Shown = Extract<Verdict, { seal: object }>

/**
 * The seal of the file over that of its text: where every byte of the file is vouched for they slide into one another and lock, else
 * they stay apart, with what differs marked across both. It is said in words beside the picture, always.
 */
export function sealFigure(verdict: Shown): HTMLElement {
  const { seal, file } = verdict
  if (seal.state === 'none') return element('p', {}, say('sealNone'))
  const { durationMs } = file.body.video
  const written = barsOf(file.body.viewing?.covered ?? [], durationMs)
  const drawn = seal.state === 'differs' ? seal.drawn : written
  const odd = seal.state === 'differs' ? [...seal.more, ...seal.less] : []
  const { width, height } = stripSize
  const picture = drawing(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' },
    ...(seal.state === 'alone' ? [] : [stripOf(drawn, { durationMs, name: 'drawn' })]),
    stripOf(written, { durationMs, name: 'written' }),
    ...odd.map((part) => oddRect(part, durationMs)),
    ...(isLocked(verdict)
      ? [rect({ class: 'lock', x: -4, y: -4, width: width + 8, height: height + 8, rx: 4 })]
      : []),
  )
  return element(
    'figure',
    { class: 'seal', 'data-seal': isLocked(verdict) ? 'locked' : seal.state, 'aria-label': say('seal') },
    picture,
    element('code', {}, signsOf(file.hash)),
    element('div', {}, ...wordsOf(verdict).map((text) => element('p', {}, text))),
  )
}

/** Only where the pages are sealed is it known that the drawing is the one that the page shows. */
const isLocked = (verdict: Shown) =>
  verdict.state === 'genuine' && verdict.seal.state === 'fits' && verdict.page === 'sealed'

function wordsOf(verdict: Shown): string[] {
  const { seal } = verdict
  if (seal.state === 'differs') return differenceOf(seal)
  if (seal.state !== 'fits') return [say('sealAlone')]
  if (isLocked(verdict)) return [say('sealLocked')]
  return [say(verdict.state === 'genuine' ? 'sealMoved' : 'sealUnvouched')]
}

function differenceOf({ more, less }: { more: readonly Part[]; less: readonly Part[] }): string[] {
  const named = [
    more.length > 0 && say('sealMore', { parts: listOf(more) }),
    less.length > 0 && say('sealLess', { parts: listOf(less) }),
  ].filter((text) => text !== false)
  return [say('sealDiffers'), ...(named.length > 0 ? named : [say('sealOtherwise')])]
}

/** More than these nobody looks up one by one. */
const mostListed = 6

function listOf(parts: readonly Part[]): string {
  const told = parts.slice(0, mostListed).map(([from, to]) => fromTo(from, to))
  const rest = parts.length - told.length
  if (rest > 0) told.push(say('sealRest', { count: String(rest) }))
  return new Intl.ListFormat(localeOf[language]).format(told)
}

/** A drawing that somebody has changed may have any bars; on paper they end where the strip ends, too. */
const placeOf = ([from, to]: Part, durationMs: number) => {
  const at = (ms: number) => Math.max(0, Math.min(1, ms / Math.max(1, durationMs))) * stripSize.width
  return { x: at(from), width: Math.max(0, at(to) - at(from)) }
}

type Box = { x: number; width: number; y: number; height: number; rx?: number; class?: string }
const rect = (box: Box) =>
  drawing('rect', Object.fromEntries(Object.entries(box).map(([name, value]) => [name, String(value)])))

function stripOf(
  bars: readonly Part[],
  { durationMs, name }: { durationMs: number; name: string },
): SVGElement {
  const parts = bars.flatMap((part) => {
    const { x, width } = placeOf(part, durationMs)
    const box = { y: bar.y, height: bar.height }
    const around = { ...box, x: x - bar.gap, width: width + 2 * bar.gap }
    return [rect({ ...around, class: 'gap' }), rect({ ...box, x, width, rx: 2 })]
  })
  return drawing(
    'g',
    { class: name },
    rect({ x: 0, width: stripSize.width, ...thread, class: 'thread' }),
    ...parts,
  )
}

const oddRect = (part: Part, durationMs: number) =>
  rect({ ...placeOf(part, durationMs), class: 'odd', y: -stripSize.height, height: 3 * stripSize.height })
