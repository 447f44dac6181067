import type { player } from '#contract/messages/en/player.ts'
import type { Tell } from '#contract/platform/text/say.ts'
import { clockOf } from './clock.ts'
import { named } from './controls.module.css?adopted'

/** Milliseconds [start, end). */
export type Part = readonly [startMs: number, endMs: number]

/** A piece of a larger picture, in its pixels. */
export type Picture = { src: string; x: number; y: number; width: number; height: number }

export type SeekOptions = {
  video: HTMLVideoElement
  /** Known before the video is. */
  durationMs: number
  say: Tell<typeof player>
  /** Moments of questions in milliseconds. */
  stops: readonly number[]
  /** Goes there, in seconds. */
  goTo: (seconds: number) => void
  /** A small picture of a moment in milliseconds, for the pointer. */
  pictureAt?: ((ms: number) => Picture | undefined) | undefined
}

export type Seek = {
  root: HTMLElement
  /** What has not been watched; null where nobody knows. */
  showMissing: (missing: readonly Part[] | null) => void
  /** A sign on the strip at a moment in milliseconds, in the class of that name. */
  mark: (kind: string, at: number) => HTMLElement
  /** Says beside a time what is there. */
  nameMoments: (nameOf: (ms: number) => string) => void
}

/**
 * The strip as slider: bars where it was watched, a thread where it was not; where nobody knows that, what is played right now. To the
 * ear it speaks when it is reached and when it was moved, not while the video plays.
 */
export function createSeek({ video, durationMs, say, stops, goTo, pictureAt }: SeekOptions): Seek {
  const root = element('div', named('seek'))
  root.tabIndex = 0
  root.setAttribute('role', 'slider')
  root.setAttribute('aria-valuemin', '0')
  root.setAttribute('aria-valuemax', String(Math.round(durationMs / 1000)))
  root.setAttribute('aria-label', say('position'))
  const [strip, watched, played] = [
    element('span', named('strip')),
    element('span'),
    element('span', named('played')),
  ]
  const now = element('i', named('now'))
  const hint = element('span', named('hint'))
  hint.hidden = true
  strip.append(watched, played, ...stops.map((at) => placed(named('stop'), [at, at])), now)
  root.append(strip, hint)
  let missing: readonly Part[] | null = null
  /** Where a finger or a pointer holds it, in seconds. */
  let held: number | undefined
  let shown = ''
  let nameOf = (_ms: number) => ''

  function placed(kind: string, [start, end]: Part): HTMLElement {
    const made = element('i', kind)
    made.style.setProperty('--a', String((start / durationMs) * 100))
    made.style.setProperty('--z', String((end / durationMs) * 100))
    return made
  }

  const position = () => held ?? video.currentTime
  const withName = (time: string, seconds: number) =>
    [time, nameOf(seconds * 1000)].filter(Boolean).join(' · ')

  function draw(): void {
    now.style.setProperty('--a', String((position() * 100_000) / durationMs))
    // What is known to count says more than what the element has played.
    const parts = missing ? [] : playedOf(video)
    const text = parts.join()
    if (text === shown) return
    shown = text
    played.replaceChildren(...parts.map((part) => placed(named('part'), part)))
  }

  function speak(): void {
    const at = {
      time: withName(clockOf(position()), position()),
      length: clockOf(Math.round(durationMs / 1000)),
    }
    const parts = (missing ?? []).map(([from, to]) =>
      say('part', { from: clockOf(from / 1000), to: clockOf(Math.ceil(to / 1000)) }),
    )
    root.setAttribute('aria-valuenow', String(Math.round(position())))
    root.setAttribute(
      'aria-valuetext',
      parts.length > 0 ? say('atMissing', { ...at, parts: parts.join(', ') }) : say('at', at),
    )
  }

  function secondsAt({ clientX }: MouseEvent): number {
    const { left, width } = strip.getBoundingClientRect()
    const share = Math.min(1, Math.max(0, (clientX - left) / width))
    return (share * durationMs) / 1000
  }

  function point(event: PointerEvent): void {
    const seconds = secondsAt(event)
    hint.hidden = false
    hint.style.setProperty('--a', String((seconds * 100_000) / durationMs))
    hint.dataset['time'] = withName(clockOf(seconds), seconds)
    illustrate(hint, pictureAt?.(seconds * 1000))
    if (held === undefined) return
    held = seconds
    draw()
  }

  root.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return
    root.setPointerCapture(event.pointerId)
    held = secondsAt(event)
    point(event)
  })
  root.addEventListener('pointermove', point)
  root.addEventListener('pointerup', () => {
    const to = held
    held = undefined
    if (to !== undefined) goTo(to)
  })
  for (const type of ['pointerleave', 'pointercancel'])
    root.addEventListener(type, () => {
      held = undefined
      hint.hidden = true
      draw()
    })
  for (const type of ['focus', 'keyup']) root.addEventListener(type, speak)
  for (const type of ['timeupdate', 'seeking', 'seeked', 'loadedmetadata']) video.addEventListener(type, draw)
  for (const type of ['seeked', 'pause']) video.addEventListener(type, speak)
  draw()
  speak()
  return {
    root,
    showMissing(next) {
      missing = next
      draw()
      watched.replaceChildren(
        ...(next ? between(next, durationMs) : []).map((part) => placed(named('part'), part)),
      )
      if (video.paused) speak()
    },
    mark(kind, at) {
      const made = placed(kind, [at, at])
      now.before(made)
      return made
    },
    nameMoments(next) {
      nameOf = next
      speak()
    },
  }
}

function illustrate(hint: HTMLElement, picture: Picture | undefined): void {
  if (!picture) return
  const { src, x, y, width, height } = picture
  hint.style.setProperty('--picture', `url("${src}") ${-x}px ${-y}px no-repeat`)
  hint.style.setProperty('--width', `${width}px`)
  hint.style.setProperty('--height', `${height}px`)
}

/** What lies between sorted, disjoint parts. */
function between(parts: readonly Part[], durationMs: number): Part[] {
  const starts = [0, ...parts.map(([, end]) => end)]
  const ends = [...parts.map(([start]) => start), durationMs]
  return starts.map((start, at): Part => [start, ends[at] ?? start]).filter(([a, z]) => z > a)
}

/** In this visit, by the element itself. */
function playedOf({ played }: HTMLVideoElement): Part[] {
  return Array.from({ length: played.length }, (_one, at): Part => [
    Math.round(played.start(at) * 1000),
    Math.round(played.end(at) * 1000),
  ])
}

function element(tag: 'div' | 'span' | 'i', kind = ''): HTMLElement {
  const made = document.createElement(tag)
  made.className = kind
  return made
}
