import { spanFlags, type EventType } from '#contract/tracking/track-limits.ts'
import type { Span, TrackEvent } from '#contract/tracking/tracks.ts'
import { createSpanLog, type Data, type Point } from './spans.ts'

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
  played: { readonly length: number; start(n: number): number; end(n: number): number }
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
  /** Called when playing begins for the first time, goes on after a break, or ends. */
  onMoment?: (moment: 'play' | 'resume' | 'pause' | 'ended') => void
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

/**
 * Turns the events of a media element into spans: stretches of media time that were played without a break, at one rate and in
 * one way. Boundaries are read from the element at its events. Only a seek is announced too late for that (the time has jumped
 * already), so there the last look before it counts, carried on by the clock. Where a page is held up and its looks come late, the element
 * knows which parts were played, and the clock how much of them at most.
 */
export function createRecorder({ media, now, flags = () => 0, onMoment }: RecorderOptions): Recorder {
  const manner = () => ({
    rate: media.playbackRate,
    flags: flags() | (media.muted ? spanFlags.muted : 0),
  })
  const log = createSpanLog(manner, {
    playedTo: (from) => playedTo(media, from),
    onBegin: (first) => onMoment?.(first ? 'play' : 'resume'),
  })
  const position = () => Math.max(0, Math.round(media.currentTime * 1000))
  const point = (): Point => ({ at: now(), position: position() })
  const plays = () => !media.paused && !media.ended && !media.seeking && media.readyState >= 3
  const note = (type: EventType, data?: Data) => log.note(type, point(), data)

  function look(judge: (to: Point) => boolean): void {
    if (!media.seeking && !judge(point()) && plays()) log.begin(point(), true)
  }

  /** The last point that belongs to what has been played; during a seek the element shows another already. */
  const last = () => (media.seeking ? log.carriedOn(now()) : point())

  /** It may have begun to play and ceased to before anything of that was told. */
  function cease(): void {
    if (!media.seeking) log.begin(point(), true)
    log.close(last())
  }

  /** Goes on without a gap under the next index. */
  function split(): void {
    if (!log.isOpen()) return
    const here = point()
    log.close(last())
    if (plays()) log.begin(here, false)
  }

  const refresh = () => {
    if (!log.fits()) split()
  }
  const stop = listen(media, handlers(), (mediaTime) => {
    // The frame that is shown, not the clock that may have been set already.
    const shown = Math.round(mediaTime * 1000)
    if (log.isOpen() && !media.seeking && shown >= log.reached()) log.sample({ at: now(), position: shown })
  })

  function handlers() {
    let stalledAt: number | undefined
    return {
      playing() {
        if (stalledAt !== undefined) note('stall', { ms: Math.round(now() - stalledAt) })
        stalledAt = undefined
        if (plays()) log.begin(point(), true)
      },
      timeupdate() {
        if (plays() && stalledAt === undefined) log.begin(point(), true)
        look(log.hear)
      },
      pause() {
        cease()
        if (!media.seeking) log.restAt(point())
        stalledAt = undefined
        if (media.ended) return
        note('pause')
        onMoment?.('pause')
      },
      seeking() {
        const left = log.carriedOn(now())
        log.close(left)
        stalledAt = undefined
        log.restAt(point())
        note('seek', { to: position(), ...(left ? { from: left.position } : {}) })
      },
      waiting() {
        if (media.seeking) return
        if (log.isOpen()) stalledAt = now()
        cease()
      },
      ratechange() {
        if (!log.fits()) {
          note('rate', { rate: Math.round(media.playbackRate * 100) })
          log.settle()
        }
        // How much of it was played at which speed nobody knows.
        if (log.isLate(now())) log.close()
        if (log.isOpen()) return refresh()
        log.restAt(point())
        if (plays()) log.begin(point(), false)
      },
      volumechange: refresh,
      ended() {
        cease()
        note('ended')
        onMoment?.('ended')
      },
      emptied() {
        log.close()
        log.restAt({ at: now(), position: 0 })
      },
    }
  }

  return {
    spans() {
      look(log.sample)
      return log.spans
    },
    events: () => log.events,
    note,
    refresh,
    playing: log.isOpen,
    position,
    stop() {
      log.close(last())
      stop()
    },
  }
}

/** A media time is rounded to a millisecond. */
const roundingMs = 1

function playedTo({ played }: Media, from: number): number {
  for (let n = 0; n < played.length; n++) {
    const end = Math.round(played.end(n) * 1000)
    if (played.start(n) * 1000 <= from + roundingMs && end >= from) return end
  }
  return from
}

type Listeners = Record<string, () => void>

/** Listens to events and, where the browser tells of them, to frames. Gives the function that ends it. */
function listen(media: Media, listeners: Listeners, onFrame: (mediaTime: number) => void): () => void {
  let stopped = false
  function watchFrames(): void {
    if (stopped) return
    media.requestVideoFrameCallback?.((_now, { mediaTime }) => {
      onFrame(mediaTime)
      watchFrames()
    })
  }
  for (const [type, listener] of Object.entries(listeners)) media.addEventListener(type, listener)
  watchFrames()
  return () => {
    stopped = true
    for (const [type, listener] of Object.entries(listeners)) media.removeEventListener(type, listener)
  }
}
