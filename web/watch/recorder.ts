import { spanFlags, trackLimits, type EventType } from '#contract/track-limits.ts'
import type { Span, TrackEvent } from '#contract/tracks.ts'

/** The part of a media element that the recorder reads. */
export type Media = {
  currentTime: number
  duration: number
  playbackRate: number
  paused: boolean
  ended: boolean
  seeking: boolean
  muted: boolean
  readyState: number
  addEventListener(type: string, listener: () => void): void
  removeEventListener(type: string, listener: () => void): void
  requestVideoFrameCallback?(callback: (now: number, frame: { mediaTime: number }) => void): number
}

export type RecorderOptions = {
  media: Media
  /** Monotonic milliseconds since the session began. */
  now: () => number
  /** Bits of `spanFlags` that hold right now: hidden page, full screen and so on; muted is read from the media. */
  flags?: () => number
  /** Called when something happened that should be reported without waiting for the heartbeat. */
  onMoment?: (moment: 'play' | 'pause' | 'ended') => void
}

export type Recorder = {
  /** What has been played so far; the last one may still grow. */
  spans: () => readonly Span[]
  events: () => readonly TrackEvent[]
  note: (type: EventType, data?: Data) => void
  /** To be called when the flags may have changed: a span holds only while it is watched the same way. */
  refresh: () => void
  playing: () => boolean
  position: () => number
  stop: () => void
}

type Data = Record<string, string | number>
type Point = { at: number; position: number }
type Open = { index: number; from: Point; last: Point; rate: number; flags: number; fresh: boolean }

/** Between two looks at the element its time may differ by this much from the clock; more is a break. */
const jumpMs = 600
/** How far time and clock may drift apart within one span; the server accepts 750 ms. */
const driftMs = 400
/** Looks come four times a second at least, so no more than this is ever carried on. */
const guessMs = 400

/**
 * Turns the events of a media element into spans: stretches of media time that were played without a break, at one rate and in
 * one way. Boundaries are read from the element at its events. Only for a seek that comes too late (the time has jumped when it
 * is announced), so there the last frame before it counts, carried on by the clock.
 */
export function createRecorder({ media, now, flags = () => 0, onMoment }: RecorderOptions): Recorder {
  const spans: Span[] = []
  const events: TrackEvent[] = []
  let open: Open | undefined
  let stalledAt: number | undefined
  let stopped = false

  const position = () => Math.max(0, Math.round(media.currentTime * 1000))
  const point = (): Point => ({ at: now(), position: position() })
  const look = () => flags() | (media.muted ? spanFlags.muted : 0)
  const plays = () => !media.paused && !media.ended && !media.seeking && media.readyState >= 3

  function addEvent(type: EventType, { at, position }: Point, data?: Data): void {
    if (events.length < trackLimits.eventsPerSession)
      events.push([events.length, type, Math.round(at), position, data ?? null])
  }

  const note = (type: EventType, data?: Data) => addEvent(type, point(), data)

  function begin(from: Point, fresh: boolean): void {
    if (open || spans.length >= trackLimits.spansPerSession) return
    const rate = Math.round(media.playbackRate * 100)
    open = { index: spans.length, from, last: from, rate, flags: look(), fresh }
  }

  /** A span exists as soon as something has been played; its index is never used again. */
  function grow(to: Point): void {
    if (!open || to.position <= open.last.position) return
    open.last = to
    spans[open.index] = asSpan(open)
    if (!open.fresh) return
    open.fresh = false
    const { index, from } = open
    addEvent('play', from, { span: index })
    if (index === 0) onMoment?.('play')
  }

  function close(to?: Point): void {
    if (to) grow(to)
    open = undefined
  }

  /** Where the time must have been when it jumped away. */
  function carriedOn(): Point | undefined {
    if (!open) return undefined
    const passed = Math.min(guessMs, now() - open.last.at)
    const end = Number.isFinite(media.duration) ? Math.round(media.duration * 1000) : Infinity
    const reached = Math.min(end, open.last.position + Math.round((passed * open.rate) / 100))
    return { at: open.last.at + passed, position: reached }
  }

  function sample(to: Point): void {
    if (!open || media.seeking) return
    const { from, last, rate } = open
    const passed = to.at - last.at
    const off = to.position - last.position - (passed * rate) / 100
    const drift = to.position - from.position - ((to.at - from.at) * rate) / 100
    if (Math.abs(off) > jumpMs) {
      // The machine slept, or the time jumped without a word.
      close()
      if (passed > 5_000) note('sleep', { ms: Math.round(passed) })
      if (plays()) begin(to, true)
    } else if (Math.abs(drift) > driftMs || to.at - from.at >= trackLimits.spanMs) {
      close()
      if (plays()) begin(last, false)
      grow(to)
    } else grow(to)
  }

  /** Goes on without a gap under the next index. */
  function split(): void {
    if (!open) return
    const here = point()
    close(here)
    if (plays()) begin(here, false)
  }

  const on: Record<string, () => void> = {
    playing() {
      if (stalledAt !== undefined) note('stall', { ms: Math.round(now() - stalledAt) })
      stalledAt = undefined
      if (plays()) begin(point(), true)
    },
    timeupdate() {
      if (!open && plays() && stalledAt === undefined) begin(point(), true)
      sample(point())
    },
    pause() {
      if (media.seeking) close(carriedOn())
      else close(point())
      stalledAt = undefined
      if (media.ended) return
      note('pause')
      onMoment?.('pause')
    },
    seeking() {
      const left = carriedOn()
      close(left)
      stalledAt = undefined
      note('seek', { to: position(), ...(left ? { from: left.position } : {}) })
    },
    waiting() {
      if (open && !media.seeking) stalledAt = now()
      if (!media.seeking) close(point())
    },
    ratechange() {
      if (open && Math.round(media.playbackRate * 100) === open.rate) return
      note('rate', { rate: Math.round(media.playbackRate * 100) })
      split()
    },
    volumechange: refresh,
    ended() {
      close(point())
      note('ended')
      onMoment?.('ended')
    },
    emptied: () => close(),
  }

  function refresh(): void {
    if (open && look() !== open.flags) split()
  }

  function watchFrames(): void {
    if (stopped || !media.requestVideoFrameCallback) return
    media.requestVideoFrameCallback((_now, { mediaTime }) => {
      // The frame that is shown, not the clock that may have been set already.
      if (open && !media.seeking && mediaTime * 1000 >= open.last.position)
        sample({ at: now(), position: Math.round(mediaTime * 1000) })
      watchFrames()
    })
  }

  for (const [type, listener] of Object.entries(on)) media.addEventListener(type, listener)
  watchFrames()

  return {
    spans() {
      if (open && plays()) sample(point())
      return spans
    },
    events: () => events,
    note,
    refresh,
    playing: () => open !== undefined,
    position,
    stop() {
      close(media.seeking ? undefined : point())
      stopped = true
      for (const [type, listener] of Object.entries(on)) media.removeEventListener(type, listener)
    },
  }
}

function asSpan({ index, from, last, rate, flags }: Open): Span {
  const wall = Math.max(0, Math.round(last.at - from.at))
  return [index, from.position, last.position, wall, rate, flags]
}
